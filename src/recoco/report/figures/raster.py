"""A matrix as a picture: densities of non-zeros, with rows and columns in a given order."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

COLOUR = "#2f86c8"  # readable on white and on black, and as grey


@dataclass
class Raster:
    """Share of non-zero entries in every tile of a matrix, and where its blocks end.

    Attributes
    ----------
    shares : float64 (height, width)
    row_ends, column_ends : ends of the blocks as shares of the height and width, without the last
    """

    shares: np.ndarray
    row_ends: np.ndarray
    column_ends: np.ndarray


def rasterise(X, row_order, column_order, height: int = 260, width: int = 340) -> Raster:
    """Count the non-zeros of a matrix in tiles of about equal size, in a given order of its lines.

    The time is proportional to the non-zeros; the matrix is never dense.
    """
    X = csr_matrix(X)
    rows, columns = np.asarray(row_order), np.asarray(column_order)
    height, width = min(height, rows.size), min(width, columns.size)
    row_tile = np.full(X.shape[0], -1)
    row_tile[rows] = np.arange(rows.size) * height // rows.size
    column_tile = np.full(X.shape[1], -1)
    column_tile[columns] = np.arange(columns.size) * width // columns.size
    i = np.repeat(row_tile, np.diff(X.indptr))
    j = column_tile[X.indices]
    seen = (i >= 0) & (j >= 0) & (X.data != 0)
    counts = np.bincount(i[seen] * width + j[seen], minlength=height * width)
    tall = np.bincount(row_tile[rows], minlength=height)
    wide = np.bincount(column_tile[columns], minlength=width)
    shares = counts.reshape(height, width) / np.outer(tall, wide)
    return Raster(shares, np.empty(0), np.empty(0))


def reorganise(X, row_labels, column_labels, **size) -> Raster:
    """Return the raster of a matrix ordered by co-cluster, the lines with most mass first.

    Lines with a negative label are left out.
    """
    X = csr_matrix(X)
    orders, ends = [], []
    for labels, mass in ((row_labels, X.sum(axis=1)), (column_labels, X.sum(axis=0))):
        labels, mass = np.asarray(labels), np.asarray(mass).ravel()
        order = np.lexsort((-mass, labels))
        order = order[labels[order] >= 0]
        orders.append(order)
        ends.append(np.cumsum(np.bincount(labels[order]))[:-1] / max(order.size, 1))
    raster = rasterise(X, *orders, **size)
    return Raster(raster.shares, *ends)


def show(axes, raster: Raster, title: str, lines: str, most: float | None = None) -> None:
    """Draw a raster: the denser a tile, the more opaque its colour.

    ``most`` is the share with the full colour. Shares are shown by their square root, because
    those of a sparse matrix span orders of magnitude.
    """
    from matplotlib.colors import to_rgb

    most = most or full_share(raster)
    image = np.empty((*raster.shares.shape, 4))
    image[..., :3] = to_rgb(COLOUR)
    image[..., 3] = np.sqrt(np.clip(raster.shares / most, 0, 1)) if most > 0 else 0
    axes.imshow(image, extent=(0, 1, 1, 0), aspect="auto", interpolation="nearest")
    for end in raster.row_ends:
        axes.axhline(end, color=lines, linewidth=0.4)
    for end in raster.column_ends:
        axes.axvline(end, color=lines, linewidth=0.4)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title)


def full_share(*rasters: Raster) -> float:
    """Return the share of non-zeros with the full colour: 99 of 100 tiles are below it."""
    return max((float(np.quantile(raster.shares, 0.99)) for raster in rasters), default=0.0)
