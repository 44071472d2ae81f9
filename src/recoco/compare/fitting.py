"""Which reading of a paper its printed numbers support, and what chance would explain.

A reading is a combination of options of choices that are fitted together. The first one is what
the paper states.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recoco.compare.answers import place_of

# A reading must beat the stated one by more than this and the logarithm of their number.
LEAD = 2.0
DRAWS = 300
_SLACK = 0.01
_NORMAL, _UNIFORM = 0.9, 0.1


@dataclass(frozen=True)
class Evidence:
    """Printed means and the numbers of ours that answer them, under every reading.

    Arrays have an entry per cell or, if they depend on it, per reading and cell. A reading without
    a number for a cell has NaN.

    Attributes
    ----------
    printed, rounding, tolerance : of the printed means
    precise : half of our interval from which on our number decides
    value, low, high : our number and its 95 % interval
    variance : of the printed mean under the reading, apart from rounding
    log_spread : log-probability of the printed deviation; 0 where it is not judged
    dataset, method, runs : numbers that say which cells have these in common
    """

    printed: np.ndarray
    rounding: np.ndarray
    tolerance: np.ndarray
    precise: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    variance: np.ndarray
    log_spread: np.ndarray
    dataset: np.ndarray
    method: np.ndarray
    runs: np.ndarray

    @property
    def fold(self) -> np.ndarray | None:
        """What is left out when a reading is chosen for a cell: its dataset, else its method.

        None if there is one of each: then nothing is left to choose by.
        """
        for of_cell in (self.dataset, self.method):
            if len(np.unique(of_cell)) > 1:
                return of_cell
        return None

    def log_likelihood(self, printed: np.ndarray) -> np.ndarray:
        """Return the log-likelihood of each reading and cell; measures of the same runs share."""
        from scipy.special import ndtr

        spread = np.sqrt(self.variance + _SLACK**2)
        high, low = (
            ndtr((printed + side * self.rounding - self.value) / spread) for side in (1, -1)
        )
        inside = np.nan_to_num(high - low)
        log_mean = np.log(_NORMAL * inside + _UNIFORM * 2 * self.rounding)
        _, of_cell, sizes = np.unique(self.runs, return_inverse=True, return_counts=True)
        return (log_mean + self.log_spread) / sizes[of_cell]

    def comes_out(self, printed: np.ndarray) -> np.ndarray:
        """Say for each reading and cell whether our number agrees for certain."""
        within, _ = place_of(self.value, self.low, self.high, printed, self.tolerance, self.precise)
        return within

    @cached_property
    def open(self) -> np.ndarray:
        """Say which cells are decided not to come out as stated."""
        within, undecided = place_of(
            *(self.value[0], self.low[0], self.high[0]),
            *(self.printed, self.tolerance, self.precise),
        )
        return ~within & ~undecided


@dataclass(frozen=True)
class Choice:
    """The chosen readings: by all cells, and without each fold. Numbers of readings."""

    best: int
    without: dict[int, int]
    gain: np.ndarray  # log-likelihood of each reading above the stated one


def choose(totals: np.ndarray) -> np.ndarray:
    """Return the reading of the largest likelihood; the stated one unless another leads clearly.

    Parameters
    ----------
    totals : log-likelihoods, the last axis is that of the readings
    """
    best = totals.argmax(axis=-1)
    lead = np.take_along_axis(totals, best[..., None], -1)[..., 0] - totals[..., 0]
    return np.where(lead > LEAD + np.log(totals.shape[-1]), best, 0)


def fit(evidence: Evidence) -> Choice:
    """Choose the reading by all cells, and without each fold."""
    likelihood = evidence.log_likelihood(evidence.printed)
    totals, fold = likelihood.sum(axis=1), evidence.fold
    without = {}
    if fold is not None:
        for part in np.unique(fold):
            without[int(part)] = int(choose(likelihood[:, fold != part].sum(axis=1)))
    return Choice(int(choose(totals)), without, totals - totals[0])


@dataclass(frozen=True)
class Chance:
    """Cells that come out under another reading: in the paper, and by chance.

    Attributes
    ----------
    open : cells that do not come out as stated
    explained : of these, under the reading chosen without them (or with them, in a single fold)
    by_chance : the same in each draw of signs
    """

    open: int
    explained: int
    by_chance: np.ndarray


def chance(evidence: Evidence, generator: np.random.Generator, cells=None) -> Chance:
    """Return how many cells the rule explains, and how many of numbers that mean nothing.

    Such numbers lie as far from the stated reading as the printed ones, on a side that is drawn
    for each dataset and method.

    Parameters
    ----------
    cells : which cells are counted, None for all
    """
    counted = evidence.open if cells is None else evidence.open & cells
    turned = np.where(
        np.isnan(evidence.value[0]), evidence.printed, 2 * evidence.value[0] - evidence.printed
    )
    sides = [evidence.printed, turned]
    likelihood = np.stack([evidence.log_likelihood(side) for side in sides])
    comes_out = np.stack([evidence.comes_out(side) for side in sides])
    place = np.stack([evidence.dataset, evidence.method])
    _, pair = np.unique(place, axis=1, return_inverse=True)
    pair = pair.ravel()
    signs = generator.integers(0, 2, size=(DRAWS, pair.max() + 1))
    signs = np.vstack([np.zeros((1, pair.max() + 1), dtype=int), signs])[:, pair]
    fold = evidence.fold
    fold = np.full(len(pair), -1) if fold is None else fold
    explained = np.zeros(len(signs), dtype=int)
    for part in np.unique(fold):
        left = (fold != part) | (fold < 0)
        totals = _totals(likelihood[:, :, left], signs[:, left])
        chosen = choose(totals)[:, None]
        here = np.flatnonzero((fold == part) & counted)
        explained += comes_out[signs[:, here], chosen, here].sum(axis=1)
    return Chance(int(counted.sum()), int(explained[0]), explained[1:])


def _totals(likelihood: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Return the log-likelihood of each reading under each draw of signs."""
    as_printed, turned = likelihood
    return as_printed.sum(axis=1) + signs @ (turned - as_printed).T
