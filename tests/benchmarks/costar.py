"""Speed of CoStar: against the direct version, and as views and objects are added.

The direct version has the contingency tables at hand, but computes tau anew from them for every
cluster an element could go to. It is given the same random numbers and must make the same moves.
"""

import time

import numpy as np

from recoco.core.errors import RecocoError
from recoco.datasets.boolean import uniform_views
from recoco.methods.costar import CoStar
from recoco.methods.costar_search import Search
from recoco.methods.multiview import check_views
from recoco.metrics.tau import tau_features, tau_objects

# of bbc4, for the comparison with the direct version
OBJECTS, FEATURES, ITERATIONS = 100, 200, 60
SYNTHETIC_FEATURES, DENSITY = 1000, 0.05  # of Section 5.3.5
VIEWS, OBJECT_NUMBERS = (2, 4, 6, 8, 10), (500, 1000, 2000, 4000)
FEW = 500  # objects while the views grow


def measure(repetitions: int) -> dict:
    """Measure; all times are the best of the repetitions, in seconds of one thread.

    Returns
    -------
    dict
        ``direct`` and ``incremental`` seconds per iteration on a subset and their ratio
        ``direct_over_incremental``, ``labels_equal``; ``run_seconds`` and ``run_iterations`` of
        a whole run on all data; ``views`` and ``objects``: what grows, seconds per iteration,
        and the slope of their logarithms (1 is linear).
    """
    views, data = _views()
    search = _search(views)
    search.advance(2, np.random.default_rng(0))  # compiled
    results = {"data": data, "repetitions": repetitions, **_against_direct(views, repetitions)}
    seconds = []
    for repetition in range(repetitions):
        begin = time.thread_time()
        runs = CoStar().fit_runs(views, [repetition])
        seconds.append(time.thread_time() - begin)
    results["run_seconds"], results["run_iterations"] = min(seconds), int(runs.n_iter[0])
    results["views"] = _growth(repetitions, [(FEW, number) for number in VIEWS], VIEWS)
    results["objects"] = _growth(repetitions, [(n, 2) for n in OBJECT_NUMBERS], OBJECT_NUMBERS)
    return results


def markdown(results: dict) -> str:
    """The results as a table."""
    same = "the same labels" if results["labels_equal"] else "NOT the same labels"
    rows = [
        (
            "tau computed for every candidate / incremental",
            f"{results['direct_over_incremental']:.0f}",
            f"time of an iteration on a subset; {same}",
        ),
        (
            "seconds of a run",
            f"{results['run_seconds']:.2f}",
            f"{results['run_iterations']} iterations on {results['data']}",
        ),
        *(
            (
                f"growth with the {what}",
                f"{results[what]['slope']:.2f}",
                f"log-log slope of the time of an iteration, {results[what]['numbers'][0]} to "
                f"{results[what]['numbers'][-1]} {what}; 1 is linear",
            )
            for what in ("views", "objects")
        ),
    ]
    head = ["## CoStar", "", "| what | value | what it says |", "|---|---:|---|"]
    return "\n".join([*head, *(f"| {a} | {b} | {c} |" for a, b, c in rows)]) + "\n"


def _views():
    """bbc4, or views of its number and density."""
    from recoco.datasets import load_dataset

    try:
        return load_dataset("bbc4").views, "bbc4"
    except RecocoError:
        return uniform_views(685, 4660, 4, 0.0117, seed=1), "four random views like those of bbc4"


def _search(views) -> Search:
    search = CoStar()._prepare(check_views(views)).search
    search.start()
    return search


def _subset(views) -> list:
    """The features with the most entries and the objects that have some in every view."""
    small = []
    for view in views:
        frequency = np.bincount(view.indices, minlength=view.shape[1])
        small.append(view[:, np.sort(np.argsort(-frequency, kind="stable")[:FEATURES])].tocsr())
    filled = np.all([np.diff(view.indptr) > 0 for view in small], axis=0)
    chosen = np.flatnonzero(filled)[:OBJECTS]
    return [view[chosen] for view in small]


def _against_direct(views, repetitions: int) -> dict:
    subset = _subset(views)
    shape = [subset[0].shape[0], *(view.shape[1] for view in subset)]
    uniforms = np.random.default_rng(0).random((ITERATIONS, len(subset) + 1, 2))
    best = {"direct": np.inf, "incremental": np.inf}
    for _ in range(repetitions):
        search = _search(subset)
        begin = time.thread_time()
        search.advance(ITERATIONS, _Given(uniforms))
        best["incremental"] = min(best["incremental"], (time.thread_time() - begin) / ITERATIONS)
        begin = time.thread_time()
        labels = _direct(subset, uniforms)
        best["direct"] = min(best["direct"], (time.thread_time() - begin) / ITERATIONS)
    rows, columns = search.labels()
    same = np.array_equal(rows, labels[0]) and np.array_equal(columns, np.concatenate(labels[1:]))
    return {
        "subset": shape,
        **best,
        "direct_over_incremental": best["direct"] / best["incremental"],
        "labels_equal": bool(same),
    }


class _Given:
    """Random numbers that were drawn before."""

    def __init__(self, uniforms):
        self.uniforms, self.used = uniforms, 0

    def random(self, shape):
        begin, self.used = self.used, self.used + shape[0]
        return self.uniforms[begin : self.used]


def _direct(views, uniforms) -> list[np.ndarray]:
    """Algorithms 1 to 5 with the tables at hand, but tau computed anew for every candidate."""
    parts = [np.arange(n) for n in (views[0].shape[0], *(view.shape[1] for view in views))]
    members = [[[i] for i in range(part.size)] for part in parts]
    tables = [view.toarray() for view in views]
    for numbers in uniforms:
        for which, (cluster, member) in enumerate(numbers):
            lists, labels = members[which], parts[which]
            b = int(cluster * len(lists))
            element = lists[b][int(member * len(lists[b]))]
            masses = _masses(views, parts, tables, which, element)
            e = _best(tables, which, masses, b, len(lists), len(lists[b]) == 1)
            if e == b:
                continue
            tables = _moved(tables, which, masses, b, e, len(lists[b]) == 1)
            lists[b][lists[b].index(element)] = lists[b][-1]
            lists[b].pop()
            lists.extend([[]] * (e == len(lists)))
            lists[e] = [*lists[e], element]
            labels[element] = e
            if not lists[b]:
                labels[lists[-1]] = b
                lists[b] = lists[-1]
                lists.pop()
    return parts


def _masses(views, parts, tables, which, element) -> dict[int, np.ndarray]:
    """What an element brings to each cluster on the other side, by view."""
    if which == 0:
        return {
            k: np.bincount(parts[k + 1], view[[element]].toarray()[0], tables[k].shape[1])
            for k, view in enumerate(views)
        }
    column = views[which - 1][:, [element]].toarray()[:, 0]
    return {which - 1: np.bincount(parts[0], column, tables[which - 1].shape[0])}


def _moved(tables, which, masses, b, e, alone) -> list[np.ndarray]:
    """The tables after a move; the last cluster takes the number of one that vanishes."""
    tables = list(tables)
    for k, mass in masses.items():
        T = tables[k].copy() if which == 0 else tables[k].T.copy()
        if e == len(T):
            T = np.vstack([T, np.zeros(T.shape[1])])
        T[b] -= mass
        T[e] += mass
        if alone:
            T[b] = T[-1]
            T = T[:-1]
        tables[k] = T if which == 0 else T.T
    return tables


def _best(tables, which, masses, b, clusters, alone) -> int:
    """The cluster an element is best put in; those that tie are met in their order, b first."""

    def own(tables):
        return tau_objects(tables) if which == 0 else tau_features(tables[which - 1])

    tie, choice, best = 1e-14, [b], own(tables)
    for e in range(clusters + 1):
        if e == b or (e == clusters and alone):
            continue
        tau = own(_moved(tables, which, masses, b, e, alone))
        if tau > best + tie:
            best, choice = tau, [e]
        elif tau >= best - tie:
            choice.append(e)
    others = {}
    for e in choice if len(choice) > 1 else ():
        moved = tables if e == b else _moved(tables, which, masses, b, e, alone)
        others[e] = [tau_features(T) for T in moved] if which == 0 else [tau_objects(moved)]
    winner = choice[0]
    for e in choice[1:]:
        pairs = list(zip(others[winner], others[e], strict=True))
        if sum(a > c + tie for a, c in pairs) < sum(c > a + tie for a, c in pairs):
            winner = e
    return winner


def _growth(repetitions: int, sizes, numbers) -> dict:
    """Seconds per iteration of whole runs on random Boolean views, and the slope."""
    seconds = []
    for objects, number in sizes:
        views = uniform_views(objects, SYNTHETIC_FEATURES, number, DENSITY, seed=2)
        model = CoStar()
        best = np.inf
        for repetition in range(repetitions):
            begin = time.thread_time()
            runs = model.fit_runs(views, [repetition])
            best = min(best, (time.thread_time() - begin) / int(runs.n_iter[0]))
        seconds.append(best)
    slope = float(np.polyfit(np.log(numbers), np.log(seconds), 1)[0])
    return {"numbers": list(numbers), "seconds_per_iteration": seconds, "slope": slope}
