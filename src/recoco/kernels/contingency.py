"""Contingency tables of many partitions with one partition, in a single pass."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def relabel(labels, table, out):
    """Relabel by first occurrence; return the number of distinct labels.

    ``table`` is a work array with an entry for every possible label.
    """
    table[:] = -1
    found = 0
    for i in range(labels.size):
        label = labels[i]
        if table[label] < 0:
            table[label] = found
            found += 1
        out[i] = table[label]
    return found


@njit(cache=True, nogil=True)
def contingency_tables(truth, n_classes, partitions, room):
    """Count, for every partition, the objects of each (class, cluster) pair.

    Parameters
    ----------
    truth : int array (n,), values 0..n_classes-1
    partitions : int array (R, n), values 0..room-1

    Returns
    -------
    counts : int64 array (R, n_classes, room), clusters in order of first occurrence
    sizes : int64 array (R,), number of non-empty clusters
    """
    R, n = partitions.shape
    counts = np.zeros((R, n_classes, room), np.int64)
    sizes = np.zeros(R, np.int64)
    table = np.empty(room, np.int64)
    labels = np.empty(n, np.int64)
    for r in range(R):
        sizes[r] = relabel(partitions[r], table, labels)
        for i in range(n):
            counts[r, truth[i], labels[i]] += 1
    return counts, sizes


@njit(cache=True, nogil=True)
def table_scores(counts, sizes):
    """Compute scores of contingency tables.

    Returns
    -------
    float64 array (R, 5): mutual information, entropy of the classes, entropy of the clusters,
    adjusted Rand index, purity. The first three are equal if the table is one-to-one.
    """
    R, K, _ = counts.shape
    out = np.zeros((R, 5))
    for r in range(R):
        L = sizes[r]
        rows = np.zeros(K, np.int64)
        columns = np.zeros(L, np.int64)
        n = 0
        cells = 0
        squares = 0
        largest = 0
        for m in range(L):
            best = 0
            for k in range(K):
                c = counts[r, k, m]
                rows[k] += c
                columns[m] += c
                n += c
                cells += c > 0
                squares += c * c
                best = max(best, c)
            largest += best
        classes = 0
        row_squares = 0
        column_squares = 0
        for k in range(K):
            row_squares += rows[k] * rows[k]
            if rows[k] > 0:
                classes += 1
                out[r, 1] -= rows[k] / n * np.log(rows[k] / n)
        for m in range(L):
            column_squares += columns[m] * columns[m]
            out[r, 2] -= columns[m] / n * np.log(columns[m] / n)
        if cells == classes and cells == L:
            # one-to-one: equal by definition, despite rounding
            out[r, 0] = out[r, 1]
            out[r, 2] = out[r, 1]
        else:
            for m in range(L):
                for k in range(K):
                    c = counts[r, k, m]
                    if c > 0:
                        out[r, 0] += c / n * np.log(n * c / (rows[k] * columns[m]))
        # ordered pairs: together in both, in one only, in neither
        both = float(squares - n)
        only_truth = float(row_squares - squares)
        only_found = float(column_squares - squares)
        none = float(n) * n - row_squares - column_squares + squares
        if only_truth == 0 and only_found == 0:
            out[r, 3] = 1.0
        else:
            out[r, 3] = (
                2.0
                * (both * none - only_truth * only_found)
                / (
                    (both + only_truth) * (only_truth + none)
                    + (both + only_found) * (only_found + none)
                )
            )
        out[r, 4] = largest / n
    return out
