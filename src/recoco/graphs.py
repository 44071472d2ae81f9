"""Graphs of nearest neighbours, for methods that want close rows to be clustered alike."""

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.methods.base import check_integer, check_matrix

WEIGHTS = ("binary", "cosine")
# columns with entries in more than this share of the rows are read last; a matter of speed
FREQUENT = 1 / 16


def neighbour_graph(A, k: int = 5, weights: str = "binary") -> sparse.csr_matrix:
    """Join every row with the k rows it has the largest cosine with.

    Two rows are joined when either is among the k nearest of the other. Of equal cosines the
    lowest rows count; rows without a common non-zero are never joined, so a row may have fewer
    than k neighbours, and a row of zeros has none. For a graph of the columns give ``A.T``.

    Parameters
    ----------
    A : array-like or sparse matrix (n, d), non-negative
    k : int, from 1 to n - 1
    weights : str
        ``binary``: an edge weighs 1; ``cosine``: it weighs the cosine of its rows.

    Returns
    -------
    csr_matrix (n, n), symmetric, nothing on the diagonal
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
    if weights not in WEIGHTS:
        raise RecocoError(f"weights is {weights!r}: give one of {', '.join(WEIGHTS)}.")
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
    """Rows of length one; a row of zeros stays."""
    largest = A.max(axis=1).toarray().ravel()
    lengths = np.diff(A.indptr)
    data = A.data / np.repeat(largest, lengths)
    squares = np.bincount(np.repeat(np.arange(A.shape[0]), lengths), data * data, A.shape[0])
    data /= np.repeat(np.sqrt(squares), lengths)
    return sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


def _parts(A):
    return A.indptr.astype(np.int32), A.indices.astype(np.int32), A.data
