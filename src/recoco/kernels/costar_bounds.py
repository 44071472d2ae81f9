"""Bounds that tell which elements of CoStar certainly stay and need not be evaluated.

If an element stays because all its gains (see :mod:`recoco.kernels.costar_choice`) are negative,
the distance of the largest one from 0 is stored as its room, in units of twice its share of the
mass. Each move of another element changes a gain by a bounded amount, which is added to a running
sum, the drift. Until the drift has grown by the room, the element stays.

Write r_i = (t_ie - t_ib + mu_i) / t_i. for an element of profile mu: -1 <= r_i <= 1, and
leaving + score_e is the mean of the r_i, weighted by mu, in these units. A move adds to the drift:

- on the same side, with profile phi: 2 max_i phi_i / t_i. for both r_i that change, twice its
  share of the mass for the spread, and the change of tau, since no spread exceeds one unit;
- on the other side, with mass m from row b to row e: at most 2 m / t_i. per r_i, with the new t_i.,
  and the change of tau. For elements that share mass with it, a of their m', this mass changes
  its position: another 2 a / m', for them alone.

Room is at most two units, so a move that adds more than FORGET invalidates all bounds.
"""

from numba import njit

from recoco.kernels.costar_choice import SURE, WIDE
from recoco.kernels.costar_taus import tau_features, tau_objects

FORGET = 3.0
# inflates the bounds, because floating-point sums may be too small
MORE = 1.0 + 1e-6
ROUNDING = 1e-9


@njit(cache=True, nogil=True)
def limit(side, room, share, bounds):
    """Return the drift up to which an element with this room (0: unknown) and share stays."""
    if room <= SURE:
        return -1.0
    found = bounds.drift[side] + (room - SURE) / (2.0 * share * MORE)
    bounds.highest[side] = max(bounds.highest[side], found)
    return found


@njit(cache=True, nogil=True)
def start(data, state, bounds):
    """Reset: no bound is known."""
    drift, known, highest, object_limit, feature_limit, _ = bounds
    drift[:] = 0.0
    highest[:] = -1.0
    object_limit[:] = -1.0
    feature_limit[:] = -1.0
    for side in range(known.size):
        known[side] = _tau(side, data, state)


@njit(cache=True, nogil=True)
def _tau(side, data, state):
    """Return tau of the objects (the last side) or of a view; -1 if gains do not bound it."""
    total, sums, counts = data.total, state.sums, state.counts
    if counts[side] < 2:
        return -1.0
    if side < total.size:
        free = 1.0 - sums[3, side] / total[side] ** 2
        return tau_features(data, state, side) if free > WIDE else -1.0
    free = float(total.size)
    for k in range(total.size):
        free -= sums[2, k] / total[k] ** 2
    return tau_objects(data, state) if free > WIDE else -1.0


@njit(cache=True, nogil=True)
def _add(side, change, data, state, bounds):
    """Add a change, and the change of tau, to the drift of a side."""
    drift, known = bounds.drift, bounds.known
    tau = _tau(side, data, state)
    change = (change + abs(tau - known[side])) * MORE + ROUNDING
    known[side] = tau
    drift[side] += change if change < FORGET else FORGET


@njit(cache=True, nogil=True)
def object_reach(o, b, e, data, state, moved, touched, used, reach):
    """Write what moving object o from b to e will change to ``reach``; called before the move."""
    object_mass, total = data.object_mass, data.total
    row_mass, column_mass = state.row_mass, state.column_mass
    N = total.size
    most = 0.0
    for p in range(used):
        most = max(most, moved[touched[p]] / column_mass[touched[p]])
    share = 0.0
    for k in range(N):
        mu = object_mass[k, o]
        share = max(share, mu / total[k])
        reach[k] = 2.0 * _relative(mu, row_mass[k, b] - mu, row_mass[k, e] + mu)
    reach[N] = 2.0 * most + 2.0 * share


@njit(cache=True, nogil=True)
def _relative(mass, left, joined):
    """Return the mass over the smaller of two clusters; one that vanishes does not count."""
    smaller = joined if left == 0.0 else min(abs(left), joined)
    return mass / smaller if smaller > 0.0 else FORGET


@njit(cache=True, nogil=True)
def object_moved(o, data, state, reach, bounds):
    """Update the drift of all sides and the limits of the features of object o after a move."""
    indices, values, feature_mass = data.indices, data.values, data.feature_mass
    starts = data.starts
    drift, _, highest, object_limit, feature_limit, _ = bounds
    object_limit[o] = -1.0
    for side in range(reach.size):
        _add(side, reach[side], data, state, bounds)
    for k in range(reach.size - 1):
        if drift[k] < highest[k]:  # otherwise no limit holds, and none has to be lowered
            for p in range(starts[k, o], starts[k + 1, o]):
                v = indices[p]
                feature_limit[v] -= 2.0 * MORE * values[p] / feature_mass[v]


@njit(cache=True, nogil=True)
def feature_reach(v, b, e, k, data, state, moved, touched, used, reach):
    """Write what moving feature v of view k from b to e will change to ``reach``."""
    mass, total = data.feature_mass[v], data.total
    row_mass, column_mass = state.row_mass, state.column_mass
    most = 0.0
    for p in range(used):
        most = max(most, moved[touched[p]] / row_mass[k, touched[p]])
    reach[k] = 2.0 * most + 2.0 * mass / total[k]
    reach[total.size] = 2.0 * _relative(mass, column_mass[b] - mass, column_mass[e] + mass)


@njit(cache=True, nogil=True)
def feature_moved(v, k, data, state, reach, bounds):
    """Update the drift of view k and the objects, and limits of objects with v, after a move."""
    t_indptr, t_indices, t_values, total = data.t_indptr, data.t_indices, data.t_values, data.total
    drift, _, highest, object_limit, feature_limit, object_share = bounds
    N = total.size
    feature_limit[v] = -1.0
    _add(k, reach[k], data, state, bounds)
    _add(N, reach[N], data, state, bounds)
    if drift[N] < highest[N]:
        for p in range(t_indptr[v], t_indptr[v + 1]):
            u = t_indices[p]
            object_limit[u] -= 2.0 * MORE * t_values[p] / (total[k] * object_share[u])
