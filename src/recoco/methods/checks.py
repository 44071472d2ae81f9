"""Checks of parameters, labels and seeds that the methods share."""

from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from recoco.core.errors import RecocoError


def check_integer(value: Any, name: str, least: int) -> int:
    """Return a parameter as an int; raise unless it is a whole number of at least ``least``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise RecocoError(f"{name} is {value!r}: give a whole number of at least {least}.")
    return int(value)


def check_tol(tol: float) -> None:
    if not isinstance(tol, Real) or not tol >= 0:
        raise RecocoError(f"tol is {tol!r}: give a number of at least 0.")


def check_choice(value: Any, name: str, choices: Collection) -> None:
    if value not in choices:
        raise RecocoError(f"{name} is {value!r}: give one of {', '.join(map(str, choices))}.")


def check_columns(m: Any, d: int) -> None:
    """Raise if d columns cannot be divided into m clusters."""
    if check_integer(m, "n_column_clusters", 1) > d:
        raise RecocoError(
            f"{m} column clusters were requested of {d} columns: request at most {d}."
        )


def check_labels(init: Any, size: int, g: int, side: str) -> np.ndarray:
    """Return an explicit start, one label per row, column or node; raise if it is not valid."""
    init = np.asarray(init)
    if init.shape != (size,) or init.dtype.kind not in "iu":
        raise RecocoError(
            f"The start has shape {init.shape} and type {init.dtype}: "
            f"give {size} whole numbers, the label of each {side}."
        )
    if init.min() < 0 or init.max() >= g:
        raise RecocoError(
            f"The start has labels from {init.min()} to {init.max()}: "
            f"{g} clusters are numbered 0 to {g - 1}."
        )
    return init


def check_seeds(seeds: Iterable[int]) -> list[int]:
    """Return the seeds as a list; raise unless they are non-negative whole numbers."""
    seeds = list(seeds)
    if not seeds:
        raise RecocoError("No seeds: give one non-negative whole number for each run.")
    for seed in seeds:
        check_integer(seed, "A seed", 0)
    return seeds
