"""Check a block of runs before it counts as a result.

The process that wrote it has run somebody's own method, which may have replaced any function on
the way. What passes here can be scored and shown.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays, read_json
from recoco.core.seeds import seeds_of_runs
from recoco.runs.block import Block

_STATUSES = ("ok", "failed", "timeout", "unreachable")


@dataclass(frozen=True)
class KnownBlock(Block):
    """A block whose method need not be loaded: it is known whether all share their starts."""

    shared: bool = False

    def seeds(self) -> list[int]:
        runs = range(self.start, self.stop)
        return seeds_of_runs(self.master_seed, self.identity, runs, self.shared)


def check_block(block: Block, labels: Path, seconds: Path) -> None:
    """Raise RecocoError unless two files hold the runs of a block."""
    try:
        arrays = read_arrays(labels)
        record = json.loads(str(arrays.pop("record")))
        runs, taken = arrays.pop("run").tolist(), read_json(seconds)
        spent = taken["runs"], taken["seconds"]
        facts = record["identity"], record["seeds"], record["status"], record["error"]
    except Exception as error:  # zip, numpy and JSON have their own errors for broken files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RecocoError(f"its results cannot be read ({reason})") from None
    expected = block.identity, [f"{seed:032x}" for seed in block.seeds()]
    if facts[:2] != expected or runs != list(range(block.start, block.stop)):
        raise RecocoError("its results are those of other runs")
    timed = spent[0] == len(runs) and _is_number(spent[1]) and 0 <= spent[1] < math.inf
    if facts[2] not in _STATUSES or not isinstance(facts[3], str) or not timed:
        raise RecocoError("its results say nothing about how it ended")
    if facts[2] == "ok":
        _check_arrays(arrays, len(runs), record)


def _check_arrays(arrays: dict[str, np.ndarray], count: int, record: dict) -> None:
    rows = record.get("rows")
    wanted = record.get("n_clusters")
    if wanted is not None and not _is_number(wanted):
        raise RecocoError(f"its number of clusters is {wanted!r}, not a number")
    for name in ("row_labels", "criterion", "n_iter"):
        if name not in arrays:
            raise RecocoError(f"its results have no {name}")
    for name, values in arrays.items():
        part, name = name.startswith("detail_part_"), name.removeprefix("detail_")
        if values.shape[:1] != (count,):
            raise RecocoError(f"{name} has not one entry for each of {count} runs")
        if values.dtype.kind not in "biufU":  # others cannot be written as JSON
            raise RecocoError(f"{name} is {values.dtype}, neither numbers nor texts")
        if name == "row_labels" or part:
            dimensions = (2, 3) if part else (2,)
            whole = values.dtype.kind in "iu" and values.ndim in dimensions
            if not whole or values.shape[-1] != rows or values.min(initial=0) < 0:
                raise RecocoError(f"{name} does not have a cluster for each of {rows} rows")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
