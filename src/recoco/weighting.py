"""Term weightings: what is done to a document-term matrix before it is clustered."""

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.schema import nearest

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


def weight(X, name: str) -> sparse.csr_matrix:
    """Weight the rows (documents) and columns (terms) of a matrix.

    Parameters
    ----------
    X : sparse matrix or array-like of shape (n, d)
        Counts or other non-negative entries; left unchanged.
    name : str
        A key of :data:`WEIGHTINGS`.

    Returns
    -------
    csr_matrix of float64, indices sorted, no stored zeros. Empty rows stay empty.
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
            A.eliminate_zeros()  # a term of every document has weight 0
    if norm:
        size = A.multiply(A).sum(axis=1) if norm == "l2" else abs(A).sum(axis=1)
        size = np.asarray(size).ravel()
        size = np.sqrt(size) if norm == "l2" else size
        A.data /= np.repeat(np.where(size > 0, size, 1.0), np.diff(A.indptr))
    return A
