"""Initial centres of k-means, chosen by given random numbers."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _distances(transposed, centre, out):
    """Compute squared distances of all points, stored by coordinate (p, n), to one centre."""
    p = centre.size
    odd = p % 4
    out[:] = 0.0
    for q in range(odd):
        x, c = transposed[q], centre[q]
        for i in range(out.size):
            t = x[i] - c
            out[i] += t * t
    for q in range(odd, p, 4):  # four at a time: sums are loaded and stored a quarter as often
        x0, x1, x2, x3 = transposed[q], transposed[q + 1], transposed[q + 2], transposed[q + 3]
        c0, c1, c2, c3 = centre[q], centre[q + 1], centre[q + 2], centre[q + 3]
        for i in range(out.size):
            t0, t1, t2, t3 = x0[i] - c0, x1[i] - c1, x2[i] - c2, x3[i] - c3
            out[i] += (t0 * t0 + t1 * t1) + (t2 * t2 + t3 * t3)


@njit(cache=True, nogil=True)
def _smaller_sum(a, b):
    """Sum the smaller of two values, in four interleaved parts to break the addition chain."""
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
    """Greedy k-means++: each centre is the best of several points drawn by distance.

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
