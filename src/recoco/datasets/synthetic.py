"""Planted block models: data with known co-clusters."""

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.dataset import Dataset


def planted(
    rows: int,
    columns: int,
    clusters: int,
    *,
    density: float = 0.05,
    noise: float = 0.2,
    views: int = 1,
    sizes: list[float] | None = None,
    seed: int = 0,
    name: str = "planted",
) -> Dataset:
    """Draw counts from a diagonal block model with known row and column clusters.

    Every count is one draw of a (row, column) pair: the row uniformly; the column, with
    probability ``1 - noise``, uniformly from the column cluster of the row's cluster, otherwise
    uniformly from all other columns. The views share only the row clusters. Time and memory are
    proportional to the number of draws.

    Parameters
    ----------
    rows, columns : int
        Number of rows, and of columns of each view.
    clusters : int
        Number of clusters.
    density : float, default=0.05
        Expected fraction of non-zero cells.
    noise : float, default=0.2
        Expected fraction of the mass outside the diagonal blocks. With ``1 - 1 / clusters`` there
        is no structure (for clusters of equal size).
    views : int, default=1
        Number of views.
    sizes : list of float, default=None
        Relative sizes of the clusters, for rows and columns; equal by default.
    seed : int, default=0
        Seed of the random numbers.
    name : str, default="planted"
        Name of the dataset.

    Returns
    -------
    dataset : Dataset
        ``meta["column_labels"]`` contains the planted column clusters of each view.

    Examples
    --------
    >>> from recoco.datasets import planted
    >>> planted(60, 40, 3).X.shape
    (60, 40)
    """
    sizes = [1.0] * clusters if sizes is None else [float(size) for size in sizes]
    _check(rows, columns, clusters, density, noise, views, sizes)
    row_labels = _split(rows, sizes)
    column_labels = _split(columns, sizes)
    row_sizes = np.bincount(row_labels, minlength=clusters)
    column_sizes = np.bincount(column_labels, minlength=clusters)
    draws = _draws(row_sizes, column_sizes, density, noise)
    starts = np.concatenate(([0], np.cumsum(column_sizes)[:-1]))
    drawn = []
    for child in np.random.SeedSequence(seed).spawn(views):
        generator = np.random.Generator(np.random.PCG64(child))
        row = generator.integers(rows, size=draws)
        block = row_labels[row]
        width, start = column_sizes[block], starts[block]
        inside = generator.random(draws) >= noise
        position = generator.random(draws)
        own = start + (position * width).astype(np.int64)
        other = (position * (columns - width)).astype(np.int64)
        other += np.where(other >= start, width, 0)  # skips the row's own block
        column = np.where(inside, own, other)
        view = csr_matrix((np.ones(draws), (row, column)), shape=(rows, columns))
        view.sum_duplicates()
        drawn.append(view)
    return Dataset(
        name=name,
        views=drawn,
        labels=row_labels.astype(np.int32),
        class_names=[f"block {k + 1}" for k in range(clusters)],
        terms=[None] * views,
        permutation=np.arange(rows, dtype=np.int64),
        meta={"column_labels": [column_labels.tolist()] * views},
    )


def _check(rows, columns, clusters, density, noise, views, sizes) -> None:
    if clusters < 1 or clusters > min(rows, columns):
        raise RecocoError(
            f"A planted model of {rows} rows and {columns} columns cannot have {clusters} "
            "clusters: ask for at least 1 and at most the smaller side."
        )
    if views < 1:
        raise RecocoError(f"A planted model needs at least one view, not {views}.")
    if len(sizes) != clusters or min(sizes) <= 0:
        raise RecocoError(
            f"A planted model of {clusters} clusters needs {clusters} positive sizes, not {sizes}."
        )
    if not 0 <= noise < 1 or (clusters == 1 and noise > 0):
        raise RecocoError(
            f"noise = {noise} is not a fraction of the mass: use 0 <= noise < 1, "
            "and 0 for a single cluster, which has no outside."
        )
    if not 0 < density < 1:
        raise RecocoError(f"density = {density} must lie strictly between 0 and 1.")


def _split(total: int, sizes: list[float]) -> np.ndarray:
    """Return sorted labels with class sizes proportional to ``sizes``, none of them empty."""
    share = np.cumsum(sizes) / np.sum(sizes)
    k = len(sizes)
    # one element each is reserved, the rest is divided in proportion
    ends = np.round(share * (total - k)).astype(np.int64) + np.arange(1, k + 1)
    return np.repeat(np.arange(k), np.diff(np.concatenate(([0], ends))))


def _draws(row_sizes, column_sizes, density: float, noise: float) -> int:
    """Return the number of draws that gives an expected fraction ``density`` of non-zeros."""
    n, d = row_sizes.sum(), column_sizes.sum()
    outside = d - column_sizes

    def filled(draws: float) -> float:
        per_row = draws / n
        own = column_sizes * -np.expm1(-per_row * (1 - noise) / column_sizes)
        other = outside * -np.expm1(-per_row * noise / np.maximum(outside, 1))
        return float(row_sizes @ (own + other)) / (n * d)

    most = 1e4 * n * d
    if filled(most) <= density:
        raise RecocoError(
            f"density = {density} cannot be reached with noise = {noise}: the diagonal blocks "
            f"cover only {filled(most):.3f} of the cells; lower the density or add noise."
        )
    return max(1, round(brentq(lambda draws: filled(draws) - density, 0.0, most)))
