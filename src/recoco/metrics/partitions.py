"""Scores of partitions against the known classes.

Partitions of different numbers of clusters are allowed, labels need not be contiguous, and no
score depends on how the clusters are named: tables are built in order of first occurrence.
"""

import numpy as np

from recoco.errors import RecocoError

AVERAGES = ("geometric", "arithmetic")


def _labels(labels, what: str) -> np.ndarray:
    """Return labels as a contiguous integer array or say why they are none."""
    labels = np.asarray(labels)
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all() or (labels != np.floor(labels)).any():
            raise RecocoError(
                f"{what} has labels that are not whole numbers: give one integer per object."
            )
        labels = labels.astype(np.int64)
    if labels.dtype.kind not in "iub":
        raise RecocoError(
            f"{what} has labels of type {labels.dtype}: encode the classes as integers from 0."
        )
    if labels.size == 0:
        raise RecocoError(f"{what} is empty: there is nothing to score.")
    if labels.dtype.kind == "i" and labels.min() < 0:
        raise RecocoError(f"{what} has negative labels: number the clusters from 0.")
    return np.ascontiguousarray(labels, dtype=np.int64)


def _pair(truth, partitions) -> tuple[np.ndarray, np.ndarray]:
    truth = _labels(truth, "The truth")
    partitions = _labels(partitions, "The partition")
    if truth.ndim != 1 or partitions.ndim != 2 or partitions.shape[1] != truth.size:
        raise RecocoError(
            f"The truth has shape {truth.shape} and the partitions {partitions.shape}: "
            "give n labels and an (R, n) array over the same n objects."
        )
    return truth, partitions


def _tables(truth, partitions):
    """Contingency tables (R, K, L), number of clusters (R,) and their scores (R, 5)."""
    from recoco.kernels.contingency import contingency_tables, table_scores

    truth, partitions = _pair(truth, partitions)
    truth = canonical(truth)
    room = int(partitions.max()) + 1
    if room > 2 * truth.size:  # widely spaced names: a table by name would be mostly empty
        partitions = np.stack([canonical(row) for row in partitions])
        room = int(partitions.max()) + 1
    counts, sizes = contingency_tables(truth, int(truth.max()) + 1, partitions, room)
    return counts, sizes, table_scores(counts, sizes)


def _accuracy(table: np.ndarray) -> float:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / table.sum())


def _nmi(scores: np.ndarray, average: str) -> np.ndarray:
    """NMI from (R, 3+) columns: mutual information, entropy of classes, entropy of clusters."""
    if average not in AVERAGES:
        raise RecocoError(f"Unknown average {average!r} of NMI: use one of {', '.join(AVERAGES)}.")
    information, h, k = scores[:, 0], scores[:, 1], scores[:, 2]
    size = np.sqrt(h * k) if average == "geometric" else (h + k) / 2
    size = np.where(h == k, h, size)  # sqrt(h h) may differ from h in the last bit
    value = np.divide(information, size, out=np.zeros_like(size), where=(h > 0) & (k > 0))
    value[(h == 0) & (k == 0)] = 1.0
    return np.clip(value, 0.0, 1.0)


def canonical(labels) -> np.ndarray:
    """Relabel a partition by first occurrence: the first object is in cluster 0, and so on."""
    labels = _labels(labels, "The partition").ravel()
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    return rank[inverse.ravel()]


def contingency(truth, labels) -> np.ndarray:
    """Count the objects of each (class, cluster) pair, both in the order of their labels."""
    truth, labels = _pair(truth, np.asarray(labels)[None])
    classes, i = np.unique(truth, return_inverse=True)
    clusters, j = np.unique(labels[0], return_inverse=True)
    flat = np.bincount(i * clusters.size + j, minlength=classes.size * clusters.size)
    return flat.reshape(classes.size, clusters.size)


def accuracy(truth, labels) -> float:
    """Share of objects matched by the best one-to-one map from clusters to classes."""
    return _accuracy(contingency(truth, labels))


def nmi(truth, labels, average: str = "geometric") -> float:
    """Mutual information over the geometric (Strehl & Ghosh) or arithmetic mean of entropies.

    Two single-cluster partitions have NMI 1, a single cluster against several classes 0.
    """
    return float(_nmi(_tables(truth, np.asarray(labels)[None])[2], average)[0])


def ari(truth, labels) -> float:
    """Rand index adjusted for chance."""
    return float(_tables(truth, np.asarray(labels)[None])[2][0, 3])


def purity(truth, labels) -> float:
    """Share of objects that belong to the largest class of their cluster."""
    return float(_tables(truth, np.asarray(labels)[None])[2][0, 4])


def score_partitions(truth, partitions) -> dict[str, np.ndarray]:
    """Score many partitions of the same objects at once.

    Parameters
    ----------
    truth : array-like of int, shape (n,)
    partitions : array-like of int, shape (R, n)

    Returns
    -------
    dict of float64 arrays (R,): acc, nmi (geometric), nmi_arithmetic, ari, purity, n_clusters.
    """
    counts, sizes, scores = _tables(truth, partitions)
    return {
        "acc": np.array(
            [_accuracy(table[:, :size]) for table, size in zip(counts, sizes, strict=True)]
        ),
        "nmi": _nmi(scores, "geometric"),
        "nmi_arithmetic": _nmi(scores, "arithmetic"),
        "ari": scores[:, 3].copy(),
        "purity": scores[:, 4].copy(),
        "n_clusters": sizes.astype(np.float64),
    }
