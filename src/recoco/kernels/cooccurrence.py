"""Co-occurrence of the columns of a sparse matrix, one row of the result at a time.

The table of all co-occurrences is often much larger than the result (NG20: 74 million entries, of
which 38 million remain), so it is never stored: a row is summed in a dense accumulator and only the
entries that remain are written. Only c_jj' with j <= j' is summed, document by document; the other
half of the result is its mirror image.
"""

import numpy as np
from numba import njit

PRODUCT, MINIMUM = 0, 1


@njit(cache=True, nogil=True)
def minimum_sums(indptr, indices, data, n_columns):
    """Return the sum over j' of sum_i min(x_ij, x_ij') for every column j."""
    sums = np.zeros(n_columns)
    for i in range(indptr.size - 1):
        first, last = indptr[i], indptr[i + 1]
        order = np.argsort(data[first:last], kind="mergesort")
        below = 0.0
        for r in range(order.size):
            p = first + order[r]
            # smaller entries contribute themselves; this one is the minimum with larger ones
            sums[indices[p]] += below + data[p] * (order.size - r)
            below += data[p]
    return sums


@njit(cache=True, nogil=True)
def _add_up(j, mode, indptr, indices, data, t_indptr, t_indices, places, sums, touched):
    """Write c_jj' of all j' >= j to ``sums`` and these j' to ``touched``; return their number."""
    found = 0
    for p in range(t_indptr[j], t_indptr[j + 1]):
        i, place = t_indices[p], places[p]
        x = data[place]
        for q in range(place, indptr[i + 1]):
            c = min(x, data[q]) if mode == MINIMUM else x * data[q]
            if c > 0.0:  # a product may underflow
                other = indices[q]
                if sums[other] == 0.0:
                    touched[found] = other
                    found += 1
                sums[other] += c
    return found


@njit(cache=True, nogil=True)
def _sort(touched, found, sums, first):
    """Sort the touched columns, none below ``first``; if there are many, by scanning all."""
    if found * 16 < sums.size - first:
        touched[:found].sort()
        return
    place = 0
    for j in range(first, sums.size):
        if sums[j] != 0.0:
            touched[place] = j
            place += 1


@njit(cache=True, nogil=True)
def _longer(array, size):
    """Return a copy with space for at least ``size`` entries, and twice as much as before."""
    copy = np.empty(max(size, 2 * array.size), array.dtype)
    copy[: array.size] = array
    return copy


@njit(cache=True, nogil=True)
def upper_rows(first, last, mode, by_row, by_column, margins, total, shift, diagonal, like):
    """Return rows ``first`` to ``last`` of the SPPMI matrix, from the diagonal on, sorted.

    Parameters
    ----------
    first, last : int
    mode : PRODUCT or MINIMUM
    by_row : tuple (indptr, indices, data) of the matrix, indices sorted
    by_column : tuple (indptr, indices, places) of its transpose: entry p is data[places[p]]
    margins : float64 (d,), c_j.
    total : float, c_..
    shift : float, N
    diagonal : bool, whether c_jj counts
    like : float array, of the type the values are stored in

    Returns
    -------
    lengths : int64 (last - first,), entries of each row
    index : int32, their columns; value : float
    """
    indptr, indices, data = by_row
    t_indptr, t_indices, places = by_column
    d = margins.size
    sums, touched = np.zeros(d), np.empty(d, np.int32)
    lengths = np.zeros(last - first, np.int64)
    index, value = np.empty(d, np.int32), np.empty(d, like.dtype)
    kept = 0
    for j in range(first, last):
        found = _add_up(j, mode, indptr, indices, data, t_indptr, t_indices, places, sums, touched)
        _sort(touched, found, sums, j)
        if kept + found > index.size:
            index, value = _longer(index, kept + found), _longer(value, kept + found)
        before = kept
        for r in range(found):
            other = touched[r]
            # both margins of a pair are at least c_jj', except for rounding
            expected = margins[j] * margins[other]
            if expected > 0.0 and (diagonal or other != j):
                ratio = sums[other] * total / (expected * shift)  # eq. 2 and 3
                if ratio > 1.0:
                    index[kept] = other
                    value[kept] = np.log(ratio)
                    kept += 1
            sums[other] = 0.0
        lengths[j - first] = kept - before
    return lengths, index[:kept].copy(), value[:kept].copy()


@njit(cache=True, nogil=True)
def add_lengths(first, lengths, index, whole):
    """Add the numbers of entries of some upper rows and their mirror images to ``whole`` (d,)."""
    p = 0
    for r in range(lengths.size):
        j = first + r
        whole[j] += lengths[r]
        for _ in range(lengths[r]):
            whole[index[p]] += index[p] != j
            p += 1


@njit(cache=True, nogil=True)
def mirror(first, lengths, index, value, ends, whole_index, whole_value):
    """Write some upper rows and their mirror images, in the order of the rows.

    Parameters
    ----------
    first, lengths, index, value : the first row, and what :func:`upper_rows` returned
    ends : int64 (d,), where the next entry of each row goes: overwritten
    whole_index, whole_value : int32 and float, of the whole matrix: overwritten
    """
    p = 0
    for r in range(lengths.size):
        j = first + r
        for _ in range(lengths[r]):
            other = index[p]
            whole_index[ends[j]] = other
            whole_value[ends[j]] = value[p]
            ends[j] += 1
            if other != j:
                whole_index[ends[other]] = j
                whole_value[ends[other]] = value[p]
                ends[other] += 1
            p += 1
