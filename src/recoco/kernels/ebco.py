"""Consensus of co-clusterings on their factors: the matrix M is never formed.

The clusters of all base co-clusterings are numbered through, h = 0..K-1; a row is described by
the s numbers of its clusters. With N_hk the number of columns shared by base cluster h and
consensus cluster k, row i of M Wtilde D_z^-1/2 is the sum over its clusters h of

    N_hk / (s sqrt(z_h w_h) sqrt(w_.k z_.k)),

so a half-step costs s g additions per row, and the criterion and the modularity follow from
the two tables of counts. Counts are whole numbers, kept up to date by what moves.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.dcc import draw, uniform


@njit(cache=True, nogil=True)
def count_pairs(clusters, labels, counts):
    """Add to counts[h, k] the rows that are in base cluster h and in cluster k."""
    for i in range(labels.size):
        for q in range(clusters.shape[1]):
            counts[clusters[i, q], labels[i]] += 1


@njit(cache=True, nogil=True)
def _half_step(
    clusters, table, shift, labels, sizes, counts, stochastic, seed, place, best, scores
):
    """Give every row a new label by the sums of its rows of ``table``, less ``shift``.

    ``labels``, ``sizes`` and ``counts`` are brought up to date, an empty cluster gets the row
    of least score from a cluster with others.

    Returns
    -------
    moves, emptied : int
    """
    n, s = clusters.shape
    g = sizes.size
    moves = 0
    for i in range(n):
        for k in range(g):
            scores[k] = -shift[k]
        for q in range(s):
            row = table[clusters[i, q]]
            for k in range(g):
                scores[k] += row[k]
        if stochastic:
            choice = draw(scores, uniform(seed, place + np.uint64(i)))
        else:
            choice = 0
            for k in range(1, g):
                if scores[k] > scores[choice]:  # strictly: ties go to the lowest cluster
                    choice = k
        best[i] = scores[choice]
        old = labels[i]
        if choice != old:
            moves += 1
            _move(clusters, i, old, choice, labels, sizes, counts)
    emptied = 0
    for k in range(g):
        if sizes[k] > 0:
            continue
        emptied += 1
        chosen = -1
        least = np.inf
        for i in range(n):
            if best[i] < least and sizes[labels[i]] > 1:
                least = best[i]
                chosen = i
        if chosen >= 0:
            _move(clusters, chosen, labels[chosen], k, labels, sizes, counts)
            best[chosen] = np.inf  # it is not taken away again
    return moves, emptied


@njit(cache=True, nogil=True)
def _move(clusters, i, old, new, labels, sizes, counts):
    labels[i] = new
    sizes[old] -= 1
    sizes[new] += 1
    for q in range(clusters.shape[1]):
        counts[clusters[i, q], old] -= 1
        counts[clusters[i, q], new] += 1


@njit(cache=True, nogil=True)
def _fill_table(counts, weights, sizes, other_sizes, table):
    for k in range(sizes.size):
        # an empty cluster, possible only at the start, counts as one of size 1
        scale = 1.0 / np.sqrt(float(max(sizes[k], 1)) * float(max(other_sizes[k], 1)))
        for h in range(weights.size):
            table[h, k] = counts[h, k] * weights[h] * scale


@njit(cache=True, nogil=True)
def trace(row_counts, column_counts, weights, row_sizes, column_sizes):
    """Trace(Ztilde' M Wtilde)."""
    value = 0.0
    for k in range(row_sizes.size):
        inside = 0.0
        for h in range(weights.size):
            inside += weights[h] * float(row_counts[h, k]) * float(column_counts[h, k])
        if row_sizes[k] > 0 and column_sizes[k] > 0:
            value += inside / np.sqrt(float(row_sizes[k]) * float(column_sizes[k]))
    return value


@njit(cache=True, nogil=True)
def modularity(row_counts, column_counts, weights, row_base, column_base):
    """Modularity on M (eq. 11) from the counts; ``row_base`` and ``column_base`` are z_h, w_h."""
    total = 0.0
    for h in range(weights.size):
        total += weights[h] * float(row_base[h]) * float(column_base[h])
    value = 0.0
    for k in range(row_counts.shape[1]):
        inside = 0.0
        rows = 0.0
        columns = 0.0
        for h in range(weights.size):
            inside += weights[h] * float(row_counts[h, k]) * float(column_counts[h, k])
            rows += weights[h] * float(row_counts[h, k]) * float(column_base[h])
            columns += weights[h] * float(row_base[h]) * float(column_counts[h, k])
        value += inside - rows * columns / total
    return value / total


@njit(cache=True, nogil=True)
def _consensus(by_row, by_column, weights, seed, settings, tol, rows, columns, kept, history):
    g, max_iter, stochastic = settings
    n, d, K = by_row.shape[0], by_column.shape[0], weights.size
    row_counts = np.zeros((K, g), np.int64)
    column_counts = np.zeros((K, g), np.int64)
    count_pairs(by_row, rows, row_counts)
    count_pairs(by_column, columns, column_counts)
    row_sizes = np.zeros(g, np.int64)
    column_sizes = np.zeros(g, np.int64)
    for i in range(n):
        row_sizes[rows[i]] += 1
    for j in range(d):
        column_sizes[columns[j]] += 1
    table = np.empty((K, g))
    best = np.empty(max(n, d))
    scores = np.empty(g)
    shift = np.zeros(g)
    none = np.uint64(0)
    n_iter = 0
    emptied = 0
    for iteration in range(max_iter):
        _fill_table(column_counts, weights, row_sizes, column_sizes, table)
        moves, empty = _half_step(
            by_row, table, shift, rows, row_sizes, row_counts, False, seed, none, best, scores
        )
        _fill_table(row_counts, weights, row_sizes, column_sizes, table)
        place = np.uint64(iteration) * np.uint64(d)
        others, lost = _half_step(
            by_column,
            table,
            shift,
            columns,
            column_sizes,
            column_counts,
            iteration < stochastic,
            seed,
            place,
            best,
            scores,
        )
        emptied += empty + lost
        value = trace(row_counts, column_counts, weights, row_sizes, column_sizes)
        history[iteration] = value
        if iteration == 0 or value > history[n_iter - 1]:
            n_iter = iteration + 1
            kept[0][:] = rows
            kept[1][:] = columns
        if iteration > stochastic:
            still = moves + others + empty + lost == 0
            if still or abs(value - history[iteration - 1]) <= tol * abs(value):
                break
    rows[:] = kept[0]
    columns[:] = kept[1]
    return n_iter, emptied


@njit(cache=True, nogil=True)
def consensus(by_row, by_column, weights, seeds, settings, tol, rows, columns, histories):
    """Algorithm 1 on the factors, from every given pair of partitions.

    Parameters
    ----------
    by_row, by_column : int (n, s) and (d, s), numbers of the base clusters
    weights : float64 (K,), 1 / (s sqrt(z_h w_h)), and 0 where a side of h is empty
    seeds : uint64 (B,)
    settings : (g, max_iter, stochastic)
    tol : float
    rows, columns : int16 or int32 (B, n) and (B, d): overwritten by the best iterate
    histories : float64 (B, max_iter): overwritten

    Returns
    -------
    n_iter, emptied : int64 (B,), the iteration of the best iterate and the refills
    """
    B = seeds.size
    out = np.zeros((2, B), np.int64)
    for b in range(B):
        kept = (rows[b].copy(), columns[b].copy())
        out[0, b], out[1, b] = _consensus(
            by_row,
            by_column,
            weights,
            seeds[b],
            settings,
            tol,
            rows[b],
            columns[b],
            kept,
            histories[b],
        )
    return out


@njit(cache=True, nogil=True, parallel=True)
def consensus_parallel(by_row, by_column, weights, seeds, settings, tol, rows, columns, histories):
    """The same as :func:`consensus`, the starts spread over numba's threads."""
    B = seeds.size
    out = np.zeros((2, B), np.int64)
    for b in prange(B):
        kept = (rows[b].copy(), columns[b].copy())
        out[0, b], out[1, b] = _consensus(
            by_row,
            by_column,
            weights,
            seeds[b],
            settings,
            tol,
            rows[b],
            columns[b],
            kept,
            histories[b],
        )
    return out


@njit(cache=True, nogil=True)
def one_sided(clusters, weights, settings, exact, tol, labels, history):
    """One-sided ensemble clustering from given labels (n,), overwritten by the best iterate.

    Row i goes to the cluster of largest (S z_k)_i / z_.k; with ``exact`` half the squared norm
    of the centre is taken off, which makes the step one of k-means in the feature space of S.

    Returns
    -------
    n_iter, emptied : int
    """
    g, max_iter = settings
    n, K = clusters.shape[0], weights.size
    counts = np.zeros((K, g), np.int64)
    count_pairs(clusters, labels, counts)
    sizes = np.zeros(g, np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
    table = np.empty((K, g))
    shift = np.zeros(g)
    best = np.empty(n)
    scores = np.empty(g)
    kept = labels.copy()
    none = np.uint64(0)
    n_iter = 0
    emptied = 0
    for iteration in range(max_iter):
        _fill_table(counts, weights, sizes, sizes, table)
        if exact:
            for k in range(g):
                norm = 0.0
                for h in range(K):
                    norm += weights[h] * float(counts[h, k]) ** 2
                shift[k] = norm / (2.0 * float(max(sizes[k], 1)) ** 2)
        moves, empty = _half_step(
            clusters, table, shift, labels, sizes, counts, False, none, none, best, scores
        )
        emptied += empty
        value = trace(counts, counts, weights, sizes, sizes)
        history[iteration] = value
        if iteration == 0 or value > history[n_iter - 1]:
            n_iter = iteration + 1
            kept[:] = labels
        if moves + empty == 0:
            break
        if iteration > 0 and abs(value - history[iteration - 1]) <= tol * abs(value):
            break
    labels[:] = kept
    return n_iter, emptied
