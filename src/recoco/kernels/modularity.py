"""Modularity maximisation for many starts (CoClus, Algorithm 1).

While many labels change, a batch of starts goes through the matrix together (:func:`assign`). Label
k of start b is stored as slot ``k * B + b``, its position in the table of sums, so a non-zero costs
one addition per start and no index arithmetic; the slots of a column are contiguous. When few
labels change, a start is finished on its own (:func:`settle`): the sums are stored, and only the
rows and columns that move are read.

Scores are multiplied by a_.., which makes them whole numbers for counts and binary data: they are
exact in float64, and ties are real ties. Sums over all rows are computed in chunks of fixed size
that are added in order, so they do not depend on the number of threads. The sums of different
starts are separate, so they do not depend on the batch.
"""

import numpy as np
from numba import njit, prange

CHUNK = 256


@njit(cache=True, nogil=True)
def _assign_chunk(
    first, last, indptr, indices, data, degree, total, slots, mass, found, masses, gain, moves
):
    B = slots.shape[1]
    g = mass.size // B
    sums = np.empty(g * B)
    best = np.empty(B)
    choice = np.empty(B, np.int64)  # as wide as the scores, so both are selected in vectors
    for i in range(first, last):
        sums[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            a = data[p]
            for b in range(B):
                sums[slots[j, b]] += a  # eq. Algorithm 1, steps 2 and 4
        a_i = degree[i]
        for b in range(B):
            best[b] = total * sums[b] - a_i * mass[b]
            choice[b] = 0
        for k in range(1, g):
            s, m = sums[k * B : (k + 1) * B], mass[k * B : (k + 1) * B]
            for b in range(B):
                score = total * s[b] - a_i * m[b]  # eq. Proposition 1, steps 3 and 5
                better = score > best[b]  # strictly greater: the lowest cluster wins a tie
                best[b] = score if better else best[b]
                choice[b] = k if better else choice[b]
        for b in range(B):
            gain[b] += best[b]
        for b in range(B):
            slot = choice[b] * B + b
            moves[b] += slot != found[i, b]
            found[i, b] = slot
            masses[slot] += a_i


@njit(cache=True, nogil=True)
def add_chunks(parts):
    """Sum over chunks, from first to last."""
    total = np.zeros(parts.shape[1], parts.dtype)
    for c in range(parts.shape[0]):
        for k in range(parts.shape[1]):
            total[k] += parts[c, k]
    return total


@njit(cache=True, nogil=True)
def assign(indptr, indices, data, degree, total, slots, mass, found):
    """Assign every row to the cluster with the largest score, for all starts.

    Parameters
    ----------
    indptr, indices, data : CSR matrix (n, d); for the columns' half-step that of its transpose
    degree : float64 (n,), row sums a_i.
    total : float, a_..
    slots : unsigned (d, B), the column labels as slots
    mass : float64 (g * B,), a^W_.k of every start by slot
    found : unsigned (n, B), the row labels as slots: overwritten

    Returns
    -------
    masses : float64 (g * B,), sums of degrees of the new clusters by slot
    gain : float64 (B,), sum of the scores: a_.. squared times the modularity
    moves : int64 (B,), number of rows that changed cluster
    """
    n, B = found.shape
    chunks = (n + CHUNK - 1) // CHUNK
    masses = np.zeros((chunks, mass.size))
    gain = np.zeros((chunks, B))
    moves = np.zeros((chunks, B), np.int64)
    for c in range(chunks):
        _assign_chunk(
            c * CHUNK,
            min(n, (c + 1) * CHUNK),
            indptr,
            indices,
            data,
            degree,
            total,
            slots,
            mass,
            found,
            masses[c],
            gain[c],
            moves[c],
        )
    return add_chunks(masses), add_chunks(gain), add_chunks(moves)


@njit(cache=True, nogil=True, parallel=True)
def assign_parallel(indptr, indices, data, degree, total, slots, mass, found):
    """Like :func:`assign`, with the chunks distributed over threads."""
    n, B = found.shape
    chunks = (n + CHUNK - 1) // CHUNK
    masses = np.zeros((chunks, mass.size))
    gain = np.zeros((chunks, B))
    moves = np.zeros((chunks, B), np.int64)
    for c in prange(chunks):
        _assign_chunk(
            c * CHUNK,
            min(n, (c + 1) * CHUNK),
            indptr,
            indices,
            data,
            degree,
            total,
            slots,
            mass,
            found,
            masses[c],
            gain[c],
            moves[c],
        )
    return add_chunks(masses), add_chunks(gain), add_chunks(moves)


@njit(cache=True, nogil=True)
def cluster_masses(degree, slots, size):
    """Sum degrees by slot, in chunks as :func:`assign` does."""
    d, B = slots.shape
    chunks = (d + CHUNK - 1) // CHUNK
    masses = np.zeros((chunks, size))
    for j in range(d):
        for b in range(B):
            masses[j // CHUNK, slots[j, b]] += degree[j]
    return add_chunks(masses)


@njit(cache=True, nogil=True)
def _sums_by_cluster(indptr, indices, data, labels, sums):
    """Compute sums[j, k], the sum of a_ij over the rows i in cluster k: A^Z of the row labels.

    The loop runs row by row, so consecutive additions go to different cells and need not wait
    for each other.
    """
    sums[:] = 0.0
    for i in range(labels.size):
        k = labels[i]
        for p in range(indptr[i], indptr[i + 1]):
            sums[indices[p], k] += data[p]


@njit(cache=True, nogil=True)
def _settle_side(indptr, indices, data, degree, total, sums, mass, labels, other_sums, new_mass):
    """Half-step with stored sums; the sums of the other side are updated for rows that move.

    Returns
    -------
    gain : float, sum of the scores; moves : int
    """
    g = mass.size
    gain = 0.0
    moves = 0
    new_mass[:] = 0.0
    for i in range(labels.size):
        a_i = degree[i]
        best = total * sums[i, 0] - a_i * mass[0]
        choice = 0
        for k in range(1, g):
            score = total * sums[i, k] - a_i * mass[k]
            if score > best:
                best = score
                choice = k
        gain += best
        new_mass[choice] += a_i
        old = labels[i]
        if choice != old:
            moves += 1
            labels[i] = choice
            for p in range(indptr[i], indptr[i + 1]):
                other_sums[indices[p], old] -= data[p]
                other_sums[indices[p], choice] += data[p]
    return gain, moves


@njit(cache=True, nogil=True)
def _settle_one(by_row, by_column, total, g, rows, columns, n_iter, tol, history):
    """Continue one start; overwrite its labels and history, and return its iterations."""
    indptr, indices, data, degree = by_row
    t_indptr, t_indices, t_data, t_degree = by_column
    row_sums = np.empty((rows.size, g))
    column_sums = np.empty((columns.size, g))
    _sums_by_cluster(t_indptr, t_indices, t_data, columns, row_sums)
    _sums_by_cluster(indptr, indices, data, rows, column_sums)
    row_mass = np.empty(g)
    column_mass = np.zeros(g)
    for j in range(columns.size):
        column_mass[columns[j]] += t_degree[j]
    while n_iter < history.size:
        _settle_side(
            indptr, indices, data, degree, total, row_sums, column_mass, rows, column_sums, row_mass
        )
        gain, moves = _settle_side(
            t_indptr,
            t_indices,
            t_data,
            t_degree,
            total,
            column_sums,
            row_mass,
            columns,
            row_sums,
            column_mass,
        )
        Q = gain / total**2
        history[n_iter] = Q
        n_iter += 1
        if moves == 0 or Q - history[n_iter - 2] <= tol * abs(Q):
            break
    return n_iter


@njit(cache=True, nogil=True)
def settle(by_row, by_column, total, g, starts, rows, columns, n_iter, tol, histories):
    """Continue some starts, each on its own, to the end.

    Parameters
    ----------
    by_row, by_column : tuples (indptr, indices, data, degree) of A and of its transpose
    total : float, a_..
    starts : int64 (S,), the numbers of these starts
    rows, columns : int (B, n) and (B, d), labels after at least one iteration: overwritten
    n_iter : int32 (B,), iterations done: overwritten
    tol : float
    histories : float64 (B, max_iter), modularity after each iteration: continued
    """
    for s in range(starts.size):
        b = starts[s]
        n_iter[b] = _settle_one(
            by_row, by_column, total, g, rows[b], columns[b], n_iter[b], tol, histories[b]
        )


@njit(cache=True, nogil=True, parallel=True)
def settle_parallel(by_row, by_column, total, g, starts, rows, columns, n_iter, tol, histories):
    """Like :func:`settle`, with the starts distributed over threads."""
    for s in prange(starts.size):
        b = starts[s]
        n_iter[b] = _settle_one(
            by_row, by_column, total, g, rows[b], columns[b], n_iter[b], tol, histories[b]
        )


@njit(cache=True, nogil=True)
def modularity(indptr, indices, data, row_degree, column_degree, total, rows, columns, n_clusters):
    """Return the modularity (eq. 2) of one pair of partitions."""
    row_mass = np.zeros(n_clusters)
    column_mass = np.zeros(n_clusters)
    for i in range(row_degree.size):
        row_mass[rows[i]] += row_degree[i]
    for j in range(column_degree.size):
        column_mass[columns[j]] += column_degree[j]
    inside = 0.0
    for i in range(row_degree.size):
        for p in range(indptr[i], indptr[i + 1]):
            if columns[indices[p]] == rows[i]:
                inside += data[p]
    expected = 0.0
    for k in range(n_clusters):
        expected += row_mass[k] * column_mass[k]
    return (inside - expected / total) / total  # eq. 2


@njit(cache=True, nogil=True)
def normalised_cut(indptr, indices, data, row_degree, column_degree, rows, columns, n_clusters):
    """Return the normalised cut of the bipartite graph, the sum of cut / weight (Dhillon 2001).

    An empty cluster cuts nothing, but a partition into g clusters has none: it counts as 1.
    """
    weight = np.zeros(n_clusters)
    inside = np.zeros(n_clusters)
    for j in range(column_degree.size):
        weight[columns[j]] += column_degree[j]
    for i in range(row_degree.size):
        weight[rows[i]] += row_degree[i]
        for p in range(indptr[i], indptr[i + 1]):
            if columns[indices[p]] == rows[i]:
                inside[rows[i]] += data[p]
    cut = 0.0
    for k in range(n_clusters):
        # an inner edge counts at both ends
        cut += 1.0 - 2.0 * inside[k] / weight[k] if weight[k] > 0 else 1.0  # eq. criterion
    return cut
