"""Comraf's moves: one element at a time to the cluster with the largest mutual information.

With f(t) = t ln t the mutual information of a table is (sum_ij f(t_ij) - sum_i f(t_i.) -
sum_j f(t_.j) + f(t_..)) / t_.., so a move changes two rows of the table and two margins.
"""

import numpy as np
from numba import njit

# smaller gains are rounding errors, and an element that gains nothing stays
LEAST = 1e-12


@njit(cache=True, nogil=True)
def _f(t):
    return t * np.log(t) if t > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _shift(x):
    """Return x, or 0 if it is not positive: sums of non-integers return to 0 only nearly."""
    return x if x > 1e-300 else 0.0


@njit(cache=True, nogil=True)
def information(table):
    """Return the mutual information of a table in nats."""
    value = 0.0
    total = 0.0
    columns = np.zeros(table.shape[1])
    for i in range(table.shape[0]):
        row = 0.0
        for j in range(table.shape[1]):
            value += _f(table[i, j])
            row += table[i, j]
            columns[j] += table[i, j]
        value -= _f(row)
        total += row
    for j in range(columns.size):
        value -= _f(columns[j])
    return (value + _f(total)) / total  # eq. objective


@njit(cache=True, nogil=True)
def fill(indptr, indices, data, labels, other, table):
    """Sum the matrix over clusters of rows and clusters of columns, into ``table``."""
    table[:] = 0.0
    for i in range(labels.size):
        for p in range(indptr[i], indptr[i + 1]):
            table[labels[i], other[indices[p]]] += data[p]


@njit(cache=True, nogil=True)
def sweep(order, indptr, indices, data, labels, sizes, others, first, tables, widths, totals):
    """Move each row to the cluster with the largest sum of mutual informations.

    Parameters
    ----------
    order : int64, rows in the order in which they are visited
    indptr, indices, data : CSR, the features of all views one after the other
    labels, sizes : int64 (n,), (g,), clusters of the rows: overwritten
    others : int64, clusters of the features of all views, from 0 in each view
    first : int64 (N + 1,), where the features of the views begin
    tables : float64 (N, g, most), tables of the views: overwritten
    widths : int64 (N,), number of feature clusters of each view
    totals : float64 (N,), mass of each view

    Returns
    -------
    moves : int
    """
    N, g, most = tables.shape
    moved = np.zeros((N, most))
    filled = np.empty(most, np.int64)
    mass = np.zeros(N)
    margins = np.zeros((N, g))
    # logarithms dominate the time, so f of the tables is stored
    f_tables, f_margins = np.empty((N, g, most)), np.empty((N, g))
    gains = np.empty(g)
    for k in range(N):
        for i in range(g):
            for j in range(widths[k]):
                margins[k, i] += tables[k, i, j]
                f_tables[k, i, j] = _f(tables[k, i, j])
            f_margins[k, i] = _f(margins[k, i])
    moves = 0
    for u in order:
        b = labels[u]
        if sizes[b] == 1:
            continue  # merging with another cluster never increases the information
        k = 0
        for p in range(indptr[u], indptr[u + 1]):
            while indices[p] >= first[k + 1]:
                k += 1
            moved[k, others[indices[p]]] += data[p]
            mass[k] += data[p]
        gains[:] = 0.0
        for k in range(N):
            margins[k, b] = _shift(margins[k, b] - mass[k])
            f_margins[k, b] = _f(margins[k, b])
            n_filled = 0
            for j in range(widths[k]):
                if moved[k, j] > 0.0:
                    filled[n_filled] = j
                    n_filled += 1
                    tables[k, b, j] = _shift(tables[k, b, j] - moved[k, j])
                    f_tables[k, b, j] = _f(tables[k, b, j])
            for e in range(g):
                part = f_margins[k, e] - _f(margins[k, e] + mass[k])
                for p in range(n_filled):
                    j = filled[p]
                    # eq. conditional mode
                    part += _f(tables[k, e, j] + moved[k, j]) - f_tables[k, e, j]
                gains[e] += part / totals[k]
        # its old cluster comes first, and another one must be strictly better
        best = b
        most_gained = gains[b]
        for e in range(g):
            if e != b and gains[e] > most_gained + LEAST:
                most_gained = gains[e]
                best = e
        for k in range(N):
            margins[k, best] += mass[k]
            f_margins[k, best] = _f(margins[k, best])
            mass[k] = 0.0
            for j in range(widths[k]):
                if moved[k, j] > 0.0:
                    tables[k, best, j] += moved[k, j]
                    f_tables[k, best, j] = _f(tables[k, best, j])
                    moved[k, j] = 0.0
        if best != b:
            labels[u] = best
            sizes[b] -= 1
            sizes[best] += 1
            moves += 1
    return moves
