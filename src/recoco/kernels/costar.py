"""CoStar's moves: one object, then one feature of every view, by the change of tau (Section 4.3).

A move is evaluated over the non-zeros of the moved element. The tables, their margins, and the sums
of squares of each row and column are stored, which is all that tau needs. For counts they are
whole numbers, exact in float64. :mod:`recoco.kernels.costar_state` defines the arrays.
"""

from numba import njit

from recoco.kernels.costar_bounds import (
    feature_moved,
    feature_reach,
    limit,
    object_moved,
    object_reach,
)
from recoco.kernels.costar_choice import SURE, choose_feature, choose_object
from recoco.kernels.costar_taus import ratio
from recoco.kernels.members import move_member, rename


@njit(cache=True, nogil=True)
def _apply_object(o, b, e, alone, data, state, moved, touched, used):
    """UPDATE for an object: tables, margins, squares and sums; R includes a new cluster e."""
    first, starts, object_mass, total = data.first, data.starts, data.object_mass, data.total
    objects, by_row, by_column = state.objects, state.by_row, state.by_column
    row_mass, column_mass = state.row_mass, state.column_mass
    row_squares, column_squares = state.row_squares, state.column_squares
    sums, counts, row_entries = state.sums, state.counts, state.row_entries
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
        by_row[b, touched[p]] = by_column[touched[p], b] = 0.0  # they are 0 except for rounding
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
def _object_step(o, b, data, state, members, feature_members, scratch, bounds):
    """Algorithm 2 for object o of cluster b; return whether it was moved."""
    indptr, indices, values = data.indptr, data.indices, data.values
    features, counts = state.features, state.counts
    pool, where, room, size, at, ends = members
    moved, touched, reach = scratch.moved, scratch.touched, scratch.reach
    N = data.total.size
    R = counts[N]
    alone = size[b] == 1
    used = 0
    for p in range(indptr[o], indptr[o + 1]):
        g = features[indices[p]]
        if moved[g] == 0.0:
            touched[used] = g
            used += 1
        moved[g] += values[p]
    e, room_left = choose_object(o, b, alone, data, state, used, scratch, feature_members)
    if e == b:
        bounds.object_limit[o] = limit(N, room_left, bounds.object_share[o], bounds)
    else:
        object_reach(o, b, e, data, state, moved, touched, used, reach)
        ends[N] = move_member(o, b, e, R, pool, where, room, size, at, ends[N])
        if e == R:
            counts[N] += 1
        _apply_object(o, b, e, alone, data, state, moved, touched, used)
        if alone:
            last = counts[N] - 1
            if last != b:
                rename(last, b, 0, state.objects, pool, where, room, size)
            size[last] = 0
            counts[N] = last
        object_moved(o, data, state, reach, bounds)
    for p in range(used):
        moved[touched[p]] = 0.0
    return e != b


@njit(cache=True, nogil=True)
def _apply_feature(v, b, e, alone, k, data, state, moved, touched, used):
    """UPDATE for a feature of view k."""
    t_indptr, first, mass, total = data.t_indptr, data.first, data.feature_mass[v], data.total[k]
    features, by_row, by_column = state.features, state.by_row, state.by_column
    row_mass, column_mass = state.row_mass, state.column_mass
    row_squares, column_squares = state.row_squares, state.column_squares
    sums, counts, column_entries = state.sums, state.counts, state.column_entries
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
def _feature_step(v, k, data, state, members, object_members, scratch, bounds):
    """Algorithm 4 for feature v of view k; return whether it was moved."""
    t_indptr, t_indices, t_values, first = data.t_indptr, data.t_indices, data.t_values, data.first
    objects, counts = state.objects, state.counts
    pools, wheres, rooms, sizes, ats, ends = members
    moved, touched, reach = scratch.moved, scratch.touched, scratch.reach
    lo, hi = first[k], first[k + 1]
    pool = pools[4 * lo : 4 * hi]
    where, room, size, at = wheres[lo:hi], rooms[lo:hi], sizes[lo:hi], ats[lo:hi]
    C = counts[k]
    f, b = v - lo, state.features[v] - lo
    alone = size[b] == 1
    used = 0
    for p in range(t_indptr[v], t_indptr[v + 1]):
        i = objects[t_indices[p]]
        if moved[i] == 0.0:
            touched[used] = i
            used += 1
        moved[i] += t_values[p]
    e, room_left = choose_feature(v, lo + b, alone, k, data, state, used, scratch, object_members)
    if e == lo + b:
        bounds.feature_limit[v] = limit(k, room_left, data.feature_mass[v] / data.total[k], bounds)
    else:
        feature_reach(v, lo + b, e, k, data, state, moved, touched, used, reach)
        ends[k] = move_member(f, b, e - lo, C, pool, where, room, size, at, ends[k])
        if e == lo + C:
            counts[k] += 1
        _apply_feature(v, lo + b, e, alone, k, data, state, moved, touched, used)
        if alone:
            last = counts[k] - 1
            if last != b:
                rename(last, b, lo, state.features[lo:hi], pool, where, room, size)
            size[last] = 0
            counts[k] = last
        feature_moved(v, k, data, state, reach, bounds)
    for p in range(used):
        moved[touched[p]] = 0.0
    return e != lo + b


@njit(cache=True, nogil=True)
def iterate(data, state, object_members, feature_members, uniforms, scratch, bounds):
    """Run iterations of Algorithm 1, one for each row of the given random numbers.

    Parameters
    ----------
    data : Data
    state : State
    object_members, feature_members : Members
    uniforms : float64 (iterations, N + 1, 2) in [0, 1): they choose a cluster and one of its
        members, for the objects and for each view
    scratch : Scratch
    bounds : Bounds

    Returns
    -------
    last : int, the last iteration (counted from 1) that moved something; 0 if none did
    """
    pool, where, size = object_members.pool, object_members.where, object_members.size
    pools, wheres, sizes = feature_members.pool, feature_members.where, feature_members.size
    drift, known = bounds.drift, bounds.known
    object_limit, feature_limit = bounds.object_limit, bounds.feature_limit
    t_indptr, first, counts = data.t_indptr, data.first, state.counts
    N = data.total.size
    last = 0
    for step in range(uniforms.shape[0]):
        any_moved = False
        b = min(int(uniforms[step, 0, 0] * counts[N]), counts[N] - 1)
        o = pool[where[b] + min(int(uniforms[step, 0, 1] * size[b]), size[b] - 1)]
        if size[b] == 1 or not (drift[N] < object_limit[o] and known[N] > SURE):
            any_moved = _object_step(
                o, b, data, state, object_members, feature_members, scratch, bounds
            )
        for k in range(N):
            lo = first[k]
            b = lo + min(int(uniforms[step, k + 1, 0] * counts[k]), counts[k] - 1)
            f = wheres[b] + min(int(uniforms[step, k + 1, 1] * sizes[b]), sizes[b] - 1)
            v = lo + pools[4 * lo + f]
            if t_indptr[v] == t_indptr[v + 1]:
                continue  # an empty feature changes no tau, so all clusters tie and it stays
            if sizes[b] == 1 or not (drift[k] < feature_limit[v] and known[k] > SURE):
                any_moved |= _feature_step(  # eq. Algorithm 1
                    v, k, data, state, feature_members, object_members, scratch, bounds
                )
        if any_moved:
            last = step + 1
    return last
