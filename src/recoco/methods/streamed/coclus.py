"""CoClus of a matrix on disk."""

from dataclasses import dataclass

import numpy as np

from recoco.datasets.disk_matrix import BigCsr, Block
from recoco.methods.arrays import slot_dtype, slots
from recoco.methods.base import Starts, finished, label_dtype
from recoco.methods.coclus import SETTLED, CoClus
from recoco.methods.streamed.base import KEPT_BYTES, Streamed


@dataclass
class _Margins:
    X: BigCsr
    row_degree: np.ndarray
    column_degree: np.ndarray
    total: float


class StreamedCoClus(Streamed, CoClus):
    """:class:`CoClus` of a matrix on disk; X is a :class:`recoco.datasets.disk_matrix.BigCsr`.

    In addition to the block being read, a start stores the sums of rows and columns by cluster:
    8 (n + d) g bytes.
    """

    def _start_bytes(self, n, d):
        return (8 * self.n_clusters + 8) * (n + d)

    def _prepare(self, X):
        row_degree = np.empty(X.shape[0])
        for block in X.blocks():
            row_degree[block.rows] = _sums(block.data, block.indptr)
        return _Margins(X, row_degree, _column_degree(X), float(row_degree.sum()))

    def _run(self, problem, generators, init):
        starts = self._columns(problem.X.shape[1], generators, init)
        return _maximise(problem, starts, self.n_clusters, self.max_iter, self.tol)


def _sums(entries, indptr) -> np.ndarray:
    """Return the sums of segments of entries, added as scipy adds rows."""
    sums = np.zeros(indptr.size - 1)
    filled = np.flatnonzero(np.diff(indptr))
    if filled.size:
        sums[filled] = np.add.reduceat(entries, indptr[filled])
    return sums


def _column_degree(X: BigCsr) -> np.ndarray:
    """Return the column sums, a few columns at a time to save memory; numpy adds them pairwise."""
    from recoco.kernels.blocks import collect_columns

    d = X.shape[1]
    counts = np.zeros(d, np.int64)
    for block in X.blocks():
        counts += np.bincount(block.indices, minlength=d)
    ends = np.concatenate([[0], np.cumsum(counts)])
    degree = np.empty(d)
    first = 0
    while first < d:
        most = ends[first] + max(KEPT_BYTES // 16, X.block)
        last = max(first + 1, int(np.searchsorted(ends, most, "right")) - 1)
        indptr = ends[first : last + 1] - ends[first]
        entries, place = np.empty(indptr[-1]), ends[:-1] - ends[first]
        for block in X.blocks():
            collect_columns(block.indices, block.data, first, last, place, entries)
        degree[first:last] = _sums(entries, indptr)
        first = last
    return degree


class _Settling:
    """A start in which few columns still move: its sums are stored, as in memory."""

    def __init__(self, b: int, rows, columns, column_sums, column_degree, g: int):
        from recoco.kernels.blocks import masses_in_order

        self.b = b
        self.rows, self.columns, self.before = rows, columns, columns.copy()
        self.row_sums, self.column_sums = np.empty((rows.size, g)), column_sums
        self.row_mass, self.column_mass = np.zeros(g), np.zeros(g)
        masses_in_order(column_degree, columns, self.column_mass)
        self.fresh = True


def _maximise(problem: _Margins, column_labels, g: int, max_iter: int, tol: float) -> Starts:
    """Run Algorithm 1 from every given partition of the columns."""
    from recoco.kernels import blocks as kernel
    from recoco.kernels.modularity import cluster_masses

    X, total, column_degree = problem.X, problem.total, problem.column_degree
    (n, d), B = X.shape, len(column_labels)
    Z = np.zeros((B, n), label_dtype(g))
    W = np.array(column_labels, label_dtype(g))
    histories = np.full((B, max_iter), -np.inf)
    n_iter = np.zeros(B, np.int32)
    dtype = slot_dtype(g * B)
    settling: list[_Settling]
    active, settling = np.arange(B), []
    columns = slots(W.T, dtype)
    column_mass = cluster_masses(column_degree, columns, g * B)
    for iteration in range(max_iter):
        width = active.size
        rows = np.zeros((n, width), dtype)
        row_mass, sums = np.zeros(g * width), np.zeros((g * width, d))
        for start in settling:
            start.row_mass[:] = 0.0
        # steps 2 to 4: A^W, the rows, and A^Z while the block is in memory
        for block in X.blocks():
            degree = problem.row_degree[block.rows]
            if width:
                found = rows[block.rows]
                kernel.assign_block(
                    block.parts, degree, total, columns, column_mass, found, row_mass, sums
                )
            for start in settling:
                _settle_rows(start, block, degree, total)
        # step 5, the columns, and step 6: their scores sum to a_..^2 Q
        settling = [
            start
            for start in settling
            if _settle_columns(start, problem, histories, n_iter, iteration, tol)
        ]
        if not width:
            if not settling:
                break
            continue
        column_mass, gain, moves = kernel.assign_columns(
            sums, column_degree, total, row_mass, columns
        )
        Q = gain / total**2
        histories[active, iteration] = Q
        n_iter[active] = iteration + 1
        ended = (moves == 0) | (iteration + 1 == max_iter)
        if iteration:
            ended |= Q - histories[active, iteration - 1] <= tol * np.abs(Q)
        leaving = ended | (moves <= SETTLED * d)
        Z[active[leaving]] = (rows[:, leaving] // width).T
        W[active[leaving]] = (columns[:, leaving] // width).T
        for place in np.flatnonzero(leaving & ~ended):
            b, own = active[place], np.ascontiguousarray(sums[place::width].T)
            settling.append(_Settling(b, Z[b], W[b], own, column_degree, g))
        active = active[~leaving]
        if active.size + len(settling) == 0:
            break
        columns = slots(columns[:, ~leaving] // width, dtype)
        column_mass = column_mass.reshape(g, width)[:, ~leaving].ravel()
    return Starts.from_histories(Z, W, finished(histories, n_iter))


def _settle_rows(start: _Settling, block: Block, degree, total: float) -> None:
    from recoco.kernels.blocks import settle_block

    settle_block(
        block.parts,
        degree,
        total,
        start.column_mass,
        start.row_sums[block.rows],
        start.rows[block.rows],
        start.fresh,
        start.before,
        start.columns,
        start.column_sums,
        start.row_mass,
    )


def _settle_columns(start: _Settling, problem, histories, n_iter, iteration, tol) -> bool:
    """Move the columns of a start; return whether it continues."""
    from recoco.kernels.blocks import settle_columns

    start.fresh = False
    start.before[:] = start.columns
    Q, moves = settle_columns(
        start.column_sums,
        problem.column_degree,
        problem.total,
        start.row_mass,
        start.columns,
        start.column_mass,
    )
    history = histories[start.b]
    history[iteration] = Q
    n_iter[start.b] = iteration + 1
    return moves > 0 and not Q - history[iteration - 1] <= tol * abs(Q)
