"""Speed of TSPLBM per start against a dense n x n x v version, and a large graph in full.

The dense version keeps all graphs in one array and multiplies it with the posteriors in each
step. It starts from the same labels, takes the same number of steps and must reach the same
criterion. :func:`measure` returns the figures, :func:`markdown` a table of them.
"""

import json
import subprocess
import sys
import time

import numpy as np
from scipy import sparse

from benchmarks.timing import Target, environment
from recoco.core.errors import RecocoError
from recoco.datasets.similarity_graphs import Cooccurrence, similarity_graphs
from recoco.methods.base import start_generator
from recoco.methods.tsplbm import TSPLBM

STARTS = 30
PAPERS = 2000  # of dblp4area, for the comparison
LARGE = (28_569, (13_575, 28_702), (229_187, 74_632))  # papers, features and entries by view


def measure(repetitions: int) -> dict:
    """Measure; times are the best of the repetitions, in seconds of one thread."""
    import numba
    from threadpoolctl import threadpool_limits

    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    results = {"starts": STARTS, "repetitions": repetitions}
    try:
        with threadpool_limits(1):
            for name, case in (("bbc4", _bbc4), ("dblp4area", _some_papers)):
                graphs, g, data = case()
                results[name] = {"data": data, **_compare(graphs, g, repetitions)}
    finally:
        numba.set_num_threads(threads)
    results["whole"] = _measure_whole()
    return results


def targets(results: dict) -> list[Target]:
    return [
        Target(
            "TSPLBM per start",
            f"dense NumPy, {results[name]['data']}",
            results[name]["dense_over_sparse"],
            20,
            note=f"criteria differ by {results[name]['criterion_difference']:.0e}",
        )
        for name in ("bbc4", "dblp4area")
    ]


def markdown(results: dict) -> str:
    """The figures as a table."""
    lines = [
        "## TSPLBM",
        "",
        f"Time per start, {results['starts']} starts together, one thread; the dense version "
        "holds n x n x v numbers.",
        "",
        "| data | nodes | graphs | ours, ms | dense, ms | ratio | difference of the criterion |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in ("bbc4", "dblp4area"):
        r = results[name]
        lines.append(
            f"| {r['data']} | {r['nodes']} | {r['graphs']} | {1e3 * r['sparse']:.2f} | "
            f"{1e3 * r['dense']:.1f} | {r['dense_over_sparse']:.0f} | "
            f"{r['criterion_difference']:.0e} |"
        )
    whole = results["whole"]
    lines += [
        "",
        f"{whole['data']}, {whole['nodes']} nodes: {whole['starts']} starts in "
        f"{whole['seconds']:.1f} s on {whole['threads']} threads, "
        f"{whole['peak_gib']:.2f} GiB at most.",
        "",
    ]
    return "\n".join(lines)


def _compare(graphs, g: int, repetitions: int) -> dict:
    model = TSPLBM(g)
    seeds = range(STARTS)
    runs = model.fit_runs(graphs, seeds)  # compiled
    sparse_time = dense_time = np.inf
    for _ in range(repetitions):
        begin = time.thread_time()
        runs = model.fit_runs(graphs, seeds)
        sparse_time = min(sparse_time, (time.thread_time() - begin) / STARTS)
    X = np.stack([_formed(graph).toarray() for graph in graphs], axis=2)
    few = range(2)
    # a start that takes as many steps as most, so that a dense one is not lucky
    for _ in range(repetitions):
        begin = time.thread_time()
        values = [dense(X, g, seed, int(runs.n_iter[seed])) for seed in few]
        spent = time.thread_time() - begin
        steps = sum(int(runs.n_iter[seed]) for seed in few)
        dense_time = min(dense_time, spent / steps * float(runs.n_iter.mean()))
    apart = max(abs(values[seed] / runs.criterion[seed] - 1.0) for seed in few)
    return {
        "nodes": graphs[0].shape[0],
        "graphs": len(graphs),
        "sparse": sparse_time,
        "dense": dense_time,
        "dense_over_sparse": dense_time / sparse_time,
        "criterion_difference": float(apart),
    }


def _formed(graph) -> sparse.csr_matrix:
    return graph.matrix() if isinstance(graph, Cooccurrence) else graph


def dense(X: np.ndarray, g: int, seed: int, steps: int) -> float:
    """Algorithm 1 with the derived E-step on an array (n, n, v); returns the criterion."""
    n = len(X)
    degree = X.sum(axis=1)
    total = degree.sum(axis=0)
    Z = np.eye(g)[start_generator(seed, 0).integers(g, size=n)]

    def state(Z):
        gathered = np.tensordot(X, Z, axes=([1], [0]))  # (n, v, g)
        inside = np.einsum("ik,ivk->vk", Z, gathered)
        mass = degree.T @ Z
        own = inside / mass**2
        outside = total - inside.sum(axis=1)
        other = outside / (total**2 - (mass**2).sum(axis=1))
        pi = Z.mean(axis=0)
        value = n * pi @ np.log(pi) - np.sum(Z * np.log(np.where(Z > 0, Z, 1.0)))
        value += 0.5 * ((inside * np.log(own)).sum() + outside @ np.log(other) - total.sum())
        return value, (gathered, np.log(own / other[:, None]), mass * (own - other[:, None]), pi)

    value, (gathered, ratio, pull, pi) = state(Z)
    for _ in range(steps):
        scores = np.log(pi) + np.einsum("ivk,vk->ik", gathered, ratio) - degree @ pull
        new = np.exp(scores - scores.max(axis=1, keepdims=True))
        new /= new.sum(axis=1, keepdims=True)
        reached, parts = state(new)
        while reached < value - 1e-13 * abs(value):
            new = (new + Z) / 2
            reached, parts = state(new)
        Z, value, (gathered, ratio, pull, pi) = new, reached, parts
    return float(value)


def _bbc4():
    """The views of bbc4 as graphs, or views of its number and density."""
    from recoco.datasets import load_dataset

    try:
        data = load_dataset("bbc4")
        return similarity_graphs(data.views), data.n_classes, "bbc4"
    except RecocoError:
        rng = np.random.Generator(np.random.PCG64(1))
        views = [_random_views(rng, 685, (4660,), (37_500,), 5)[0] for _ in range(4)]
        return similarity_graphs(views), 5, "random views like those of bbc4"


def _papers():
    """Titles and authors of dblp4area, or features of their number and density."""
    from recoco.datasets import load_dataset

    try:
        return load_dataset("dblp4area").views, "dblp4area"
    except RecocoError:
        rng = np.random.Generator(np.random.PCG64(2))
        return _random_views(rng, *LARGE, 4), "random features like those of dblp4area"


def _random_views(rng, n: int, widths, entries, g: int) -> list[sparse.csr_matrix]:
    """Views whose objects prefer a g-th of the features; every object has some."""
    views = []
    for width, number in zip(widths, entries, strict=True):
        rows = np.append(rng.integers(n, size=max(number - n, 0)), np.arange(n))
        columns = rng.integers(width, size=rows.size)
        near = rng.random(rows.size) < 0.5
        columns[near] -= (columns[near] - rows[near]) % g
        columns = np.maximum(columns, 0)
        view = sparse.csr_matrix((np.ones(rows.size), (rows, columns)), shape=(n, width))
        view.data[:] = 1.0
        views.append(view)
    return views


def _described(views) -> np.ndarray:
    """Objects that have something in every view."""
    return np.flatnonzero(np.all([np.diff(view.indptr) > 0 for view in views], axis=0))


def _some_papers():
    views, data = _papers()
    rows = _described(views)[:PAPERS]
    return [Cooccurrence(view[rows]) for view in views], 4, f"{data}, {rows.size} papers"


def _whole() -> dict:
    """Starts on all papers that share a feature with some paper, with all threads."""
    import numba

    views, data = _papers()
    rows = np.flatnonzero(np.sum([np.diff(view.indptr) for view in views], axis=0) > 0)
    graphs = [Cooccurrence(view[rows]) for view in views]
    TSPLBM(4, max_iter=2).fit_runs(graphs, [0])  # compiled
    begin = time.perf_counter()
    runs = TSPLBM(4).fit_runs(graphs, range(STARTS))
    return {
        "data": data,
        "nodes": int(rows.size),
        "starts": STARTS,
        "seconds": time.perf_counter() - begin,
        "iterations": int(runs.n_iter.sum()),
        "threads": numba.get_num_threads(),
        "peak_gib": _peak(),
    }


def _peak() -> float:
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 2**30 if sys.platform == "darwin" else used / 2**20


def _measure_whole() -> dict:
    """The same in a process of its own, so that its peak of memory is its own."""
    command = "import json; from benchmarks import tsplbm as b; print(json.dumps(b._whole()))"
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, env=environment()
    )
    if done.returncode:
        raise RecocoError(f"The run on all papers failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])
