"""Consensus of co-clusterings on their factors: the matrix M is never built.

The clusters of all base co-clusterings are numbered consecutively, h = 0..K-1; a row is described
by the s numbers of its clusters. With N_hk the number of columns shared by base cluster h and
consensus cluster k, row i of M Wtilde D_z^-1/2 is the sum over its clusters h of

    N_hk / (s sqrt(z_h w_h) sqrt(w_.k z_.k)),

so a half-step costs s g additions per row, and the criterion and the modularity follow from
the two tables of counts. Counts are integers, updated for the rows and columns that move.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.bundles import (
    assign,
    choose,
    count_members,
    fill_empty,
    move,
    new_cells,
    refill,
    tie,
)

MEMBERS = 48  # average number of rows per cluster of a bundle; with fewer, their sums cost too much


@njit(cache=True, nogil=True)
def count_pairs(clusters, labels, counts):
    """Add the number of rows in base cluster h and cluster k to counts[h, k]."""
    for i in range(labels.size):
        for q in range(clusters.shape[1]):
            counts[clusters[i, q], labels[i]] += 1


@njit(cache=True, nogil=True)
def _half_step(clusters, table, shift, labels, sizes, counts, best, scores):
    """Give every row the label with the largest sum of its rows of ``table``, minus ``shift``.

    ``labels``, ``sizes`` and ``counts`` are updated. An empty cluster receives the row with the
    lowest score from a cluster with others.

    Returns
    -------
    moves, emptied : int
    """
    moves = 0
    for i in range(labels.size):
        choice = choose(clusters, i, table, shift, False, 0.0, scores)
        best[i] = scores[choice]
        old = labels[i]
        if choice != old:
            moves += 1
            move(clusters, i, choice, labels, sizes, counts)
    return moves, fill_empty(clusters, best, labels, sizes, counts)


@njit(cache=True, nogil=True)
def _bundled_half_step(side, table, drawing, seed, place, labels, sizes, counts, cells):
    """Like :func:`_half_step`, without a shift, by bundles of bases; ``drawing`` draws labels.

    ``side`` contains the rows' base clusters and their bundles.
    """
    clusters, order, ends, codes, members = side
    bundles = (order, ends, codes, members)
    moves = assign(clusters, bundles, table, drawing, seed, place, labels, sizes, cells)
    count_members(members, cells, counts)
    return moves, refill(clusters, table, labels, sizes, counts)


@njit(cache=True, nogil=True)
def _fill_table(counts, weights, sizes, other_sizes, table):
    for k in range(sizes.size):
        # an empty cluster, possible only at the start, counts as size 1
        scale = 1.0 / np.sqrt(float(max(sizes[k], 1)) * float(max(other_sizes[k], 1)))
        for h in range(weights.size):
            table[h, k] = counts[h, k] * weights[h] * scale  # eq. 9 and 10


@njit(cache=True, nogil=True)
def trace(row_counts, column_counts, weights, row_sizes, column_sizes):
    """Return Trace(Ztilde' M Wtilde)."""
    value = 0.0
    for k in range(row_sizes.size):
        inside = 0.0
        for h in range(weights.size):
            inside += weights[h] * float(row_counts[h, k]) * float(column_counts[h, k])
        if row_sizes[k] > 0 and column_sizes[k] > 0:
            value += inside / np.sqrt(float(row_sizes[k]) * float(column_sizes[k]))  # eq. 5
    return value


@njit(cache=True, nogil=True)
def modularity(row_counts, column_counts, weights, row_base, column_base):
    """Return the modularity on M (eq. 11); ``row_base`` and ``column_base`` are z_h and w_h."""
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
        value += inside - rows * columns / total  # eq. 11
    return value / total


@njit(cache=True, nogil=True)
def _consensus(row_side, column_side, weights, seed, settings, tol, rows, columns, kept, history):
    g, max_iter, stochastic = settings
    n, d, K = rows.size, columns.size, weights.size
    row_counts = np.zeros((K, g), np.int64)
    column_counts = np.zeros((K, g), np.int64)
    count_pairs(row_side[0], rows, row_counts)
    count_pairs(column_side[0], columns, column_counts)
    row_cells = new_cells(row_side[4], g)
    column_cells = new_cells(column_side[4], g)
    row_sizes = np.zeros(g, np.int64)
    column_sizes = np.zeros(g, np.int64)
    for i in range(n):
        row_sizes[rows[i]] += 1
    for j in range(d):
        column_sizes[columns[j]] += 1
    table = np.empty((K, g))
    none = np.uint64(0)
    n_iter = 0
    emptied = 0
    refills = np.zeros(max_iter, np.int64)
    seen = (rows.copy(), columns.copy())
    since, window = max_iter, 1
    for iteration in range(max_iter):
        _fill_table(column_counts, weights, row_sizes, column_sizes, table)
        moves, empty = _bundled_half_step(
            row_side, table, False, seed, none, rows, row_sizes, row_counts, row_cells
        )
        _fill_table(row_counts, weights, row_sizes, column_sizes, table)
        others, lost = _bundled_half_step(
            column_side,
            table,
            iteration < stochastic,
            seed,
            np.uint64(iteration) * np.uint64(d),
            columns,
            column_sizes,
            column_counts,
            column_cells,
        )
        refills[iteration] = empty + lost
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
            if since < iteration and (seen[0] == rows).all() and (seen[1] == columns).all():
                # without drawing, the same iterates would repeat from here on
                period = iteration - since
                for left in range(iteration + 1, max_iter):
                    emptied += refills[since + 1 + (left - since - 1) % period]
                break
            if since == max_iter or iteration - since == window:
                since, window = iteration, 2 * window  # to detect a cycle of any length
                seen[0][:] = rows
                seen[1][:] = columns
    rows[:] = kept[0]
    columns[:] = kept[1]
    return n_iter, emptied


@njit(cache=True, nogil=True)
def _side(clusters):
    """Return what a half-step needs: the base clusters of the rows, and their bundles."""
    order, ends, codes, members = tie(clusters, clusters.shape[0] // MEMBERS)
    return clusters, order, ends, codes, members


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
    row_side, column_side = _side(by_row), _side(by_column)
    out = np.zeros((2, B), np.int64)
    for b in range(B):
        kept = (rows[b].copy(), columns[b].copy())
        out[0, b], out[1, b] = _consensus(
            row_side,
            column_side,
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
    """Like :func:`consensus`, with the starts distributed over threads."""
    B = seeds.size
    row_side, column_side = _side(by_row), _side(by_column)
    out = np.zeros((2, B), np.int64)
    for b in prange(B):
        kept = (rows[b].copy(), columns[b].copy())
        out[0, b], out[1, b] = _consensus(
            row_side,
            column_side,
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

    Row i is put in the cluster with the largest (S z_k)_i / z_.k; ``exact`` subtracts half the
    squared norm of the centre, which makes the step one of k-means in the feature space of S.

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
        moves, empty = _half_step(clusters, table, shift, labels, sizes, counts, best, scores)
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
