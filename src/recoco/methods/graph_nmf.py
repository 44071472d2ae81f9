"""Factorisations that keep neighbours together: GNMF (two factors) and GNMTF (three)."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from recoco.core.errors import RecocoError
from recoco.methods.arrays import lengths
from recoco.methods.checks import check_choice, check_integer
from recoco.methods.factor_algebra import Factor, SparseMatrix, cross, diagonal, gram, inner, update
from recoco.methods.factorisation import Factorisation
from recoco.methods.neighbour_graphs import WEIGHTS, neighbour_graph
from recoco.methods.nmf import residual as residual_of_two
from recoco.methods.nmtf import residual as residual_of_three

ASSIGNMENTS = {
    "k-means": "k-means on the rows of Z",
    "argmax": "the largest entry of the row of Z, see labelling",
}
KMEANS_STARTS = 5
# beyond this X has no influence, and products would exceed single precision
LARGEST_LAMBDA = 1e12


class Graph:
    """Graph of nearest neighbours among rows: weights A, degrees D, Laplacian L = D - A."""

    def __init__(self, rows: Any, n_neighbors: int, weights: Any, dtype: Any, columns: Any):
        n = rows.shape[0]
        k = min(n_neighbors, n - 1)
        matrix = neighbour_graph(rows, k, weights) if k else sparse.csr_matrix((n, n))
        self.A = SparseMatrix(matrix, dtype, columns)
        self.degrees = np.asarray(matrix.sum(axis=1)).ravel()

    def D(self, F: Factor) -> Factor:
        return diagonal(self.degrees, F)

    def roughness(self, F: Factor, AF: Factor) -> np.ndarray:
        """Return Tr(F'LF) of every start, given AF = A F: ½ sum of a_ij |f_i - f_j|²."""
        return inner(self.D(F), F) - inner(AF, F)  # eq. roughness


@dataclass(eq=False, repr=False, kw_only=True)
class _GraphFactorisation(Factorisation):
    """Parameters, their checks, and row labels by k-means, of both methods."""

    monotone = True
    strengths: ClassVar[tuple[str, ...]] = ("lam",)

    lam: float = 100.0
    n_neighbors: int = 5
    graph_weights: str = "binary"
    assignment: str = "argmax"
    labelling: str = "unit"

    def _check_numbers(self, A):
        super()._check_numbers(A)
        for name in self.strengths:
            value: float = getattr(self, name)
            if not isinstance(value, Real) or not 0 <= value <= LARGEST_LAMBDA:
                raise RecocoError(
                    f"{name} is {value!r}: give a number from 0 to {LARGEST_LAMBDA:.0e}."
                )
        check_integer(self.n_neighbors, "n_neighbors", 1)
        check_choice(self.graph_weights, "graph_weights", WEIGHTS)
        check_choice(self.assignment, "assignment", ASSIGNMENTS)

    def _graph(self, rows, dtype, columns) -> Graph:
        return Graph(rows, self.n_neighbors, self.graph_weights, dtype, columns)

    def _strength(self, name, problem) -> float:
        """Return λ or μ in the units of the problem, whose X is divided by 2**exponent."""
        return float(min(np.ldexp(getattr(self, name), -2 * problem.exponent), LARGEST_LAMBDA))

    def _labels(self, factors):
        rows, columns = super()._labels(factors)
        if self.assignment == "k-means":
            rows = _kmeans_labels(factors["Z"], factors["W"], factors.get("S"))
        return rows, columns


class GNMF(_GraphFactorisation):
    """Graph-regularised NMF: minimise ½ ||X - ZW'||² + λ/2 Tr(Z'LZ) with Z, W >= 0.

    L = D - A is the Laplacian of the graph that connects every row with its nearest neighbours by
    cosine, see :func:`recoco.methods.neighbour_graphs.neighbour_graph`.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters g of rows and of columns.
    lam : float, default=100.0
        λ, the weight of the graph.
    n_neighbors : int, default=5
        Number of neighbours of each row, at most n - 1.
    graph_weights : {"binary", "cosine"}, default="binary"
        Weight of an edge: 1, or the cosine of its rows.
    assignment : {"argmax", "k-means"}, default="argmax"
        ``argmax`` puts a row where Z has its largest entry, see ``labelling``. ``k-means``
        clusters the rows of Z, with columns of W scaled to unit length, from 5 fixed seedings (as
        in the GNMF paper).
    labelling : {"plain", "unit", "share"}, default="unit"
        How a row of Z becomes a label, see :class:`~recoco.methods.nmf.NMF`. The default is
        ``unit`` because a large λ makes the rows of Z nearly equal, so their largest entries are
        often in the same column unless the columns have the same length.
    n_init, max_iter, tol, start, precision, random_state
        See :class:`~recoco.methods.nmf.NMF`.

    Attributes
    ----------
    criterion_ : float
        The criterion above.
    row_labels_, column_labels_, Z_, W_, criterion_history_, n_iter_
        See :class:`~recoco.methods.nmf.NMF`.

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).
    λ = 100 and 5 neighbours are the values of the paper. λ acts on the scale of Z: small Z and
    large W with the same product have a lower criterion, so the effect of λ depends on the start.
    As in the paper, the columns of W are scaled to unit length only at the end.

    References
    ----------
    D. Cai, X. He, J. Han, T. S. Huang. Graph Regularized Nonnegative Matrix Factorization for
    Data Representation. IEEE Transactions on Pattern Analysis and Machine Intelligence 33,
    2011, 1548-1560.

    Examples
    --------
    >>> from recoco import GNMF
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> GNMF(n_clusters=2, n_neighbors=1, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "gnmf"
    title = "GNMF"
    equation_notes = (
        "Z . (XW + λAZ) / (ZW'W + λDZ), then W . X'Z / (W Z'Z); row labels by argmax of Z "
        "with columns of length one."
    )

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
        update(Z, X @ W + lam * state.AZ, Z @ gram(W) + lam * graph.D(Z))  # eq. update of Z
        P = X.T @ Z
        update(W, P, W @ gram(Z))  # eq. update of W
        state.AZ = graph.A @ Z
        return residual_of_two(problem, P, Z, W) + 0.5 * lam * graph.roughness(Z, state.AZ)


@dataclass(eq=False, repr=False, kw_only=True)
class GNMTF(_GraphFactorisation):
    """Minimise ½ ||X - ZSW'||² + λ/2 Tr(Z'L_zZ) + μ/2 Tr(W'L_wW): three factors and two graphs.

    L_z and L_w are the Laplacians of the graphs of nearest neighbours by cosine among the rows and
    among the columns, see :func:`recoco.methods.neighbour_graphs.neighbour_graph`.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of row clusters g.
    n_column_clusters : int or None, default=None
        Number of column clusters m. None means g.
    lam, mu : float, default=100.0
        λ and μ, the weights of the graphs of the rows and of the columns.
    n_neighbors : int, default=5
        Number of neighbours of each row and of each column, at most n - 1 of n.
    graph_weights : {"binary", "cosine"}, default="binary"
        Weight of an edge: 1, or the cosine of its rows.
    assignment : {"argmax", "k-means"}, default="argmax"
        ``argmax`` puts a row where Z has its largest entry, see ``labelling``. ``k-means``
        clusters the rows of Z, with rows of SW' scaled to unit length, from 5 fixed seedings.
    labelling : {"plain", "unit", "share"}, default="unit"
        How a row of Z becomes a label, see :class:`recoco.methods.nmtf.NMTF`, and :class:`GNMF`
        for the default.
    n_init, max_iter, tol, start, precision, random_state
        See :class:`~recoco.methods.nmtf.NMTF`.

    Attributes
    ----------
    criterion_ : float
        The criterion above.
    row_labels_, column_labels_, Z_, S_, W_, criterion_history_, n_iter_
        See :class:`~recoco.methods.nmtf.NMTF`.

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).
    λ, μ and the number of neighbours are those of GNMF. Z and W start near one, while X and
    therefore S are small: the graphs outweigh X from λ = μ = 1 on, and larger values change little.
    Small Z and W with a large S lower the criterion, so the scale slowly drifts in that direction.

    References
    ----------
    F. Shang, L. C. Jiao, F. Wang. Graph Dual Regularization Non-negative Matrix Factorization
    for Co-clustering. Pattern Recognition 45, 2012, 2237-2250.

    Examples
    --------
    >>> from recoco import GNMTF
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> GNMTF(n_clusters=2, n_neighbors=1, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "gnmtf"
    title = "GNMTF"
    equation_notes = (
        "Z . (XWS' + λA_zZ) / (ZSW'WS' + λD_zZ), W . (X'ZS + μA_wW) / (WS'Z'ZS + μD_wW), "
        "S . Z'XW / (Z'ZSW'W), in this order; row labels by argmax of Z with columns of length one."
    )
    three_factors = True
    strengths = ("lam", "mu")

    n_column_clusters: int | None = None
    mu: float = 100.0

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
        # eq. update of Z
        update(Z, (X @ W) @ S.T + lam * state.AZ, Z @ (S @ gram(W) @ S.T) + lam * rows.D(Z))
        P = X.T @ Z
        # eq. update of W
        update(W, P @ S + mu * state.AW, W @ (S.T @ gram(Z) @ S) + mu * columns.D(W))
        B = cross(P, W)  # Z'XW
        update(S, B, gram(Z) @ S @ gram(W))  # eq. update of S
        state.AZ, state.AW = rows.A @ Z, columns.A @ W
        roughness = lam * rows.roughness(Z, state.AZ) + mu * columns.roughness(W, state.AW)
        return residual_of_three(problem, B, Z, S, W) + 0.5 * roughness


def _kmeans_labels(Z, W, S=None) -> np.ndarray:
    """Return labels by k-means on the rows of Z, scaled such that rows of (S) W' have unit length.

    The random numbers of the seedings are fixed, so the labels depend only on the factors.
    Clusters are numbered such that cluster k has as much of column k of Z as possible.
    """
    from recoco.kernels.kmeans import lloyd
    from recoco.kernels.kmeans_seeding import seed_centres

    g = Z.shape[1]
    points = Z * lengths(W if S is None else W @ S.T)
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
    np.add.at(shares, labels, Z / lengths(Z))
    return linear_sum_assignment(-shares)[1][labels]
