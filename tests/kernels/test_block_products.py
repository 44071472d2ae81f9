"""Products, tables and E-steps of the block models have the bits of sums taken entry by entry."""

import numba
import numpy as np
import pytest
from scipy import sparse

from recoco.kernels import block_models as kernel
from recoco.methods.block_engine import _plain, multiply


@pytest.mark.parametrize("width", [1, 3, 4, 7, 8, 9, 20, 65])
def test_product_adds_in_the_order_of_the_entries(width):
    rng = np.random.default_rng(width)
    A = _plain(sparse.random(90, 50, 0.2, format="csr", rng=rng))
    source = rng.standard_normal((50, width))
    expected = np.zeros((90, width))
    for i in range(90):
        for p in range(A.indptr[i], A.indptr[i + 1]):
            expected[i] += A.data[p] * source[A.indices[p]]
    assert multiply(A, source, threads=False).tobytes() == expected.tobytes()
    before = numba.get_num_threads()
    for number in {1, min(2, numba.config.NUMBA_NUM_THREADS)}:
        numba.set_num_threads(number)
        assert multiply(A, source, threads=True).tobytes() == expected.tobytes()
    numba.set_num_threads(before)


def test_product_of_an_array_that_is_not_in_one_piece():
    A = _plain(sparse.random(30, 20, 0.3, format="csr", rng=np.random.default_rng(0)))
    whole = np.random.default_rng(1).standard_normal((20, 12))
    apart = whole[:, ::2]
    assert np.array_equal(multiply(A, apart, threads=False), A @ apart)


@pytest.mark.parametrize(("n", "g", "width"), [(1, 1, 1), (5, 2, 3), (16, 9, 9), (40, 20, 33)])
def test_tables_are_sums_in_the_order_of_the_nodes(n, g, width):
    rng = np.random.default_rng(n)
    Z = rng.random((n, 3, g)) * (rng.random((n, 3, g)) < 0.6)
    P = rng.random((n, 3, width))
    expected = np.zeros((g, width))
    for i in range(n):
        for k in range(g):
            expected[k] += Z[i, 1, k] * P[i, 1]
    assert kernel._table(Z[:, 1], P[:, 1]).tobytes() == expected.tobytes()


@pytest.mark.parametrize("model", [kernel.PSBM, kernel.PLBM])
def test_expectation_is_that_of_the_plain_loops(model):
    rng = np.random.default_rng(8)
    v, n, T, g = 2, 21, 3, 11
    Z, P = rng.random((n, T, g)), rng.random((v, n, T, g))
    Z[rng.random(Z.shape) < 0.3] = 0.0
    P[rng.random(P.shape) < 0.3] = 0.0
    share, pull = rng.random((T, g)), rng.random((T, v, g))
    logs, rates = -rng.random((T, v, g, g)), rng.random((T, v, g, g))
    rates[rates < 0.2] = np.exp(kernel.LOWEST)
    found = np.empty_like(Z)
    kernel.expect(model, True, False, Z, P, np.ones((v, n)), share, logs, pull, rates, found)
    score = np.empty(g)
    expected = np.empty(g)
    for i in range(n):
        for t in range(T):
            for k in range(g):
                score[k] = share[t, k]
                for b in range(v):
                    for m in range(g):
                        score[k] += P[b, i, t, m] * logs[t, b, k, m]
                    if model == kernel.PSBM:
                        score[k] -= pull[t, b, k]
                        for m in range(g):
                            score[k] += Z[i, t, m] * rates[t, b, k, m]
            kernel._softmax(score, expected, False)
            assert found[i, t].tobytes() == expected.tobytes()


def test_posteriors_fade_to_zero_only_where_no_sum_feels_them():
    score = np.array([0.0, -344.0, -346.0, -800.0])
    found = np.empty(4)
    kernel._softmax(score, found, False)
    assert found[0] == 1.0 and 0 < found[1] < kernel.EMPTY and (found[2:] == 0.0).all()
