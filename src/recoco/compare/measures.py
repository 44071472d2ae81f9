"""Numbers from runs: means, intervals and tests, under a selection rule."""

from dataclasses import dataclass

import numpy as np

from recoco.seeds import generator_of


@dataclass(frozen=True)
class Measure:
    """What the runs of a setting say about one metric."""

    value: float
    sd: float
    low: float
    high: float
    runs: int

    @property
    def half_interval(self) -> float:
        return (self.high - self.low) / 2


def measure(values: np.ndarray, select: str, resamples: int, master: int, name: str) -> Measure:
    """Return the mean (or the best) of ``values`` with a 95 % bootstrap interval.

    Parameters
    ----------
    values : one score per run
    select : "mean" or "best" (the largest value: an oracle that sees the classes)
    name : what is measured; the resampling draws from a generator of that name
    """
    values = np.asarray(values, dtype=float)
    reduce = {"mean": np.mean, "best": np.max}[select]
    if len(values) == 1:
        low = high = values[0]
    else:
        drawn = generator_of(master, f"bootstrap {name}").integers(
            0, len(values), size=(resamples, len(values))
        )
        low, high = np.percentile(reduce(values[drawn], axis=1), [2.5, 97.5])
    sd = float(np.std(values, ddof=1)) if select == "mean" and len(values) > 1 else 0.0
    return Measure(float(reduce(values)), sd, float(low), float(high), len(values))


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
    return float(stats.ttest_ind(first, second, equal_var=False).pvalue), difference
