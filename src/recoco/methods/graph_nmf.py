"""Factorisations that keep neighbours together: GNMF (two factors) and GNMTF (three)."""

from numbers import Real

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from recoco.errors import RecocoError
from recoco.graphs import WEIGHTS, neighbour_graph
from recoco.methods.base import check_integer
from recoco.methods.factor_algebra import Factor, SparseMatrix, cross, diagonal, gram, inner, update
from recoco.methods.factorisation import Factorisation
from recoco.methods.nmf import residual as residual_of_two
from recoco.methods.nmtf import residual as residual_of_three
from recoco.schema import nearest

ASSIGNMENTS = {
    "k-means": "k-means on the rows of Z",
    "argmax": "the largest entry of the row of Z, see labelling",
}
KMEANS_STARTS = 5
# beyond this X has no influence any more, and products would leave what single precision holds
LARGEST_LAMBDA = 1e12


class Graph:
    """Graph of the nearest neighbours among some rows: weights A, degrees D, L = D - A."""

    def __init__(self, rows, n_neighbors, weights, dtype, columns):
        n = rows.shape[0]
        k = min(n_neighbors, n - 1)
        matrix = neighbour_graph(rows, k, weights) if k else sparse.csr_matrix((n, n))
        self.A = SparseMatrix(matrix, dtype, columns)
        self.degrees = np.asarray(matrix.sum(axis=1)).ravel()

    def D(self, F: Factor) -> Factor:
        return diagonal(self.degrees, F)

    def roughness(self, F: Factor, AF: Factor) -> np.ndarray:
        """Tr(F'LF) of every start, from AF = A F: ½ sum of a_ij |f_i - f_j|²."""
        return inner(self.D(F), F) - inner(AF, F)


class _GraphFactorisation(Factorisation):
    """Checks, and row labels by k-means, of both methods."""

    strengths = ("lam",)

    def _check(self, X):
        A = super()._check(X)
        for name in self.strengths:
            value = getattr(self, name)
            if not isinstance(value, Real) or not 0 <= value <= LARGEST_LAMBDA:
                raise RecocoError(
                    f"{name} is {value!r}: give a number from 0 to {LARGEST_LAMBDA:.0e}."
                )
        check_integer(self.n_neighbors, "n_neighbors", 1)
        for value, name, choices in (
            (self.graph_weights, "graph_weights", WEIGHTS),
            (self.assignment, "assignment", ASSIGNMENTS),
        ):
            if value not in choices:
                raise RecocoError(f"Unknown {name} {value!r}: {nearest(str(value), choices)}")
        return A

    def _graph(self, rows, dtype, columns) -> Graph:
        return Graph(rows, self.n_neighbors, self.graph_weights, dtype, columns)

    def _strength(self, name, problem) -> float:
        """λ or μ in the units of the problem, whose X is divided by 2**exponent."""
        return float(min(np.ldexp(getattr(self, name), -2 * problem.exponent), LARGEST_LAMBDA))

    def _labels(self, factors):
        rows, columns = super()._labels(factors)
        if self.assignment == "k-means":
            rows = _kmeans_labels(factors["Z"], factors["W"], factors.get("S"))
        return rows, columns


class GNMF(_GraphFactorisation):
    """Minimise ½ ||X - ZW'||² + λ/2 Tr(Z'LZ), Z, W >= 0: graph regularised NMF.

    L = D - A is the Laplacian of the graph that joins every row with its nearest neighbours by
    cosine, see :func:`recoco.graphs.neighbour_graph`.

    Parameters
    ----------
    n_clusters : int
        Number of clusters g, of rows and of columns.
    lam : float
        λ, the weight of the graph.
    n_neighbors : int
        Neighbours p of each row; of n rows at most n - 1.
    graph_weights : str
        ``binary`` or ``cosine``.
    assignment : str
        ``argmax``: a row goes where Z has its largest entry, see ``labelling``; ``k-means``: by
        k-means on the rows of Z, the columns of W having length one, from 5 fixed seedings (as
        in the paper on GNMF).
    labelling : str
        See :class:`recoco.methods.nmf.NMF`. A large λ makes the rows of Z nearly equal, so that
        the largest entry is often in the same column for all of them unless the columns are
        given the same length: hence ``unit``.
    n_init, max_iter, tol, start, precision, random_state
        See :class:`recoco.methods.nmf.NMF`.

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    Z_, W_ : arrays (n, g) and (d, g)
    criterion_ : float
    criterion_history_ : array, after each iteration, never increasing
    n_iter_ : int

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).
    λ = 100 and 5 neighbours are the values of the paper. λ acts on the scale of Z: the
    criterion is lower for small Z and large W with the same product, so what a λ means depends
    on the start. As in the paper the columns of W are brought to length one only at the end.

    References
    ----------
    D. Cai, X. He, J. Han, T. S. Huang. Graph Regularized Nonnegative Matrix Factorization for
    Data Representation. IEEE Transactions on Pattern Analysis and Machine Intelligence 33,
    2011, 1548-1560.
    """

    name = "gnmf"
    title = "GNMF"
    reference = (
        "D. Cai, X. He, J. Han, T. S. Huang. Graph Regularized Nonnegative Matrix Factorization "
        "for Data Representation. IEEE TPAMI 33, 2011."
    )
    equation_notes = (
        "Z . (XW + λAZ) / (ZW'W + λDZ), then W . X'Z / (W Z'Z); row labels by argmax of Z "
        "with columns of length one."
    )
    monotone = True

    def __init__(
        self,
        n_clusters=2,
        lam=100.0,
        n_neighbors=5,
        graph_weights="binary",
        assignment="argmax",
        n_init=1,
        max_iter=100,
        tol=1e-7,
        start="means",
        labelling="unit",
        precision="double",
        random_state=None,
    ):
        super().__init__(
            n_clusters, n_init, max_iter, tol, start, labelling, precision, random_state
        )
        self.lam = lam
        self.n_neighbors = n_neighbors
        self.graph_weights = graph_weights
        self.assignment = assignment

    def _extend(self, problem, dtype, columns):
        problem.extra.graph = self._graph(problem.A, dtype, columns)
        problem.extra.lam = self._strength("lam", problem)

    def _start(self, problem, labels, generators):
        state = super()._start(problem, labels, generators)
        state.AZ = problem.extra.graph.A @ state.Z
        return state

    def _iterate(self, problem, state):
        X, graph, lam = problem.X, problem.extra.graph, problem.extra.lam
        Z, W = state.Z, state.W
        update(Z, X @ W + lam * state.AZ, Z @ gram(W) + lam * graph.D(Z))
        P = X.T @ Z
        update(W, P, W @ gram(Z))
        state.AZ = graph.A @ Z
        return residual_of_two(problem, P, Z, W) + 0.5 * lam * graph.roughness(Z, state.AZ)


class GNMTF(_GraphFactorisation):
    """Minimise ½ ||X - ZSW'||² + λ/2 Tr(Z'L_zZ) + μ/2 Tr(W'L_wW): two graphs, three factors.

    L_z and L_w are the Laplacians of the graphs of nearest neighbours by cosine among the rows
    and among the columns, see :func:`recoco.graphs.neighbour_graph`.

    Parameters
    ----------
    n_clusters : int
        Number of row clusters g.
    n_column_clusters : int or None
        Number of column clusters m; None: as many as row clusters.
    lam, mu : float
        λ and μ, the weights of the graphs of the rows and of the columns.
    n_neighbors : int
        Neighbours of each row and of each column; of n at most n - 1.
    graph_weights : str
        ``binary`` or ``cosine``.
    assignment : str
        ``argmax``: a row goes where Z has its largest entry, see ``labelling``; ``k-means``: by
        k-means on the rows of Z, the rows of SW' having length one, from 5 fixed seedings.
    labelling : str
        See :class:`recoco.methods.nmtf.NMTF`, and :class:`GNMF` for why it is ``unit``.
    n_init, max_iter, tol, start, precision, random_state
        See :class:`recoco.methods.nmtf.NMTF`.

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    Z_, S_, W_ : arrays (n, g), (g, m) and (d, m)
    criterion_ : float
    criterion_history_ : array, after each iteration, never increasing
    n_iter_ : int

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).
    λ, μ and the number of neighbours are those of GNMF. Z and W start near one, X and so S are
    small: the graphs outweigh X from λ = μ = 1 on, and larger values change little. Small Z and
    W with a large S lower the criterion, so the scale drifts that way, slowly.

    References
    ----------
    F. Shang, L. C. Jiao, F. Wang. Graph Dual Regularization Non-negative Matrix Factorization
    for Co-clustering. Pattern Recognition 45, 2012, 2237-2250.
    """

    name = "gnmtf"
    title = "GNMTF"
    reference = (
        "F. Shang, L. C. Jiao, F. Wang. Graph Dual Regularization Non-negative Matrix "
        "Factorization for Co-clustering. Pattern Recognition 45, 2012."
    )
    equation_notes = (
        "Z . (XWS' + λA_zZ) / (ZSW'WS' + λD_zZ), W . (X'ZS + μA_wW) / (WS'Z'ZS + μD_wW), "
        "S . Z'XW / (Z'ZSW'W), in this order; row labels by argmax of Z with columns of length one."
    )
    monotone = True
    three_factors = True
    strengths = ("lam", "mu")

    def __init__(
        self,
        n_clusters=2,
        n_column_clusters=None,
        lam=100.0,
        mu=100.0,
        n_neighbors=5,
        graph_weights="binary",
        assignment="argmax",
        n_init=1,
        max_iter=100,
        tol=1e-7,
        start="means",
        labelling="unit",
        precision="double",
        random_state=None,
    ):
        super().__init__(
            n_clusters, n_init, max_iter, tol, start, labelling, precision, random_state
        )
        self.n_column_clusters = n_column_clusters
        self.lam = lam
        self.mu = mu
        self.n_neighbors = n_neighbors
        self.graph_weights = graph_weights
        self.assignment = assignment

    def _extend(self, problem, dtype, columns):
        extra = problem.extra
        extra.rows = self._graph(problem.A, dtype, columns)
        extra.columns = self._graph(problem.A.T, dtype, columns)
        extra.lam, extra.mu = self._strength("lam", problem), self._strength("mu", problem)

    def _start(self, problem, labels, generators):
        state = super()._start(problem, labels, generators)
        state.AZ = problem.extra.rows.A @ state.Z
        state.AW = problem.extra.columns.A @ state.W
        return state

    def _iterate(self, problem, state):
        X, Z, S, W = problem.X, state.Z, state.S, state.W
        rows, lam = problem.extra.rows, problem.extra.lam
        columns, mu = problem.extra.columns, problem.extra.mu
        update(Z, (X @ W) @ S.T + lam * state.AZ, Z @ (S @ gram(W) @ S.T) + lam * rows.D(Z))
        P = X.T @ Z
        update(W, P @ S + mu * state.AW, W @ (S.T @ gram(Z) @ S) + mu * columns.D(W))
        B = cross(P, W)  # Z'XW
        update(S, B, gram(Z) @ S @ gram(W))
        state.AZ, state.AW = rows.A @ Z, columns.A @ W
        roughness = lam * rows.roughness(Z, state.AZ) + mu * columns.roughness(W, state.AW)
        return residual_of_three(problem, B, Z, S, W) + 0.5 * roughness


def _kmeans_labels(Z, W, S=None) -> np.ndarray:
    """Labels by k-means on the rows of Z, scaled so that the rows of (S) W' have length one.

    The random numbers of the seedings are always the same, so the labels depend on the factors
    only. Clusters are numbered so that cluster k has as much of column k of Z as possible.
    """
    from recoco.kernels.kmeans import lloyd
    from recoco.kernels.kmeans_seeding import seed_centres

    g = Z.shape[1]
    points = Z * _lengths(W if S is None else W @ S.T)
    points = np.ascontiguousarray(points / max(points.max(), np.finfo(float).tiny))
    transposed = np.ascontiguousarray(points.T)
    trials = 2 + int(np.log(g))
    uniforms = np.random.Generator(np.random.PCG64(0)).random((KMEANS_STARTS, g, trials))
    least = np.inf
    for draws in uniforms:
        centres = points[seed_centres(transposed, draws)]
        found, inertia, _ = lloyd(points, centres, 100, 0.0)
        if inertia < least:
            least, labels = inertia, found
    shares = np.zeros((g, g))
    np.add.at(shares, labels, Z / _lengths(Z))
    return linear_sum_assignment(-shares)[1][labels]


def _lengths(F) -> np.ndarray:
    """Lengths of the columns; 1 where they are 0."""
    largest = F.max(axis=0)
    largest = np.where(largest > 0, largest, 1.0)
    lengths = largest * np.sqrt(((F / largest) ** 2).sum(axis=0))
    return np.where(lengths > 0, lengths, 1.0)
