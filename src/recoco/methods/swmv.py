"""SwMV: one graph with as many components as clusters, close to several graphs."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from threadpoolctl import threadpool_limits

from recoco.core.errors import RecocoError
from recoco.methods.base import Starts
from recoco.methods.checks import check_choice
from recoco.methods.graph_clusterer import GraphClusterer, Graphs

SUPPORTS = ("all", "edges")
# maximum number of nodes for which S may connect all of them, and for which its eigenvectors are
# computed from a dense matrix
LARGEST = 5_000
_DENSE = 3_000
# number of entries of S whose distances are computed at once
_CHUNK = 1 << 18


@dataclass
class _Problem:
    """The positions of S that may be positive, and the values of the graphs there."""

    n: int
    full: bool
    indptr: np.ndarray
    indices: np.ndarray
    rows: np.ndarray
    targets: np.ndarray  # float64 (v, places)


@dataclass(eq=False, repr=False, kw_only=True)
class SwMV(GraphClusterer):
    """Minimise sum_v ||S - A_v||_F over S with rows that sum to 1 and with g components.

    The clusters are the components of S, so k-means is not needed. With weights
    w_v = 1 / (2 ||S - A_v||) of the graphs, S and the g smoothest vectors F on S are computed in
    turn: row i of S is the projection onto the simplex of
    (sum_v w_v a_ij - lam ||f_i - f_j||^2 / 2) / sum_v w_v. While S has fewer than g components,
    lam is doubled; while it has more, lam is halved. Nothing is random: all runs are the same.

    S may never have g components. Then the components of the last S are returned and ``solved`` is
    0; the TSPLBM paper prints NA in such a case.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters g.
    n_init : int, default=1
        Ignored; present because all methods have it.
    max_iter : int, default=50
        Maximum number of updates of S.
    tol : float, default=1e-6
        With g components, the updates end when the loss changes by no more than this fraction.
    lam : float, default=1.0
        Initial weight of the smoothness; the weights of the graphs are scaled to sum 1.
    support : {"all", "edges"}, default="all"
        S may connect all nodes, as in the paper, or only those with an edge in some graph, which
        suits large sparse graphs.
    diagonal : bool, default=False
        Keep the diagonals of the graphs. A node that is most similar to itself easily becomes a
        component of its own.
    random_state : int, Generator, RandomState or None, default=None
        Ignored; present because all methods have it.

    Attributes
    ----------
    criterion_ : float
        sum_v ||S - A_v||_F, where each row of A_v is divided by its sum.
    criterion_history_ : ndarray
        The criterion after each update; it decreases as long as lam does not change.
    n_iter_ : int
        Number of updates of S.
    details_ : dict
        ``solved`` (1 or 0), ``components`` and ``lam``.
    row_labels_
        See :class:`~recoco.methods.base.Clusterer`.

    References
    ----------
    F. Nie, J. Li, X. Li. Self-weighted multiview clustering with multiple graphs. IJCAI 2017,
    2564-2570.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import SwMV
    >>> graph = np.kron(np.eye(2), np.full((4, 4), 9)) + 1
    >>> SwMV(n_clusters=2).fit([graph, graph]).labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """

    name = "swmv"
    title = "SwMV"
    equation_notes = (
        "min sum_v ||S - A_v||_F with rows of S on the simplex and rank(L_S) = n - g, by "
        "w_v = 1 / (2 ||S - A_v||_F), F = the g smoothest vectors of L_S, and rows of S as "
        "projections on the simplex."
    )
    views = "many"
    two_sided = False
    directed = True
    larger_is_better = False

    max_iter: int = 50
    tol: float = 1e-6
    lam: float = 1.0
    support: str = "all"
    diagonal: bool = False

    def _check_numbers(self, graphs):
        super()._check_numbers(graphs)
        if not isinstance(self.lam, Real) or not 0 < self.lam < np.inf:
            raise RecocoError(f"lam is {self.lam!r}: give a number above 0.")
        check_choice(self.support, "support", SUPPORTS)
        n = graphs.shape[0]
        if self.support == "all" and n > LARGEST:
            raise RecocoError(
                f"The graphs have {n} nodes and SwMV joins all pairs of them up to {LARGEST} "
                "only: use support='edges'."
            )

    def _prepare(self, graphs: Graphs) -> _Problem:
        n = graphs.shape[0]
        rows_of = [_stochastic(matrix, self.diagonal) for matrix in graphs.matrices]
        pattern = sum(sparse.csr_matrix(graph > 0, dtype=np.float64) for graph in rows_of).tocsr()
        alone = np.flatnonzero(np.diff(pattern.indptr) == 0)
        if alone.size:
            raise RecocoError(
                f"Node {alone[0]} has no edge to another node in any graph: drop such nodes."
            )
        full = self.support == "all"
        if full:
            targets = np.stack([graph.toarray().ravel() for graph in rows_of])
            indptr = np.arange(0, n * n + 1, n)
            indices = np.tile(np.arange(n), n)
        else:
            pattern.sort_indices()
            indptr, indices = pattern.indptr.astype(np.int64), pattern.indices
            pattern.data[:] = np.arange(1, pattern.nnz + 1)
            targets = np.zeros((len(rows_of), pattern.nnz))
            for target, graph in zip(targets, rows_of, strict=True):
                place = pattern.multiply(graph > 0).tocsr().data.astype(np.int64) - 1
                target[place] = graph.data
        rows = np.repeat(np.arange(n), np.diff(indptr))
        return _Problem(n, full, indptr, indices, rows, targets)

    def _run(self, problem, generators, init):
        # one thread: sums by a threaded BLAS depend on the number of threads
        with threadpool_limits(1):
            labels, history, details = self._solve(problem)
        B = len(generators)
        details = {name: np.full(B, value) for name, value in details.items()}
        return Starts.from_histories(np.tile(labels, (B, 1)), None, [history] * B, details=details)

    def _solve(self, problem: _Problem):
        g, lam = self.n_clusters, float(self.lam)
        weights = np.full(len(problem.targets), 1.0 / len(problem.targets))
        S = weights @ problem.targets
        F = _smoothest(_graph(problem, S), g)
        history: list[float] = []
        solved = None
        for _ in range(self.max_iter):
            # eq. graph
            S = _project(weights @ problem.targets - lam / 2 * _distances(problem, F), problem)
            graph = _graph(problem, S)
            norms = np.sqrt(((S - problem.targets) ** 2).sum(axis=1))
            history.append(float(norms.sum()))
            # a graph equal to S would have infinite weight
            weights = 1.0 / np.maximum(norms, 1e-12)  # eq. weights
            weights /= weights.sum()
            components, labels = connected_components(graph, directed=False)
            if components == g:
                settled = solved is not None and solved[0] == len(history) - 1
                solved = len(history), labels, components
                if settled and abs(history[-2] - history[-1]) <= self.tol * history[-2]:
                    break
            if components > g:
                lam /= 2  # F stays, because that of too many components cannot merge them again
                continue
            F = _smoothest(graph, g)
            if components < g:
                lam *= 2
        if solved is not None:
            last, labels, components = solved
            history = history[:last]
        details = {"solved": int(solved is not None), "components": components, "lam": lam}
        return labels, np.array(history), details


def _stochastic(matrix, diagonal: bool) -> sparse.csr_matrix:
    """Divide every row by its sum, with or without the diagonal; an empty row stays empty."""
    graph = matrix.copy()
    if not diagonal:
        graph.setdiag(0)
        graph.eliminate_zeros()
    total = np.asarray(graph.sum(axis=1)).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    graph.data *= np.repeat(scale, np.diff(graph.indptr))
    graph.sort_indices()
    return graph


def _graph(problem: _Problem, S) -> sparse.csr_matrix:
    """Return (S + S') / 2 without entries of weight 0."""
    n = problem.n
    graph = sparse.csr_matrix((S, problem.indices, problem.indptr), (n, n), copy=True)
    graph.eliminate_zeros()
    return ((graph + graph.T) / 2).tocsr()


def _project(values, problem: _Problem) -> np.ndarray:
    """Project every row onto the simplex (Michelot): drop negative entries and repeat."""
    starts = problem.indptr[:-1]
    active = np.ones(values.size, bool)
    while True:
        count = np.add.reduceat(active.astype(np.int64), starts)
        excess = (np.add.reduceat(np.where(active, values, 0.0), starts) - 1.0) / count
        kept = active & (values > excess[problem.rows])
        if (kept == active).all():
            return np.where(active, values - excess[problem.rows], 0.0)
        active = kept


def _distances(problem: _Problem, F) -> np.ndarray:
    """Return ||f_i - f_j||^2 at every position of S."""
    squares = (F**2).sum(axis=1)
    if problem.full:
        D = squares[:, None] + squares - 2.0 * (F @ F.T)
        np.fill_diagonal(D, 0.0)
        return np.maximum(D, 0.0).ravel()
    D = np.empty(problem.indices.size)
    for a in range(0, D.size, _CHUNK):
        part = slice(a, a + _CHUNK)
        D[part] = ((F[problem.rows[part]] - F[problem.indices[part]]) ** 2).sum(axis=1)
    return D


def _smoothest(graph: sparse.csr_matrix, g: int) -> np.ndarray:
    """Return the g eigenvectors of the Laplacian with the smallest eigenvalues, as columns."""
    n = graph.shape[0]
    degree = np.asarray(graph.sum(axis=1)).ravel()
    if n <= _DENSE or g >= n - 1:
        L = np.diag(degree) - graph.toarray()
        return linalg.eigh(L, subset_by_index=(0, g - 1))[1]
    # the smallest eigenvalues of L are the largest of 2 max(D) - L, which needs no factorisation
    top = 2.0 * degree.max()
    start = np.random.Generator(np.random.PCG64(0)).standard_normal(n)
    shifted = sparse.diags_array(top - degree).tocsr() + graph
    return eigsh(shifted, k=g, which="LA", v0=start, ncv=max(4 * g, 40), tol=1e-8)[1]  # eq. vectors
