"""Speed and memory of CoClus against the dense textbook version.

What is compared is run in turn, several times, with warm kernels and one thread unless said
otherwise; the best time of each counts.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.timing import Target, environment, svg
from recoco.core.errors import RecocoError

STARTS = 20
CLUSTERS = 4
SHAPE, NONZEROS = (7094, 5896), 247_158  # CLASSIC4


def measure(repetitions: int) -> dict:
    """Measure everything; see :func:`markdown` for what the numbers are."""
    import numba
    from threadpoolctl import threadpool_limits

    from recoco.methods.base import check_matrix, start_generator
    from recoco.methods.coclus import CoClus

    X, data = _matrix()
    A = check_matrix(X)
    problem = CoClus(CLUSTERS)._prepare(A)
    starts = [start_generator(s, 0).integers(CLUSTERS, size=A.shape[1]) for s in range(STARTS)]
    csr_bytes = A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
    threads = numba.config.NUMBA_NUM_THREADS
    numba.set_num_threads(1)
    with threadpool_limits(1):
        timed = _time_starts(problem, starts, repetitions)
        bandwidth = _bandwidth(repetitions)
    batched, single, dense = timed["batched"], timed["single"], timed["dense"]
    bound = 2 * csr_bytes / bandwidth
    iterations = timed["iterations"]
    results = {
        "data": data,
        "repetitions": repetitions,
        "starts": STARTS,
        "clusters": CLUSTERS,
        "iterations_per_start": iterations / STARTS,
        "milliseconds_per_start": {
            "dense": 1e3 * dense * iterations / STARTS,
            "one_by_one": 1e3 * single / STARTS,
            "batched": 1e3 * batched / STARTS,
        },
        "dense_over_batched": dense * iterations / batched,
        "dense_over_one_by_one": dense * iterations / single,
        "one_by_one_over_batched": single / batched,
        "labels_sha256": {"batched": timed["batched_sha"], "one_by_one": timed["single_sha"]},
        "labels_equal": timed["batched_sha"] == timed["single_sha"],
        "rows_labelled_as_by_dense": timed["agreement"],
        "csr_bytes": csr_bytes,
        "dense_bytes": 8 * A.shape[0] * A.shape[1],
        "arrays_over_csr": _array_bytes(problem, STARTS) / csr_bytes,
        "peak_over_csr": _peak_memory(A) / csr_bytes,
        "read_gigabytes_per_second": bandwidth / 1e9,
        "iteration_over_reading": batched / iterations / bound,
        "threads": _time_threads(problem, starts, repetitions, threads),
    }
    return results


def _matrix():
    """CLASSIC4 with tf-idf weights, or a planted matrix of its shape and density."""
    from recoco.datasets import load_dataset
    from recoco.datasets.weighting import weight

    try:
        return weight(load_dataset("classic4").X, "tfidf-l2"), "CLASSIC4, tfidf-l2"
    except RecocoError:
        pass
    rng = np.random.Generator(np.random.PCG64(0))
    rows = rng.integers(SHAPE[0], size=NONZEROS)
    columns = rng.integers(SHAPE[1], size=NONZEROS)
    # three quarters of the entries lie in the diagonal blocks (residues modulo the clusters)
    inside = rng.random(NONZEROS) < 0.75
    columns = np.where(inside, columns - columns % CLUSTERS + rows % CLUSTERS, columns)
    columns = np.minimum(columns, SHAPE[1] - 1)
    X = sparse.csr_matrix((np.ones(NONZEROS), (rows, columns)), shape=SHAPE)
    return weight(X, "tfidf-l2"), "planted matrix of the shape and density of CLASSIC4, tfidf-l2"


def _timed(function, clock=time.thread_time):
    begin = clock()
    value = function()
    return clock() - begin, value


def _dense_coclus(B, labels, iterations):
    """Algorithm 1 as in a textbook: products with the dense n x d modularity matrix."""
    for _ in range(iterations):
        Z = np.eye(CLUSTERS)[(B @ np.eye(CLUSTERS)[labels]).argmax(axis=1)]
        scores = B.T @ Z
        labels = scores.argmax(axis=1)
        scores[np.arange(labels.size), labels].sum()  # a_.. Q
    return Z.argmax(axis=1)


def _digest(parts) -> str:
    return hashlib.sha256(
        b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    ).hexdigest()


def _time_starts(problem, starts, repetitions) -> dict:
    """Best seconds of all starts together, of all one by one, of one dense iteration."""
    from recoco.methods.coclus import _maximise

    def run(batch):
        return _maximise(problem, batch, CLUSTERS, max_iter=100, tol=1e-9)

    run(starts[:2])
    A = problem.by_row
    B = A.toarray()
    B -= np.outer(problem.row_degree, problem.column_degree / problem.total)
    best = {"batched": np.inf, "single": np.inf, "dense": np.inf}
    for repetition in range(repetitions):
        seconds, together = _timed(lambda: run(starts))
        best["batched"] = min(best["batched"], seconds)
        seconds, alone = _timed(lambda: [run([start]) for start in starts])
        best["single"] = min(best["single"], seconds)
        # a dense start takes seconds: one per repetition, of which the best iteration counts
        chosen = repetition % len(starts)
        iterations = int(together.n_iter[chosen])
        seconds, labels = _timed(lambda c=chosen, i=iterations: _dense_coclus(B, starts[c], i))
        best["dense"] = min(best["dense"], seconds / iterations)
        best["agreement"] = min(
            best.get("agreement", 1.0), float((labels == together.row_labels[chosen]).mean())
        )
    best["iterations"] = int(together.n_iter.sum())
    best["batched_sha"] = _digest([together.row_labels, together.column_labels])
    best["single_sha"] = _digest(
        [one.row_labels for one in alone] + [one.column_labels for one in alone]
    )
    return best


def _time_threads(problem, starts, repetitions, most) -> dict:
    """Best wall seconds of all starts together with one and with two threads."""
    import numba

    from recoco.methods.coclus import _maximise

    if most < 2:
        return {"measured": False, "reason": "numba has one thread here"}
    best, digests = {1: np.inf, 2: np.inf}, set()
    for _ in range(repetitions + 1):  # the first warms the parallel kernel
        for threads in best:
            numba.set_num_threads(threads)
            seconds, found = _timed(
                lambda: _maximise(problem, starts, CLUSTERS, max_iter=100, tol=1e-9),
                time.perf_counter,
            )
            best[threads] = min(best[threads], seconds)
            digests.add(_digest([found.row_labels, found.column_labels]))
    numba.set_num_threads(1)
    return {"measured": True, "one_over_two": best[1] / best[2], "labels_equal": len(digests) == 1}


def _bandwidth(repetitions: int) -> float:
    """Bytes per second of reading an array far larger than the caches, one thread."""
    from benchmarks.streaming import read_all

    array = np.arange(2**25, dtype=np.int64)  # 256 MB
    read_all(array[:8])
    return array.nbytes / min(_timed(lambda: read_all(array))[0] for _ in range(repetitions))


def _array_bytes(problem, B: int) -> int:
    """Bytes of the arrays a batch of starts needs besides the given matrix."""
    from recoco.kernels.modularity import CHUNK

    At = problem.by_column
    n, d = problem.by_row.shape
    transpose = At.data.nbytes + At.indices.nbytes + At.indptr.nbytes
    margins = 8 * (n + d)
    slots = 2 * B * (n + d)
    found = 2 * B * (n + d)
    chunks = (max(n, d) // CHUNK + 1) * B * 8 * (CLUSTERS + 2)
    kept_sums = 8 * CLUSTERS * (n + d)
    return transpose + margins + slots + found + chunks + kept_sums


def _peak_memory(A) -> int:
    """Growth of a fresh process's peak memory while it fits the starts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.npz"
        call = f"from benchmarks.coclus import _probe; _probe({str(path)!r})"
        sparse.save_npz(path, A, compressed=False)
        done = subprocess.run(
            [sys.executable, "-c", call],
            capture_output=True,
            text=True,
            check=True,
            env=environment(NUMBA_NUM_THREADS="1"),  # a thread pool is not the method's
        )
    return json.loads(done.stdout)


def _probe(path: str) -> None:
    """Print the growth of the peak memory of this process during the fit, in bytes."""
    import resource

    from recoco.methods.coclus import CoClus

    A = sparse.load_npz(path)
    model = CoClus(CLUSTERS, n_init=STARTS)
    model.fit_runs(A[:64], [0], batch_size=STARTS)  # compiled code and buffers do not count
    status = Path("/proc/self/status")
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    except OSError:
        status = None

    def peak(field):
        if status is None or not status.is_file():
            scale = 1 if sys.platform == "darwin" else 1024
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines[field].split()[0]) * 1024

    before = peak("VmRSS")
    model.fit_runs(A, [0], batch_size=STARTS)
    print(max(0, peak("VmHWM") - before))


def targets(results: dict) -> list[Target]:
    alike = 100 * results["rows_labelled_as_by_dense"]
    return [
        Target(
            "CoClus per start",
            "dense textbook version, CLASSIC4",
            results["dense_over_batched"],
            300,
            note=f"{alike:.2f} % of rows labelled alike",
        )
    ]


def markdown(results: dict) -> str:
    """The results as a table with a sentence for each line."""
    spent = results["milliseconds_per_start"]
    threads = results["threads"]
    same = "the same labels" if results["labels_equal"] else "NOT the same labels"
    rows = [
        (
            "dense textbook / batched",
            f"{results['dense_over_batched']:.0f}",
            f"time per start: {spent['dense']:.0f} ms against {spent['batched']:.2f} ms; "
            f"{100 * results['rows_labelled_as_by_dense']:.2f} % of rows labelled alike",
        ),
        (
            "one by one / batched",
            f"{results['one_by_one_over_batched']:.2f}",
            f"time per start: {spent['one_by_one']:.2f} ms against {spent['batched']:.2f} ms; "
            f"{same} (sha256 {results['labels_sha256']['batched'][:12]})",
        ),
        (
            "dense textbook / one by one",
            f"{results['dense_over_one_by_one']:.0f}",
            "what sparsity alone gives",
        ),
        (
            "peak memory / matrix",
            f"{results['peak_over_csr']:.2f}",
            f"growth of a fresh process during the fit over {results['csr_bytes'] / 1e6:.1f} MB "
            f"of CSR; its arrays count {results['arrays_over_csr']:.2f}; the dense matrix alone "
            f"would be {results['dense_bytes'] / results['csr_bytes']:.0f}",
        ),
        (
            "iteration of a start / reading the matrix",
            f"{results['iteration_over_reading']:.2f}",
            "below 1: faster than reading A and its transpose from memory once per start "
            f"({results['read_gigabytes_per_second']:.1f} GB/s)",
        ),
        (
            "one thread / two threads",
            f"{threads['one_over_two']:.2f}" if threads["measured"] else "not measured",
            ("the same labels" if threads["labels_equal"] else "NOT the same labels")
            if threads["measured"]
            else threads["reason"],
        ),
    ]
    lines = [
        "## CoClus",
        "",
        f"{results['data']}; {results['starts']} starts of {results['clusters']} clusters, "
        f"{results['iterations_per_start']:.1f} iterations each; best of "
        f"{results['repetitions']} interleaved repetitions on one thread.",
        "",
        "| ratio | value | what it says |",
        "|---|---:|---|",
        *(f"| {name} | {value} | {text} |" for name, value, text in rows),
    ]
    return "\n".join(lines) + "\n"


def chart(results: dict, path: Path) -> None:
    """Bars of the time per start, on a logarithmic axis."""
    spent = results["milliseconds_per_start"]
    names = ["dense textbook", "one by one", f"{results['starts']} batched"]
    values = [spent["dense"], spent["one_by_one"], spent["batched"]]
    with svg(path, (7, 2.2)) as axes:
        bars = axes.barh(names, values, color=["#b0b7c3", "#7a9cc6", "#1f5fa8"])
        axes.bar_label(bars, [f"{value:.3g} ms" for value in values], padding=4)
        axes.set_xscale("log")
        axes.set_xlim(right=values[0] * 6)
        axes.invert_yaxis()
        axes.set_xlabel(f"milliseconds per start ({results['data']})")
