"""Spherical k-means of a matrix on disk."""

import numpy as np

from recoco.datasets.disk_matrix import BigCsr, Block
from recoco.methods.base import Starts, label_dtype
from recoco.methods.spherical import SphericalKMeans
from recoco.methods.streamed.base import Streamed


class StreamedSphericalKMeans(Streamed, SphericalKMeans):
    """:class:`SphericalKMeans` of a matrix on disk.

    X is a :class:`recoco.datasets.disk_matrix.BigCsr`. In addition to the block being read, a start
    stores a bound for every row and cluster (4 n g bytes), and the sums and centroids (20 d g
    bytes).
    """

    def _start_bytes(self, n, d):
        return 4 * (self.n_clusters + 10) * n + 20 * (self.n_clusters + 7) * d

    def _prepare(self, X):
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
        histories = [np.array(start.history) for start in starts]
        return Starts.from_histories([start.labels for start in starts], None, histories)


class _UnitRows:
    """The rows of a matrix, scaled to unit length as they are read.

    They are identical to the rows of ``recoco.methods.spherical.unit_rows``.
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
        """Read the rows once; yield blocks, and their entries in single precision."""
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
    """What one start stores between two blocks."""

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
        """Return the initial sums of the next partition, a row per cluster."""
        d, g = self.sums.shape[0], self.counts.size
        return np.zeros((g, d)) if self.fresh else np.ascontiguousarray(self.sums[:, :g].T)

    def criterion(self) -> float:
        return float(np.cumsum(self.norms)[-1])  # from first to last, as in the kernel

    def bounds(self, rows: slice) -> tuple:
        return self.rise, self.fall, self.upper[rows], self.lower[rows]


def _by_lines(d: int, width: int) -> np.ndarray:
    """Return zeros in single precision whose rows begin at cache lines.

    A row of 16 is then one cache line instead of parts of two.
    """
    raw = np.zeros(d * width + 16, np.float32)
    begin = -raw.ctypes.data % 64 // raw.itemsize
    return raw[begin : begin + d * width].reshape(d, width)


def _cluster(problem: _UnitRows, starts: list[_Start], max_iter: int, tol: float) -> None:
    """Run all starts to their end, in step."""
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
    """Give every empty cluster the row that is least similar to its own centroid."""
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
            start.lower[worst] = -np.inf  # its bounds belonged to another cluster
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
