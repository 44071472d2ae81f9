"""The state of one start of CoStar."""

from typing import Any

import numpy as np

from recoco.kernels.costar_state import Bounds, Data, Members, Scratch, State

# iterations per call of the kernel
STEPS_PER_CALL = 4096


class Search:
    """State of a start of CoStar, in arrays that the next start reuses.

    Parameters
    ----------
    data : Data
        The matrices of all views.
    """

    def __init__(self, data: Data):
        n, F = data.indptr.size - 1, data.t_indptr.size - 1
        N, first = data.total.size, data.first
        self.data = data
        self.by_row, self.by_column = np.zeros((n, F)), np.zeros((F, n))
        longest = max(n, F) + 1
        self.scratch = Scratch(
            np.zeros(longest),
            np.empty(longest, np.int64),
            np.empty(longest),
            np.empty(longest),
            np.empty(longest),
            np.empty(longest, np.int64),
            np.empty(longest, np.int64),
            np.empty(N + 1),
        )
        share = (data.object_mass / data.total[:, None]).sum(axis=0)
        of_sides = (np.empty(N + 1) for _ in range(3))
        self.bounds = Bounds(*of_sides, np.empty(n), np.empty(F), share)  # type: ignore[call-arg]
        ends = np.empty(N + 1, np.int64)
        self.object_members, self.feature_members = _lists(n, ends), _lists(F, ends)
        self.counts = np.append(np.diff(first), n).astype(np.int64)
        self.state: Any = None

    def start(self) -> None:
        """Put every object and every feature in a cluster of its own."""
        from recoco.kernels.costar_bounds import start
        from recoco.kernels.members import first_lists

        indptr, indices, values, t_indptr, _, _, first, *_ = self.data
        n, F, N = indptr.size - 1, t_indptr.size - 1, self.data.total.size
        if self.state is not None:  # only cells of existing clusters are not zero
            rows = self.counts[N]
            for k in range(N):
                lo, hi = first[k], first[k] + self.counts[k]
                self.by_row[:rows, lo:hi] = 0.0
                self.by_column[lo:hi, :rows] = 0.0
        self.counts[:] = np.append(np.diff(first), n)
        rows = np.repeat(np.arange(n), np.diff(indptr))
        self.by_row[rows, indices] = values
        self.by_column[indices, rows] = values
        ends = self.object_members.ends
        first_lists(n, *self.object_members[:5])
        for k in range(N):
            lo, hi = first[k], first[k + 1]
            pool, *others = self.feature_members[:5]
            first_lists(hi - lo, pool[4 * lo : 4 * hi], *(a[lo:hi] for a in others))
        ends[:] = self.counts
        object_mass, feature_mass = self.data.object_mass, self.data.feature_mass
        row_squares = np.array(
            [
                np.bincount(rows[inside], values[inside] ** 2, n)
                for inside in ((first[k] <= indices) & (indices < first[k + 1]) for k in range(N))
            ]
        )
        column_squares = np.bincount(indices, values**2, F)
        sums = np.zeros((4, N))
        for k in range(N):
            lo, hi = first[k], first[k + 1]
            mass = feature_mass[lo:hi]
            filled = mass > 0
            sums[0, k] = (column_squares[lo:hi][filled] / mass[filled]).sum()
            sums[1, k] = (row_squares[k] / object_mass[k]).sum()
            sums[2, k] = (object_mass[k] ** 2).sum()
            sums[3, k] = (mass**2).sum()
        self.state = State(
            np.arange(n),
            np.arange(F),
            self.by_row,
            self.by_column,
            object_mass.copy(),
            feature_mass.copy(),
            row_squares,
            column_squares,
            sums,
            self.counts,
            np.diff(self.data.starts, axis=0),
            np.diff(t_indptr),
        )
        start(self.data, self.state, self.bounds)
        self.done = self.last_move = 0

    def advance(self, iterations: int, rng: np.random.Generator) -> None:
        """Continue for a number of iterations."""
        from recoco.kernels.costar import iterate
        from recoco.kernels.costar_taus import refresh

        N = self.data.total.size
        while iterations > 0:
            # a limited number of iterations saves memory and lets Python handle signals
            size = int(min(iterations, STEPS_PER_CALL - self.done % STEPS_PER_CALL))
            uniforms = rng.random((size, N + 1, 2))
            last = iterate(
                self.data,
                self.state,
                self.object_members,
                self.feature_members,
                uniforms,
                self.scratch,
                self.bounds,
            )
            if last:
                self.last_move = self.done + int(last)
            self.done += size
            iterations -= size
            # at fixed iterations, so no result depends on how often the taus are recorded
            if self.done % STEPS_PER_CALL == 0 and self.counts[:-1].sum() * self.counts[-1] < 10**6:
                refresh(self.data, self.state)  # avoids accumulating rounding errors

    def taus(self) -> np.ndarray:
        """Return (tau_X|Y, tau_Y1|X, ..., tau_YN|X), as maintained from move to move."""
        from recoco.kernels.costar_taus import tau_features, tau_objects

        features = [tau_features(self.data, self.state, k) for k in range(self.data.total.size)]
        return np.array([tau_objects(self.data, self.state), *features])

    def labels(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the labels of the objects and of the features, numbered from 0 in each view."""
        offsets = np.repeat(self.data.first[:-1], np.diff(self.data.first))
        return self.state.objects.copy(), self.state.features - offsets


def _lists(n: int, ends: np.ndarray) -> Members:
    return Members(  # type: ignore[call-arg]
        np.empty(4 * n, np.int64), *(np.zeros(n, np.int64) for _ in range(4)), ends
    )
