"""Is the printed standard deviation one that our runs could have given?"""

from dataclasses import dataclass

import numpy as np

# Fewer runs of ours say too little about the shape of their distribution.
FEWEST = 30
_CENTRAL = 0.99
_EXACT = 1e-9
# Scores lie between 0 and 1, so that their standard deviations are at most this.
_LARGEST = 0.5


@dataclass(frozen=True)
class Spread:
    """The standard deviation of our runs, and what those of other draws of them may be.

    Attributes
    ----------
    sd : of our N runs
    ratios : sd of R runs over sd of N runs, both drawn from ours, once per draw
    """

    sd: float
    ratios: np.ndarray

    def judge(self, printed: float, rounding: float) -> str:
        """Return "agrees" if the rounded printed deviation may be that of such runs, or "differs".

        The rule needs no shape of the distribution: scores are far from normal, and an F-test
        would raise a false alarm in a tenth of the cells.
        """
        least, most = printed - rounding, printed + rounding
        if self.sd <= _EXACT:
            return "agrees" if least <= _EXACT else "differs"
        tail = 50 * (1 - _CENTRAL)
        low, high = np.percentile(self.ratios, [tail, 100 - tail], method="nearest")
        meets = least / self.sd <= high + _EXACT and most / self.sd >= low - _EXACT
        return "agrees" if meets else "differs"

    def log_likelihood(self, printed: float, rounding: float) -> float:
        """Return the log-probability of the rounded printed deviation, smoothed."""
        from scipy.special import ndtr

        drawn = self.sd * self.ratios[np.isfinite(self.ratios)] if self.sd > _EXACT else 0.0
        edges = np.array([[printed - rounding], [printed + rounding]])
        below = ndtr((edges - np.atleast_1d(drawn)) / rounding).mean(axis=1)
        return float(np.log(0.9 * (below[1] - below[0]) + unlikely(rounding)))


def unlikely(rounding: float) -> float:
    """Return the probability of a printed deviation that no reading accounts for."""
    return 0.1 * 2 * rounding / _LARGEST


def spread_of(
    values: np.ndarray,
    weights: np.ndarray,
    runs: int,
    draws: int,
    generator: np.random.Generator,
) -> Spread:
    """Return the spread of results, each of which is one of the scores.

    Parameters
    ----------
    values : one score per run
    weights : the probability of each to be a result
    runs : results behind the printed deviation
    draws : how often runs are drawn from ours
    """
    edges = np.cumsum(weights)
    edges /= edges[-1]
    total = len(values)

    def deviations(count: int) -> np.ndarray:
        drawn = np.searchsorted(edges, generator.random((draws, count)), side="right")
        return values[np.minimum(drawn, total - 1)].std(axis=1, ddof=1)

    mean = weights @ values / weights.sum()
    sd = np.sqrt(weights @ (values - mean) ** 2 / weights.sum() * total / (total - 1))
    theirs, ours = deviations(runs), deviations(total)
    ratios = np.divide(theirs, ours, out=np.full(draws, np.inf), where=ours > _EXACT)
    return Spread(float(sd), ratios[(ours > _EXACT) | (theirs > _EXACT)])
