"""Graphs of nearest neighbours, for methods that cluster close rows alike."""

from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.methods.checks import check_choice, check_integer, check_matrix

WEIGHTS = ("binary", "cosine")
# columns with entries in more than this fraction of the rows are read last, for speed
FREQUENT = 1 / 16


def neighbour_graph(A: Any, k: int = 5, weights: str = "binary") -> sparse.csr_matrix:  # eq. graph
    """Connect every row with the k rows with which it has the largest cosine.

    Two rows are connected if either is among the k nearest of the other. Among equal cosines the
    lowest rows win. Rows without a common non-zero are never connected, so a row may have fewer
    than k neighbours, and a row of zeros has none. For a graph of the columns, pass ``A.T``.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n, d)
        Non-negative matrix.
    k : int, default=5
        Number of neighbours, from 1 to n - 1.
    weights : {"binary", "cosine"}, default="binary"
        Weight of an edge: 1, or the cosine of its rows.

    Returns
    -------
    graph : csr_matrix of shape (n, n)
        Symmetric, with an empty diagonal.
    """
    import numba

    from recoco.kernels import neighbours as kernel

    A = check_matrix(A)
    n = A.shape[0]
    check_integer(k, "The number of neighbours", 1)
    if k >= n:
        raise RecocoError(
            f"{k} neighbours were asked of a matrix with {n} rows: ask for at most {n - 1}."
        )
    check_choice(weights, "weights", WEIGHTS)
    X = _unit_rows(A)
    frequent = np.bincount(X.indices, minlength=X.shape[1]) > FREQUENT * n
    rare, common = X[:, ~frequent], X[:, frequent]
    lengths = np.sqrt(np.asarray(common.multiply(common).sum(axis=1)).ravel())
    rows = np.empty((n, k), np.int32)
    values = np.empty((n, k))
    parallel = numba.get_num_threads() > 1 and A.nnz > 20_000
    run = kernel.nearest_parallel if parallel else kernel.nearest
    run(
        _parts(rare),
        _parts(rare.T.tocsr()),
        _parts(common),
        lengths,
        common.shape[1],
        rows,
        values,
    )
    found = rows >= 0
    indptr = np.r_[0, np.cumsum(found.sum(axis=1))]
    data = values[found] if weights == "cosine" else np.ones(indptr[-1])
    directed = sparse.csr_matrix((data, rows[found], indptr), shape=(n, n))
    graph = sparse.csr_matrix(directed.maximum(directed.T))
    graph.sort_indices()
    return graph


def _unit_rows(A):
    """Scale rows to unit length; a row of zeros stays."""
    largest = A.max(axis=1).toarray().ravel()
    lengths = np.diff(A.indptr)
    data = A.data / np.repeat(largest, lengths)
    squares = np.bincount(np.repeat(np.arange(A.shape[0]), lengths), data * data, A.shape[0])
    data /= np.repeat(np.sqrt(squares), lengths)
    return sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


def _parts(A):
    return A.indptr.astype(np.int32), A.indices.astype(np.int32), A.data
