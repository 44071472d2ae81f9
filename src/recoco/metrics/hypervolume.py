"""Hypervolume of a set of solutions with several objectives, all to be maximised."""

from typing import Any

import numpy as np

from recoco.core.errors import RecocoError


def non_dominated(points: Any) -> np.ndarray:
    """Return the distinct points that are not dominated by any other point."""
    points = np.unique(_points(points), axis=0)
    # Largest sums first: a point that dominates another one comes before it.
    points = points[np.argsort(-points.sum(axis=1), kind="stable")]
    kept: list[np.ndarray] = []
    for point in points:
        if not any((other >= point).all() for other in kept):
            kept.append(point)
    return np.array(kept)


def hypervolume(points: Any) -> float:
    """Return the volume of the region between 0 and at least one of the points.

    It is computed in slices along the last objective: in each, the points that reach it are
    measured by the other objectives.
    """
    points = _points(points)
    if points.shape[1] == 1:
        return float(max(points.max(), 0.0))
    volume, below = 0.0, 0.0
    for height in np.unique(points[:, -1]):
        if height <= 0:
            continue
        reaching = points[points[:, -1] >= height, :-1]
        volume += (height - below) * hypervolume(non_dominated(reaching))
        below = height
    return float(volume)


def hypervolume_difference(solutions: Any, front: Any) -> np.ndarray:
    """Return, for each solution, the volume dominated by a front and not by the solution.

    Parameters
    ----------
    solutions : array-like of shape (..., k)
        Objectives in [0, 1].
    front : array-like of shape (n, k)
        Points at least as good as every solution.

    Returns
    -------
    differences : ndarray of shape (...)
    """
    solutions = np.asarray(solutions, dtype=float)
    return hypervolume(front) - np.prod(np.clip(solutions, 0.0, None), axis=-1)


def _points(points) -> np.ndarray:
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or not points.size or not np.isfinite(points).all():
        raise RecocoError("A set of solutions must be a table of finite objectives.")
    return points
