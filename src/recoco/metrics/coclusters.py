"""Criteria of a co-clustering that need no classes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recoco.core.errors import RecocoError
from recoco.metrics.labels import as_array, codes_of


def modularity(A: Any, row_labels: ArrayLike, column_labels: ArrayLike) -> float:
    """Return the bipartite modularity Q(A, ZW^t) of eq. 2 in Ailem, Role and Nadif (2015).

    It is computed as a sparse part plus a rank-one part; the matrix a_i. a_.j / a_.. is never
    built.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n, d)
        The matrix.
    row_labels, column_labels : array-like of shape (n,) and (d,)
        Co-cluster of each row and column: numbers, text or anything hashable.

    Returns
    -------
    Q : float

    Examples
    --------
    >>> from recoco.metrics.coclusters import modularity
    >>> modularity([[3, 0], [0, 3]], [0, 1], [0, 1])
    0.5
    """
    from scipy.sparse import csr_matrix

    A = csr_matrix(A)
    rows, columns = _numbered(row_labels, column_labels)
    if (rows.size, columns.size) != A.shape:
        raise RecocoError(
            f"The matrix has shape {A.shape}, but there are labels for {rows.size} rows and "
            f"{columns.size} columns: give one for each."
        )
    total = A.sum()
    inside = np.repeat(rows, np.diff(A.indptr)) == columns[A.indices]
    size = int(max(rows.max(), columns.max())) + 1
    row_mass = np.bincount(rows, np.asarray(A.sum(axis=1)).ravel(), size)
    column_mass = np.bincount(columns, np.asarray(A.sum(axis=0)).ravel(), size)
    return float(A.data[inside].sum() / total - row_mass @ column_mass / total**2)


def _numbered(row_labels: Any, column_labels: Any) -> list[np.ndarray]:
    """Return the labels as integers from 0; a row and a column with equal labels stay equal."""
    whats = "The partition of the rows", "The partition of the columns"
    sides = [
        as_array(labels, what)
        for labels, what in zip((row_labels, column_labels), whats, strict=True)
    ]
    if all(
        side.ndim == 1 and side.dtype.kind in "iu" and side.min(initial=0) >= 0 for side in sides
    ):
        return sides
    codes = codes_of([*row_labels, *column_labels], "The co-clustering")
    return np.split(np.unique(codes, return_inverse=True)[1], [len(row_labels)])
