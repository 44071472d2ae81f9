"""Dense parts of multiplicative updates, for many starts at once.

A factor of T starts is an array (rows, T, k). With k = 4 or 20 columns a row is too short for
the vector units, so LANES rows of one start are turned on their side and all arithmetic runs
along them. Sums over rows go by chunks of CHUNK rows, within a chunk by lanes, in one fixed
order and in float64: they depend neither on the number of threads nor on the other starts.
"""

import numpy as np
from numba import njit, prange

LANES = 128
EIGHTH = LANES // 8
CHUNK = 1024
# a table of k x m sums with EIGHTH lanes each must fit in the cache; wider ones go without
WIDEST = 4096


@njit(cache=True, nogil=True)
def turn(F, t, first, last, side):
    """side[c, r] = F[first + r, t, c], with zeros after the last row."""
    rows = last - first
    for c in range(F.shape[2]):
        for r in range(rows):
            side[c, r] = F[first + r, t, c]
        for r in range(rows, LANES):
            side[c, r] = 0.0


@njit(cache=True, nogil=True)
def add_products(x, y, sums):
    """Add x[q] y[q], lane by lane, to ``sums`` (EIGHTH,)."""
    for q in range(EIGHTH):
        sums[q] += (
            (x[q] * y[q] + x[q + EIGHTH] * y[q + EIGHTH])
            + (x[q + 2 * EIGHTH] * y[q + 2 * EIGHTH] + x[q + 3 * EIGHTH] * y[q + 3 * EIGHTH])
        ) + (
            (x[q + 4 * EIGHTH] * y[q + 4 * EIGHTH] + x[q + 5 * EIGHTH] * y[q + 5 * EIGHTH])
            + (x[q + 6 * EIGHTH] * y[q + 6 * EIGHTH] + x[q + 7 * EIGHTH] * y[q + 7 * EIGHTH])
        )


@njit(cache=True, nogil=True)
def add_lanes(sums, symmetric, out):
    """out[a, b] = sum over lanes of sums[a, b]; symmetric: from the upper half."""
    for a in range(out.shape[0]):
        for b in range(a if symmetric else 0, out.shape[1]):
            total = 0.0
            for q in range(EIGHTH):
                total += sums[a, b, q]
            out[a, b] = total
            if symmetric:
                out[b, a] = total


@njit(cache=True, nogil=True)
def _cross_lanes(first, last, A, B, t, symmetric, out):
    k, m = A.shape[2], B.shape[2]
    a_side = np.empty((k, LANES))
    b_side = a_side if symmetric else np.empty((m, LANES))
    sums = np.zeros((k, m, EIGHTH))
    for begin in range(first, last, LANES):
        end = min(last, begin + LANES)
        turn(A, t, begin, end, a_side)
        if not symmetric:
            turn(B, t, begin, end, b_side)
        for a in range(k):
            for b in range(a if symmetric else 0, m):
                add_products(a_side[a], b_side[b], sums[a, b])
    add_lanes(sums, symmetric, out)


@njit(cache=True, nogil=True)
def _cross_wide(first, last, A, B, t, out):
    k, m = A.shape[2], B.shape[2]
    x = np.empty((4, k))
    y = np.empty((4, m))
    out[:] = 0.0
    for begin in range(first, last, 4):
        for r in range(4):
            inside = begin + r < last
            for a in range(k):
                x[r, a] = A[begin + r, t, a] if inside else 0.0
            for b in range(m):
                y[r, b] = B[begin + r, t, b] if inside else 0.0
        y0, y1, y2, y3 = y[0], y[1], y[2], y[3]
        for a in range(k):
            x0, x1, x2, x3 = x[0, a], x[1, a], x[2, a], x[3, a]
            s = out[a]
            for b in range(m):
                s[b] += (x0 * y0[b] + x1 * y1[b]) + (x2 * y2[b] + x3 * y3[b])


@njit(cache=True, nogil=True)
def _cross_chunk(c, A, B, symmetric, part):
    first = c * CHUNK
    last = min(A.shape[0], first + CHUNK)
    for t in range(A.shape[1]):
        if A.shape[2] * B.shape[2] <= WIDEST:
            _cross_lanes(first, last, A, B, t, symmetric, part[t])
        else:
            _cross_wide(first, last, A, B, t, part[t])


@njit(cache=True, nogil=True)
def add_chunks(parts):
    total = np.zeros(parts.shape[1:])
    for c in range(parts.shape[0]):
        for t in range(parts.shape[1]):
            for a in range(parts.shape[2]):
                for b in range(parts.shape[3]):
                    total[t, a, b] += parts[c, t, a, b]
    return total


@njit(cache=True, nogil=True)
def cross(A, B, symmetric):
    """A'B of every start.

    Parameters
    ----------
    A, B : float (rows, T, k) and (rows, T, m)
    symmetric : bool, whether A and B are the same

    Returns
    -------
    float64 (T, k, m)
    """
    chunks = (A.shape[0] + CHUNK - 1) // CHUNK
    parts = np.empty((chunks, A.shape[1], A.shape[2], B.shape[2]))
    for c in range(chunks):
        _cross_chunk(c, A, B, symmetric, parts[c])
    return add_chunks(parts)


@njit(cache=True, nogil=True, parallel=True)
def cross_parallel(A, B, symmetric):
    """The same as :func:`cross`, the chunks spread over numba's threads."""
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
    """Sum of the products of the entries of A and B, for every start: float64 (T,)."""
    chunks = (A.shape[0] + CHUNK - 1) // CHUNK
    total = np.zeros(A.shape[1])
    part = np.empty(A.shape[1])
    for c in range(chunks):
        _inner_chunk(c, A, B, part)
        for t in range(total.size):
            total[t] += part[t]
    return total


@njit(cache=True, nogil=True)
def combine(side, small, b, result):
    """result[q] += sum over a of small[a, b] side[a, q]."""
    k = side.shape[0]
    a = 0
    while a + 4 <= k:
        g0, g1, g2, g3 = small[a, b], small[a + 1, b], small[a + 2, b], small[a + 3, b]
        x0, x1, x2, x3 = side[a], side[a + 1], side[a + 2], side[a + 3]
        for q in range(LANES):
            result[q] += (g0 * x0[q] + g1 * x1[q]) + (g2 * x2[q] + g3 * x3[q])
        a += 4
    while a < k:
        g0 = small[a, b]
        x0 = side[a]
        for q in range(LANES):
            result[q] += g0 * x0[q]
        a += 1


@njit(cache=True, nogil=True)
def _apply_chunk(c, F, small, add, out):
    k, m = F.shape[2], out.shape[2]
    first = c * LANES
    last = min(F.shape[0], first + LANES)
    side = np.empty((k, LANES), F.dtype)
    result = np.empty((m, LANES), F.dtype)
    for t in range(F.shape[1]):
        turn(F, t, first, last, side)
        result[:] = 0.0
        for b in range(m):
            combine(side, small[t], b, result[b])
        for r in range(last - first):
            for b in range(m):
                if add:
                    out[first + r, t, b] += result[b, r]
                else:
                    out[first + r, t, b] = result[b, r]


@njit(cache=True, nogil=True)
def apply(F, small, add, out):
    """F times a small matrix, for every start.

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
    """The same as :func:`apply`, the chunks spread over numba's threads."""
    for c in prange((F.shape[0] + LANES - 1) // LANES):
        _apply_chunk(c, F, small, add, out)


@njit(cache=True, nogil=True)
def small_product(A, B):
    """Products of two stacks of small matrices (T, k, l) and (T, l, m), in a fixed order."""
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
