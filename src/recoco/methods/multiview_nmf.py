"""Non-negative tri-factorisation of several views with common object memberships."""

from dataclasses import dataclass

import numpy as np

from recoco.methods.multiview import MultiViewClusterer, Relations, Views

# keeps denominators positive; a factor of 0 stays 0
TINY = 1e-300


@dataclass(eq=False, repr=False, kw_only=True)
class MultiViewNMF(MultiViewClusterer):
    """Minimise sum_k w_k ||R_k - Z S_k W_k'||^2 over non-negative factors.

    This is the co-clustering of star-structured data by Chen, Wang and Dong without constraints,
    hence without their distance learning: multiplicative updates of Z (objects), then of W_k and
    S_k of every view. The cluster of an object is its largest membership in Z, where each column is
    weighted by the mass it carries.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of object clusters.
    n_column_clusters : int, list of int or None, default=None
        Number of feature clusters, for all views or for each. None means n_clusters (or the
        number of features, if smaller); the CoStar paper does not say which number it used.
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-5
        A start ends when its loss decreases by no more than this fraction of itself.
    weights : {"one", "norm"}, default="one"
        w_k = 1, or w_k = 1 / ||R_k||^2, with which no view dominates by its scale.
    n_init, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        Half the loss.
    criterion_history_ : ndarray
        Half the loss after each iteration; it never increases.
    row_labels_, column_labels_, view_labels_, n_iter_
        See :class:`~recoco.methods.multiview.MultiViewClusterer`.

    References
    ----------
    Y. Chen, L. Wang, M. Dong. Non-negative matrix factorization for semisupervised
    heterogeneous data coclustering. IEEE TKDE 22, 2010, 1459-1474; here without constraints.
    Y. Chen, L. Wang, M. Dong. Semi-supervised document clustering with simultaneous text
    representation and categorization. ECML PKDD 2009, 211-226.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import MultiViewNMF
    >>> X = np.kron(np.eye(2), np.full((3, 3), 9)) + 1
    >>> MultiViewNMF(n_clusters=2, n_init=5, random_state=0).fit([X, X]).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    name = "nmf-views"
    title = "NMF, several views"
    equation_notes = (
        "Z <- Z . (sum_k R_k W_k S_k') / (Z sum_k S_k W_k' W_k S_k'), W_k <- W_k . (R_k' Z S_k) / "
        "(W_k S_k' Z' Z S_k), S_k <- S_k . (Z' R_k W_k) / (Z' Z S_k W_k' W_k)."
    )
    larger_is_better = False
    monotone = True

    n_column_clusters: int | list[int] | None = None
    max_iter: int = 200
    tol: float = 1e-5
    weights: str = "one"

    def _prepare(self, views: Views) -> Relations:
        return Relations(views, self.weights, self._widths(views))

    def _one(self, problem: Relations, rng):
        g, widths = self.n_clusters, problem.widths
        n = problem.views.shape[0]
        Z = rng.random((n, g))
        W = [rng.random((d, m)) for d, m in zip(problem.views.widths, widths, strict=True)]
        S = [rng.random((g, m)) for m in widths]
        for k, relation in enumerate(problem.relations):
            # scaled like the data, so no factor has to change much
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
    def _iterate(problem: Relations, Z, W, S) -> float:
        """Update all factors in place and return half the loss."""
        above = sum((R @ W_k) @ S_k.T for R, W_k, S_k in zip(problem.relations, W, S, strict=True))
        inner = sum(S_k @ (W_k.T @ W_k) @ S_k.T for W_k, S_k in zip(W, S, strict=True))
        Z *= above / (Z @ inner + TINY)  # eq. update of Z
        ZtZ = Z.T @ Z
        loss = problem.norm
        for k, Rt in enumerate(problem.transposed):
            RtZ = Rt @ Z
            W[k] *= (RtZ @ S[k]) / (W[k] @ (S[k].T @ ZtZ @ S[k]) + TINY)  # eq. update of W_k
            WtW = W[k].T @ W[k]
            ZtRW = RtZ.T @ W[k]
            S[k] *= ZtRW / (ZtZ @ S[k] @ WtW + TINY)  # eq. update of S_k
            loss += float((S[k] * (ZtZ @ S[k] @ WtW - 2.0 * ZtRW)).sum())
        return loss / 2.0
