"""The taus of a state of CoStar, and the recomputation of its sums."""

from numba import njit

# a cluster with a smaller share of the total has only empty features, and its mass is rounding
EMPTY = 1e-13


@njit(cache=True, nogil=True)
def ratio(squares, mass, total):
    return squares / mass if mass > EMPTY * total else 0.0


@njit(cache=True, nogil=True)
def tau_objects(data, state):
    """Return tau_X|Y (eq. 4); 0 if a single cluster leaves nothing to predict."""
    total, sums, counts = data.total, state.sums, state.counts
    N = total.size
    if counts[N] < 2:
        return 0.0
    explained = 0.0
    concentration = 0.0
    for k in range(N):
        explained += sums[0, k] / total[k]
        concentration += sums[2, k] / total[k] ** 2
    return (explained - concentration) / (N - concentration)  # eq. 1 and 4


@njit(cache=True, nogil=True)
def tau_features(data, state, k):
    """Return tau_Yk|X (eq. 5); 0 if all mass is in one cluster."""
    total, sums, counts = data.total, state.sums, state.counts
    concentration = sums[3, k] / total[k] ** 2
    if counts[k] < 2 or 1.0 - concentration <= EMPTY:
        return 0.0
    return (sums[1, k] / total[k] - concentration) / (1.0 - concentration)  # eq. 2 and 5


@njit(cache=True, nogil=True)
def refresh(data, state):
    """Recompute margins, squares and sums from the tables."""
    first, total = data.first, data.total
    by_row, row_mass, column_mass = state.by_row, state.row_mass, state.column_mass
    row_squares, column_squares, sums, counts = (
        state.row_squares,
        state.column_squares,
        state.sums,
        state.counts,
    )
    N = total.size
    R = counts[N]
    sums[:] = 0.0
    for k in range(N):
        lo, hi = first[k], first[k] + counts[k]
        column_mass[lo:hi] = 0.0
        column_squares[lo:hi] = 0.0
        for i in range(R):
            mass = 0.0
            squares = 0.0
            for j in range(lo, hi):
                t = by_row[i, j]
                mass += t
                squares += t * t
                column_mass[j] += t
                column_squares[j] += t * t
            row_mass[k, i] = mass
            row_squares[k, i] = squares
            sums[1, k] += ratio(squares, mass, total[k])
            sums[2, k] += mass * mass
        for j in range(lo, hi):
            sums[0, k] += ratio(column_squares[j], column_mass[j], total[k])
            sums[3, k] += column_mass[j] * column_mass[j]
