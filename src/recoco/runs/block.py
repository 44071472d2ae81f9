"""Compute a block of runs of one setting, each with its own seed."""

import contextlib
import json
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recoco.core.errors import RecocoError
from recoco.core.files import write_arrays, write_json
from recoco.core.imports import load_class
from recoco.core.seeds import seeds_of_runs
from recoco.datasets.dataset import load_prepared
from recoco.datasets.weighting import weight
from recoco.runs.results import fit_checked


@dataclass(frozen=True)
class Block:
    """The runs ``start..stop`` of the setting ``identity``."""

    identity: str
    method: str
    import_path: str
    params: dict
    weighting: str
    start: int
    stop: int
    master_seed: int
    time_limit: float

    def seeds(self) -> list[int]:
        shared = getattr(load_class(self.import_path), "shared_starts", False)
        runs = range(self.start, self.stop)
        return seeds_of_runs(self.master_seed, self.identity, runs, shared)

    def write(self, out: Path, seconds: Path, spent: float, arrays: dict, **outcome) -> None:
        """Write the results of the runs, and the time they took into a file of its own."""
        record = {
            "identity": self.identity,
            "method": self.method,
            "params": self.params,
            "weighting": self.weighting,
            "status": "ok",
            "error": "",
            "seeds": [f"{seed:032x}" for seed in self.seeds()],
            **outcome,
        }
        run = np.arange(self.start, self.stop, dtype=np.int32)
        text = np.array(json.dumps(record, sort_keys=True))
        write_arrays(out, {**arrays, "run": run, "record": text})
        runs = self.stop - self.start
        write_json(seconds, {"identity": self.identity, "runs": runs, "seconds": spent})


def run_block(block: Block, prepared: Path, out: Path, seconds: Path) -> None:
    """Compute the runs of a block and write labels, criterion and iterations of each.

    A method that fails or takes too long is a result too: the block states the reason, and so do
    the cells that depend on it. A mistake in the configuration is not: it raises.
    """
    kind = load_class(block.import_path)
    began = time.perf_counter()
    arrays, outcome = {}, {}
    try:
        dataset = load_prepared(prepared)
    except RecocoError as error:
        outcome = {"status": "unreachable", "error": str(error)}
    else:
        estimator = _build(kind, block.method, block.params, dataset.n_classes)
        outcome["n_clusters"] = getattr(estimator, "expected_clusters", estimator.n_clusters)
        outcome["rows"] = len(dataset.labels)
        try:
            with timeout(block.time_limit):
                data = data_of(kind, dataset, block.weighting)
                runs = fit_checked(estimator, data, block.seeds())
        except TimeoutError:
            outcome |= {"status": "timeout", "error": f"no result within {block.time_limit:g} s"}
        except (RecocoError, ArithmeticError, ValueError) as error:
            outcome |= {"status": "failed", "error": f"{type(error).__name__}: {error}"}
        else:
            arrays = _arrays(runs)
    block.write(out, seconds, time.perf_counter() - began, arrays, **outcome)


def data_of(kind: type, dataset, weighting: str):
    """Return the input of a method: one matrix, all views, or graphs built from them."""
    if hasattr(kind, "graphs_of"):
        return kind.graphs_of(dataset, weighting)
    if kind.views == "many":
        return [weight(view, weighting) for view in dataset.views]
    return weight(dataset.X, weighting)


def _build(kind: type, method: str, params: dict, n_classes: int):
    try:
        return kind(**{"n_clusters": n_classes, **params})
    except TypeError as error:
        raise RecocoError(
            f"Method {method!r} does not take these parameters ({error}): "
            "correct config/methods.yaml or the paper's file."
        ) from None


def _arrays(runs) -> dict[str, np.ndarray]:
    rows, columns = canonical_pair(runs.row_labels, runs.column_labels)
    arrays = {
        "row_labels": _small(rows),
        "criterion": np.asarray(runs.criterion, dtype=np.float64),
        "n_iter": np.asarray(runs.n_iter, dtype=np.int32),
    }
    if columns is not None:
        arrays["column_labels"] = _small(columns)
    for name, values in runs.details.items():
        arrays[f"detail_{name}"] = values
    return arrays


def canonical_pair(row_labels, column_labels):
    """Renumber the clusters of each run by first appearance, rows first.

    Label numbers carry no meaning and may differ between processors for one seed; co-cluster
    k of the rows stays co-cluster k of the columns.
    """
    rows = np.array(row_labels, dtype=np.int64)
    columns = None if column_labels is None else np.array(column_labels, dtype=np.int64)
    for r in range(len(rows)):
        both = rows[r] if columns is None else np.concatenate([rows[r], columns[r]])
        values, first = np.unique(both, return_index=True)
        number = np.empty(values.max() + 1, dtype=np.int64)
        number[values[np.argsort(first)]] = np.arange(len(values))
        rows[r] = number[rows[r]]
        if columns is not None:
            columns[r] = number[columns[r]]
    return rows, columns


def _small(labels: np.ndarray) -> np.ndarray:
    return labels.astype(np.uint8 if labels.max(initial=0) < 256 else np.int32)


@contextlib.contextmanager
def timeout(seconds: float):
    """Raise TimeoutError after ``seconds``, as soon as Python code runs again."""

    def give_up(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
