"""SRC: spectral relational clustering of objects with several views."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.methods.arrays import signs
from recoco.methods.checks import check_integer
from recoco.methods.multiview import MultiViewClusterer, Relations, Views
from recoco.methods.spectral import _cluster_points


@dataclass(eq=False, repr=False, kw_only=True)
class SRC(MultiViewClusterer):
    """Factorise all relations jointly with orthonormal factors, then cluster their rows by k-means.

    Minimises sum_k w_k ||R_k - C A_k C_k'||^2 over C (objects) and C_k (features of view k) with
    orthonormal columns. Starting from random C_k, C becomes the leading eigenvectors of
    sum_k w_k R_k C_k C_k' R_k', each C_k those of R_k' C C' R_k, and so on until the loss stops
    decreasing. The clusters are those of k-means on the rows of C and of each C_k.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of object clusters, and of columns of C.
    n_column_clusters : int, list of int or None, default=None
        Number of feature clusters, for all views or for each; at most n_clusters, the number of
        eigenvectors of a view. None means n_clusters (or the number of features, if smaller); the
        CoStar paper does not say which number it used.
    n_init : int, default=1
        Number of starts per run. The one whose clusters have the smallest loss is kept.
    max_iter : int, default=100
        Maximum number of iterations, and of iterations of k-means.
    tol : float, default=1e-6
        The iterations end when the loss decreases by no more than this fraction of itself.
    weights : {"one", "norm"}, default="one"
        w_k = 1, or w_k = 1 / ||R_k||^2, with which no view dominates by its scale.
    kmeans_init : int, default=1
        Number of seedings of k-means (k-means++). The best one is kept.
    random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        The loss where C and C_k are the indicator matrices of the clusters, scaled to orthonormal
        columns.
    criterion_history_ : ndarray
        The loss after each iteration, followed by that of the clusters.
    row_labels_, column_labels_, view_labels_, n_iter_
        See :class:`~recoco.methods.multiview.MultiViewClusterer`.

    References
    ----------
    B. Long, Z. Zhang, X. Wu, P. S. Yu. Spectral clustering for multi-type relational data. ICML
    2006, 585-592.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import SRC
    >>> X = np.kron(np.eye(2), np.full((3, 3), 9)) + 1
    >>> SRC(n_clusters=2, random_state=0).fit([X, X]).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    name = "src"
    title = "SRC"
    equation_notes = (
        "Collective factorisation of the relations of a star: C from the leading eigenvectors of "
        "sum_k w_k R_k C_k C_k' R_k', C_k from those of R_k' C C' R_k, then k-means on their rows."
    )
    larger_is_better = False

    n_column_clusters: int | list[int] | None = None
    tol: float = 1e-6
    weights: str = "one"
    kmeans_init: int = 1

    def _check_numbers(self, views):
        super()._check_numbers(views)
        check_integer(self.kmeans_init, "kmeans_init", 1)
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

    def _prepare(self, views: Views) -> Relations:
        return Relations(views, self.weights, self._widths(views))

    def _one(self, problem: Relations, rng):
        factors = [
            np.linalg.qr(rng.standard_normal((relation.shape[1], m)))[0]
            for relation, m in zip(problem.relations, problem.widths, strict=True)
        ]
        history: list[float] = []
        for _ in range(self.max_iter):
            products = [R @ C for R, C in zip(problem.relations, factors, strict=True)]
            objects = _leading(np.hstack(products), self.n_clusters)  # eq. objects
            products = [Rt @ objects for Rt in problem.transposed]
            # eq. features
            factors = [_leading(P, m) for P, m in zip(products, problem.widths, strict=True)]
            explained = sum(
                float(((P.T @ C) ** 2).sum()) for P, C in zip(products, factors, strict=True)
            )
            history.append(problem.norm - explained)  # eq. loss
            if len(history) > 1 and history[-2] - history[-1] <= self.tol * abs(history[-2]):
                break
        rows = self._clusters(objects, self.n_clusters, rng)
        columns = [self._clusters(C, m, rng) for C, m in zip(factors, problem.widths, strict=True)]
        loss = problem.norm - sum(
            _explained(relation, rows, labels)
            for relation, labels in zip(problem.relations, columns, strict=True)
        )
        return rows, np.concatenate(columns), np.array([*history, loss]), len(history)

    def _clusters(self, points, k, rng):
        points = np.ascontiguousarray(points)
        tol = 1e-4 * float(points.var(axis=0).mean())
        # eq. clusters
        labels, _ = _cluster_points(points, k, [rng], self.kmeans_init, self.max_iter, tol)
        return labels[0]


def _leading(P, k: int) -> np.ndarray:
    """Return the leading left singular vectors of a tall matrix: the eigenvectors of P P'."""
    U, s, _ = np.linalg.svd(P, full_matrices=False)
    U = U[:, :k]
    # vectors of the null space contain only rounding errors
    return U * np.where(s[:k] > 1e-12 * s[0], signs(U), 0.0)


def _explained(relation, rows, columns) -> float:
    """Return ||C' R C_k||^2 for indicator matrices scaled to orthonormal columns."""
    g, m = int(rows.max()) + 1, int(columns.max()) + 1
    Z = sparse.csr_matrix((np.ones(rows.size), (np.arange(rows.size), rows)), (rows.size, g))
    W = sparse.csr_matrix((np.ones(columns.size), (np.arange(columns.size), columns)))
    table = (Z.T @ relation @ W).toarray()
    sizes = np.outer(np.bincount(rows, minlength=g), np.bincount(columns, minlength=m))
    return float((table**2 / np.maximum(sizes, 1)).sum())
