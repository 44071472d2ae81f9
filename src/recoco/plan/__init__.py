"""Experiments are data: from the items of the papers to the blocks of runs they need.

A *setting* is (dataset, weighting, method, parameters); a *trial* is one run of a setting; a
*block* is a range of its runs, done by one job. Two tables that need the same trial share it.
"""

# ruff: noqa: F401  these are the names that the package offers
from recoco.plan.blocks import (
    block_path,
    blocks_of,
    missing,
    planned_blocks,
    seconds_path,
    starts_of,
    tile,
    twins,
    unreachable,
)
from recoco.plan.combinations import (
    Combination,
    Part,
    card_of,
    combination_of,
    combinations,
    null_setting,
    parts_of,
    setting_of,
    stated_options,
)
from recoco.plan.methods import (
    check_parameters,
    import_path,
    larger_is_better,
    parameters,
)
from recoco.plan.setting import Setting, name_from_path
from recoco.plan.settings import (
    classes_of,
    datasets_of,
    datasets_of_paper,
    papers_with,
    runs_of,
    settings_of,
    with_params,
)
from recoco.plan.whole import Plan
