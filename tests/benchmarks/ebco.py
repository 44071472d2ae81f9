"""Speed of DCC and CROINFO against dense textbook versions, and memory of a full EBCO run.

:func:`measure` returns the figures, :func:`table_rows` a line of text for each.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.timing import Target, environment
from recoco.core.errors import RecocoError

STARTS = 20
CLUSTERS = 4
SHAPE, NONZEROS = (7094, 5896), 247_158  # CLASSIC4
ENSEMBLE_SHAPE, ENSEMBLE_NONZEROS, ENSEMBLE_CLUSTERS = (6279, 31472), 945_000, 6  # LA12


def measure(repetitions: int) -> dict:
    """Measure everything; see :func:`table_rows` for what the numbers are."""
    import numba
    from threadpoolctl import threadpool_limits

    from recoco.methods.base import check_matrix

    X, data = _matrix("classic4", SHAPE, NONZEROS, CLUSTERS)
    A = check_matrix(X)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            results = {
                "dcc": _time_dcc(A, repetitions),
                "croinfo": _time_croinfo(A, repetitions),
            }
    finally:
        numba.set_num_threads(threads)
    return {
        "data": data,
        "starts": STARTS,
        "clusters": CLUSTERS,
        "repetitions": repetitions,
        **results,
        "ensemble": _measure_ensemble(),
    }


def targets(results: dict) -> list[Target]:
    return [
        Target(
            f"{title} per start",
            "dense textbook version, CLASSIC4",
            results[key]["dense_over_batched"],
            50,
            note=f"{100 * results[key]['rows_labelled_as_by_dense']:.2f} % of rows labelled alike",
        )
        for key, title in (("croinfo", "CROINFO"), ("dcc", "DCC"))
    ]


def table_rows(results: dict) -> list[tuple[str, str, str]]:
    """Name, value and meaning of each figure."""
    rows = []
    for key, title in (("dcc", "DCC"), ("croinfo", "CROINFO")):
        found = results[key]
        spent = found["milliseconds_per_start"]
        rows.append(
            (
                f"{title}: dense textbook / batched",
                f"{found['dense_over_batched']:.0f}",
                f"time per start: {spent['dense']:.0f} ms against {spent['batched']:.1f} ms "
                f"({spent['one_by_one']:.1f} ms one by one); "
                f"{100 * found['rows_labelled_as_by_dense']:.2f} % of rows labelled alike",
            )
        )
    ensemble = results["ensemble"]
    rows.append(
        (
            "EBCO: dense consensus matrix / peak memory",
            f"{ensemble['dense_bytes'] / ensemble['peak_bytes']:.1f}",
            f"a run of {ensemble['bases']} bases and 10 x 100 iterations on {ensemble['data']} "
            f"took {ensemble['seconds']:.0f} s; its process had at most "
            f"{ensemble['peak_bytes'] / 2**20:.0f} MiB, all included, while the dense matrix "
            f"alone would need {ensemble['dense_bytes'] / 2**20:.0f}",
        )
    )
    return rows


def markdown(results: dict) -> str:
    """The results as a table."""
    head = ["## DCC, CROINFO and EBCO", "", "| ratio | value | what it says |", "|---|---:|---|"]
    rows = [f"| {name} | {value} | {text} |" for name, value, text in table_rows(results)]
    return "\n".join([*head, *rows]) + "\n"


def _matrix(name, shape, nonzeros, g):
    """A dataset with tf-idf weights, or a planted matrix of its shape and density."""
    from recoco.datasets import load_dataset
    from recoco.datasets.weighting import weight

    try:
        return weight(load_dataset(name).X, "tfidf-l2"), f"{name.upper()}, tfidf-l2"
    except RecocoError:
        pass
    rng = np.random.Generator(np.random.PCG64(0))
    rows, columns = rng.integers(shape[0], size=nonzeros), rng.integers(shape[1], size=nonzeros)
    # three quarters of the entries lie in the diagonal blocks (residues modulo the clusters)
    inside = rng.random(nonzeros) < 0.75
    columns = np.where(inside, columns - columns % g + rows % g, columns)
    columns = np.minimum(columns, shape[1] - 1)
    X = sparse.csr_matrix((np.ones(nonzeros), (rows, columns)), shape=shape)
    return weight(X, "tfidf-l2"), f"planted matrix of the shape of {name.upper()}, tfidf-l2"


def _timed(function):
    begin = time.thread_time()
    value = function()
    return time.thread_time() - begin, value


def _time_starts(run, dense, repetitions) -> dict:
    """Best seconds of all starts together, of all one by one, and of a dense iteration.

    ``run(numbers)`` does some starts, ``dense(number, iterations)`` one of them densely.
    """
    run(range(2))
    best = {"batched": np.inf, "one_by_one": np.inf, "dense": np.inf}
    agreement = 1.0
    for repetition in range(repetitions):
        seconds, together = _timed(lambda: run(range(STARTS)))
        best["batched"] = min(best["batched"], seconds)
        seconds, _ = _timed(lambda: [run([b]) for b in range(STARTS)])
        best["one_by_one"] = min(best["one_by_one"], seconds)
        # a dense start takes seconds: one per repetition, of which the best counts
        chosen = repetition % STARTS
        iterations = int(together.n_iter[chosen])
        seconds, labels = _timed(lambda c=chosen, i=iterations: dense(c, i))
        best["dense"] = min(best["dense"], seconds / iterations)
        agreement = min(agreement, float((labels == together.row_labels[chosen]).mean()))
    iterations = int(together.n_iter.sum())
    dense_seconds = best["dense"] * iterations
    return {
        "iterations_per_start": iterations / STARTS,
        "milliseconds_per_start": {
            "dense": 1e3 * dense_seconds / STARTS,
            "one_by_one": 1e3 * best["one_by_one"] / STARTS,
            "batched": 1e3 * best["batched"] / STARTS,
        },
        "dense_over_batched": dense_seconds / best["batched"],
        "dense_over_one_by_one": dense_seconds / best["one_by_one"],
        "rows_labelled_as_by_dense": agreement,
    }


def _time_dcc(A, repetitions) -> dict:
    from recoco.methods.base import start_generator
    from recoco.methods.dcc import DCC

    model = DCC(CLUSTERS)
    problem = model._prepare(A)
    filled = problem.filled
    X = problem.by_row.toarray()
    n, d = X.shape

    def run(numbers):
        return model._run(problem, [start_generator(b, 0) for b in numbers], None)

    def dense(number, iterations):
        rng = start_generator(number, 0)
        seed = rng.integers(2**64, dtype=np.uint64)
        z, w = rng.integers(CLUSTERS, size=n), rng.integers(CLUSTERS, size=d)
        labels = np.zeros(A.shape[0], int)
        labels[filled.rows] = _dense_dcc(X, z, w, seed, iterations, model.stochastic)
        return labels

    return _time_starts(run, dense, repetitions)


def _dense_dcc(X, z, w, seed, iterations, stochastic):
    """DCC as in a textbook: products with the dense matrix of unit rows."""
    one_hot = np.eye(CLUSTERS)
    z_sizes, w_sizes = (np.bincount(v, minlength=CLUSTERS) for v in (z, w))
    for iteration in range(iterations):
        z = (X @ one_hot[w] / np.sqrt(w_sizes * z_sizes)).argmax(axis=1)
        z_sizes = np.bincount(z, minlength=CLUSTERS)
        inside = X.T @ one_hot[z]
        scores = inside / np.sqrt(z_sizes * w_sizes)
        if iteration < stochastic:
            limits = _uniforms(seed, iteration, len(w)) * scores.sum(axis=1)
            w = (np.cumsum(scores, axis=1) > limits[:, None]).argmax(axis=1)
        else:
            w = scores.argmax(axis=1)
        w_sizes = np.bincount(w, minlength=CLUSTERS)
        (inside[np.arange(len(w)), w] / np.sqrt(z_sizes * w_sizes)[w]).sum()  # the criterion
    return z


def _uniforms(seed, iteration, d):
    place = np.uint64(iteration) * np.uint64(d) + np.arange(1, d + 1, dtype=np.uint64)
    x = seed + place * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


def _time_croinfo(A, repetitions) -> dict:
    from recoco.methods.base import start_generator
    from recoco.methods.croinfo import CROINFO

    model = CROINFO(CLUSTERS)
    problem = model._prepare(A)
    P = problem.by_row.toarray()
    n, d = P.shape

    def run(numbers):
        return model._run(problem, [start_generator(b, 0) for b in numbers], None)

    def dense(number, iterations):
        rng = start_generator(number, 0)
        z, w = rng.integers(CLUSTERS, size=n), rng.integers(CLUSTERS, size=d)
        return _dense_croinfo(P, z, w, iterations)

    return _time_starts(run, dense, repetitions)


def _dense_croinfo(P, z, w, iterations):
    """CROINFO as in a textbook: products with the dense table of frequencies."""
    one_hot = np.eye(CLUSTERS)
    for _ in range(iterations):
        reduced = P @ one_hot[w]
        table = one_hot[z].T @ reduced
        z = (reduced @ _logs(table).T).argmax(axis=1)
        reduced = P.T @ one_hot[z]
        table = one_hot[w].T @ reduced
        w = (reduced @ _logs(table).T).argmax(axis=1)
        table = one_hot[w].T @ reduced
        (table * (_logs(table) - np.log(table.sum(axis=0)))).sum()  # the criterion
    return z


def _logs(table):
    share = table / table.sum(axis=1, keepdims=True)
    return np.log(share, out=np.full(share.shape, -1e300), where=share > 0)


def _measure_ensemble() -> dict:
    """Peak memory and seconds of a full run of EBCO in a process of its own."""
    X, data = _matrix("la12", ENSEMBLE_SHAPE, ENSEMBLE_NONZEROS, ENSEMBLE_CLUSTERS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.npz"
        sparse.save_npz(path, X, compressed=False)
        code = f"from benchmarks.ebco import _probe; _probe({str(path)!r}, {ENSEMBLE_CLUSTERS})"
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment(NUMBA_NUM_THREADS="1"),  # a thread pool is not the method's
        )
    return {"data": data, "dense_bytes": 8 * X.shape[0] * X.shape[1], **json.loads(done.stdout)}


def _probe(path: str, g: int) -> None:
    """Fit once in this process and print its peak memory, all included, as JSON."""
    import resource

    from recoco.methods.ebco import EBCO

    A = sparse.load_npz(path)
    begin = time.perf_counter()
    runs = EBCO(g).fit_runs(A, [0])
    seconds = time.perf_counter() - begin
    scale = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
    print(
        json.dumps({"seconds": seconds, "peak_bytes": peak, "bases": int(runs.details["bases"][0])})
    )
