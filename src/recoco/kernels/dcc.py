"""Co-clustering with a conscience: one half-step for many starts (DCC).

The layout is that of :mod:`recoco.kernels.modularity`: the label k of start b is stored as slot
``k * B + b``, and sums over rows are computed in chunks that are added in order, so no result
depends on the number of threads or on the batch.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.modularity import CHUNK, add_chunks

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True)
def uniform(seed, place):
    """Return number ``place`` of the stream ``seed`` (both uint64), in [0, 1): SplitMix64.

    A number depends only on its position, so rows may be processed in any order.
    """
    x = seed + (place + np.uint64(1)) * _STEP
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(11)) * 2.0**-53


@njit(cache=True, nogil=True)
def draw(scores, share):
    """Return the first k at which the cumulative sum of scores exceeds ``share`` of the total."""
    total = 0.0
    for k in range(scores.size):
        total += scores[k]
    limit = share * total
    running = 0.0
    last = 0
    for k in range(scores.size):
        if scores[k] > 0.0:
            running += scores[k]
            last = k  # because of rounding, the limit may exceed the last sum
            if running > limit:
                return k
    return last


@njit(cache=True, nogil=True)
def _assign_chunk(
    first,
    last,
    indptr,
    indices,
    data,
    slots,
    scale,
    stochastic,
    seeds,
    place,
    found,
    best,
    sizes,
    inside,
    moves,
):
    B = slots.shape[1]
    g = scale.size // B
    sums = np.empty(g * B)
    choice = np.empty(B, found.dtype)
    scores = np.empty(g)
    for i in range(first, last):
        sums[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            a = data[p]
            for b in range(B):
                sums[slots[j, b]] += a  # eq. sums
        if stochastic:
            for b in range(B):
                for k in range(g):
                    scores[k] = sums[k * B + b] * scale[k * B + b]
                k = draw(scores, uniform(seeds[b], place + np.uint64(i)))  # eq. first iterations
                choice[b] = k * B + b
                best[i, b] = scores[k]
        else:
            for b in range(B):
                best[i, b] = sums[b] * scale[b]
                choice[b] = b
            for k in range(1, g):
                for b in range(B):
                    score = sums[k * B + b] * scale[k * B + b]  # eq. assignment
                    if score > best[i, b]:  # strictly greater: the lowest cluster wins a tie
                        best[i, b] = score
                        choice[b] = k * B + b
        for b in range(B):
            s = choice[b]
            moves[b] += s != found[i, b]
            found[i, b] = s
            sizes[s] += 1
            inside[s] += sums[s]


@njit(cache=True, nogil=True)
def assign(indptr, indices, data, slots, scale, stochastic, seeds, place, found, best):
    """Put every row in a cluster by its scores (X W)_ik / sqrt(w_.k z_.k), for all starts.

    Parameters
    ----------
    indptr, indices, data : CSR matrix (n, d); for the columns' half-step that of its transpose
    slots : unsigned (d, B), the column labels as slots
    scale : float64 (g * B,), 1 / sqrt(w_.k z_.k) by slot
    stochastic : bool, draw a label in proportion to the scores instead of the largest one
    seeds : uint64 (B,), one stream of random numbers per start
    place : uint64, position in the streams of the number of the first row
    found : unsigned (n, B), the row labels as slots: overwritten
    best : float64 (n, B), scores of the chosen labels: overwritten

    Returns
    -------
    sizes : int64 (g * B,), of the new clusters by slot
    inside : float64 (g * B,), sum of the entries inside each co-cluster
    moves : int64 (B,), number of rows that changed cluster
    """
    n, B = found.shape
    chunks = (n + CHUNK - 1) // CHUNK
    sizes = np.zeros((chunks, scale.size), np.int64)
    inside = np.zeros((chunks, scale.size))
    moves = np.zeros((chunks, B), np.int64)
    for c in range(chunks):
        _assign_chunk(
            c * CHUNK,
            min(n, (c + 1) * CHUNK),
            indptr,
            indices,
            data,
            slots,
            scale,
            stochastic,
            seeds,
            place,
            found,
            best,
            sizes[c],
            inside[c],
            moves[c],
        )
    return add_chunks(sizes), add_chunks(inside), add_chunks(moves)


@njit(cache=True, nogil=True, parallel=True)
def assign_parallel(indptr, indices, data, slots, scale, stochastic, seeds, place, found, best):
    """Like :func:`assign`, with the chunks distributed over threads."""
    n, B = found.shape
    chunks = (n + CHUNK - 1) // CHUNK
    sizes = np.zeros((chunks, scale.size), np.int64)
    inside = np.zeros((chunks, scale.size))
    moves = np.zeros((chunks, B), np.int64)
    for c in prange(chunks):
        _assign_chunk(
            c * CHUNK,
            min(n, (c + 1) * CHUNK),
            indptr,
            indices,
            data,
            slots,
            scale,
            stochastic,
            seeds,
            place,
            found,
            best,
            sizes[c],
            inside[c],
            moves[c],
        )
    return add_chunks(sizes), add_chunks(inside), add_chunks(moves)


@njit(cache=True, nogil=True)
def refill(indptr, indices, data, slots, found, best, sizes, inside, emptied):
    """Move a row that fits its cluster badly to every empty cluster.

    It is the (first) row with the lowest score among those that are not alone in their cluster.
    ``found``, ``sizes`` and ``inside`` are updated; ``emptied`` (B,) counts the refills.
    """
    n, B = found.shape
    for s in range(sizes.size):
        if sizes[s] > 0:
            continue
        b = s % B
        chosen = -1
        least = np.inf
        for i in range(n):
            if best[i, b] < least and sizes[found[i, b]] > 1:
                least = best[i, b]
                chosen = i
        emptied[b] += 1
        if chosen < 0:
            continue
        old = found[chosen, b]
        for p in range(indptr[chosen], indptr[chosen + 1]):
            other = slots[indices[p], b]
            if other == old:
                inside[old] -= data[p]
            if other == s:
                inside[s] += data[p]
        sizes[old] -= 1
        sizes[s] += 1
        found[chosen, b] = s
        best[chosen, b] = np.inf  # so it is not moved again


@njit(cache=True, nogil=True)
def slot_sizes(slots, size):
    """Count the rows of each slot."""
    sizes = np.zeros(size, np.int64)
    for i in range(slots.shape[0]):
        for b in range(slots.shape[1]):
            sizes[slots[i, b]] += 1
    return sizes


@njit(cache=True, nogil=True)
def criteria(inside, row_sizes, column_sizes, B):
    """Return Trace(Ztilde' X Wtilde) of every start: the sum of inside_k / sqrt(z_.k w_.k)."""
    value = np.zeros(B)
    for s in range(inside.size):
        if row_sizes[s] > 0 and column_sizes[s] > 0:
            # eq. criterion
            value[s % B] += inside[s] / np.sqrt(float(row_sizes[s]) * float(column_sizes[s]))
    return value
