"""Non-negative tri-factorisation of several views with common object memberships."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from recoco.methods.base import Starts, check_integer, check_tol, sum_of_squares
from recoco.methods.multiview import MultiViewClusterer, Views, view_scales

# keeps denominators above 0; a factor that is 0 stays 0
TINY = 1e-300


@dataclass
class _Problem:
    """The weighted relations, both ways, and the sum of their squared norms."""

    views: Views
    relations: list[sparse.csr_matrix]
    transposed: list[sparse.csr_matrix]
    norm: float
    widths: list[int]


class MultiViewNMF(MultiViewClusterer):
    """Minimise sum_k w_k ||R_k - Z S_k W_k'||^2 over non-negative factors.

    The co-clustering of star-structured data of Chen, Wang and Dong without constraints, so
    without their learning of distances: multiplicative updates of Z (objects), then of W_k and
    S_k of every view. The cluster of an object is its largest membership in Z, each column
    weighted by what it carries.

    Parameters
    ----------
    n_clusters : int
        Number of object clusters.
    n_column_clusters : int, list of int or None
        Number of feature clusters, of all views or of each. None, the default, is n_clusters
        (or the number of features, if smaller); the CoStar paper does not say what it took.
    n_init : int
        Starts per run; the one with the least loss is kept.
    max_iter : int
        Largest number of iterations.
    tol : float
        A start ends when its loss falls by no more than this share of itself.
    weights : {"one", "norm"}
        w_k = 1, or 1 / ||R_k||^2 so that no view outweighs the others by its scale.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_, view_labels_ : arrays of int
    criterion_ : float, half the loss
    criterion_history_ : array, the same after each iteration, never increasing
    n_iter_ : int

    References
    ----------
    Y. Chen, L. Wang, M. Dong. Non-negative matrix factorization for semisupervised
    heterogeneous data coclustering. IEEE TKDE 22, 2010, 1459-1474.
    Y. Chen, L. Wang, M. Dong. Semi-supervised document clustering with simultaneous text
    representation and categorization. ECML PKDD 2009, 211-226.
    """

    name = "nmf-views"
    title = "NMF, several views"
    reference = (
        "Y. Chen, L. Wang, M. Dong. Non-negative matrix factorization for semisupervised "
        "heterogeneous data coclustering. IEEE TKDE 22, 2010; without constraints."
    )
    equation_notes = (
        "Z <- Z . (sum_k R_k W_k S_k') / (Z sum_k S_k W_k' W_k S_k'), W_k <- W_k . (R_k' Z S_k) / "
        "(W_k S_k' Z' Z S_k), S_k <- S_k . (Z' R_k W_k) / (Z' Z S_k W_k' W_k)."
    )
    larger_is_better = False
    monotone = True

    def __init__(
        self,
        n_clusters=2,
        n_column_clusters=None,
        n_init=1,
        max_iter=200,
        tol=1e-5,
        weights="one",
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_column_clusters = n_column_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return n_init * 150 * n_clusters * (3e-9 * nnz + 1e-8 * (n + d))

    def _check_clusters(self, views):
        super()._check_clusters(views)
        check_integer(self.max_iter, "max_iter", 1)
        check_tol(self.tol)

    def _prepare(self, views: Views) -> _Problem:
        scales = view_scales(views, self.weights)
        relations = [scale * matrix for scale, matrix in zip(scales, views.matrices, strict=True)]
        norm = sum(sum_of_squares(relation.data) for relation in relations)
        transposed = [relation.T.tocsr() for relation in relations]
        return _Problem(views, relations, transposed, norm, self._widths(views))

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
        g, widths = self.n_clusters, problem.widths
        n = problem.views.shape[0]
        Z = rng.random((n, g))
        W = [rng.random((d, m)) for d, m in zip(problem.views.widths, widths, strict=True)]
        S = [rng.random((g, m)) for m in widths]
        for k, relation in enumerate(problem.relations):
            # to the scale of the data, so that no factor has to travel far
            S[k] *= relation.sum() / ((Z.sum(axis=0) @ S[k]) @ W[k].sum(axis=0))
        history: list[float] = []
        for _ in range(self.max_iter):
            loss = self._iterate(problem, Z, W, S)
            history.append(loss)
            if len(history) > 1 and history[-2] - loss <= self.tol * abs(history[-2]):
                break
        carried = [W_k @ S_k.T for W_k, S_k in zip(W, S, strict=True)]
        rows = (Z * np.sqrt(sum((C**2).sum(axis=0) for C in carried))).argmax(axis=1)
        columns = [
            (W_k * np.sqrt(((Z @ S_k) ** 2).sum(axis=0))).argmax(axis=1)
            for W_k, S_k in zip(W, S, strict=True)
        ]
        return rows, np.concatenate(columns), np.array(history)

    @staticmethod
    def _iterate(problem: _Problem, Z, W, S) -> float:
        """Update all factors in place and return half the loss."""
        above = sum((R @ W_k) @ S_k.T for R, W_k, S_k in zip(problem.relations, W, S, strict=True))
        inner = sum(S_k @ (W_k.T @ W_k) @ S_k.T for W_k, S_k in zip(W, S, strict=True))
        Z *= above / (Z @ inner + TINY)
        ZtZ = Z.T @ Z
        loss = problem.norm
        for k, Rt in enumerate(problem.transposed):
            RtZ = Rt @ Z
            W[k] *= (RtZ @ S[k]) / (W[k] @ (S[k].T @ ZtZ @ S[k]) + TINY)
            WtW = W[k].T @ W[k]
            ZtRW = RtZ.T @ W[k]
            S[k] *= ZtRW / (ZtZ @ S[k] @ WtW + TINY)
            loss += float((S[k] * (ZtZ @ S[k] @ WtW - 2.0 * ZtRW)).sum())
        return loss / 2.0
