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
FEW = 8  # coordinates up to which distances to all centres are no dearer than bounds of them


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


@njit(cache=True, nogil=True)
def _first_assignment(points, means, labels, upper, lower, sums, counts, bounds):
    """Give every point to its nearest centre (the lowest of equals), with all distances."""
    n, p = points.shape
    k = means.shape[0]
    x = np.zeros((p, BLOCK))
    distances = np.empty((k, BLOCK))
    nearest = np.empty(BLOCK, np.int64)
    least, d = np.empty(BLOCK), np.empty(BLOCK)
    low = np.empty(bounds.shape[1])
    for first in range(0, n, BLOCK):
        size = min(BLOCK, n - first)
        for j in range(size):
            for q in range(p):
                x[q, j] = points[first + j, q]
        least[:] = np.inf
        nearest[:] = 0
        for m in range(k):
            _block_distances(x, means, m, d)
            for j in range(BLOCK):
                nearest[j] = m if d[j] < least[j] else nearest[j]
                least[j] = d[j] if d[j] < least[j] else least[j]
                distances[m, j] = np.sqrt(d[j])
        for j in range(size):
            i, a = first + j, nearest[j]
            for m in range(k):
                bounds[i, m] = distances[m, j]
            for m in range(low.size):
                low[m] = bounds[i, m]
            low[a] = np.inf
            upper[i], lower[i] = bounds[i, a], _least(low)
            _move(points, i, -1, a, labels, sums, counts)


@njit(cache=True, nogil=True, inline="always")
def _squared_distance(points, i, means, m):
    s = 0.0
    for q in range(points.shape[1]):
        t = points[i, q] - means[m, q]
        s += t * t
    return s


@njit(cache=True, nogil=True, inline="always")
def _between(points, i, means, m):
    """Squared distance as the first assignment computes it, to the bit: equals stay equals."""
    odd = points.shape[1] % 2
    s = 0.0
    if odd:
        t0 = points[i, 0] - means[m, 0]
        s = t0 * t0
    for pair in range(points.shape[1] // 2):
        q = 2 * pair + odd
        t0, t1 = points[i, q] - means[m, q], points[i, q + 1] - means[m, q + 1]
        s += t0 * t0 + t1 * t1
    return s


@njit(cache=True, nogil=True, inline="always")
def _least(values):
    """Smallest of a multiple of four values, in four chains."""
    a, b, c, d = values[0], values[1], values[2], values[3]
    for m in range(4, values.size, 4):
        a = values[m] if values[m] < a else a
        b = values[m + 1] if values[m + 1] < b else b
        c = values[m + 2] if values[m + 2] < c else c
        d = values[m + 3] if values[m + 3] < d else d
    a = b if b < a else a
    c = d if d < c else c
    return c if c < a else a


@njit(cache=True, nogil=True, inline="always")
def _lower_bounds(bounds, i, drift, gap, a, u, low):
    """Bounds below the distances of point i to all centres but its own, a; return the least."""
    for m in range(low.size):
        by_drift = bounds[i, m] - drift[m]
        by_gap = gap[a, m] - u
        low[m] = by_gap if by_gap > by_drift else by_drift  # u may be infinite, and by_gap NaN
    low[a] = np.inf
    return _least(low)


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
def _gaps(means, gap, half):
    """Distances between centres, and half the distance of each to the next one."""
    k = means.shape[0]
    for a in range(k):
        for b in range(a):
            gap[a, b] = gap[b, a] = np.sqrt(_squared_distance(means, a, means, b))
    for a in range(k):
        half[a] = 0.5 * gap[a].min()


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
def _assign_few(points, means, listed, size, labels, upper, lower, drift, furthest, sums, counts):
    """Give the listed points to their nearest centres (the lowest of equals); return the moves.

    For points of few coordinates, whose distances to all centres take no longer than bounds.
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
def _assign_many(
    points, means, listed, size, labels, upper, lower, drift, furthest, sums, counts,
    bounds, gap, slack,
):  # fmt: skip
    """The same for points of many coordinates: no distance that a bound makes needless."""
    k, width = means.shape[0], bounds.shape[1]
    low = np.empty(width)
    near = np.empty(width, np.int64)
    moves = 0
    for place in range(size):
        i = listed[place]
        a = labels[i]
        u = upper[i] + drift[a]
        least = _lower_bounds(bounds, i, drift, gap, a, u, low)
        if u * SAFE + slack < least:
            lower[i] = least + furthest[a]
            continue
        first = _between(points, i, means, a)
        u = np.sqrt(first)
        bounds[i, a] = u + drift[a]
        reach = u * SAFE + slack
        nears = 0
        for m in range(k):
            near[nears] = m
            nears += (low[m] <= reach) & (gap[a, m] - u <= reach)
        nearest = a
        for number in range(nears):
            m = near[number]
            d = _between(points, i, means, m)
            low[m] = np.sqrt(d)
            bounds[i, m] = low[m] + drift[m]
            if d < first or (d == first and m < nearest):
                nearest, first = m, d
        low[a] = u
        upper[i] = low[nearest] - drift[nearest]
        low[nearest] = np.inf
        lower[i] = _least(low) + furthest[nearest]
        if nearest != a:
            moves += 1
            _move(points, i, a, nearest, labels, sums, counts)
    return moves


@njit(cache=True, nogil=True)
def lloyd(points, start, max_iter, tol):
    """Lloyd's iterations from given centres, sparing the distances that bounds make needless.

    One bound for all other centres together, Hamerly's, spares most points a look at them. For
    points of more than FEW coordinates there are Elkan's bounds besides: below the distance of
    every point to every centre, and above that to its own. All are kept as they were when last
    computed, plus what the centre had moved until then in all (minus, for those above), so that
    nothing needs to be done while centres move.

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
    few = p <= FEW
    width = (k + 3) // 4 * 4
    means = start.copy()
    labels = np.full(n, -1, np.int32)
    bounds = np.full((0 if few else n, width), np.inf)
    upper = np.empty(n)
    lower = np.zeros(n)
    sums = np.zeros((k, p))
    counts = np.zeros(k, np.int64)
    shift = np.empty(k)
    drift = np.zeros(width)
    furthest = np.zeros(k)  # the most that any other centre moved, summed up
    gap = np.full((k, width), np.inf)
    half = np.empty(k)
    listed = np.arange(n).astype(np.int32)
    if few:
        _assign_few(points, means, listed, n, labels, upper, lower, drift, furthest, sums, counts)
    else:
        _first_assignment(points, means, labels, upper, lower, sums, counts, bounds)
    n_iter = 1
    while True:
        if counts.min() == 0:
            _fill_empty(points, means, labels, sums, counts)
            upper[:] = np.inf  # the bounds know nothing of it
        last = _move_centres(means, sums, counts, shift) <= tol or n_iter == max_iter
        _gaps(means, gap, half)
        drift[:k] += shift
        fastest = np.argmax(shift)
        largest = shift[fastest]
        shift[fastest] = 0.0
        for m in range(k):
            furthest[m] += shift.max() if m == fastest else largest
        slack = ROUNDING * (10 + n_iter) * furthest.max()
        size = _doubtful(labels, upper, lower, drift, furthest, half, slack, listed)
        if few:
            moves = _assign_few(
                points, means, listed, size, labels, upper, lower, drift, furthest, sums, counts
            )
        else:
            moves = _assign_many(
                points, means, listed, size, labels, upper, lower, drift, furthest, sums, counts,
                bounds, gap, slack,
            )  # fmt: skip
        if last or moves == 0:
            break
        n_iter += 1
    inertia = 0.0
    for i in range(n):
        inertia += _squared_distance(points, i, means, labels[i])
    return labels, inertia, n_iter
