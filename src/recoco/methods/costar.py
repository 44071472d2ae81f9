"""tau-CoClust and CoStar: co-clustering by Goodman and Kruskal's tau, no number of clusters."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.methods.base import Starts, check_integer, start_generator
from recoco.methods.multiview import MultiViewClusterer, Views

# bytes of the tables at the start, where every object and every feature is a cluster
MOST_BYTES = 8e9
# iterations between two calls of the kernel
BLOCK = 4096


@dataclass
class _Problem:
    """What the starts have in common.

    ``kept`` are the columns that take part, ``size`` is max(m, N).
    """

    views: Views
    kept: np.ndarray
    search: "Search"
    size: int


class CoStar(MultiViewClusterer):
    """Maximise tau_X|Y and every tau_Yk|X by moves of single objects and features.

    Starting from clusters of one element each, an iteration takes a random cluster of objects
    and a random object of it and puts it in the cluster, or in a new one, for which tau_X|Y is
    largest; then the same for one feature of every view and tau_Yk|X. What ties is decided by
    the other taus (Algorithms 3 and 5), what still ties stays where it is. The numbers of
    clusters come out of it.

    Parameters
    ----------
    n_clusters : ignored, taken for the sake of the common interface
    n_init : int
        Starts per run, of which the one with the largest tau_X|Y is kept. More than one is not
        advised: tau rises as clusters merge.
    max_iter : int, optional
        Number of iterations in place of the paper's rule N_iter = 10 max(m, N), m objects and
        N features.
    features : {"sum", "largest"}
        What N counts in that rule: the features of all views (Section 4.3) or those of the
        largest view (as in Section 5.4, where two views of 1000 features had 10000 iterations).
    empty : {"keep", "drop"}
        Features without any entry change no tau, so each stays alone in its cluster: a kept
        one uses up iterations, since the cluster is drawn first. If dropped they do not take
        part or count in N, and are labelled as one more cluster.
    patience : float, optional
        End as soon as patience * max(m, N) iterations in a row moved nothing; the paper names
        such a rule but does not use it. A run is looked at ``record`` times, so it may go on a
        little longer.
    record : int
        At how many evenly spaced iterations the taus are recorded.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_, view_labels_ : arrays of int
    criterion_ : float, tau_X|Y; 0 for a single cluster
    criterion_history_ : array, tau_X|Y at the recorded iterations
    n_iter_ : int
    details_ : dict
        ``taus`` (tau_X|Y, tau_Y1|X, ...), ``row_clusters``, ``column_clusters`` of each view,
        ``last_move`` (the last iteration that moved something), ``converged`` (whether
        patience ended the run).

    References
    ----------
    D. Ienco, C. Robardet, R. G. Pensa, R. Meo. Parameter-less co-clustering for star-structured
    heterogeneous data. Data Mining and Knowledge Discovery 26, 2013, 217-254.
    """

    name = "costar"
    title = "CoStar"
    reference = (
        "D. Ienco, C. Robardet, R. G. Pensa, R. Meo. Parameter-less co-clustering for "
        "star-structured heterogeneous data. Data Mining and Knowledge Discovery 26, 2013."
    )
    equation_notes = (
        "Algorithms 1 to 5 with the increments of Section 4.3 (mu, not mu_j, in the denominators "
        "of the change of tau_Yk|X); criterion: tau_X|Y, eq. 4. Algorithm 3 drops x_j where "
        "nb_i >= nb_j; Algorithm 5, lost in print, compares tau_X|Y."
    )
    warm_params: ClassVar = {"max_iter": BLOCK}

    def __init__(
        self,
        n_clusters=None,
        n_init=1,
        max_iter=None,
        features="sum",
        empty="keep",
        patience=None,
        record=100,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.features = features
        self.empty = empty
        self.patience = patience
        self.record = record
        self.random_state = random_state

    @property
    def expected_clusters(self):
        return None

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return 1e-4 * n_init * max(n, d)

    def _check_clusters(self, views: Views) -> None:
        if self.max_iter is not None:
            check_integer(self.max_iter, "max_iter", 1)
        check_integer(self.record, "record", 1)
        if self.features not in ("sum", "largest"):
            raise RecocoError(f"features is {self.features!r}: give sum or largest.")
        if self.empty not in ("keep", "drop"):
            raise RecocoError(f"empty is {self.empty!r}: give keep or drop.")
        patience = self.patience
        if patience is not None and not (isinstance(patience, int | float) and patience > 0):
            raise RecocoError(f"patience is {patience!r}: give a number above 0, or None.")
        n, d = views.shape
        if 16.0 * n * d > MOST_BYTES:
            raise RecocoError(
                f"CoStar starts from tables of all {n} objects and {d} features, which take "
                f"{16e-9 * n * d:.0f} GB: give fewer objects or features."
            )
        for number, matrix in enumerate(views.matrices, 1):
            if np.unique(matrix.indices).size < 2:
                raise RecocoError(
                    f"View {number} has one feature that is not empty: "
                    "give at least two, or leave the view out."
                )

    def _batch_size(self, views):
        return 1

    def _prepare(self, views: Views) -> _Problem:
        kept = [np.arange(width) for width in views.widths]
        if self.empty == "drop":
            kept = [np.unique(matrix.indices) for matrix in views.matrices]
        matrices = [m[:, columns] for m, columns in zip(views.matrices, kept, strict=True)]
        widths = [columns.size for columns in kept]
        n, first = views.shape[0], np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        A = sparse.hstack(matrices, format="csr")
        A.sort_indices()
        At = A.T.tocsr()
        entries = np.cumsum([np.zeros(n, np.int64), *(np.diff(m.indptr) for m in matrices)], axis=0)
        object_mass = np.array([np.asarray(m.sum(axis=1)).ravel() for m in matrices])
        data = (
            A.indptr.astype(np.int64),
            A.indices.astype(np.int32),
            A.data,
            At.indptr.astype(np.int64),
            At.indices.astype(np.int32),
            At.data,
            first,
            A.indptr[:-1].astype(np.int64) + entries,
            object_mass,
            np.asarray(A.sum(axis=0)).ravel(),
            object_mass.sum(axis=1),
        )
        columns = np.concatenate([a + c for a, c in zip(views.first[:-1], kept, strict=True)])
        size = max(n, sum(widths) if self.features == "sum" else max(widths))
        return _Problem(views, columns, Search(data), size)

    def _run(self, problem, generators, init):
        parts = [self._one(problem, rng) for rng in generators]
        rows, columns, histories, n_iter, details = zip(*parts, strict=True)
        return Starts(
            np.array(rows),
            np.array(columns),
            np.array([history[-1] for history in histories]),
            np.array(n_iter, np.int32),
            list(histories),
            {name: np.array([d[name] for d in details]) for name in details[0]},
        )

    def _one(self, problem: _Problem, rng):
        """Do one start and return labels, tau_X|Y at the recorded iterations and details."""
        search = problem.search
        search.start()
        iterations = 10 * problem.size if self.max_iter is None else self.max_iter
        marks = np.unique(np.linspace(0, iterations, self.record + 1).astype(np.int64))
        marks = marks[marks > 0]
        wait = np.inf if self.patience is None else max(1, self.patience * problem.size)
        history, converged = [], False
        for mark in marks:
            search.advance(mark - search.done, rng)
            history.append(search.taus()[0])
            if search.done - search.last_move >= wait:
                converged = True
                break
        labels = search.labels()
        details = {
            "taus": search.taus(),
            "row_clusters": np.int32(search.counts[-1]),
            "column_clusters": search.counts[:-1].astype(np.int32),
            "last_move": np.int32(search.last_move),
            "converged": converged,
        }
        columns = np.empty(problem.views.shape[1], np.int64)
        for view, count in zip(problem.views.split(columns), search.counts[:-1], strict=True):
            view[:] = count  # one more cluster for the features that do not take part
        columns[problem.kept] = labels[1]
        return labels[0], columns, np.array(history), search.done, details


class TauCoClust(CoStar):
    """CoStar on one view: maximise tau_X|Y and tau_Y|X.

    Parameters, attributes : see :class:`CoStar`.

    References
    ----------
    C. Robardet, F. Feschet. Efficient local search in conceptual clustering. Discovery Science
    2001, 323-335.
    """

    name = "tau-coclust"
    title = "tau-CoClust"
    reference = (
        "C. Robardet, F. Feschet. Efficient local search in conceptual clustering. Discovery "
        "Science 2001; as described by Ienco et al. 2013, Section 4.1."
    )
    equation_notes = (
        "CoStar with one view: tau_X|Y (eq. 1) for the objects, tau_Y|X (eq. 2) for the features."
    )
    views = "one"

    def _check(self, X):
        views = super()._check(X)
        if len(views.matrices) > 1:
            raise RecocoError(
                f"tau-CoClust was given {len(views.matrices)} views: give one matrix, "
                "or take CoStar."
            )
        return views


def trajectory(X, seed: int, iterations: int, every: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Follow the taus of one start of CoStar from iteration to iteration.

    Parameters
    ----------
    X : list of matrices, see :meth:`CoStar.fit`
    seed : int, the start is the first of a run with this seed
    iterations : int
    every : int, how many iterations lie between two records

    Returns
    -------
    at : int64 array, the recorded iterations, from 0 (clusters of one element each)
    taus : float64 (len(at), N + 1), tau_X|Y, tau_Y1|X, ..., tau_YN|X
    """
    model = CoStar(max_iter=check_integer(iterations, "iterations", 1))
    every = check_integer(every, "every", 1)
    search = model._prepare(model._check(X)).search
    rng = start_generator(check_integer(seed, "seed", 0), 0)
    search.start()
    at, found = [0], [search.taus()]
    while search.done < iterations:
        search.advance(min(every, iterations - search.done), rng)
        at.append(search.done)
        found.append(search.taus())
    return np.array(at), np.array(found)


class Search:
    """State of a start of CoStar, in arrays that the next start uses again.

    Parameters
    ----------
    data : tuple, see :mod:`recoco.kernels.costar`
    """

    def __init__(self, data: tuple):
        n, F = data[0].size - 1, data[3].size - 1
        N, first = data[10].size, data[6]
        self.data = data
        self.by_row, self.by_column = np.zeros((n, F)), np.zeros((F, n))
        longest = max(n, F) + 1
        self.scratch = (
            np.zeros(longest),
            np.empty(longest, np.int64),
            np.empty(longest),
            np.empty(longest),
            np.empty(longest),
            np.empty(longest, np.int64),
            np.empty(longest, np.int64),
            np.empty(N + 1),
        )
        share = (data[8] / data[10][:, None]).sum(axis=0)
        of_sides = (np.empty(N + 1) for _ in range(3))
        self.bounds = (*of_sides, np.empty(n), np.empty(F), share)
        self.object_members = _lists(n)
        self.feature_members = _lists(F)
        ends = np.empty(N + 1, np.int64)
        self.object_members += (ends,)
        self.feature_members += (ends,)
        self.counts = np.append(np.diff(first), n).astype(np.int64)
        self.state = None

    def start(self) -> None:
        """Put every object and every feature in a cluster of its own."""
        from recoco.kernels.costar_bounds import start
        from recoco.kernels.members import first_lists

        indptr, indices, values, t_indptr, first = *self.data[:4], self.data[6]
        n, F, N = indptr.size - 1, t_indptr.size - 1, self.data[10].size
        if self.state is not None:  # only cells of clusters that exist are not zero
            rows = self.counts[N]
            for k in range(N):
                lo, hi = first[k], first[k] + self.counts[k]
                self.by_row[:rows, lo:hi] = 0.0
                self.by_column[lo:hi, :rows] = 0.0
        self.counts[:] = np.append(np.diff(first), n)
        rows = np.repeat(np.arange(n), np.diff(indptr))
        self.by_row[rows, indices] = values
        self.by_column[indices, rows] = values
        ends = self.object_members[5]
        first_lists(n, *self.object_members[:5])
        for k in range(N):
            lo, hi = first[k], first[k + 1]
            pool, *others = self.feature_members[:5]
            first_lists(hi - lo, pool[4 * lo : 4 * hi], *(a[lo:hi] for a in others))
        ends[:] = self.counts
        object_mass, feature_mass = self.data[8:10]
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
        self.state = (
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
            np.diff(self.data[7], axis=0),
            np.diff(t_indptr),
        )
        start(self.data, self.state, self.bounds)
        self.done = self.last_move = 0

    def advance(self, iterations: int, rng: np.random.Generator) -> None:
        """Go on for some iterations."""
        from recoco.kernels.costar import iterate
        from recoco.kernels.costar_taus import refresh

        N = self.data[10].size
        while iterations > 0:
            # numbers for a while only: they need not fill the memory, and Python gets the word
            size = int(min(iterations, BLOCK - self.done % BLOCK))
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
            # at fixed iterations, so that no result depends on how often the taus are looked at
            if self.done % BLOCK == 0 and self.counts[:-1].sum() * self.counts[-1] < 10**6:
                refresh(self.data, self.state)  # lest rounding adds up

    def taus(self) -> np.ndarray:
        """(tau_X|Y, tau_Y1|X, ..., tau_YN|X), as kept from move to move."""
        from recoco.kernels.costar_taus import tau_features, tau_objects

        features = [tau_features(self.data, self.state, k) for k in range(self.data[10].size)]
        return np.array([tau_objects(self.data, self.state), *features])

    def labels(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels of the objects and of the features, in each view from 0."""
        offsets = np.repeat(self.data[6][:-1], np.diff(self.data[6]))
        return self.state[0].copy(), self.state[1] - offsets


def _lists(n: int) -> tuple:
    """Arrays for the lists of members: pool, where, room, size, at."""
    return (np.empty(4 * n, np.int64), *(np.zeros(n, np.int64) for _ in range(4)))
