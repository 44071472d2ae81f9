"""EBCO: ensemble block co-clustering."""

from dataclasses import dataclass

import numpy as np

from recoco.consensus.bases import number_clusters
from recoco.consensus.blocks import above, base_modularities, fuse
from recoco.errors import RecocoError
from recoco.methods.base import CoClusterer, Starts, check_integer, label_dtype
from recoco.methods.filled import Filled, without_empty
from recoco.schema import nearest

BASES = ("coclus", "dcc", "dcc-spherical", "croinfo", "spherical")
# The partial collections of section 6.5, by share of the largest modularity.
THRESHOLDS = (0.95, 0.9, 0.85, 0.8, 0.75, 0.5, 0.25)


@dataclass
class _Problem:
    filled: Filled
    numbers: list[int]  # of co-clusters of the bases
    tried: list[int]  # numbers of co-clusters tried on the consensus matrix


class EBCO(CoClusterer):
    """A co-clustering fused from base co-clusterings of 2 to 25 co-clusters.

    A run makes its own bases, one for each number of co-clusters, and looks for the block
    co-clustering nearest to their mean (Algorithm 1). The n x d consensus matrix is never
    formed: see :mod:`recoco.kernels.ebco`.

    Parameters
    ----------
    n_clusters : int
        Number of co-clusters g; with ``choose`` it is not used.
    base : {"dcc", "dcc-spherical", "coclus", "croinfo", "spherical"}
        The algorithm of the base co-clusterings, which the paper does not name: DCC from random
        starts or from spherical k-means, CoClus, CROINFO, or spherical k-means with columns put
        where their mean weight is largest.
    smallest, largest : int
        Numbers of co-clusters of the bases.
    base_init : int
        Starts of every base; the best one by its own criterion is used.
    threshold : float or None
        Option 1: use only bases whose modularity is at least this share of the largest.
    modularity_of : {"X", "M"}
        The matrix on which option 1 takes the modularity of the bases.
    choose : {None, "M", "X"}
        Option 2: the number of co-clusters from 2 to ``most`` with the largest modularity on
        this matrix; ``details_["g_star"]`` says which.
    most : int or None
        Largest number tried by option 2; None is ``largest``. The paper does not say.
    choose_init : int or None
        Starts on the consensus matrix for each number tried; the chosen one is then done with
        ``consensus_init``. None is ``consensus_init``.
    also : {None, "thresholds", "choice"}
        What else is made of the same bases, as partitions of the rows in ``details_``:
        "thresholds" the consensus of each of the paper's partial collections, "choice" that of
        the number of co-clusters chosen on the other matrix.
    consensus_init, stochastic : int
        Starts on the consensus matrix, and iterations of each in which columns are drawn.
    n_init : int
        Whole ensembles per run; the paper has one.
    max_iter, tol : int, float
        Of the starts on the consensus matrix.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    criterion_ : float, Trace(Ztilde' M Wtilde)
    criterion_history_ : array, the criterion after each iteration up to the one kept
    n_iter_ : int, iterations up to the one kept
    details_ : dict; ``g_star`` number of co-clusters, ``bases`` number of bases used,
        ``emptied`` clusters that became empty and were refilled, over all starts on M,
        ``empty_base`` base co-clusters with only rows or only columns, ``modularity`` on M,
        ``base_modularity`` and ``base_modularity_M`` of every base on the matrix and on M,
        ``base_at`` their numbers of co-clusters; with ``choose`` also ``tried`` and
        ``tried_M``, modularities of the numbers ``tried_at``; ``part_*`` as ``also`` says

    Notes
    -----
    The updates (9) and (10) use old sizes, so the criterion may fall and a cluster may become
    empty: the best iterate is kept and an empty cluster is given the row (column) of least
    score. Empty rows and columns of the matrix take no part and are labelled 0.

    References
    ----------
    S. Affeldt, L. Labiod, M. Nadif. Ensemble Block Co-clustering: A Unified Framework for Text
    Data. CIKM 2020, 5-14.
    """

    name = "ebco"
    title = "EBCO"
    reference = (
        "S. Affeldt, L. Labiod, M. Nadif. Ensemble Block Co-clustering: A Unified Framework for "
        "Text Data. CIKM 2020."
    )
    equation_notes = (
        "Algorithm 1: rows by argmax of M Wtilde D_z^-1/2 (eq. 9), columns by argmax of "
        "M' Ztilde D_w^-1/2 (eq. 10), M the mean of Ztilde_l Wtilde_l'; criterion: "
        "Trace(Ztilde' M Wtilde) (eq. 5); modularity on M: eq. 11."
    )

    def __init__(
        self,
        n_clusters=2,
        base="dcc",
        smallest=2,
        largest=25,
        base_init=1,
        threshold=None,
        modularity_of="X",
        choose=None,
        most=None,
        choose_init=None,
        also=None,
        consensus_init=10,
        stochastic=70,
        n_init=1,
        max_iter=100,
        tol=1e-6,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.base = base
        self.smallest = smallest
        self.largest = largest
        self.base_init = base_init
        self.threshold = threshold
        self.modularity_of = modularity_of
        self.choose = choose
        self.most = most
        self.choose_init = choose_init
        self.also = also
        self.consensus_init = consensus_init
        self.stochastic = stochastic
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @property
    def expected_clusters(self):
        return None if self.choose else self.n_clusters

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        # 24 bases of 100 iterations, then 10 starts of 100 iterations on 24 labels per line,
        # once or for several collections or numbers of co-clusters
        return n_init * (1 + 1.7e-5 * nnz + 4e-4 * (n + d))

    @property
    def rows_(self):
        g = int(self.details_["g_star"])
        return self.row_labels_[None] == np.arange(g)[:, None]

    @property
    def columns_(self):
        g = int(self.details_["g_star"])
        return self.column_labels_[None] == np.arange(g)[:, None]

    def _batch_size(self, A):
        return 16

    def _prepare(self, A):
        check_ensemble(self)
        check_integer(self.consensus_init, "consensus_init", 1)
        check_integer(self.stochastic, "stochastic", 0)
        if self.modularity_of not in ("X", "M"):
            raise RecocoError(f"modularity_of is {self.modularity_of!r}: use X or M.")
        if self.choose not in (None, "X", "M"):
            raise RecocoError(f"choose is {self.choose!r}: use X, M or None.")
        if self.most is not None:
            check_integer(self.most, "most", 2)
        if self.choose_init is not None:
            check_integer(self.choose_init, "choose_init", 1)
        if self.also not in (None, "thresholds", "choice"):
            raise RecocoError(f"also is {self.also!r}: use thresholds, choice or None.")
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
        return Starts(
            rows,
            columns,
            np.array([result.criterion for result in found]),
            np.array([history.size for history in histories], np.int32),
            histories,
            {name: np.array([told[name] for told in details]) for name in details[0]},
        )

    def _fuse(self, bases, rng, g, n_init=None):
        n_init = n_init or self.consensus_init
        return fuse(bases, rng, [g], n_init, self.max_iter, self.stochastic, self.tol)

    def _choose(self, problem, bases, rng, on_data):
        """Option 2: the consensus of the number with the largest modularity, and what was tried.

        Of equal modularities the smallest number is chosen.
        """
        tries = [self._fuse(bases, rng, g, self.choose_init) for g in problem.tried]
        tried = {
            "X": np.array([on_data(t.row_labels, t.column_labels) for t in tries]),
            "M": np.array([t.modularity for t in tries]),
        }
        best = {matrix: int(values.argmax()) for matrix, values in tried.items()}

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
        """The consensus of every partial collection, and which bases are in it."""
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
    """Labels of the rows of the whole matrix; what is empty gets label 0."""
    rows = np.zeros(filled.shape[0], np.uint8 if labels.max() < 256 else np.int32)
    rows[filled.rows] = labels
    return rows


def base_numbers(A, smallest: int, largest: int) -> list[int]:
    """Numbers of co-clusters of the bases: no more than there are rows or columns."""
    top = min(largest, *A.shape)
    return list(range(min(smallest, top), top + 1))


def check_ensemble(model) -> None:
    """Check the parameters that say how the bases are made."""
    if model.base not in BASES:
        raise RecocoError(f"Unknown base {model.base!r}: {nearest(str(model.base), BASES)}")
    check_integer(model.smallest, "smallest", 1)
    check_integer(model.largest, "largest", model.smallest)
    check_integer(model.base_init, "base_init", 1)


def make_bases(model, A, numbers, generators):
    """Make the base co-clusterings of every generator: a list of :class:`Bases`.

    Bases of one size are made together for all generators; each has a seed of its own, so
    that an ensemble does not depend on the others.
    """
    seeds = [rng.integers(2**63, size=len(numbers)) for rng in generators]
    partitions = [([], []) for _ in generators]
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
