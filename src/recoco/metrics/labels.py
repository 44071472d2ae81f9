"""Labels of any kind as integers: numbers, text, pandas columns, lists of anything hashable."""

import contextlib
from typing import Any

import numpy as np

from recoco.core.errors import RecocoError


def codes_of(values: Any, what: str) -> np.ndarray:
    """Return one integer per label, equal for equal labels and in the order of the labels.

    Integers stay as they are. Labels that cannot be sorted are numbered by first occurrence.
    """
    labels = as_array(values, what)
    if labels.ndim != 1:
        raise RecocoError(
            f"{what} has shape {labels.shape}: give a list with one label per object."
        )
    if labels.size == 0:
        raise RecocoError(f"{what} is empty: there is nothing to score.")
    if labels.dtype.kind == "f" and not np.isnan(labels).any():
        if (labels != np.floor(labels)).any() or np.isinf(labels).any():
            raise RecocoError(
                f"{what} has labels that are not whole numbers: give the class or cluster of each "
                "object."
            )
        labels = labels.astype(np.int64)
    if labels.dtype.kind in "iub":
        return np.ascontiguousarray(labels, dtype=np.int64)
    return _numbered(labels.tolist(), what)


def as_array(values: Any, what: str) -> np.ndarray:
    """Return labels as an array that keeps their types."""
    if np.ma.is_masked(values):
        raise _missing(what, int(np.flatnonzero(np.ma.getmaskarray(values))[0]))
    if not isinstance(values, list | tuple):
        return np.asarray(values)
    try:
        labels = np.asarray(values)
    except ValueError:  # labels that are tuples of different lengths
        labels = np.empty((0, 0))
    if labels.ndim == 1 and labels.dtype.kind in "iubf":
        return labels
    # numpy would turn 1 and None next to text into text, and tuples into rows
    return np.fromiter(values, object, len(values))


def _numbered(labels: list, what: str) -> np.ndarray:
    numbers: dict = {}
    for place, label in enumerate(labels):
        try:
            numbers.setdefault(label, len(numbers))
        except TypeError:
            raise RecocoError(
                f"{what} has the label {label!r}, which is not hashable: give numbers or text."
            ) from None
        if _is_missing(label):
            raise _missing(what, place)
    with contextlib.suppress(TypeError):  # text next to numbers has no order
        numbers = {label: number for number, label in enumerate(sorted(numbers))}
    return np.array([numbers[label] for label in labels], np.int64)


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA
        return True


def _missing(what: str, place: int) -> RecocoError:
    return RecocoError(
        f"{what} has no label for object {place} (None or NaN): drop the object, or give it a "
        "class of its own."
    )
