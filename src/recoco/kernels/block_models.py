"""Poisson block models: the steps of EM for many starts, and exact moves of single nodes.

Posteriors of T starts are stored as (n, T, g), so the values needed for a non-zero are contiguous.
Products with the matrix are computed for all starts at once, row by row. All other sums of a start
are computed by one thread in a fixed order, separately from other starts. Therefore nothing depends
on the batch or on the number of threads.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.factors_vectors import add_row

# models of a graph: Poisson(gamma_kl) without the diagonal; Poisson(x_i. x_j. gamma_kl); the same
# with one gamma for all blocks off the diagonal
PSBM, PLBM, SPLBM = 0, 1, 2
# a cluster with less weight than this counts as empty, and nothing joins it
EMPTY = 1e-100
# for smaller posteriors, -z log z is below the rounding error of any sum
TINY = 1e-20
FORBIDDEN = -1e200
# Posteriors and rates below about 1e-150, exp of this, are set to 0: they do not affect sums above
# EMPTY, and their products would be subnormal, which makes processors a hundred times slower.
FADED = -345.0
# used as the logarithm of a rate of 0
LOWEST = -700.0
HALVINGS = 40
CHUNK = 64
NODES = 16


@njit(cache=True, nogil=True)
def _product_rows(first, last, indptr, indices, data, source, out):
    out[first:last] = 0.0
    for i in range(first, last):
        # sums stay in vector registers; entries are added in their order
        begin, end = np.int64(indptr[i]), np.int64(indptr[i + 1])
        add_row(data, indices, begin, end, source, np.int64(0), out, np.int64(i))


@njit(cache=True, nogil=True)
def product(indptr, indices, data, source, out):
    """Sparse (n, d) times dense (d, w); out (n, w) is overwritten.

    ``source`` and ``out`` are C-contiguous float64 arrays.
    """
    _product_rows(0, out.shape[0], indptr, indices, data, source, out)


@njit(cache=True, nogil=True, parallel=True)
def product_parallel(indptr, indices, data, source, out):
    """Like :func:`product`, with the rows distributed over threads."""
    n = out.shape[0]
    for c in prange((n + CHUNK - 1) // CHUNK):
        _product_rows(c * CHUNK, min(n, (c + 1) * CHUNK), indptr, indices, data, source, out)


@njit(cache=True, nogil=True)
def _softmax(score, out, hard):
    """Write exp(score) / sum, or with ``hard`` 1 for the (first) largest score."""
    best = 0
    for k in range(1, score.size):
        if score[k] > score[best]:
            best = k
    if hard:
        out[:] = 0.0
        out[best] = 1.0
        return
    total = 0.0
    for k in range(score.size):
        below = score[k] - score[best]
        out[k] = np.exp(below) if below > FADED else 0.0
        total += out[k]
    for k in range(score.size):
        out[k] /= total


@njit(cache=True, nogil=True)
def _counts(Z, log_share):
    """Compute the logarithms of the proportions; return sum_k n_k log pi_k + H(Z)."""
    n, g = Z.shape
    counts = np.zeros(g)
    value = 0.0
    for i in range(n):
        for k in range(g):
            z = Z[i, k]
            counts[k] += z
            if TINY < z < 1.0:
                value -= z * np.log(z)
    for k in range(g):
        if counts[k] > EMPTY:
            log_share[k] = np.log(counts[k] / n)  # eq. 6, pi
            value += counts[k] * log_share[k]
        else:
            log_share[k] = FORBIDDEN
    return value


@njit(cache=True, nogil=True)
def _rate(weight, first, second):
    """Return log(weight / (first * second)), the estimate of a gamma."""
    if weight <= EMPTY or first <= EMPTY or second <= EMPTY:
        return LOWEST
    return max(np.log(weight) - np.log(first) - np.log(second), LOWEST)


@njit(cache=True, nogil=True)
def _diagonal_rates(inside, mass, other_mass, ratio, pull, other_pull):
    """Estimate the diagonal model from x_kk, x_k. and x_.k.

    Parameters
    ----------
    ratio : log(gamma_kk / gamma), overwritten
    pull, other_pull : x_.k (gamma_kk - gamma) and x_k. (gamma_kk - gamma), overwritten

    Returns
    -------
    sum_k x_kk log gamma_kk + (N - sum_k x_kk) log gamma - N
    """
    g = inside.size
    total = 0.0
    other_total = 0.0
    outside = 0.0
    for k in range(g):
        total += mass[k]
        other_total += other_mass[k]
        outside += max(mass[k] - inside[k], 0.0)
    cells = 0.0  # N^2 - sum_k x_k. x_.k, computed without cancellation
    for k in range(g):
        cells += mass[k] * max(other_total - other_mass[k], 0.0)
    log_rate = _rate(outside, cells, 1.0)  # eq. M-step, gamma
    rate = np.exp(log_rate)
    value = -total
    if outside > EMPTY:
        value += outside * log_rate
    for k in range(g):
        own = _rate(inside[k], mass[k], other_mass[k])  # eq. M-step, gamma_kk
        ratio[k] = own - log_rate
        pull[k] = other_mass[k] * (np.exp(own) - rate)
        other_pull[k] = mass[k] * (np.exp(own) - rate)
        if inside[k] > EMPTY:
            value += inside[k] * own
    return value


@njit(cache=True, nogil=True)
def _full_rates(table, first, second, logs):
    """Estimate the model with a gamma per block, into ``logs``.

    Return sum_kl x_kl log gamma_kl - N.
    """
    value = 0.0
    for k in range(table.shape[0]):
        for m in range(table.shape[1]):
            logs[k, m] = _rate(table[k, m], first[k], second[m])  # eq. M-step
            if table[k, m] > EMPTY:
                value += table[k, m] * (logs[k, m] - 1.0)
    return value


@njit(cache=True, nogil=True)
def add_terms(weights, rows, out, i, values, places):
    """Add weights[m] * rows[m] to out[i] for every m in order, skipping weights of 0.

    Parameters
    ----------
    weights : float64 (l,); rows : float64 (at least l, g); out : float64 (any, g), overwritten
    values : float64 (l,), places : int32 (l,)
        Work arrays for the weights that are not 0.
    """
    count = 0
    for m in range(weights.size):
        if weights[m] != 0.0:
            values[count] = weights[m]
            places[count] = m
            count += 1
    none = np.int64(0)
    add_row(values, places, none, np.int64(count), rows, none, out, np.int64(i))


@njit(cache=True, nogil=True)
def _table(Z, P):
    """Return x_kl = sum_i z_ik P_il.

    Several nodes are processed together, so the sums of a cluster are loaded and stored once for
    all of them. Each sum still adds the nodes in order.
    """
    n, g = Z.shape
    rows = np.empty((NODES, P.shape[1]))
    table = np.zeros((g, P.shape[1]))
    values, places = np.empty(NODES), np.empty(NODES, np.int32)
    for i in range(0, n, NODES):
        some = Z[i : i + NODES]
        rows[: len(some)] = P[i : i + NODES]
        for k in range(g):
            add_terms(some[:, k], rows, table, k, values, places)
    return table


@njit(cache=True, nogil=True)
def turned(logs):
    """Transpose logarithms or rates (T, v, k, l) to (T, v, l, k); negligible ones become 0."""
    T, v, g, m = logs.shape
    least = np.exp(FADED)
    out = np.empty((T, v, m, g))
    for t in range(T):
        for b in range(v):
            for k in range(g):
                for j in range(m):
                    value = logs[t, b, k, j]
                    out[t, b, j, k] = value if abs(value) > least else 0.0
    return out


@njit(cache=True, nogil=True)
def _simple_rates(table, Z, logs, pull, rates):
    """Estimate the model without degrees: x_kl divided by the number of pairs i != j."""
    n, g = Z.shape
    same = _table(Z, Z)
    counts = np.zeros(g)
    for i in range(n):
        for k in range(g):
            counts[k] += Z[i, k]
    value = 0.0
    pull[:] = 0.0
    for k in range(g):
        for m in range(g):
            logs[k, m] = _rate(table[k, m], counts[k] * counts[m] - same[k, m], 1.0)  # eq. M-step
            rates[k, m] = np.exp(logs[k, m])
            pull[k] += counts[m] * rates[k, m]
            if table[k, m] > EMPTY:
                value += table[k, m] * (logs[k, m] - 1.0)
    return value


@njit(cache=True, nogil=True)
def _maximise_one(model, Z, P, degree, log_share, logs, pull, rates):
    """M-step of one start on v graphs; return the bound it reaches."""
    v, n, g = P.shape
    value = _counts(Z, log_share)
    spare = np.empty(g)
    for b in range(v):
        mass = np.zeros(g)
        for i in range(n):
            for k in range(g):
                mass[k] += Z[i, k] * degree[b, i]
        if model == SPLBM:
            inside = np.zeros(g)
            for i in range(n):
                for k in range(g):
                    inside[k] += Z[i, k] * P[b, i, k]
            value += 0.5 * _diagonal_rates(inside, mass, mass, logs[b, 0], pull[b], spare)  # eq. 4
            continue
        table = _table(Z, P[b])
        if model == PLBM:
            value += 0.5 * _full_rates(table, mass, mass, logs[b])  # eq. 2 of TSPLBM
        else:
            value += 0.5 * _simple_rates(table, Z, logs[b], pull[b], rates[b])  # eq. bound of PSBM
    return value


@njit(cache=True, nogil=True)
def _expect_rows(
    first, last, model, derived, hard, Z, P, degree, log_share, logs, pull, rates, out
):
    """E-step of some nodes, row by row, as posteriors are laid out in memory.

    The estimates by block are transposed (:func:`turned`), so all clusters of a node are
    processed together. The degree term of PLBM is the same for all clusters, because
    sum_l x_l. gamma_kl = 1.
    """
    v, _, T, g = P.shape
    scores = np.empty((1, g))
    score = scores[0]
    values, places = np.empty(g), np.empty(g, np.int32)
    for i in range(first, last):
        for t in range(T):
            for k in range(g):
                score[k] = log_share[t, k]
            for b in range(v):
                d = degree[b, i]
                if model == SPLBM:
                    for k in range(g):
                        if derived:
                            # eq. E-step of SPLBM
                            score[k] += P[b, i, t, k] * logs[t, b, 0, k] - d * pull[t, b, k]
                        else:
                            # eq. E-step, as printed
                            score[k] += 0.5 * P[b, i, t, k] * logs[t, b, 0, k]
                    continue
                # eq. E-step of PSBM and PLBM
                add_terms(P[b, i, t], logs[t, b], scores, 0, values, places)
                if model == PSBM:
                    for k in range(g):
                        score[k] -= pull[t, b, k]
                    add_terms(Z[i, t], rates[t, b], scores, 0, values, places)
            _softmax(score, out[i, t], hard)


@njit(cache=True, nogil=True)
def maximise(model, Z, P, degree, log_share, logs, pull, rates, bound):
    """M-step of every start.

    Parameters
    ----------
    model : int, PSBM, PLBM or SPLBM
    Z : float64 (n, T, g)
    P : float64 (v, n, T, g), the products of the graphs with Z
    degree : float64 (v, n), row sums
    log_share : (T, g); logs : (T, v, g or 1, g); pull : (T, v, g); rates : (T, v, g, g) for PSBM
        The estimates, overwritten.
    bound : float64 (T,), overwritten
    """
    for t in range(Z.shape[1]):
        bound[t] = _maximise_one(
            model, Z[:, t], P[:, :, t], degree, log_share[t], logs[t], pull[t], rates[t]
        )


@njit(cache=True, nogil=True)
def expect(model, derived, hard, Z, P, degree, log_share, logs, pull, rates, out):
    """E-step of every start; out (n, T, g) is overwritten.

    ``derived`` follows the criterion, otherwise the printed formula is used (SPLBM only).
    ``hard`` sets the most probable cluster to 1.
    """
    if model != SPLBM:
        logs, rates = turned(logs), turned(rates)
    _expect_rows(
        0, len(Z), model, derived, hard, Z, P, degree, log_share, logs, pull, rates, out
    )  # fmt: skip


@njit(cache=True, nogil=True, parallel=True)
def expect_parallel(model, derived, hard, Z, P, degree, log_share, logs, pull, rates, out):
    """Like :func:`expect`, with the nodes distributed over threads."""
    n = len(Z)
    if model != SPLBM:
        logs, rates = turned(logs), turned(rates)
    for c in prange((n + CHUNK - 1) // CHUNK):
        _expect_rows(
            c * CHUNK, min(n, (c + 1) * CHUNK), model, derived, hard, Z, P, degree, log_share,
            logs, pull, rates, out,
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _accept_one(model, halve, Z, P, degree, log_share, logs, pull, rates, old, old_Z, old_P):
    """M-step on new posteriors, moved back towards the old ones while the bound is lower.

    The new ones lie in a direction in which the bound rises, so a short enough step succeeds.
    The products are linear in the posteriors, so none has to be computed again.
    """
    value = _maximise_one(model, Z, P, degree, log_share, logs, pull, rates)
    if not halve:
        return value
    least = old - 1e-13 * abs(old)
    v, n, g = P.shape
    for halving in range(HALVINGS + 1):
        if value >= least:
            break
        share = 0.5 if halving < HALVINGS else 0.0
        for i in range(n):
            for k in range(g):
                Z[i, k] = share * Z[i, k] + (1.0 - share) * old_Z[i, k]
        for b in range(v):
            for i in range(n):
                for k in range(g):
                    P[b, i, k] = share * P[b, i, k] + (1.0 - share) * old_P[b, i, k]
        value = _maximise_one(model, Z, P, degree, log_share, logs, pull, rates)
    return value


@njit(cache=True, nogil=True)
def accept(model, halve, Z, P, degree, log_share, logs, pull, rates, bound, old_Z, old_P):
    """M-step of every start on the new Z and P; ``bound`` of the old ones is overwritten."""
    for t in range(Z.shape[1]):
        bound[t] = _accept_one(
            model, halve, Z[:, t], P[:, :, t], degree, log_share[t], logs[t], pull[t], rates[t],
            bound[t], old_Z[:, t], old_P[:, :, t],
        )  # fmt: skip


@njit(cache=True, nogil=True, parallel=True)
def accept_parallel(model, halve, Z, P, degree, log_share, logs, pull, rates, bound, old_Z, old_P):
    """Like :func:`accept`, with the starts distributed over threads."""
    for t in prange(Z.shape[1]):
        bound[t] = _accept_one(
            model, halve, Z[:, t], P[:, :, t], degree, log_share[t], logs[t], pull[t], rates[t],
            bound[t], old_Z[:, t], old_P[:, :, t],
        )  # fmt: skip
