"""tau-CoClust and CoStar: co-clustering by Goodman and Kruskal's tau, no number of clusters."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.kernels.costar_state import Data
from recoco.methods.base import start_generator
from recoco.methods.checks import check_choice, check_integer
from recoco.methods.costar_search import STEPS_PER_CALL, Search
from recoco.methods.multiview import MultiViewClusterer, Views

# maximum bytes of the initial tables, where every object and every feature is a cluster
MOST_BYTES = 8e9


@dataclass
class _Problem:
    """What the starts have in common.

    ``kept`` are the columns that take part, ``size`` is max(m, N).
    """

    views: Views
    kept: np.ndarray
    search: Search
    size: int


@dataclass(eq=False, repr=False)
class CoStar(MultiViewClusterer):
    """Maximise tau_X|Y and every tau_Yk|X by moving single objects and features.

    Starting from clusters of one element each, an iteration draws a cluster of objects and one of
    its objects, and moves the object to the cluster, or to a new one, for which tau_X|Y is
    largest; it then does the same for one feature of every view and tau_Yk|X. The other taus
    break ties (Algorithms 3 and 5); if the tie persists, the element stays where it is. The
    numbers of clusters are a result.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Ignored; present because all methods have it.
    n_init : int, default=1
        Number of starts per run. The one with the largest tau_X|Y is kept. More than one is not
        advisable: tau rises as clusters merge.
    max_iter : int or None, default=None
        Number of iterations. None is the rule of the paper, N_iter = 10 max(m, N), for m objects
        and N features.
    features : {"sum", "largest"}, default="sum"
        What N counts in that rule: the features of all views (Section 4.3) or those of the
        largest view (as in Section 5.4, where two views of 1000 features had 10000 iterations).
    empty : {"keep", "drop"}, default="keep"
        Features without entries change no tau, so each stays alone in its cluster. Those that are
        kept use up iterations, because the cluster is drawn first. Those that are dropped take no
        part, do not count in N, and are labelled as one additional cluster.
    patience : float or None, default=None
        Stop when patience * max(m, N) consecutive iterations have moved nothing. The paper
        mentions such a rule but does not use it. It is checked only when taus are recorded, so a
        run may continue a little longer.
    record : int, default=100
        Number of evenly spaced iterations at which the taus are recorded.
    random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        tau_X|Y; 0 for a single cluster.
    criterion_history_ : ndarray
        tau_X|Y at the recorded iterations.
    details_ : dict
        ``taus`` (tau_X|Y, tau_Y1|X, ...), ``row_clusters``, ``column_clusters`` of each view,
        ``last_move`` (the last iteration that moved something) and ``converged`` (whether
        ``patience`` ended the run).
    row_labels_, column_labels_, view_labels_, n_iter_
        See :class:`~recoco.methods.multiview.MultiViewClusterer`.

    References
    ----------
    D. Ienco, C. Robardet, R. G. Pensa, R. Meo. Parameter-less co-clustering for star-structured
    heterogeneous data. Data Mining and Knowledge Discovery 26, 2013, 217-254.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import CoStar
    >>> X = np.kron(np.eye(2), np.full((3, 3), 9)) + 1
    >>> CoStar(random_state=0).fit([X, X]).labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    """

    name = "costar"
    title = "CoStar"
    equation_notes = (
        "Algorithms 1 to 5 with the increments of Section 4.3 (mu, not mu_j, in the denominators "
        "of the change of tau_Yk|X); criterion: tau_X|Y, eq. 4. Algorithm 3 drops x_j where "
        "nb_i >= nb_j; Algorithm 5, lost in print, compares tau_X|Y."
    )
    warm_params: ClassVar = {"max_iter": STEPS_PER_CALL}

    n_clusters: int | None = None  # type: ignore[assignment]
    _: KW_ONLY
    max_iter: int | None = None  # type: ignore[assignment]
    features: str = "sum"
    empty: str = "keep"
    patience: float | None = None
    record: int = 100

    @property
    def expected_clusters(self) -> int | None:
        return None

    def _check_numbers(self, views: Views) -> None:
        check_integer(self.n_init, "n_init", 1)
        if self.max_iter is not None:
            check_integer(self.max_iter, "max_iter", 1)
        check_integer(self.record, "record", 1)
        check_choice(self.features, "features", ("sum", "largest"))
        check_choice(self.empty, "empty", ("keep", "drop"))
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
        data = Data(
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

    def _one(self, problem: _Problem, rng):
        """Compute one start; return labels, tau_X|Y at the recorded iterations, and details."""
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
            view[:] = count  # an additional cluster for the features that take no part
        columns[problem.kept] = labels[1]
        return labels[0], columns, np.array(history), search.done, details


class TauCoClust(CoStar):
    """CoStar with a single view: maximise tau_X|Y and tau_Y|X.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Ignored; present because all methods have it.
    n_init, max_iter, features, empty, patience, record, random_state
        See :class:`CoStar`.

    Attributes
    ----------
    row_labels_, column_labels_, criterion_, criterion_history_, n_iter_, details_
        See :class:`CoStar`.

    References
    ----------
    C. Robardet, F. Feschet. Efficient local search in conceptual clustering. Discovery Science
    2001, 323-335; as described by Ienco et al. 2013, Section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import TauCoClust
    >>> X = np.kron(np.eye(2), np.full((3, 3), 9)) + 1
    >>> TauCoClust(random_state=0).fit(X).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    name = "tau-coclust"
    title = "tau-CoClust"
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


def trajectory(X: Any, seed: int, iterations: int, every: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Follow the taus of one start of CoStar from iteration to iteration.

    Parameters
    ----------
    X : list of array-like or sparse matrices
        The views, see :meth:`CoStar.fit`.
    seed : int
        Seed of a run, of which the first start is followed.
    iterations : int
        Number of iterations.
    every : int, default=1
        Number of iterations between two records.

    Returns
    -------
    at : ndarray of int64
        The recorded iterations, from 0 (clusters of one element each).
    taus : ndarray of float64, shape (len(at), N + 1)
        tau_X|Y, tau_Y1|X, ..., tau_YN|X.
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
