"""Which elements CoStar need not look at again, since they are sure to stay where they are.

An element that stays since all gains (see :mod:`recoco.kernels.costar_choice`) are below 0 leaves
behind how far, its room, in units of twice its share of the mass. Each move of another element
changes a gain by a limited amount, which is added to a running sum, the drift. Until the drift
has risen by the room, the element stays and need not be evaluated.

Write r_i = (t_ie - t_ib + mu_i) / t_i. for an element of profile mu: -1 <= r_i <= 1, and
leaving + score_e is the mean of the r_i, weighted by mu, in these units. What a move adds to the
drift:

- one of the same side, of profile phi: 2 max_i phi_i / t_i. for both r_i that change, twice
  its share of the mass for the spread, and the change of tau, since no spread exceeds one unit;
- one of the other side, of mass m from row b to row e: each r_i changes by at most 2 m / t_i.
  with the new t_i., and tau changes. Elements that have mass in common with it, a of their m',
  have it in another place: 2 a / m' for them alone.

Room is at most two units, so a move that adds more than FORGET voids all that was known.

``bounds`` is (drift, known, highest, object_limit, feature_limit, object_share): drift, tau (-1
where there is no bound) and highest limit of the views and, last, of the objects; up to which drift
an element stays; shares of the objects in the mass of all views, summed.
"""

from numba import njit

from recoco.kernels.costar_choice import SURE, WIDE
from recoco.kernels.costar_taus import tau_features, tau_objects

FORGET = 3.0
# what was added in floating point is no less than the sum of the bounds
MORE = 1.0 + 1e-6
ROUNDING = 1e-9


@njit(cache=True, nogil=True)
def limit(side, room, share, bounds):
    """Up to which drift an element of this room (0: unknown) and share stays."""
    if room <= SURE:
        return -1.0
    found = bounds[0][side] + (room - SURE) / (2.0 * share * MORE)
    bounds[2][side] = max(bounds[2][side], found)
    return found


@njit(cache=True, nogil=True)
def start(data, state, bounds):
    """Nothing is known of any element."""
    drift, known, highest, object_limit, feature_limit, _ = bounds
    drift[:] = 0.0
    highest[:] = -1.0
    object_limit[:] = -1.0
    feature_limit[:] = -1.0
    for side in range(known.size):
        known[side] = _tau(side, data, state)


@njit(cache=True, nogil=True)
def _tau(side, data, state):
    """tau of the objects (the last side) or of a view; -1 where gains say nothing of it."""
    total, sums, counts = data[10], state[8], state[9]
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
    """Add a change and that of tau to the drift of a side."""
    drift, known = bounds[0], bounds[1]
    tau = _tau(side, data, state)
    change = (change + abs(tau - known[side])) * MORE + ROUNDING
    known[side] = tau
    drift[side] += change if change < FORGET else FORGET


@njit(cache=True, nogil=True)
def object_reach(o, b, e, data, state, moved, touched, used, reach):
    """Put what moving object o from b to e changes into ``reach``; before it is moved."""
    object_mass, total = data[8], data[10]
    row_mass, column_mass = state[4], state[5]
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
    """Mass over that of the cluster it leaves or joins, the larger; none is left, none changes."""
    smaller = joined if left == 0.0 else min(abs(left), joined)
    return mass / smaller if smaller > 0.0 else FORGET


@njit(cache=True, nogil=True)
def object_moved(o, data, state, reach, bounds):
    """Drift of all sides and limits of the features of object o, after it was moved."""
    indices, values, feature_mass = data[1], data[2], data[9]
    starts = data[7]
    drift, _, highest, object_limit, feature_limit, _ = bounds
    object_limit[o] = -1.0
    for side in range(reach.size):
        _add(side, reach[side], data, state, bounds)
    for k in range(reach.size - 1):
        if drift[k] < highest[k]:  # or no limit holds, and none need be lowered
            for p in range(starts[k, o], starts[k + 1, o]):
                v = indices[p]
                feature_limit[v] -= 2.0 * MORE * values[p] / feature_mass[v]


@njit(cache=True, nogil=True)
def feature_reach(v, b, e, k, data, state, moved, touched, used, reach):
    """Put what moving feature v of view k from b to e changes into ``reach``."""
    mass, total = data[9][v], data[10]
    row_mass, column_mass = state[4], state[5]
    most = 0.0
    for p in range(used):
        most = max(most, moved[touched[p]] / row_mass[k, touched[p]])
    reach[k] = 2.0 * most + 2.0 * mass / total[k]
    reach[total.size] = 2.0 * _relative(mass, column_mass[b] - mass, column_mass[e] + mass)


@njit(cache=True, nogil=True)
def feature_moved(v, k, data, state, reach, bounds):
    """Drift of view k and of the objects, limits of those with feature v, after it was moved."""
    t_indptr, t_indices, t_values, total = data[3], data[4], data[5], data[10]
    drift, _, highest, object_limit, feature_limit, object_share = bounds
    N = total.size
    feature_limit[v] = -1.0
    _add(k, reach[k], data, state, bounds)
    _add(N, reach[N], data, state, bounds)
    if drift[N] < highest[N]:
        for p in range(t_indptr[v], t_indptr[v + 1]):
            u = t_indices[p]
            object_limit[u] -= 2.0 * MORE * t_values[p] / (total[k] * object_share[u])
