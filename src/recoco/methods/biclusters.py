"""The clusters of rows and columns in the form of scikit-learn's biclusters."""

from typing import Any

import numpy as np
from sklearn.base import BiclusterMixin

from recoco.methods.checks import check_columns


class Biclusters(BiclusterMixin):
    """Clusters of both sides as boolean arrays; ``get_indices``, ``get_shape`` and the like work.

    With as many clusters of columns as of rows, bicluster k consists of the rows and the columns
    labelled k. Otherwise the g row clusters and m column clusters do not correspond, and every
    block is a bicluster: the rows labelled k and the columns labelled l are number k m + l, as in
    scikit-learn's SpectralBiclustering.
    """

    _fitted_shape: tuple[int, int]

    @property
    def rows_(self: Any) -> np.ndarray:
        """Boolean array of shape (biclusters, n): which rows belong to each bicluster."""
        return self.row_labels_ == self._blocks()[0][:, None]

    @property
    def columns_(self: Any) -> np.ndarray:
        """Boolean array of shape (biclusters, d): which columns belong to each bicluster."""
        return self.column_labels_ == self._blocks()[1][:, None]

    def _blocks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the labels of the rows and of the columns of each bicluster."""
        g, m = self._fitted_shape
        if g == m:
            return np.arange(g), np.arange(g)
        return np.repeat(np.arange(g), m), np.tile(np.arange(m), g)

    @property
    def _m(self: Any) -> int:
        """Number of column clusters, which is that of row clusters unless asked otherwise."""
        asked = getattr(self, "n_column_clusters", None)
        return self.n_clusters if asked is None else asked

    def _shape(self: Any) -> tuple[int, int]:
        """Return the numbers of row and column clusters of a fit that has just ended."""
        return self.n_clusters, self._m

    def _store(self: Any, data: Any, runs: Any) -> None:
        super()._store(data, runs)
        self._fitted_shape = self._shape()  # set_params must not change what was fitted

    def _requested(self: Any, data: Any) -> list[tuple[str, np.ndarray, int | None]]:
        rows = super()._requested(data)
        if np.array_equal(self.row_labels_, self.column_labels_):
            return rows
        return [*rows, ("columns", self.column_labels_, self._fitted_shape[1])]

    def _check_numbers(self: Any, data: Any) -> None:
        super()._check_numbers(data)
        check_columns(self._m, data.shape[1])

    def _sides(self, data: Any) -> list[tuple[str, int]]:
        return super()._sides(data)[:1]  # columns: see _check_numbers
