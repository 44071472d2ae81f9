"""Hypervolume of a set of solutions to a problem of several objectives, all to be maximised."""

import numpy as np

from recoco.errors import RecocoError


def non_dominated(points) -> np.ndarray:
    """Return the different points that no other point is at least as good as in everything."""
    points = np.unique(_points(points), axis=0)
    # Largest sums first: whatever dominates a point comes before it.
    points = points[np.argsort(-points.sum(axis=1), kind="stable")]
    kept: list[np.ndarray] = []
    for point in points:
        if not any((other >= point).all() for other in kept):
            kept.append(point)
    return np.array(kept)


def hypervolume(points) -> float:
    """Return the volume of what lies between 0 and at least one of the points.

    By slices along the last objective: in each, the points that reach it are measured in the
    objectives before.
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


def hypervolume_difference(solutions, front) -> np.ndarray:
    """Return, for each solution, the volume dominated by a front and not by the solution.

    Parameters
    ----------
    solutions : array (..., k) of objectives in [0, 1]
    front : array (n, k), at least as good as every solution
    """
    solutions = np.asarray(solutions, dtype=float)
    return hypervolume(front) - np.prod(np.clip(solutions, 0.0, None), axis=-1)


def _points(points) -> np.ndarray:
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or not points.size or not np.isfinite(points).all():
        raise RecocoError("A set of solutions must be a table of finite objectives.")
    return points
