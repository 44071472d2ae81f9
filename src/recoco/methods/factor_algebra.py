"""Matrices of many starts at once, written like one: ``update(Z, XW @ S.T, Z @ (S @ G @ S.T))``.

A :class:`Factor` holds a tall matrix of each of T starts, a :class:`Small` matrix a small one, a
:class:`SparseMatrix` is the same for all starts. Tall times small is not computed until an update
asks for it. Factors are float32 or float64; small matrices and all sums over rows are float64.
Every result depends on its own start only, and not on the number of threads.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

# for less work than this (multiplications) the threads take longer to start than to finish
LEAST_PARALLEL = 400_000
# columns of a block of a sparse matrix: as many rows of a factor stay in the second-level cache
BLOCK_BYTES = 2**19
# fewer non-zeros than this in a row of a block are not worth a block of their own
BLOCK_ENTRIES = 24
GROUPS = 32
# bytes of a line of the cache: vectors that lie across two lines take twice as long to load
LINE = 64
# lines of a row of a panel: wider factors are multiplied panel by panel, for the rows of a panel
# that a row of the matrix asks for are still in the first-level cache when the next one does
PANEL_LINES = 8
# non-zeros per row and column from which it is worth copying a factor to panels of whole lines
WORTH_LINES = 80
# entries below become 0, entries do not grow beyond: far from what the type can hold, so that
# products of a few entries can be held, too
LIMITS = {np.dtype(np.float64): (1e-100, 1e100), np.dtype(np.float32): (1e-25, 1e12)}


def _parallel(work: int) -> bool:
    import numba

    return work > LEAST_PARALLEL and numba.get_num_threads() > 1


def _empty(shape, dtype) -> np.ndarray:
    """An array that begins at the beginning of a line of the cache."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + LINE, np.uint8)
    first = -raw.ctypes.data % LINE
    return raw[first : first + size].view(dtype).reshape(shape)


def _on_lines(array) -> np.ndarray:
    """The array, or a copy of it, in one piece from the beginning of a line of the cache."""
    if array.flags.c_contiguous and array.ctypes.data % LINE == 0:
        return array
    copy = _empty(array.shape, array.dtype)
    copy[:] = array
    return copy


def whole_lines(columns: int, dtype) -> int:
    """The number of columns, raised so that a row of them fills lines of the cache."""
    per_line = LINE // np.dtype(dtype).itemsize
    if columns < per_line:
        return columns
    return -(-columns // per_line) * per_line


def panels(columns: int, dtype) -> list[int]:
    """Where panels of about as many lines each begin, and where the last one ends."""
    whole, per_line = whole_lines(columns, dtype), LINE // np.dtype(dtype).itemsize
    count = -(-whole // (PANEL_LINES * per_line))
    return [whole // per_line * p // count * per_line for p in range(count)] + [whole]


class Small:
    """A small matrix of each start: float64 array (T, k, m)."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array, dtype=np.float64)

    @property
    def T(self) -> Small:
        return Small(self.array.transpose(0, 2, 1))

    def __matmul__(self, other: Small) -> Small:
        from recoco.kernels.factors_dense import small_product

        return Small(small_product(self.array, other.array))

    def __add__(self, other: Small) -> Small:
        return Small(self.array + other.array)

    def __rmul__(self, number: float) -> Small:
        return Small(number * self.array)

    def keep(self, chosen) -> Small:
        return Small(self.array[chosen])


class Terms:
    """A sum of products of factors with small matrices, computed when needed."""

    def __init__(self, terms):
        self.terms = terms  # of (factor, small matrix or None, number)

    def __add__(self, other) -> Terms:
        return Terms(self.terms + _terms(other).terms)

    def __rmul__(self, number: float) -> Terms:
        return Terms([(F, small, number * scale) for F, small, scale in self.terms])

    def value(self) -> np.ndarray:
        from recoco.kernels import factors_dense as kernel

        F, small, scale = self.terms[0]
        if len(self.terms) == 1 and small is None and scale == 1.0:
            return F.array
        (rows, T, k), dtype = F.array.shape, F.array.dtype
        k = k if small is None else small.array.shape[2]
        out = _empty((rows, T, k), dtype)
        for place, (F, small, scale) in enumerate(self.terms):
            if small is None:
                if place == 0:
                    np.multiply(F.array, dtype.type(scale), out=out)
                else:
                    out += F.array if scale == 1.0 else dtype.type(scale) * F.array
                continue
            matrix = small.array if scale == 1.0 else scale * small.array
            run = kernel.apply_parallel if _parallel(F.array.size * k) else kernel.apply
            run(F.array, matrix.astype(dtype, copy=False), place > 0, out)
        return out


class Factor:
    """A tall matrix of each start: array (rows, T, k), copied unless it begins on a line."""

    def __init__(self, array):
        self.array = _on_lines(array)
        self.forget()

    def forget(self) -> None:
        """Forget products that were remembered, because the array changes."""
        self._gram = None
        self._cross = (None, None)

    def __matmul__(self, small: Small) -> Terms:
        return Terms([(self, small, 1.0)])

    def __add__(self, other) -> Terms:
        return _terms(self) + other

    def __rmul__(self, number: float) -> Terms:
        return number * _terms(self)

    def keep(self, chosen) -> Factor:
        return Factor(self.array[:, chosen])


def _terms(value) -> Terms:
    return value if isinstance(value, Terms) else Terms([(value, None, 1.0)])


class SparseMatrix:
    """A sparse matrix cut into blocks of columns for products with factors.

    Parameters
    ----------
    A : csr_matrix with sorted indices
    dtype : float64 or float32, type of the stored values and of the factors
    columns : int, the usual number of columns T * k of the factors it is multiplied with
    """

    def __init__(self, A: sparse.csr_matrix, dtype, columns: int):
        from recoco.kernels.factors import cut

        n, d = A.shape
        self.shape, self.nnz, self.dtype = A.shape, A.nnz, np.dtype(dtype)
        blocks = -(-d * columns * self.dtype.itemsize // BLOCK_BYTES)
        blocks = max(1, min(blocks, A.nnz // (BLOCK_ENTRIES * n)))
        self.width = min(-(-d // blocks), 2**16)
        blocks = -(-d // self.width)
        self.pointers = np.empty((blocks, n + 1), np.int64)
        self.local = np.empty(A.nnz, np.uint16)
        self.values = np.empty(A.nnz, self.dtype)
        cut(A.indptr, A.indices, A.data, self.width, self.pointers, self.local, self.values)
        # groups of rows with about as many non-zeros each
        self.bounds = np.searchsorted(A.indptr, np.linspace(0, A.nnz, GROUPS + 1).round())
        self.bounds = np.unique(np.r_[0, self.bounds, n]).astype(np.int64)
        self.T = self

    @classmethod
    def both_ways(cls, A: sparse.csr_matrix, dtype, columns: int) -> SparseMatrix:
        """The matrix with its transpose as ``T``; without it, ``T`` is the matrix itself."""
        matrix, other = cls(A, dtype, columns), cls(A.T.tocsr(), dtype, columns)
        matrix.T, other.T = other, matrix
        return matrix

    def __matmul__(self, F: Factor) -> Factor:
        (n, d), (_, T, k) = self.shape, F.array.shape
        flat, out = F.array.reshape(d, T * k), _empty((n, T * k), self.dtype)
        bounds = panels(T * k, self.dtype)
        if self.nnz <= WORTH_LINES * (n + d) or bounds == [0, T * k]:
            self._product(flat, out)
            return Factor(out.reshape(n, T, k))
        for first, last in pairwise(bounds):
            panel, result = (_empty((rows, last - first), self.dtype) for rows in (d, n))
            inside = min(last, T * k) - first
            panel[:, :inside] = flat[:, first : first + inside]
            panel[:, inside:] = 0.0
            self._product(panel, result)
            out[:, first : first + inside] = result[:, :inside]
        return Factor(out.reshape(n, T, k))

    def _product(self, F: np.ndarray, out: np.ndarray) -> None:
        """out = the matrix times F, of any number of columns."""
        from recoco.kernels import factors as kernel

        matrix = (self.pointers, self.local, self.values, self.width)
        if _parallel(self.nnz * F.shape[1]):
            kernel.product_parallel(self.bounds, *matrix, F, out)
        else:
            # all rows as one group, for every group reads the whole factor from memory
            kernel.product(self.bounds[[0, -1]], *matrix, F, out)

    def tocsr(self) -> sparse.csr_matrix:
        """The matrix as scipy has it."""
        blocks, n = self.pointers.shape[0], self.shape[0]
        lengths = np.diff(self.pointers, axis=1)
        rows = np.repeat(np.tile(np.arange(n), blocks), lengths.ravel())
        first = np.repeat(np.arange(blocks) * self.width, lengths.sum(axis=1))
        parts = (self.values, (rows, first + self.local))
        return sparse.coo_matrix(parts, shape=self.shape).tocsr()


def cross(A: Factor, B: Factor) -> Small:
    """A'B of every start."""
    if B._cross[0] is A:
        return B._cross[1]
    from recoco.kernels import factors_dense as kernel

    run = kernel.cross_parallel if _parallel(A.array.size * B.array.shape[2]) else kernel.cross
    return Small(run(A.array, B.array, A is B))


def gram(A: Factor) -> Small:
    """A'A of every start, remembered until A is updated."""
    if A._gram is None:
        A._gram = cross(A, A)
    return A._gram


def inner(A, B) -> np.ndarray:
    """Sum of a_ij b_ij of every start: float64 (T,)."""
    from recoco.kernels import factors_dense as kernel

    if isinstance(A, Small):
        return kernel.inner(A.array.transpose(1, 0, 2).copy(), B.array.transpose(1, 0, 2).copy())
    return kernel.inner(A.array, B.array)


def diagonal(weights, A: Factor) -> Factor:
    """Diag(weights) A: row i of A times weights[i]."""
    return Factor(A.array * np.asarray(weights, A.array.dtype)[:, None, None])


def update(F, numerator, denominator, root=False, with_cross=False) -> None:
    """F <- F . numerator / denominator entry by entry (``root``: its square root), in place.

    ``with_cross``: A'F will be needed, where the numerator has a term A B; it then costs less.
    A denominator of 0 leaves the entry as it is: its numerator is then 0, too.
    """
    from recoco.kernels.factors_update import divide

    limits = np.array([0.0, *LIMITS[F.array.dtype]], F.array.dtype)
    if isinstance(F, Small):
        above, below = numerator.array.copy(), denominator.array
    else:
        numerator, denominator = _terms(numerator), _terms(denominator)
        if _fused(F, numerator, denominator, root, limits, with_cross):
            return
        above, below = numerator.value(), denominator.value()
        if any(above is term.array for term, _, _ in numerator.terms):
            above = above.copy()
        F.forget()
    flat = F.array.reshape(-1)
    divide(flat, above.reshape(-1), below.reshape(-1), root, limits, flat)


def _fused(F: Factor, numerator: Terms, denominator: Terms, root, limits, with_cross) -> bool:
    """Update F in one pass if it has the form F . (A B + s E) / (F G); whether it has."""
    from recoco.kernels import factors_dense
    from recoco.kernels import factors_update as kernel

    (other, G, scale), *more = denominator.terms
    products = [term for term in numerator.terms if term[1] is not None]
    plain = [term for term in numerator.terms if term[1] is None]
    if other is not F or G is None or more or len(products) > 1 or len(plain) > 1:
        return False
    (rows, T, k), dtype = F.array.shape, F.array.dtype
    G = (scale * G.array).astype(dtype)
    A, B, weight = products[0] if products else (F, None, 1.0)
    B = (weight * B.array).astype(dtype) if products else G
    E, _, scale = plain[0] if plain else (F, None, 1.0)
    widest, length = factors_dense.WIDEST, A.array.shape[2]
    with_gram, with_cross = k * k <= widest, with_cross and products and length * k <= widest
    chunks = -(-rows // factors_dense.CHUNK)
    run = kernel.update_parallel if _parallel(F.array.size * k) else kernel.update
    F.forget()
    squares, crosses = run(
        F.array,
        A.array,
        B,
        bool(products),
        E.array,
        dtype.type(scale),
        bool(plain),
        G,
        root,
        limits,
        np.empty((chunks, T, k, k) if with_gram else (chunks, 0, 0, 0)),
        np.empty((chunks, T, length, k) if with_cross else (chunks, 0, 0, 0)),
    )
    if with_gram:
        F._gram = Small(squares)
    if with_cross:
        F._cross = (A, Small(crosses))
    return True
