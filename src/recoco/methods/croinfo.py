"""CROINFO: co-clustering by the mutual information of the reduced table."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.methods.arrays import parts, slot_dtype, slots
from recoco.methods.base import CoClusterer, Starts, finished, label_dtype
from recoco.methods.checks import check_labels


@dataclass
class _Problem:
    """The matrix as a distribution, by rows and by columns."""

    by_row: sparse.csr_matrix
    by_column: sparse.csr_matrix


@dataclass(eq=False, repr=False, kw_only=True)
class CROINFO(CoClusterer):
    """Maximise the mutual information between row clusters and column clusters.

    With P = X / x.. and p_kl the sums of P over the blocks, row i is put in the cluster with the
    largest sum_l p_il log(p_kl / p_k.). The table is then computed again, and the same is done for
    the columns. No half-step decreases the criterion, which is that of ITCC.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of row clusters g.
    n_column_clusters : int or None, default=None
        Number of column clusters m. None means g.
    max_iter : int, default=100
        Maximum number of iterations, each a row and a column half-step.
    tol : float, default=1e-9
        A start ends when its criterion grows by no more than this fraction of itself.
    n_init, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        The mutual information in nats.
    criterion_history_ : ndarray
        The criterion after each iteration; it never decreases.
    row_labels_, column_labels_, n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    The method is not diagonal: any row cluster may correspond to any column cluster, and where g
    and m differ, each of the g m blocks is a bicluster. If there are equally many, the column
    clusters are renumbered such that rows and columns with the same number
    have the largest modularity; this does not change the partitions. Clusters may become empty and
    stay empty. The lowest cluster wins a tie, so an empty row is in cluster 0.
    ``fit(X, init=labels)`` starts from the given column labels (d values in 0..m-1), and from every
    row in the cluster k < g whose columns have most of its weight.

    References
    ----------
    G. Govaert, M. Nadif. Co-Clustering: Models, Algorithms and Applications. Wiley, 2013. The
    objective is that of I. S. Dhillon, S. Mallela, D. S. Modha. Information-theoretic
    Co-clustering. KDD 2003, 89-98.

    Examples
    --------
    >>> from recoco import CROINFO
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> model = CROINFO(n_clusters=2, n_init=5, random_state=0).fit(X)
    >>> model.row_labels_.tolist(), model.column_labels_.tolist()
    ([1, 1, 0, 0], [1, 1, 0, 0])
    """

    name = "croinfo"
    title = "CROINFO"
    equation_notes = (
        "Rows by argmax of sum_l p_il log(p_kl / (p_k. p_.l)), columns by argmax of "
        "sum_k p_kj log(p_kl / (p_k. p_.l)), the table p_kl computed again after each; "
        "criterion: mutual information of the table."
    )
    monotone = True

    n_column_clusters: int | None = None
    tol: float = 1e-9

    def _check_init(self, A, init):
        return check_labels(init, A.shape[1], self._m, "column")

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


def _maximise(problem, row_labels, column_labels, g, m, max_iter, tol) -> Starts:
    """Alternate between rows and columns from every given pair of partitions."""
    import numba

    from recoco.kernels import croinfo as kernel

    P, B = problem.by_row, len(row_labels)
    by_row, by_column = parts(P), parts(problem.by_column)
    # for less work than this, starting threads takes longer than they save
    threads = numba.get_num_threads() if P.nnz * B > 200_000 else 1
    assign = kernel.assign_parallel if threads > 1 else kernel.assign
    dtype = slot_dtype(max(g, m) * B)
    out_dtype = label_dtype(max(g, m))

    Z, W = np.array(row_labels, out_dtype), np.array(column_labels, out_dtype)
    tables = np.zeros((B, g, m))
    histories = np.full((B, max_iter), -np.inf)
    n_iter = np.zeros(B, np.int32)
    active = np.arange(B)
    rows, columns = (np.ascontiguousarray(labels.T.astype(dtype)) for labels in (Z, W))
    table = np.empty((g, m * B))
    kernel.reduced_table(*by_row, rows, slots(columns, dtype), table)
    for iteration in range(max_iter):
        width = active.size
        logs = kernel.conditional_logs(table, width)
        table, moves = assign(*by_row, slots(columns, dtype), logs, rows)
        logs = kernel.conditional_logs(kernel.turned(table, width), width)
        other, others = assign(*by_column, slots(rows, dtype), logs, columns)
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
    return Starts.from_histories(Z, W, finished(histories, n_iter))


def paired(table: np.ndarray) -> np.ndarray:
    """Return new numbers of the column clusters that make the diagonal as modular as possible."""
    from scipy.optimize import linear_sum_assignment

    gain = table - np.outer(table.sum(axis=1), table.sum(axis=0))
    rows, columns = linear_sum_assignment(gain, maximize=True)
    names = np.empty(len(table), np.int64)
    names[columns] = rows
    return names
