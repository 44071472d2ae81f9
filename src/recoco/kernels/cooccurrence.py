"""Co-occurrence of the columns of a sparse matrix, one row of the result at a time.

The table of all co-occurrences is often far larger than what is kept of it (NG20: 74 million
entries, 38 million kept), so it is never stored: a row is added up in a dense accumulator and
only what passes is written. Every c_jj' is added up document by document in both of its places,
so that the result is exactly symmetric.
"""

import numpy as np
from numba import njit, prange

PRODUCT, MINIMUM = 0, 1


@njit(cache=True, nogil=True)
def minimum_sums(indptr, indices, data, n_columns):
    """Sum over j' of sum_i min(x_ij, x_ij'), for every column j."""
    sums = np.zeros(n_columns)
    for i in range(indptr.size - 1):
        first, last = indptr[i], indptr[i + 1]
        order = np.argsort(data[first:last], kind="mergesort")
        below = 0.0
        for r in range(order.size):
            p = first + order[r]
            # smaller entries count themselves, this one is the minimum with the larger ones
            sums[indices[p]] += below + data[p] * (order.size - r)
            below += data[p]
    return sums


@njit(cache=True, nogil=True)
def _add_up(j, mode, indptr, indices, data, t_indptr, t_indices, t_data, sums, touched):
    """Put c_jj' of all j' in ``sums`` and the columns j' met in ``touched``: their number."""
    found = 0
    for p in range(t_indptr[j], t_indptr[j + 1]):
        i, x = t_indices[p], t_data[p]
        for q in range(indptr[i], indptr[i + 1]):
            c = min(x, data[q]) if mode == MINIMUM else x * data[q]
            if c > 0.0:  # a product may be too small to hold
                other = indices[q]
                if sums[other] == 0.0:
                    touched[found] = other
                    found += 1
                sums[other] += c
    return found


@njit(cache=True, nogil=True)
def _sort(touched, found, sums):
    """Sort the columns met; if they are many, by looking through all."""
    if found * 16 < sums.size:
        touched[:found].sort()
        return
    place = 0
    for j in range(sums.size):
        if sums[j] != 0.0:
            touched[place] = j
            place += 1


@njit(cache=True, nogil=True)
def _row(
    j, mode, by_row, by_column, margins, total, shift, diagonal, sums, touched, out_index, out_value
):
    """One row of the SPPMI matrix; with empty outputs it is only counted."""
    indptr, indices, data = by_row
    t_indptr, t_indices, t_data = by_column
    found = _add_up(j, mode, indptr, indices, data, t_indptr, t_indices, t_data, sums, touched)
    write = out_index.size > 0
    if write:
        _sort(touched, found, sums)
    kept = 0
    for r in range(found):
        other = touched[r]
        # both margins of a pair are at least c_jj', unless rounding has lost it
        expected = margins[j] * margins[other]
        if expected > 0.0 and (diagonal or other != j):
            ratio = sums[other] * total / (expected * shift)
            if ratio > 1.0:
                if write:
                    out_index[kept] = other
                    out_value[kept] = np.log(ratio)
                kept += 1
        sums[other] = 0.0
    return kept


@njit(cache=True, nogil=True)
def _count_rows(first, last, mode, by_row, by_column, margins, total, shift, diagonal, lengths):
    d = margins.size
    sums, touched = np.zeros(d), np.empty(d, np.int32)
    no_index, no_value = np.empty(0, np.int32), np.empty(0)
    for j in range(first, last):
        lengths[j] = _row(
            j,
            mode,
            by_row,
            by_column,
            margins,
            total,
            shift,
            diagonal,
            sums,
            touched,
            no_index,
            no_value,
        )


@njit(cache=True, nogil=True)
def _fill_rows(
    first, last, mode, by_row, by_column, margins, total, shift, diagonal, pointers, index, value
):
    d = margins.size
    sums, touched = np.zeros(d), np.empty(d, np.int32)
    for j in range(first, last):
        if pointers[j] < pointers[j + 1]:
            _row(
                j,
                mode,
                by_row,
                by_column,
                margins,
                total,
                shift,
                diagonal,
                sums,
                touched,
                index[pointers[j] : pointers[j + 1]],
                value[pointers[j] : pointers[j + 1]],
            )


GROUP = 64


@njit(cache=True, nogil=True)
def count(mode, by_row, by_column, margins, total, shift, diagonal, lengths):
    """Number of entries of every row of the SPPMI matrix.

    Parameters
    ----------
    mode : PRODUCT or MINIMUM
    by_row, by_column : tuples (indptr, indices, data) of the matrix and of its transpose
    margins : float64 (d,), c_j.
    total : float, c_..
    shift : float, N
    diagonal : bool, whether c_jj counts
    lengths : int64 (d,), overwritten
    """
    d = margins.size
    _count_rows(0, d, mode, by_row, by_column, margins, total, shift, diagonal, lengths)


@njit(cache=True, nogil=True, parallel=True)
def count_parallel(mode, by_row, by_column, margins, total, shift, diagonal, lengths):
    """The same as :func:`count`, groups of rows spread over numba's threads."""
    d = margins.size
    groups = (d + GROUP - 1) // GROUP
    for c in prange(groups):
        first, last = c * GROUP, min(d, (c + 1) * GROUP)
        _count_rows(first, last, mode, by_row, by_column, margins, total, shift, diagonal, lengths)


@njit(cache=True, nogil=True)
def fill(mode, by_row, by_column, margins, total, shift, diagonal, pointers, index, value):
    """Write the SPPMI matrix, columns sorted, to the places that :func:`count` found.

    Parameters
    ----------
    pointers : int64 (d + 1,), row pointers; index : int32; value : float; both overwritten
    """
    d = margins.size
    _fill_rows(
        0, d, mode, by_row, by_column, margins, total, shift, diagonal, pointers, index, value
    )


@njit(cache=True, nogil=True, parallel=True)
def fill_parallel(mode, by_row, by_column, margins, total, shift, diagonal, pointers, index, value):
    """The same as :func:`fill`, groups of rows spread over numba's threads."""
    d = margins.size
    groups = (d + GROUP - 1) // GROUP
    for c in prange(groups):
        first, last = c * GROUP, min(d, (c + 1) * GROUP)
        _fill_rows(
            first,
            last,
            mode,
            by_row,
            by_column,
            margins,
            total,
            shift,
            diagonal,
            pointers,
            index,
            value,
        )
