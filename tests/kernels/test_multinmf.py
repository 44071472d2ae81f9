"""The updates of MultiNMF against the same in numpy, bit for bit."""

import numpy as np
import pytest

from recoco.kernels.multinmf import TINY, update_features, update_memberships


@pytest.mark.parametrize("lam", [0.0, 0.01])
@pytest.mark.parametrize(("n", "d", "g"), [(1, 2, 2), (30, 17, 5), (8, 40, 20)])
def test_updates_are_those_of_numpy(n, d, g, lam):
    rng = np.random.default_rng(n + g)
    U, V, star = rng.random((d, g)), rng.random((n, g)), rng.random((n, g))
    U[:, 0] = 0.0  # a column that has died out
    above, below = rng.random((d, g)), U @ (V.T @ V)
    u, v = U.copy(), V.copy()
    u *= (above + lam * (v * star).sum(axis=0)) / (
        below + lam * u.sum(axis=0) * (v**2).sum(axis=0) + TINY
    )
    Q = u.sum(axis=0)
    Q[Q == 0] = 1.0
    u /= Q
    v *= Q
    update_features(U, V, above, below, lam, star)
    assert U.tobytes() == u.tobytes() and V.tobytes() == v.tobytes()
    above, below = rng.random((n, g)), V @ (U.T @ U)
    v *= (above + lam * star) / (below + lam * v + TINY)
    update_memberships(V, above, below, lam, star)
    assert V.tobytes() == v.tobytes()
