"""Exact nearest neighbours of sparse rows by cosine, without a dense matrix of all pairs.

The cosines of one row with all others are summed column by column, using the transposed matrix. A
column with very many entries costs most and tells least, so such columns come second: the other
columns alone give a lower bound on every cosine and, with the lengths of the two rows in the
frequent columns, an upper bound (Cauchy-Schwarz). The frequent columns are then read only for rows
that may be among the k nearest.
"""

import numpy as np
from numba import njit, prange

CHUNK = 64
# more than any rounding error, so bounds exclude rows safely
SAFE = 1e-9


@njit(cache=True, nogil=True)
def _insert(cosine, row, values, rows):
    """Insert a row among the nearest so far; with equal cosines, the first stays first."""
    place = values.size - 1
    while place > 0 and values[place - 1] < cosine:
        values[place] = values[place - 1]
        rows[place] = rows[place - 1]
        place -= 1
    values[place] = cosine
    rows[place] = row


@njit(cache=True, nogil=True)
def _search(begin, end, rare, rare_columns, frequent, lengths, n_frequent, rows, values):
    indptr, indices, data = rare
    t_indptr, t_indices, t_data = rare_columns
    f_indptr, f_indices, f_data = frequent
    n, k = lengths.size, rows.shape[1]
    cosines = np.empty(n)
    own = np.zeros(n_frequent)
    lowest = np.empty(k)
    scratch = np.empty(k, rows.dtype)
    for i in range(begin, end):
        cosines[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            j = indices[p]
            for q in range(t_indptr[j], t_indptr[j + 1]):
                cosines[t_indices[q]] += x * t_data[q]
        lowest[:] = 0.0
        for m in range(n):
            if cosines[m] > lowest[k - 1] and m != i:
                _insert(cosines[m], m, lowest, scratch)
        needed = lowest[k - 1] - SAFE
        for p in range(f_indptr[i], f_indptr[i + 1]):
            own[f_indices[p]] = f_data[p]
        values[i] = 0.0
        rows[i] = -1
        for m in range(n):
            if cosines[m] + lengths[i] * lengths[m] < needed or m == i:
                continue
            cosine = cosines[m]
            for p in range(f_indptr[m], f_indptr[m + 1]):
                cosine += f_data[p] * own[f_indices[p]]
            if cosine > values[i, k - 1]:
                _insert(cosine, m, values[i], rows[i])
        for p in range(f_indptr[i], f_indptr[i + 1]):
            own[f_indices[p]] = 0.0


@njit(cache=True, nogil=True)
def nearest(rare, rare_columns, frequent, lengths, n_frequent, rows, values):
    """Find the k nearest rows of every row, nearest first; the lowest row wins a tie.

    Parameters
    ----------
    rare : (indptr, indices, data) of the unit rows without the frequent columns
    rare_columns : the same of its transpose
    frequent : the same of the frequent columns (n, n_frequent)
    lengths : float64 (n,), lengths of the rows in the frequent columns
    n_frequent : int
    rows : int32 (n, k), overwritten: -1 where fewer than k have a positive cosine
    values : float64 (n, k), overwritten: the cosines
    """
    _search(0, lengths.size, rare, rare_columns, frequent, lengths, n_frequent, rows, values)


@njit(cache=True, nogil=True, parallel=True)
def nearest_parallel(rare, rare_columns, frequent, lengths, n_frequent, rows, values):
    """Like :func:`nearest`, with the rows distributed over threads."""
    n = lengths.size
    for c in prange((n + CHUNK - 1) // CHUNK):
        _search(
            c * CHUNK,
            min(n, (c + 1) * CHUNK),
            rare,
            rare_columns,
            frequent,
            lengths,
            n_frequent,
            rows,
            values,
        )
