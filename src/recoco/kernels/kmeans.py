"""k-means on dense points of few dimensions, one result for each given start.

The random numbers come in as arrays, sums run in a fixed order and starts never mix, so a start
has the same result in whatever company it is run.
"""

import numpy as np
from numba import njit

# Bounds on distances are kept in rounded arithmetic: they decide only if clear of rounding.
SAFE = 1.0 + 1e-12


@njit(cache=True, nogil=True)
def _distances(transposed, centre, out):
    """Squared distances of all points, given by coordinate (p, n), to one centre."""
    p = centre.size
    odd = p % 4
    out[:] = 0.0
    for q in range(odd):
        x, c = transposed[q], centre[q]
        for i in range(out.size):
            t = x[i] - c
            out[i] += t * t
    for q in range(odd, p, 4):  # by fours: the sums are loaded and stored a quarter as often
        x0, x1, x2, x3 = transposed[q], transposed[q + 1], transposed[q + 2], transposed[q + 3]
        c0, c1, c2, c3 = centre[q], centre[q + 1], centre[q + 2], centre[q + 3]
        for i in range(out.size):
            t0, t1, t2, t3 = x0[i] - c0, x1[i] - c1, x2[i] - c2, x3[i] - c3
            out[i] += (t0 * t0 + t1 * t1) + (t2 * t2 + t3 * t3)


@njit(cache=True, nogil=True)
def _smaller_sum(a, b):
    """Sum of the smaller of two values, in four interleaved parts to break the addition chain."""
    s0 = s1 = s2 = s3 = 0.0
    whole = a.size - a.size % 4
    for i in range(0, whole, 4):
        s0 += min(a[i], b[i])
        s1 += min(a[i + 1], b[i + 1])
        s2 += min(a[i + 2], b[i + 2])
        s3 += min(a[i + 3], b[i + 3])
    for i in range(whole, a.size):
        s0 += min(a[i], b[i])
    return (s0 + s1) + (s2 + s3)


@njit(cache=True, nogil=True)
def seed_centres(transposed, uniforms):
    """Greedy k-means++: each next centre is the best of several points drawn by distance.

    Parameters
    ----------
    transposed : float64 (p, n), points by coordinate
    uniforms : float64 (k, trials) in [0, 1), the random numbers; of the first row one is used

    Returns
    -------
    int64 (k,), indices of the points that become centres
    """
    p, n = transposed.shape
    k, trials = uniforms.shape
    chosen = np.empty(k, np.int64)
    centre = np.empty(p)
    distances = np.empty(n)
    kept = np.empty(n)
    closest = np.empty(n)
    cumulated = np.empty(n)
    chosen[0] = min(n - 1, int(uniforms[0, 0] * n))
    for q in range(p):
        centre[q] = transposed[q, chosen[0]]
    _distances(transposed, centre, closest)
    for m in range(1, k):
        total = 0.0
        for i in range(n):
            total += closest[i]
            cumulated[i] = total
        best = np.inf
        for t in range(trials):
            drawn = np.searchsorted(cumulated, uniforms[m, t] * total, side="right")
            drawn = min(n - 1, drawn)
            for q in range(p):
                centre[q] = transposed[q, drawn]
            _distances(transposed, centre, distances)
            potential = _smaller_sum(closest, distances)
            if potential < best:
                best = potential
                chosen[m] = drawn
                kept, distances = distances, kept
        for i in range(n):
            closest[i] = min(closest[i], kept[i])
    return chosen


@njit(cache=True, nogil=True)
def _nearest_two(x, centres, k, distance):
    """Nearest centre (the lowest of equals), its squared distance and that of the next.

    ``centres`` is (p, width), one column per centre, padded to a width the vector units like.
    """
    width = centres.shape[1]
    p = x.size
    odd = p % 2
    if odd:
        c0 = centres[0]
        for m in range(width):
            t0 = x[0] - c0[m]
            distance[m] = t0 * t0
    else:
        distance[:] = 0.0
    for q in range(odd, p, 2):
        x0, x1 = x[q], x[q + 1]
        c0, c1 = centres[q], centres[q + 1]
        for m in range(width):
            t0 = x0 - c0[m]
            t1 = x1 - c1[m]
            distance[m] += t0 * t0 + t1 * t1
    nearest = 0
    first = distance[0]
    second = np.inf
    for m in range(1, k):
        d = distance[m]
        if d < first:
            second = first
            first = d
            nearest = m
        elif d < second:
            second = d
    return nearest, first, second


@njit(cache=True, nogil=True)
def _squared_distance(x, y):
    s = 0.0
    for q in range(x.size):
        t = x[q] - y[q]
        s += t * t
    return s


@njit(cache=True, nogil=True)
def _fill_empty(points, means, labels, sums, counts):
    """Give every empty cluster the point farthest from its own centre.

    Where no point is away from its centre (fewer distinct points than clusters), clusters stay
    empty.
    """
    n, p = points.shape
    far = np.empty(n)
    for i in range(n):
        far[i] = _squared_distance(points[i], means[labels[i]])
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
def _move_centres(means, columns, sums, counts, shift):
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
                columns[q, m] = c
        shift[m] = np.sqrt(s)
        total += s
    return total


@njit(cache=True, nogil=True)
def _half_gaps(means, half):
    """Half the distance of every centre to the next one."""
    k = half.size
    for a in range(k):
        gap = np.inf
        for b in range(k):
            if b != a:
                gap = min(gap, _squared_distance(means[a], means[b]))
        half[a] = 0.5 * np.sqrt(gap)


@njit(cache=True, nogil=True)
def lloyd(points, start, max_iter, tol):
    """Lloyd's iterations from given centres, sparing the distances that bounds make needless.

    The bounds are Hamerly's: a point whose distance to its centre is below both half the gap
    around that centre and a lower bound on the distance to any other centre stays where it is.

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
    columns = np.zeros((p, (k + 7) // 8 * 8))
    columns[:, :k] = start.T
    distance = np.empty(columns.shape[1])
    labels = np.empty(n, np.int32)
    upper = np.empty(n)
    lower = np.empty(n)
    sums = np.zeros((k, p))
    counts = np.zeros(k, np.int64)
    shift = np.empty(k)
    half = np.empty(k)
    for i in range(n):
        nearest, first, second = _nearest_two(points[i], columns, k, distance)
        labels[i] = nearest
        upper[i] = np.sqrt(first)
        lower[i] = np.sqrt(second)
        counts[nearest] += 1
        for q in range(p):
            sums[nearest, q] += points[i, q]
    n_iter = 1
    while True:
        if counts.min() == 0:
            _fill_empty(points, means, labels, sums, counts)
            upper[:] = np.inf  # the bounds know nothing of it
        last = _move_centres(means, columns, sums, counts, shift) <= tol or n_iter == max_iter
        _half_gaps(means, half)
        fastest = np.argmax(shift)
        largest = shift[fastest]
        shift[fastest] = -1.0
        next_largest = max(0.0, shift.max())
        shift[fastest] = largest
        moves = 0
        for i in range(n):
            a = labels[i]
            lower[i] -= next_largest if a == fastest else largest
            upper[i] += shift[a]
            safe = max(half[a], lower[i])
            if upper[i] * SAFE < safe:
                continue
            upper[i] = np.sqrt(_squared_distance(points[i], means[a]))
            if upper[i] * SAFE < safe:
                continue
            nearest, first, second = _nearest_two(points[i], columns, k, distance)
            upper[i] = np.sqrt(first)
            lower[i] = np.sqrt(second)
            if nearest != a:
                moves += 1
                labels[i] = nearest
                counts[a] -= 1
                counts[nearest] += 1
                for q in range(p):
                    sums[a, q] -= points[i, q]
                    sums[nearest, q] += points[i, q]
        if last or moves == 0:
            break
        n_iter += 1
    inertia = 0.0
    for i in range(n):
        inertia += _squared_distance(points[i], means[labels[i]])
    return labels, inertia, n_iter
