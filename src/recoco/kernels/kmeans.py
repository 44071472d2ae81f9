"""k-means on dense points of few dimensions, one result for each given start.

Random numbers are passed in as arrays, sums have a fixed order, and starts are independent, so the
result of a start does not depend on the others.

Loops over points index the arrays directly: a view such as ``points[i]`` needs atomic reference
counting, which takes longer than computing a distance.
"""

import numpy as np
from numba import njit

# Bounds on distances are subject to rounding: they decide only with a margin for the rounding of a
# distance, and of sums of shifts (per step and length of the sum).
SAFE = 1.0 + 1e-12
ROUNDING = 1e-15
BLOCK = 32  # number of points whose distances are computed together


@njit(cache=True, nogil=True, inline="always")
def _block_distances(x, means, m, d):
    """Compute squared distances of BLOCK points, stored by coordinate, to centre m."""
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

    If all points coincide with their centres (fewer distinct points than clusters), clusters
    stay empty.
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
    """Move the centres to the means of their points; return the sum of squared shifts."""
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
    """Compute half the distance of each centre to the nearest other one."""
    half[:] = np.inf
    for a in range(half.size):
        for b in range(a):
            gap = 0.5 * np.sqrt(_squared_distance(means, a, means, b))
            half[a] = min(half[a], gap)
            half[b] = min(half[b], gap)


@njit(cache=True, nogil=True)
def _doubtful(labels, upper, lower, drift, furthest, half, slack, listed):
    """List the points for which the bounds do not exclude a change of cluster.

    The loop has no branches, because they would be unpredictable.
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
    """Assign the listed points to their nearest (lowest) centres; return the number of moves.

    Points are processed in blocks, with vectors across points: computing the distances to all
    centres takes no longer than a bound for each of them would.
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
    """Lloyd's iterations from given centres, skipping distances that bounds make unnecessary.

    The bounds are Hamerly's: an upper one on the distance of a point to its own centre, a lower
    one on the distance to any other. They are stored relative to the accumulated shifts of the
    centres at the time, so they need no update while the centres move.

    Parameters
    ----------
    points : float64 (n, p)
    start : float64 (k, p), first centres
    max_iter : int
    tol : float
        The iterations end when no point moves, or when the sum of squared shifts of the centres
        is at most this.

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
    furthest = np.zeros(k)  # accumulated largest shift of any other centre
    half = np.empty(k)
    listed = np.arange(n).astype(np.int32)
    _assign(points, means, listed, n, labels, upper, lower, drift, furthest, sums, counts)
    n_iter = 1
    while True:
        if counts.min() == 0:
            _fill_empty(points, means, labels, sums, counts)
            upper[:] = np.inf  # its bounds are no longer valid
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
