"""Speed of CSPA, MCLA and HGPA against the same with scipy and NumPy.

The plain versions build the same graphs from the sparse matrix of objects and clusters, hand
them to the same library with the same seed, and so must find the same partition. What the
library takes to cut is the same on both sides; the graphs alone are told apart.
"""

from itertools import pairwise

import numpy as np
from scipy import sparse

from benchmarks.timing import Target, in_turn, threads

OBJECTS, PARTITIONS, CLUSTERS = 12_000, 20, 10
NOISE = 0.3  # share of the objects that a partition places at random
ROWS_AT_ONCE = 500  # of the n x n matrix of similarities
TITLES = {"cspa": "CSPA", "mcla": "MCLA", "hgpa": "HGPA"}


def measure(repetitions: int) -> dict:
    """Time both in turn on one thread.

    Returns
    -------
    dict by method: seconds of the whole and of the graph alone, their ratios, and whether the
    two partitions are the same
    """
    from recoco.consensus import graphs

    partitions = _partitions()
    few = partitions[:3, :60]
    ours = {name: getattr(graphs, name) for name in TITLES}
    builds = {
        "cspa": (_our_similarities, _plain_similarities),
        "mcla": (_our_overlaps, _plain_overlaps),
        "hgpa": (_our_members, _plain_members),
    }
    plain = {"cspa": _plain_cspa, "mcla": _plain_mcla, "hgpa": _plain_hgpa}
    results = {"objects": OBJECTS, "partitions": PARTITIONS, "repetitions": repetitions}
    with threads(1):
        for name in TITLES:
            ours[name](few, 3)  # compiled
            runs = {
                "whole recoco": lambda n=name: ours[n](partitions, CLUSTERS),
                "whole plain": lambda n=name: plain[n](partitions, CLUSTERS),
                "graph recoco": lambda n=name: builds[n][0](partitions),
                "graph plain": lambda n=name: builds[n][1](*_plain_ensemble(partitions)[:2]),
            }
            seconds, values = in_turn(min(repetitions, 3), runs)
            results[name] = {
                "seconds": seconds,
                "graph_ratio": seconds["graph plain"] / seconds["graph recoco"],
                "whole_ratio": seconds["whole plain"] / seconds["whole recoco"],
                "labels_equal": bool(np.array_equal(values["whole recoco"], values["whole plain"])),
            }
    return results


def targets(results: dict) -> list[Target]:
    return [
        Target(
            title,
            "the same graph built with scipy and NumPy",
            results[name]["graph_ratio"],
            3,
            note=f"{_same(results[name])}; with the cut itself, which is the same library's on "
            f"both sides: {results[name]['whole_ratio']:.2g}",
        )
        for name, title in TITLES.items()
    ]


def markdown(results: dict) -> str:
    """The results as a table."""
    lines = [
        "## Consensus by graphs",
        "",
        f"{results['objects']} objects, {results['partitions']} partitions, one thread: the same "
        "with scipy and NumPy over ours, for the graph and for all with the cut by METIS or "
        "Mt-KaHyPar.",
        "",
        "| method | graph | all | what it says |",
        "|---|---:|---:|---|",
    ]
    for name, title in TITLES.items():
        found, spent = results[name], results[name]["seconds"]
        lines.append(
            f"| {title} | {found['graph_ratio']:.1f} | {found['whole_ratio']:.1f} | the graph "
            f"takes {1e3 * spent['graph plain']:.0f} ms against "
            f"{1e3 * spent['graph recoco']:.0f} ms, all {spent['whole plain']:.2f} s against "
            f"{spent['whole recoco']:.2f} s; {_same(found)} |"
        )
    return "\n".join(lines) + "\n"


def _same(found) -> str:
    return "the same partition" if found["labels_equal"] else "NOT the same partition"


def _partitions() -> np.ndarray:
    rng = np.random.Generator(np.random.PCG64(0))
    planted = rng.integers(CLUSTERS, size=OBJECTS)
    drawn = rng.integers(CLUSTERS, size=(PARTITIONS, OBJECTS))
    return np.where(rng.random((PARTITIONS, OBJECTS)) < NOISE, drawn, planted)


# ---- ours, up to where the library takes over ------------------------------------------------


def _our_similarities(partitions):
    from recoco.consensus import graphs

    ensemble = graphs._ensemble(partitions, CLUSTERS)
    return graphs.similarity_graph(ensemble.clusters, ensemble.weights, ensemble.K, _EDGES)


def _our_overlaps(partitions):
    from recoco.consensus import graphs

    ensemble = graphs._ensemble(partitions, CLUSTERS)
    return graphs.cluster_graph(ensemble.clusters, ensemble.weights, ensemble.K)


def _our_members(partitions):
    from recoco.consensus import graphs
    from recoco.kernels.ensembles import cluster_members

    ensemble = graphs._ensemble(partitions, CLUSTERS)
    first, members = cluster_members(ensemble.clusters, ensemble.K)
    return [members[a:b].tolist() for a, b in pairwise(first) if b - a > 1]


# ---- the same as one would write it ----------------------------------------------------------

_EDGES = 2_000_000  # the default of cspa


def _plain_ensemble(partitions):
    """Distinct objects, their numbers, and the sparse matrix of distinct objects and clusters."""
    parts = [np.unique(labels, return_inverse=True) for labels in partitions]
    offsets = np.concatenate([[0], np.cumsum([len(names) for names, _ in parts])])
    codes = np.stack([inverse for _, inverse in parts], axis=1)
    _, first, inverse, weights = np.unique(
        codes, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first, kind="stable")  # by first occurrence
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    clusters = _canonical(codes[np.sort(first)]) + offsets[:-1]
    N, R = clusters.shape
    ones = np.ones(N * R)
    H = sparse.csr_matrix((ones, clusters.ravel(), np.arange(0, N * R + 1, R)), (N, offsets[-1]))
    return H, weights[order], rank[inverse.ravel()]


def _canonical(codes):
    """Number the clusters of each partition by first occurrence, as ours does."""
    columns = []
    for column in codes.T:
        _, first, inverse = np.unique(column, return_index=True, return_inverse=True)
        rank = np.empty(first.size, np.int64)
        rank[np.argsort(first)] = np.arange(first.size)
        columns.append(rank[inverse])
    return np.stack(columns, axis=1)


def _plain_similarities(H, weights):
    N = H.shape[0]
    m = max(1, min(N - 1, _EDGES // N))
    Ht = H.T.tocsr()
    chosen = []
    for first in range(0, N, ROWS_AT_ONCE):
        rows = np.arange(first, min(N, first + ROWS_AT_ONCE))
        counts = (H[rows] @ Ht).toarray().astype(np.int64)
        counts[np.arange(rows.size), rows] = 0
        # of equal ones those that follow the row, as ours does
        after = (np.arange(N) - rows[:, None] - 1) % N
        best = np.argpartition(after - counts * N, m - 1, axis=1)[:, :m]
        shared = np.take_along_axis(counts, best, axis=1)
        kept = shared > 0
        at = (np.repeat(rows, m)[kept.ravel()], best[kept])
        chosen.append(sparse.csr_matrix((shared[kept], at), (N, N)))
    graph = sum(chosen[1:], start=chosen[0])
    graph = graph.maximum(graph.T).tocoo()
    data = graph.data * weights[graph.row] * weights[graph.col]
    return sparse.csr_matrix((data.astype(np.int64), (graph.row, graph.col)), (N, N))


def _plain_overlaps(H, weights):
    from recoco.consensus.graphs import _STEPS

    table = (H.T @ sparse.diags_array(weights.astype(float)) @ H).toarray()
    sizes = table.diagonal().copy()
    np.fill_diagonal(table, 0)
    union = sizes[:, None] + sizes - table
    joined = np.divide(table, union, out=np.zeros_like(table), where=union > 0)
    scaled = np.rint(_STEPS * joined).astype(np.int64)
    scaled[(table > 0) & (scaled == 0)] = 1
    return sparse.csr_matrix(scaled), sizes.astype(np.int64)


def _plain_members(H, weights):
    H = H.tocsc()
    lists = [np.sort(H.indices[a:b]).tolist() for a, b in pairwise(H.indptr)]
    return [members for members in lists if len(members) > 1]


def _plain_cspa(partitions, k):
    from recoco.consensus.graphs import _cut
    from recoco.metrics import canonical

    H, weights, of_object = _plain_ensemble(partitions)
    return canonical(_cut(_plain_similarities(H, weights), weights, k, 0.05, 0)[of_object])


def _plain_mcla(partitions, k):
    from recoco.consensus.graphs import _cut
    from recoco.metrics import canonical

    H, weights, of_object = _plain_ensemble(partitions)
    graph, sizes = _plain_overlaps(H, weights)
    meta = np.eye(k)[_cut(graph, sizes, k, 0.05, 0)]
    shares = (H @ meta) / np.maximum(meta.sum(axis=0), 1)
    return canonical(shares.argmax(axis=1)[of_object])


def _plain_hgpa(partitions, k):
    from recoco.consensus.graphs import _kahypar
    from recoco.metrics import canonical

    H, weights, of_object = _plain_ensemble(partitions)
    pins = _plain_members(H, weights)
    library, engine = _kahypar()
    context = engine.context_from_preset(library.PresetType.DETERMINISTIC)
    context.set_partitioning_parameters(k, 0.05, library.Objective.CUT)
    context.logging = False
    library.set_seed(0)
    cut = engine.create_hypergraph(
        context, H.shape[0], len(pins), pins, weights.tolist(), [1] * len(pins)
    )
    return canonical(np.array(cut.partition(context).get_partition())[of_object])
