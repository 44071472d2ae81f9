"""Criteria of a co-clustering that need no classes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def modularity(A: Any, row_labels: ArrayLike, column_labels: ArrayLike) -> float:
    """Return the bipartite modularity Q(A, ZW^t) of eq. 2 in Ailem, Role and Nadif (2015).

    It is computed as a sparse part plus a rank-one part; the matrix a_i. a_.j / a_.. is never
    built.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n, d)
        The matrix.
    row_labels, column_labels : array-like of shape (n,) and (d,)
        Co-cluster of each row and column.

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
    rows, columns = np.asarray(row_labels), np.asarray(column_labels)
    total = A.sum()
    inside = np.repeat(rows, np.diff(A.indptr)) == columns[A.indices]
    size = int(max(rows.max(), columns.max())) + 1
    row_mass = np.bincount(rows, np.asarray(A.sum(axis=1)).ravel(), size)
    column_mass = np.bincount(columns, np.asarray(A.sum(axis=0)).ravel(), size)
    return float(A.data[inside].sum() / total - row_mass @ column_mass / total**2)
