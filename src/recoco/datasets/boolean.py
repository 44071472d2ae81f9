"""Random Boolean views: without structure, for timing a method, and with nested blocks."""

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError


def uniform_views(objects: int, features: int, views: int, density: float, seed: int) -> list:
    """Draw Boolean views with ones at random positions; every object has one in every view.

    Parameters
    ----------
    objects, features : int
        Numbers of objects and of features of each view.
    views : int
        Number of views.
    density : float
        Fraction of ones, except for those that are drawn twice.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    views : list of csr_matrix
    """
    if not 0 < density < 1:
        raise RecocoError(f"density = {density} must lie strictly between 0 and 1.")
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = []
    for _ in range(views):
        ones = rng.integers(objects, size=int(objects * features * density))
        rows = np.append(ones, np.arange(objects))
        columns = rng.integers(features, size=rows.size)
        view = sparse.csr_matrix((np.ones(rows.size), (rows, columns)), (objects, features))
        view.data[:] = 1.0
        drawn.append(view)
    return drawn


def nested_blocks(
    objects: int, features: int, blocks: list[int], flip: float, seed: int
) -> tuple[list, list[tuple[np.ndarray, np.ndarray]]]:
    """Draw a Boolean view for each number of blocks: ones in the diagonal blocks, then flipped.

    Objects and features are divided, in their order, into blocks of equal size. If one number of
    blocks is a multiple of another, its blocks are nested in the others.

    Parameters
    ----------
    objects, features : int
        Numbers of objects and of features of each view.
    blocks : list of int
        Number of blocks of each view.
    flip : float
        Probability that a value is flipped.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    views : list of csr_matrix
    labels : list of (ndarray, ndarray)
        Labels of the objects and of the features of each view.
    """
    if not 0 <= flip < 0.5:
        raise RecocoError(f"flip = {flip} leaves no blocks: give a probability below one half.")
    if not blocks or max(blocks) > min(objects, features):
        raise RecocoError(f"{objects} objects and {features} features cannot make {blocks} blocks.")
    rng = np.random.Generator(np.random.PCG64(seed))
    views, labels = [], []
    for number in blocks:
        rows, columns = (np.arange(n) * number // n for n in (objects, features))
        ones = (rows[:, None] == columns[None, :]) ^ (rng.random((objects, features)) < flip)
        views.append(sparse.csr_matrix(ones.astype(float)))
        labels.append((rows, columns))
    return views, labels
