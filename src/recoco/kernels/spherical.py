"""Spherical k-means on sparse unit rows, each start from its own initial centroids.

A row is assigned to the (lowest) centroid with the largest similarity (cosine) in double precision.
Everything else here avoids computing these similarities:

- Similarities are first computed in single precision. All terms are non-negative, so the error is
  at most a known fraction of the value; only centroids within this error of the largest are
  computed again.
- A row has an upper bound on its similarity to every other centroid and a lower bound on the one to
  its own (Elkan's idea in cosine form). When centroid c becomes c', x'c' - x'c lies between minus
  the length of the negative part of c' - c and the length of the positive part, because x is
  non-negative and has unit length.
- Sums of clusters are updated for the rows that move. Entries are multiples of a power of two
  chosen such that every sum is exact (see ``recoco.methods.spherical``): sums accumulate no
  rounding errors and do not depend on the order.
"""

import numpy as np
from numba import njit, prange

HALF_ULP = 2.0**-24  # relative rounding error of single precision
TINY = 1e-30  # larger than any error from underflow of products
EQUAL = 1e-10  # cosines closer than this differ by rounding


@njit(cache=True, nogil=True)
def _similarities(first, last, indices, data, centroids, out):
    """Compute single-precision products of one row with all centroids, stored as (d, width)."""
    width = out.size
    out[:] = 0.0
    odd = (last - first) % 4
    for p in range(first, first + odd):
        x0 = data[p]
        c0 = centroids[indices[p]]
        for k in range(width):
            out[k] += x0 * c0[k]
    for p in range(first + odd, last, 4):  # four at a time: sums are loaded and stored less often
        x0, x1, x2, x3 = data[p], data[p + 1], data[p + 2], data[p + 3]
        c0, c1 = centroids[indices[p]], centroids[indices[p + 1]]
        c2, c3 = centroids[indices[p + 2]], centroids[indices[p + 3]]
        for k in range(width):
            out[k] += (x0 * c0[k] + x1 * c1[k]) + (x2 * c2[k] + x3 * c3[k])


@njit(cache=True, nogil=True)
def _exact(first, last, indices, data, sums, inverse, k):
    """Return the double-precision similarity of one row to centroid k."""
    s = 0.0
    for p in range(first, last):
        s += data[p] * sums[indices[p], k]  # eq. assignment
    return s * inverse[k]


@njit(cache=True, nogil=True)
def _decide(first, last, indices, data, sums, inverse, out, least):
    """Return the nearest of the centroids whose rounded similarity is at least ``least``."""
    nearest = 0
    best = -1.0
    for k in range(inverse.size):
        if out[k] >= least:
            s = _exact(first, last, indices, data, sums, inverse, k)
            if s > best:  # strictly greater: the lowest cluster wins a tie
                best = s
                nearest = k
    return nearest


@njit(cache=True, nogil=True)
def _assign(matrix, single, state, bounds, labels, found):
    """Assign every row; ``found`` and the bounds are overwritten.

    A bound is stored minus the current ``rise`` (plus ``fall``), so that at any later time it
    is valid after adding (subtracting) the value of ``rise`` (``fall``) at that time.
    """
    indptr, indices, data = matrix
    sums, inverse, centroids = state
    rise, fall, upper, lower = bounds
    width = rise.size
    g = inverse.size
    one, two, tiny = np.float32(1.0), np.float32(2.0), np.float32(TINY)
    slack = np.float32(16.0 * HALF_ULP * (1.0 + rise.max() + fall.max()))
    out = np.empty(width, np.float32)
    for i in range(labels.size):
        row = upper[i]
        own = lower[i] - fall[labels[i]] - slack
        threats = 0
        for k in range(width):
            threats += row[k] + rise[k] >= own
        if threats == 0:
            found[i] = labels[i]
            continue
        first, last = indptr[i], indptr[i + 1]
        _similarities(first, last, indices, single, centroids, out)
        share = np.float32((last - first + 8) * HALF_ULP)
        nearest = 0
        best = out[0]
        for k in range(1, g):
            if out[k] > best:
                best = out[k]
                nearest = k
        least = best * (one - two * share) - tiny
        close = 0
        for k in range(width):
            close += out[k] >= least
        if close > 1:
            nearest = _decide(first, last, indices, data, sums, inverse, out, least)
        found[i] = nearest
        more, less = one + share, one - share
        for k in range(width):
            row[k] = out[k] * more + tiny - rise[k]
        row[nearest] = -np.inf
        lower[i] = out[nearest] * less + fall[nearest]


@njit(cache=True, nogil=True)
def _add_row(matrix, i, k, sign, sums):
    indptr, indices, data = matrix
    for p in range(indptr[i], indptr[i + 1]):
        sums[indices[p], k] += sign * data[p]


@njit(cache=True, nogil=True)
def _sum_all(matrix, labels, sums, counts):
    sums[:] = 0.0
    counts[:] = 0
    for i in range(labels.size):
        _add_row(matrix, i, labels[i], 1.0, sums)
        counts[labels[i]] += 1


@njit(cache=True, nogil=True)
def _lengths(sums, norms, inverse):
    """Compute the lengths of the columns of the sums and their inverses; that of 0 is 0."""
    d, width = sums.shape
    squares = np.zeros(width)
    for j in range(d):
        row = sums[j]
        for k in range(width):
            squares[k] += row[k] * row[k]
    for k in range(norms.size):
        norms[k] = np.sqrt(squares[k])
        inverse[k] = 1.0 / norms[k] if norms[k] > 0 else 0.0


@njit(cache=True, nogil=True)
def _refill(matrix, labels, sums, inverse, counts, lower):
    """Give every empty cluster the row least similar to its own centroid.

    The first row wins a tie (two rows that share a cluster are equally far from its centroid).
    A row that is alone in its cluster stays there.
    """
    indptr, indices, data = matrix
    n = labels.size
    own = np.empty(n)
    for i in range(n):
        own[i] = _exact(indptr[i], indptr[i + 1], indices, data, sums, inverse, labels[i])
    for k in range(counts.size):
        if counts[k] > 0:
            continue
        worst = -1
        for i in range(n):
            if counts[labels[i]] > 1 and (worst < 0 or own[i] < own[worst] - EQUAL):
                worst = i
        old = labels[worst]
        _add_row(matrix, worst, old, -1.0, sums)
        _add_row(matrix, worst, k, 1.0, sums)
        labels[worst] = k
        lower[worst] = -np.inf  # its bounds belonged to another cluster
        counts[old] -= 1
        counts[k] = 1


@njit(cache=True, nogil=True)
def _move_centroids(state, rise, fall):
    """Move the centroids to the normalised sums; accumulate how far each one moved."""
    sums, inverse, centroids = state
    d, width = sums.shape
    zero = np.float32(0.0)
    scale = np.zeros(width)
    scale[: inverse.size] = inverse
    up = np.zeros(width)
    down = np.zeros(width)
    for j in range(d):
        row = sums[j]
        c = centroids[j]
        for k in range(width):
            new = np.float32(row[k] * scale[k])  # eq. concept vectors
            step = new - c[k]
            c[k] = new
            square = step * step
            up[k] += square if step > zero else zero
            down[k] += zero if step > zero else square
    for k in range(inverse.size):
        if up[k] + down[k] > 0.0:  # otherwise no entry has changed
            # more than the rounding errors of all entries
            rise[k] += np.float32(np.sqrt(up[k]) * (1.0 + 1e-6) + 8.0 * HALF_ULP)
            fall[k] += np.float32(np.sqrt(down[k]) * (1.0 + 1e-6) + 8.0 * HALF_ULP)


@njit(cache=True, nogil=True)
def _partition(matrix, labels, found, sums, norms, inverse, counts, lower):
    """Adopt the found labels, update sums and lengths, refill clusters; return the moves."""
    n = labels.size
    moves = 0
    for i in range(n):
        moves += found[i] != labels[i]
    if 2 * moves > n or counts[0] < 0:  # recomputing then reads less; the sums are the same
        labels[:] = found
        _sum_all(matrix, labels, sums, counts)
    else:
        for i in range(n):
            old, new = labels[i], found[i]
            if old != new:
                _add_row(matrix, i, old, -1.0, sums)
                _add_row(matrix, i, new, 1.0, sums)
                counts[old] -= 1
                counts[new] += 1
                labels[i] = new
    _lengths(sums, norms, inverse)
    if counts.min() == 0:
        _refill(matrix, labels, sums, inverse, counts, lower)
        _lengths(sums, norms, inverse)
    return moves


@njit(cache=True, nogil=True)
def cluster(matrix, single, d, chosen, labels, tol, history):
    """Run one start to the end.

    Parameters
    ----------
    matrix : (indptr, indices, data) of the CSR matrix (n, d) of unit rows
    single : float32, its entries rounded
    d : int
    chosen : int64 (g,), rows that are the initial centroids; -1 if ``labels`` are the start
    labels : int (n,): overwritten
    tol : float, the start ends when the criterion grows by no more than this fraction
    history : float64 (max_iter,), criterion after each iteration: overwritten

    Returns
    -------
    n_iter : int
    """
    n, g = labels.size, chosen.size
    width = (g + 7) // 8 * 8  # a multiple of the vector length
    sums = np.zeros((d, width))
    norms = np.zeros(g)
    inverse = np.ones(g)
    state = (sums, inverse, np.zeros((d, width), np.float32))
    rise = np.zeros(width, np.float32)
    fall = np.zeros(width, np.float32)
    upper = np.full((n, width), np.float32(np.inf))
    lower = np.zeros(n, np.float32)
    bounds = (rise, fall, upper, lower)
    counts = np.full(g, -1)  # marks that there is no partition yet
    found = labels.copy()
    before = 0.0
    if chosen[0] < 0:
        _partition(matrix, labels, found, sums, norms, inverse, counts, lower)
        before = norms.sum()
    else:
        for k in range(g):
            _add_row(matrix, chosen[k], k, 1.0, sums)
        _lengths(sums, norms, inverse)
    n_iter = 0
    while True:
        _move_centroids(state, rise, fall)
        _assign(matrix, single, state, bounds, labels, found)
        fresh = counts[0] < 0
        moves = _partition(matrix, labels, found, sums, norms, inverse, counts, lower)
        criterion = norms.sum()  # eq. criterion
        history[n_iter] = criterion
        n_iter += 1
        settled = moves == 0 and not fresh
        if settled or criterion - before <= tol * criterion or n_iter == history.size:
            return n_iter
        before = criterion


@njit(cache=True, nogil=True)
def cluster_starts(matrix, single, d, chosen, labels, tol, histories, n_iter):
    """Run starts one by one: ``chosen`` (B, g), ``labels`` (B, n), ``n_iter`` (B,)."""
    for b in range(labels.shape[0]):
        n_iter[b] = cluster(matrix, single, d, chosen[b], labels[b], tol, histories[b])


@njit(cache=True, nogil=True, parallel=True)
def cluster_starts_parallel(matrix, single, d, chosen, labels, tol, histories, n_iter):
    """Like :func:`cluster_starts`, with the starts distributed over threads."""
    for b in prange(labels.shape[0]):
        n_iter[b] = cluster(matrix, single, d, chosen[b], labels[b], tol, histories[b])


@njit(cache=True, nogil=True)
def spread_rows(matrix, by_column, uniforms):
    """Choose rows as k-means++ does, by their squared distance 2 - 2 cos to the chosen ones.

    Parameters
    ----------
    matrix, by_column : (indptr, indices, data) of the unit rows and of the transposed matrix
    uniforms : float64 (g,) in [0, 1), the random numbers

    Returns
    -------
    int64 (g,), rows; distinct as long as there are g distinct rows
    """
    indptr, indices, data = matrix
    t_indptr, t_indices, t_data = by_column
    n = indptr.size - 1
    closest = np.ones(n)
    cosine = np.empty(n)
    cumulated = np.empty(n)
    chosen = np.empty(uniforms.size, np.int64)
    for k in range(uniforms.size):
        total = 0.0
        for i in range(n):
            total += closest[i]
            cumulated[i] = total
        # rows at distance 0 are never chosen: their interval is empty
        drawn = min(n - 1, np.searchsorted(cumulated, uniforms[k] * total, side="right"))
        chosen[k] = drawn
        cosine[:] = 0.0
        for p in range(indptr[drawn], indptr[drawn + 1]):
            j = indices[p]
            for q in range(t_indptr[j], t_indptr[j + 1]):
                cosine[t_indices[q]] += data[p] * t_data[q]
        for i in range(n):
            closest[i] = min(closest[i], max(0.0, 1.0 - cosine[i]))
        closest[drawn] = 0.0
    return chosen
