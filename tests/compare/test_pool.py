"""The pool of starts against all subsets, and against starts that are really repeated."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoco.compare.pool import Pool, resample
from recoco.core.errors import RecocoError


def brute_force(scores, criterion, n, larger):
    """Return the weights by looking at every subset; ties share, failures come last."""
    merit = np.where(np.isfinite(criterion), criterion if larger else -criterion, -np.inf)
    rank = [(s == s, m if s == s else 0) for s, m in zip(scores, merit, strict=True)]
    weights, subsets = np.zeros(len(scores)), list(itertools.combinations(range(len(scores)), n))
    for subset in subsets:
        best = max(rank[i] for i in subset)
        first = [i for i in subset if rank[i] == best]
        weights[first] += 1 / len(first) / len(subsets)
    return weights


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.1, 0.4, 0.5, 0.9, np.nan]),
            st.sampled_from([1.0, 2.0, 3.0, np.inf, np.nan, -np.inf]),
        ),
        min_size=1,
        max_size=7,
    ),
    st.integers(1, 7),
    st.booleans(),
)
def test_weights_are_those_of_all_subsets(starts, n, larger):
    scores, criterion = (np.array(column) for column in zip(*starts, strict=True))
    n = min(n, len(starts))
    expected = brute_force(scores, criterion, n, larger)
    pool = Pool(scores, criterion, larger)
    assert pool.weights(n) == pytest.approx(expected)
    known = ~np.isnan(scores)
    if expected[known].sum() > 0:
        mean = expected[known] @ scores[known] / expected[known].sum()
        assert pool.best_of(n).mean == pytest.approx(mean)


def test_more_starts_than_there_are_is_an_error():
    pool = Pool([0.1, 0.2], [1, 2], name="cstr/count/coclus")
    with pytest.raises(RecocoError, match=r"best of 3 starts of cstr/count/coclus .* from 2: "):
        pool.weights(3)
    assert pool.too_small(1) and not Pool(np.zeros(20), np.zeros(20)).too_small(2)


def test_both_orientations():
    scores, criterion = [0.1, 0.5, 0.9], [1.0, 2.0, 3.0]
    assert Pool(scores, criterion, larger=True).best_of(3).mean == 0.9
    assert Pool(scores, criterion, larger=False).best_of(3).mean == 0.1


def test_a_curve_runs_from_the_mean_to_the_best():
    scores = np.linspace(0, 1, 11)
    drawn = resample(11, 50, np.random.default_rng(0))
    curve = Pool(scores, scores, larger=True).curve([1, 5, 11, 20], drawn)
    assert list(curve) == [1, 5, 11]
    assert curve[1].mean == pytest.approx(0.5) and curve[11].mean == pytest.approx(1)
    assert curve[1].mean < curve[5].mean < curve[11].mean


def test_mean_and_spread_are_those_of_starts_that_are_repeated():
    generator = np.random.default_rng(0)

    def starts(*shape):
        criterion = generator.normal(size=shape)
        return np.tanh(criterion / 2) + 0.3 * generator.normal(size=shape), criterion

    n, found = 20, []
    for _ in range(300):
        drawn = resample(200, 100, generator)
        found.append(Pool(*starts(200), larger=True).best_of(n, drawn))
    scores, criterion = starts(20_000, n)
    real = np.take_along_axis(scores, criterion.argmax(axis=1)[:, None], axis=1)
    mean = np.mean([each.mean for each in found])
    assert mean == pytest.approx(real.mean(), abs=4 * np.std([e.mean for e in found]) / 300**0.5)
    # Root mean square: the variance is what the correction is about.
    spread = np.sqrt(np.mean([each.sd**2 for each in found]))
    assert spread == pytest.approx(real.std(), rel=0.03)


def test_a_resample_draws_as_many_starts_as_there_are():
    drawn = resample(7, 100, np.random.default_rng(0))
    assert drawn.shape == (100, 7) and (drawn.sum(axis=1) == 7).all()
