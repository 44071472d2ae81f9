"""Speed of spherical k-means against scikit-learn's KMeans on the same unit rows and starts.

scikit-learn's centres are means, not directions, so the two do not end in the same partition;
both are judged by the inertia of KMeans, the sum of squared distances to the means of clusters.
"""

import time

import numpy as np
from scipy import sparse

from benchmarks.timing import Target
from recoco.core.errors import RecocoError

STARTS = 4
CLUSTERS = 20
SHAPE, NONZEROS = (18846, 26214), 1_687_590  # NG20


def measure(repetitions: int) -> dict:
    """Time both in turn, with one and with two threads; the best time of each counts.

    Returns
    -------
    dict with ``seconds_per_start`` (by program and threads), ``sklearn_over_recoco`` (by
    threads), ``largest_inertia_excess`` (share of scikit-learn's inertia by which that of
    recoco is larger, over the starts), ``labels_equal`` (for one and two threads)
    """
    import numba
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    from recoco.methods import spherical
    from recoco.methods.base import check_matrix, start_generator

    X, data = _matrix()
    problem = spherical._problem(check_matrix(X), "rows")
    rows = problem.rows
    before = numba.get_num_threads()
    counts = [1, 2] if numba.config.NUMBA_NUM_THREADS > 1 else [1]

    def ours(threads):
        numba.set_num_threads(threads)
        generators = [start_generator(b, 0) for b in range(STARTS)]
        return spherical._cluster(
            problem, generators, None, CLUSTERS, spherical.MAX_ITER, spherical.TOL, "rows"
        )

    def theirs(threads):
        found = []
        with threadpool_limits(threads):
            for b in range(STARTS):
                chosen = start_generator(b, 0).choice(rows.shape[0], CLUSTERS, replace=False)
                model = KMeans(
                    CLUSTERS,
                    init=rows[chosen].toarray(),
                    n_init=1,
                    max_iter=spherical.MAX_ITER,
                    algorithm="lloyd",
                )
                found.append(model.fit(rows))
        return found

    seconds = {(name, t): np.inf for name in ("recoco", "sklearn") for t in counts}
    labels = []
    try:
        for threads in counts:  # compiled code does not count
            ours(threads)
        for _ in range(repetitions):
            for threads in counts:
                spent, found = _timed(lambda t=threads: ours(t), threads)
                seconds["recoco", threads] = min(seconds["recoco", threads], spent)
                labels.append(found.row_labels.tobytes())
                spent, models = _timed(lambda t=threads: theirs(t), threads)
                seconds["sklearn", threads] = min(seconds["sklearn", threads], spent)
    finally:
        numba.set_num_threads(before)
    inertias = [_inertia(rows, z) for z in found.row_labels]
    excess = [a / model.inertia_ - 1.0 for a, model in zip(inertias, models, strict=True)]
    return {
        "data": data,
        "repetitions": repetitions,
        "starts": STARTS,
        "clusters": CLUSTERS,
        "iterations_per_start": {
            "recoco": float(found.n_iter.mean()),
            "sklearn": float(np.mean([model.n_iter_ for model in models])),
        },
        "seconds_per_start": {
            name: {str(t): seconds[name, t] / STARTS for t in counts}
            for name in ("recoco", "sklearn")
        },
        "sklearn_over_recoco": {
            str(t): seconds["sklearn", t] / seconds["recoco", t] for t in counts
        },
        "largest_inertia_excess": float(max(excess)),
        "mean_inertia_excess": float(np.mean(excess)),
        "mean_cosine_excess": _cosine_excess(rows, found.row_labels, models),
        "labels_equal": len(set(labels)) == 1,
    }


def targets(results: dict) -> list[Target]:
    bounds = {"1": 3, "2": 5}
    return [
        Target(
            f"spherical k-means, {threads} core{'s' * (threads != '1')}",
            "scikit-learn KMeans on unit rows, NG20",
            ratio,
            bounds[threads],
            note=f"inertia {100 * results['mean_inertia_excess']:+.2f} % on average, sum of "
            f"cosines {100 * results['mean_cosine_excess']:+.2f} %",
        )
        for threads, ratio in results["sklearn_over_recoco"].items()
    ]


def markdown(results: dict) -> str:
    """The results as a table."""
    spent, steps = results["seconds_per_start"], results["iterations_per_start"]
    same = "the same labels" if results["labels_equal"] else "NOT the same labels"
    lines = [
        "## Spherical k-means",
        "",
        f"{results['data']}; scikit-learn's KMeans over ours on the same unit rows and starts, "
        f"{results['clusters']} clusters, {steps['sklearn']:.0f} and {steps['recoco']:.0f} "
        f"iterations per start; inertia at most {100 * results['largest_inertia_excess']:.2f} % "
        f"larger, {100 * results['mean_inertia_excess']:+.2f} % on average, and the sum of "
        f"cosines, which ours maximises, {100 * results['mean_cosine_excess']:+.2f} %; {same} for "
        "any number of threads.",
        "",
        "| threads | ratio | what it says |",
        "|---|---:|---|",
        *(
            f"| {threads} | {ratio:.1f} | a start takes {1e3 * spent['sklearn'][threads]:.0f} ms "
            f"against {1e3 * spent['recoco'][threads]:.0f} ms |"
            for threads, ratio in results["sklearn_over_recoco"].items()
        ),
    ]
    return "\n".join(lines) + "\n"


def _timed(function, threads):
    # the time of the thread itself where there is one: other programs do not count then
    clock = time.thread_time if threads == 1 else time.perf_counter
    begin = clock()
    value = function()
    return clock() - begin, value


def _inertia(rows, labels) -> float:
    """Sum of squared distances of unit rows to the means of their clusters."""
    sums, sizes = _sums(rows, labels), np.bincount(labels, minlength=CLUSTERS)
    return rows.shape[0] - float(((sums**2).sum(axis=1) / np.maximum(sizes, 1)).sum())


def _cosine_excess(rows, ours, models) -> float:
    """Share by which our sum of cosines to the centroids is larger, on average over the starts."""
    shares = [
        _cosines(rows, labels) / _cosines(rows, model.labels_) - 1.0
        for labels, model in zip(ours, models, strict=True)
    ]
    return float(np.mean(shares))


def _cosines(rows, labels) -> float:
    return float(np.sqrt((_sums(rows, labels) ** 2).sum(axis=1)).sum())


def _sums(rows, labels) -> np.ndarray:
    n = rows.shape[0]
    Z = sparse.csr_matrix((np.ones(n), labels, np.arange(n + 1)), shape=(n, CLUSTERS))
    return (Z.T @ rows).toarray()


def _matrix():
    """NG20 with tf-idf weights, or a planted matrix of its shape and density."""
    from recoco.datasets import load_dataset
    from recoco.datasets.weighting import weight

    try:
        return weight(load_dataset("ng20").X, "tfidf-l2"), "NG20, tfidf-l2"
    except RecocoError:
        pass
    rng = np.random.Generator(np.random.PCG64(0))
    n, d = SHAPE
    row = np.r_[np.arange(n), rng.integers(n, size=NONZEROS - n)]
    # few columns are frequent, most are rare, and half of the entries tell the cluster
    column = np.minimum(d - 1, (d * rng.random(NONZEROS) ** 3).astype(np.int64))
    told = rng.random(NONZEROS) < 0.5
    column = np.where(told, column - column % CLUSTERS + row % CLUSTERS, column)
    X = sparse.csr_matrix((np.ones(NONZEROS), (row, np.minimum(column, d - 1))), shape=SHAPE)
    return weight(X, "tfidf-l2"), "planted matrix of the shape and density of NG20, tfidf-l2"
