"""A checked set of partitions of the same objects, with consecutively numbered clusters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recoco.core.errors import RecocoError
from recoco.methods.checks import check_choice, check_integer


def check_partitions(partitions: Iterable[ArrayLike], what: str = "partition") -> list[np.ndarray]:
    """Return partitions as integer arrays of equal length; raise an error that names a bad one."""
    checked: list[np.ndarray] = []
    for number, labels in enumerate(partitions):
        labels = np.asarray(labels)
        if labels.ndim != 1 or labels.size == 0 or labels.dtype.kind not in "iu":
            raise RecocoError(
                f"The {what} number {number} has shape {labels.shape} and type {labels.dtype}: "
                "give one whole number per object."
            )
        if labels.min() < 0:
            raise RecocoError(
                f"The {what} number {number} has negative labels: number the clusters from 0."
            )
        if checked and labels.size != checked[0].size:
            raise RecocoError(
                f"The {what} number {number} has {labels.size} labels, the first has "
                f"{checked[0].size}: give partitions of the same objects."
            )
        checked.append(labels)
    if not checked:
        raise RecocoError(f"There is no {what}: give at least one.")
    return checked


def check_number(n_clusters: Any, n: int) -> int:
    """Return a number of clusters; raise unless n objects can be divided into so many."""
    if check_integer(n_clusters, "n_clusters", 1) > n:
        raise RecocoError(f"{n_clusters} clusters were asked of {n} objects: ask for at most {n}.")
    return int(n_clusters)


@dataclass
class Bases:
    """Base co-clusterings, represented by their factors.

    Attributes
    ----------
    by_row, by_column : ndarray of int32, shape (n, s) and (d, s)
        Numbers of the base clusters of each row and column. Cluster h of co-clustering l has the
        number ``offsets[l] + h``.
    offsets : ndarray of int64, shape (s + 1,)
        Number of the first cluster of each co-clustering.
    row_sizes, column_sizes : ndarray of int64, shape (K,)
        Numbers of rows and of columns of each base cluster.
    """

    by_row: np.ndarray
    by_column: np.ndarray
    offsets: np.ndarray
    row_sizes: np.ndarray
    column_sizes: np.ndarray

    @property
    def n_clusters(self) -> np.ndarray:
        """Number of co-clusters of each base that have both rows and columns."""
        used = (self.row_sizes > 0) & (self.column_sizes > 0)
        return np.add.reduceat(used.astype(np.int64), self.offsets[:-1])

    @property
    def n_empty(self) -> int:
        """Number of co-clusters with rows but no columns, or columns but no rows."""
        return int(((self.row_sizes > 0) != (self.column_sizes > 0)).sum())

    @property
    def weights(self) -> np.ndarray:
        """1 / (s sqrt(z_h w_h)) of every base cluster, and 0 where a side is empty."""
        size = self.row_sizes.astype(float) * self.column_sizes
        s = self.by_row.shape[1]
        return np.divide(1.0, s * np.sqrt(size), out=np.zeros(size.size), where=size > 0)

    def labels(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the row and column labels of one base."""
        first = self.offsets[number]
        return self.by_row[:, number] - first, self.by_column[:, number] - first

    def shared(self, row_labels: Any, column_labels: Any, n_clusters: int) -> np.ndarray:
        """Count the rows and columns of each base cluster in each cluster: shape (2, K, g)."""
        from recoco.kernels.ebco import count_pairs

        counts = np.zeros((2, self.row_sizes.size, n_clusters), np.int64)
        count_pairs(self.by_row, row_labels, counts[0])
        count_pairs(self.by_column, column_labels, counts[1])
        return counts

    def select(self, numbers: Iterable[int]) -> "Bases":
        """Return some of the bases."""
        pairs = [self.labels(number) for number in numbers]
        return number_clusters([z for z, _ in pairs], [w for _, w in pairs])


def number_clusters(row_labels: Sequence[np.ndarray], column_labels: Sequence[np.ndarray]) -> Bases:
    """Number the clusters of checked co-clusterings consecutively."""
    rooms = [int(max(z.max(), w.max())) + 1 for z, w in zip(row_labels, column_labels, strict=True)]
    offsets = np.concatenate([[0], np.cumsum(rooms)])
    by_row, by_column = (
        np.ascontiguousarray(np.stack(labels, axis=1) + offsets[:-1], dtype=np.int32)
        for labels in (row_labels, column_labels)
    )
    K = int(offsets[-1])
    return Bases(
        by_row,
        by_column,
        offsets,
        np.bincount(by_row.ravel(), minlength=K),
        np.bincount(by_column.ravel(), minlength=K),
    )


def check_bases(
    row_labels: Iterable[ArrayLike], column_labels: Iterable[ArrayLike], empty: str = "refuse"
) -> Bases:
    """Check a set of co-clusterings and number their clusters.

    Parameters
    ----------
    row_labels, column_labels : sequences of s integer arrays of length n and d
        The labels of each co-clustering.
    empty : {"refuse", "allow"}, default="refuse"
        What to do with a co-cluster that has rows but no columns, or vice versa. If allowed, it
        adds nothing to the consensus matrix.

    Returns
    -------
    bases : Bases
    """
    check_choice(empty, "empty", ("refuse", "allow"))
    rows = check_partitions(row_labels, "partition of the rows")
    columns = check_partitions(column_labels, "partition of the columns")
    if len(rows) != len(columns):
        raise RecocoError(
            f"There are {len(rows)} partitions of the rows and {len(columns)} of the columns: "
            "give one of each per co-clustering."
        )
    bases = number_clusters(rows, columns)
    if empty == "refuse" and bases.n_empty:
        h = int(np.flatnonzero((bases.row_sizes > 0) != (bases.column_sizes > 0))[0])
        base = int(np.searchsorted(bases.offsets, h, side="right")) - 1
        side = "columns" if bases.row_sizes[h] else "rows"
        raise RecocoError(
            f"Co-cluster {h - bases.offsets[base]} of base co-clustering {base} has no {side}: "
            "leave this base out, or pass empty='allow' to let it add nothing."
        )
    return bases
