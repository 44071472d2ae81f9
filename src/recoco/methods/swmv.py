"""SwMV: one graph with as many components as clusters, close to several graphs."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from threadpoolctl import threadpool_limits

from recoco.errors import RecocoError
from recoco.methods.base import Starts
from recoco.methods.graph_clusterer import GraphClusterer, Graphs

SUPPORTS = ("all", "edges")
# nodes up to which S may join all of them, and up to which its eigenvectors are those of a
# dense matrix
LARGEST = 5_000
_DENSE = 3_000
# entries of S whose distances are computed at a time
_CHUNK = 1 << 18


@dataclass
class _Problem:
    """Places of S that may be above 0, and what the graphs have there."""

    n: int
    full: bool
    indptr: np.ndarray
    indices: np.ndarray
    rows: np.ndarray
    targets: np.ndarray  # float64 (v, places)


class SwMV(GraphClusterer):
    """Minimise sum_v ||S - A_v||_F over S whose rows sum to 1 and which has g components.

    The clusters are the components of S, no k-means is needed. With weights
    w_v = 1 / (2 ||S - A_v||) of the graphs, S and the g smoothest vectors F on S are found in
    turn: row i of S is the projection on the simplex of
    (sum_v w_v a_ij - lam ||f_i - f_j||^2 / 2) / sum_v w_v. While S has fewer than g components,
    lam is doubled, and halved while it has more. Nothing is random: all runs are the same.

    That S ever has g components is not certain. Then the components of the last S are returned
    and ``solved`` is 0; the TSPLBM paper prints NA in such a case.

    Parameters
    ----------
    n_clusters : int
    max_iter : int
        Largest number of updates of S.
    tol : float
        With g components, the updates end when the loss changes by no more than this share.
    lam : float
        First weight of the smoothness; the weights of the graphs are scaled to sum 1.
    support : {"all", "edges"}
        S may join all nodes, as in the paper, or only those that have an edge in some graph:
        for large sparse graphs.
    diagonal : bool
        Keep the diagonals of the graphs. A node that is most similar to itself easily
        becomes a component of its own.
    n_init, random_state : taken by all methods, without effect here

    Attributes
    ----------
    row_labels_ : array of int
    criterion_ : float, sum_v ||S - A_v||_F, each row of A_v divided by its sum
    criterion_history_ : array, the same after each update; falls if lam does not change
    details_ : dict with ``solved`` (1 or 0), ``components`` and ``lam``

    References
    ----------
    F. Nie, J. Li, X. Li. Self-weighted multiview clustering with multiple graphs. IJCAI 2017,
    2564-2570.
    """

    name = "swmv"
    title = "SwMV"
    reference = (
        "F. Nie, J. Li, X. Li. Self-weighted multiview clustering with multiple graphs. IJCAI 2017."
    )
    equation_notes = (
        "min sum_v ||S - A_v||_F with rows of S on the simplex and rank(L_S) = n - g, by "
        "w_v = 1 / (2 ||S - A_v||_F), F = the g smoothest vectors of L_S, and rows of S as "
        "projections on the simplex."
    )
    views = "many"
    two_sided = False
    directed = True
    larger_is_better = False

    def __init__(
        self,
        n_clusters=2,
        n_init=1,
        max_iter=50,
        tol=1e-6,
        lam=1.0,
        support="all",
        diagonal=False,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.lam = lam
        self.support = support
        self.diagonal = diagonal
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        # thirty iterations, and about as many runs share one solution
        return 1e-10 * min(n, _DENSE) ** 3 + 1e-7 * nnz * n_clusters

    def _check_numbers(self, graphs):
        super()._check_numbers(graphs)
        if not isinstance(self.lam, Real) or not 0 < self.lam < np.inf:
            raise RecocoError(f"lam is {self.lam!r}: give a number above 0.")
        if self.support not in SUPPORTS:
            raise RecocoError(f"support is {self.support!r}: give one of {', '.join(SUPPORTS)}.")
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
        # one thread: sums of a threaded BLAS depend on the number of threads
        with threadpool_limits(1):
            labels, history, details = self._solve(problem)
        B = len(generators)
        return Starts(
            np.tile(labels, (B, 1)),
            None,
            np.full(B, history[-1]),
            np.full(B, len(history), np.int32),
            [history] * B,
            {name: np.full(B, value) for name, value in details.items()},
        )

    def _solve(self, problem: _Problem):
        g, lam = self.n_clusters, float(self.lam)
        weights = np.full(len(problem.targets), 1.0 / len(problem.targets))
        S = weights @ problem.targets
        F = _smoothest(_graph(problem, S), g)
        history: list[float] = []
        solved = None
        for _ in range(self.max_iter):
            S = _project(weights @ problem.targets - lam / 2 * _distances(problem, F), problem)
            graph = _graph(problem, S)
            norms = np.sqrt(((S - problem.targets) ** 2).sum(axis=1))
            history.append(float(norms.sum()))
            # a graph that S equals would have all the weight: keep it finite
            weights = 1.0 / np.maximum(norms, 1e-12)
            weights /= weights.sum()
            components, labels = connected_components(graph, directed=False)
            if components == g:
                settled = solved is not None and solved[0] == len(history) - 1
                solved = len(history), labels, components
                if settled and abs(history[-2] - history[-1]) <= self.tol * history[-2]:
                    break
            if components > g:
                lam /= 2  # and F stays: that of too many components cannot join them again
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
    """(S + S') / 2, without places of weight 0."""
    n = problem.n
    graph = sparse.csr_matrix((S, problem.indices, problem.indptr), (n, n), copy=True)
    graph.eliminate_zeros()
    return ((graph + graph.T) / 2).tocsr()


def _project(values, problem: _Problem) -> np.ndarray:
    """Project the places of every row on the simplex (Michelot): drop what is negative, repeat."""
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
    """||f_i - f_j||^2 at every place of S."""
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
    """The g eigenvectors of the Laplacian with the smallest eigenvalues, as columns."""
    n = graph.shape[0]
    degree = np.asarray(graph.sum(axis=1)).ravel()
    if n <= _DENSE or g >= n - 1:
        L = np.diag(degree) - graph.toarray()
        return linalg.eigh(L, subset_by_index=(0, g - 1))[1]
    # the smallest of L are the largest of 2 max(D) - L: no factors of L are needed
    top = 2.0 * degree.max()
    start = np.random.Generator(np.random.PCG64(0)).standard_normal(n)
    shifted = sparse.diags_array(top - degree).tocsr() + graph
    return eigsh(shifted, k=g, which="LA", v0=start, ncv=max(4 * g, 40), tol=1e-8)[1]
