"""Spectral co-clustering: SpecCo (modularity) and Spec (normalised cut).

Both embed rows and columns together by singular vectors of the normalised matrix and cluster
the points by k-means. The embedding is computed once for all runs; runs differ in the seeds of
k-means only.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.methods.base import CoClusterer, Starts, check_integer, label_dtype


@dataclass
class _Problem:
    """The matrix with its margins and the points that stand for its rows, then its columns."""

    A: sparse.csr_matrix
    row_degree: np.ndarray
    column_degree: np.ndarray
    points: np.ndarray
    tol: float


def _cluster_points(points, k, generators, kmeans_init, max_iter, tol):
    """k-means from ``kmeans_init`` seedings per generator, the one of least inertia kept.

    Returns
    -------
    labels : int32 (B, n); n_iter : int32 (B,)
    """
    from recoco.kernels.kmeans import lloyd
    from recoco.kernels.kmeans_seeding import seed_centres

    trials = 2 + int(np.log(k))  # candidates per centre, as scikit-learn has it
    transposed = np.ascontiguousarray(points.T)
    labels = np.zeros((len(generators), len(points)), np.int32)
    n_iter = np.zeros(len(generators), np.int32)
    for b, rng in enumerate(generators):
        least = np.inf
        for uniforms in rng.random((kmeans_init, k, trials)):
            start = points[seed_centres(transposed, uniforms)]
            found, inertia, steps = lloyd(points, start, max_iter, tol)
            if inertia < least:
                least, labels[b], n_iter[b] = inertia, found, steps
    return labels, n_iter


class _Spectral(CoClusterer):
    """What the two methods share: all but the embedding and the criterion."""

    def _prepare(self, A):
        check_integer(self.kmeans_init, "kmeans_init", 1)
        points = np.zeros((sum(A.shape), 0)) if self.n_clusters == 1 else self._embed(A)
        points = np.ascontiguousarray(points)
        tol = self.tol * float(points.var(axis=0).mean()) if points.size else 0.0
        row_degree = np.asarray(A.sum(axis=1)).ravel()
        column_degree = np.asarray(A.sum(axis=0)).ravel()
        return _Problem(A, row_degree, column_degree, points, tol)

    def _run(self, problem, generators, init):
        g, n = self.n_clusters, problem.A.shape[0]
        labels, n_iter = _cluster_points(
            problem.points, g, generators, self.kmeans_init, self.max_iter, problem.tol
        )
        labels = labels.astype(label_dtype(g))
        rows, columns = labels[:, :n], labels[:, n:]
        criterion = np.array(
            [self._criterion(problem, z, w) for z, w in zip(rows, columns, strict=True)]
        )
        histories = [np.array([value]) for value in criterion]
        return Starts(rows, columns, criterion, n_iter, histories)


class SpecCo(_Spectral):
    """Spectral relaxation of bipartite modularity.

    Parameters
    ----------
    n_clusters : int
        Number of co-clusters g.
    n_components : {"g-1", "g"} or int
        Number of singular pairs, the trivial one not counted.
    trivial : bool
        Keep the trivial pair as a first coordinate. Scaled, it is constant, and matters only
        through ``unit``: with "columns" it sets rows and columns of the matrix a little apart.
    unit : {"columns", "rows", "none"}
        What is brought to length one before k-means: every coordinate (of the rows and of the
        columns of the matrix apart), or every point, or nothing.
    kmeans_init : int
        Seedings of k-means per start; the one of least inertia is kept.
    n_init : int
        Starts per run; the one with the largest modularity is kept.
    max_iter, tol : int, float
        Of k-means; ``tol`` is relative to the mean variance of the coordinates.
    random_state : int, Generator, RandomState or None

    Notes
    -----
    U and V are the leading singular vectors of Dr^-1/2 (A - delta) Dc^-1/2, scaled by Dr^-1/2
    and Dc^-1/2. The paper leaves open how they are scaled further. The defaults are the reading
    under which the values printed for SpecCo in the CoClus paper come out (CLASSIC3, CLASSIC4,
    NG2, binary REVIEWS: within 0.015); ``unit="rows"`` gives other and often better
    partitions.

    References
    ----------
    L. Labiod, M. Nadif. Co-clustering for Binary and Categorical Data with Maximum Modularity.
    ICDM 2011, 1140-1145.
    """

    name = "specco"
    title = "SpecCo"
    reference = (
        "L. Labiod, M. Nadif. Co-clustering for Binary and Categorical Data with Maximum "
        "Modularity. ICDM 2011."
    )
    equation_notes = (
        "Singular vectors of Dr^-1/2 (A - delta) Dc^-1/2, scaled by Dr^-1/2 and Dc^-1/2, rows "
        "and columns clustered together by k-means; criterion: modularity (CoClus, eq. 2). How the "
        "embedding is scaled further is not printed: the defaults follow the authors' public "
        "package and were kept, of the readings tried, because the values printed for SpecCo in "
        "the CoClus paper come out under them."
    )

    def __init__(
        self,
        n_clusters=2,
        n_components="g-1",
        trivial=True,
        unit="columns",
        kmeans_init=10,
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.trivial = trivial
        self.unit = unit
        self.kmeans_init = kmeans_init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        # ten k-means, each about 6 ns for a point, a coordinate and a centre
        return 6e-8 * n_init * (n + d) * n_clusters**2

    def _embed(self, A):
        from recoco.methods.embedding import normalised_singular_vectors

        if self.unit not in ("columns", "rows", "none"):
            raise RecocoError(f"unit is {self.unit!r}: use columns, rows or none.")
        if isinstance(self.n_components, str):
            if self.n_components not in ("g-1", "g"):
                raise RecocoError(
                    f"n_components is {self.n_components!r}: use g-1, g or a whole number."
                )
            components = self.n_clusters - (self.n_components == "g-1")
        else:
            components = check_integer(self.n_components, "n_components", 1)
        U, V, _ = normalised_singular_vectors(A, components)
        if self.trivial:
            # the roots of the degrees, scaled like the others
            U, V = (
                np.pad(part, ((0, 0), (1, 0)), constant_values=A.sum() ** -0.5) for part in (U, V)
            )
        if self.unit == "columns":
            return np.vstack([_unit(U, 0), _unit(V, 0)])
        points = np.vstack([U, V])
        return _unit(points, 1) if self.unit == "rows" else points

    def _criterion(self, problem, rows, columns):
        from recoco.kernels.modularity import modularity

        A = problem.A
        return modularity(
            A.indptr,
            A.indices,
            A.data,
            problem.row_degree,
            problem.column_degree,
            problem.row_degree.sum(),
            rows,
            columns,
            self.n_clusters,
        )


class Spec(_Spectral):
    """Bipartite spectral graph partitioning, as in scikit-learn's SpectralCoclustering.

    Parameters
    ----------
    n_clusters : int
        Number of co-clusters g.
    kmeans_init : int
        Seedings of k-means per start; the one of least inertia is kept.
    n_init : int
        Starts per run; the one with the least normalised cut is kept.
    max_iter, tol : int, float
        Of k-means; ``tol`` is relative to the mean variance of the coordinates.
    random_state : int, Generator, RandomState or None

    Notes
    -----
    ceil(log2(g)) singular pairs after the trivial one; points [Dr^-1/2 U; Dc^-1/2 V].
    scikit-learn agrees for ``svd_method="randomized"``; for "arpack" it leaves out the pair of
    the smallest singular value where the trivial one is meant.

    References
    ----------
    I. S. Dhillon. Co-clustering Documents and Words Using Bipartite Spectral Graph
    Partitioning. KDD 2001, 269-274.
    """

    name = "spec"
    title = "Spec"
    reference = (
        "I. S. Dhillon. Co-clustering Documents and Words Using Bipartite Spectral Graph "
        "Partitioning. KDD 2001."
    )
    equation_notes = (
        "Algorithm Multipartition: singular vectors 2 to 1 + ceil(log2 g) of Dr^-1/2 A Dc^-1/2, "
        "scaled by Dr^-1/2 and Dc^-1/2, k-means; criterion: normalised cut, smaller is better."
    )
    larger_is_better = False

    def __init__(
        self,
        n_clusters=2,
        kmeans_init=10,
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.kmeans_init = kmeans_init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return 6e-8 * n_init * (n + d) * n_clusters * (1 + np.log2(n_clusters))

    def _embed(self, A):
        from recoco.methods.embedding import normalised_singular_vectors

        U, V, _ = normalised_singular_vectors(A, int(np.ceil(np.log2(self.n_clusters))))
        return np.vstack([U, V])

    def _criterion(self, problem, rows, columns):
        from recoco.kernels.modularity import normalised_cut

        A = problem.A
        return normalised_cut(
            A.indptr,
            A.indices,
            A.data,
            problem.row_degree,
            problem.column_degree,
            rows,
            columns,
            self.n_clusters,
        )


def _unit(points, axis):
    """Divide by Euclidean norms along an axis; what is zero stays zero."""
    size = np.sqrt((points**2).sum(axis=axis, keepdims=True))
    return np.divide(points, size, out=np.zeros_like(points), where=size > 0)
