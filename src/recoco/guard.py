"""A block of runs whose method may fail in any way: it then says so, in place of its labels.

`recoco.run` knows the errors that a method is expected to raise. What else can happen is met
here, around it: any other error, results of a wrong shape, a method that does not stop when its
time is over, one that crashes Python or eats all memory.
"""

import functools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from recoco import ledger
from recoco.errors import RecocoError
from recoco.limits import (
    NO_MEMORY,
    SAID,
    EndedFromOutside,
    Ending,
    fork_limited,
    reason_of,
    wait_limited,
)
from recoco.methods.loading import load_class
from recoco.seeds import seeds_of_runs
from recoco.store import write_arrays, write_json

# Seconds to load the data and to stop when told so, before the process is ended.
GRACE = 60.0


class MethodFailed(RecocoError):
    """A method did not do what a method does."""


def guard_block(snakemake, begin: Callable[[], None] = lambda: None) -> None:
    """Go on in a child process with limits; its parent ends the script as the child ends.

    ``begin`` is called in both of them. Where the child is ended by its limits or by a crash, the
    block is written by the parent: no labels, and the reason.
    """
    began = time.perf_counter()
    outputs = [Path(path) for path in snakemake.output]
    for path in outputs:
        path.unlink(missing_ok=True)
    pid = fork_limited(snakemake.config.get("memory_limit"))
    begin()
    if pid == 0:
        check_results(load_class(snakemake.params.place))
        return
    limit = snakemake.params.time_limit
    try:
        ending = wait_limited(pid, limit + min(GRACE, 10 + limit))
    except EndedFromOutside as error:
        print(error, file=sys.stderr)
        Path(snakemake.log[0]).write_text(f"{error}\n", encoding="utf-8")
        sys.exit(1)
    if ending.code == SAID:
        sys.exit(1)
    if ending.status == "timeout":
        ending = Ending("timeout", f"no result within {limit:g} s")
    elif ending.code == NO_MEMORY:
        ending = Ending("failed", "MemoryError: more memory was asked for than the limit")
    elif ending.status == "ok" and not all(path.is_file() for path in outputs):
        ending = Ending("failed", "its process ended without a result")
    if ending.status != "ok":
        write_failed(snakemake, ending, time.perf_counter() - began)
    sys.exit(0)


def write_failed(snakemake, ending: Ending, seconds: float) -> None:
    """Write a block that has no labels and says why, in the place and form of any other."""
    names, params = snakemake.wildcards, snakemake.params
    start, stop = int(names.start), int(names.stop)
    identity = f"{names.dataset}/{names.weighting}/{names.slug}"
    shared = getattr(load_class(params.place), "shared_starts", False)
    seeds = seeds_of_runs(params.master_seed, identity, range(start, stop), shared)
    record = {
        "identity": identity,
        "method": params.method,
        "params": params.params,
        "weighting": names.weighting,
        "status": ending.status,
        "error": ending.error,
        "seeds": [f"{seed:032x}" for seed in seeds],
        "n_clusters": None,
    }
    arrays = {
        "run": np.arange(start, stop, dtype=np.int32),
        "record": np.array(json.dumps(record, sort_keys=True)),
    }
    write_arrays(snakemake.output.labels, arrays)
    write_json(
        snakemake.output.seconds, {"identity": identity, "runs": stop - start, "seconds": seconds}
    )
    ledger.enter(Path.cwd(), snakemake.output)
    with open(snakemake.log[0], "a", encoding="utf-8") as log:
        print(f"{ending.status}: {ending.error}\nfinished in {seconds:.3f} s", file=log)


# ---- what a method returns -------------------------------------------------------------------


def check_results(kind: type) -> None:
    """Let ``kind.fit_runs`` raise what a cell can tell, and refuse results of a wrong shape."""
    inner = kind.fit_runs

    @functools.wraps(inner)
    def fit_runs(self, X, seeds, *rest, **options):
        try:
            runs = inner(self, X, seeds, *rest, **options)
            check_runs(runs, len(seeds), *_lengths(kind, X))
        except (RecocoError, TimeoutError, KeyboardInterrupt):
            raise
        except (ArithmeticError, ValueError):  # told as they are
            raise
        except BaseException as error:  # somebody's code may raise anything, even SystemExit
            raise MethodFailed(reason_of(error)) from error
        return runs

    kind.fit_runs = fit_runs


def _lengths(kind: type, X) -> tuple[int | None, int | None]:
    """Return rows and columns of what a method is given, None where nothing is known of them."""
    views = X if isinstance(X, list | tuple) else [X]
    if not views or any(len(getattr(view, "shape", ())) != 2 for view in views):
        return None, None
    columns = None if hasattr(kind, "graphs_of") else sum(view.shape[1] for view in views)
    return views[0].shape[0], columns


def check_runs(runs, count: int, rows: int | None, columns: int | None) -> None:
    """Refuse what is no result of ``count`` runs on so many rows and columns."""
    for name in ("row_labels", "criterion", "n_iter"):
        if getattr(runs, name, None) is None:
            raise MethodFailed(f"fit_runs returned {type(runs).__name__} without {name}")
    _check_labels("row_labels", runs.row_labels, count, rows)
    if getattr(runs, "column_labels", None) is not None:
        _check_labels("column_labels", runs.column_labels, count, columns)
    for name in ("criterion", "n_iter"):
        found = np.asarray(getattr(runs, name))
        if found.shape != (count,) or not np.issubdtype(found.dtype, np.number):
            raise MethodFailed(f"{name} is {_described(found)}, not {count} numbers")
    for name, values in getattr(runs, "details", {}).items():
        if len(np.shape(values)) == 0 or len(values) != count:
            raise MethodFailed(f"the detail {name} has not one entry for each of {count} runs")


def _check_labels(name: str, labels, count: int, length: int | None) -> None:
    found = np.asarray(labels)
    wanted = (count, found.shape[-1] if length is None and found.ndim else length)
    if found.shape != wanted or not np.issubdtype(found.dtype, np.integer):
        raise MethodFailed(f"{name} is {_described(found)}, not whole numbers of shape {wanted}")
    if found.size and found.min() < 0:
        raise MethodFailed(f"{name} has the label {found.min()}: labels count from 0")


def _described(array: np.ndarray) -> str:
    return f"{array.dtype} of shape {array.shape}"
