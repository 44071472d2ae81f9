"""The engine of the verdicts on simulated papers whose true reading is known."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoco.compare.answers import Printed, answer_number
from recoco.compare.fitting import Evidence, chance, choose, fit
from recoco.compare.measures import Measure
from recoco.compare.spreads import Spread

# Datasets, methods, measures of the same runs, options of each choice, runs in the paper and here,
# of the tables of our papers.
SIZES = {
    "coclus": (7, 6, 2, (3, 3, 2, 2), 100, 100),
    "wcnmtf": (5, 9, 2, (3, 2, 2, 2), 50, 50),
    "ebco": (5, 5, 2, (5, 2, 2, 2), 10, 10),
    "costar": (5, 4, 1, (3, 2, 2), 100, 100),
    "tsplbm": (4, 3, 3, (2, 4, 2), 30, 30),
}
FLOOR = 0.02


def simulated(generator, size, outside=False, spreads=False):
    """Return the evidence of a simulated paper, and the number of its true reading.

    Each option of a choice moves the means of some methods. With ``outside`` the printed numbers
    come from no reading at all.
    """
    datasets, methods, measures, options, theirs, ours = SIZES[size]
    places = datasets * methods * measures
    dataset, method, _ = np.array(
        list(itertools.product(range(datasets), range(methods), range(measures)))
    ).T
    readings = list(itertools.product(*(range(n) for n in options)))
    shifts = []
    for n in options:
        of_option = generator.normal(0, 0.1, (n, places))
        of_option[:, ~generator.choice([True, False], methods)[method]] = 0
        of_option[0] = 0
        shifts.append(of_option)
    start = generator.uniform(0.3, 0.7, places)
    means = np.array(
        [start + sum(s[o] for s, o in zip(shifts, reading, strict=True)) for reading in readings]
    )
    sd = generator.uniform(0, 0.06, places)
    true = 0 if generator.random() < 1 / 3 else int(generator.integers(len(readings)))
    centre = means[true]
    if outside:
        far = generator.normal(0, 0.1, datasets * methods).repeat(measures)
        centre = means[0] + far
    printed = np.round(centre + generator.normal(0, 1, places) * sd / math.sqrt(theirs), 2)
    found_sd = sd * np.sqrt(generator.chisquare(ours - 1, means.shape) / (ours - 1))
    value = means + generator.normal(0, 1, means.shape) * sd / math.sqrt(ours)
    error = found_sd / math.sqrt(ours)
    printed_sd = np.round(sd * np.sqrt(generator.chisquare(theirs - 1, places) / (theirs - 1)), 2)
    log_spread = np.zeros(means.shape)
    if spreads:
        ratios = generator.chisquare(theirs - 1, 60) / (theirs - 1)
        ratios = np.sqrt(ratios / generator.chisquare(ours - 1, 60) * (ours - 1))
        for at in np.ndindex(means.shape):
            log_spread[at] = Spread(found_sd[at], ratios).log_likelihood(printed_sd[at[1]], 0.005)
    rounding = np.full(places, 0.005)
    evidence = Evidence(
        printed,
        rounding,
        np.maximum(FLOOR, rounding + 1.96 * printed_sd / math.sqrt(theirs)),
        np.full(places, 0.01),
        value,
        value - 1.96 * error,
        value + 1.96 * error,
        found_sd**2 / theirs + error**2,
        log_spread,
        dataset,
        method,
        dataset * methods + method,
    )
    return evidence, true


def is_right(evidence: Evidence, true: int) -> bool:
    """Say whether the chosen reading is the true one, or within tolerance of it in every cell."""
    best = fit(evidence).best
    away = abs(evidence.value[best] - evidence.value[true])
    return best == true or bool((away <= evidence.tolerance).all())


def test_the_true_reading_is_found():
    generator = np.random.default_rng(0)
    right = [is_right(*simulated(generator, size)) for _ in range(40) for size in SIZES]
    assert len(right) == 200 and np.mean(right) >= 0.95


def test_the_true_reading_is_found_from_means_and_spreads():
    generator = np.random.default_rng(1)
    assert all(is_right(*simulated(generator, "costar", spreads=True)) for _ in range(10))


def test_numbers_of_no_reading_are_explained_by_chance_only():
    generator, explained, by_chance = np.random.default_rng(2), [], []
    for _ in range(40):
        for size in SIZES:
            evidence, _ = simulated(generator, size, outside=True)
            found = chance(evidence, generator)
            explained.append(found.explained)
            by_chance.append(found.by_chance.mean())
    error = np.std(np.subtract(explained, by_chance)) / math.sqrt(len(explained))
    assert np.mean(explained) <= np.mean(by_chance) + 2 * error


def test_numbers_of_a_reading_are_explained_far_more_often_than_by_chance():
    generator, explained, by_chance, wrong = np.random.default_rng(3), 0, 0.0, 0
    for _ in range(20):
        evidence, true = simulated(generator, "coclus")
        if true:
            found = chance(evidence, generator)
            explained += found.explained
            by_chance += found.by_chance.mean()
            wrong += found.open
    # Half of the drawn signs leave a number as it is printed.
    assert explained >= 0.8 * wrong and explained >= 1.7 * by_chance


def test_the_stated_reading_stays_unless_another_leads_clearly():
    assert choose(np.array([0.0, 2.6])) == 0  # 2 + log 2 is 2.69
    assert choose(np.array([0.0, 2.8])) == 1
    assert choose(np.array([[0.0, 2.8, 9.0], [0.0, -1.0, 3.0]])).tolist() == [2, 0]


def test_what_is_left_out_depends_on_the_scope():
    generator = np.random.default_rng(4)
    evidence, _ = simulated(generator, "costar")
    assert set(fit(evidence).without) == set(range(5))
    first = _cells(evidence, evidence.dataset == 0)
    assert first.fold is first.method and set(fit(first).without) == set(range(4))
    one = _cells(evidence, (evidence.dataset == 0) & (evidence.method == 0))
    assert one.fold is None and fit(one).without == {}


def _cells(evidence: Evidence, mask) -> Evidence:
    return Evidence(*(value[..., mask] for value in vars(evidence).values() if value.ndim))


def test_measures_of_the_same_runs_count_once():
    generator = np.random.default_rng(5)
    evidence, _ = simulated(generator, "tsplbm")
    once = _cells(evidence, np.arange(len(evidence.printed)) % 3 == 0)
    thrice = Evidence(*(value[..., np.repeat(range(12), 3)] for value in vars(once).values()))
    assert fit(thrice).gain == pytest.approx(fit(once).gain)


@settings(max_examples=300, deadline=None)
@given(
    value=st.floats(0, 1),
    printed=st.integers(0, 100),
    sd=st.one_of(st.none(), st.integers(0, 20)),
    below=st.floats(0, 0.3),
    above=st.floats(0, 0.3),
    wider=st.floats(1, 20),
)
def test_a_noisier_run_never_turns_a_cell_to_reproduced(value, printed, sd, below, above, wider):
    text = "" if sd is None else f"{sd / 100:.2f}"
    number = Printed.of(f"{printed / 100:.2f}", text, runs=30)

    def answer(factor):
        low, high = value - factor * below, value + factor * above
        ours = Measure(value, 0.1, low, high, 50)
        return answer_number(number, ours, number.tolerance(FLOOR))

    before, after = answer(1), answer(wider)
    assert not (after.within and not before.within)
    assert not (before.undecided and not after.undecided)
    assert not (before.within and before.undecided)
