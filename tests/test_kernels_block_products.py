"""The product of the block models has the bits of sums taken entry by entry."""

import numba
import numpy as np
import pytest
from scipy import sparse

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
