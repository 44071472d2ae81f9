"""Base of the factorisations: starts, multiplicative updates of many starts, and labels."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from scipy import sparse

from recoco.methods.arrays import lengths
from recoco.methods.base import CoClusterer, Starts, finished, label_dtype, sum_of_squares
from recoco.methods.checks import check_choice, check_labels
from recoco.methods.factor_algebra import Factor, Small, SparseMatrix, cross, whole_lines
from recoco.methods.spherical import check_rows

PRECISIONS = {"double": np.float64, "single": np.float32}
# numbers per row of the factors of all starts that are multiplied together: enough for vector
# units, few enough for the rows in use to stay in the cache
TILE = {"double": 64, "single": 128}
STARTS = {
    "means": "memberships + 0.2 by the labels of spherical k-means, S and Q means over clusters",
    "random": "Z as with means, all other factors random",
}
LABELLINGS = {
    "plain": "argmax of the row of Z as it is",
    "unit": "argmax after the columns of Z are given length one",
    "share": "argmax after column k of Z is multiplied with the length of row k of S W'",
}
SMOOTHING = 0.2
# smallest starting value of S and Q, as a fraction of the mean entry of their matrix: an entry that
# starts at 0 stays at 0 under multiplicative updates
LEAST_START = 1e-3
# the largest entry of X is scaled into this range, so squares neither underflow nor overflow
SCALE = (2.0**-20, 2.0**20)


@dataclass
class Problem:
    """What the starts have in common.

    Attributes
    ----------
    A : csr_matrix
        The matrix as given.
    X : SparseMatrix
        A / 2**exponent, and its transpose ``X.T``.
    exponent : int
        0 unless the entries of A are extremely large or small.
    norm : float
        Squared Frobenius norm of X.
    extra : SimpleNamespace
        What a method adds (co-occurrences, graphs).
    """

    A: sparse.csr_matrix
    X: SparseMatrix
    exponent: int
    norm: float
    extra: SimpleNamespace


class State(SimpleNamespace):
    """Factors of the active starts, by name."""

    def keep(self, chosen: np.ndarray) -> "State":
        return State(**{name: value.keep(chosen) for name, value in vars(self).items()})


@dataclass(eq=False, repr=False, kw_only=True)
class Factorisation(CoClusterer):
    """Non-negative factorisation by multiplicative updates, for many starts at once.

    A subclass defines an iteration: ``_iterate(problem, state)`` updates the factors of ``state``
    in place and returns the criterion of every start. It may extend the problem (``_extend``) and
    the initial factors (``_start_more``). ``fit`` sets the factors of the best start as ``Z_``,
    ``W_``, ...; with ``init`` (row labels) it starts from these labels instead of those of
    spherical k-means.
    """

    larger_is_better = False
    shared_starts = True
    three_factors = False

    tol: float = 1e-7
    start: str = "means"
    labelling: str = "plain"
    precision: str = "double"

    def _check_numbers(self, A):
        super()._check_numbers(A)
        check_rows(A)
        check_choice(self.precision, "precision", PRECISIONS)
        check_choice(self.start, "start", STARTS)
        check_choice(self.labelling, "labelling", LABELLINGS)

    def _store(self, data, runs) -> None:
        super()._store(data, runs)
        name = f"{self._scaled_factor}_"  # in units of the matrix as given
        setattr(self, name, getattr(self, name) * self.scale_)

    @property
    def _scaled_factor(self) -> str:
        """The factor that grows with the matrix."""
        return "S" if self.three_factors else "W"

    def _check_init(self, A, init):
        return check_labels(init, A.shape[0], self.n_clusters, "row")

    def _tile(self) -> int:
        """Return how many starts are iterated together; their rows should fill cache lines."""
        k = max(self.n_clusters, self._m)
        most = max(1, TILE[self.precision] // k)
        fewer = range(most, most // 2, -1)
        dtype = PRECISIONS[self.precision]
        return next((T for T in fewer if whole_lines(T * k, dtype) == T * k), most)

    def _batch_size(self, A):
        return 64  # they share the search for starts; at most _tile() are iterated together

    def _prepare(self, A):
        dtype = PRECISIONS[self.precision]
        largest, exponent = A.data.max(), 0
        if not SCALE[0] <= largest <= SCALE[1]:
            exponent = int(np.frexp(largest)[1])
        data = np.ldexp(A.data, -exponent)
        scaled = sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)
        columns = self._tile() * self._m
        X = SparseMatrix.both_ways(scaled, dtype, columns)
        problem = Problem(A, X, exponent, sum_of_squares(data), SimpleNamespace())
        self._extend(problem, dtype, columns)
        return problem

    def _extend(self, problem: Problem, dtype, columns: int) -> None:
        """Put anything else that the starts have in common into ``problem.extra``.

        ``dtype`` and ``columns`` are those of the factors, for :class:`SparseMatrix`.
        """

    def _run(self, problem, generators, init):
        if init is None:
            from recoco.methods.spherical import spherical_starts

            labels = np.asarray(spherical_starts(problem.A, generators, self.n_clusters))
        else:
            labels = init[None]
        tile = self._tile()
        parts = [
            self._descend(problem, labels[first : first + tile], generators[first : first + tile])
            for first in range(0, len(labels), tile)
        ]
        return Starts.from_histories(
            np.concatenate([part.row_labels for part in parts]),
            np.concatenate([part.column_labels for part in parts]),
            [history for part in parts for history in part.histories],
        )

    def _descend(self, problem, labels, generators) -> Starts:
        """Iterate the given starts until each has ended."""
        T, (n, d) = len(labels), problem.A.shape
        dtype = label_dtype(max(self.n_clusters, self._m))
        rows, columns = np.zeros((T, n), dtype), np.zeros((T, d), dtype)
        state = self._start(problem, labels, generators)
        history = np.zeros((T, self.max_iter))
        n_iter = np.zeros(T, np.int32)
        active = np.arange(T)
        for iteration in range(self.max_iter):
            F = self._iterate(problem, state)
            history[active, iteration] = F
            n_iter[active] = iteration + 1
            ended = np.full(active.size, iteration + 1 == self.max_iter)
            if iteration:
                before = history[active, iteration - 1]
                ended |= np.abs(before - F) <= self.tol * np.abs(before)
            if not ended.any():
                continue
            for place in np.flatnonzero(ended):
                factors = self._factors(problem, state, place)
                rows[active[place]], columns[active[place]] = self._labels(factors)
                self._keep(F[place], factors)
            active = active[~ended]
            if active.size == 0:
                break
            state = state.keep(~ended)
        # in units of X as given: multiplication by a power of two is exact
        history = np.ldexp(history, 2 * problem.exponent)
        return Starts.from_histories(rows, columns, finished(history, n_iter))

    def _factors(self, problem, state, place) -> dict[str, np.ndarray]:
        """Return the factors of one start, in units of X as given."""
        factors = {}
        for name in ("Z", "W", "S", "Q"):
            value = getattr(state, name, None)
            if isinstance(value, Factor):
                factors[name] = value.array[:, place].astype(np.float64)
            elif isinstance(value, Small):
                factors[name] = value.array[place].copy()
        name = self._scaled_factor
        factors[name] = np.ldexp(factors[name], problem.exponent)
        return factors

    def _labels(self, factors):
        """Return the labels of rows and columns; the lowest cluster wins a tie.

        The scale of a column of Z is arbitrary (what Z gains, S or W loses), and the papers do not
        fix it: see :data:`LABELLINGS`.
        """
        Z, W = factors["Z"], factors["W"]
        if self.labelling == "unit":
            Z, W = Z / lengths(Z), W / lengths(W)
        elif self.labelling == "share":
            S = factors.get("S", np.eye(Z.shape[1]))
            Z, W = Z * lengths(W @ S.T), W * lengths(Z @ S)
        return Z.argmax(axis=1), W.argmax(axis=1)

    def _start(self, problem, labels, generators) -> State:
        """Return the initial factors for the given row labels (T, n)."""
        X, g, m = problem.X, self.n_clusters, self._m
        H = _memberships(labels, g, X.dtype)
        totals = X.T @ H  # sums of each column over each row cluster
        sizes = H.array.sum(axis=0, dtype=np.float64)
        means = totals.array / np.maximum(sizes, 1.0).astype(X.dtype)
        K = _memberships(_split(means.argmax(axis=2).T, g, m, generators), m, X.dtype)
        state = State(Z=Factor(H.array + X.dtype.type(SMOOTHING)))
        state.W = Factor(K.array + X.dtype.type(SMOOTHING))
        if self.three_factors:
            state.S = _block_means(totals, K, sizes)
        self._start_more(problem, state, K)
        if self.start == "random":
            for b, rng in enumerate(generators):
                for name, value in vars(state).items():
                    if name != "Z":
                        part = value.array[b] if name == "S" else value.array[:, b]
                        part[:] = rng.random(part.shape) * 2.0 * part.mean(dtype=np.float64)
        return state

    def _start_more(self, problem, state, K: Factor) -> None:
        """Initialise factors other than Z, W and S; K holds the memberships of the columns."""


def _memberships(labels, k, dtype) -> Factor:
    """Return labels (T, rows) as a matrix of 0 and 1."""
    T, rows = labels.shape
    array = np.zeros((rows, T, k), dtype)
    np.put_along_axis(array, labels.T[:, :, None].astype(np.int64), dtype.type(1), axis=2)
    return Factor(array)


def _block_means(totals: Factor, K: Factor, sizes) -> Small:
    """Return the mean entry of X in every block of a row cluster and a column cluster."""
    sums = cross(totals, K).array
    widths = K.array.sum(axis=0, dtype=np.float64)
    cells = sizes[:, :, None] * widths[:, None, :]
    # for a block without entries or cells
    least = [LEAST_START * a.sum() / b.sum() for a, b in zip(sums, cells, strict=True)]
    return Small(np.maximum(sums / np.maximum(cells, 1.0), np.reshape(least, (-1, 1, 1))))


def _split(groups, g, m, generators):
    """Turn g groups of columns (T, d) into m clusters.

    If m > g, every group is divided at random into a number of parts that depends on its size;
    if m < g, neighbouring groups are merged.
    """
    if m == g:
        return groups
    if m < g:
        return groups * m // g
    result = np.empty_like(groups)
    for b, rng in enumerate(generators):
        parts = _shares(np.bincount(groups[b], minlength=g), m)
        first = np.r_[0, np.cumsum(parts)]
        for k in range(g):
            members = rng.permutation(np.flatnonzero(groups[b] == k))
            result[b, members] = first[k] + np.arange(members.size) % parts[k]
    return result


def _shares(sizes, m):
    """Divide m clusters among groups in proportion to their sizes, at least one each."""
    parts = np.ones(sizes.size, np.int64)
    for _ in range(m - sizes.size):
        parts[np.argmax(sizes / parts)] += 1
    return parts
