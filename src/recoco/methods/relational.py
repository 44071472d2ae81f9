"""SRC: spectral relational clustering of objects with several views."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from recoco.errors import RecocoError
from recoco.methods.base import Starts, check_integer, check_tol, sum_of_squares
from recoco.methods.multiview import MultiViewClusterer, Views, view_scales
from recoco.methods.spectral import _cluster_points


@dataclass
class _Problem:
    """The weighted relations R_k sqrt(w_k), both ways, and the sum of their squared norms."""

    views: Views
    relations: list[sparse.csr_matrix]
    transposed: list[sparse.csr_matrix]
    norm: float
    widths: list[int]


class SRC(MultiViewClusterer):
    """Factorise all relations together with orthonormal factors, then k-means on their rows.

    Minimises sum_k w_k ||R_k - C A_k C_k'||^2 over C (objects) and C_k (features of view k) with
    orthonormal columns: from random C_k, C becomes the leading eigenvectors of
    sum_k w_k R_k C_k C_k' R_k', each C_k those of R_k' C C' R_k, and so on until the loss no
    longer falls. k-means on the rows of C and of each C_k gives the clusters.

    Parameters
    ----------
    n_clusters : int
        Number of object clusters, and of columns of C.
    n_column_clusters : int, list of int or None
        Number of feature clusters, of all views or of each; at most n_clusters, for a view's
        eigenvectors are no more than that. None, the default, is n_clusters (or the number of
        features, if smaller); the CoStar paper does not say what it took.
    n_init : int
        Starts per run; the one with the least loss of its clusters is kept.
    max_iter : int
        Largest number of iterations, and of those of k-means.
    tol : float
        The iterations end when the loss falls by no more than this share of itself.
    weights : {"one", "norm"}
        w_k = 1, or 1 / ||R_k||^2 so that no view outweighs the others by its scale.
    kmeans_init : int
        Seedings of k-means (k-means++), of which the best is kept.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_, view_labels_ : arrays of int
    criterion_ : float, the loss with the indicator matrices of the clusters, scaled to
        orthonormal columns, as C and C_k
    criterion_history_ : array, the loss after each iteration, then that of the clusters
    n_iter_ : int

    References
    ----------
    B. Long, Z. Zhang, X. Wu, P. S. Yu. Spectral clustering for multi-type relational data. ICML
    2006, 585-592.
    """

    name = "src"
    title = "SRC"
    reference = (
        "B. Long, Z. Zhang, X. Wu, P. S. Yu. Spectral clustering for multi-type relational data. "
        "ICML 2006."
    )
    equation_notes = (
        "Collective factorisation of the relations of a star: C from the leading eigenvectors of "
        "sum_k w_k R_k C_k C_k' R_k', C_k from those of R_k' C C' R_k, then k-means on their rows."
    )
    larger_is_better = False

    def __init__(
        self,
        n_clusters=2,
        n_column_clusters=None,
        n_init=1,
        max_iter=100,
        tol=1e-6,
        weights="one",
        kmeans_init=1,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_column_clusters = n_column_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.kmeans_init = kmeans_init
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return n_init * 30 * n_clusters * (4e-9 * nnz + 5e-8 * (n + d))

    def _check_clusters(self, views):
        super()._check_clusters(views)
        check_integer(self.max_iter, "max_iter", 1)
        check_integer(self.kmeans_init, "kmeans_init", 1)
        check_tol(self.tol)
        widths = self._widths(views)
        if max(widths) > self.n_clusters:
            raise RecocoError(
                f"{max(widths)} feature clusters were asked with {self.n_clusters} object "
                f"clusters: SRC finds at most {self.n_clusters} in a view."
            )
        if sum(widths) < self.n_clusters:
            raise RecocoError(
                f"{sum(widths)} feature clusters in all were asked with {self.n_clusters} object "
                "clusters: ask for at least as many."
            )

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
            np.array([len(history) - 1 for history in histories], np.int32),
            list(histories),
        )

    def _one(self, problem: _Problem, rng):
        factors = [
            np.linalg.qr(rng.standard_normal((relation.shape[1], m)))[0]
            for relation, m in zip(problem.relations, problem.widths, strict=True)
        ]
        history: list[float] = []
        for _ in range(self.max_iter):
            products = [R @ C for R, C in zip(problem.relations, factors, strict=True)]
            objects = _leading(np.hstack(products), self.n_clusters)
            products = [Rt @ objects for Rt in problem.transposed]
            factors = [_leading(P, m) for P, m in zip(products, problem.widths, strict=True)]
            explained = sum(
                float(((P.T @ C) ** 2).sum()) for P, C in zip(products, factors, strict=True)
            )
            history.append(problem.norm - explained)
            if len(history) > 1 and history[-2] - history[-1] <= self.tol * abs(history[-2]):
                break
        rows = self._clusters(objects, self.n_clusters, rng)
        columns = [self._clusters(C, m, rng) for C, m in zip(factors, problem.widths, strict=True)]
        loss = problem.norm - sum(
            _explained(relation, rows, labels)
            for relation, labels in zip(problem.relations, columns, strict=True)
        )
        return rows, np.concatenate(columns), np.array([*history, loss])

    def _clusters(self, points, k, rng):
        points = np.ascontiguousarray(points)
        tol = 1e-4 * float(points.var(axis=0).mean())
        labels, _ = _cluster_points(points, k, [rng], self.kmeans_init, self.max_iter, tol)
        return labels[0]


def _leading(P, k: int) -> np.ndarray:
    """Leading left singular vectors of a tall matrix: eigenvectors of P P'."""
    U, s, _ = np.linalg.svd(P, full_matrices=False)
    U = U[:, :k]
    # the sign of a vector is free: the largest entry is made positive
    sign = np.where(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])] < 0, -1.0, 1.0)
    # vectors of the null space carry no structure, only rounding
    return U * np.where(s[:k] > 1e-12 * s[0], sign, 0.0)


def _explained(relation, rows, columns) -> float:
    """||C' R C_k||^2 for indicator matrices scaled to orthonormal columns."""
    g, m = int(rows.max()) + 1, int(columns.max()) + 1
    Z = sparse.csr_matrix((np.ones(rows.size), (np.arange(rows.size), rows)), (rows.size, g))
    W = sparse.csr_matrix((np.ones(columns.size), (np.arange(columns.size), columns)))
    table = (Z.T @ relation @ W).toarray()
    sizes = np.outer(np.bincount(rows, minlength=g), np.bincount(columns, minlength=m))
    return float((table**2 / np.maximum(sizes, 1)).sum())
