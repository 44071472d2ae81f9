"""Checks of the classes of a dataset."""

import numpy as np

from recoco.core.errors import RecocoError


def need_labels(options: dict, key: str) -> None:
    """Reject a card without classes, because all experiments are scored against them."""
    if key not in options:
        raise RecocoError(
            f"the card names no classes (`{key}` of its parser), which experiments are scored "
            "against; use `recoco cocluster FOLDER` for texts without classes, and the estimators "
            "of recoco.methods for any matrix."
        )


def as_classes(labels: np.ndarray, size: int, where: str) -> np.ndarray:
    """Return the classes of all objects as an array of integers or strings."""
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
                f"{where} has values that are not whole numbers, so they are not classes: "
                "give whole numbers or words."
            )
        labels = labels.astype(np.int64)
    if labels.dtype.kind not in "iubU":
        raise RecocoError(f"{where} is of type {labels.dtype}: give whole numbers or words.")
    return labels
