"""k-means of scikit-learn without its repetitions: the same labels, also in a circle."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans, _k_means_common, _k_means_lloyd, _kmeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from recoco.methods.seeded_kmeans import MAX_ITER, kmeans_labels, lloyd

seeds = st.integers(0, 2**31 - 1)


def theirs(points, k, n_init, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, n_init=n_init, random_state=seed).fit_predict(points)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 60), st.integers(1, 6), st.integers(2, 9), st.booleans())
def test_the_labels_of_scikit_learn(seed, n, p, k, repeated):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n + k, p))
    if repeated:  # fewer distinct points than clusters, some of them
        points = points[rng.integers(len(points), size=len(points))]
    with threadpool_limits(1):
        assert (kmeans_labels(points, k, 3, seed) == theirs(points, k, 3, seed)).all()


@pytest.mark.parametrize("lead", [0, 1, 5, 31, 290, 400])
@pytest.mark.parametrize("period", [2, 3, 6, 10])
def test_centres_that_come_back_end_the_iterations(monkeypatch, lead, period):
    """Iterations that run into a circle, whose state is the first coordinate of the centres."""
    calls = []

    def step(X, weights, centres, moved, counts, labels, shift, threads, update_centers=True):
        state = int(centres[0, 0])
        labels[:] = state
        shift[:] = 1.0
        calls.append(state)
        if update_centers:
            moved[:] = state + 1 if state + 1 < lead + period else lead

    for module in (_kmeans, _k_means_lloyd):
        monkeypatch.setattr(module, "lloyd_iter_chunked_dense", step)
    for module in (_kmeans, _k_means_common):
        monkeypatch.setattr(module, "_inertia_dense", lambda X, w, centres, *_: centres[0, 0])
    X, centres = np.zeros((4, 2)), np.zeros((2, 2))
    labels, inertia, *_ = _kmeans._kmeans_single_lloyd(X, np.ones(4), centres.copy(), tol=0.5)
    assert len(calls) == MAX_ITER + 1
    calls.clear()
    found = lloyd(X, centres.copy(), 0.5)
    assert (found[0] == labels).all() and found[1] == inertia
    assert len(calls) <= min(MAX_ITER + 1, 3 * max(lead, period) + 2 * period + 2)
