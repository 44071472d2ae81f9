"""PARAFAC and Tucker decompositions of several graphs, with a clustering of the node factor.

The tensor is never built, see :mod:`recoco.methods.tensor_algebra`.
"""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from recoco.core.errors import RecocoError
from recoco.methods.base import Starts, sum_of_squares
from recoco.methods.checks import check_choice, check_integer
from recoco.methods.graph_clusterer import GraphClusterer, Graphs
from recoco.methods.seeded_kmeans import kmeans_labels
from recoco.methods.tensor_algebra import parafac, tucker, unfolded_vectors, unit_columns

CLUSTERINGS = ("kmeans", "spectral", "gmm")
INITS = ("svd", "random")
SCALES = ("weights", "unit")
AFFINITIES = ("rbf", "nearest_neighbors")
# maximum number of nodes for the dense affinity matrix of spectral clustering
LARGEST = 8_000


@dataclass
class _Problem:
    """The slices, their transposes, the norm of the tensor, and factors that all starts share."""

    slices: list[sparse.csr_matrix]
    transposed: list[sparse.csr_matrix]
    norm: float
    shared: Any = None

    @property
    def tensor(self) -> tuple[list, list, float]:
        return self.slices, self.transposed, self.norm


@dataclass(eq=False, repr=False, kw_only=True)
class _Decomposition(GraphClusterer):
    """What the two decompositions share: everything but the factors."""

    views = "many"
    two_sided = False
    directed = True
    larger_is_better = False
    monotone = True
    random_factors = True  # whether every start has its own factors
    scales: ClassVar[tuple[str, ...]] = SCALES

    rank: int = 10
    clustering: str = "kmeans"
    tol: float = 1e-8
    scale: str = "weights"
    affinity: str = "rbf"
    kmeans_init: int = 10

    def _check_numbers(self, graphs):
        super()._check_numbers(graphs)
        n = graphs.shape[0]
        check_integer(self.kmeans_init, "kmeans_init", 1)
        if check_integer(self.rank, "rank", 1) > n:
            raise RecocoError(
                f"Rank {self.rank} was asked of graphs with {n} nodes: ask for at most {n}."
            )
        check_choice(self.clustering, "clustering", CLUSTERINGS)
        check_choice(self.scale, "scale", self.scales)
        check_choice(self.affinity, "affinity", AFFINITIES)
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
        # one thread: sums by a threaded BLAS depend on the number of threads
        with threadpool_limits(1):
            parts, points = [], None
            for rng in generators:
                if points is None or self.random_factors:
                    factor, history = self._points(problem, rng)
                    points = self._embedded(factor)
                parts.append((self._cluster(points, rng), history))
        labels, histories = zip(*parts, strict=True)
        return Starts.from_histories(labels, None, histories)

    def _embedded(self, factor) -> np.ndarray:
        """Return the points to cluster: rows of the factor, or their spectral embedding."""
        if self.clustering == "spectral" and self.affinity == "rbf" and self.n_clusters > 1:
            return _embed(factor, self.n_clusters)
        return factor

    def _cluster(self, points, rng) -> np.ndarray:  # eq. clusters
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
            # fewer distinct points than clusters, or a disconnected graph: the labels show it
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            return model.fit_predict(points)

    def _stop(self, history) -> bool:
        return len(history) > 1 and history[-2] - history[-1] <= self.tol


def _embed(points: np.ndarray, g: int) -> np.ndarray:
    """Return the embedding of scikit-learn's spectral clustering with all affinities.

    It is computed from the dense matrix: if the points are far apart, nearly all eigenvalues are
    one, and the Lanczos iterations of scikit-learn take minutes to separate them.
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


@dataclass(eq=False, repr=False, kw_only=True)
class Parafac(_Decomposition):
    """x_ijb = sum_r a_ir b_jr c_br by alternating least squares, with clusters of the rows of a.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    rank : int, default=10
        Number of components; the TSPLBM paper uses 10, 20 and 50.
    clustering : {"kmeans", "spectral", "gmm"}, default="kmeans"
        k-means++, spectral clustering, or a mixture of Gaussians with diagonal covariances, as in
        scikit-learn.
    init : {"svd", "random"}, default="svd"
        Initial factors: leading singular vectors of the unfolded tensor (completed by uniform
        random numbers if there are too few), or uniform random numbers.
    tol : float, default=1e-8
        The iterations end when the relative error decreases by no more than this.
    scale : {"auto", "weights", "unit"}, default="auto"
        Whether columns of a carry the weights of their components or have unit length. With
        ``auto``, they have unit length before spectral clustering, whose affinities depend on the
        unit of the points, and carry the weights otherwise.
    affinity : {"rbf", "nearest_neighbors"}, default="rbf"
        Affinity of spectral clustering; "rbf" builds a dense matrix.
    kmeans_init : int, default=10
        Number of seedings of k-means.
    n_init, max_iter, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        The relative error ||X - X^|| / ||X||.
    criterion_history_ : ndarray
        The relative error after each iteration; it never increases.
    row_labels_, n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    References
    ----------
    R. A. Harshman, M. E. Lundy. PARAFAC: parallel factor analysis. Computational Statistics &
    Data Analysis 18, 1994, 39-72.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import Parafac
    >>> graph = np.kron(np.eye(2), np.full((4, 4), 9)) + 1
    >>> Parafac(n_clusters=2, rank=2, random_state=0).fit([graph, graph]).labels_.tolist()
    [1, 1, 1, 1, 0, 0, 0, 0]
    """

    name = "parafac"
    title = "PARAFAC"
    equation_notes = (
        "A = M_1 ((B'B) . (C'C))^+ with M_1 = sum_b (X_b B) . c_b, and so on for B and C; then "
        "the rows of A are clustered, with columns of unit length before spectral clustering."
    )

    scales = ("auto", *SCALES)

    init: str = "svd"
    scale: str = "auto"

    def _check_numbers(self, graphs):
        super()._check_numbers(graphs)
        check_choice(self.init, "init", INITS)

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
        # a vector with singular value 0 would keep its component at 0
        return [np.hstack([U, rng.random((len(U), r - U.shape[1]))]) for U in problem.shared]

    def _points(self, problem: _Problem, rng):
        start = self._start(problem, rng)
        (A, B, C), history = parafac(*problem.tensor, start, self.max_iter, self._stop)
        if self.scale == "unit" or (self.scale, self.clustering) == ("auto", "spectral"):
            return unit_columns(A), history
        lengths = np.sqrt((B**2).sum(axis=0) * (C**2).sum(axis=0))
        return A * lengths, history


@dataclass(eq=False, repr=False, kw_only=True)
class Tucker(_Decomposition):
    """x_ijb = sum_pqs g_pqs a_ip b_jq c_bs with orthonormal factors, and clusters of the rows of a.

    Higher-order orthogonal iteration starts from the leading singular vectors of the unfolded
    tensor. Nothing in it is random, so runs differ only in the clustering. The rank of a mode is
    ``rank``, or that of the unfolded tensor if it is smaller; the third is at most the number of
    graphs.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    rank : int, default=10
        Number of columns of a and b; the TSPLBM paper uses 10, 20 and 50.
    tol : float, default=1e-5
        The iterations end when the relative error decreases by no more than this.
    scale : {"unit", "weights"}, default="unit"
        Whether columns of a have unit length or carry the norms of their slices of the core.
    clustering, n_init, max_iter, affinity, kmeans_init, random_state
        See :class:`Parafac`.

    Attributes
    ----------
    row_labels_, criterion_, criterion_history_, n_iter_
        See :class:`Parafac`.

    References
    ----------
    L. R. Tucker. Some mathematical notes on three-mode factor analysis. Psychometrika 31, 1966,
    279-311.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import Tucker
    >>> graph = np.kron(np.eye(2), np.full((4, 4), 9)) + 1
    >>> Tucker(n_clusters=2, rank=2, random_state=0).fit([graph, graph]).labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """

    name = "tucker"
    title = "Tucker"
    equation_notes = (
        "A = leading left singular vectors of X_(1) (B x C), and so on for B and C (higher-order "
        "orthogonal iteration); then the rows of A are clustered."
    )
    random_factors = False

    tol: float = 1e-5
    scale: str = "unit"

    def _prepare(self, graphs):
        problem = super()._prepare(graphs)
        with threadpool_limits(1):
            start = unfolded_vectors(problem.slices, problem.transposed, self.rank)
            problem.shared = tucker(*problem.tensor, list(start), self.max_iter, self._stop)
        return problem

    def _points(self, problem: _Problem, rng):
        core, (A, _, _), history = problem.shared
        if self.scale == "unit":
            return A, history
        return A * np.sqrt((core**2).sum(axis=(1, 2))), history
