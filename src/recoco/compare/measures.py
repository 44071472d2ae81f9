"""Numbers computed from runs: means, intervals and tests, under a selection rule."""

import warnings
from dataclasses import dataclass

import numpy as np

from recoco.compare.pool import ENOUGH, Expected, Pool, resample
from recoco.core.seeds import generator_of


@dataclass(frozen=True)
class Measure:
    """One number computed from the runs of a setting, with its spread and interval.

    ``error`` is its standard error; ``starts`` of how many runs each result is the best.
    """

    value: float
    sd: float | None
    low: float
    high: float
    runs: int
    error: float = 0.0
    starts: int = 1

    @property
    def half_interval(self) -> float:
        return (self.high - self.low) / 2

    @property
    def too_small(self) -> bool:
        """Say whether the runs are too few for the best of so many of them."""
        return 1 < self.starts < self.runs < ENOUGH * self.starts


def measure(
    values: np.ndarray,
    select: str,
    resamples: int,
    master: int,
    name: str,
    criterion: np.ndarray | None = None,
    best_of: int = 1,
    larger: bool = False,
) -> Measure:
    """Return one number computed from the scores of runs, with a 95 % bootstrap interval.

    Every rule is that of the best of some of the runs: of one for the mean, of all for a single
    result.

    Parameters
    ----------
    values : one score per run, NaN if it failed
    select : "mean"; "best", the largest score, an oracle that sees the classes; "criterion", the
        score of the run with the best criterion; "best-of", the expected score of the best by
        the criterion of ``best_of`` of the runs
    name : name of the number; the resampling uses a generator of that name
    criterion : one value per run
    larger : whether a larger criterion is better
    """
    values = np.asarray(values, dtype=float)
    if select in ("mean", "best"):
        values = values[~np.isnan(values)]
        criterion, larger = values, True
    assert criterion is not None
    pool = Pool(values, criterion, larger, name)
    n = {"mean": 1, "best-of": best_of}.get(select, len(values))
    drawn = resample(len(values), resamples, generator_of(master, f"bootstrap {name}"))
    expected = pool.best_of(n, drawn)
    low, high = np.percentile(expected.means, [2.5, 97.5])
    return Measure(
        expected.mean,
        _deviation(values, expected, n),
        float(low),
        float(high),
        int(np.sum(~np.isnan(values))),
        float(np.std(expected.means)),
        n,
    )


def _deviation(values: np.ndarray, expected: Expected, n: int) -> float | None:
    """Return the spread of one result; None for a single one of all runs."""
    if n == len(values):
        return None
    return float(np.nanstd(values, ddof=1)) if n == 1 else expected.sd


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
