"""Co-occurrence of words in documents and its shifted positive pointwise mutual information."""

from concurrent.futures import ThreadPoolExecutor
from numbers import Real

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.methods.base import check_matrix
from recoco.schema import nearest

COUNTS: dict[str, str] = {
    "binary": "number of documents with both words",
    "min": "sum over documents of the smaller of the two entries",
    "product": "sum over documents of the product of the two entries, X'X",
    "tfidf": "X'X, the name for it when X is a TF-IDF matrix",
}


def check_count(count: str, shift: float) -> None:
    """Refuse an unknown way to count and a shift that has no logarithm."""
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
    """What is counted, scaled by a power of two if its squares could overflow or vanish.

    The PMI does not depend on the scale.
    """
    data = np.ones_like(A.data) if count == "binary" else A.data
    exponent = int(np.frexp(data.max())[1])
    if abs(exponent) > 100:
        data = np.ldexp(data, -exponent)
    return sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


def _margins(A: sparse.csr_matrix, count: str, diagonal: bool) -> np.ndarray:
    """c_j. = sum over j' of c_jj', without the table of c_jj'."""
    if count == "min":
        from recoco.kernels.cooccurrence import minimum_sums

        sums = minimum_sums(A.indptr, A.indices, A.data, A.shape[1])
        own = A.sum(axis=0)
    else:
        sums = A.T @ np.asarray(A.sum(axis=1)).ravel()
        own = A.multiply(A).sum(axis=0)
    return sums if diagonal else np.maximum(sums - np.asarray(own).ravel(), 0.0)


def cooccurrence(X, count: str = "binary", diagonal: bool = True) -> sparse.csr_matrix:
    """Return the whole table of co-occurrences c_jj', for small vocabularies.

    Parameters are those of :func:`sppmi`, which does not need this table.
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
    """Min(x, y) is the sum over levels of [x >= level] [y >= level] step."""
    B = A.copy()
    B.data = (A.data >= level).astype(np.float64)
    B.eliminate_zeros()
    return step * (B.T @ B)


def sppmi(
    X,
    count: str = "binary",
    shift: float = 2.0,
    diagonal: bool = True,
    dtype=np.float64,
) -> sparse.csr_matrix:
    """Return the shifted positive PMI of the columns of X, the context being the row.

    m_jj' = max(log(c_jj' c_.. / (c_j. c_.j')) - log N, 0), where c_jj' counts how often the
    words j and j' occur in the same document (Salah, Ailem, Nadif 2018).

    Parameters
    ----------
    X : array-like or sparse matrix (n, d), non-negative
        Documents by words. "min" and "product" use its entries as they are: give the counts
        for co-occurrences of counts, the weighted matrix for those of weights.
    count : str
        A key of :data:`COUNTS`.
    shift : float
        N > 0; log N is taken off. 1: no shift.
    diagonal : bool
        Whether a word occurs together with itself.
    dtype : float64 or float32
        Type of the stored values; they are computed in float64.

    Returns
    -------
    csr_matrix (d, d), exactly symmetric, columns sorted, int32 or int64 row pointers
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
    """Groups of rows of the upper half, one for each of numba's threads: first row, entries."""
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
    # a row costs about as much as what follows its column in the documents that have it
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


def density(M) -> float:
    """Share of the entries that are not zero."""
    return M.nnz / (M.shape[0] * M.shape[1])
