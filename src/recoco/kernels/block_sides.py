"""Poisson latent block models of any matrix, one side at a time; moves of single nodes of a graph.

Rows and columns have separate posteriors here, (n, T, g) and (d, T, m), see
:mod:`recoco.kernels.block_models`.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.block_models import (
    PLBM,
    _counts,
    _diagonal_rates,
    _full_rates,
    _softmax,
    _table,
    add_terms,
)


@njit(cache=True, nogil=True)
def _side_one(model, hard, expect, Z, P, degree, share, logs, pull, other_logs, other_pull, masses):
    """E-step of one side with the current estimates, then the M-step of all but the other side.

    Without ``expect`` Z is used unchanged. Row 1 of ``masses`` contains the weights of the other
    side's clusters, row 0 receives those of this side. Return the part of the bound that belongs
    to this side, and the part of the table.
    """
    n, g = Z.shape
    scores = np.empty((1, g))
    score = scores[0]
    if expect:
        by_other = np.ascontiguousarray(logs.T)
        values, places = np.empty(P.shape[1]), np.empty(P.shape[1], np.int32)
        for i in range(n):
            score[:] = share
            if model == PLBM:
                add_terms(P[i], by_other, scores, 0, values, places)  # eq. E-step
            else:
                for k in range(g):
                    score[k] += P[i, k] * logs[0, k] - degree[i] * pull[k]
            _softmax(score, Z[i], hard)
    own = _counts(Z, share)
    mass = np.zeros(g)
    for i in range(n):
        for k in range(g):
            mass[k] += Z[i, k] * degree[i]
    masses[0, :g] = mass
    if model == PLBM:
        table = _table(Z, P)
        value = _full_rates(table, mass, masses[1, : P.shape[1]], logs)
        for k in range(g):
            for m in range(P.shape[1]):
                other_logs[m, k] = logs[k, m]
        return own, value
    inside = np.zeros(g)
    for i in range(n):
        for k in range(g):
            inside[k] += Z[i, k] * P[i, k]
    value = _diagonal_rates(inside, mass, masses[1, :g], logs[0], pull, other_pull)
    other_logs[0] = logs[0]
    return own, value


@njit(cache=True, nogil=True)
def side(
    model, hard, expect, Z, P, degree, share, logs, pull, other_logs, other_pull, masses, parts
):  # fmt: skip
    """Half-step of every start.

    Parameters
    ----------
    model : int, PLBM or SPLBM
    hard, expect : bool, classification EM; whether there is an E-step
    Z : float64 (n, T, g), overwritten
    P : float64 (n, T, m), the product of the matrix with the other side's posteriors
    degree : float64 (n,)
    share : (T, g); logs : (T, g or 1, m); pull : (T, g); other_logs : (T, m or 1, g);
    other_pull : (T, m)
        The estimates by side, all overwritten except the other side's share.
    masses : (T, 2, max(g, m)), see :func:`_side_one`
    parts : (T, 2), the two parts of the bound, overwritten
    """
    for t in range(Z.shape[1]):
        own, value = _side_one(
            model, hard, expect, Z[:, t], P[:, t], degree, share[t], logs[t], pull[t],
            other_logs[t], other_pull[t], masses[t],
        )  # fmt: skip
        parts[t, 0] = own
        parts[t, 1] = value


@njit(cache=True, nogil=True, parallel=True)
def side_parallel(
    model, hard, expect, Z, P, degree, share, logs, pull, other_logs, other_pull, masses, parts
):  # fmt: skip
    """Like :func:`side`, with the starts distributed over threads."""
    for t in prange(Z.shape[1]):
        own, value = _side_one(
            model, hard, expect, Z[:, t], P[:, t], degree, share[t], logs[t], pull[t],
            other_logs[t], other_pull[t], masses[t],
        )  # fmt: skip
        parts[t, 0] = own
        parts[t, 1] = value


@njit(cache=True, nogil=True)
def _f(x):
    return x * np.log(x) if x > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _likelihood(table, mass, counts, shares):
    """Return 1/2 sum_kl m_kl log(m_kl / (m_k m_l)), plus sum_k n_k log(n_k / n) with shares."""
    g = mass.size
    value = 0.0
    n = 0.0
    for k in range(g):
        value -= _f(mass[k])
        n += counts[k]
        for m in range(g):
            value += 0.5 * _f(table[k, m])  # eq. likelihood
    if shares:
        for k in range(g):
            value += _f(counts[k]) - counts[k] * np.log(n)
    return value


@njit(cache=True, nogil=True)
def _gain(k, s, loop, degree, table, mass, counts, shares):
    """Return the gain in likelihood if a node without a cluster joins cluster k."""
    value = 0.5 * (_f(table[k, k] + 2.0 * s[k] + loop) - _f(table[k, k]))
    for m in range(s.size):
        if m != k and s[m] != 0.0:
            value += _f(table[k, m] + s[m]) - _f(table[k, m])
    value -= _f(mass[k] + degree) - _f(mass[k])  # eq. move
    if shares:
        value += _f(counts[k] + 1.0) - _f(counts[k])
    return value


@njit(cache=True, nogil=True)
def _put(sign, k, s, loop, degree, table, mass, counts):
    for m in range(s.size):
        if m != k:
            table[k, m] += sign * s[m]
            table[m, k] += sign * s[m]
    table[k, k] += sign * (2.0 * s[k] + loop)
    mass[k] += sign * degree
    counts[k] += sign


@njit(cache=True, nogil=True)
def _move_one(indptr, indices, data, degree, shares, g, order, labels, tol, history):
    """Move nodes one at a time to the cluster with the largest likelihood until none moves.

    Return the number of passes; ``labels`` and ``history`` are overwritten.
    """
    n = labels.size
    old = -np.inf
    passes = 0
    while passes < history.size:
        table = np.zeros((g, g))  # recomputed in each pass to avoid accumulating rounding errors
        mass = np.zeros(g)
        counts = np.zeros(g)
        for i in range(n):
            mass[labels[i]] += degree[i]
            counts[labels[i]] += 1.0
            for p in range(indptr[i], indptr[i + 1]):
                table[labels[i], labels[indices[p]]] += data[p]
        if passes == 0:
            old = _likelihood(table, mass, counts, shares)
        least = 1e-12 * (1.0 + abs(old) / n)
        s = np.empty(g)
        moves = 0
        for place in range(n):
            i = order[place]
            home = labels[i]
            s[:] = 0.0
            loop = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                if indices[p] == i:
                    loop += data[p]
                else:
                    s[labels[indices[p]]] += data[p]
            _put(-1.0, home, s, loop, degree[i], table, mass, counts)
            best = home
            most = _gain(home, s, loop, degree[i], table, mass, counts, shares) + least
            for k in range(g):
                if k != home:
                    value = _gain(k, s, loop, degree[i], table, mass, counts, shares)
                    if value > most:
                        most = value
                        best = k
            _put(1.0, best, s, loop, degree[i], table, mass, counts)
            labels[i] = best
            moves += best != home
        value = _likelihood(table, mass, counts, shares)
        history[passes] = value
        passes += 1
        if moves == 0 or value - old <= tol * abs(value):
            break
        old = value
    return passes


@njit(cache=True, nogil=True)
def move(indptr, indices, data, degree, shares, g, orders, labels, tol, histories, n_iter):
    """Run :func:`_move_one` from labels (T, n), visiting nodes in the given orders (T, n)."""
    for t in range(labels.shape[0]):
        n_iter[t] = _move_one(
            indptr, indices, data, degree, shares, g, orders[t], labels[t], tol, histories[t]
        )


@njit(cache=True, nogil=True, parallel=True)
def move_parallel(indptr, indices, data, degree, shares, g, orders, labels, tol, histories, n_iter):
    """Like :func:`move`, with the starts distributed over threads."""
    for t in prange(labels.shape[0]):
        n_iter[t] = _move_one(
            indptr, indices, data, degree, shares, g, orders[t], labels[t], tol, histories[t]
        )
