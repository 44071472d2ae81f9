"""The taus of a state of CoStar, and its sums computed anew; see :mod:`recoco.kernels.costar`."""

from numba import njit

# a cluster of a smaller share of the total is one of empty features, and what it has is rounding
EMPTY = 1e-13


@njit(cache=True, nogil=True)
def ratio(squares, mass, total):
    return squares / mass if mass > EMPTY * total else 0.0


@njit(cache=True, nogil=True)
def tau_objects(data, state):
    """tau_X|Y (eq. 4); 0 where a single cluster leaves nothing to predict."""
    total, sums, counts = data[10], state[8], state[9]
    N = total.size
    if counts[N] < 2:
        return 0.0
    explained = 0.0
    concentration = 0.0
    for k in range(N):
        explained += sums[0, k] / total[k]
        concentration += sums[2, k] / total[k] ** 2
    return (explained - concentration) / (N - concentration)


@njit(cache=True, nogil=True)
def tau_features(data, state, k):
    """tau_Yk|X (eq. 5); 0 where all mass is in one cluster."""
    total, sums, counts = data[10], state[8], state[9]
    concentration = sums[3, k] / total[k] ** 2
    if counts[k] < 2 or 1.0 - concentration <= EMPTY:
        return 0.0
    return (sums[1, k] / total[k] - concentration) / (1.0 - concentration)


@njit(cache=True, nogil=True)
def refresh(data, state):
    """Compute margins, squares and sums anew from the tables."""
    first, total = data[6], data[10]
    by_row, row_mass, column_mass = state[2], state[4], state[5]
    row_squares, column_squares, sums, counts = state[6], state[7], state[8], state[9]
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
