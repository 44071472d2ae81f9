"""Checks of data, parameters, labels and seeds that the methods share."""

from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.methods.arrays import small_indices


def check_matrix(X: Any) -> sparse.csr_matrix:
    """Return X as CSR of float64, with sorted indices and no stored zeros; raise if invalid."""
    if sparse.issparse(X):
        A = sparse.csr_matrix(X)
    else:
        A = np.asarray(X)
        if A.ndim != 2:
            raise RecocoError(
                f"The data has {A.ndim} dimensions: give a matrix with one row per object."
            )
    if A.dtype.kind not in "fiub":
        raise RecocoError(f"The data has entries of type {A.dtype}: give real numbers.")
    if 0 in A.shape:
        raise RecocoError(f"The matrix has shape {A.shape}: give at least one row and one column.")
    A = sparse.csr_matrix(A, dtype=np.float64)
    if not np.isfinite(A.data).all():
        raise RecocoError(
            "The matrix has entries that are NaN or infinite: replace or drop them first."
        )
    if not A.has_canonical_format or not A.data.all():
        A = A.copy()  # the next steps work in place, and the matrix may belong to the caller
        A.sum_duplicates()
        A.eliminate_zeros()
    if A.nnz == 0:
        raise RecocoError("All entries of the matrix are zero: there is nothing to cluster.")
    if A.data.min() < 0:
        raise RecocoError(
            "The matrix has negative entries: give counts, frequencies or other "
            "non-negative weights."
        )
    return small_indices(A)


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


def short_of_clusters(sides: list) -> str:
    """Return in words where fewer clusters than requested have members, "" if nowhere.

    ``sides`` lists what was clustered, the labels, and the number of clusters or None.
    """
    counts = [(side, np.unique(labels).size, requested) for side, labels, requested in sides]
    return " and ".join(
        f"{used} of {requested} clusters of {side}"
        for side, used, requested in counts
        if requested is not None and used < requested
    )
