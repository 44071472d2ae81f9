"""Co-occurrence of words in documents and its shifted positive pointwise mutual information."""

from concurrent.futures import ThreadPoolExecutor
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.methods.checks import check_matrix

COUNTS: dict[str, str] = {
    "binary": "number of documents with both words",
    "min": "sum over documents of the smaller of the two entries",
    "product": "sum over documents of the product of the two entries, X'X",
    "tfidf": "X'X, the name for it when X is a TF-IDF matrix",
}


def check_count(count: str, shift: float) -> None:
    """Raise for an unknown way to count, and for a shift without a logarithm."""
    if count not in COUNTS:
        raise RecocoError(
            f"Unknown count of co-occurrences {count!r}: {nearest(str(count), COUNTS)}"
        )
    if not isinstance(shift, Real) or isinstance(shift, bool) or not 0 < shift < np.inf:
        raise RecocoError(f"shift is {shift!r}: give a number N > 0 (log N is taken off the PMI).")


def _check(X, count: str, shift: float) -> sparse.csr_matrix:
    check_count(count, shift)
    return _entries(check_matrix(X), count)


def _entries(A: sparse.csr_matrix, count: str) -> sparse.csr_matrix:
    """Return the values to count, scaled by a power of two if their squares could overflow.

    The PMI does not depend on the scale.
    """
    data = np.ones_like(A.data) if count == "binary" else A.data
    exponent = int(np.frexp(data.max())[1])
    if abs(exponent) > 100:
        data = np.ldexp(data, -exponent)
    return sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


def _margins(A: sparse.csr_matrix, count: str, diagonal: bool) -> np.ndarray:
    """Return c_j., the sum over j' of c_jj', without computing the table of c_jj'."""
    if count == "min":
        from recoco.kernels.cooccurrence import minimum_sums

        sums = minimum_sums(A.indptr, A.indices, A.data, A.shape[1])
        own = A.sum(axis=0)
    else:
        sums = A.T @ np.asarray(A.sum(axis=1)).ravel()
        own = A.multiply(A).sum(axis=0)
    return sums if diagonal else np.maximum(sums - np.asarray(own).ravel(), 0.0)


def cooccurrence(X: Any, count: str = "binary", diagonal: bool = True) -> sparse.csr_matrix:
    """Return the whole table of co-occurrences c_jj', for small vocabularies.

    The parameters are those of :func:`sppmi`, which does not need this table.
    """
    A = _check(X, count, 1.0)
    if count == "min":
        levels = [_thresholds(A, level, step) for level, step in _steps(A.data)]
        C = sum(levels[1:], levels[0])
    else:
        C = A.T @ A
    C = sparse.csr_matrix(C)
    if not diagonal:
        C.setdiag(0.0)
    C.eliminate_zeros()
    C.sort_indices()
    return C


def _steps(data):
    levels = np.unique(data)
    return zip(levels, np.diff(levels, prepend=0.0), strict=True)


def _thresholds(A, level, step):
    """Return indicators by level: min(x, y) is the sum of [x >= level] [y >= level] step."""
    B = A.copy()
    B.data = (A.data >= level).astype(np.float64)
    B.eliminate_zeros()
    return step * (B.T @ B)


def sppmi(
    X: Any,
    count: str = "binary",
    shift: float = 2.0,
    diagonal: bool = True,
    dtype: Any = np.float64,
) -> sparse.csr_matrix:
    """Return the shifted positive PMI of the columns of X, where the context is the row.

    m_jj' = max(log(c_jj' c_.. / (c_j. c_.j')) - log N, 0), where c_jj' counts how often the
    words j and j' occur in the same document (Salah, Ailem, Nadif 2018).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Non-negative matrix of documents by words. "min" and "product" use its entries unchanged:
        pass counts for co-occurrences of counts, a weighted matrix for those of weights.
    count : {"binary", "min", "product", "tfidf"}, default="binary"
        How co-occurrences are counted, see :data:`COUNTS`.
    shift : float, default=2.0
        N > 0, whose logarithm is subtracted; 1 means no shift.
    diagonal : bool, default=True
        Whether a word co-occurs with itself.
    dtype : type, default=numpy.float64
        Type of the stored values, float64 or float32. They are computed in float64.

    Returns
    -------
    M : csr_matrix of shape (d, d)
        Exactly symmetric, with sorted columns and int32 or int64 row pointers.

    Examples
    --------
    >>> from recoco.metrics.cooccurrence import sppmi
    >>> sppmi([[1, 1, 0], [1, 1, 0], [0, 0, 1]], shift=1.0).toarray().round(2).tolist()
    [[0.12, 0.12, 0.0], [0.12, 0.12, 0.0], [0.0, 0.0, 2.2]]
    """
    from recoco.kernels import cooccurrence as kernel

    A = _check(X, count, shift)
    d = A.shape[1]
    parts = _upper_parts(A, count, shift, diagonal, dtype)
    lengths = np.zeros(d, np.int64)
    for first, (own, index, _) in parts:
        kernel.add_lengths(first, own, index, lengths)
    pointers = np.r_[0, np.cumsum(lengths)]
    index = np.empty(pointers[-1], np.int32)
    value = np.empty(pointers[-1], dtype)
    ends = pointers[:-1].copy()
    for first, part in parts:
        kernel.mirror(first, *part, ends, index, value)
    if pointers[-1] < 2**31:
        pointers = pointers.astype(np.int32)
    M = sparse.csr_matrix((d, d), dtype=dtype)
    M.indptr, M.indices, M.data = pointers, index, value
    return M


def _upper_parts(A, count, shift, diagonal, dtype):
    """Return groups of rows of the upper half, one per thread: first row and entries."""
    import numba

    from recoco.kernels import cooccurrence as kernel

    places = np.arange(A.nnz, dtype=np.int64)
    At = sparse.csr_matrix((places, A.indices, A.indptr), shape=A.shape).T.tocsr()
    margins = _margins(A, count, diagonal)
    arguments = (
        kernel.MINIMUM if count == "min" else kernel.PRODUCT,
        (A.indptr, A.indices, A.data),
        (At.indptr, At.indices, At.data),
        margins,
        float(margins.sum()),
        float(shift),
        bool(diagonal),
        np.empty(0, dtype),
    )
    threads = numba.get_num_threads() if A.nnz > 10_000 else 1
    # the cost of a row is about the number of entries after its column in its documents
    after = np.repeat(A.indptr[1:], np.diff(A.indptr)) - places
    costs = np.cumsum(np.bincount(A.indices, after, A.shape[1]))
    bounds = np.searchsorted(costs, np.linspace(0, costs[-1], threads + 1)[1:-1])
    bounds = np.r_[0, bounds, A.shape[1]]

    def part(t):
        return bounds[t], kernel.upper_rows(bounds[t], bounds[t + 1], *arguments)

    if threads == 1:
        return [part(0)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(part, range(threads)))


def density(M: Any) -> float:
    """Return the fraction of non-zero entries."""
    return M.nnz / (M.shape[0] * M.shape[1])
