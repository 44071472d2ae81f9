"""MultiNMF: a factorisation of every view, drawn towards common memberships."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from recoco.errors import RecocoError
from recoco.graph_weightings import graphs_of
from recoco.methods.base import Starts, check_integer, check_tol, sum_of_squares
from recoco.methods.block_engine import multiply
from recoco.methods.multiview import MultiViewClusterer, Views
from recoco.methods.spectral import _cluster_points

LABELS = ("kmeans", "argmax")


@dataclass
class _Problem:
    """The views, each with entries that sum to 1, both ways, and their squared norms."""

    views: Views
    X: list[sparse.csr_matrix]
    Xt: list[sparse.csr_matrix]
    norms: list[float]
    lam: list[float]


class MultiNMF(MultiViewClusterer):
    """Minimise sum_v ||X_v - V_v U_v'||^2 + lam_v ||V_v Q_v - V*||^2 over non-negative factors.

    X_v has a row for each object and entries that sum to 1; Q_v holds the column sums of U_v, by
    which the views are made comparable. In turn, every view gets multiplicative updates of U_v
    and V_v, and V* becomes the mean of the V_v Q_v, weighted by lam_v.

    The first view starts at random, every other from the memberships of the one before it, each
    with ``inner_iter`` updates without V*: else the columns of the views would not match.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of all factors.
    n_init : int
        Starts per run; the one with the least loss is kept.
    max_iter : int
        Largest number of updates of V*.
    inner_iter : int
        Updates of the factors of every view between two of V*.
    tol : float
        A start ends when its loss falls by no more than this share of itself.
    lam : float or list of float
        Weight of the agreement with V*, of all views or of each.
    labels : {"kmeans", "argmax"}
        Cluster of an object: by k-means on the rows of V*, or its largest entry. The paper
        names both.
    kmeans_init : int
        Seedings of k-means (k-means++), of which the best is kept.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_ : array of int
    column_labels_, view_labels_ : arrays of int, the largest entry of each feature in U_v
    criterion_ : float, the loss
    criterion_history_ : array, the same after each update of V*, never increasing
    n_iter_ : int

    References
    ----------
    J. Liu, C. Wang, J. Gao, J. Han. Multi-view clustering via joint nonnegative matrix
    factorization. SDM 2013, 252-260.
    """

    name = "multinmf"
    title = "MultiNMF"
    reference = (
        "J. Liu, C. Wang, J. Gao, J. Han. Multi-view clustering via joint nonnegative matrix "
        "factorization. SDM 2013."
    )
    equation_notes = (
        "U <- U . (X' V + lam 1 (sum_j V_j V*_j)) / (U V' V + lam 1 (sum_m U_m sum_j V_j^2)); "
        "U <- U Q^-1, V <- V Q; V <- V . (X U + lam V*) / (V U' U + lam V); "
        "V* = sum_v lam_v V_v Q_v / sum_v lam_v."
    )
    larger_is_better = False
    monotone = True

    def __init__(
        self,
        n_clusters=2,
        n_init=1,
        max_iter=50,
        inner_iter=10,
        tol=1e-5,
        lam=0.01,
        labels="kmeans",
        kmeans_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.inner_iter = inner_iter
        self.tol = tol
        self.lam = lam
        self.labels = labels
        self.kmeans_init = kmeans_init
        self.random_state = random_state

    @classmethod
    def graphs_of(cls, dataset, weighting: str) -> list:
        """Return the views of a prepared dataset; features may have to be made non-negative."""
        return graphs_of(dataset, weighting)

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return n_init * 400 * n_clusters * (3e-9 * nnz + 1e-8 * (n + d))

    def _widths(self, views):
        # every feature belongs to one of the columns of U_v
        return [self.n_clusters] * len(views.widths)

    def _check_clusters(self, views):
        super()._check_clusters(views)
        check_integer(self.max_iter, "max_iter", 1)
        check_integer(self.inner_iter, "inner_iter", 1)
        check_integer(self.kmeans_init, "kmeans_init", 1)
        check_tol(self.tol)
        if self.labels not in LABELS:
            raise RecocoError(f"labels is {self.labels!r}: give one of {', '.join(LABELS)}.")
        self._weights(views)

    def _weights(self, views) -> list[float]:
        several = isinstance(self.lam, list | tuple)
        lam = list(self.lam) if several else [self.lam] * len(views.widths)
        if len(lam) != len(views.widths):
            raise RecocoError(
                f"lam has {len(lam)} numbers for {len(views.widths)} views: "
                "give one for each view, or one for all."
            )
        for value in lam:
            if not isinstance(value, Real) or not 0 < value < np.inf:
                raise RecocoError(f"lam is {value!r}: give a number above 0, such as 0.01.")
        return [float(value) for value in lam]

    def _prepare(self, views: Views) -> _Problem:
        X = [matrix / matrix.sum() for matrix in views.matrices]
        norms = [sum_of_squares(A.data) for A in X]
        return _Problem(views, X, [A.T.tocsr() for A in X], norms, self._weights(views))

    def _run(self, problem, generators, init):
        # one thread: sums of a threaded BLAS depend on the number of threads
        with threadpool_limits(1):
            parts = [self._one(problem, rng) for rng in generators]
        rows, columns, histories = zip(*parts, strict=True)
        return Starts(
            np.array(rows),
            np.array(columns),
            np.array([history[-1] for history in histories]),
            np.array([len(history) for history in histories], np.int32),
            list(histories),
        )

    def _one(self, problem: _Problem, rng):
        U, V = self._start(problem, rng)
        total = sum(problem.lam)
        consensus = sum(lam * V_v for lam, V_v in zip(problem.lam, V, strict=True)) / total
        history: list[float] = []
        for _ in range(self.max_iter):
            for v, lam in enumerate(problem.lam):
                for _ in range(self.inner_iter):
                    _update(problem.X[v], problem.Xt[v], U[v], V[v], lam, consensus)
            consensus = sum(lam * V_v for lam, V_v in zip(problem.lam, V, strict=True)) / total
            history.append(_loss(problem, U, V, consensus))
            if len(history) > 1 and history[-2] - history[-1] <= self.tol * abs(history[-2]):
                break
        columns = [U_v.argmax(axis=1) for U_v in U]
        return self._clusters(consensus, rng), np.concatenate(columns), np.array(history)

    def _start(self, problem: _Problem, rng):
        n, g = problem.views.shape[0], self.n_clusters
        U, V = [], []
        memberships = rng.random((n, g))
        for X, Xt, width in zip(problem.X, problem.Xt, problem.views.widths, strict=True):
            U.append(rng.random((width, g)))
            V.append(memberships.copy())
            for _ in range(self.inner_iter):
                _update(X, Xt, U[-1], V[-1], 0.0, memberships)
            memberships = V[-1]
        return U, V

    def _clusters(self, consensus, rng):
        if self.labels == "argmax":
            return consensus.argmax(axis=1)
        points = np.ascontiguousarray(consensus)
        tol = 1e-4 * float(points.var(axis=0).mean())
        return _cluster_points(points, self.n_clusters, [rng], self.kmeans_init, 300, tol)[0][0]


def _update(X, Xt, U, V, lam: float, consensus) -> None:
    """Update U, bring its columns to sum 1, update V: all in place."""
    from recoco.kernels.multinmf import update_features, update_memberships

    update_features(U, V, multiply(Xt, V, False), U @ (V.T @ V), lam, consensus)
    update_memberships(V, multiply(X, U, False), V @ (U.T @ U), lam, consensus)


def _loss(problem: _Problem, U, V, consensus) -> float:
    loss = 0.0
    for v, lam in enumerate(problem.lam):
        fit = (U[v].T @ U[v]) * (V[v].T @ V[v])
        XU = multiply(problem.X[v], U[v], False)
        loss += problem.norms[v] + fit.sum() - 2.0 * (XU * V[v]).sum()
        loss += lam * ((V[v] - consensus) ** 2).sum()
    return float(loss)
