"""PARAFAC and Tucker of the tensor of several graphs, then a clustering of the nodes' factor.

The tensor is never built, see :mod:`recoco.methods.tensor_algebra`.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from recoco.errors import RecocoError
from recoco.methods.base import Starts, check_integer, sum_of_squares
from recoco.methods.graph_clusterer import GraphClusterer, Graphs
from recoco.methods.seeded_kmeans import kmeans_labels
from recoco.methods.tensor_algebra import parafac, tucker, unfolded_vectors, unit_columns

CLUSTERINGS = ("kmeans", "spectral", "gmm")
INITS = ("svd", "random")
SCALES = ("weights", "unit")
AFFINITIES = ("rbf", "nearest_neighbors")
# nodes up to which a dense affinity matrix is made for spectral clustering
LARGEST = 8_000


@dataclass
class _Problem:
    """The slices, both ways, the norm of the tensor, and factors that all starts share."""

    slices: list[sparse.csr_matrix]
    transposed: list[sparse.csr_matrix]
    norm: float
    shared: tuple | None = None


class _Decomposition(GraphClusterer):
    """What the two decompositions share: all but the factors."""

    views = "many"
    two_sided = False
    directed = True
    larger_is_better = False
    monotone = True
    random_factors = True  # whether every start has factors of its own

    def __init__(
        self,
        n_clusters=2,
        rank=10,
        clustering="kmeans",
        n_init=1,
        max_iter=100,
        tol=1e-8,
        scale="weights",
        affinity="rbf",
        kmeans_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.rank = rank
        self.clustering = clustering
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.scale = scale
        self.affinity = affinity
        self.kmeans_init = kmeans_init
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return n_init * 50 * (6e-8 * nnz + 1e-6 * n)

    def _check_numbers(self, graphs):
        super()._check_numbers(graphs)
        n = graphs.shape[0]
        check_integer(self.kmeans_init, "kmeans_init", 1)
        if check_integer(self.rank, "rank", 1) > n:
            raise RecocoError(
                f"Rank {self.rank} was asked of graphs with {n} nodes: ask for at most {n}."
            )
        for name, known in (
            ("clustering", CLUSTERINGS),
            ("scale", SCALES),
            ("affinity", AFFINITIES),
        ):
            value = getattr(self, name)
            if value not in known:
                raise RecocoError(f"{name} is {value!r}: give one of {', '.join(known)}.")
        if self.clustering == "spectral" and self.affinity == "rbf" and n > LARGEST:
            raise RecocoError(
                f"The graphs have {n} nodes, and spectral clustering with all affinities takes "
                f"up to {LARGEST}: use affinity='nearest_neighbors'."
            )

    def _prepare(self, graphs: Graphs) -> _Problem:
        slices = graphs.matrices
        transposed = [
            A if A.shape == (1, 1) or abs(A - A.T).nnz == 0 else A.T.tocsr() for A in slices
        ]
        norm = np.sqrt(sum(sum_of_squares(A.data) for A in slices))
        return _Problem(slices, transposed, float(norm))

    def _run(self, problem, generators, init):
        # one thread: sums of a threaded BLAS depend on the number of threads
        with threadpool_limits(1):
            parts, points = [], None
            for rng in generators:
                if points is None or self.random_factors:
                    factor, history = self._points(problem, rng)
                    points = self._embedded(factor)
                parts.append((self._cluster(points, rng), history))
        labels, histories = zip(*parts, strict=True)
        return Starts(
            np.array(labels),
            None,
            np.array([history[-1] for history in histories]),
            np.array([len(history) for history in histories], np.int32),
            list(histories),
        )

    def _embedded(self, factor) -> np.ndarray:
        """The points that are clustered: rows of the factor, or their spectral embedding."""
        if self.clustering == "spectral" and self.affinity == "rbf" and self.n_clusters > 1:
            return _embed(factor, self.n_clusters)
        return factor

    def _cluster(self, points, rng) -> np.ndarray:
        """Cluster points as scikit-learn does."""
        from sklearn.cluster import SpectralClustering
        from sklearn.mixture import GaussianMixture

        g, seed = self.n_clusters, int(rng.integers(2**31))
        if g == 1:
            return np.zeros(len(points), np.int64)
        if self.clustering == "kmeans" or (self.clustering, self.affinity) == ("spectral", "rbf"):
            return kmeans_labels(points, g, self.kmeans_init, seed)
        if self.clustering == "spectral":
            model = SpectralClustering(
                g,
                affinity=self.affinity,
                n_neighbors=min(10, len(points)),
                n_init=self.kmeans_init,
                random_state=seed,
            )
        else:
            model = GaussianMixture(g, covariance_type="diag", random_state=seed)
        with warnings.catch_warnings():
            # fewer distinct points than clusters, or a graph in parts: the labels say it
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            return model.fit_predict(points)

    def _stop(self, history) -> bool:
        return len(history) > 1 and history[-2] - history[-1] <= self.tol


def _embed(points: np.ndarray, g: int) -> np.ndarray:
    """Return the points of scikit-learn's spectral clustering with all affinities.

    Solved as the dense matrix that it is: where the points lie far apart, nearly all eigenvalues
    are one, and the Lanczos steps that scikit-learn takes need minutes to tell them apart.
    """
    from scipy.linalg import eigh
    from sklearn.metrics.pairwise import rbf_kernel

    affinity = rbf_kernel(points, gamma=1.0)
    np.fill_diagonal(affinity, 0.0)
    degree = affinity.sum(axis=0)
    root = np.where(degree > 0, np.sqrt(degree), 1.0)
    affinity /= root
    affinity /= root[:, None]
    n = len(points)
    vectors = eigh(affinity, subset_by_index=[n - g, n - 1], overwrite_a=True)[1]
    return vectors / root[:, None]


class Parafac(_Decomposition):
    """x_ijb = sum_r a_ir b_jr c_br by alternating least squares, then clusters of the rows of a.

    Parameters
    ----------
    n_clusters : int
    rank : int
        Number of components r; the TSPLBM paper takes 10, 20 and 50.
    clustering : {"kmeans", "spectral", "gmm"}
        k-means++, spectral clustering or a mixture of Gaussians with diagonal covariances, as
        scikit-learn has them.
    init : {"svd", "random"}
        Leading singular vectors of the unfolded tensor (where it has too few, uniform random
        numbers), or uniform random numbers.
    n_init : int
        Starts per run; the one with the least error is kept.
    max_iter, tol : int, float
        The iterations end when the relative error falls by no more than ``tol``.
    scale : {"weights", "unit"}
        Columns of a carry the weights of their components, or have unit length.
    affinity : {"rbf", "nearest_neighbors"}
        Of spectral clustering; the first makes a dense matrix.
    kmeans_init : int
        Seedings of k-means.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_ : array of int
    criterion_ : float, ||X - X^|| / ||X||
    criterion_history_ : array, the same after each iteration, never increasing
    n_iter_ : int

    References
    ----------
    R. A. Harshman, M. E. Lundy. PARAFAC: parallel factor analysis. Computational Statistics &
    Data Analysis 18, 1994, 39-72.
    """

    name = "parafac"
    title = "PARAFAC"
    reference = (
        "R. A. Harshman, M. E. Lundy. PARAFAC: parallel factor analysis. Computational "
        "Statistics & Data Analysis 18, 1994."
    )
    equation_notes = (
        "A = M_1 ((B'B) . (C'C))^+ with M_1 = sum_b (X_b B) . c_b, and so on for B and C; then "
        "the rows of A are clustered."
    )

    def __init__(
        self,
        n_clusters=2,
        rank=10,
        clustering="kmeans",
        init="svd",
        n_init=1,
        max_iter=100,
        tol=1e-8,
        scale="weights",
        affinity="rbf",
        kmeans_init=10,
        random_state=None,
    ):
        super().__init__(
            n_clusters,
            rank,
            clustering,
            n_init,
            max_iter,
            tol,
            scale,
            affinity,
            kmeans_init,
            random_state,
        )
        self.init = init

    def _check_numbers(self, graphs):
        super()._check_numbers(graphs)
        if self.init not in INITS:
            raise RecocoError(f"init is {self.init!r}: give one of {', '.join(INITS)}.")

    def _prepare(self, graphs):
        problem = super()._prepare(graphs)
        if self.init == "svd":
            with threadpool_limits(1):
                problem.shared = unfolded_vectors(problem.slices, problem.transposed, self.rank)
        return problem

    def _start(self, problem: _Problem, rng):
        n, v, r = problem.slices[0].shape[0], len(problem.slices), self.rank
        if self.init == "random":
            return [rng.random((rows, r)) for rows in (n, n, v)]
        # a vector of singular value 0 would keep its component at 0
        return [np.hstack([U, rng.random((len(U), r - U.shape[1]))]) for U in problem.shared]

    def _points(self, problem: _Problem, rng):
        factors, history = parafac(
            problem.slices,
            problem.transposed,
            problem.norm,
            self._start(problem, rng),
            self.max_iter,
            self._stop,
        )
        A, B, C = factors
        if self.scale == "unit":
            return unit_columns(A), history
        lengths = np.sqrt((B**2).sum(axis=0) * (C**2).sum(axis=0))
        return A * lengths, history


class Tucker(_Decomposition):
    """x_ijb = sum_pqs g_pqs a_ip b_jq c_bs with orthonormal factors, then clusters of rows of a.

    Higher-order orthogonal iteration from the leading singular vectors of the unfolded tensor:
    nothing in it is random, so runs differ by the clustering only. The rank of a mode is
    ``rank``, or that of the unfolded tensor, if smaller: the third is at most the number of graphs.

    Parameters
    ----------
    n_clusters : int
    rank : int
        Number of columns of a and b; the TSPLBM paper takes 10, 20 and 50.
    clustering : {"kmeans", "spectral", "gmm"}
        See :class:`Parafac`, also for ``n_init``, ``max_iter``, ``tol``, ``affinity``,
        ``kmeans_init`` and ``random_state``.
    scale : {"unit", "weights"}
        Columns of a have unit length, or carry the norms of their slices of the core.

    Attributes
    ----------
    row_labels_ : array of int
    criterion_ : float, ||X - X^|| / ||X||
    criterion_history_ : array, the same after each iteration, never increasing
    n_iter_ : int

    References
    ----------
    L. R. Tucker. Some mathematical notes on three-mode factor analysis. Psychometrika 31, 1966,
    279-311.
    """

    name = "tucker"
    title = "Tucker"
    reference = (
        "L. R. Tucker. Some mathematical notes on three-mode factor analysis. Psychometrika 31, "
        "1966."
    )
    equation_notes = (
        "A = leading left singular vectors of X_(1) (B x C), and so on for B and C (higher-order "
        "orthogonal iteration); then the rows of A are clustered."
    )
    random_factors = False

    def __init__(
        self,
        n_clusters=2,
        rank=10,
        clustering="kmeans",
        n_init=1,
        max_iter=100,
        tol=1e-5,
        scale="unit",
        affinity="rbf",
        kmeans_init=10,
        random_state=None,
    ):
        super().__init__(
            n_clusters,
            rank,
            clustering,
            n_init,
            max_iter,
            tol,
            scale,
            affinity,
            kmeans_init,
            random_state,
        )

    def _prepare(self, graphs):
        problem = super()._prepare(graphs)
        with threadpool_limits(1):
            start = unfolded_vectors(problem.slices, problem.transposed, self.rank)
            problem.shared = tucker(
                problem.slices,
                problem.transposed,
                problem.norm,
                list(start),
                self.max_iter,
                self._stop,
            )
        return problem

    def _points(self, problem: _Problem, rng):
        core, (A, _, _), history = problem.shared
        if self.scale == "unit":
            return A, history
        return A * np.sqrt((core**2).sum(axis=(1, 2))), history
