"""The vector code of the factorisations gives, bit by bit, what the loops it stands for give."""

import numpy as np
import pytest
from numba import njit
from scipy import sparse

from recoco.kernels import factors_dense as dense
from recoco.kernels.factors import product, product_parallel
from recoco.methods import factor_algebra
from recoco.methods.factor_algebra import Factor, SparseMatrix

TYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@TYPES
def test_sparse_product_is_the_loop_over_the_non_zeros(dtype):
    # all remainders of 8 vectors, of one, of a half and a quarter, and several times 8 vectors
    rng = np.random.Generator(np.random.PCG64(0))
    A = sparse.random(60, 45, 0.3, "csr", random_state=0)
    A.data[:] = rng.random(A.nnz)
    M = SparseMatrix(A, dtype, 10**6)
    wide = rng.random((45, 400)).astype(dtype)
    expected = np.zeros((60, 400), dtype)
    for i in range(60):
        for p in range(A.indptr[i], A.indptr[i + 1]):
            expected[i] += dtype(A.data[p]) * wide[A.indices[p]]
    for columns in [*range(1, 70), 120, 127, 128, 129, 143, 144, 255, 256, 257, 300, 400]:
        F = np.ascontiguousarray(wide[:, -columns:])
        for run in (product, product_parallel):
            # what lies beside the result must stay as it is
            around = np.full((62, columns), 7.0, dtype)
            run(M.bounds, M.pointers, M.local, M.values, M.width, F, around[1:-1])
            assert np.array_equal(around[1:-1], expected[:, -columns:])
            assert (around[[0, -1]] == 7.0).all()


@TYPES
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 7, 8, 20, 21])
@pytest.mark.parametrize("rows", [1, 3, 4, 127, 128])
def test_turning_there_and_back(dtype, k, rows):
    rng = np.random.Generator(np.random.PCG64(k))
    F = rng.random((rows + 2, 3, k)).astype(dtype)
    for kind in (dtype, np.float64):
        side = dense.lanes(k, np.zeros(1, kind))
        side[:] = 5.0
        dense.turn(F, 1, 1, rows + 1, side)
        assert np.array_equal(side[:k, :rows], F[1:-1, 1].T)
        assert (side[:k, rows:] == 0.0).all()
        assert (side[k:] == 5.0).all()
    side = dense.lanes(k, F)
    dense.turn(F, 1, 1, rows + 1, side)
    G = np.full_like(F, 7.0)
    dense.turn_back(side, 1, rows + 1, G, 1)
    assert np.array_equal(G[1:-1, 1], F[1:-1, 1])
    assert (G[:, [0, 2]] == 7.0).all()
    assert (G[[0, -1]] == 7.0).all()


@TYPES
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (4, 4), (20, 20), (7, 300)])
def test_small_matrices_and_sums_in_their_order(dtype, shape):
    k, m = shape
    rng = np.random.Generator(np.random.PCG64(m))
    side, other = dense.lanes(k, np.zeros(1, dtype)), dense.lanes(m, np.zeros(1))
    side[:k], other[:m] = rng.random((k, dense.LANES)), rng.random((m, dense.LANES))
    result = dense.lanes(m, side)
    wide = np.zeros((k, result.shape[0]), dtype)
    dense.widen(rng.random((k, m)).astype(dtype), wide)
    dense.combine(side, wide, result)
    expected = np.zeros_like(result)
    for a in range(k):
        expected += wide[a][:, None] * side[a]
    assert np.array_equal(result, expected)

    exact = side.astype(np.float64)
    sums = rng.random((exact.shape[0], other.shape[0], dense.EIGHT))
    expected = sums.copy()
    for q in range(0, dense.LANES, dense.EIGHT):
        part = slice(q, q + dense.EIGHT)
        expected += exact[:, None, part] * other[None, :, part]
    dense.add_products(exact, other, False, sums)
    assert np.array_equal(sums, expected)


def _four_rows_at_a_time(A, B):
    """A'B of one start: chunks of rows, and in them four rows at a time."""
    A, B = A.astype(np.float64), B.astype(np.float64)
    total = np.zeros((A.shape[1], B.shape[1]))
    for first in range(0, len(A), dense.CHUNK):
        part = np.zeros_like(total)
        for begin in range(first, min(len(A), first + dense.CHUNK), 4):
            products = np.zeros((4, *total.shape))
            for r in range(min(4, len(A) - begin)):
                products[r] = A[begin + r][:, None] * B[begin + r]
            part += (products[0] + products[1]) + (products[2] + products[3])
        total += part
    return total


@TYPES
@pytest.mark.parametrize("k, m", [(65, 65), (80, 80), (131, 131), (300, 300), (20, 300), (97, 43)])
@pytest.mark.parametrize("rows", [1, 3, 130, 512, 1027])
def test_wide_sums_in_their_order(dtype, k, m, rows):
    assert k * m > dense.WIDEST
    rng = np.random.Generator(np.random.PCG64(rows))
    A = rng.random((rows, 2, k)).astype(dtype)
    B = A if k == m else rng.random((rows, 2, m)).astype(dtype)
    for run in (dense.cross, dense.cross_parallel):
        result = run(A, B, k == m)
        for t in range(2):
            assert np.array_equal(result[t], _four_rows_at_a_time(A[:, t], B[:, t]))
        if k == m:
            assert np.array_equal(run(A, B, False), result)


def test_lanes_begin_on_a_line():
    @njit
    def many():
        return [dense.lanes(3, np.zeros(1, np.float32)) for _ in range(9)]

    for side in many():
        assert side.shape == (4, dense.LANES)
        assert side.ctypes.data % dense.LINE == 0


@TYPES
def test_panels_are_of_about_as_many_whole_lines(dtype):
    line = 64 // np.dtype(dtype).itemsize
    assert factor_algebra.panels(3, dtype) == [0, 3]
    assert factor_algebra.panels(8 * line, dtype) == [0, 8 * line]
    assert factor_algebra.panels(8 * line + 1, dtype) == [0, 4 * line, 9 * line]
    for columns in range(line, 40 * line):
        bounds = np.array(factor_algebra.panels(columns, dtype))
        lines = np.diff(bounds) // line
        assert bounds[0] == 0 and 0 <= bounds[-1] - columns < line
        assert (bounds % line == 0).all()
        assert lines.min() >= 1 and lines.max() <= min(8, lines.min() + 1)


@TYPES
def test_rows_on_whole_lines_change_nothing(dtype, monkeypatch):
    rng = np.random.Generator(np.random.PCG64(2))
    A = sparse.random(50, 40, 0.5, "csr", random_state=2)
    M = SparseMatrix(A, dtype, 60)
    for T, k in [(1, 1), (2, 3), (1, 16), (3, 20), (6, 20), (1, 128), (1, 129), (5, 27), (1, 300)]:
        F = Factor(rng.random((40, T, k)).astype(dtype))
        monkeypatch.setattr(factor_algebra, "WORTH_LINES", np.inf)
        plain = (M @ F).array
        monkeypatch.setattr(factor_algebra, "WORTH_LINES", 0)
        lines = (M @ F).array
        assert lines.flags.c_contiguous and lines.shape == (50, T, k)
        assert lines.tobytes() == plain.tobytes()
