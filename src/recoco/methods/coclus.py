"""CoClus: diagonal co-clustering by direct maximisation of graph modularity."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.methods.base import CoClusterer, Starts, check_labels, label_dtype

# When no more than this share of the columns changes, a start leaves the batch and is ended on
# its own, reading only what moves. A matter of speed: it depends on the start alone, so the
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


class CoClus(CoClusterer):
    """Maximise bipartite modularity by alternating exact half-steps (Algorithm 1).

    Starting from a random partition of the columns, every row and then every column is put in
    the co-cluster that gains most, until the modularity no longer changes. Ties go to the
    lowest cluster, so an empty row or column is in cluster 0. Clusters may become empty; the
    paper has no remedy, and none is applied.

    Parameters
    ----------
    n_clusters : int
        Number of co-clusters g.
    n_init : int
        Starts per run; the one with the largest modularity is kept.
    max_iter : int
        Largest number of iterations (a row and a column half-step each).
    tol : float
        A start ends when its modularity grows by no more than this share of itself.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    criterion_ : float, the modularity Q
    criterion_history_ : array, Q after each iteration, never decreasing
    n_iter_ : int

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given column labels (d values in 0..g-1).
    The matrix A - a_i. a_.j / a_.. is never formed.

    References
    ----------
    M. Ailem, F. Role, M. Nadif. Co-clustering Document-term Matrices by Direct Maximization of
    Graph Modularity. CIKM 2015, 1807-1810.
    """

    name = "coclus"
    title = "CoClus"
    reference = (
        "M. Ailem, F. Role, M. Nadif. Co-clustering Document-term Matrices by Direct "
        "Maximization of Graph Modularity. CIKM 2015."
    )
    equation_notes = (
        "Algorithm 1: rows by argmax of a^W_il - a_i. a^W_.l / a_.., columns by argmax of "
        "a^Z_jl - a_.j a^Z_.l / a_.. (Proposition 1); criterion: eq. 2."
    )
    monotone = True

    def __init__(self, n_clusters=2, n_init=1, max_iter=100, tol=1e-9, random_state=None):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_init(self, A, init):
        return check_labels(init, A.shape[1], self.n_clusters, "column")

    def _batch_size(self, A):
        # labels and slots (2 bytes each) and sums by chunk must stay small beside the matrix
        n, d = A.shape
        per_start = 4 * (n + d) + 8 * self.n_clusters * (2 + (n + d) // 256)
        return int(np.clip(A.nnz * 12 // per_start, 8, 64))

    def _prepare(self, A):
        by_column = A.T.tocsr()
        row_degree = np.asarray(A.sum(axis=1)).ravel()
        column_degree = np.asarray(by_column.sum(axis=1)).ravel()
        return _Problem(A, by_column, row_degree, column_degree, float(row_degree.sum()))

    def _run(self, problem, generators, init):
        d = problem.by_column.shape[0]
        if init is None:
            # step 1: a random partition of the columns
            starts = [rng.integers(self.n_clusters, size=d) for rng in generators]
        else:
            starts = [init]
        return _maximise(problem, starts, self.n_clusters, self.max_iter, self.tol)


def _maximise(problem: _Problem, column_labels, g: int, max_iter: int, tol: float) -> Starts:
    """Run Algorithm 1 from every given partition of the columns."""
    import numba

    from recoco.kernels import modularity as kernel

    A, At = problem.by_row, problem.by_column
    (n, d), B = A.shape, len(column_labels)
    by_row = (A.indptr, A.indices, A.data, problem.row_degree)
    by_column = (At.indptr, At.indices, At.data, problem.column_degree)
    total = problem.total
    # for less work than this the threads take longer to start than to finish
    threads = numba.get_num_threads() if A.nnz * B > 200_000 else 1
    assign = kernel.assign_parallel if threads > 1 else kernel.assign
    settle = kernel.settle_parallel if threads > 1 else kernel.settle

    Z = np.zeros((B, n), label_dtype(g))
    W = np.array(column_labels, label_dtype(g))
    histories = np.full((B, max_iter), -np.inf)
    n_iter = np.zeros(B, np.int32)
    settling = np.zeros(B, bool)
    slot_dtype = np.uint16 if g * B <= np.iinfo(np.uint16).max else np.uint32
    active = np.arange(B)
    columns = _slots(W.T, slot_dtype)
    column_mass = kernel.cluster_masses(problem.column_degree, columns, g * B)
    rows = np.zeros((n, B), slot_dtype)
    for iteration in range(max_iter):
        # steps 2 and 3: A^W and the rows
        row_mass, _, _ = assign(*by_row, total, columns, column_mass, rows)
        # steps 4 and 5: A^Z and the columns
        column_mass, gain, moves = assign(*by_column, total, rows, row_mass, columns)
        # step 6: the scores of the columns add up to a_..^2 Q
        Q = gain / total**2
        histories[active, iteration] = Q
        n_iter[active] = iteration + 1
        # columns that all stay would leave the rows, and so Q, as they are
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
        columns = _slots(columns[:, ~leaving] // width, slot_dtype)
        column_mass = column_mass.reshape(g, width)[:, ~leaving].ravel()
        rows = np.zeros((n, active.size), slot_dtype)
    chosen = np.flatnonzero(settling)
    settle(by_row, by_column, total, g, chosen, Z, W, n_iter, tol, histories)
    histories = [history[:steps].copy() for history, steps in zip(histories, n_iter, strict=True)]
    return Starts(Z, W, np.array([history[-1] for history in histories]), n_iter, histories)


def _slots(labels, dtype):
    """Labels (d, B) as the slots of the kernel: cluster k of start b is k * B + b."""
    B = labels.shape[1]
    return labels.astype(dtype) * dtype(B) + np.arange(B, dtype=dtype)
