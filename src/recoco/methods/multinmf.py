"""MultiNMF: a factorisation of every view, regularised towards common memberships."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.graph_weightings import graphs_of
from recoco.methods.base import sum_of_squares
from recoco.methods.block_engine import multiply
from recoco.methods.checks import check_choice, check_integer
from recoco.methods.multiview import MultiViewClusterer, Views
from recoco.methods.spectral import _cluster_points

LABELS = ("kmeans", "argmax")


@dataclass
class _Problem:
    """The views, each with entries that sum to 1, with their transposes and squared norms."""

    views: Views
    X: list[sparse.csr_matrix]
    Xt: list[sparse.csr_matrix]
    norms: list[float]
    lam: list[float]


@dataclass(eq=False, repr=False, kw_only=True)
class MultiNMF(MultiViewClusterer):
    """Minimise sum_v ||X_v - V_v U_v'||^2 + lam_v ||V_v Q_v - V*||^2 over non-negative factors.

    X_v has a row per object and entries that sum to 1. Q_v contains the column sums of U_v, which
    make the views comparable. In turn, U_v and V_v of every view get multiplicative updates, and V*
    becomes the mean of the V_v Q_v, weighted by lam_v.

    The first view starts at random, every other one from the memberships of the view before it,
    each with ``inner_iter`` updates without V*; otherwise the columns of the views would not match.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, and of columns of all factors.
    max_iter : int, default=50
        Maximum number of updates of V*.
    inner_iter : int, default=10
        Number of updates of the factors of every view between two updates of V*.
    tol : float, default=1e-5
        A start ends when its loss decreases by no more than this fraction of itself.
    lam : float or list of float, default=0.01
        Weight of the agreement with V*, for all views or for each.
    labels : {"kmeans", "argmax"}, default="kmeans"
        Cluster of an object: by k-means on the rows of V*, or by its largest entry. The paper
        mentions both.
    kmeans_init : int, default=10
        Number of seedings of k-means (k-means++). The best one is kept.
    n_init, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    column_labels_ : ndarray of shape (d,)
        Largest entry of each feature in U_v, the views one after the other.
    view_labels_ : list of ndarray
        The same, split into views.
    criterion_ : float
        The loss.
    criterion_history_ : ndarray
        The loss after each update of V*; it never increases.
    n_iter_ : int
        Number of updates of V* of the start that was kept.
    row_labels_
        See :class:`~recoco.methods.base.Clusterer`.

    References
    ----------
    J. Liu, C. Wang, J. Gao, J. Han. Multi-view clustering via joint nonnegative matrix
    factorization. SDM 2013, 252-260.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import MultiNMF
    >>> X = np.kron(np.eye(2), np.full((3, 3), 9)) + 1
    >>> MultiNMF(n_clusters=2, n_init=5, random_state=0).fit([X, X]).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    name = "multinmf"
    title = "MultiNMF"
    equation_notes = (
        "U <- U . (X' V + lam 1 (sum_j V_j V*_j)) / (U V' V + lam 1 (sum_m U_m sum_j V_j^2)); "
        "U <- U Q^-1, V <- V Q; V <- V . (X U + lam V*) / (V U' U + lam V); "
        "V* = sum_v lam_v V_v Q_v / sum_v lam_v."
    )
    larger_is_better = False
    monotone = True

    max_iter: int = 50
    inner_iter: int = 10
    tol: float = 1e-5
    lam: float | list[float] = 0.01
    labels: str = "kmeans"
    kmeans_init: int = 10

    @classmethod
    def graphs_of(cls, dataset: Any, weighting: str) -> list:
        """Return the views of a prepared dataset, with features made non-negative if necessary."""
        return graphs_of(dataset, weighting)

    def _widths(self, views):
        # every feature belongs to a column of U_v
        return [self.n_clusters] * len(views.widths)

    def _check_numbers(self, views):
        super()._check_numbers(views)
        check_integer(self.inner_iter, "inner_iter", 1)
        check_integer(self.kmeans_init, "kmeans_init", 1)
        check_choice(self.labels, "labels", LABELS)
        self._weights(views)

    def _weights(self, views) -> list[float]:
        several = isinstance(self.lam, list | tuple)
        lam: list = list(self.lam) if several else [self.lam] * len(views.widths)  # type: ignore[arg-type]
        if len(lam) != len(views.widths):
            raise RecocoError(
                f"lam has {len(lam)} numbers for {len(views.widths)} views: "
                "give one for each view, or one for all."
            )
        value: float
        for value in lam:
            if not isinstance(value, Real) or not 0 < value < np.inf:
                raise RecocoError(f"lam is {value!r}: give a number above 0, such as 0.01.")
        return [float(value) for value in lam]

    def _prepare(self, views: Views) -> _Problem:
        X = [matrix / matrix.sum() for matrix in views.matrices]
        norms = [sum_of_squares(A.data) for A in X]
        return _Problem(views, X, [A.T.tocsr() for A in X], norms, self._weights(views))

    def _one(self, problem: _Problem, rng):
        U, V = self._start(problem, rng)
        total = sum(problem.lam)
        consensus = sum(lam * V_v for lam, V_v in zip(problem.lam, V, strict=True)) / total
        history: list[float] = []
        for _ in range(self.max_iter):
            for v, lam in enumerate(problem.lam):
                for _ in range(self.inner_iter):
                    _update(problem.X[v], problem.Xt[v], U[v], V[v], lam, consensus)
            # eq. consensus
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
    """Update U, scale its columns to sum 1, and update V, all in place."""
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
