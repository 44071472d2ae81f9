"""CoCE: co-clustering ensemble on a hybrid graph."""

from dataclasses import dataclass

import numpy as np

from recoco.errors import RecocoError
from recoco.methods.base import CoClusterer, Starts, check_integer, label_dtype
from recoco.methods.ebco import base_numbers, check_ensemble, make_bases
from recoco.methods.filled import Filled, without_empty


@dataclass
class _Problem:
    filled: Filled
    numbers: list[int]


class CoCE(CoClusterer):
    """Ensemble co-clustering by relevance between rows, between columns, and across.

    Parameters
    ----------
    n_clusters : int
        Number of co-clusters g.
    base, smallest, largest, base_init
        How the base co-clusterings are made, as in :class:`~recoco.methods.ebco.EBCO`.
    components : {"log2", "g-1"}
        Number of vectors after the first: ceil(log2 g), as in the paper, or g - 1.
    within : float
        Weight of the relevances of rows to rows and of columns to columns against those of
        columns to rows.
    kmeans_init : int
        Seedings of k-means; the one of least inertia is kept.
    n_init : int
        Whole ensembles per run; the one of largest modularity is kept.
    max_iter, tol : int, float
        Of k-means; ``tol`` is relative to the mean variance of the coordinates.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    criterion_ : float, modularity of the co-clustering on the matrix

    Notes
    -----
    An interpretation: the formulas of the paper were not at hand. What is taken from it and
    what is chosen is written in :mod:`recoco.consensus.hybrid`. Rows and columns are clustered
    apart; the clusters of columns are then named so that rows and columns of one name have the
    largest modularity. Empty rows and columns take no part and are labelled 0.

    References
    ----------
    X. Yu, G. Yu, J. Wang, C. Domeniconi. Co-Clustering Ensembles Based on Multiple Relevance
    Measures. IEEE TKDE, 2019.
    """

    name = "coce"
    title = "CoCE"
    reference = (
        "X. Yu, G. Yu, J. Wang, C. Domeniconi. Co-Clustering Ensembles Based on Multiple "
        "Relevance Measures. IEEE TKDE 2019."
    )
    equation_notes = (
        "An interpretation of the published description: hybrid graph of row-row and "
        "column-column co-association and quality-weighted row-column relevance, ceil(log2 g) "
        "eigenvectors after the first, k-means of rows and of columns; criterion: modularity."
    )

    def __init__(
        self,
        n_clusters=2,
        base="dcc",
        smallest=2,
        largest=25,
        base_init=1,
        components="log2",
        within=1.0,
        kmeans_init=10,
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.base = base
        self.smallest = smallest
        self.largest = largest
        self.base_init = base_init
        self.components = components
        self.within = within
        self.kmeans_init = kmeans_init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return n_init * (1 + 1.7e-5 * nnz + 2.5e-4 * (n + d))

    def _batch_size(self, A):
        return 16

    def _prepare(self, A):
        check_ensemble(self)
        check_integer(self.kmeans_init, "kmeans_init", 1)
        if self.components not in ("log2", "g-1"):
            raise RecocoError(f"components is {self.components!r}: use log2 or g-1.")
        if not (isinstance(self.within, (int, float)) and 0 <= self.within < np.inf):
            raise RecocoError(f"within is {self.within!r}: give a number of at least 0.")
        filled = without_empty(A, self.n_clusters)
        return _Problem(filled, base_numbers(filled.A, self.smallest, self.largest))

    def _run(self, problem, generators, init):
        from recoco.methods.croinfo import paired
        from recoco.metrics.coclusters import modularity

        A, g = problem.filled.A, self.n_clusters
        ensembles = make_bases(self, A, problem.numbers, generators)
        rows, columns, criterion, n_iter = [], [], [], []
        for rng, bases in zip(generators, ensembles, strict=True):
            z, w, steps = self._fuse(A, bases, rng)
            entry_rows = np.repeat(z, np.diff(A.indptr)).astype(np.int64)
            table = np.bincount(entry_rows * g + w[A.indices], A.data, g * g).reshape(g, g)
            w = paired(table / table.sum())[w]
            rows.append(z)
            columns.append(w)
            criterion.append(modularity(A, z, w))
            n_iter.append(steps)
        dtype = label_dtype(g)
        rows, columns = problem.filled.spread(np.array(rows, dtype), np.array(columns, dtype))
        return Starts(
            rows,
            columns,
            np.array(criterion),
            np.array(n_iter, np.int32),
            [np.array([value]) for value in criterion],
            {"empty_base": np.array([bases.n_empty for bases in ensembles])},
        )

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
            labels, n_iter = _cluster_points(points, g, [rng], self.kmeans_init, self.max_iter, tol)
            found.append(labels[0].astype(np.int64))
            steps = max(steps, int(n_iter[0]))
        return *found, steps
