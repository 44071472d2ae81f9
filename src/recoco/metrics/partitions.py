"""Scores of partitions against the known classes.

Partitions of different numbers of clusters are allowed, labels may be numbers, text or anything
hashable, and no score depends on how the clusters are named: tables are built in order of first
occurrence.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recoco.core.errors import RecocoError
from recoco.metrics.labels import codes_of

AVERAGES = {"geometric": "nmi", "arithmetic": "nmi_arithmetic"}  # and the metric of each


def _pair(truth: ArrayLike, partitions: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes (n,) and the partitions (R, n) as integers, or say what is wrong."""
    classes = codes_of(truth, "The truth")
    clusters = _stacked(partitions)
    if clusters.shape[1] != classes.size:
        raise RecocoError(
            f"The truth has {classes.size} labels and the partition {clusters.shape[1]}: "
            "give one label per object in both, in the same order."
        )
    return classes, clusters


def _stacked(partitions: Any) -> np.ndarray:
    if not isinstance(partitions, list | tuple):
        partitions = np.asarray(partitions)
        if partitions.ndim != 2:
            raise RecocoError(
                f"The partitions have shape {partitions.shape}: give one row per partition."
            )
        if partitions.size and partitions.dtype.kind in "iub":
            return np.ascontiguousarray(partitions, dtype=np.int64)
    if len(partitions) == 0:
        raise RecocoError("The list of partitions is empty: there is nothing to score.")
    rows = [codes_of(partition, "The partition") for partition in partitions]
    sizes = sorted({row.size for row in rows})
    if len(sizes) > 1:
        raise RecocoError(
            f"The partitions have {' and '.join(map(str, sizes))} labels: give one label per "
            "object in each."
        )
    return np.stack(rows)


def canonical(labels: ArrayLike) -> np.ndarray:
    """Relabel a partition by first occurrence: the first object is in cluster 0, and so on."""
    codes = codes_of(labels, "The partition")
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    return rank[inverse.ravel()]


def contingency(truth: ArrayLike, labels: ArrayLike) -> np.ndarray:
    """Count the objects of each (class, cluster) pair, both in the order of their labels."""
    pair = _pair(truth, [labels])
    classes, i = np.unique(pair[0], return_inverse=True)
    clusters, j = np.unique(pair[1][0], return_inverse=True)
    flat = np.bincount(i * clusters.size + j, minlength=classes.size * clusters.size)
    return flat.reshape(classes.size, clusters.size)


# ---- the metrics -----------------------------------------------------------------------------


class Tables(NamedTuple):
    """The contingency tables of R partitions with the classes, and what a kernel derives at once.

    Attributes
    ----------
    counts : int64 array (R, K, L), objects of each class in each cluster; unused clusters are last
    n_clusters : int64 array (R,), number of clusters of each partition
    information : float64 array (R,), mutual information of classes and clusters
    class_entropy, cluster_entropy : float64 arrays (R,)
    ari, purity : float64 arrays (R,)
    """

    counts: np.ndarray
    n_clusters: np.ndarray
    information: np.ndarray
    class_entropy: np.ndarray
    cluster_entropy: np.ndarray
    ari: np.ndarray
    purity: np.ndarray


Compute = Callable[[Tables], np.ndarray]


class Metric(NamedTuple):
    """A registered metric: its label in the report, and its values (R,) from `Tables`."""

    label: str
    compute: Compute


# Name of each metric, in the order of the columns of a score table. Larger is better.
METRICS: dict[str, Metric] = {}


def metric(name: str, label: str) -> Callable[[Compute], Compute]:
    """Register a function of `Tables` as a metric: a column of the score tables and the report."""

    def register(compute: Compute) -> Compute:
        METRICS[name] = Metric(label, compute)
        return compute

    return register


@metric("acc", "ACC")
def _accuracy(tables: Tables) -> np.ndarray:
    from scipy.optimize import linear_sum_assignment

    values = np.empty(len(tables.counts))
    for r, (table, size) in enumerate(zip(tables.counts, tables.n_clusters, strict=True)):
        rows, columns = linear_sum_assignment(table[:, :size], maximize=True)
        values[r] = table[rows, columns].sum() / table.sum()
    return values


@metric("nmi", "NMI")
def _nmi(tables: Tables) -> np.ndarray:
    return _normalised(tables, np.sqrt(tables.class_entropy * tables.cluster_entropy))


@metric("nmi_arithmetic", "NMI")
def _nmi_arithmetic(tables: Tables) -> np.ndarray:
    return _normalised(tables, (tables.class_entropy + tables.cluster_entropy) / 2)


def _normalised(tables: Tables, mean: np.ndarray) -> np.ndarray:
    """Divide the mutual information by a mean of both entropies."""
    h, k = tables.class_entropy, tables.cluster_entropy
    mean = np.where(h == k, h, mean)  # sqrt(h h) may differ from h in the last bit
    value = np.divide(tables.information, mean, out=np.zeros_like(mean), where=(h > 0) & (k > 0))
    value[(h == 0) & (k == 0)] = 1.0
    return np.clip(value, 0.0, 1.0)


@metric("ari", "ARI")
def _ari(tables: Tables) -> np.ndarray:
    return tables.ari.copy()


@metric("purity", "Purity")
def _purity(tables: Tables) -> np.ndarray:
    return tables.purity.copy()


# ---- scoring ---------------------------------------------------------------------------------


def _tables(truth: ArrayLike, partitions: Any) -> Tables:
    from recoco.kernels.contingency import contingency_tables, table_scores

    classes, clusters = _pair(truth, partitions)
    classes = canonical(classes)
    room = int(clusters.max()) + 1
    # widely spaced names: a table by name would be mostly empty
    if room > 2 * classes.size or clusters.min() < 0:
        clusters = np.stack([canonical(row) for row in clusters])
        room = int(clusters.max()) + 1
    counts, sizes = contingency_tables(classes, int(classes.max()) + 1, clusters, room)
    return Tables(counts, sizes, *table_scores(counts, sizes).T)


def score_partitions(truth: ArrayLike, partitions: Any) -> dict[str, np.ndarray]:
    """Score many partitions of the same objects at once.

    Parameters
    ----------
    truth : array-like of shape (n,)
        The classes: numbers, text or anything hashable.
    partitions : array-like of shape (R, n), or a list of R such labels
        A partition per row.

    Returns
    -------
    dict of float64 arrays (R,): every metric of `METRICS`, then ``n_clusters``.
    """
    tables = _tables(truth, partitions)
    scores = {name: metric.compute(tables) for name, metric in METRICS.items()}
    return {**scores, "n_clusters": tables.n_clusters.astype(np.float64)}


def _score(name: str, truth: ArrayLike, labels: ArrayLike) -> float:
    return float(METRICS[name].compute(_tables(truth, [labels]))[0])


def accuracy(truth: ArrayLike, labels: ArrayLike) -> float:
    """Share of objects matched by the best one-to-one map from clusters to classes."""
    return _score("acc", truth, labels)


def nmi(truth: ArrayLike, labels: ArrayLike, average: str = "geometric") -> float:
    """Mutual information over the geometric (Strehl & Ghosh) or arithmetic mean of entropies.

    Two single-cluster partitions have NMI 1, a single cluster against several classes 0.
    """
    if average not in AVERAGES:
        raise RecocoError(f"Unknown average {average!r} of NMI: use one of {', '.join(AVERAGES)}.")
    return _score(AVERAGES[average], truth, labels)


def ari(truth: ArrayLike, labels: ArrayLike) -> float:
    """Rand index adjusted for chance."""
    return _score("ari", truth, labels)


def purity(truth: ArrayLike, labels: ArrayLike) -> float:
    """Share of objects that belong to the largest class of their cluster."""
    return _score("purity", truth, labels)
