"""The co-clustering of a folder by an ensemble (EBCO), and how stable it is."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from recoco.consensus.bases import Bases
from recoco.consensus.blocks import (
    BlockConsensus,
    above,
    base_modularities,
    consensus_modularity,
    fuse,
)
from recoco.core.errors import RecocoError
from recoco.methods.base import label_dtype, start_generator
from recoco.methods.checks import check_matrix
from recoco.methods.ebco import EBCO, make_bases
from recoco.methods.filled import without_empty
from recoco.metrics import ari, nmi
from recoco.metrics.coclusters import modularity

LARGEST = 25  # the paper's bases have 2 to 25 co-clusters
THRESHOLD = 0.8  # the paper's share of the largest modularity that a base must reach
HALVES = 6
_SMALL = 10_000  # rows and columns
# of EBCO's base methods, this one recovers the number of classes of our datasets best
BASE = "dcc-spherical"


@dataclass(frozen=True)
class Effort:
    """How much is computed on the consensus matrix, to choose the number and for the result.

    The number of co-clusters is chosen on at most ``sample`` rows and as many columns.
    """

    starts: int = 10
    iterations: int = 100
    choice_starts: int = 5
    choice_iterations: int = 60
    sample: int = 10_000

    @classmethod
    def for_size(cls, shape: tuple[int, int]) -> "Effort":
        """Return the paper's effort for small data, and less where that would take minutes."""
        return cls() if sum(shape) <= _SMALL else cls(starts=5, iterations=60)


@dataclass
class Coclustering:
    """A co-clustering and its quality.

    Attributes
    ----------
    row_labels, column_labels : int arrays; -1 for a row or column without any entry
    n_clusters : int
    tried : dict, modularity on the consensus matrix by number of co-clusters; empty if given
    sampled : whether the number was chosen on a sample of the rows and columns
    bases, bases_used : int
    numbers : the smallest and the largest number of co-clusters of a base
    modularity : on the weighted matrix
    agreement : ARI of the rows of the consensus with those of consensuses of half of the bases
    base_agreement : NMI of the rows of the consensus with those of each base
    row_stability : share of the halves that keep each row in its co-cluster
    stability : mean Jaccard index of each co-cluster's rows with their match in the halves
    """

    row_labels: np.ndarray
    column_labels: np.ndarray
    n_clusters: int
    tried: dict[int, float]
    sampled: bool
    bases: int
    bases_used: int
    numbers: tuple[int, int]
    modularity: float
    agreement: np.ndarray
    base_agreement: np.ndarray
    row_stability: np.ndarray
    stability: np.ndarray


def find_coclusters(
    A,
    clusters: int | None = None,
    seed: int = 0,
    effort: Effort | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Coclustering:
    """Co-cluster a weighted matrix by an ensemble.

    Parameters
    ----------
    A : matrix (n, d), non-negative
    clusters : int or None
        Number of co-clusters; None chooses the one of largest modularity on the consensus
        matrix (option 2 of EBCO).
    seed : int
    effort : Effort
    progress : callable ``progress(what, done, total)``
    """
    effort = effort or Effort.for_size(np.shape(A))
    filled = without_empty(check_matrix(A), 1)
    X = filled.A
    numbers = _numbers(X.shape, clusters)
    rng = start_generator(seed, 0)
    bases = _make_bases(X, numbers, rng, progress)
    made = bases.by_row.shape[1]
    quality = base_modularities(bases, lambda z, w: modularity(X, z, w))
    if quality.max() > 0:
        bases = bases.select(above(quality, THRESHOLD))
    tried, sampled = {}, False
    if clusters is None:
        tried, sampled = _choose(bases, numbers, rng, effort, progress)
        clusters = max(tried, key=lambda g: (tried[g], -g))
    progress("consensus", 0, 1)
    final = _consensus(bases, rng, clusters, effort.starts, effort.iterations)
    z, w = _in_order(final.row_labels, final.column_labels)
    halves = _halves(bases, rng, clusters, effort, progress)
    agreement = np.array([ari(z, other) for other in halves])
    row_stability, stability = _stability(z, halves)
    base_agreement = np.array([nmi(z, bases.labels(b)[0]) for b in range(bases.by_row.shape[1])])
    rows, columns = (np.full(size, -1) for size in filled.shape)
    rows[filled.rows], columns[filled.columns] = z, w
    all_rows = np.full(filled.shape[0], np.nan)
    all_rows[filled.rows] = row_stability
    return Coclustering(
        row_labels=rows,
        column_labels=columns,
        n_clusters=int(z.max()) + 1,
        tried=tried,
        sampled=sampled,
        bases=made,
        bases_used=bases.by_row.shape[1],
        numbers=(numbers[0], numbers[-1]),
        modularity=modularity(X, z, w),
        agreement=agreement,
        base_agreement=base_agreement,
        row_stability=all_rows,
        stability=stability,
    )


def _numbers(shape: tuple[int, int], clusters: int | None) -> list[int]:
    """Numbers of co-clusters of the bases: the paper's, or a range around a larger request."""
    top = min(shape) // 2  # two rows and two columns for each co-cluster on average
    if clusters is None:
        return list(range(2, max(2, min(LARGEST, top)) + 1))
    if clusters > min(shape):
        raise RecocoError(
            f"{clusters} co-clusters are too many for {shape[0]} documents and {shape[1]} words: "
            f"ask for at most {min(shape)}, or for auto."
        )
    if clusters <= LARGEST:
        return list(range(2, max(clusters, 2, min(LARGEST, top)) + 1))
    half = LARGEST // 2
    return list(range(clusters - half, min(clusters + half, *shape) + 1))


def _make_bases(X, numbers, rng, progress) -> Bases:
    from recoco.consensus.bases import number_clusters

    pairs = []
    for step, g in enumerate(numbers):
        progress("base co-clusterings", step, len(numbers))
        pairs.append(make_bases(EBCO(base=BASE), X, [g], [rng])[0].labels(0))
    return number_clusters([z for z, _ in pairs], [w for _, w in pairs])


def _choose(bases: Bases, numbers, rng, effort: Effort, progress) -> tuple[dict, bool]:
    """Modularity on the consensus matrix by number of co-clusters, on a sample if it is large."""
    rows, columns = (
        np.sort(rng.permutation(len(side))[: effort.sample])
        for side in (bases.by_row, bases.by_column)
    )
    sampled = rows.size < len(bases.by_row) or columns.size < len(bases.by_column)
    if sampled:
        bases = _restricted(bases, rows, columns)
    tried = {}
    for step, g in enumerate(numbers):
        progress("choosing the number of co-clusters", step, len(numbers))
        if g <= bases.n_clusters.max():
            consensus = _consensus(bases, rng, g, effort.choice_starts, effort.choice_iterations)
            tried[g] = consensus.modularity
    return tried, sampled


def _restricted(bases: Bases, rows, columns) -> Bases:
    """The same base co-clusterings, of some rows and columns only."""
    K = int(bases.offsets[-1])
    by_row = np.ascontiguousarray(bases.by_row[rows])
    by_column = np.ascontiguousarray(bases.by_column[columns])
    return Bases(
        by_row,
        by_column,
        bases.offsets,
        np.bincount(by_row.ravel(), minlength=K),
        np.bincount(by_column.ravel(), minlength=K),
    )


def _consensus(bases, rng, g, starts: int, iterations: int) -> BlockConsensus:
    """Best of random starts (EBCO, Algorithm 1) and of one from the base of as many co-clusters.

    With many co-clusters, a few random starts may all end badly; a base is a good start.
    """
    best = fuse(bases, rng, [g], starts, iterations, _drawn(iterations))
    for b in range(bases.by_row.shape[1]):
        z, w = bases.labels(b)
        if bases.offsets[b + 1] - bases.offsets[b] == g and np.unique(z).size == g:
            begun = _from_labels(bases, z, w, g, iterations)
            if begun.criterion > best.criterion:
                best = begun
    return best


def _from_labels(bases: Bases, z, w, g: int, iterations: int) -> BlockConsensus:
    from recoco.kernels import ebco as kernel

    dtype = label_dtype(g)
    rows, columns = z[None].astype(dtype), w[None].astype(dtype)
    histories = np.full((1, iterations), -np.inf)
    seeds, settings = np.zeros(1, np.uint64), (g, iterations, 0)
    parts = bases.by_row, bases.by_column, bases.weights
    n_iter, emptied = kernel.consensus(*parts, seeds, settings, 1e-6, rows, columns, histories)
    return BlockConsensus(
        row_labels=rows[0],
        column_labels=columns[0],
        n_clusters=g,
        criterion=float(histories[0, n_iter[0] - 1]),
        history=histories[0, : n_iter[0]].copy(),
        modularity=consensus_modularity(bases, rows[0], columns[0]),
        start=-1,
        emptied=int(emptied.sum()),
        kept=np.arange(bases.by_row.shape[1]),
    )


def _drawn(iterations: int) -> int:
    """Iterations in which columns are drawn: 70 of 100, as in the paper."""
    return 7 * iterations // 10


def _halves(bases: Bases, rng, g, effort: Effort, progress) -> list[np.ndarray]:
    """Row labels of the consensuses of random halves of the bases."""
    s = bases.by_row.shape[1]
    labels = []
    for step in range(HALVES):
        progress("stability", step, HALVES)
        half = bases.select(np.sort(rng.permutation(s)[: max(1, (s + 1) // 2)]))
        again = _consensus(half, rng, g, effort.starts, effort.iterations)
        labels.append(again.row_labels)
    return labels


def _in_order(z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number co-clusters by their documents, the largest first."""
    g = int(max(z.max(), w.max())) + 1
    order = np.argsort(-np.bincount(z, minlength=g), kind="stable")
    number = np.empty(g, np.int64)
    number[order] = np.arange(g)
    return number[z], number[w]


def _stability(z: np.ndarray, halves: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Share of halves that keep a row in its co-cluster, and Jaccard index per co-cluster.

    Co-clusters of a half are matched to ours one to one, so that the most rows agree.
    """
    from scipy.optimize import linear_sum_assignment

    g = int(z.max()) + 1
    kept, jaccard = np.zeros(z.size), np.zeros(g)
    for other in halves:
        room = max(g, int(other.max()) + 1)
        table = np.zeros((room, room))
        np.add.at(table, (z, other), 1)
        ours, theirs = linear_sum_assignment(table, maximize=True)
        match = np.empty(room, np.int64)
        match[ours] = theirs
        kept += match[z] == other
        both = table[np.arange(g), match[:g]]
        union = table.sum(axis=1)[:g] + table.sum(axis=0)[match[:g]] - both
        jaccard += both / np.maximum(union, 1)
    return kept / len(halves), jaccard / len(halves)
