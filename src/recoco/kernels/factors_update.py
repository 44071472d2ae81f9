"""Multiplicative updates of the factors of many starts, in one pass over their rows.

Nearly all of them have the form F <- F . (A B + s E) / (F G), with A and E tall, B and G small, and
are followed by F'F and A'F of the result. Rows are transposed as in ``factors_dense``, once for all
of these operations.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.factors_dense import (
    CHUNK,
    EIGHT,
    LANES,
    add_chunks,
    add_lanes,
    add_products,
    combine,
    lanes,
    turn,
    turn_back,
    widen,
)


@njit(cache=True, nogil=True, error_model="numpy")
def divide(value, above, below, root, limits, result):
    """Multiply by a quotient, entry by entry: result <- value . above / below.

    Parameters
    ----------
    value, above, below, result : float arrays of one dimension; ``above`` is overwritten as well
    root : bool, whether to take the square root of the quotient
    limits : float (3,): 0, the smallest positive entry, the largest entry. Smaller results become
        0, because numbers near underflow are slow and change nothing. If the result would be
        larger or NaN, the value stays.
    """
    zero, least, largest = limits[0], limits[1], limits[2]
    for q in range(result.size):
        above[q] = above[q] / below[q]
    if root:
        for q in range(result.size):
            above[q] = np.sqrt(above[q])
    for q in range(result.size):
        new = value[q] * above[q]
        good = (below[q] > zero) & (new <= largest)
        new = new if new >= least else zero
        result[q] = new if good else value[q]


@njit(cache=True, nogil=True)
def _copy(side, exact):
    for a in range(side.shape[0]):
        for q in range(LANES):
            exact[a, q] = side[a, q]


@njit(cache=True, nogil=True)
def _update_chunk(c, F, A, B, has_A, E, scale, has_E, G, root, limits, part, cross_part):
    rows, T, k = F.shape
    first = c * CHUNK
    last = min(rows, first + CHUNK)
    side, fresh, above, below = lanes(k, F), lanes(k, F), lanes(k, F), lanes(k, F)
    a_side, e_side = lanes(A.shape[2], F), lanes(k, F)
    wide_B = np.zeros((A.shape[2], above.shape[0]), F.dtype)
    wide_G = np.zeros((k, below.shape[0]), F.dtype)
    with_gram, with_cross = part.size > 0, cross_part.size > 0
    exact, a_exact = lanes(k, part), lanes(A.shape[2], part)
    sums = np.empty((exact.shape[0] * with_gram, exact.shape[0], EIGHT))
    cross_sums = np.empty((a_exact.shape[0] * with_cross, exact.shape[0], EIGHT))
    for t in range(T):
        sums[:] = 0.0
        cross_sums[:] = 0.0
        if has_A:
            widen(B[t], wide_B)
        widen(G[t], wide_G)
        for begin in range(first, last, LANES):
            end = min(last, begin + LANES)
            turn(F, t, begin, end, side)
            if has_A:
                turn(A, t, begin, end, a_side)
                combine(a_side, wide_B, above)
            else:
                above[:] = 0.0
            if has_E:
                turn(E, t, begin, end, e_side)
                for b in range(k):
                    e, total = e_side[b], above[b]
                    for q in range(LANES):
                        total[q] += scale * e[q]
            combine(side, wide_G, below)
            for b in range(k):
                divide(side[b], above[b], below[b], root, limits, fresh[b])
            turn_back(fresh, begin, end, F, t)
            if with_gram or with_cross:
                _copy(fresh, exact)
            if with_gram:
                add_products(exact, exact, True, sums)
            if with_cross:
                _copy(a_side, a_exact)
                add_products(a_exact, exact, False, cross_sums)
        if with_gram:
            add_lanes(sums, True, part[t])
        if with_cross:
            add_lanes(cross_sums, False, cross_part[t])


@njit(cache=True, nogil=True)
def update(F, A, B, has_A, E, scale, has_E, G, root, limits, parts, cross_parts):
    """Update F <- F . (A B + scale E) / (F G) of every start; return F'F and A'F of the result.

    Parameters
    ----------
    F : float (rows, T, k), overwritten
    A, B, has_A : float (rows, T, l) and (T, l, k), and whether they are used
    E, scale, has_E : float (rows, T, k) and a number, and whether they are used
    G : float (T, k, k)
    root, limits : see :func:`divide`
    parts : float64 (chunks of rows, T, k, k), overwritten; (chunks, 0, 0, 0): F'F is not needed
    cross_parts : float64 (chunks, T, l, k), overwritten; (chunks, 0, 0, 0): A'F is not needed

    Returns
    -------
    float64 (T, k, k) and (T, l, k): F'F and A'F
    """
    for c in range(parts.shape[0]):
        _update_chunk(c, F, A, B, has_A, E, scale, has_E, G, root, limits, parts[c], cross_parts[c])
    return add_chunks(parts), add_chunks(cross_parts)


@njit(cache=True, nogil=True, parallel=True)
def update_parallel(F, A, B, has_A, E, scale, has_E, G, root, limits, parts, cross_parts):
    """Like :func:`update`, with the chunks distributed over threads."""
    for c in prange(parts.shape[0]):
        _update_chunk(c, F, A, B, has_A, E, scale, has_E, G, root, limits, parts[c], cross_parts[c])
    return add_chunks(parts), add_chunks(cross_parts)
