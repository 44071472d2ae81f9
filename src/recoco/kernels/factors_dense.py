"""Dense parts of multiplicative updates, for many starts at once.

A factor of T starts is an array (rows, T, k). With k = 4 or 20 columns a row is too short for
vector units, so LANES rows of one start are transposed and all arithmetic runs along them. Sums
over rows are computed in chunks of CHUNK rows, within a chunk by lanes, in a fixed order and in
float64: they depend neither on the number of threads nor on the other starts. Sums of products of
wide factors are computed four rows at a time, in panels of PANEL columns.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.factors_vectors import (
    PANEL,
    add_four_rows,
    add_tile,
    combine_tile,
    return_tile,
    turn_tile,
)

LANES = 128
# float64 numbers per vector
EIGHT = 8
# bytes of a cache line, and of a vector
LINE = 64
CHUNK = 512
# k x m sums with EIGHT lanes each must fit in the cache; wider tables have one sum each
WIDEST = 4096


@njit(cache=True, nogil=True)
def lanes(k, like):
    """Return zeros (k, LANES) of the type of ``like``, with k rounded up to a multiple of 4."""
    rows = (k + 3) // 4 * 4
    size = like.itemsize
    raw = np.zeros(rows * LANES + LINE // size, like.dtype)
    first = -raw.ctypes.data % LINE // size
    return raw[first : first + rows * LANES].reshape(rows, LANES)


@njit(cache=True, nogil=True)
def turn(F, t, first, last, side):
    """Set side[c, r] = F[first + r, t, c], with zeros after the last row."""
    rows, k = last - first, F.shape[2]
    # the last four columns may overlap with those before them, and are then copied twice
    whole = rows // 4 * 4 if k >= 4 else 0
    for r in range(0, whole, 4):
        for c in range(0, k, 4):
            turn_tile(F, first + r, t, min(c, k - 4), side, r)
    for c in range(k):
        for r in range(whole, rows):
            side[c, r] = F[first + r, t, c]
        for r in range(rows, LANES):
            side[c, r] = 0.0


@njit(cache=True, nogil=True)
def turn_back(side, first, last, F, t):
    """Set F[first + r, t, c] = side[c, r]."""
    rows, k = last - first, F.shape[2]
    whole = rows // 4 * 4 if k >= 4 else 0
    for r in range(0, whole, 4):
        for c in range(0, k, 4):
            return_tile(side, r, F, first + r, t, min(c, k - 4))
    for r in range(whole, rows):
        for c in range(k):
            F[first + r, t, c] = side[c, r]


@njit(cache=True, nogil=True)
def add_products(x, y, symmetric, sums):
    """Add x[a, q] y[b, q] to sums[a, b, q % 8]; if symmetric, at least in the upper half."""
    for a in range(0, x.shape[0], 4):
        for b in range(a if symmetric else 0, y.shape[0], 4):
            add_tile(x, a, y, b, sums)


@njit(cache=True, nogil=True)
def add_lanes(sums, symmetric, out):
    """Sum sums[a, b] over lanes into out[a, b]; if symmetric, from the upper half."""
    for a in range(out.shape[0]):
        for b in range(a if symmetric else 0, out.shape[1]):
            total = 0.0
            for q in range(EIGHT):
                total += sums[a, b, q]
            out[a, b] = total
            if symmetric:
                out[b, a] = total


@njit(cache=True, nogil=True)
def _cross_lanes(first, last, A, B, t, symmetric, out):
    k, m = A.shape[2], B.shape[2]
    a_side = lanes(k, out)
    b_side = a_side if symmetric else lanes(m, out)
    sums = np.zeros((a_side.shape[0], b_side.shape[0], EIGHT))
    for begin in range(first, last, LANES):
        end = min(last, begin + LANES)
        turn(A, t, begin, end, a_side)
        if not symmetric:
            turn(B, t, begin, end, b_side)
        add_products(a_side, b_side, symmetric, sums)
    add_lanes(sums, symmetric, out)


@njit(cache=True, nogil=True)
def panels(k, like):
    """Return zeros (panels, LANES, PANEL) of the type of ``like`` for LANES rows of k columns."""
    count = (k + PANEL - 1) // PANEL
    size = like.itemsize
    raw = np.zeros(count * LANES * PANEL + LINE // size, like.dtype)
    first = -raw.ctypes.data % LINE // size
    return raw[first : first + count * LANES * PANEL].reshape(count, LANES, PANEL)


@njit(cache=True, nogil=True)
def fill_panels(F, t, first, last, out):
    """Set out[c // PANEL, r, c % PANEL] = F[first + r, t, c], with zeros after the last row."""
    k = F.shape[2]
    for r in range(last - first):
        for p in range(out.shape[0]):
            for c in range(min(PANEL, k - p * PANEL)):
                out[p, r, c] = F[first + r, t, p * PANEL + c]
    out[:, last - first :] = 0.0


@njit(cache=True, nogil=True)
def add_panels(x, y, rows, symmetric, sums):
    """Add the products of rows of x and y to sums, four rows at a time, see ``add_four_rows``.

    If symmetric, at least in the upper half. 4 must divide ``rows`` and the rows of ``sums``.
    """
    for a in range(0, sums.shape[0], 4):
        for b in range(a // PANEL * PANEL if symmetric else 0, sums.shape[1], PANEL):
            add_four_rows(x, a, y, b, rows, sums)


@njit(cache=True, nogil=True)
def _cross_wide(first, last, A, B, t, symmetric, out):
    k, m = A.shape[2], B.shape[2]
    x = panels(k, out)
    y = x if symmetric else panels(m, out)
    sums = np.zeros(((k + 3) // 4 * 4, y.shape[0] * PANEL))
    for begin in range(first, last, LANES):
        end = min(last, begin + LANES)
        fill_panels(A, t, begin, end, x)
        if not symmetric:
            fill_panels(B, t, begin, end, y)
        add_panels(x, y, (end - begin + 3) // 4 * 4, symmetric, sums)
    for a in range(k):
        for b in range(m):
            out[a, b] = sums[b, a] if symmetric and b < a else sums[a, b]


@njit(cache=True, nogil=True)
def _cross_chunk(c, A, B, symmetric, part):
    first = c * CHUNK
    last = min(A.shape[0], first + CHUNK)
    for t in range(A.shape[1]):
        if A.shape[2] * B.shape[2] <= WIDEST:
            _cross_lanes(first, last, A, B, t, symmetric, part[t])
        else:
            _cross_wide(first, last, A, B, t, symmetric, part[t])


@njit(cache=True, nogil=True)
def _add(part, total):
    for t in range(part.shape[0]):
        for a in range(part.shape[1]):
            for b in range(part.shape[2]):
                total[t, a, b] += part[t, a, b]


@njit(cache=True, nogil=True)
def add_chunks(parts):
    total = np.zeros(parts.shape[1:])
    for c in range(parts.shape[0]):
        _add(parts[c], total)
    return total


@njit(cache=True, nogil=True)
def cross(A, B, symmetric):
    """Return A'B of every start.

    Parameters
    ----------
    A, B : float (rows, T, k) and (rows, T, m)
    symmetric : bool, whether A and B are the same

    Returns
    -------
    float64 (T, k, m)
    """
    part = np.empty((A.shape[1], A.shape[2], B.shape[2]))
    total = np.zeros(part.shape)
    for c in range((A.shape[0] + CHUNK - 1) // CHUNK):
        _cross_chunk(c, A, B, symmetric, part)
        _add(part, total)
    return total


@njit(cache=True, nogil=True, parallel=True)
def cross_parallel(A, B, symmetric):
    """Like :func:`cross`, with the chunks distributed over threads."""
    chunks = (A.shape[0] + CHUNK - 1) // CHUNK
    parts = np.empty((chunks, A.shape[1], A.shape[2], B.shape[2]))
    for c in prange(chunks):
        _cross_chunk(c, A, B, symmetric, parts[c])
    return add_chunks(parts)


@njit(cache=True, nogil=True)
def _inner_chunk(c, A, B, part):
    first = c * CHUNK
    last = min(A.shape[0], first + CHUNK)
    T, k = A.shape[1], A.shape[2]
    sums = np.zeros((T, k))
    for r in range(first, last):
        for t in range(T):
            for a in range(k):
                sums[t, a] += np.float64(A[r, t, a]) * np.float64(B[r, t, a])
    for t in range(T):
        part[t] = 0.0
        for a in range(k):
            part[t] += sums[t, a]


@njit(cache=True, nogil=True)
def inner(A, B):
    """Return the sum of the products of the entries of A and B of every start: float64 (T,)."""
    chunks = (A.shape[0] + CHUNK - 1) // CHUNK
    total = np.zeros(A.shape[1])
    part = np.empty(A.shape[1])
    for c in range(chunks):
        _inner_chunk(c, A, B, part)
        for t in range(total.size):
            total[t] += part[t]
    return total


@njit(cache=True, nogil=True)
def widen(small, wide):
    """Copy a small matrix into one with more columns."""
    for a in range(small.shape[0]):
        for b in range(small.shape[1]):
            wide[a, b] = small[a, b]


@njit(cache=True, nogil=True)
def combine(side, wide, result):
    """Set result[b, q] = sum_a wide[a, b] side[a, q]; 4 must divide the columns of wide."""
    for b in range(0, wide.shape[1], 4):
        combine_tile(side, wide, b, result)


@njit(cache=True, nogil=True)
def _apply_chunk(c, F, small, add, out):
    k, m = F.shape[2], out.shape[2]
    first = c * LANES
    last = min(F.shape[0], first + LANES)
    side = lanes(k, F)
    result = lanes(m, F)
    wide = np.zeros((k, result.shape[0]), F.dtype)
    for t in range(F.shape[1]):
        turn(F, t, first, last, side)
        widen(small[t], wide)
        combine(side, wide, result)
        if add:
            for r in range(last - first):
                for b in range(m):
                    out[first + r, t, b] += result[b, r]
        else:
            turn_back(result, first, last, out, t)


@njit(cache=True, nogil=True)
def apply(F, small, add, out):
    """Multiply F by a small matrix, for every start.

    Parameters
    ----------
    F : float (rows, T, k)
    small : float (T, k, m), of the type of F
    add : bool, whether to add to ``out`` or to overwrite it
    out : float (rows, T, m)
    """
    for c in range((F.shape[0] + LANES - 1) // LANES):
        _apply_chunk(c, F, small, add, out)


@njit(cache=True, nogil=True, parallel=True)
def apply_parallel(F, small, add, out):
    """Like :func:`apply`, with the chunks distributed over threads."""
    for c in prange((F.shape[0] + LANES - 1) // LANES):
        _apply_chunk(c, F, small, add, out)


@njit(cache=True, nogil=True)
def small_product(A, B):
    """Multiply two stacks of small matrices (T, k, l) and (T, l, m), in a fixed order."""
    T, k, m = A.shape[0], A.shape[1], B.shape[2]
    out = np.zeros((T, k, m))
    for t in range(T):
        for a in range(k):
            row = out[t, a]
            for j in range(A.shape[2]):
                x = A[t, a, j]
                y = B[t, j]
                for b in range(m):
                    row[b] += x * y[b]
    return out
