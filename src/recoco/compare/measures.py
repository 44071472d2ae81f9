"""Numbers computed from runs: means, intervals and tests, under a selection rule."""

import math
import warnings
from dataclasses import dataclass

import numpy as np

from recoco.core.seeds import generator_of


@dataclass(frozen=True)
class Measure:
    """One number computed from the runs of a setting, with its spread and interval."""

    value: float
    sd: float | None
    low: float
    high: float
    runs: int

    @property
    def half_interval(self) -> float:
        return (self.high - self.low) / 2


def measure(
    values: np.ndarray,
    select: str,
    resamples: int,
    master: int,
    name: str,
    criterion: np.ndarray | None = None,
    best_of: int = 1,
) -> Measure:
    """Return one number computed from the scores of runs, with a 95 % bootstrap interval.

    Every rule orders the runs and gives a weight to each place.

    Parameters
    ----------
    values : one score per run
    select : "mean"; "best", the largest score, an oracle that sees the classes; "criterion", the
        score of the run with the best criterion; "best-of", the expected score of the best by
        the criterion of ``best_of`` of the runs
    name : name of the number; the resampling uses a generator of that name
    criterion : one value per run, smaller is better
    """
    values = np.asarray(values, dtype=float)
    if select == "best":
        values = -np.sort(-values)
    elif select != "mean":
        values = values[np.argsort(criterion, kind="stable")]
    weights = _weights(select, len(values), best_of)
    value = float(values @ weights)
    if len(values) == 1:
        low = high = value
    else:
        drawn = generator_of(master, f"bootstrap {name}").integers(
            0, len(values), size=(resamples, len(values))
        )
        # Sorted places keep every sample in the order of the runs.
        low, high = np.percentile(values[np.sort(drawn, axis=1)] @ weights, [2.5, 97.5])
    return Measure(value, _deviation(values, weights), float(low), float(high), len(values))


def _weights(select: str, runs: int, best_of: int) -> np.ndarray:
    """Return the weight of each run, in the order of the rule."""
    if select == "mean":
        return np.full(runs, 1 / runs)
    n = min(best_of, runs) if select == "best-of" else runs
    # Of n runs drawn without replacement, the run at place i is the best with probability
    # C(runs-1-i, n-1) / C(runs, n); for n = runs it is always the first.
    chances = [math.comb(runs - 1 - place, n - 1) for place in range(runs)]
    return np.array([chance / math.comb(runs, n) for chance in chances])


def _deviation(values: np.ndarray, weights: np.ndarray) -> float | None:
    """Return the standard deviation, unbiased for equal weights; None for a single run."""
    if weights[0] == 1.0:
        return None
    if np.ptp(weights) == 0:
        return float(np.std(values, ddof=1))
    return float(np.sqrt(weights @ (values - weights @ values) ** 2))


def welch(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Return the two-sided p-value of Welch's t-test and mean(second) - mean(first).

    Two settings without any variance differ with certainty or not at all.
    """
    from scipy import stats

    difference = float(np.mean(second) - np.mean(first))
    spread = np.ptp(first) + np.ptp(second)
    if spread < 1e-12:
        return (0.0 if abs(difference) > 1e-12 else 1.0), difference
    if min(len(first), len(second)) < 2:
        return float("nan"), difference
    with warnings.catch_warnings():
        # The warning is wrong for a sample whose values are all the same.
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        return float(stats.ttest_ind(first, second, equal_var=False).pvalue), difference


# Tests between the runs of two settings, by the name that a paper's file gives as ``test.kind``;
# each returns the p-value and mean(second) - mean(first).
TESTS = {"welch": welch}
