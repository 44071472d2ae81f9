"""Random Boolean views: without structure, to time a method, and with nested blocks."""

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError


def uniform_views(objects: int, features: int, views: int, density: float, seed: int) -> list:
    """Draw Boolean views with ones anywhere; every object has one in every view.

    Parameters
    ----------
    features : int, of each view
    density : float, share of ones, but for those that are drawn twice
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
    """Draw a Boolean view per number of blocks: ones inside the diagonal blocks, then flipped.

    Objects and features are cut into blocks of equal sizes in their order, so that the blocks of
    one view are unions of those of another with a multiple of their number.

    Parameters
    ----------
    flip : float, probability with which every value is turned into the other

    Returns
    -------
    the views, and (object labels, feature labels) of each
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
