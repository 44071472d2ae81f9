"""Small computations on arrays that several methods share."""

import numpy as np
from scipy import sparse

# a matrix is computed with as it is if its largest entry lies between 2**-SAFE and 2**SAFE: squares
# and sums of products then stay finite
SAFE = 248
LEAST = np.finfo(np.float64).tiny


def signs(U: np.ndarray) -> np.ndarray:
    """Return -1 or 1 for each column, by which its largest entry becomes positive.

    The sign of an eigenvector is arbitrary, and this makes it reproducible.
    """
    return np.where(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])] < 0, -1.0, 1.0)


def inverse_root(degree: np.ndarray) -> np.ndarray:
    """Return 1 / sqrt(degree), and 0 for an empty row or column."""
    root = np.sqrt(np.maximum(degree, 0.0))
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)


def parts(A: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the arrays of a sparse matrix in the order in which kernels take them."""
    return A.indptr, A.indices, A.data


def slots(labels: np.ndarray, dtype: type[np.unsignedinteger]) -> np.ndarray:
    """Turn labels (n, B) into the slots of a kernel: cluster k of start b is slot k * B + b."""
    B = labels.shape[1]
    found = labels.astype(dtype) * dtype(B) + np.arange(B, dtype=dtype)
    return np.ascontiguousarray(found)


def slot_dtype(slots: int) -> type[np.unsignedinteger]:
    """Return the smallest type of so many slots."""
    return np.uint16 if slots <= np.iinfo(np.uint16).max else np.uint32


def small_indices(A: sparse.csr_matrix) -> sparse.csr_matrix:
    """Use int32 as the only index type wherever it suffices, so that kernels are compiled once."""
    if max(A.nnz, *A.shape) >= 2**31:
        return A
    parts = (A.data, *(part.astype(np.int32, copy=False) for part in (A.indices, A.indptr)))
    return sparse.csr_matrix(parts, shape=A.shape)


def safe_exponents(largest: np.ndarray, least: int = -SAFE) -> np.ndarray:
    """Return the e by which largest / 2**e is in the safe range or at its end, 0 where it is in it.

    They are even, so that square roots are scaled exactly too.
    """
    exponents = np.frexp(largest)[1]
    beyond = exponents - np.clip(exponents, least, SAFE)
    return beyond + beyond % 2


def safely_scaled(
    matrices: list[sparse.csr_matrix], least: int = -SAFE
) -> tuple[list[sparse.csr_matrix], int]:
    """Divide matrices by a power of two if their largest entry is not in 2**least .. 2**SAFE.

    It is moved to the nearest end of the range and no further: what is extreme stays extreme, so a
    model for which the scale matters remains nearly the same.

    Returns
    -------
    matrices : list of csr_matrix
        The given ones, divided by 2**exponent.
    exponent : int
        0 if the matrices are the given ones.
    """
    entries = [A.data for A in matrices]
    exponent = int(safe_exponents(max(data.max() for data in entries), least))
    if exponent == 0:
        return matrices, 0
    # an entry that would vanish stays, so that no row becomes empty
    divided = [np.maximum(np.ldexp(data, -exponent), LEAST) for data in entries]
    pairs = zip(divided, matrices, strict=True)
    return [sparse.csr_matrix((x, A.indices, A.indptr), shape=A.shape) for x, A in pairs], exponent


def lengths(F: np.ndarray) -> np.ndarray:
    """Return the Euclidean lengths of non-negative columns, and 1 for columns of zeros."""
    largest = F.max(axis=0)
    largest[largest == 0] = 1.0
    found = largest * np.sqrt(((F / largest) ** 2).sum(axis=0))
    return np.where(found > 0, found, 1.0)
