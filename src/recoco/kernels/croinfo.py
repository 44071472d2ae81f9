"""Mutual information of the reduced table: one half-step for many starts (CROINFO, ITCC).

Column labels are slots ``l * B + b`` (see :mod:`recoco.kernels.modularity`). Sums over rows are
computed in chunks whose size depends only on the number of rows, and added in order, so no result
depends on the number of threads or on the batch.
"""

import numpy as np
from numba import njit, prange

# used as log 0: a row cannot join a cluster without weight where the row has some
FORBIDDEN = -1e300


@njit(cache=True, nogil=True)
def _chunk_size(n):
    return max(256, (n + 31) // 32)  # each chunk has its own table of sums, so there are at most 32


@njit(cache=True, nogil=True)
def _assign_chunk(first, last, indptr, indices, data, slots, logs, found, table, moves):
    B = slots.shape[1]
    g, size = logs.shape
    m = size // B
    sums = np.empty(size)
    score = np.empty(B)
    best = np.empty(B)
    choice = np.empty(B, found.dtype)
    for i in range(first, last):
        sums[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            a = data[p]
            for b in range(B):
                sums[slots[j, b]] += a
        for k in range(g):
            score[:] = 0.0
            for col in range(m):
                for b in range(B):
                    score[b] += sums[col * B + b] * logs[k, col * B + b]  # eq. assignment
            for b in range(B):
                if k == 0 or score[b] > best[b]:  # strictly greater: the lowest cluster wins a tie
                    best[b] = score[b]
                    choice[b] = k
        for b in range(B):
            k = choice[b]
            moves[b] += k != found[i, b]
            found[i, b] = k
            for col in range(m):
                table[k, col * B + b] += sums[col * B + b]  # eq. table


@njit(cache=True, nogil=True)
def _add(parts):
    total = np.zeros(parts.shape[1:], parts.dtype)
    for c in range(parts.shape[0]):
        total += parts[c]
    return total


@njit(cache=True, nogil=True)
def assign(indptr, indices, data, slots, logs, found):
    """Put every row in the cluster with the largest sum_l p_il log(p_kl / p_k.), for all starts.

    Parameters
    ----------
    indptr, indices, data : CSR matrix (n, d); for the columns' half-step that of its transpose
    slots : unsigned (d, B), the column labels as slots
    logs : float64 (g, m * B), the logarithms by row cluster and column slot
    found : unsigned (n, B), the row labels: overwritten

    Returns
    -------
    table : float64 (g, m * B), the reduced table of the new labels
    moves : int64 (B,), number of rows that changed cluster
    """
    n, B = found.shape
    chunk = _chunk_size(n)
    chunks = (n + chunk - 1) // chunk
    tables = np.zeros((chunks, logs.shape[0], logs.shape[1]))
    moves = np.zeros((chunks, B), np.int64)
    for c in range(chunks):
        _assign_chunk(
            c * chunk,
            min(n, (c + 1) * chunk),
            indptr,
            indices,
            data,
            slots,
            logs,
            found,
            tables[c],
            moves[c],
        )
    return _add(tables), _add(moves)


@njit(cache=True, nogil=True, parallel=True)
def assign_parallel(indptr, indices, data, slots, logs, found):
    """Like :func:`assign`, with the chunks distributed over threads."""
    n, B = found.shape
    chunk = _chunk_size(n)
    chunks = (n + chunk - 1) // chunk
    tables = np.zeros((chunks, logs.shape[0], logs.shape[1]))
    moves = np.zeros((chunks, B), np.int64)
    for c in prange(chunks):
        _assign_chunk(
            c * chunk,
            min(n, (c + 1) * chunk),
            indptr,
            indices,
            data,
            slots,
            logs,
            found,
            tables[c],
            moves[c],
        )
    return _add(tables), _add(moves)


@njit(cache=True, nogil=True)
def reduced_table(indptr, indices, data, rows, slots, table):
    """Sum p_kl over the given labels, into ``table`` (g, m * B)."""
    B = slots.shape[1]
    table[:] = 0.0
    for i in range(rows.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            for b in range(B):
                table[rows[i, b], slots[j, b]] += data[p]


@njit(cache=True, nogil=True)
def conditional_logs(table, B):
    """Return log(p_kl / p_k.) of every start, by row cluster and column slot."""
    g, size = table.shape
    logs = np.empty((g, size))
    for k in range(g):
        for b in range(B):
            margin = 0.0
            for s in range(b, size, B):
                margin += table[k, s]
            for s in range(b, size, B):
                p = table[k, s]
                logs[k, s] = np.log(p / margin) if p > 0.0 else FORBIDDEN
    return logs


@njit(cache=True, nogil=True)
def information(table, B):
    """Return the mutual information of the reduced table of every start, whose sum is 1."""
    g, size = table.shape
    value = np.zeros(B)
    for b in range(B):
        columns = np.zeros(size // B)
        for k in range(g):
            for col in range(columns.size):
                columns[col] += table[k, col * B + b]
        for k in range(g):
            margin = 0.0
            for col in range(columns.size):
                margin += table[k, col * B + b]
            for col in range(columns.size):
                p = table[k, col * B + b]
                if p > 0.0:
                    value[b] += p * np.log(p / (margin * columns[col]))  # eq. criterion
    return value


@njit(cache=True, nogil=True)
def turned(table, B):
    """Transpose the tables (g, m * B) to (m, g * B)."""
    g, size = table.shape
    m = size // B
    out = np.empty((m, g * B))
    for k in range(g):
        for col in range(m):
            for b in range(B):
                out[col, k * B + b] = table[k, col * B + b]
    return out
