"""k-means on dense points of few dimensions, one result for each given start.

The random numbers come in as arrays, sums run in a fixed order and starts never mix, so a start
has the same result in whatever company it is run.

Loops over points index the arrays themselves: a view such as ``points[i]`` is counted by atomic
operations, which take longer than the distance it is made for.
"""

import numpy as np
from numba import njit

# Bounds on distances are kept in rounded arithmetic: they decide only if clear of rounding, of
# a distance itself and of sums of shifts (per step and length of the sum).
SAFE = 1.0 + 1e-12
ROUNDING = 1e-15
BLOCK = 32  # points whose distances are computed together


@njit(cache=True, nogil=True, inline="always")
def _block_distances(x, means, m, d):
    """Squared distances of BLOCK points, given by coordinate, to centre m."""
    odd = x.shape[0] % 2
    for j in range(BLOCK):
        t0 = x[0, j] - means[m, 0] if odd else 0.0
        d[j] = t0 * t0
    for q in range(odd, x.shape[0], 2):
        c0, c1 = means[m, q], means[m, q + 1]
        for j in range(BLOCK):
            t0, t1 = x[q, j] - c0, x[q + 1, j] - c1
            d[j] += t0 * t0 + t1 * t1


@njit(cache=True, nogil=True, inline="always")
def _squared_distance(points, i, means, m):
    s = 0.0
    for q in range(points.shape[1]):
        t = points[i, q] - means[m, q]
        s += t * t
    return s


@njit(cache=True, nogil=True, inline="always")
def _move(points, i, a, b, labels, sums, counts):
    """Move point i from cluster a (-1: none yet) to b."""
    labels[i] = b
    counts[b] += 1
    if a >= 0:
        counts[a] -= 1
    for q in range(points.shape[1]):
        if a >= 0:
            sums[a, q] -= points[i, q]
        sums[b, q] += points[i, q]


@njit(cache=True, nogil=True)
def _fill_empty(points, means, labels, sums, counts):
    """Give every empty cluster the point farthest from its own centre.

    Where no point is away from its centre (fewer distinct points than clusters), clusters stay
    empty.
    """
    n, p = points.shape
    far = np.empty(n)
    for i in range(n):
        far[i] = _squared_distance(points, i, means, labels[i])
    for m in range(counts.size):
        if counts[m] == 0:
            i = np.argmax(far)
            if far[i] <= 0.0:
                return
            far[i] = 0.0
            old = labels[i]
            labels[i] = m
            counts[old] -= 1
            counts[m] = 1
            for q in range(p):
                sums[old, q] -= points[i, q]
                sums[m, q] = points[i, q]


@njit(cache=True, nogil=True)
def _move_centres(means, sums, counts, shift):
    """Put the centres at the means of their points; return the sum of squared shifts."""
    k, p = sums.shape
    total = 0.0
    for m in range(k):
        s = 0.0
        if counts[m] > 0:
            for q in range(p):
                c = sums[m, q] / counts[m]
                t = c - means[m, q]
                s += t * t
                means[m, q] = c
        shift[m] = np.sqrt(s)
        total += s
    return total


@njit(cache=True, nogil=True)
def _half_gaps(means, half):
    """Half the distance of each centre to the next one."""
    half[:] = np.inf
    for a in range(half.size):
        for b in range(a):
            gap = 0.5 * np.sqrt(_squared_distance(means, a, means, b))
            half[a] = min(half[a], gap)
            half[b] = min(half[b], gap)


@njit(cache=True, nogil=True)
def _doubtful(labels, upper, lower, drift, furthest, half, slack, listed):
    """List the points that one bound for all other centres does not hold where they are.

    Without branches, which could not be foretold.
    """
    size = 0
    for i in range(labels.size):
        a = labels[i]
        safe = lower[i] - furthest[a]
        safe = half[a] if half[a] > safe else safe
        listed[size] = i
        size += (upper[i] + drift[a]) * SAFE + slack >= safe
    return size


@njit(cache=True, nogil=True)
def _assign(points, means, listed, size, labels, upper, lower, drift, furthest, sums, counts):
    """Give the listed points to their nearest centres (the lowest of equals); return the moves.

    By blocks of points, with vectors over them: the distances to all centres take no longer than
    a bound for each of them would.
    """
    p, k = points.shape[1], means.shape[0]
    x = np.zeros((p, BLOCK))
    nearest = np.empty(BLOCK, np.int64)
    least, second, d = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    moves = 0
    for first in range(0, size, BLOCK):
        inside = min(BLOCK, size - first)
        for j in range(inside):
            i = listed[first + j]
            for q in range(p):
                x[q, j] = points[i, q]
        least[:] = np.inf
        second[:] = np.inf
        nearest[:] = 0
        for m in range(k):
            _block_distances(x, means, m, d)
            for j in range(BLOCK):
                farther = d[j] if least[j] <= d[j] else least[j]
                second[j] = farther if farther < second[j] else second[j]
                nearest[j] = m if d[j] < least[j] else nearest[j]
                least[j] = d[j] if d[j] < least[j] else least[j]
        for j in range(inside):
            i = listed[first + j]
            a, b = labels[i], nearest[j]
            upper[i] = np.sqrt(least[j]) - drift[b]
            lower[i] = np.sqrt(second[j]) + furthest[b]
            if a != b:
                moves += 1
                _move(points, i, a, b, labels, sums, counts)
    return moves


@njit(cache=True, nogil=True)
def lloyd(points, start, max_iter, tol):
    """Lloyd's iterations from given centres, sparing the distances that bounds make needless.

    The bounds are Hamerly's: one above the distance of a point to its own centre, one below that
    to any other. They are kept as they were when last computed, less what its own centre (plus
    what any other) had moved until then in all, so that nothing needs to be done while they move.

    Parameters
    ----------
    points : float64 (n, p)
    start : float64 (k, p), first centres
    max_iter : int
    tol : float
        The end is reached when no point moves or the centres move by no more than this (sum of
        squares).

    Returns
    -------
    labels : int32 (n,), inertia : float, n_iter : int
    """
    n, p = points.shape
    k = start.shape[0]
    means = start.copy()
    labels = np.full(n, -1, np.int32)
    upper, lower = np.empty(n), np.empty(n)
    sums = np.zeros((k, p))
    counts = np.zeros(k, np.int64)
    shift = np.empty(k)
    drift = np.zeros(k)
    furthest = np.zeros(k)  # the most that any other centre moved, summed up
    half = np.empty(k)
    listed = np.arange(n).astype(np.int32)
    _assign(points, means, listed, n, labels, upper, lower, drift, furthest, sums, counts)
    n_iter = 1
    while True:
        if counts.min() == 0:
            _fill_empty(points, means, labels, sums, counts)
            upper[:] = np.inf  # the bounds know nothing of it
        last = _move_centres(means, sums, counts, shift) <= tol or n_iter == max_iter
        _half_gaps(means, half)
        drift += shift
        fastest = np.argmax(shift)
        largest = shift[fastest]
        shift[fastest] = 0.0
        for m in range(k):
            furthest[m] += shift.max() if m == fastest else largest
        slack = ROUNDING * (10 + n_iter) * furthest.max()
        size = _doubtful(labels, upper, lower, drift, furthest, half, slack, listed)
        moves = _assign(
            points, means, listed, size, labels, upper, lower, drift, furthest, sums, counts
        )
        if last or moves == 0:
            break
        n_iter += 1
    inertia = 0.0
    for i in range(n):
        inertia += _squared_distance(points, i, means, labels[i])
    return labels, inertia, n_iter
