"""Run a block: the runs ``start..stop`` of one setting, every one with its own seed."""

import contextlib
import json
import signal
import time
from pathlib import Path

import numpy as np

from recoco.datasets.dataset import load_prepared
from recoco.errors import RecocoError
from recoco.methods.loading import load_class
from recoco.seeds import seeds_of_runs
from recoco.store import write_arrays, write_json
from recoco.weighting import weight


def run_block(
    prepared: Path,
    out: Path,
    seconds: Path,
    *,
    identity: str,
    method: str,
    place: str,
    params: dict,
    weighting: str,
    start: int,
    stop: int,
    master_seed: int,
    time_limit: float,
) -> None:
    """Compute the runs of a block and write labels, criterion and iterations of each.

    A method that fails or takes too long is a result too: the block then says so, and the
    cells that stand on it carry the reason. A mistake in the configuration is none: it raises.
    """
    kind = load_class(place)
    shared = getattr(kind, "shared_starts", False)
    seeds = seeds_of_runs(master_seed, identity, range(start, stop), shared)
    record = {
        "identity": identity,
        "method": method,
        "params": params,
        "weighting": weighting,
        "status": "ok",
        "error": "",
        "seeds": [f"{seed:032x}" for seed in seeds],
    }
    began = time.perf_counter()
    arrays = {"run": np.arange(start, stop, dtype=np.int32)}
    try:
        dataset = load_prepared(prepared)
    except RecocoError as error:
        record.update(status="unreachable", error=str(error))
    else:
        estimator = _build(kind, method, params, dataset.n_classes)
        record["n_clusters"] = getattr(estimator, "expected_clusters", estimator.n_clusters)
        record["rows"] = len(dataset.labels)
        try:
            with _limit(time_limit):
                runs = estimator.fit_runs(data_of(kind, dataset, weighting), seeds)
        except TimeoutError:
            record.update(status="timeout", error=f"no result within {time_limit:g} s")
        except (RecocoError, ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
            record.update(status="failed", error=f"{type(error).__name__}: {error}")
        else:
            arrays.update(_arrays(runs))
    arrays["record"] = np.array(json.dumps(record, sort_keys=True))
    write_arrays(out, arrays)
    write_json(
        seconds,
        {"identity": identity, "runs": stop - start, "seconds": time.perf_counter() - began},
    )


def data_of(kind: type, dataset, weighting: str):
    """Return what a method is given: one matrix, all views, or the graphs it makes of them."""
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
def _limit(seconds: float):
    """Raise TimeoutError after ``seconds``, at the next moment Python has the word."""

    def give_up(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
