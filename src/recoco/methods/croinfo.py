"""CROINFO: co-clustering by the mutual information of the reduced table."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.methods.base import CoClusterer, Starts, check_integer, label_dtype


@dataclass
class _Problem:
    """The matrix as a distribution, by rows and by columns."""

    by_row: sparse.csr_matrix
    by_column: sparse.csr_matrix


class CROINFO(CoClusterer):
    """Maximise the mutual information between clusters of rows and clusters of columns.

    With P = X / x.. and p_kl the sums of P over the blocks, row i goes to the cluster of largest
    sum_l p_il log(p_kl / p_k.), then the table is computed again, and the same is done for the
    columns. Neither part of a step lowers the criterion; it is that of ITCC.

    Parameters
    ----------
    n_clusters : int
        Number of clusters of rows g.
    n_column_clusters : int or None
        Number of clusters of columns m; None is g.
    n_init : int
        Starts per run; the one with the largest mutual information is kept.
    max_iter : int
        Largest number of iterations (a row and a column half-step each).
    tol : float
        A start ends when its criterion grows by no more than this share of itself.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    criterion_ : float, mutual information in nats
    criterion_history_ : array, the criterion after each iteration, never decreasing
    n_iter_ : int

    Notes
    -----
    The method is not diagonal: any cluster of rows may go with any of columns. Where their
    numbers are equal, the clusters of columns are renamed so that rows and columns of one name
    have the largest modularity; this changes no partition. Clusters may become empty and stay
    so. Ties go to the lowest cluster, so an empty row is in cluster 0.
    ``fit(X, init=labels)`` starts from the given column labels (d values in 0..m-1) and every
    row in the cluster k < g whose columns have most of its weight.

    References
    ----------
    G. Govaert, M. Nadif. Co-Clustering: Models, Algorithms and Applications. Wiley, 2013.
    I. S. Dhillon, S. Mallela, D. S. Modha. Information-theoretic Co-clustering. KDD 2003, 89-98.
    """

    name = "croinfo"
    title = "CROINFO"
    reference = (
        "G. Govaert, M. Nadif. Co-Clustering: Models, Algorithms and Applications. Wiley 2013; "
        "the objective is that of I. S. Dhillon, S. Mallela, D. S. Modha, KDD 2003."
    )
    equation_notes = (
        "Rows by argmax of sum_l p_il log(p_kl / (p_k. p_.l)), columns by argmax of "
        "sum_k p_kj log(p_kl / (p_k. p_.l)), the table p_kl computed again after each; "
        "criterion: mutual information of the table."
    )
    monotone = True

    def __init__(
        self,
        n_clusters=2,
        n_column_clusters=None,
        n_init=1,
        max_iter=100,
        tol=1e-9,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_column_clusters = n_column_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @property
    def columns_(self):
        return self.column_labels_[None] == np.arange(self._m)[:, None]

    @property
    def _m(self) -> int:
        return self.n_clusters if self.n_column_clusters is None else self.n_column_clusters

    def _check(self, X):
        A = super()._check(X)
        if self.n_column_clusters is not None:
            m = check_integer(self.n_column_clusters, "n_column_clusters", 1)
            if m > A.shape[1]:
                raise RecocoError(
                    f"{m} clusters of columns were asked of a matrix with {A.shape[1]} columns: "
                    f"ask for at most {A.shape[1]}."
                )
        return A

    def _check_init(self, A, init):
        init = np.asarray(init)
        m = self._m
        if init.shape != (A.shape[1],) or init.dtype.kind not in "iu":
            raise RecocoError(
                f"The start has shape {init.shape} and type {init.dtype}: "
                f"give {A.shape[1]} whole numbers, the label of each column."
            )
        if init.min() < 0 or init.max() >= m:
            raise RecocoError(
                f"The start has labels from {init.min()} to {init.max()}: "
                f"{m} clusters are numbered 0 to {m - 1}."
            )
        return init

    def _batch_size(self, A):
        return int(np.clip(A.nnz // sum(A.shape), 8, 32))

    def _prepare(self, A):
        P = sparse.csr_matrix((A.data / A.data.sum(), A.indices, A.indptr), shape=A.shape)
        return _Problem(P, P.T.tocsr())

    def _run(self, problem, generators, init):
        n, d = problem.by_row.shape
        g, m = self.n_clusters, self._m
        if init is None:
            rows = [r.integers(g, size=n) for r in generators]
            columns = [r.integers(m, size=d) for r in generators]
        else:
            W = np.eye(max(g, m))[init][:, :g]
            rows, columns = [(problem.by_row @ W).argmax(axis=1)], [init]
        return _maximise(problem, rows, columns, g, m, self.max_iter, self.tol)


def _slots(labels, dtype):
    """Labels (n, B) as slots: cluster k of start b is k * B + b."""
    B = labels.shape[1]
    return labels.astype(dtype) * dtype(B) + np.arange(B, dtype=dtype)


def _maximise(problem, row_labels, column_labels, g, m, max_iter, tol) -> Starts:
    """Alternate from every given pair of partitions."""
    import numba

    from recoco.kernels import croinfo as kernel

    P, Pt = problem.by_row, problem.by_column
    B = len(row_labels)
    by_row = (P.indptr, P.indices, P.data)
    by_column = (Pt.indptr, Pt.indices, Pt.data)
    # for less work than this the threads take longer to start than to finish
    threads = numba.get_num_threads() if P.nnz * B > 200_000 else 1
    assign = kernel.assign_parallel if threads > 1 else kernel.assign
    dtype = np.uint16 if max(g, m) * B <= np.iinfo(np.uint16).max else np.uint32
    out_dtype = label_dtype(max(g, m))

    Z, W = np.array(row_labels, out_dtype), np.array(column_labels, out_dtype)
    tables = np.zeros((B, g, m))
    histories = np.full((B, max_iter), -np.inf)
    n_iter = np.zeros(B, np.int32)
    active = np.arange(B)
    rows, columns = (np.ascontiguousarray(labels.T.astype(dtype)) for labels in (Z, W))
    table = np.empty((g, m * B))
    kernel.reduced_table(*by_row, rows, _slots(columns, dtype), table)
    for iteration in range(max_iter):
        width = active.size
        logs = kernel.conditional_logs(table, width)
        table, moves = assign(*by_row, _slots(columns, dtype), logs, rows)
        logs = kernel.conditional_logs(kernel.turned(table, width), width)
        other, others = assign(*by_column, _slots(rows, dtype), logs, columns)
        table = kernel.turned(other, width)
        value = kernel.information(table, width)
        histories[active, iteration] = value
        n_iter[active] = iteration + 1
        ended = (moves + others == 0) | (iteration + 1 == max_iter)
        if iteration:
            ended |= value - histories[active, iteration - 1] <= tol * np.abs(value)
        if not ended.any():
            continue
        Z[active[ended]] = rows[:, ended].T
        W[active[ended]] = columns[:, ended].T
        wide = table.reshape(g, m, width)
        tables[active[ended]] = np.moveaxis(wide[:, :, ended], 2, 0)
        active = active[~ended]
        if active.size == 0:
            break
        rows = np.ascontiguousarray(rows[:, ~ended])
        columns = np.ascontiguousarray(columns[:, ~ended])
        table = np.ascontiguousarray(wide[:, :, ~ended]).reshape(g, -1)
    if g == m:
        for b in range(B):
            W[b] = paired(tables[b])[W[b]]
    histories = [history[:steps].copy() for history, steps in zip(histories, n_iter, strict=True)]
    return Starts(Z, W, np.array([history[-1] for history in histories]), n_iter, histories)


def paired(table: np.ndarray) -> np.ndarray:
    """New names of the column clusters: those with which the diagonal is most modular."""
    from scipy.optimize import linear_sum_assignment

    gain = table - np.outer(table.sum(axis=1), table.sum(axis=0))
    rows, columns = linear_sum_assignment(gain, maximize=True)
    names = np.empty(len(table), np.int64)
    names[columns] = rows
    return names
