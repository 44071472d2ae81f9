"""CoStar's choices: the cluster an object or a feature is best put in; see
:mod:`recoco.kernels.costar` for ``data`` and ``state``.

What tau would be is computed for all candidates at once, by vectors.
"""

import numpy as np
from numba import njit

from recoco.kernels.costar_taus import EMPTY, ratio

# taus that differ by less are equal: far above rounding, far below what a move of one count does
TIE = 1e-14
# a non-zero added by its index costs as much as this many cells of a table
SPARSE = 4
# gaps and taus below it say nothing, for rounding and ties ...
SURE = 1e-10
# ... and neither do those of a smaller denominator
WIDE = 1e-2


# a division by 0 that raises an error would keep these loops from being computed by vectors
@njit(cache=True, nogil=True, error_model="numpy")
def _add_spread(spread, masses, left, mass, total, clusters):
    for e in range(clusters):
        spread[e] += 2.0 * mass * (masses[e] - left + mass) / total**2


@njit(cache=True, nogil=True, error_model="numpy")
def _taus(explained, concentration, most, least, score, spread, tau, candidates):
    """tau of each candidate (Section 4.3); 0 where the denominator is no more than ``least``."""
    for e in range(candidates):
        free = most - concentration - spread[e]
        tau[e] = (explained + score[e] - concentration - spread[e]) / free if free > least else 0.0


@njit(cache=True, nogil=True)
def _largest(tau, b, candidates, ties):
    """Put b, if it is one, and then the other candidates of the largest tau into ``ties``.

    Candidates are met in their order, b first. One that is better by TIE stands alone, one that is
    as good up to TIE is added.

    Returns
    -------
    n_ties : int
    """
    bits = tau[:candidates].view(np.int64)  # in the order of the numbers, if these are positive
    top = bits[0]
    for e in range(candidates):
        top = max(top, bits[e])
    m = 0
    while bits[m] != top:
        m += 1
    near = 0
    for e in range(candidates):
        near += tau[e] >= tau[m] - 3.0 * TIE
    if near == 1 and tau[m] > 0.0:
        ties[0] = m
        return 1
    best = tau[b]
    ties[0] = b
    n_ties = 1
    for e in range(candidates):
        if e == b:
            continue
        if tau[e] > best + TIE:
            best = tau[e]
            ties[0] = e
            n_ties = 1
        elif tau[e] >= best - TIE:
            ties[n_ties] = e
            n_ties += 1
    return n_ties


@njit(cache=True, nogil=True)
def _room(b, tau, spread, free, candidates):
    """The least gap, by which a candidate is worse than b; 0 where rounding might decide."""
    if tau[b] <= SURE or free <= WIDE:
        return 0.0
    least = np.inf
    for e in range(candidates):
        gap = (tau[b] - tau[e]) * (free - spread[e])
        if gap < least and e != b:
            least = gap
    return least


@njit(cache=True, nogil=True)
def choose_object(o, b, alone, data, state, moved, touched, used, scratch, members):
    """Algorithms 2 and 3: the cluster object o of cluster b is best put in.

    Returns
    -------
    winner : int
    room : float, by how much o is sure to stay, see :mod:`recoco.kernels.costar_bounds`
    """
    score, spread, tau, ties = scratch
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
    candidates = R if alone else R + 1  # alone, a new cluster is another name for its own
    spread[:candidates] = 0.0
    for k in range(N):
        mu, left = object_mass[k, o], row_mass[k, b]
        _add_spread(spread, row_mass[k], left, mu, total[k], R)
        if not alone:
            spread[R] += 2.0 * mu * (mu - left) / total[k] ** 2
    if alone and R == 2:
        tau[:candidates] = 0.0
    else:
        _taus(explained + leaving, concentration, N, -np.inf, score, spread, tau, candidates)
    tau[b] = best
    n_ties = _largest(tau, b, candidates, ties)
    winner = ties[0]
    if n_ties == 1:
        stays = winner == b and not alone
        return winner, _room(b, tau, spread, N - concentration, candidates) if stays else 0.0
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
    return winner, 0.0


@njit(cache=True, nogil=True)
def choose_feature(v, b, alone, k, data, state, moved, touched, used, scratch, members):
    """Algorithms 4 and 5: the cluster feature v of cluster b of view k is best put in.

    Returns
    -------
    winner : int
    room : float, by how much v is sure to stay
    """
    score, spread, tau, ties = scratch
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
    candidates = C if alone else C + 1
    spread[:candidates] = 0.0
    left = column_mass[b]
    _add_spread(spread, column_mass[lo:], left, mass, total, C)
    if not alone:
        spread[C] += 2.0 * mass * (mass - left) / total**2
    if alone and C == 2:
        tau[:candidates] = 0.0
    else:
        _taus(explained + leaving, concentration, 1.0, EMPTY, score, spread, tau, candidates)
    tau[b - lo] = best
    n_ties = _largest(tau, b - lo, candidates, ties)
    winner = lo + ties[0]
    if n_ties == 1 and winner == b and not alone:
        return b, _room(b - lo, tau, spread, 1.0 - concentration, candidates)
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
        elif gain > kept + TIE:
            winner = e
            kept = gain
    return winner, 0.0
