"""CoClus and spherical k-means on matrices that are read from disk, block by block of rows.

An iteration reads the matrix once, for all starts of a batch. The results are those of the
methods in memory to the last bit, whatever the size of the blocks: sums are added in the same
order, or are exact in any order.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.bigmatrix import BigCsr, Block
from recoco.errors import RecocoError
from recoco.methods.base import Clusterer, Starts, label_dtype
from recoco.methods.coclus import SETTLED, CoClus, _slots
from recoco.methods.spherical import SEEDINGS, SphericalKMeans
from recoco.schema import nearest

# Starts go through the matrix together as long as what they keep is no more than this.
_KEPT_BYTES = 1 << 29
_MOST_STARTS = 16


class _Streamed:
    """Takes a matrix on disk in place of one in memory."""

    def _check(self, X) -> BigCsr:
        if not isinstance(X, BigCsr):
            raise RecocoError(
                f"{type(self).__name__} reads a matrix from disk: give a recoco.bigmatrix.BigCsr, "
                f"or use {self.title} itself for one in memory."
            )
        # the writer has checked the entries; one will do to check the parameters by the shape
        stand_in = sparse.csr_matrix((np.ones(1), ([0], [0])), shape=X.shape)
        Clusterer._check(self, stand_in)
        return X

    def _batch_size(self, X):
        return int(np.clip(_KEPT_BYTES // self._kept(*X.shape), 1, _MOST_STARTS))


# ---- CoClus --------------------------------------------------------------------------------


@dataclass
class _Margins:
    X: BigCsr
    row_degree: np.ndarray
    column_degree: np.ndarray
    total: float


class StreamedCoClus(_Streamed, CoClus):
    """:class:`CoClus` of a matrix on disk; X is a :class:`recoco.bigmatrix.BigCsr`.

    Beside the block that is read, a start keeps the sums of rows and columns by cluster:
    8 (n + d) g bytes.
    """

    def _kept(self, n, d):
        return (8 * self.n_clusters + 8) * (n + d)

    def _prepare(self, X):
        row_degree = np.empty(X.shape[0])
        for block in X.blocks():
            row_degree[block.rows] = _sums(block.data, block.indptr)
        return _Margins(X, row_degree, _column_degree(X), float(row_degree.sum()))

    def _run(self, problem, generators, init):
        d = problem.X.shape[1]
        if init is None:
            starts = [rng.integers(self.n_clusters, size=d) for rng in generators]
        else:
            starts = [init]
        return _maximise(problem, starts, self.n_clusters, self.max_iter, self.tol)


def _sums(entries, indptr) -> np.ndarray:
    """Sums of the segments of entries, added as scipy adds rows."""
    sums = np.zeros(indptr.size - 1)
    filled = np.flatnonzero(np.diff(indptr))
    if filled.size:
        sums[filled] = np.add.reduceat(entries, indptr[filled])
    return sums


def _column_degree(X: BigCsr) -> np.ndarray:
    """Sums of the columns, of as many at a time as may be kept: numpy adds them pairwise."""
    from recoco.kernels.blocks import collect_columns

    d = X.shape[1]
    counts = np.zeros(d, np.int64)
    for block in X.blocks():
        counts += np.bincount(block.indices, minlength=d)
    ends = np.concatenate([[0], np.cumsum(counts)])
    degree = np.empty(d)
    first = 0
    while first < d:
        most = ends[first] + max(_KEPT_BYTES // 16, X.block)
        last = max(first + 1, int(np.searchsorted(ends, most, "right")) - 1)
        indptr = ends[first : last + 1] - ends[first]
        entries, place = np.empty(indptr[-1]), ends[:-1] - ends[first]
        for block in X.blocks():
            collect_columns(block.indices, block.data, first, last, place, entries)
        degree[first:last] = _sums(entries, indptr)
        first = last
    return degree


class _Settling:
    """A start of which few columns still move: its sums are kept, as in memory."""

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
    slot_dtype = np.uint16 if g * B <= np.iinfo(np.uint16).max else np.uint32
    active, settling = np.arange(B), []
    columns = _slots(W.T, slot_dtype)
    column_mass = cluster_masses(column_degree, columns, g * B)
    for iteration in range(max_iter):
        width = active.size
        rows = np.zeros((n, width), slot_dtype)
        row_mass, sums = np.zeros(g * width), np.zeros((g * width, d))
        for start in settling:
            start.row_mass[:] = 0.0
        # steps 2 to 4: A^W, the rows, and A^Z while they are at hand
        for block in X.blocks():
            degree = problem.row_degree[block.rows]
            if width:
                found = rows[block.rows]
                kernel.assign_block(
                    block.parts, degree, total, columns, column_mass, found, row_mass, sums
                )
            for start in settling:
                _settle_rows(start, block, degree, total)
        # step 5, the columns, and step 6: their scores add up to a_..^2 Q
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
        columns = _slots(columns[:, ~leaving] // width, slot_dtype)
        column_mass = column_mass.reshape(g, width)[:, ~leaving].ravel()
    kept = [history[:steps].copy() for history, steps in zip(histories, n_iter, strict=True)]
    return Starts(Z, W, np.array([history[-1] for history in kept]), n_iter, kept)


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
    """Move the columns of a start; say whether it goes on."""
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


# ---- spherical k-means ---------------------------------------------------------------------


class StreamedSphericalKMeans(_Streamed, SphericalKMeans):
    """:class:`SphericalKMeans` of a matrix on disk; X is a :class:`recoco.bigmatrix.BigCsr`.

    Beside the block that is read, a start keeps a bound for every row and cluster (4 n g bytes)
    and the sums and centroids (20 d g bytes).
    """

    def _kept(self, n, d):
        return 4 * (self.n_clusters + 10) * n + 20 * (self.n_clusters + 7) * d

    def _check(self, X):
        X = super()._check(X)
        empty = np.flatnonzero(np.diff(X.indptr) == 0)
        if empty.size:
            raise RecocoError(
                f"Row {empty[0]} of the matrix is zero, so it has no direction: drop empty rows "
                "first."
            )
        return X

    def _prepare(self, X):
        if self.seeding not in SEEDINGS:
            raise RecocoError(
                f"Unknown seeding {self.seeding!r}: {nearest(str(self.seeding), SEEDINGS)}"
            )
        return _UnitRows(X)

    def _run(self, problem, generators, init):
        g, n = self.n_clusters, problem.X.shape[0]
        starts = []
        for generator in generators:
            labels, chosen = None, None
            if init is not None:
                labels = init
            elif self.seeding == "labels":
                labels = generator.integers(g, size=n)
            elif self.seeding == "rows":
                chosen = generator.choice(n, g, replace=False)
            else:
                chosen = _spread(problem, generator.random(g))
            starts.append(_Start(problem, g, labels, chosen))
        _cluster(problem, starts, self.max_iter, self.tol)
        return Starts(
            np.array([start.labels for start in starts]),
            None,
            np.array([start.history[-1] for start in starts]),
            np.array([len(start.history) for start in starts], np.int32),
            [np.array(start.history) for start in starts],
        )


class _UnitRows:
    """The rows of a matrix scaled to length one as they are read.

    They are the rows of ``recoco.methods.spherical.unit_rows``, to the bit.
    """

    def __init__(self, X: BigCsr):
        n = X.shape[0]
        self.X = X
        self.unit = 2.0 ** (int(n).bit_length() - 53)
        self.largest, self.lengths = np.empty(n), np.empty(n)
        for block in X.blocks():
            largest = np.maximum.reduceat(block.data, block.indptr[:-1])
            data = block.data / np.repeat(largest, np.diff(block.indptr))
            self.largest[block.rows] = largest
            self.lengths[block.rows] = np.sqrt(np.add.reduceat(data * data, block.indptr[:-1]))

    def blocks(self):
        """Read the rows once; yield blocks and their entries in single precision."""
        single = np.empty(0, np.float32)
        for block in self.X.blocks():
            if single.size < block.data.size:
                single = np.empty(block.data.size, np.float32)
            self._scale(block, single)
            yield block, single[: block.data.size]

    def row(self, i: int) -> Block:
        indices, data = self.X.row(i)
        block = Block(i, i + 1, np.array([0, data.size], np.int32), indices, data)
        self._scale(block, np.empty(data.size, np.float32))
        return block

    def _scale(self, block: Block, single) -> None:
        from recoco.kernels.blocks import scale_rows

        sizes = self.largest[block.rows], self.lengths[block.rows]
        scale_rows(block.indptr, block.data, *sizes, self.unit, single)


class _Start:
    """What one start keeps between two blocks."""

    def __init__(self, problem: _UnitRows, g: int, labels, chosen):
        n, d = problem.X.shape
        width = (g + 7) // 8 * 8  # as in recoco.kernels.spherical
        self.labels = np.zeros(n, label_dtype(g))
        self.given = labels is not None
        if self.given:
            self.labels[:] = labels
        self.sums = np.zeros((d, width))
        self.norms, self.inverse = np.zeros(g), np.ones(g)
        self.centroids = _by_lines(d, width)
        self.rise, self.fall = np.zeros(width, np.float32), np.zeros(width, np.float32)
        self.upper = np.full((n, width), np.inf, np.float32)
        self.lower = np.zeros(n, np.float32)
        self.counts = np.zeros(g, np.int64)
        self.fresh = not self.given
        self.history: list[float] = []
        self.before = 0.0
        for k, i in enumerate([] if self.given else chosen):
            row = problem.row(i)
            self.sums[row.indices, k] += row.data

    @property
    def state(self) -> tuple:
        return self.sums, self.inverse, self.centroids

    def new_sums(self) -> np.ndarray:
        """Return what the sums of the next partition begin with, a row for each cluster."""
        d, g = self.sums.shape[0], self.counts.size
        return np.zeros((g, d)) if self.fresh else np.ascontiguousarray(self.sums[:, :g].T)

    def criterion(self) -> float:
        return float(np.cumsum(self.norms)[-1])  # from first to last, as the kernel adds

    def bounds(self, rows: slice) -> tuple:
        return self.rise, self.fall, self.upper[rows], self.lower[rows]


def _by_lines(d: int, width: int) -> np.ndarray:
    """Return zeros in single precision whose rows begin where a line of the cache does.

    Rows of 16 are then read as one line, and not as parts of two.
    """
    raw = np.zeros(d * width + 16, np.float32)
    begin = -raw.ctypes.data % 64 // raw.itemsize
    return raw[begin : begin + d * width].reshape(d, width)


def _cluster(problem: _UnitRows, starts: list[_Start], max_iter: int, tol: float) -> None:
    """Run all starts to their ends, in step."""
    from recoco.kernels import blocks as kernel
    from recoco.kernels.spherical import _lengths, _move_centroids

    given = [start for start in starts if start.given]
    for block, _ in problem.blocks() if given else ():
        for start in given:
            kernel.add_rows(block.parts, start.labels[block.rows], start.sums, start.counts)
    for start in starts:
        _lengths(start.sums, start.norms, start.inverse)
    _refill(problem, given)
    for start in given:
        start.before = start.criterion()
    active = starts
    while active:
        moves = dict.fromkeys(active, 0)
        new = {}
        for start in active:
            _move_centroids(start.state, start.rise, start.fall)
            new[start] = start.new_sums()
        for block, single in problem.blocks():
            for start in active:
                moves[start] += kernel.place_block(
                    block.parts,
                    single,
                    start.state,
                    start.bounds(block.rows),
                    start.labels[block.rows],
                    start.fresh,
                    new[start],
                    start.counts,
                )
        for start in active:
            start.sums[:, : start.counts.size] = new.pop(start).T
            _lengths(start.sums, start.norms, start.inverse)
        _refill(problem, active)
        going = []
        for start in active:
            criterion = start.criterion()
            start.history.append(criterion)
            settled = moves[start] == 0 and not start.fresh
            small = criterion - start.before <= tol * criterion
            start.before, start.fresh = criterion, False
            if not (settled or small or len(start.history) == max_iter):
                going.append(start)
        active = going


def _refill(problem: _UnitRows, starts: list[_Start]) -> None:
    """Give every empty cluster the row least similar to its own centroid."""
    from recoco.kernels import blocks as kernel
    from recoco.kernels.spherical import EQUAL, _lengths

    short = [start for start in starts if start.counts.min() == 0]
    own = {start: np.empty(start.labels.size) for start in short}
    for block, _ in problem.blocks() if short else ():
        for start in short:
            labels, found = start.labels[block.rows], own[start][block.rows]
            kernel.own_similarities(block.parts, labels, start.sums, start.inverse, found)
    for start in short:
        for k in np.flatnonzero(start.counts == 0):
            worst = kernel.least_similar(own[start], start.labels, start.counts, EQUAL)
            row, old = problem.row(worst), start.labels[worst]
            start.sums[row.indices, old] -= row.data
            start.sums[row.indices, k] += row.data
            start.labels[worst] = k
            start.lower[worst] = -np.inf  # its bounds were those of another cluster
            start.counts[old] -= 1
            start.counts[k] = 1
        _lengths(start.sums, start.norms, start.inverse)


def _spread(problem: _UnitRows, uniforms: np.ndarray) -> np.ndarray:
    """Choose rows as k-means++ does; see ``recoco.kernels.spherical.spread_rows``."""
    from recoco.kernels.blocks import similarities_to

    n, d = problem.X.shape
    closest = np.ones(n)
    cosine = np.empty(n)
    chosen = np.empty(uniforms.size, np.int64)
    for k, uniform in enumerate(uniforms):
        cumulated = np.cumsum(closest)
        place = np.searchsorted(cumulated, uniform * cumulated[-1], side="right")
        chosen[k] = min(n - 1, place)
        row = problem.row(int(chosen[k]))
        whole = np.zeros(d)
        whole[row.indices] = row.data
        for block, _ in problem.blocks():
            similarities_to(block.parts, whole, cosine[block.rows])
        closest = np.minimum(closest, np.maximum(0.0, 1.0 - cosine))
        closest[chosen[k]] = 0.0
    return chosen


# What `recoco fit --matrix` knows.
STREAMED = {"coclus": StreamedCoClus, "skmeans": StreamedSphericalKMeans}
