"""Matrices of many starts at once, written like one: ``update(Z, XW @ S.T, Z @ (S @ G @ S.T))``.

A :class:`Factor` holds a tall matrix per start, a :class:`Small` a small matrix per start; a
:class:`SparseMatrix` is the same for all starts. The product of a tall and a small matrix is
not computed until an update needs it. Factors are float32 or float64; small matrices and all
sums over rows are float64. Every result depends on its own start only, and not on the number
of threads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

# for fewer multiplications than this, starting threads takes longer than they save
LEAST_PARALLEL = 400_000
# columns of a block of a sparse matrix: this many rows of a factor fit in the L2 cache
BLOCK_BYTES = 2**19
# rows of a block with fewer non-zeros than this do not justify a separate block
BLOCK_ENTRIES = 24
GROUPS = 32
# bytes of a cache line: vectors that straddle two lines take twice as long to load
LINE = 64
# cache lines per row of a panel: wider factors are multiplied panel by panel, because the rows of a
# panel that one row of the matrix uses are then still in the L1 cache for the next row
PANEL_LINES = 8
# non-zeros per row and column from which copying a factor to aligned panels pays off
WORTH_LINES = 80
# smaller entries become 0, and entries do not grow beyond the larger limit: far from the range of
# the type, so products of a few entries neither underflow nor overflow
LIMITS = {np.dtype(np.float64): (1e-100, 1e100), np.dtype(np.float32): (1e-25, 1e12)}


def _parallel(work: int) -> bool:
    import numba

    return work > LEAST_PARALLEL and numba.get_num_threads() > 1


def _empty(shape, dtype) -> np.ndarray:
    """Return an array that begins at a cache line."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + LINE, np.uint8)
    first = -raw.ctypes.data % LINE
    return raw[first : first + size].view(dtype).reshape(shape)


def _on_lines(array) -> np.ndarray:
    """Return the array, copied if it is not contiguous or does not begin at a cache line."""
    if array.flags.c_contiguous and array.ctypes.data % LINE == 0:
        return array
    copy = _empty(array.shape, array.dtype)
    copy[:] = array
    return copy


def whole_lines(columns: int, dtype: Any) -> int:
    """Return the number of columns, rounded up such that a row fills whole cache lines."""
    per_line = LINE // np.dtype(dtype).itemsize
    if columns < per_line:
        return columns
    return -(-columns // per_line) * per_line


def panels(columns: int, dtype: Any) -> list[int]:
    """Return where panels of about equal width begin, and where the last one ends."""
    whole, per_line = whole_lines(columns, dtype), LINE // np.dtype(dtype).itemsize
    count = -(-whole // (PANEL_LINES * per_line))
    return [whole // per_line * p // count * per_line for p in range(count)] + [whole]


class Small:
    """A small matrix per start: float64 array of shape (T, k, m)."""

    def __init__(self, array: np.ndarray):
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

    def keep(self, chosen: np.ndarray) -> Small:
        return Small(self.array[chosen])


class Terms:
    """A sum of products of factors and small matrices, computed when needed."""

    def __init__(self, terms: list):
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
    """A tall matrix per start: array of shape (rows, T, k) that begins at a cache line."""

    def __init__(self, array: np.ndarray):
        self.array = _on_lines(array)
        self.forget()

    def forget(self) -> None:
        """Discard cached products, because the array changes."""
        self._gram: Small | None = None
        self._cross = (None, None)

    def __matmul__(self, small: Small) -> Terms:
        return Terms([(self, small, 1.0)])

    def __add__(self, other) -> Terms:
        return _terms(self) + other

    def __rmul__(self, number: float) -> Terms:
        return number * _terms(self)

    def keep(self, chosen: np.ndarray) -> Factor:
        return Factor(self.array[:, chosen])


def _terms(value) -> Terms:
    return value if isinstance(value, Terms) else Terms([(value, None, 1.0)])


class SparseMatrix:
    """A sparse matrix split into blocks of columns for products with factors.

    Parameters
    ----------
    A : csr_matrix
        A matrix with sorted indices.
    dtype : type
        float64 or float32, the type of the stored values and of the factors.
    columns : int
        The usual number of columns T * k of the factors it is multiplied by.
    """

    def __init__(self, A: sparse.csr_matrix, dtype: Any, columns: int):
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
        # groups of rows with about equally many non-zeros
        self.bounds = np.searchsorted(A.indptr, np.linspace(0, A.nnz, GROUPS + 1).round())
        self.bounds = np.unique(np.r_[0, self.bounds, n]).astype(np.int64)
        self.T = self

    @classmethod
    def both_ways(cls, A: sparse.csr_matrix, dtype: Any, columns: int) -> SparseMatrix:
        """Return the matrix with its transpose as ``T``; otherwise ``T`` is the matrix itself."""
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
        """Write the product of the matrix and F, with any number of columns, to ``out``."""
        from recoco.kernels import factors as kernel

        matrix = (self.pointers, self.local, self.values, self.width)
        if _parallel(self.nnz * F.shape[1]):
            kernel.product_parallel(self.bounds, *matrix, F, out)
        else:
            # a single group, because every group reads the whole factor from memory
            kernel.product(self.bounds[[0, -1]], *matrix, F, out)

    def tocsr(self) -> sparse.csr_matrix:
        """Return the matrix as a csr_matrix."""
        blocks, n = self.pointers.shape[0], self.shape[0]
        lengths = np.diff(self.pointers, axis=1)
        rows = np.repeat(np.tile(np.arange(n), blocks), lengths.ravel())
        first = np.repeat(np.arange(blocks) * self.width, lengths.sum(axis=1))
        parts = (self.values, (rows, first + self.local))
        return sparse.coo_matrix(parts, shape=self.shape).tocsr()


def cross(A: Factor, B: Factor) -> Small:
    """Return A'B of every start."""
    if B._cross[0] is A:
        return B._cross[1]
    from recoco.kernels import factors_dense as kernel

    run = kernel.cross_parallel if _parallel(A.array.size * B.array.shape[2]) else kernel.cross
    return Small(run(A.array, B.array, A is B))


def gram(A: Factor) -> Small:
    """Return A'A of every start, cached until A is updated."""
    if A._gram is None:
        A._gram = cross(A, A)
    return A._gram


def inner(A: Any, B: Any) -> np.ndarray:
    """Return the sum of a_ij b_ij of every start as float64 of shape (T,)."""
    from recoco.kernels import factors_dense as kernel

    if isinstance(A, Small):
        return kernel.inner(A.array.transpose(1, 0, 2).copy(), B.array.transpose(1, 0, 2).copy())
    return kernel.inner(A.array, B.array)


def diagonal(weights: Any, A: Factor) -> Factor:
    """Return Diag(weights) A: row i of A times weights[i]."""
    return Factor(A.array * np.asarray(weights, A.array.dtype)[:, None, None])


def update(
    F: Any, numerator: Any, denominator: Any, root: bool = False, with_cross: bool = False
) -> None:
    """Multiply F in place by numerator / denominator, or (``root``) its square root.

    ``with_cross`` announces that A'F will be needed, where the numerator has a term A B; computing
    it along with the update is cheaper. A denominator of 0 leaves the entry unchanged, because its
    numerator is then 0 as well.
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
    """Update F in one pass if the update is F . (A B + s E) / (F G); return whether it is."""
    from recoco.kernels import factors_dense
    from recoco.kernels import factors_update as kernel

    (other, G, scale), *more = denominator.terms
    products = [term for term in numerator.terms if term[1] is not None]
    plain = [term for term in numerator.terms if term[1] is None]
    if other is not F or G is None or more or len(products) > 1 or len(plain) > 1:
        return False
    (rows, T, k), dtype = F.array.shape, F.array.dtype
    G = (scale * G.array).astype(dtype)
    B: Any
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
