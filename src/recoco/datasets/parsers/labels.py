"""Classes and names of columns in files of their own, a line for each."""

from pathlib import Path

import numpy as np

from recoco.datasets.parsers import read_lines
from recoco.errors import RecocoError


def need_labels(options: dict, key: str) -> None:
    """Refuse a card without classes: every experiment scores against them."""
    if key not in options:
        raise RecocoError(
            f"the card names no classes (`{key}` of its parser), against which experiments are "
            "scored; texts without classes can be co-clustered by `recoco cocluster FOLDER`, any "
            "matrix by the classes of recoco.methods."
        )


def read_names(path: Path, size: int, what: str, of: str) -> list[str]:
    """Return the lines of a file, one for each row or column."""
    names = [line.strip() for line in read_lines(path)]
    if len(names) != size:
        raise RecocoError(
            f"{path.name} has {len(names)} lines for {size} {of}: write the {what} of each on a "
            "line of its own."
        )
    return names


def as_classes(labels: np.ndarray, size: int, where: str) -> np.ndarray:
    """Return an array of classes, whole numbers or words, one for each object."""
    labels = np.asarray(labels)
    if labels.ndim == 2 and 1 in labels.shape:
        labels = labels.ravel()
    if labels.shape != (size,):
        raise RecocoError(
            f"{where} has shape {labels.shape} for {size} objects: give one class for each."
        )
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all() or (labels != np.round(labels)).any():
            raise RecocoError(
                f"{where} has values that are no whole numbers, so they name no classes: "
                "give whole numbers or words."
            )
        labels = labels.astype(np.int64)
    if labels.dtype.kind not in "iubU":
        raise RecocoError(f"{where} is of type {labels.dtype}: give whole numbers or words.")
    return labels
