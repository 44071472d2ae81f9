"""Correspondence analysis of a contingency table (Benzecri 1973)."""

from dataclasses import dataclass

import numpy as np

from recoco.core.errors import RecocoError


@dataclass
class Correspondence:
    """Rows and columns of a table on common axes.

    Attributes
    ----------
    rows, columns : arrays (rows, axes) and (columns, axes), principal coordinates
    inertia : array (axes,), share of each axis in the chi-square of the table
    contributions : array (columns, axes), share of each column in the inertia of an axis
    """

    rows: np.ndarray
    columns: np.ndarray
    inertia: np.ndarray
    contributions: np.ndarray


def correspondence_analysis(table, axes: int = 2) -> Correspondence:
    """Return the axes on which the profiles of a table differ most, in the chi-square metric.

    Parameters
    ----------
    table : array-like (rows, columns), non-negative, no empty row or column
    axes : int

    Returns
    -------
    Correspondence; the largest column coordinate of each axis is positive
    """
    N = np.asarray(table, dtype=float)
    if N.ndim != 2 or min(N.shape) < 2:
        raise RecocoError(f"The table has shape {N.shape}: give two rows and columns at least.")
    if not np.isfinite(N).all() or N.min() < 0:
        raise RecocoError("The table has entries that are not counts: give non-negative numbers.")
    mass, weight = N.sum(axis=1) / N.sum(), N.sum(axis=0) / N.sum()
    if mass.min() == 0 or weight.min() == 0:
        raise RecocoError("The table has an empty row or column: leave it out.")
    expected = np.outer(mass, weight)
    residual = (N / N.sum() - expected) / np.sqrt(expected)
    U, s, Vt = np.linalg.svd(residual, full_matrices=False)
    kept = min(axes, min(N.shape) - 1)
    U, s_kept, V = U[:, :kept], s[:kept], Vt[:kept].T
    sign = np.sign(V[np.abs(V).argmax(axis=0), np.arange(kept)])
    U, V = U * sign, V * sign
    total = float((s**2).sum())
    return Correspondence(
        U * s_kept / np.sqrt(mass)[:, None],
        V * s_kept / np.sqrt(weight)[:, None],
        s_kept**2 / total if total > 0 else np.zeros(kept),
        V**2,
    )
