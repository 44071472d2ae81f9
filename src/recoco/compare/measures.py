"""Numbers from runs: means, intervals and tests, under a selection rule."""

import math
import warnings
from dataclasses import dataclass

import numpy as np

from recoco.seeds import generator_of


@dataclass(frozen=True)
class Measure:
    """What the runs of a setting say about one metric."""

    value: float
    sd: float | None
    low: float
    high: float
    runs: int

    @property
    def half_interval(self) -> float:
        return (self.high - self.low) / 2


# How one number is made of the scores of the runs: by the order in which they are looked at
# and the weight that each place has.
SELECT = ("mean", "best", "criterion", "best-of")


def measure(
    values: np.ndarray,
    select: str,
    resamples: int,
    master: int,
    name: str,
    criterion: np.ndarray | None = None,
    best_of: int = 1,
) -> Measure:
    """Return one number made of the scores of the runs, with a 95 % bootstrap interval.

    Parameters
    ----------
    values : one score per run
    select : "mean"; "best", the largest score, an oracle that sees the classes; "criterion", the
        score of the run with the best criterion; "best-of", the expected score of the best by
        the criterion of ``best_of`` of the runs
    name : what is measured; the resampling draws from a generator of that name
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
        # Drawn places in rising order: every sample is ordered as the runs are.
        low, high = np.percentile(values[np.sort(drawn, axis=1)] @ weights, [2.5, 97.5])
    return Measure(value, _deviation(values, weights), float(low), float(high), len(values))


def _weights(select: str, runs: int, best_of: int) -> np.ndarray:
    """Return the weight of each run, the runs being in the order of the rule."""
    if select == "mean":
        return np.full(runs, 1 / runs)
    n = min(best_of, runs) if select == "best-of" else runs
    # Of n runs drawn without return, the run at place i is the first with C(runs-1-i, n-1)
    # chances in C(runs, n); with n = runs the first place has them all.
    chances = [math.comb(runs - 1 - place, n - 1) for place in range(runs)]
    return np.array([chance / math.comb(runs, n) for chance in chances])


def _deviation(values: np.ndarray, weights: np.ndarray) -> float | None:
    """Return the standard deviation, unbiased where all runs weigh the same; one run has none."""
    if weights[0] == 1.0:
        return None
    if np.ptp(weights) == 0:
        return float(np.std(values, ddof=1))
    return float(np.sqrt(weights @ (values - weights @ values) ** 2))


def welch(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Return the two-sided p-value of Welch's t-test and mean(second) - mean(first).

    Runs that all give one number have no variance; two such settings differ for certain or
    not at all.
    """
    from scipy import stats

    difference = float(np.mean(second) - np.mean(first))
    spread = np.ptp(first) + np.ptp(second)
    if spread < 1e-12:
        return (0.0 if abs(difference) > 1e-12 else 1.0), difference
    if min(len(first), len(second)) < 2:
        return float("nan"), difference
    with warnings.catch_warnings():
        # Where one of the two has no spread, its variance is none: no loss to warn of.
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        return float(stats.ttest_ind(first, second, equal_var=False).pvalue), difference
