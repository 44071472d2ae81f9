"""What all methods share: input checks, seeds of starts, blocks of runs and the best start."""

import inspect
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from recoco.core.errors import RecocoError
from recoco.methods.arrays import safely_scaled
from recoco.methods.biclusters import Biclusters
from recoco.methods.checks import (
    check_integer,
    check_matrix,
    check_seeds,
    check_tol,
    short_of_clusters,
)

RandomState = int | np.random.Generator | np.random.RandomState | None


@dataclass
class Runs:
    """Results of R runs of one method, each from its best start.

    Attributes
    ----------
    row_labels : ndarray of int16 or int32, shape (R, n)
    column_labels : ndarray of the same type, shape (R, d), or None
        None for methods that cluster only the rows.
    criterion : ndarray of float64, shape (R,)
    n_iter : ndarray of int32, shape (R,)
        Number of iterations of the start that was kept.
    histories : list of R ndarray of float64
        The criterion after each iteration.
    details : dict of ndarray of shape (R, ...)
        Anything else that a method reports. ``start`` is the number of the start that was kept.
    """

    row_labels: np.ndarray
    column_labels: np.ndarray | None
    criterion: np.ndarray
    n_iter: np.ndarray
    histories: list[np.ndarray] = field(default_factory=list)
    details: dict[str, np.ndarray] = field(default_factory=dict)


class Starts(Runs):
    """The same of a batch of B starts, as returned by ``_run`` of a method."""

    @classmethod
    def from_histories(
        cls,
        row_labels: Any,
        column_labels: Any,
        histories: Any,
        n_iter: Any = None,
        details: dict[str, np.ndarray] | None = None,
    ) -> "Starts":
        """Build the results of starts whose criterion is the last value of their history."""
        if n_iter is None:
            n_iter = [len(history) for history in histories]
        return cls(
            np.asarray(row_labels),
            None if column_labels is None else np.asarray(column_labels),
            np.array([history[-1] for history in histories]),
            np.asarray(n_iter, np.int32),
            list(histories),
            details or {},
        )


def finished(histories: Any, n_iter: Any) -> list[np.ndarray]:
    """Cut each row of a table of histories to the number of iterations its start made."""
    return [history[:steps].copy() for history, steps in zip(histories, n_iter, strict=True)]


def start_generator(seed: int, start: int) -> np.random.Generator:
    """Return the generator of a start, which depends only on the seed of its run and its number."""
    sequence = np.random.SeedSequence(entropy=int(seed), spawn_key=(int(start),))
    return np.random.Generator(np.random.PCG64(sequence))


def label_dtype(n_clusters: int) -> type[np.signedinteger]:
    """Return the smallest integer type used for labels of so many clusters."""
    return np.int16 if n_clusters <= np.iinfo(np.int16).max else np.int32


def sum_of_squares(values: np.ndarray) -> float:
    """Return the squared norm of a vector, with the same bits for any number of BLAS threads."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # a threaded BLAS sums one part per thread
        return float(values @ values)


class _Reference:
    """The works that the docstring of a method, or of the method it extends, refers to."""

    def __get__(self, model: Any, kind: type) -> str:
        for owner in kind.__mro__:
            documented = inspect.cleandoc(vars(owner).get("__doc__") or "")
            section = documented.partition("\nReferences\n----------\n")[2]
            if section:
                return " ".join(section.partition("\n\n")[0].split())
        return ""


@dataclass(eq=False, repr=False)
class Clusterer(ClusterMixin, BaseEstimator):
    """Base class of all methods, with one ``fit`` and one ``fit_runs`` for all of them.

    A subclass implements ``_prepare(data)``, which is called once for all starts, and
    ``_run(problem, generators, init)``, which returns :class:`Starts`. Each start must depend on
    its own generator only. ``_check_data`` and ``_check_numbers`` define which data and parameters
    are accepted; a method that accepts an explicit start implements ``_check_init``. Parameters
    are fields of a dataclass: a subclass declares those that it adds or gives another default.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    n_init : int, default=1
        Number of starts per run. The one with the best criterion (``larger_is_better``) is kept.
    max_iter : int, default=100
        Maximum number of iterations.
    random_state : int, Generator, RandomState or None, default=None
        Seed or generator of the random numbers. An int makes the result reproducible.

    Attributes
    ----------
    row_labels_ : ndarray of int32, shape (n,)
        Cluster of each row (object, node); also available as ``labels_``.
    column_labels_ : ndarray of int32, shape (d,), or None
        Cluster of each column; None for methods that cluster only the rows.
    criterion_ : float
        Criterion of the start that was kept.
    criterion_history_ : ndarray
        The criterion after each iteration.
    n_iter_ : int
        Number of iterations of the start that was kept.
    details_ : dict
        Anything else that the method reports; ``start`` is the number of the start that was kept.
    scale_ : float
        The power of two by which the data were divided first, 1 unless their largest entry is
        above 4e74 or below 2e-75, where squares and sums would overflow or vanish. A criterion
        that depends on the scale of the data, such as a squared distance or a likelihood, is that
        of the divided data.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[Any] = _Reference()
    equation_notes: ClassVar[str]
    views = "one"
    larger_is_better = True
    monotone = False
    # whether rows and columns share clusters, so there must be enough of both
    two_sided = True

    n_clusters: int = 2
    _: KW_ONLY
    n_init: int = 1
    max_iter: int = 100
    random_state: RandomState = None

    @property
    def expected_clusters(self) -> int | None:
        """Number of row clusters that a result should have; None if the method chooses it."""
        return self.n_clusters

    def fit(self, X: ArrayLike | list, y: None = None, init: ArrayLike | None = None) -> Self:
        """Cluster rows and columns of a matrix, objects with several views, or nodes of graphs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Non-negative data, or a list of such matrices for several views or graphs.
        y : None
            Ignored; present for compatibility with scikit-learn.
        init : array-like, default=None
            An explicit start that replaces the random ones, for methods that accept one.

        Returns
        -------
        self : object
            The fitted estimator, with ``row_labels_`` (also available as ``labels_``),
            ``column_labels_`` (None for methods that cluster only the rows), ``criterion_``,
            ``criterion_history_``, ``n_iter_``, ``details_``, ``scale_`` and ``n_features_in_``.

        Warns
        -----
        ConvergenceWarning
            If fewer clusters than requested have members. :meth:`fit_runs` does not warn.
        """
        if init is not None and not hasattr(self, "_check_init"):
            raise RecocoError(f"{self.title} takes no explicit start: leave init out.")
        seed = self._seed()
        data, exponent = self._scaled(self._check(X))
        self._kept: tuple[float, dict] | None = None
        try:
            runs = self._fit(data, [seed], init=init)
            self.scale_ = 2.0**exponent
            self._store(data, runs)
        finally:
            del self._kept
        for message, category in self._warnings(data):
            warnings.warn(message, category, stacklevel=2)
        return self

    def _store(self, data, runs: Runs) -> None:
        """Set the attributes of the estimator from the only run of ``fit``."""
        self.row_labels_ = self.labels_ = runs.row_labels[0].astype(np.int32)
        self.column_labels_: Any = None
        if runs.column_labels is not None:
            self.column_labels_ = runs.column_labels[0].astype(np.int32)
        self.criterion_ = float(runs.criterion[0])
        self.criterion_history_ = runs.histories[0]
        self.n_iter_ = int(runs.n_iter[0])
        self.details_ = {name: values[0] for name, values in runs.details.items()}
        self.n_features_in_ = data.shape[1]
        if self._kept is not None:
            for name, value in self._kept[1].items():
                setattr(self, f"{name}_", value)

    def _warnings(self, data) -> Iterator[tuple[str, type[Warning]]]:
        """Yield what a user of ``fit`` should know about the result."""
        short = short_of_clusters(self._requested(data))
        if short:
            message = f"{self.title} ended with members in only {short}: {self._advice(data)}."
            yield message, ConvergenceWarning

    def _requested(self, data) -> list[tuple[str, np.ndarray, int | None]]:
        """Return what was clustered, its labels and the number of clusters requested, if any."""
        return [(self._sides(data)[0][0], self.row_labels_, self.expected_clusters)]

    def _advice(self, data) -> str:
        """Return why clusters may have remained empty, and what to do about it."""
        return "request fewer, or try more starts (n_init)"

    def _keep(self, criterion, attributes: dict) -> None:
        """Remember further attributes of the best start; ``fit_runs`` does not need them."""
        if not hasattr(self, "_kept"):
            return
        sign = 1.0 if self.larger_is_better else -1.0
        if self._kept is None or sign * criterion > sign * self._kept[0]:
            self._kept = (criterion, attributes)

    def fit_runs(
        self, X: ArrayLike | list, seeds: Iterable[int], batch_size: int | None = None
    ) -> Runs:
        """Compute one run per seed, each the best of ``n_init`` starts by the criterion.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or a list of them
            The data, as for :meth:`fit`.
        seeds : iterable of int
            One seed per run. The labels of a run depend only on X, the parameters and its seed.
        batch_size : int, default=None
            Number of starts that go through the matrix together. It affects time and memory, never
            the result. By default the method chooses it.

        Returns
        -------
        runs : Runs
            The labels, criteria and histories of all runs.
        """
        seeds = check_seeds(seeds)
        return self._fit(self._scaled(self._check(X))[0], seeds, batch_size=batch_size)

    def _check(self, X):
        """Check data and parameters, and return the data in the form that ``_prepare`` takes."""
        data = self._check_data(X)
        self._check_numbers(data)
        return data

    def _check_data(self, X):
        return check_matrix(X)

    def _scaled(self, data) -> tuple[Any, int]:
        """Return data whose squares and sums stay finite, see ``scale_``, and its logarithm."""
        if sparse.issparse(data):
            (A,), exponent = safely_scaled([data])
            return A, exponent
        # one on disk is left alone, because finding its largest entry means reading all of it
        return data.scaled() if hasattr(data, "scaled") else (data, 0)

    def _check_numbers(self, data) -> None:
        g = check_integer(self.n_clusters, "n_clusters", 1)
        check_integer(self.n_init, "n_init", 1)
        check_integer(self.max_iter, "max_iter", 1)
        if hasattr(self, "tol"):
            check_tol(self.tol)
        for side, size in self._sides(data):
            if g > size:
                raise RecocoError(
                    f"{g} clusters were requested of {size} {side}: "
                    f"request at most {size} or give more {side}."
                )

    def _sides(self, data) -> list[tuple[str, int]]:
        """Return what is clustered, and how many of it there are."""
        sides = [("rows", data.shape[0]), ("columns", data.shape[1])]
        return sides if self.two_sided else sides[:1]

    def _seed(self) -> int:
        state = self.random_state
        if state is None:
            return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
        if isinstance(state, np.random.Generator):
            return int(state.integers(2**63))
        if isinstance(state, np.random.RandomState):
            return int(state.randint(2**31))
        return check_integer(state, "random_state", 0)

    def _batch_size(self, data) -> int:
        return 32

    def _starts_per_run(self) -> int:
        return self.n_init

    def _label_dtype(self, data):
        return label_dtype(self.n_clusters)

    def _fit(self, data, seeds, init=None, batch_size=None) -> Runs:
        if init is not None:
            init = self._check_init(data, init)
        if batch_size is None:
            batch_size = self._batch_size(data)
        check_integer(batch_size, "batch_size", 1)
        n_init = 1 if init is not None else self._starts_per_run()
        pairs = [(run, start) for run in range(len(seeds)) for start in range(n_init)]
        problem = self._prepare(data)
        best = _Best(data.shape, len(seeds), self._label_dtype(data), self.larger_is_better)
        for first in range(0, len(pairs), batch_size):
            batch = pairs[first : first + batch_size]
            generators = [start_generator(seeds[run], start) for run, start in batch]
            best.take(batch, self._run(problem, generators, init))
        return best.runs


class _Best:
    """Keeps the best start of every run; the first one if several are equally good."""

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
        runs: Any = self.runs
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


class CoClusterer(Biclusters, Clusterer):
    """Base class of diagonal methods: co-cluster k consists of the rows and columns labelled k."""
