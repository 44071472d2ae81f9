"""What all methods share: input checks, seeds of starts, blocks of runs, the best start."""

from dataclasses import dataclass, field
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, BiclusterMixin, ClusterMixin

from recoco.errors import RecocoError


@dataclass
class Runs:
    """Results of R runs of one method on one matrix, the best start of each.

    Attributes
    ----------
    row_labels : int16 or int32 array (R, n)
    column_labels : the same (R, d), or None for one-sided methods
    criterion : float64 array (R,)
    n_iter : int32 array (R,), iterations of the start that was kept
    details : dict of arrays (R, ...), what else a method tells of the start that was kept;
        ``start`` is its number
    histories : list of R float64 arrays, the criterion after each iteration
    """

    row_labels: np.ndarray
    column_labels: np.ndarray | None
    criterion: np.ndarray
    n_iter: np.ndarray
    details: dict[str, np.ndarray] = field(default_factory=dict)
    histories: list[np.ndarray] = field(default_factory=list)


@dataclass
class Starts:
    """Results of a batch of B starts, as the methods hand them to the base class.

    ``details`` has arrays (B, ...) of what a method tells beside labels and criterion.
    """

    row_labels: np.ndarray
    column_labels: np.ndarray | None
    criterion: np.ndarray
    n_iter: np.ndarray
    histories: list[np.ndarray]
    details: dict[str, np.ndarray] = field(default_factory=dict)


def start_generator(seed: int, start: int) -> np.random.Generator:
    """Return the random numbers of one start: they depend on its run's seed and its number."""
    sequence = np.random.SeedSequence(entropy=int(seed), spawn_key=(int(start),))
    return np.random.Generator(np.random.PCG64(sequence))


def label_dtype(n_clusters: int):
    return np.int16 if n_clusters <= np.iinfo(np.int16).max else np.int32


def sum_of_squares(values: np.ndarray) -> float:
    """Return the squared norm of a vector; the same bits for any number of BLAS threads."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # a threaded BLAS adds up one part for each thread
        return float(values @ values)


def check_matrix(X) -> sparse.csr_matrix:
    """Return X as CSR of float64 (sorted, no stored zeros) or say why it cannot be clustered."""
    if sparse.issparse(X):
        A = sparse.csr_matrix(X)
    else:
        A = np.asarray(X)
        if A.ndim != 2:
            raise RecocoError(
                f"The data has {A.ndim} dimensions: give a matrix with one row per object."
            )
    if A.dtype.kind not in "fiub":
        raise RecocoError(f"The data has entries of type {A.dtype}: give real numbers.")
    if 0 in A.shape:
        raise RecocoError(f"The matrix has shape {A.shape}: give at least one row and one column.")
    A = sparse.csr_matrix(A, dtype=np.float64)
    if not np.isfinite(A.data).all():
        raise RecocoError(
            "The matrix has entries that are NaN or infinite: replace or drop them first."
        )
    if not A.has_canonical_format or not A.data.all():
        A = A.copy()  # what follows works in place, and the matrix may be the caller's
        A.sum_duplicates()
        A.eliminate_zeros()
    if A.nnz == 0:
        raise RecocoError("All entries of the matrix are zero: there is nothing to cluster.")
    if A.data.min() < 0:
        raise RecocoError(
            "The matrix has negative entries: give counts, frequencies or other "
            "non-negative weights."
        )
    if max(A.nnz, *A.shape) < 2**31:  # one index type, so that the kernels are compiled once
        parts = (
            A.data,
            A.indices.astype(np.int32, copy=False),
            A.indptr.astype(np.int32, copy=False),
        )
        A = sparse.csr_matrix(parts, shape=A.shape)
    return A


def check_integer(value, name: str, least: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise RecocoError(f"{name} is {value!r}: give a whole number of at least {least}.")
    return int(value)


def check_tol(tol) -> None:
    if not isinstance(tol, Real) or not tol >= 0:
        raise RecocoError(f"tol is {tol!r}: give a number of at least 0.")


def check_labels(init, size: int, g: int, side: str) -> np.ndarray:
    """Return the labels of a start, one for each row, column or node, or say what is wrong."""
    init = np.asarray(init)
    if init.shape != (size,) or init.dtype.kind not in "iu":
        raise RecocoError(
            f"The start has shape {init.shape} and type {init.dtype}: "
            f"give {size} whole numbers, the label of each {side}."
        )
    if init.min() < 0 or init.max() >= g:
        raise RecocoError(
            f"The start has labels from {init.min()} to {init.max()}: "
            f"{g} clusters are numbered 0 to {g - 1}."
        )
    return init


def check_seeds(seeds) -> list[int]:
    seeds = list(seeds)
    if not seeds:
        raise RecocoError("No seeds: give one non-negative whole number for each run.")
    for seed in seeds:
        check_integer(seed, "A seed", 0)
    return seeds


class Clusterer(ClusterMixin, BaseEstimator):
    """Base of all methods; a subclass describes itself and says how a batch of starts is run.

    A subclass implements ``_prepare(A)``, done once for all starts, and
    ``_run(problem, generators, init)``, which returns :class:`Starts` whose entries depend on
    their own generator only.
    """

    name: str
    title: str
    reference: str
    equation_notes: str
    views = "one"
    larger_is_better = True
    monotone = False
    # methods that put rows and columns in the same clusters need as many of both
    two_sided = True

    @property
    def expected_clusters(self) -> int | None:
        """Number of row clusters that a result should have; None if the method chooses it."""
        return self.n_clusters

    def fit(self, X, y=None, init=None):
        """Cluster the rows (and columns) of X.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d), non-negative
        y : ignored
        init : array-like, optional
            An explicit start in place of the random ones, see the class.

        Returns
        -------
        self
        """
        if init is not None and not hasattr(self, "_check_init"):
            raise RecocoError(f"{self.title} takes no explicit start: leave init out.")
        runs = self._fit(X, [self._seed()], init=init)
        self.row_labels_ = runs.row_labels[0]
        self.column_labels_ = None if runs.column_labels is None else runs.column_labels[0]
        self.labels_ = self.row_labels_
        self.criterion_ = float(runs.criterion[0])
        self.criterion_history_ = runs.histories[0]
        self.n_iter_ = int(runs.n_iter[0])
        self.details_ = {name: values[0] for name, values in runs.details.items()}
        self.n_features_in_ = np.shape(X)[1]
        return self

    def fit_runs(self, X, seeds, batch_size: int | None = None) -> Runs:
        """Do one run per seed, each the best of ``n_init`` starts by the criterion.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d), non-negative
        seeds : sequence of int
            One per run; the labels of a run depend on X, the parameters and its seed only.
        batch_size : int, optional
            Starts carried through the matrix together. It changes time and memory, never
            the result.

        Returns
        -------
        Runs
        """
        return self._fit(X, check_seeds(seeds), batch_size=batch_size)

    @classmethod
    def cost(cls, n: int, d: int, nnz: int, n_clusters: int, n_init: int) -> float:
        """Rough seconds of one run on one core, for planning only."""
        return 5e-8 * n_init * (nnz + (n + d) * n_clusters)

    def _check(self, X) -> sparse.csr_matrix:
        A = check_matrix(X)
        g = check_integer(self.n_clusters, "n_clusters", 1)
        check_integer(self.n_init, "n_init", 1)
        check_integer(self.max_iter, "max_iter", 1)
        check_tol(self.tol)
        sides = (("rows", A.shape[0]), ("columns", A.shape[1]))[: 2 if self.two_sided else 1]
        for side, size in sides:
            if g > size:
                raise RecocoError(
                    f"{g} clusters were asked of a matrix with {size} {side}: "
                    f"ask for at most {size} or give more {side}."
                )
        return A

    def _seed(self) -> int:
        state = self.random_state
        if state is None:
            return int(np.random.SeedSequence().entropy)
        if isinstance(state, np.random.Generator):
            return int(state.integers(2**63))
        if isinstance(state, np.random.RandomState):
            return int(state.randint(2**31))
        return check_integer(state, "random_state", 0)

    def _batch_size(self, A: sparse.csr_matrix) -> int:
        return 32

    def _fit(self, X, seeds, init=None, batch_size=None) -> Runs:
        A = self._check(X)
        if init is not None:
            init = self._check_init(A, init)
        if batch_size is None:
            batch_size = self._batch_size(A)
        check_integer(batch_size, "batch_size", 1)
        n_init = 1 if init is not None else self.n_init
        pairs = [(run, start) for run in range(len(seeds)) for start in range(n_init)]
        problem = self._prepare(A)
        best = _Best(A.shape, len(seeds), label_dtype(self.n_clusters), self.larger_is_better)
        for first in range(0, len(pairs), batch_size):
            batch = pairs[first : first + batch_size]
            generators = [start_generator(seeds[run], start) for run, start in batch]
            best.take(batch, self._run(problem, generators, init))
        return best.runs


class _Best:
    """Keeps the best start of every run; of equal ones the first."""

    def __init__(self, shape, R, dtype, larger_is_better):
        n, d = shape
        self.sign = 1.0 if larger_is_better else -1.0
        self.d = d
        self.runs = Runs(
            row_labels=np.zeros((R, n), dtype),
            column_labels=None,
            criterion=np.full(R, -self.sign * np.inf),
            n_iter=np.zeros(R, np.int32),
            details={"start": np.full(R, -1, np.int32)},
            histories=[np.empty(0)] * R,
        )

    def take(self, batch, starts: Starts) -> None:
        runs = self.runs
        if starts.column_labels is not None and runs.column_labels is None:
            runs.column_labels = np.zeros((len(runs.criterion), self.d), runs.row_labels.dtype)
        for b, (run, start) in enumerate(batch):
            better = self.sign * (starts.criterion[b] - runs.criterion[run]) > 0
            if runs.details["start"][run] >= 0 and not better:
                continue
            runs.row_labels[run] = starts.row_labels[b]
            if starts.column_labels is not None:
                runs.column_labels[run] = starts.column_labels[b]
            runs.criterion[run] = starts.criterion[b]
            runs.n_iter[run] = starts.n_iter[b]
            runs.details["start"][run] = start
            runs.histories[run] = starts.histories[b]
            for name, values in starts.details.items():
                values = np.asarray(values)
                if name not in runs.details:
                    shape = (len(runs.criterion), *values.shape[1:])
                    runs.details[name] = np.zeros(shape, values.dtype)
                runs.details[name][run] = values[b]


class CoClusterer(BiclusterMixin, Clusterer):
    """Base of the diagonal methods: co-cluster k is the rows and the columns labelled k."""

    @property
    def rows_(self) -> np.ndarray:
        """Boolean (g, n): which rows belong to each co-cluster."""
        return self.row_labels_[None] == np.arange(self.n_clusters)[:, None]

    @property
    def columns_(self) -> np.ndarray:
        """Boolean (g, d): which columns belong to each co-cluster."""
        return self.column_labels_[None] == np.arange(self.n_clusters)[:, None]
