"""Criteria of a co-clustering that need no classes."""

import numpy as np


def modularity(A, row_labels, column_labels) -> float:
    """Return the bipartite modularity Q(A, ZW^t) of eq. 2 in Ailem, Role and Nadif (2015).

    Sparse part plus rank-one part: the matrix a_i. a_.j / a_.. is never formed.
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
