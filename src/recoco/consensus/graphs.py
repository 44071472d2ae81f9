"""Consensus by graph partitioning: CSPA, MCLA and HGPA (Strehl and Ghosh 2002).

Objects that all partitions put together are one vertex, weighted by their number. This changes
only those cuts that separate such objects, and no n x n matrix is ever stored. CSPA separates them
where its balance requires it, see :mod:`recoco.consensus.balance`. If there are no more distinct
vertices than requested clusters, every vertex is a cluster: equal partitions are their own
consensus.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from recoco.consensus.balance import balanced_cut
from recoco.consensus.bases import check_number, check_partitions
from recoco.core.errors import RecocoError
from recoco.methods.base import label_dtype
from recoco.methods.checks import check_choice, check_integer
from recoco.metrics import canonical, score_partitions

# METIS needs integer weights: number of steps between Jaccard similarities 0 and 1
_STEPS = 10_000


@dataclass
class GraphConsensus:
    """The result of :func:`graph_consensus`.

    Attributes
    ----------
    labels : ndarray of int, shape (n,)
        The consensus with the largest mean NMI with the partitions.
    method : str
        The function that computed it.
    agreement : dict of {str: float}
        Mean NMI of the consensus of each function with the partitions.
    candidates : dict of {str: ndarray}
        Labels by each function.
    """

    labels: np.ndarray
    method: str
    agreement: dict[str, float]
    candidates: dict[str, np.ndarray]


@dataclass
class _Ensemble:
    """Distinct objects, their weights, and the numbers of their clusters."""

    clusters: np.ndarray  # int32 (N, R)
    weights: np.ndarray  # int64 (N,)
    of_object: np.ndarray  # (n,), the distinct object of each object
    K: int  # number of non-empty clusters of all partitions
    k: int  # number of requested clusters

    @property
    def trivial(self) -> bool:
        return len(self.weights) <= self.k or self.k == 1

    def labels(self, found) -> np.ndarray:
        """Return labels of all objects, numbered by first occurrence."""
        return self.numbered(np.asarray(found)[self.of_object])

    def numbered(self, labels) -> np.ndarray:
        return canonical(labels).astype(label_dtype(self.k))

    def trivial_labels(self) -> np.ndarray:
        N = len(self.weights)
        return self.labels(np.zeros(N, np.int64) if self.k == 1 else np.arange(N))


def cspa(
    partitions: Sequence[ArrayLike],
    n_clusters: int | None = None,
    imbalance: float = 0.05,
    edges: int = 2_000_000,
    random_state: int = 0,
) -> np.ndarray:
    """Cut the graph of the objects, weighted by how many partitions put two objects together.

    Parameters
    ----------
    partitions : array-like of int, shape (R, n)
        The partitions.
    n_clusters : int or None, default=None
        Number of clusters. None means the largest number of clusters of a partition.
    imbalance : float, default=0.05
        Fraction by which a cluster may be larger than n / n_clusters, at least up to the next whole
        number. CSPA keeps to it, unless there are no more distinct objects than clusters.
    edges : int, default=2_000_000
        Maximum number of edges, counted at both ends. If the graph has more, every vertex keeps
        only its most similar ones, and those that keep it.
    random_state : int, default=0
        Seed of METIS.

    Returns
    -------
    labels : ndarray of int, shape (n,)
        Numbered by first occurrence. None is empty if ``n_clusters`` objects are distinct.
    """
    ensemble = _ensemble(partitions, n_clusters, imbalance, random_state)
    check_integer(edges, "edges", 1)
    _metis()
    if ensemble.trivial:
        return ensemble.trivial_labels()

    def cut(owner, weights):
        graph = similarity_graph(ensemble.clusters[owner], weights, ensemble.K, edges)
        return _cut(graph, weights, ensemble.k, imbalance, random_state)

    return ensemble.numbered(balanced_cut(cut, ensemble, imbalance))


def mcla(
    partitions: Sequence[ArrayLike],
    n_clusters: int | None = None,
    imbalance: float = 0.05,
    weights: str = "size",
    random_state: int = 0,
) -> np.ndarray:
    """Cut the graph of the clusters, weighted by their Jaccard similarities, then let them vote.

    Every object is put in the group of clusters that contains it most often, relative to the
    number of clusters in the group (the first one wins a tie; the paper draws one).

    Parameters
    ----------
    partitions, n_clusters, imbalance, random_state
        See :func:`cspa`.
    weights : {"size", "one"}, default="size"
        What is balanced: the sizes of the clusters, as in the paper, or their number.

    Returns
    -------
    labels : ndarray of int, shape (n,)
        Numbered by first occurrence.
    """
    from recoco.kernels import ensembles as kernel

    ensemble = _ensemble(partitions, n_clusters, imbalance, random_state)
    check_choice(weights, "weights", ("size", "one"))
    _metis()
    if ensemble.trivial:
        return ensemble.trivial_labels()
    graph, sizes = cluster_graph(ensemble.clusters, ensemble.weights, ensemble.K)
    if weights == "one":
        sizes = np.ones_like(sizes)
    meta = _cut(graph, sizes, min(ensemble.k, ensemble.K), imbalance, random_state)
    number = np.bincount(meta, minlength=ensemble.k)
    return ensemble.labels(kernel.majority(ensemble.clusters, meta, number))


def hgpa(
    partitions: Sequence[ArrayLike],
    n_clusters: int | None = None,
    imbalance: float = 0.05,
    objective: str = "cut",
    random_state: int = 0,
) -> np.ndarray:
    """Cut the hypergraph whose hyperedges are the clusters of all partitions.

    Uses the deterministic preset of Mt-KaHyPar: the cut does not depend on the number of threads.

    Parameters
    ----------
    partitions, n_clusters, imbalance, random_state
        See :func:`cspa`.
    objective : {"cut", "km1"}, default="cut"
        Number of clusters that are cut, as in the paper, or number of parts they are cut into.
        If partitions disagree a lot, nearly all clusters are cut, and their number tells little.

    Returns
    -------
    labels : ndarray of int, shape (n,)
        Numbered by first occurrence.
    """
    from recoco.kernels import ensembles as kernel

    ensemble = _ensemble(partitions, n_clusters, imbalance, random_state)
    check_choice(objective, "objective", ("cut", "km1"))
    library, engine = _kahypar()
    if ensemble.trivial:
        return ensemble.trivial_labels()
    first, members = kernel.cluster_members(ensemble.clusters, ensemble.K)
    # a cluster of one vertex cannot be cut
    pins = [members[a:b].tolist() for a, b in pairwise(first) if b - a > 1]
    context = engine.context_from_preset(library.PresetType.DETERMINISTIC)
    goal = library.Objective.CUT if objective == "cut" else library.Objective.KM1
    context.set_partitioning_parameters(ensemble.k, float(imbalance), goal)
    context.logging = False
    library.set_seed(random_state)
    hypergraph = engine.create_hypergraph(
        context, len(ensemble.weights), len(pins), pins, ensemble.weights.tolist(), [1] * len(pins)
    )
    return ensemble.labels(np.array(hypergraph.partition(context).get_partition()))


METHODS: dict[str, Callable[..., np.ndarray]] = {"cspa": cspa, "hgpa": hgpa, "mcla": mcla}


def graph_consensus(
    partitions: Sequence[ArrayLike],
    n_clusters: int | None = None,
    methods: str | Sequence[str] = ("cspa", "hgpa", "mcla"),
    imbalance: float = 0.05,
    random_state: int = 0,
) -> GraphConsensus:
    """Return the result of the consensus function that agrees best with the partitions.

    Parameters
    ----------
    partitions, n_clusters, imbalance, random_state
        See :func:`cspa`.
    methods : str or sequence of str, default=("cspa", "hgpa", "mcla")
        Names of the functions to try. The first one wins a tie.

    Returns
    -------
    consensus : GraphConsensus

    Examples
    --------
    >>> from recoco import graph_consensus
    >>> graph_consensus([[0, 0, 1, 1], [1, 1, 0, 0]], n_clusters=2).labels.tolist()
    [0, 0, 1, 1]
    """
    names = [methods] if isinstance(methods, str) else list(methods)
    unknown = [repr(name) for name in names if name not in METHODS]
    if unknown or not names:
        raise RecocoError(
            f"{', '.join(unknown) or 'None'} is not a consensus function: use {', '.join(METHODS)}."
        )
    checked = check_partitions(partitions)
    candidates = {
        name: METHODS[name](checked, n_clusters, imbalance=imbalance, random_state=random_state)
        for name in names
    }
    agreement = {name: mean_nmi(labels, checked) for name, labels in candidates.items()}
    best = max(names, key=agreement.__getitem__)
    return GraphConsensus(candidates[best], best, agreement, candidates)


def mean_nmi(labels: Any, partitions: Any) -> float:
    """Return the mean NMI (geometric) of one partition with others."""
    return float(score_partitions(labels, np.stack(list(partitions)))["nmi"].mean())


def similarity_graph(clusters: np.ndarray, weights: Any, K: int, edges: int) -> sparse.csr_matrix:
    """Connect rows by the number of clusters they share, times the product of their weights.

    Parameters
    ----------
    clusters : ndarray of int32, shape (N, R)
        Numbers of the clusters of each row, 0..K-1.
    edges : int
        With more possible edges than this, each row keeps its edges // N most similar rows (at
        least one), and the graph has the edges that either end keeps.

    Returns
    -------
    graph : csr_matrix of int64, shape (N, N)
        Symmetric, with an empty diagonal.
    """
    import numba

    from recoco.kernels import ensembles as kernel

    N = len(clusters)
    m = max(1, min(N - 1, edges // N))
    neighbours, shared = np.empty((N, m), np.int32), np.empty((N, m), np.int32)
    found = np.empty(N, np.int64)
    first, members = kernel.cluster_members(clusters, K)
    parallel = numba.get_num_threads() > 1 and N > 2_000
    run = kernel.similar_rows_parallel if parallel else kernel.similar_rows
    kind = np.empty(0, np.uint8 if clusters.shape[1] < 256 else np.int32)
    run(clusters, first, members, kind, neighbours, shared, found)
    indptr, indices, data = kernel.join_rows(neighbours, shared, found, weights)
    return sparse.csr_matrix((data, indices, indptr), (N, N))


def cluster_graph(
    clusters: np.ndarray, weights: Any, K: int
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Connect clusters by their Jaccard similarity, in steps of 1 / 10,000.

    Returns
    -------
    graph : csr_matrix of int64, shape (K, K)
    sizes : ndarray of int64, shape (K,)
    """
    from recoco.kernels import ensembles as kernel

    table = kernel.overlaps(clusters, weights, K)
    sizes = np.diag(table).copy()
    np.fill_diagonal(table, 0)
    union = sizes[:, None] + sizes - table
    graph = np.rint(_STEPS * (table / union)).astype(np.int64)
    graph[(table > 0) & (graph == 0)] = 1  # METIS rejects edges of weight 0
    return sparse.csr_matrix(graph), sizes


def _ensemble(partitions, n_clusters, imbalance=0.05, random_state=0) -> _Ensemble:
    if not isinstance(imbalance, Real) or not 0 < float(imbalance) < np.inf:
        raise RecocoError(f"imbalance is {imbalance!r}: give a number above 0, such as 0.05.")
    if check_integer(random_state, "random_state", 0) >= 2**31:
        raise RecocoError(f"random_state is {random_state}: give a number below 2**31.")
    checked = check_partitions(partitions)
    numbered = [_numbered(partition, int(partition.max()) + 1) for partition in checked]
    labels = [row for row, _ in numbered]
    numbers = np.array([number for _, number in numbered])
    n = labels[0].size
    k = int(numbers.max()) if n_clusters is None else check_number(n_clusters, n)
    of_object, N = numbered[0]
    for row, number in numbered[1:]:
        of_object, N = _numbered(of_object * number + row, N * number)
    first = np.empty(N, np.int64)
    first[of_object[::-1]] = np.arange(n - 1, -1, -1)
    offsets = np.concatenate([[0], np.cumsum(numbers)])
    clusters = np.stack([row[first] for row in labels], axis=1) + offsets[:-1]
    return _Ensemble(
        np.ascontiguousarray(clusters, np.int32),
        np.bincount(of_object, minlength=N),
        of_object,
        int(offsets[-1]),
        k,
    )


def _numbered(codes, room: int) -> tuple[np.ndarray, int]:
    """Number codes below ``room`` by first occurrence; also return how many there are."""
    from recoco.kernels.contingency import relabel

    codes = np.ascontiguousarray(codes, np.int64)
    if room > 64 * codes.size:  # a table of all codes would be mostly empty
        found = canonical(codes)
        return found, int(found.max()) + 1
    found = np.empty(codes.size, np.int64)
    return found, relabel(codes, np.empty(room, np.int64), found)


def _cut(graph: sparse.csr_matrix, weights, k: int, imbalance: float, seed: int) -> np.ndarray:
    """Cut a graph into k parts of about equal weight with METIS."""
    pymetis = _metis()
    if k == 1:
        return np.zeros(graph.shape[0], np.int64)
    whole = pymetis.zero_copy_dtype()
    # METIS sums weights in its own integer type
    room = np.iinfo(whole).max // 4
    data, total = graph.data, float(graph.data.sum())
    if total > room:
        data = np.maximum(1, np.floor(data * (room / 2 / total))).astype(np.int64)
    adjacency = pymetis.CSRAdjacency(graph.indptr.astype(whole), graph.indices.astype(whole))

    def run(recursive):
        result = pymetis.part_graph(
            k,
            adjacency,
            vweights=np.asarray(weights).astype(whole),
            eweights=data.astype(whole),
            recursive=recursive,
            options=pymetis.Options(seed=int(seed), ufactor=max(1, round(1000 * imbalance))),
        )
        return np.array(result.vertex_part, np.int64)

    parts = run(recursive=False)
    if len(np.unique(parts)) < k:  # on small graphs bisection leaves fewer parts empty
        bisected = run(recursive=True)
        if len(np.unique(bisected)) > len(np.unique(parts)):
            parts = bisected
    return parts


def _metis():
    try:
        import pymetis
    except ImportError:
        raise RecocoError(
            "CSPA and MCLA need the package pymetis, which is not installed: install it first."
        ) from None
    return pymetis


@lru_cache(maxsize=1)
def _kahypar():
    try:
        import mtkahypar
    except ImportError:
        raise RecocoError(
            "HGPA needs the package mtkahypar, which is not installed: install it first."
        ) from None
    return mtkahypar, mtkahypar.initialize(1, False)
