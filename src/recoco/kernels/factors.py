"""Products of a sparse matrix with many factors at once, for multiplicative updates.

The factors of T starts with k columns each are stored side by side: row j of all of them is T * k
contiguous numbers, so a non-zero x_ij adds x_ij times one such row to row i of the result. The
matrix is cut into blocks of columns, so the rows that are read repeatedly stay in the cache; within
a block, the column of a non-zero needs two bytes.

Non-zeros are added to a row in the order in which they are stored, for any number of threads or
starts.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.factors_vectors import add_row


@njit(cache=True, nogil=True)
def cut(indptr, indices, data, width, pointers, local, values):
    """Sort the non-zeros of a CSR matrix by block of columns, then row, then column.

    Parameters
    ----------
    indptr, indices, data : CSR matrix (n, d)
    width : int, columns of a block, at most 65536
    pointers : int64 (blocks, n + 1), overwritten: row i of block b is pointers[b, i : i + 2]
    local : uint16 (nnz,), overwritten: column minus the first column of its block
    values : float (nnz,), overwritten
    """
    blocks, n = pointers.shape[0], pointers.shape[1] - 1
    counts = np.zeros((blocks, n), np.int64)
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            counts[indices[p] // width, i] += 1
    total = 0
    for b in range(blocks):
        for i in range(n):
            pointers[b, i] = total
            total += counts[b, i]
        pointers[b, n] = total
    counts[:] = 0
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            b = indices[p] // width
            place = pointers[b, i] + counts[b, i]
            counts[b, i] += 1
            local[place] = indices[p] - b * width
            values[place] = data[p]


@njit(cache=True, nogil=True)
def _product_rows(first, last, pointers, local, values, width, F, out):
    columns = F.shape[1]
    for i in range(first, last):
        for c in range(columns):
            out[i, c] = 0.0
    for b in range(pointers.shape[0]):
        base = b * width
        for i in range(first, last):
            add_row(values, local, pointers[b, i], pointers[b, i + 1], F, base, out, i)


@njit(cache=True, nogil=True)
def product(bounds, pointers, local, values, width, F, out):
    """Multiply the sparse matrix by F.

    Parameters
    ----------
    bounds : int64, rows from bounds[c] to bounds[c + 1] are processed together
    pointers, local, values, width : the matrix as left by :func:`cut`
    F : float (d, T * k)
    out : float (n, T * k), overwritten
    """
    for c in range(bounds.size - 1):
        _product_rows(bounds[c], bounds[c + 1], pointers, local, values, width, F, out)


@njit(cache=True, nogil=True, parallel=True)
def product_parallel(bounds, pointers, local, values, width, F, out):
    """Like :func:`product`, with the groups of rows distributed over threads."""
    for c in prange(bounds.size - 1):
        _product_rows(bounds[c], bounds[c + 1], pointers, local, values, width, F, out)
