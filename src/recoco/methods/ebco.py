"""EBCO: ensemble block co-clustering."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from recoco.consensus.bases import number_clusters
from recoco.consensus.blocks import above, base_modularities, fuse
from recoco.core.errors import RecocoError
from recoco.methods.base import CoClusterer, Starts, label_dtype
from recoco.methods.checks import check_choice, check_integer
from recoco.methods.filled import Filled, without_empty

BASES = ("coclus", "dcc", "dcc-spherical", "croinfo", "spherical")
# The partial collections of section 6.5, by share of the largest modularity.
THRESHOLDS = (0.95, 0.9, 0.85, 0.8, 0.75, 0.5, 0.25)


@dataclass
class _Problem:
    filled: Filled
    numbers: list[int]  # of co-clusters of the bases
    tried: list[int]  # numbers of co-clusters tried on the consensus matrix


@dataclass(eq=False, repr=False, kw_only=True)
class EBCO(CoClusterer):
    """Ensemble block co-clustering: fuse base co-clusterings with different numbers of co-clusters.

    A run computes its own bases, one for each number of co-clusters, and looks for the block
    co-clustering closest to their mean (Algorithm 1). The n x d consensus matrix is never built,
    see :mod:`recoco.kernels.ebco`.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of co-clusters g; ignored with ``choose``.
    base : {"dcc", "dcc-spherical", "coclus", "croinfo", "spherical"}, default="dcc"
        Algorithm of the base co-clusterings, which the paper does not name: DCC from random
        starts or from spherical k-means, CoClus, CROINFO, or spherical k-means with each column
        where its mean weight is largest.
    smallest, largest : int, default=2 and 25
        Range of the numbers of co-clusters of the bases.
    base_init : int, default=1
        Number of starts of every base. The best one by its own criterion is used.
    threshold : float or None, default=None
        Option 1: use only bases whose modularity is at least this fraction of the largest one.
    modularity_of : {"X", "M"}, default="X"
        Matrix on which option 1 computes the modularity of the bases.
    choose : {"M", "X"} or None, default=None
        Option 2: the number of co-clusters, from 2 to ``most``, with the largest modularity on
        this matrix. ``details_["g_star"]`` is the result.
    most : int or None, default=None
        Largest number tried by option 2. None means ``largest``; the paper does not say.
    choose_init : int or None, default=None
        Number of starts on the consensus matrix for each number tried; the chosen number is then
        computed with ``consensus_init`` starts. None means ``consensus_init``.
    also : {"thresholds", "choice"} or None, default=None
        What else is computed from the same bases, as row partitions in ``details_``:
        "thresholds" is the consensus of each partial collection in the paper, "choice" that of
        the number of co-clusters chosen on the other matrix.
    consensus_init : int, default=10
        Number of starts on the consensus matrix.
    stochastic : int, default=70
        Number of iterations of each start on the consensus matrix in which column labels are
        drawn.
    n_init : int, default=1
        Number of ensembles per run; the paper uses one.
    max_iter : int, default=100
        Maximum number of iterations of the starts on the consensus matrix.
    tol : float, default=1e-6
        Tolerance of the starts on the consensus matrix, as in :class:`~recoco.methods.dcc.DCC`.
    random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        Trace(Ztilde' M Wtilde).
    criterion_history_ : ndarray
        The criterion after each iteration, up to the iteration that was kept.
    n_iter_ : int
        The iteration that was kept.
    details_ : dict
        ``g_star``: number of co-clusters; ``bases``: number of bases used; ``emptied``: clusters
        that became empty and were refilled, over all starts on M; ``empty_base``: base
        co-clusters with only rows or only columns; ``modularity``: on M; ``base_modularity`` and
        ``base_modularity_M``: of every base, on X and on M; ``base_at``: their numbers of
        co-clusters. With ``choose``, also ``tried`` and ``tried_M``: modularities of the numbers
        ``tried_at``. ``part_*``: see ``also``.
    row_labels_, column_labels_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    Because the updates (9) and (10) use old sizes, the criterion may decrease and a cluster may
    become empty: the best iterate is kept, and an empty cluster receives the row (column) with the
    lowest score. Empty rows and columns of the matrix are left out and labelled 0.

    References
    ----------
    S. Affeldt, L. Labiod, M. Nadif. Ensemble Block Co-clustering: A Unified Framework for Text
    Data. CIKM 2020, 5-14.

    Examples
    --------
    >>> from recoco import EBCO
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> EBCO(n_clusters=2, largest=4, random_state=0).fit(X).labels_.tolist()
    [1, 1, 0, 0]
    """

    name = "ebco"
    title = "EBCO"
    equation_notes = (
        "Algorithm 1: rows by argmax of M Wtilde D_z^-1/2 (eq. 9), columns by argmax of "
        "M' Ztilde D_w^-1/2 (eq. 10), M the mean of Ztilde_l Wtilde_l'; criterion: "
        "Trace(Ztilde' M Wtilde) (eq. 5); modularity on M: eq. 11."
    )

    base: str = "dcc"
    smallest: int = 2
    largest: int = 25
    base_init: int = 1
    threshold: float | None = None
    modularity_of: str = "X"
    choose: str | None = None
    most: int | None = None
    choose_init: int | None = None
    also: str | None = None
    consensus_init: int = 10
    stochastic: int = 70
    tol: float = 1e-6

    @property
    def expected_clusters(self) -> int | None:
        return None if self.choose else self.n_clusters

    def _shape(self) -> tuple[int, int]:
        chosen = int(self.details_["g_star"])
        return chosen, chosen

    def _batch_size(self, A):
        return 16

    def _prepare(self, A):
        check_ensemble(self)
        check_integer(self.consensus_init, "consensus_init", 1)
        check_integer(self.stochastic, "stochastic", 0)
        check_choice(self.modularity_of, "modularity_of", ("X", "M"))
        check_choice(self.choose, "choose", ("X", "M", None))
        if self.most is not None:
            check_integer(self.most, "most", 2)
        if self.choose_init is not None:
            check_integer(self.choose_init, "choose_init", 1)
        check_choice(self.also, "also", ("thresholds", "choice", None))
        if self.also and (self.also == "choice") != (self.choose is not None):
            raise RecocoError(
                f"also is {self.also!r} and choose is {self.choose!r}: ask for thresholds with a "
                "given number of co-clusters, for choice where it is chosen."
            )
        filled = without_empty(A, 1 if self.choose else self.n_clusters)
        numbers = base_numbers(filled.A, self.smallest, self.largest)
        if self.choose is None and self.n_clusters > numbers[-1]:
            raise RecocoError(
                f"{self.n_clusters} co-clusters were asked, but the largest base co-clustering "
                f"has {numbers[-1]}: raise largest or ask for fewer."
            )
        top = min(self.most or numbers[-1], numbers[-1])
        tried = list(range(min(2, top), top + 1))
        return _Problem(filled, numbers, tried if self.choose else [self.n_clusters])

    def _run(self, problem, generators, init):
        from recoco.metrics.coclusters import modularity

        A = problem.filled.A

        def on_data(z, w):
            return modularity(A, z, w)

        ensembles = make_bases(self, A, problem.numbers, generators)
        found, details = [], []
        for rng, bases in zip(generators, ensembles, strict=True):
            on_X, on_M = base_modularities(bases, on_data), base_modularities(bases)
            told = {
                "empty_base": bases.n_empty,
                "base_at": problem.numbers,
                "base_modularity": on_X,
                "base_modularity_M": on_M,
            }
            judged = on_X if self.modularity_of == "X" else on_M
            used = bases
            if self.threshold is not None:
                used = bases.select(above(judged, self.threshold))
            if self.choose is None:
                result = self._fuse(used, rng, self.n_clusters)
            else:
                result, more = self._choose(problem, used, rng, on_data)
                told |= more
            if self.also == "thresholds":
                told |= self._partial(problem, bases, judged, rng)
            told |= {
                "g_star": result.n_clusters,
                "bases": used.by_row.shape[1],
                "emptied": result.emptied,
                "modularity": result.modularity,
            }
            found.append(result)
            details.append(told)
        dtype = label_dtype(problem.numbers[-1])
        rows, columns = problem.filled.spread(
            np.array([result.row_labels for result in found], dtype),
            np.array([result.column_labels for result in found], dtype),
        )
        histories = [result.history for result in found]
        merged = {name: np.array([told[name] for told in details]) for name in details[0]}
        return Starts.from_histories(rows, columns, histories, details=merged)

    def _fuse(self, bases, rng, g, n_init=None):
        n_init = n_init or self.consensus_init
        return fuse(bases, rng, [g], n_init, self.max_iter, self.stochastic, self.tol)

    def _choose(self, problem, bases, rng, on_data):
        """Option 2: return the consensus with the largest modularity, and what was tried.

        The smallest number wins a tie.
        """
        tries = [self._fuse(bases, rng, g, self.choose_init) for g in problem.tried]
        tried = {
            "X": np.array([on_data(t.row_labels, t.column_labels) for t in tries]),
            "M": np.array([t.modularity for t in tries]),
        }
        best: dict[str | None, int] = {
            matrix: int(values.argmax()) for matrix, values in tried.items()
        }

        def finished(place):
            if self.choose_init in (None, self.consensus_init):
                return tries[place]
            return self._fuse(bases, rng, problem.tried[place])

        result = finished(best[self.choose])
        told = {"tried_at": problem.tried, "tried": tried["X"], "tried_M": tried["M"]}
        if self.also == "choice":
            other = best["X" if self.choose == "M" else "M"]
            same = other == best[self.choose]
            labels = (result if same else finished(other)).row_labels
            told["part_other"] = _all_rows(problem.filled, labels)
        return result, told

    def _partial(self, problem, bases, judged, rng):
        """Return the consensus of every partial collection, and which bases belong to it."""
        labels, kept = [], []
        for threshold in THRESHOLDS:
            kept.append(above(judged, threshold))
            result = self._fuse(bases.select(kept[-1]), rng, self.n_clusters)
            labels.append(_all_rows(problem.filled, result.row_labels))
        return {
            "threshold_at": THRESHOLDS,
            "threshold_bases": [numbers.size for numbers in kept],
            "threshold_smallest": [problem.numbers[numbers[0]] for numbers in kept],
            "threshold_largest": [problem.numbers[numbers[-1]] for numbers in kept],
            "part_threshold": labels,
        }


def _all_rows(filled: Filled, labels) -> np.ndarray:
    """Return labels for all rows of the matrix; empty rows get label 0."""
    rows = np.zeros(filled.shape[0], np.uint8 if labels.max() < 256 else np.int32)
    rows[filled.rows] = labels
    return rows


def base_numbers(A: Any, smallest: int, largest: int) -> list[int]:
    """Return the numbers of co-clusters of the bases, at most the number of rows or columns."""
    top = min(largest, *A.shape)
    return list(range(min(smallest, top), top + 1))


def check_ensemble(model: Any) -> None:
    """Check the parameters that control the bases."""
    check_choice(model.base, "base", BASES)
    check_integer(model.smallest, "smallest", 1)
    check_integer(model.largest, "largest", model.smallest)
    check_integer(model.base_init, "base_init", 1)


def make_bases(model: Any, A: Any, numbers: Any, generators: Any) -> list:
    """Return the base co-clusterings of every generator: a list of :class:`Bases`.

    Bases with the same number of co-clusters are computed together for all generators. Each has
    its own seed, so an ensemble does not depend on the others.
    """
    seeds = [rng.integers(2**63, size=len(numbers)) for rng in generators]
    partitions: list[tuple[list, list]] = [([], []) for _ in generators]
    for place, g in enumerate(numbers):
        rows, columns = _base_labels(model, A, g, [int(own[place]) for own in seeds])
        for (z, w), new_z, new_w in zip(partitions, rows, columns, strict=True):
            z.append(new_z)
            w.append(new_w)
    return [number_clusters(z, w) for z, w in partitions]


def _base_labels(model, A, g, seeds):
    from recoco.methods.dcc import heaviest_columns

    if model.base == "spherical":
        from recoco.methods.spherical import SphericalKMeans

        runs = SphericalKMeans(n_clusters=g, n_init=model.base_init).fit_runs(A, seeds)
        return runs.row_labels, [heaviest_columns(A, z, g) for z in runs.row_labels]
    from recoco.methods.coclus import CoClus
    from recoco.methods.croinfo import CROINFO
    from recoco.methods.dcc import DCC

    method = {
        "coclus": CoClus(),
        "dcc": DCC(),
        "dcc-spherical": DCC(start="spherical"),
        "croinfo": CROINFO(),
    }[model.base]
    runs = method.set_params(n_clusters=g, n_init=model.base_init).fit_runs(A, seeds)
    return runs.row_labels, runs.column_labels
