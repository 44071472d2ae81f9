"""The first pass, paper by paper: a report of the first one comes long before that of all."""

from pathlib import Path

from recoco.config import Config
from recoco.plan.blocks import blocks_of
from recoco.plan.estimate import Estimate
from recoco.plan.settings import datasets_of_paper, settings_of

# Seconds of computing that a stage must leave to those after it: each starts Snakemake once more
# and writes a report once more.
_WORTH = 60.0


def stages_of(config: Config, root: Path) -> list[list[str]]:
    """Return the papers of each stage of the first pass; each stage adds one to those before.

    The papers that take the least time come first. Those that were compared before are in the
    first stage, because a report must not lose a paper that it had. The last stage has all papers,
    in the order of the configuration, so it writes what a single stage would. A report that would
    be replaced within a minute or so is left out.
    """
    compared = {
        key for key in config.papers if (root / "results" / "compare" / key / "cells.csv").is_file()
    }
    own = {key: config.alone(key) for key in config.papers}
    costs = {key: _cost(own[key], root) for key in config.papers if key not in compared}
    stages, done, left = [], compared, sum(costs.values())
    for key in sorted(costs, key=lambda key: (costs[key] == 0, costs[key])):
        done, left = done | {key}, left - costs[key]
        if costs[key] and left > _WORTH and _same_blocks(own[key], config, root):
            stages.append([each for each in config.papers if each in done])
    if not stages or len(stages[-1]) < len(config.papers):
        stages.append(list(config.papers))
    return stages


def _cost(own: Config, root: Path) -> float:
    """Return the seconds of computing on the datasets of a paper that are probably available."""
    (paper,) = own.papers
    twins = own.settings["twins"]
    cards = [card for card in datasets_of_paper(own, paper) if _within_reach(card, root, twins)]
    return Estimate(own, root, 1).computing_on(cards)


def _within_reach(name: str, root: Path, twins: str) -> bool:
    """Say whether a dataset was prepared, is in a mirror or a package, or has a twin.

    Packages come from the registries that the environment was installed from. Whether the open web
    can be reached, only trying shows.
    """
    from recoco.datasets.card import load_card
    from recoco.datasets.mirrors import at_hand
    from recoco.datasets.twins import has_twin

    if (root / "resources" / "prepared" / f"{name}.json").is_file():
        return True  # an estimate leaves out those that were unreachable
    card = load_card(name)
    packaged = any(source["kind"] == "package" for source in card["sources"])
    return packaged or at_hand(name) or has_twin(card, twins)


def _same_blocks(own: Config, config: Config, root: Path) -> bool:
    """Say whether a paper alone cuts its runs as all papers together do."""
    totals = settings_of(config)
    return all(
        blocks_of(own, setting, total, root) == blocks_of(config, setting, totals[setting], root)
        for setting, total in settings_of(own).items()
    )
