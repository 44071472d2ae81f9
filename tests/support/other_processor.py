"""Repeat runs of a project, one of each method named on the command line, and compare partitions.

A script of its own: what a library takes for its processor is decided when it is loaded, by the
environment. It prints a JSON object with what was loaded and what came out.
"""

import json
import sys

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from recoco.archive.receipt import last_config
from recoco.archive.rerun import arrays_again, trials_of
from recoco.core import paths
from recoco.core.files import read_arrays


def compared(old: np.ndarray, new: np.ndarray) -> str:
    """Say how a partition differs from another: not at all, in its numbers, or in its clusters."""
    if np.array_equal(old, new):
        return "identical"
    pairs = len(set(zip(old.tolist(), new.tolist(), strict=True)))
    if pairs == len(np.unique(old)) == len(np.unique(new)):
        return "the same clusters, numbered otherwise"
    return f"{np.count_nonzero(old != new)} of {old.size} labels differ"


def main(methods: list[str]) -> None:
    root = paths.root()
    config = last_config(root)[0]
    first = {}
    for trial in trials_of(config, root):
        first.setdefault(trial.setting.method, trial)
    outcomes = {}
    with threadpool_limits(1):
        for trial in map(first.__getitem__, methods):
            stored, new = read_arrays(trial.block), arrays_again(config, trial, root)
            (row,) = np.flatnonzero(stored["run"] == trial.run)
            outcomes[trial.setting.method] = {
                side: compared(stored[side][row], new[side][0])
                for side in ("row_labels", "column_labels")
                if side in stored
            }
    blas = {about["architecture"] for about in threadpool_info() if "architecture" in about}
    print(json.dumps({"blas": sorted(blas), "numba": config_of_numba(), "outcomes": outcomes}))


def config_of_numba() -> list:
    from numba.core import config

    return [config.CPU_NAME, config.CPU_FEATURES]


if __name__ == "__main__":
    main(sys.argv[1:])
