"""The choice of a cluster in CoStar: candidates that cannot be the best are left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoco.kernels import costar_choice


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), ties=st.booleans())
def test_the_best_cluster_is_among_those_that_come_near(seed, ties):
    rng = np.random.default_rng(seed)
    candidates = int(rng.integers(2, 200))
    tau, free = rng.random(), 0.02 + rng.random()
    share = free * 10 ** -rng.uniform(0, 6)
    b = int(rng.integers(candidates))
    spread = rng.uniform(-1, 1, candidates) * min(2 * share, 0.9 * free)
    score, leaving = rng.random(candidates) * share, -rng.random() * share
    if ties:
        chosen = rng.integers(candidates, size=candidates)
        score, spread = score[chosen], spread[chosen]
    change = (leaving + score - (1 - tau) * spread) / (free - spread)
    change[b] = 0.0
    near = np.empty(candidates, np.int64)
    n_near, room = costar_choice._near(
        tau, free, share, leaving, score, spread.copy(), b, candidates, near
    )
    largest = set(np.flatnonzero(change >= change.max() - 3 * costar_choice.TIE)) - {b}
    assert largest <= set(near[:n_near])
    assert (np.diff(near[:n_near]) > 0).all()
    if n_near == 0:
        gains = np.delete(change * (free - spread), b)
        assert room == pytest.approx(-gains.max(), rel=1e-9)
