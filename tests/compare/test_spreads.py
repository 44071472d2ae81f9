"""The printed standard deviation against what draws of our own runs give."""

import numpy as np
import pytest

from recoco.compare.spreads import Spread, spread_of

EQUAL = np.full(100, 0.01)


def skewed(generator, runs):
    """Scores of a method that ends in one of two optima, as they often do."""
    return np.where(generator.random(runs) < 0.9, 0.9, 0.6) + generator.normal(0, 0.01, runs)


def test_a_right_deviation_is_rarely_called_another():
    generator, alarms = np.random.default_rng(0), 0
    for _ in range(300):
        spread = spread_of(skewed(generator, 100), EQUAL, 50, 400, generator)
        printed = np.round(skewed(generator, 50).std(ddof=1), 2)
        alarms += spread.judge(printed, 0.005) == "differs"
    assert alarms <= 0.03 * 300


def test_another_selection_shows():
    generator = np.random.default_rng(1)
    spread = spread_of(skewed(generator, 100), EQUAL, 100, 400, generator)
    assert spread.judge(0.01, 0.005) == "differs" and spread.judge(0.09, 0.005) == "agrees"
    assert spread.log_likelihood(0.09, 0.005) > spread.log_likelihood(0.01, 0.005) + 2


def test_without_a_spread_of_ours_none_may_be_printed():
    spread = spread_of(np.full(100, 0.7), EQUAL, 100, 50, np.random.default_rng(2))
    assert spread.judge(0.0, 0.005) == "agrees" and spread.judge(0.01, 0.005) == "differs"
    assert spread.judge(0.0005, 0.0005) == "agrees"
    assert np.isfinite(spread.log_likelihood(0.3, 0.005))


def test_the_likelihood_is_a_probability():
    spread = Spread(0.05, np.random.default_rng(3).uniform(0.8, 1.2, 500))
    grid = np.arange(0.005, 0.5, 0.01)
    total = sum(np.exp(spread.log_likelihood(sd, 0.005)) for sd in grid)
    assert total == pytest.approx(1, abs=0.02)
