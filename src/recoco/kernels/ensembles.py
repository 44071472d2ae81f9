"""Graphs on the objects and on the clusters of a set of partitions."""

import numpy as np
from numba import njit, prange


@njit(cache=True, nogil=True)
def cluster_members(clusters, K):
    """List the rows of every cluster.

    Parameters
    ----------
    clusters : int32 (N, R), numbers of the clusters each row is in, 0..K-1

    Returns
    -------
    first : int64 (K + 1,), members : int32 (N R,), ascending within a cluster
    """
    N, R = clusters.shape
    first = np.zeros(K + 1, np.int64)
    for i in range(N):
        for r in range(R):
            first[clusters[i, r] + 1] += 1
    for h in range(K):
        first[h + 1] += first[h]
    place = first[:-1].copy()
    members = np.empty(N * R, np.int32)
    for i in range(N):
        for r in range(R):
            h = clusters[i, r]
            members[place[h]] = i
            place[h] += 1
    return first, members


@njit(cache=True, nogil=True)
def _one_row(i, clusters, first, members, kind, neighbours, shared):
    """Write the rows that share most clusters with row i, ascending; return how many there are."""
    N, R = clusters.shape
    m = neighbours.shape[1]
    counts = np.zeros(N, kind.dtype)
    for r in range(R):
        h = clusters[i, r]
        for p in range(first[h], first[h + 1]):
            counts[members[p]] += 1
    counts[i] = 0
    # there is space for all rows that share more than `least` clusters
    least, above, reached = R + 1, 0, 0
    while least > 1 and reached < m:
        least -= 1
        above = reached
        reached = 0
        for j in range(N):
            reached += counts[j] >= least
    room = min(m, reached) - above
    found = 0
    # ties: those that follow i, because from the front all rows would choose the same few
    for j in range(i + 1, N):
        if counts[j] >= least:
            if counts[j] == least:
                if room == 0:
                    continue
                room -= 1
            neighbours[i, found] = j
            found += 1
    after = found
    for j in range(i):
        if counts[j] >= least:
            if counts[j] == least:
                if room == 0:
                    continue
                room -= 1
            neighbours[i, found] = j
            found += 1
    ordered = np.concatenate((neighbours[i, after:found], neighbours[i, :after]))
    for p in range(found):
        neighbours[i, p] = ordered[p]
        shared[i, p] = counts[ordered[p]]
    return found


@njit(cache=True, nogil=True)
def similar_rows(clusters, first, members, kind, neighbours, shared, found):
    """Find, for every row, the rows with which it shares most clusters, at most m of them.

    Parameters
    ----------
    clusters, first, members : see :func:`cluster_members`
    kind : empty array of the type of the counts, which must hold R; small types are faster
    neighbours, shared : int32 (N, m), overwritten
    found : int64 (N,), overwritten by the number of entries of each row
    """
    for i in range(clusters.shape[0]):
        found[i] = _one_row(i, clusters, first, members, kind, neighbours, shared)


@njit(cache=True, nogil=True, parallel=True)
def similar_rows_parallel(clusters, first, members, kind, neighbours, shared, found):
    """Like :func:`similar_rows`, on all threads, because rows do not depend on each other."""
    for i in prange(clusters.shape[0]):
        found[i] = _one_row(i, clusters, first, members, kind, neighbours, shared)


@njit(cache=True, nogil=True)
def join_rows(neighbours, shared, found, weights):
    """Return the graph of all pairs in which one row has chosen the other, as CSR.

    The weight of an edge is what its rows share times the product of their weights.

    Returns
    -------
    indptr : int64 (N + 1,); indices : int32, ascending in each row; data : int64
    """
    N = found.size
    # the rows that chose each row, in ascending order
    first = np.zeros(N + 1, np.int64)
    for i in range(N):
        for p in range(found[i]):
            first[neighbours[i, p] + 1] += 1
    for i in range(N):
        first[i + 1] += first[i]
    place = first[:-1].copy()
    choosers = np.empty(first[N], np.int32)
    values = np.empty(first[N], np.int32)
    for i in range(N):
        for p in range(found[i]):
            j = neighbours[i, p]
            choosers[place[j]] = i
            values[place[j]] = shared[i, p]
            place[j] += 1
    indptr = np.zeros(N + 1, np.int64)
    indices = np.empty(2 * first[N], np.int32)
    data = np.empty(2 * first[N], np.int64)
    size = 0
    for i in range(N):
        p, q = 0, first[i]
        while p < found[i] or q < first[i + 1]:
            a = neighbours[i, p] if p < found[i] else N
            b = choosers[q] if q < first[i + 1] else N
            j = min(a, b)
            value = shared[i, p] if a == j else values[q]
            p += a == j
            q += b == j
            indices[size] = j
            data[size] = value * weights[i] * weights[j]
            size += 1
        indptr[i + 1] = size
    return indptr, indices[:size].copy(), data[:size].copy()


@njit(cache=True, nogil=True)
def overlaps(clusters, weights, K):
    """Return the weight of the rows that two clusters of different partitions have in common.

    Returns
    -------
    int64 (K, K), symmetric; the sizes of the clusters on the diagonal
    """
    by_partition = clusters.T.copy()  # few clusters at a time: their counts stay in the cache
    R, N = by_partition.shape
    table = np.zeros((K, K), np.int64)
    for r in range(R):
        one = by_partition[r]
        for i in range(N):
            table[one[i], one[i]] += weights[i]
        for s in range(r + 1, R):
            other = by_partition[s]
            for i in range(N):
                table[one[i], other[i]] += weights[i]
    for a in range(K):
        for b in range(a):
            table[a, b] += table[b, a]
            table[b, a] = table[a, b]
    return table


@njit(cache=True, nogil=True)
def majority(clusters, meta, sizes):
    """Put every row in the meta-cluster whose clusters contain it most often.

    Parameters
    ----------
    clusters : int32 (N, R)
    meta : int64 (K,), the meta-cluster of each cluster
    sizes : int64 (k,), number of clusters in each meta-cluster

    Returns
    -------
    int64 (N,); the lowest one wins a tie
    """
    N, R = clusters.shape
    k = sizes.size
    labels = np.zeros(N, np.int64)
    votes = np.zeros(k, np.int64)
    for i in range(N):
        votes[:] = 0
        for r in range(R):
            votes[meta[clusters[i, r]]] += 1
        best = 0
        for h in range(1, k):
            # shares are compared as integer products, which avoids rounding
            if votes[h] * max(sizes[best], 1) > votes[best] * max(sizes[h], 1):
                best = h
        labels[i] = best
    return labels
