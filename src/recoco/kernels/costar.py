"""CoStar's moves: one object, then one feature of every view, by the change of tau (Section 4.3).

Objects and features are numbered through all views: view k has the features ``first[k]`` to
``first[k + 1]``, and its feature clusters have numbers from ``first[k]`` on, so that the tables
T^k of all views are one array ``by_row`` (object clusters, feature clusters) and its transpose
``by_column``. Clusters that exist come first; when one vanishes, the last takes its number.

A move is evaluated over the non-zeros of what is moved. Besides the tables their margins and
the sums of squares of each row and column are kept: all that tau needs. For counts they are
whole numbers, exact in float64.

``data`` is (indptr, indices, values, t_indptr, t_indices, t_values, first, starts, object_mass,
feature_mass, total), the matrix of all views by objects and by features; ``starts[k, u]`` is
where the features of view k begin in row u. ``state`` is (objects, features, by_row, by_column,
row_mass, column_mass, row_squares, column_squares, sums, counts, row_entries, column_entries);
``counts`` are the numbers of clusters of the views and, last, of objects; ``sums[:, k]`` are
sum_ij t_ij^2 / t_.j, sum_ij t_ij^2 / t_i., sum_i t_i.^2 and sum_j t_.j^2 of view k.
"""

import numpy as np
from numba import njit

from recoco.kernels.members import move_member, rename

# taus that differ by less are equal: far above rounding, far below what a move of one count does
TIE = 1e-14
# a cluster of a smaller share of the total is one of empty features, and what it has is rounding
EMPTY = 1e-13
# a non-zero added by its index costs as much as this many cells of a table
SPARSE = 4


@njit(cache=True, nogil=True)
def ratio(squares, mass, total):
    return squares / mass if mass > EMPTY * total else 0.0


@njit(cache=True, nogil=True)
def _choose_object(o, b, alone, data, state, moved, touched, used, score, members):
    """Algorithms 2 and 3: the cluster object o of cluster b is best put in."""
    t_indptr, t_indices, t_values = data[3], data[4], data[5]
    first, object_mass, total = data[6], data[8], data[10]
    objects, by_row, by_column = state[0], state[2], state[3]
    row_mass, column_mass, row_squares, sums, counts = (
        state[4],
        state[5],
        state[6],
        state[8],
        state[9],
    )
    column_entries = state[11]
    pool, where, size = members[0], members[1], members[3]
    N = total.size
    R = counts[N]
    explained = 0.0
    concentration = 0.0
    leaving = 0.0
    score[: R + 1] = 0.0
    k = 0
    for p in range(used):
        g = touched[p]
        while g >= first[k + 1]:
            k += 1
        mu = moved[g]
        w = 2.0 * mu / (total[k] * column_mass[g])
        leaving += w * (mu - by_row[b, g])
        if SPARSE * column_entries[g] < R:
            offset = 4 * first[k]
            for q in range(where[g], where[g] + size[g]):
                v = first[k] + pool[offset + q]
                for r in range(t_indptr[v], t_indptr[v + 1]):
                    score[objects[t_indices[r]]] += w * t_values[r]
        else:
            cells = by_column[g]
            for e in range(R):
                score[e] += w * cells[e]
    for k in range(N):
        explained += sums[0, k] / total[k]
        concentration += sums[2, k] / total[k] ** 2
    best = (explained - concentration) / (N - concentration) if R > 1 else 0.0
    ties = np.empty(R + 1, np.int64)
    ties[0] = b
    n_ties = 1
    for e in range(R + 1):
        if e == b or (e == R and alone):
            continue  # where o is, or another name for it
        spread = 0.0
        for k in range(N):
            mu = object_mass[k, o]
            there = row_mass[k, e] if e < R else 0.0
            spread += 2.0 * mu * (there - row_mass[k, b] + mu) / total[k] ** 2
        if alone and R == 2:
            tau = 0.0
        else:
            tau = (explained + leaving + score[e] - concentration - spread) / (
                N - concentration - spread
            )
        if tau > best + TIE:
            best = tau
            ties[0] = e
            n_ties = 1
        elif tau >= best - TIE:
            ties[n_ties] = e
            n_ties += 1
    winner = ties[0]
    if n_ties == 1:
        return winner
    # Algorithm 3: tau_Yk|X of each candidate, up to what all of them share
    taus = np.zeros((2, N))
    for t in range(n_ties):
        e = ties[t]
        for k in range(N):
            taus[1, k] = 0.0
            free = 1.0 - sums[3, k] / total[k] ** 2
            if e == b or counts[k] < 2 or free <= EMPTY:
                continue
            mu = object_mass[k, o]
            squares_b = row_squares[k, b]
            squares_e = row_squares[k, e] if e < R else 0.0
            there = row_mass[k, e] if e < R else 0.0
            change = -ratio(squares_b, row_mass[k, b], total[k])
            change -= ratio(squares_e, there, total[k])
            for p in range(used):
                g = touched[p]
                if first[k] <= g < first[k + 1]:
                    squares_b += moved[g] * (moved[g] - 2.0 * by_row[b, g])
                    t_eg = by_row[e, g] if e < R else 0.0
                    squares_e += moved[g] * (moved[g] + 2.0 * t_eg)
            if not alone:
                change += ratio(squares_b, row_mass[k, b] - mu, total[k])
            change += ratio(squares_e, there + mu, total[k])
            taus[1, k] = change / (total[k] * free)
        if t == 0:
            taus[0] = taus[1]
            continue
        for_winner = 0
        for_other = 0
        for k in range(N):
            if taus[0, k] > taus[1, k] + TIE:
                for_winner += 1
            elif taus[1, k] > taus[0, k] + TIE:
                for_other += 1
        if for_winner < for_other:
            winner = e
            taus[0] = taus[1]
    return winner


@njit(cache=True, nogil=True)
def _apply_object(o, b, e, alone, data, state, moved, touched, used):
    """UPDATE for an object: tables, margins, squares and sums; R counts cluster e if it is new."""
    first, starts, object_mass, total = data[6], data[7], data[8], data[10]
    objects, by_row, by_column = state[0], state[2], state[3]
    row_mass, column_mass, row_squares, column_squares = state[4], state[5], state[6], state[7]
    sums, counts, row_entries = state[8], state[9], state[10]
    N = total.size
    for k in range(N):
        sums[1, k] -= ratio(row_squares[k, b], row_mass[k, b], total[k])
        sums[1, k] -= ratio(row_squares[k, e], row_mass[k, e], total[k])
    k = 0
    for p in range(used):
        g = touched[p]
        while g >= first[k + 1]:
            k += 1
        mu = moved[g]
        t_b, t_e = by_row[b, g], by_row[e, g]
        change = 2.0 * mu * (t_e - t_b + mu)
        column_squares[g] += change
        sums[0, k] += change / column_mass[g]
        row_squares[k, b] += mu * (mu - 2.0 * t_b)
        row_squares[k, e] += mu * (mu + 2.0 * t_e)
        by_row[b, g] = by_column[g, b] = t_b - mu
        by_row[e, g] = by_column[g, e] = t_e + mu
    for k in range(N):
        mu = object_mass[k, o]
        sums[2, k] += 2.0 * mu * (row_mass[k, e] - row_mass[k, b] + mu)
        row_mass[k, b] -= mu
        row_mass[k, e] += mu
        entries = starts[k + 1, o] - starts[k, o]
        row_entries[k, b] -= entries
        row_entries[k, e] += entries
        if not alone:
            sums[1, k] += ratio(row_squares[k, b], row_mass[k, b], total[k])
        sums[1, k] += ratio(row_squares[k, e], row_mass[k, e], total[k])
    objects[o] = e
    if not alone:
        return
    last = counts[N] - 1
    for p in range(used):
        by_row[b, touched[p]] = by_column[touched[p], b] = 0.0  # but for rounding they are
    for k in range(N):
        for j in range(first[k], first[k] + counts[k]):
            t = by_row[last, j]
            if t != 0.0 and last != b:
                by_row[last, j] = by_column[j, last] = 0.0
                by_row[b, j] = by_column[j, b] = t
        row_mass[k, b] = row_mass[k, last]
        row_squares[k, b] = row_squares[k, last]
        row_entries[k, b] = row_entries[k, last]
        row_mass[k, last] = row_squares[k, last] = 0.0
        row_entries[k, last] = 0


@njit(cache=True, nogil=True)
def _object_step(cluster, member, data, state, members, moved, touched, score, feature_members):
    """Algorithm 2 with the given random numbers; whether an object was moved."""
    indptr, indices, values = data[0], data[1], data[2]
    features, counts = state[1], state[9]
    pool, where, room, size, at, ends = members
    N = data[10].size
    R = counts[N]
    b = min(int(cluster * R), R - 1)
    o = pool[where[b] + min(int(member * size[b]), size[b] - 1)]
    alone = size[b] == 1
    used = 0
    for p in range(indptr[o], indptr[o + 1]):
        g = features[indices[p]]
        if moved[g] == 0.0:
            touched[used] = g
            used += 1
        moved[g] += values[p]
    e = _choose_object(o, b, alone, data, state, moved, touched, used, score, feature_members)
    if e != b:
        ends[N] = move_member(o, b, e, R, pool, where, room, size, at, ends[N])
        if e == R:
            counts[N] += 1
        _apply_object(o, b, e, alone, data, state, moved, touched, used)
        if alone:
            last = counts[N] - 1
            if last != b:
                rename(last, b, 0, state[0], pool, where, room, size)
            size[last] = 0
            counts[N] = last
    for p in range(used):
        moved[touched[p]] = 0.0
    return e != b


@njit(cache=True, nogil=True)
def _choose_feature(v, b, alone, k, data, state, moved, touched, used, score, members):
    """Algorithms 4 and 5: the cluster feature v of cluster b of view k is best put in."""
    indices, values, first, starts = data[1], data[2], data[6], data[7]
    mass, total = data[9][v], data[10][k]
    features, by_row, by_column = state[1], state[2], state[3]
    row_mass, column_mass, column_squares, sums = state[4], state[5], state[7], state[8]
    C, R, row_entries = state[9][k], state[9][data[10].size], state[10]
    pool, where, size = members[0], members[1], members[3]
    lo = first[k]
    score[: C + 1] = 0.0
    leaving = 0.0
    for p in range(used):
        i = touched[p]
        w = 2.0 * moved[i] / (total * row_mass[k, i])
        leaving += w * (moved[i] - by_column[b, i])
        if SPARSE * row_entries[k, i] < C:
            for q in range(where[i], where[i] + size[i]):
                u = pool[q]
                for r in range(starts[k, u], starts[k + 1, u]):
                    score[features[indices[r]] - lo] += w * values[r]
        else:
            cells = by_row[i, lo : lo + C]
            for j in range(C):
                score[j] += w * cells[j]
    explained = sums[1, k] / total
    concentration = sums[3, k] / total**2
    best = 0.0
    if C > 1 and 1.0 - concentration > EMPTY:
        best = (explained - concentration) / (1.0 - concentration)
    ties = np.empty(C + 1, np.int64)
    ties[0] = b
    n_ties = 1
    for j in range(C + 1):
        e = lo + j
        if e == b or (j == C and alone):
            continue
        there = column_mass[e] if j < C else 0.0
        spread = 2.0 * mass * (there - column_mass[b] + mass) / total**2
        free = 1.0 - concentration - spread
        tau = 0.0
        if free > EMPTY and not (alone and C == 2):
            tau = (explained + leaving + score[j] - concentration - spread) / free
        if tau > best + TIE:
            best = tau
            ties[0] = e
            n_ties = 1
        elif tau >= best - TIE:
            ties[n_ties] = e
            n_ties += 1
    winner = ties[0]
    if n_ties == 1 or R < 2:
        return winner
    # Algorithm 5: tau_X|Y of each candidate; its denominator is the same for all
    kept = 0.0
    for t in range(n_ties):
        e = ties[t]
        gain = 0.0
        if e != b:
            squares_b = column_squares[b]
            new = e == lo + C
            squares_e = 0.0 if new else column_squares[e]
            there = 0.0 if new else column_mass[e]
            gain = -ratio(squares_b, column_mass[b], total) - ratio(squares_e, there, total)
            for p in range(used):
                i = touched[p]
                squares_b += moved[i] * (moved[i] - 2.0 * by_column[b, i])
                t_ie = 0.0 if new else by_column[e, i]
                squares_e += moved[i] * (moved[i] + 2.0 * t_ie)
            if not alone:
                gain += ratio(squares_b, column_mass[b] - mass, total)
            gain = (gain + ratio(squares_e, there + mass, total)) / total
        if t == 0:
            kept = gain
        elif gain > kept + TIE:
            winner = e
            kept = gain
    return winner


@njit(cache=True, nogil=True)
def _apply_feature(v, b, e, alone, k, data, state, moved, touched, used):
    """UPDATE for a feature of view k."""
    t_indptr, first, mass, total = data[3], data[6], data[9][v], data[10][k]
    features, by_row, by_column = state[1], state[2], state[3]
    row_mass, column_mass, row_squares, column_squares = state[4], state[5], state[6], state[7]
    sums, counts, column_entries = state[8], state[9], state[11]
    sums[0, k] -= ratio(column_squares[b], column_mass[b], total)
    sums[0, k] -= ratio(column_squares[e], column_mass[e], total)
    for p in range(used):
        i = touched[p]
        lam = moved[i]
        t_b, t_e = by_column[b, i], by_column[e, i]
        change = 2.0 * lam * (t_e - t_b + lam)
        row_squares[k, i] += change
        sums[1, k] += change / row_mass[k, i]
        column_squares[b] += lam * (lam - 2.0 * t_b)
        column_squares[e] += lam * (lam + 2.0 * t_e)
        by_row[i, b] = by_column[b, i] = t_b - lam
        by_row[i, e] = by_column[e, i] = t_e + lam
    sums[3, k] += 2.0 * mass * (column_mass[e] - column_mass[b] + mass)
    column_mass[b] -= mass
    column_mass[e] += mass
    entries = t_indptr[v + 1] - t_indptr[v]
    column_entries[b] -= entries
    column_entries[e] += entries
    if not alone:
        sums[0, k] += ratio(column_squares[b], column_mass[b], total)
    sums[0, k] += ratio(column_squares[e], column_mass[e], total)
    features[v] = e
    if not alone:
        return
    last = first[k] + counts[k] - 1
    for p in range(used):
        by_row[touched[p], b] = by_column[b, touched[p]] = 0.0
    for i in range(counts[counts.size - 1]):
        t = by_column[last, i]
        if t != 0.0 and last != b:
            by_row[i, last] = by_column[last, i] = 0.0
            by_row[i, b] = by_column[b, i] = t
    column_mass[b] = column_mass[last]
    column_squares[b] = column_squares[last]
    column_entries[b] = column_entries[last]
    column_mass[last] = column_squares[last] = 0.0
    column_entries[last] = 0


@njit(cache=True, nogil=True)
def _feature_step(k, cluster, member, data, state, members, moved, touched, score, object_members):
    """Algorithm 4 for view k with the given random numbers; whether a feature was moved."""
    t_indptr, t_indices, t_values, first = data[3], data[4], data[5], data[6]
    objects, counts = state[0], state[9]
    pools, wheres, rooms, sizes, ats, ends = members
    lo, hi = first[k], first[k + 1]
    pool = pools[4 * lo : 4 * hi]
    where, room, size, at = wheres[lo:hi], rooms[lo:hi], sizes[lo:hi], ats[lo:hi]
    C = counts[k]
    b = min(int(cluster * C), C - 1)
    f = pool[where[b] + min(int(member * size[b]), size[b] - 1)]
    v = lo + f
    if t_indptr[v] == t_indptr[v + 1]:
        return False  # an empty feature changes no tau: all clusters tie, and it stays
    alone = size[b] == 1
    used = 0
    for p in range(t_indptr[v], t_indptr[v + 1]):
        i = objects[t_indices[p]]
        if moved[i] == 0.0:
            touched[used] = i
            used += 1
        moved[i] += t_values[p]
    e = _choose_feature(
        v, lo + b, alone, k, data, state, moved, touched, used, score, object_members
    )
    if e != lo + b:
        ends[k] = move_member(f, b, e - lo, C, pool, where, room, size, at, ends[k])
        if e == lo + C:
            counts[k] += 1
        _apply_feature(v, lo + b, e, alone, k, data, state, moved, touched, used)
        if alone:
            last = counts[k] - 1
            if last != b:
                rename(last, b, lo, state[1][lo:hi], pool, where, room, size)
            size[last] = 0
            counts[k] = last
    for p in range(used):
        moved[touched[p]] = 0.0
    return e != lo + b


@njit(cache=True, nogil=True)
def iterate(data, state, object_members, feature_members, uniforms, scratch):
    """Do iterations of Algorithm 1, one for each row of the given random numbers.

    Parameters
    ----------
    data, state : see the module
    object_members, feature_members : tuples (pool, where, room, size, at, ends) of the lists of
        members; those of the features hold a view after the other
    uniforms : float64 (iterations, N + 1, 2) in [0, 1): of the objects and of each view, which
        cluster and which of its members
    scratch : tuple of arrays: masses that are moved (zeros), where they are, scores

    Returns
    -------
    last : int, the last iteration (from 1) that moved something, 0 if none did
    """
    moved, touched, score = scratch
    last = 0
    for step in range(uniforms.shape[0]):
        any_moved = _object_step(
            uniforms[step, 0, 0],
            uniforms[step, 0, 1],
            data,
            state,
            object_members,
            moved,
            touched,
            score,
            feature_members,
        )
        for k in range(data[10].size):
            any_moved |= _feature_step(
                k,
                uniforms[step, k + 1, 0],
                uniforms[step, k + 1, 1],
                data,
                state,
                feature_members,
                moved,
                touched,
                score,
                object_members,
            )
        if any_moved:
            last = step + 1
    return last
