"""Products of factors against plain NumPy, and updates in one pass against those in parts."""

import numpy as np
import pytest
from scipy import sparse

from recoco.methods.factor_algebra import (
    Factor,
    Small,
    SparseMatrix,
    cross,
    diagonal,
    gram,
    inner,
    update,
)
from support.twins import random_sparse


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_algebra(dtype):
    rng = np.random.default_rng(11)
    rtol = 1e-12 if dtype == np.float64 else 1e-5
    X = sparse.csr_matrix(random_sparse(rng, 300, 2500, 0.1))
    S = SparseMatrix.both_ways(X, dtype, 4096)
    assert S.pointers.shape[0] > 1 and S.T.T is S
    assert np.allclose(S.tocsr().toarray(), X.toarray(), rtol=1e-6)
    W = Factor(rng.random((2500, 3, 5)).astype(dtype))
    Z = S @ W
    assert Z.array.dtype == dtype
    B, C = Small(rng.random((3, 5, 4))), Small(rng.random((3, 4, 5)))
    weights = rng.random(2500)
    for t in range(3):
        w = W.array[:, t].astype(float)
        assert np.allclose(Z.array[:, t], X @ w, rtol=rtol)
        assert np.allclose((S.T @ Z).array[:, t], X.T @ (X @ w), rtol=rtol)
        assert np.allclose(gram(W).array[t], w.T @ w, rtol=rtol)
        assert np.allclose(inner(W, W)[t], (w * w).sum(), rtol=rtol)
        assert np.allclose((B @ C).array[t], B.array[t] @ C.array[t], rtol=1e-14)
        assert np.allclose(inner(B, C.T)[t], (B.array[t] * C.array[t].T).sum(), rtol=1e-14)
        terms = 2.0 * (W @ B) + 0.5 * (W @ B) + (W @ C.T)
        assert np.allclose(terms.value()[:, t], 2.5 * w @ B.array[t] + w @ C.array[t].T, rtol=rtol)
        assert np.allclose(diagonal(weights, W).array[:, t], weights[:, None] * w, rtol=rtol)


@pytest.mark.parametrize("root", [False, True])
def test_update_in_one_pass_and_in_parts_agree(root):
    rng = np.random.default_rng(12)
    F, A, E = (Factor(rng.random((700, 3, k))) for k in (6, 5, 6))
    B, G = Small(rng.random((3, 5, 6))), Small(rng.random((3, 6, 6)))
    other = Factor(F.array.copy())
    cross_before = cross(A, F).array
    update(F, A @ B + 0.3 * E, F @ G, root=root, with_cross=True)
    # two plain terms and a copy of the factor in the denominator are done in parts
    copy = Factor(other.array.copy())
    update(other, A @ B + 0.1 * E + 0.2 * E, copy @ G, root=root)
    assert np.allclose(F.array, other.array, rtol=1e-12)
    assert np.allclose(gram(F).array, gram(other).array, rtol=1e-12)
    assert np.allclose(cross(A, F).array, cross(A, other).array, rtol=1e-12)
    assert not np.allclose(cross(A, F).array, cross_before)
