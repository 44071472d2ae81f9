"""CoCE: co-clustering ensemble on a hybrid graph."""

from dataclasses import dataclass

import numpy as np

from recoco.core.errors import RecocoError
from recoco.methods.base import CoClusterer, Starts, label_dtype
from recoco.methods.checks import check_choice, check_integer
from recoco.methods.ebco import base_numbers, check_ensemble, make_bases
from recoco.methods.filled import Filled, without_empty


@dataclass
class _Problem:
    filled: Filled
    numbers: list[int]


@dataclass(eq=False, repr=False, kw_only=True)
class CoCE(CoClusterer):
    """Co-clustering ensemble based on relevance between rows, between columns, and across.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of co-clusters g.
    base : {"dcc", "dcc-spherical", "coclus", "croinfo", "spherical"}, default="dcc"
        Algorithm of the base co-clusterings, see :class:`~recoco.methods.ebco.EBCO`.
    smallest, largest : int, default=2 and 25
        Range of the numbers of co-clusters of the bases.
    base_init : int, default=1
        Number of starts of every base. The best one by its own criterion is used.
    components : {"log2", "g-1"}, default="log2"
        Number of eigenvectors after the first: ceil(log2 g), as in the paper, or g - 1.
    within : float, default=1.0
        Weight of row-row and column-column relevances relative to row-column relevances.
    kmeans_init : int, default=10
        Number of seedings of k-means. The one with the smallest inertia is kept.
    n_init : int, default=1
        Number of ensembles per run. The one with the largest modularity is kept.
    max_iter : int, default=300
        Maximum number of iterations of k-means.
    tol : float, default=1e-4
        Tolerance of k-means, relative to the mean variance of the coordinates.
    random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        Modularity of the co-clustering on the matrix.
    criterion_history_ : ndarray
        The same as an array of one value.
    n_iter_ : int
        Number of iterations of k-means.
    row_labels_, column_labels_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    This is an interpretation, because the formulas of the paper were not available.
    :mod:`recoco.consensus.hybrid` describes what is taken from the paper and what is our choice.
    Rows and columns are clustered separately; the column clusters are then numbered such that
    rows and columns with the same number have the largest modularity. Empty rows and columns are
    left out and labelled 0.

    References
    ----------
    X. Yu, G. Yu, J. Wang, C. Domeniconi. Co-Clustering Ensembles Based on Multiple Relevance
    Measures. IEEE TKDE, 2019.

    Examples
    --------
    >>> from recoco import CoCE
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> CoCE(n_clusters=2, largest=4, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "coce"
    title = "CoCE"
    equation_notes = (
        "An interpretation of the published description: hybrid graph of row-row and "
        "column-column co-association and quality-weighted row-column relevance, ceil(log2 g) "
        "eigenvectors after the first, k-means of rows and of columns; criterion: modularity."
    )

    base: str = "dcc"
    smallest: int = 2
    largest: int = 25
    base_init: int = 1
    components: int | str = "log2"
    within: float = 1.0
    kmeans_init: int = 10
    max_iter: int = 300
    tol: float = 1e-4

    def _batch_size(self, A):
        return 16

    def _prepare(self, A):
        check_ensemble(self)
        check_integer(self.kmeans_init, "kmeans_init", 1)
        check_choice(self.components, "components", ("log2", "g-1"))
        if not (isinstance(self.within, (int, float)) and 0 <= self.within < np.inf):
            raise RecocoError(f"within is {self.within!r}: give a number of at least 0.")
        filled = without_empty(A, self.n_clusters)
        return _Problem(filled, base_numbers(filled.A, self.smallest, self.largest))

    def _run(self, problem, generators, init):
        from recoco.methods.croinfo import paired
        from recoco.metrics.coclusters import modularity

        A, g = problem.filled.A, self.n_clusters
        ensembles = make_bases(self, A, problem.numbers, generators)
        rows, columns, histories, n_iter = [], [], [], []
        for rng, bases in zip(generators, ensembles, strict=True):
            z, w, steps = self._fuse(A, bases, rng)
            entry_rows = np.repeat(z, np.diff(A.indptr)).astype(np.int64)
            table = np.bincount(entry_rows * g + w[A.indices], A.data, g * g).reshape(g, g)
            w = paired(table / table.sum())[w]
            rows.append(z)
            columns.append(w)
            histories.append(np.array([modularity(A, z, w)]))
            n_iter.append(steps)
        dtype = label_dtype(g)
        rows, columns = problem.filled.spread(np.array(rows, dtype), np.array(columns, dtype))
        details = {"empty_base": np.array([bases.n_empty for bases in ensembles])}
        return Starts.from_histories(rows, columns, histories, n_iter, details)

    def _fuse(self, A, bases, rng):
        from recoco.consensus.hybrid import base_quality, hybrid_embedding
        from recoco.methods.spectral import _cluster_points

        g, found, steps = self.n_clusters, [], 1
        if g == 1:
            return np.zeros(A.shape[0], np.int64), np.zeros(A.shape[1], np.int64), 1
        k = int(np.ceil(np.log2(g))) if self.components == "log2" else g - 1
        for points in hybrid_embedding(bases, base_quality(A, bases), k, self.within):
            tol = self.tol * float(points.var(axis=0).mean())
            points = np.ascontiguousarray(points)
            # eq. clusters
            labels, n_iter = _cluster_points(points, g, [rng], self.kmeans_init, self.max_iter, tol)
            found.append(labels[0].astype(np.int64))
            steps = max(steps, int(n_iter[0]))
        return *found, steps
