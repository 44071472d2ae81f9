"""CoStar's choices: the best cluster of an object or a feature.

``data`` and ``state`` are those of :mod:`recoco.kernels.costar_state`. With the current tau and its
denominator free, moving an element to e changes tau by gain_e / (free - spread_e), where
gain_e = leaving + score_e - (1 - tau) spread_e. Since no spread is larger than twice the element's
share of the mass, gains rule out most candidates without a division. Only for the others is tau
computed.
"""

import numpy as np
from numba import njit

from recoco.kernels.costar_taus import EMPTY, ratio

# taus that differ by less are equal: well above rounding, well below the effect of one count
TIE = 1e-14
# adding a non-zero by its index costs as much as this many cells of a table
SPARSE = 4
# larger differences of gains are neither rounding nor ties, if tau is above this ...
SURE = 1e-10
# ... and its denominator above this
WIDE = 1e-2
# number of gains that are compared together
AT_ONCE = 64


@njit(cache=True, nogil=True)
def _all_but(b, candidates, near):
    for e in range(candidates - 1):
        near[e] = e + (e >= b)
    return candidates - 1


@njit(cache=True, nogil=True)
def _near(tau, free, share, leaving, score, spread, b, candidates, near):
    """Write the candidates other than b that may have the largest tau to ``near``, in order.

    ``spread`` may be approximate; it is overwritten.

    Returns
    -------
    n_near : int
    room : float, the distance of the largest gain from 0 if there are none
    """
    if tau <= SURE or free <= WIDE:
        return _all_but(b, candidates, near), 0.0
    gain = spread[:candidates]
    for e in range(candidates):
        gain[e] = leaving + score[e] - (1.0 - tau) * gain[e]
    gain[b] = -np.inf
    # positive floats are ordered like their bits, and integers are compared in vectors
    bits = gain.view(np.int64)
    top_bits = bits[0]
    for e in range(candidates):
        top_bits = max(top_bits, bits[e])
    least = -SURE
    if top_bits <= 0:
        top = -np.inf
        for e in range(candidates):
            top = max(top, gain[e])
        if top < -SURE:
            return 0, -top
    elif 4.0 * share >= free:
        return _all_but(b, candidates, near), 0.0
    else:
        e = 0
        while bits[e] != top_bits:
            e += 1
        least += gain[e] * (free - 2.0 * share) / (free + 2.0 * share)
    n_near = 0
    for first in range(0, candidates, AT_ONCE):
        last = min(first + AT_ONCE, candidates)
        found = 0
        for e in range(first, last):
            found += gain[e] >= least
        if found > 0:
            for e in range(first, last):
                if gain[e] >= least:
                    near[n_near] = e
                    n_near += 1
    return n_near, 0.0


@njit(cache=True, nogil=True)
def _largest(b, best, near, n_near, tau, complete, ties):
    """Write the candidates with the largest tau to ``ties``, b first if it is one of them.

    Candidates are visited in order, starting with b, whose tau is ``best``. A candidate that is
    better by more than TIE replaces the others; one that is equal up to TIE is added. If the
    candidates are not complete, the missing ones do not matter as long as all that are close to
    the largest are equal.

    Returns
    -------
    n_ties : int, 0 if the missing candidates are needed
    """
    if not complete:
        most = best
        for p in range(n_near):
            most = max(most, tau[p])
        between = most - 3.0 * TIE <= best < most - 0.5 * TIE
        for p in range(n_near):
            between |= most - 3.0 * TIE <= tau[p] < most - 0.5 * TIE
        if between:
            return 0
    ties[0] = b
    n_ties = 1
    for p in range(n_near):
        if tau[p] > best + TIE:
            best = tau[p]
            ties[0] = near[p]
            n_ties = 1
        elif tau[p] >= best - TIE:
            ties[n_ties] = near[p]
            n_ties += 1
    return n_ties


@njit(cache=True, nogil=True)
def choose_object(o, b, alone, data, state, used, scratch, members):
    """Algorithms 2 and 3: return the best cluster of object o, which is in cluster b.

    Returns
    -------
    winner : int
    room : float, how certainly o stays, see :mod:`recoco.kernels.costar_bounds`
    """
    moved, touched, score, spread, tau, ties, near, _ = scratch
    t_indptr, t_indices, t_values = data.t_indptr, data.t_indices, data.t_values
    first, object_mass, total = data.first, data.object_mass, data.total
    objects, by_row, by_column = state.objects, state.by_row, state.by_column
    row_mass, column_mass, row_squares = state.row_mass, state.column_mass, state.row_squares
    sums, counts = state.sums, state.counts
    column_entries = state.column_entries
    pool, where, size = members.pool, members.where, members.size
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
    candidates = R if alone else R + 1  # if it is alone, a new cluster would be the same as its own
    spread[:candidates] = 0.0
    share = 0.0
    for k in range(N):
        mu = object_mass[k, o]
        slope = 2.0 * mu / total[k] ** 2
        level = slope * (mu - row_mass[k, b])
        share += mu / total[k]
        masses = row_mass[k]
        for e in range(R):
            spread[e] += level + slope * masses[e]
        if not alone:
            spread[R] += level
    if R < 2 or (alone and R == 2):
        n_near, room = _all_but(b, candidates, near), 0.0
    else:
        n_near, room = _near(
            best, N - concentration, share, leaving, score, spread, b, candidates, near
        )
    if n_near == 0:
        return b, 0.0 if alone else room
    n_ties = 0
    while n_ties == 0:
        for p in range(n_near):
            e = near[p]
            apart = 0.0
            for k in range(N):
                mu = object_mass[k, o]
                there = row_mass[k, e] if e < R else 0.0
                apart += 2.0 * mu * (there - row_mass[k, b] + mu) / total[k] ** 2
            if alone and R == 2:
                tau[p] = 0.0
            else:
                # eq. Algorithm 2
                tau[p] = (explained + leaving + score[e] - concentration - apart) / (
                    N - concentration - apart
                )
        n_ties = _largest(b, best, near, n_near, tau, n_near == candidates - 1, ties)
        if n_ties == 0:
            n_near = _all_but(b, candidates, near)
    winner = ties[0]
    if n_ties == 1:
        return winner, 0.0
    # Algorithm 3: tau_Yk|X of each candidate, without the terms that all share
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
        if for_winner < for_other:  # eq. Algorithm 3
            winner = e
            taus[0] = taus[1]
    return winner, 0.0


@njit(cache=True, nogil=True)
def choose_feature(v, b, alone, k, data, state, used, scratch, members):
    """Algorithms 4 and 5: return the best cluster of feature v, in cluster b of view k.

    Returns
    -------
    winner : int
    room : float, how certainly v stays
    """
    moved, touched, score, spread, tau, ties, near, _ = scratch
    indices, values, first, starts = data.indices, data.values, data.first, data.starts
    mass, total = data.feature_mass[v], data.total[k]
    features, by_row, by_column = state.features, state.by_row, state.by_column
    row_mass, column_mass, column_squares, sums = (
        state.row_mass,
        state.column_mass,
        state.column_squares,
        state.sums,
    )
    C, R, row_entries = state.counts[k], state.counts[data.total.size], state.row_entries
    pool, where, size = members.pool, members.where, members.size
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
    candidates = C if alone else C + 1
    slope = 2.0 * mass / total**2
    level = slope * (mass - column_mass[b])
    masses = column_mass[lo : lo + C]
    for j in range(C):
        spread[j] = level + slope * masses[j]
    spread[C] = level
    if C < 2 or (alone and C == 2):
        n_near, room = _all_but(b - lo, candidates, near), 0.0
    else:
        free = 1.0 - concentration
        n_near, room = _near(
            best, free, mass / total, leaving, score, spread, b - lo, candidates, near
        )
    if n_near == 0:
        return b, 0.0 if alone else room
    n_ties = 0
    while n_ties == 0:
        for p in range(n_near):
            j = near[p]
            there = column_mass[lo + j] if j < C else 0.0
            apart = 2.0 * mass * (there - column_mass[b] + mass) / total**2
            free = 1.0 - concentration - apart
            tau[p] = 0.0
            if free > EMPTY and not (alone and C == 2):
                # eq. Algorithm 4
                tau[p] = (explained + leaving + score[j] - concentration - apart) / free
        n_ties = _largest(b - lo, best, near, n_near, tau, n_near == candidates - 1, ties)
        if n_ties == 0:
            n_near = _all_but(b - lo, candidates, near)
    winner = lo + ties[0]
    if n_ties == 1 or R < 2:
        return winner, 0.0
    # Algorithm 5: tau_X|Y of each candidate; its denominator is the same for all
    kept = 0.0
    for t in range(n_ties):
        e = lo + ties[t]
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
        elif gain > kept + TIE:  # eq. Algorithm 5
            winner = e
            kept = gain
    return winner, 0.0
