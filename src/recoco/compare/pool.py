"""The expected result of "best of n starts by the criterion", from a pool of single starts."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from recoco.core.errors import RecocoError

# A pool of fewer starts per drawn one says little about the best of them.
ENOUGH = 10
# Numbers of starts for which a curve is drawn.
NUMBERS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


@dataclass(frozen=True)
class Expected:
    """What the best of n starts scores: the mean, and the spread of one such result.

    ``means`` is the mean in each bootstrap sample.
    """

    mean: float
    sd: float
    means: np.ndarray


class Pool:
    """Single starts of one setting: what each scores, and its criterion.

    A start that failed has no score (NaN); it is drawn like any other, and never the best of a
    draw in which another one has a score. A start whose criterion is not finite comes last, too.

    Parameters
    ----------
    scores : one score per start
    criterion : one value per start
    larger : whether a larger criterion is better
    name : what the starts are of, for error messages
    """

    def __init__(self, scores, criterion, larger: bool = False, name: str = "this setting"):
        self.scores = np.asarray(scores, dtype=float)
        self.name = name
        merit = np.asarray(criterion, dtype=float) * (1 if larger else -1)
        merit = np.where(np.isfinite(merit), merit, -np.inf)
        has_score = ~np.isnan(self.scores)
        merit = np.where(has_score, merit, 0.0)  # those without one are all alike
        order = np.lexsort((merit, has_score))
        key = np.stack([merit, has_score])[:, order]
        new = np.any(key[:, 1:] != key[:, :-1], axis=0)
        self._place = np.empty(len(order), dtype=int)
        self._place[order] = np.cumsum([0, *new])  # 0 is the worst; ties share a place

    def __len__(self) -> int:
        return len(self.scores)

    def too_small(self, n: int) -> bool:
        """Say whether the pool is too small for a precise best of ``n``."""
        return len(self) < ENOUGH * n

    def weights(self, n: int) -> np.ndarray:
        """Return the probability of each start to be the best of ``n`` that are drawn.

        Of N starts, C(b, n) / C(N, n) of all draws have nothing better than the b worst. Ties
        share the probability of their group equally.
        """
        counts = np.ones((1, len(self)))
        return self._weights(n, counts)[0]

    def best_of(self, n: int, resamples: np.ndarray | None = None) -> Expected:
        """Return the expected score of the best of ``n`` starts, and its spread.

        The mean is unbiased. The weighted spread alone is too small, because the mean is that of
        the same starts: the variance of the mean over ``resamples`` is added.

        Parameters
        ----------
        resamples : how often each start occurs in each bootstrap sample, from `resample`
        """
        weights = self._scored(self.weights(n)[None])[0]
        scores = np.nan_to_num(self.scores)
        mean = float(weights @ scores)
        variance = float(weights @ (scores - mean) ** 2)
        means = np.full(1, mean)
        if resamples is not None:
            means = self._scored(self._weights(n, resamples)) @ scores
            variance += float(np.var(means))
        return Expected(mean, math.sqrt(max(0.0, variance)), means)

    def curve(self, numbers: Iterable[int], resamples: np.ndarray) -> dict[int, Expected]:
        """Return the expected score for each number of starts that the pool has."""
        return {n: self.best_of(n, resamples) for n in numbers if n <= len(self)}

    def _weights(self, n: int, counts: np.ndarray) -> np.ndarray:
        """Return the weights of the starts in samples that have each start so many times."""
        total = len(self)
        if not 1 <= n <= total:
            raise RecocoError(
                f"The best of {n} starts of {self.name} cannot be taken from {total}: "
                "compute more runs or choose a smaller n."
            )
        if n == 1:
            return counts / total
        below = np.array([math.comb(j, n) / math.comb(total, n) for j in range(total + 1)])
        groups = counts @ np.eye(self._place.max() + 1)[self._place]
        upto = np.cumsum(groups, axis=1).round().astype(int)
        shares = np.diff(below[upto], axis=1, prepend=0.0)
        each = np.divide(shares, groups, out=np.zeros_like(shares), where=groups > 0)
        return each[:, self._place] * counts

    def _scored(self, weights: np.ndarray) -> np.ndarray:
        """Return the weights under the condition that one of the drawn starts has a score."""
        known = np.where(np.isnan(self.scores), 0.0, weights)
        total = known.sum(axis=1, keepdims=True)
        return np.divide(known, total, out=np.zeros_like(known), where=total > 0)


def resample(starts: int, resamples: int, generator: np.random.Generator) -> np.ndarray:
    """Return how often each start occurs in each of some bootstrap samples."""
    drawn = generator.integers(0, starts, size=(resamples, starts))
    flat = drawn + starts * np.arange(resamples)[:, None]
    counts = np.bincount(flat.ravel(), minlength=resamples * starts)
    return counts.reshape(resamples, starts).astype(float)
