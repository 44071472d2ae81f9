"""CoClus: diagonal co-clustering by direct maximisation of graph modularity."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.methods.arrays import parts, slot_dtype, slots
from recoco.methods.base import CoClusterer, Starts, finished, label_dtype
from recoco.methods.checks import check_labels

# When at most this fraction of the columns changes, a start leaves the batch and is finished on its
# own, reading only what moves. This affects only speed: it depends on the start alone, so the
# result does not depend on the batch.
SETTLED = 0.1


@dataclass
class _Problem:
    """The matrix by rows and by columns, with its margins."""

    by_row: sparse.csr_matrix
    by_column: sparse.csr_matrix
    row_degree: np.ndarray
    column_degree: np.ndarray
    total: float


@dataclass(eq=False, repr=False, kw_only=True)
class CoClus(CoClusterer):
    """Maximise bipartite modularity by alternating exact half-steps (Algorithm 1).

    Starting from a random partition of the columns, every row and then every column is put in
    the co-cluster with the largest gain, until the modularity no longer changes. The lowest
    cluster wins a tie, so an empty row or column is in cluster 0. Clusters may become empty; the
    paper proposes no remedy, and none is applied.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of co-clusters g.
    max_iter : int, default=100
        Maximum number of iterations, each a row and a column half-step.
    tol : float, default=1e-9
        A start ends when its modularity grows by no more than this fraction of itself.
    n_init, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        The modularity Q.
    criterion_history_ : ndarray
        Q after each iteration; it never decreases.
    row_labels_, column_labels_, n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given column labels (d values in 0..g-1).
    The matrix A - a_i. a_.j / a_.. is never built.

    References
    ----------
    M. Ailem, F. Role, M. Nadif. Co-clustering Document-term Matrices by Direct Maximization of
    Graph Modularity. CIKM 2015, 1807-1810.

    Examples
    --------
    >>> from recoco import CoClus
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> model = CoClus(n_clusters=2, n_init=5, random_state=0).fit(X)
    >>> model.row_labels_.tolist(), model.column_labels_.tolist()
    ([1, 1, 0, 0], [1, 1, 0, 0])
    """

    name = "coclus"
    title = "CoClus"
    equation_notes = (
        "Algorithm 1: rows by argmax of a^W_il - a_i. a^W_.l / a_.., columns by argmax of "
        "a^Z_jl - a_.j a^Z_.l / a_.. (Proposition 1); criterion: eq. 2."
    )
    monotone = True

    tol: float = 1e-9

    def _check_init(self, A, init):
        return check_labels(init, A.shape[1], self.n_clusters, "column")

    def _batch_size(self, A):
        # labels and slots (2 bytes each) and sums by chunk must be small relative to the matrix
        n, d = A.shape
        per_start = 4 * (n + d) + 8 * self.n_clusters * (2 + (n + d) // 256)
        return int(np.clip(A.nnz * 12 // per_start, 8, 64))

    def _prepare(self, A):
        by_column = A.T.tocsr()
        row_degree = np.asarray(A.sum(axis=1)).ravel()
        column_degree = np.asarray(by_column.sum(axis=1)).ravel()
        return _Problem(A, by_column, row_degree, column_degree, float(row_degree.sum()))

    def _columns(self, d, generators, init):
        """Step 1: return a random partition of the columns for each start, or the given one."""
        if init is not None:
            return [init]
        return [rng.integers(self.n_clusters, size=d) for rng in generators]

    def _run(self, problem, generators, init):
        starts = self._columns(problem.by_column.shape[0], generators, init)
        return _maximise(problem, starts, self.n_clusters, self.max_iter, self.tol)


def _maximise(problem: _Problem, column_labels, g: int, max_iter: int, tol: float) -> Starts:
    """Run Algorithm 1 from every given partition of the columns."""
    import numba

    from recoco.kernels import modularity as kernel

    A, At = problem.by_row, problem.by_column
    (n, d), B = A.shape, len(column_labels)
    by_row = (*parts(A), problem.row_degree)
    by_column = (*parts(At), problem.column_degree)
    total = problem.total
    # for less work than this, starting threads takes longer than they save
    threads = numba.get_num_threads() if A.nnz * B > 200_000 else 1
    assign = kernel.assign_parallel if threads > 1 else kernel.assign
    settle = kernel.settle_parallel if threads > 1 else kernel.settle

    Z = np.zeros((B, n), label_dtype(g))
    W = np.array(column_labels, label_dtype(g))
    histories = np.full((B, max_iter), -np.inf)
    n_iter = np.zeros(B, np.int32)
    settling = np.zeros(B, bool)
    dtype = slot_dtype(g * B)
    active = np.arange(B)
    columns = slots(W.T, dtype)
    column_mass = kernel.cluster_masses(problem.column_degree, columns, g * B)
    rows = np.zeros((n, B), dtype)
    for iteration in range(max_iter):
        # steps 2 and 3: A^W and the rows
        row_mass, _, _ = assign(*by_row, total, columns, column_mass, rows)
        # steps 4 and 5: A^Z and the columns
        column_mass, gain, moves = assign(*by_column, total, rows, row_mass, columns)
        # step 6: the scores of the columns sum to a_..^2 Q
        Q = gain / total**2  # eq. Algorithm 1, step 6
        histories[active, iteration] = Q
        n_iter[active] = iteration + 1
        # if no column moves, the rows and Q will not change either
        ended = (moves == 0) | (iteration + 1 == max_iter)
        if iteration:
            ended |= Q - histories[active, iteration - 1] <= tol * np.abs(Q)
        leaving = ended | (moves <= SETTLED * d)
        if not leaving.any():
            continue
        width = active.size
        Z[active[leaving]] = (rows[:, leaving] // width).T
        W[active[leaving]] = (columns[:, leaving] // width).T
        settling[active[leaving & ~ended]] = True
        active = active[~leaving]
        if active.size == 0:
            break
        columns = slots(columns[:, ~leaving] // width, dtype)
        column_mass = column_mass.reshape(g, width)[:, ~leaving].ravel()
        rows = np.zeros((n, active.size), dtype)
    chosen = np.flatnonzero(settling)
    settle(by_row, by_column, total, g, chosen, Z, W, n_iter, tol, histories)
    return Starts.from_histories(Z, W, finished(histories, n_iter))
