"""Weightings of document-term matrices."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError

WEIGHTINGS: dict[str, str] = {
    "count": "the matrix as it is",
    "count-l1": "the matrix as it is, each row divided by its sum",
    "count-l2": "the matrix as it is, each row divided by its Euclidean norm",
    "binary": "1 where the entry is not zero",
    "binary-l1": "1 where the entry is not zero, each row divided by its sum",
    "binary-l2": "1 where the entry is not zero, each row divided by its Euclidean norm",
    "tfidf": "tf ln(n / df), rows not normalised",
    "tfidf-l2": "tf (1 + ln((1 + n) / (1 + df))), each row divided by its Euclidean norm",
}


def weight(X: sparse.spmatrix | sparse.sparray | ArrayLike, name: str) -> sparse.csr_matrix:
    """Weight the rows (documents) and columns (terms) of a matrix.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Counts or other non-negative entries; not modified.
    name : str
        A key of :data:`WEIGHTINGS`.

    Returns
    -------
    weighted : csr_matrix of float64
        With sorted indices and without stored zeros. Empty rows stay empty.

    Examples
    --------
    >>> from recoco import weight
    >>> weight([[3, 4]], "count-l2").toarray().tolist()
    [[0.6, 0.8]]
    """
    if name not in WEIGHTINGS:
        raise RecocoError(f"Unknown weighting {name!r}: {nearest(name, WEIGHTINGS)}")
    A = sparse.csr_matrix(X, dtype=np.float64, copy=True)
    A.sum_duplicates()  # also sorts the indices
    A.eliminate_zeros()
    scheme, _, norm = name.partition("-")
    if scheme == "binary":
        A.data[:] = 1.0
    elif scheme == "tfidf":
        n, documents = A.shape[0], np.bincount(A.indices, minlength=A.shape[1])
        if norm:
            A.data *= (1.0 + np.log((1.0 + n) / (1.0 + documents)))[A.indices]
        else:
            A.data *= np.log(n / np.maximum(documents, 1))[A.indices]
            A.eliminate_zeros()  # a term in every document has weight 0
    if norm:
        size = A.multiply(A).sum(axis=1) if norm == "l2" else abs(A).sum(axis=1)
        size = np.asarray(size).ravel()
        size = np.sqrt(size) if norm == "l2" else size
        A.data /= np.repeat(np.where(size > 0, size, 1.0), np.diff(A.indptr))
    return A
