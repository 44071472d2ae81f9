"""What the methods on several views of the same objects share: checked views and labels."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.methods.base import (
    Clusterer,
    check_choice,
    check_integer,
    check_matrix,
    label_dtype,
    sum_of_squares,
)


class Views:
    """Checked matrices that describe the same objects."""

    def __init__(self, matrices: list[sparse.csr_matrix]):
        self.matrices = matrices
        self.widths = [matrix.shape[1] for matrix in matrices]
        self.first = np.concatenate([[0], np.cumsum(self.widths)]).astype(np.int64)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of objects, and number of features of all views."""
        return self.matrices[0].shape[0], int(self.first[-1])

    @property
    def nnz(self) -> int:
        return sum(matrix.nnz for matrix in self.matrices)

    @cached_property
    def transposed(self) -> list[sparse.csr_matrix]:
        return [matrix.T.tocsr() for matrix in self.matrices]

    def split(self, column_labels: Any) -> list[np.ndarray]:
        """Split labels of all features (or arrays of them) into those of each view."""
        parts = zip(self.first[:-1], self.first[1:], strict=True)
        return [column_labels[..., a:b] for a, b in parts]


def _as_list(X) -> list:
    """Return X as a list of views; anything but a list of matrices is a single view."""
    if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.ndim != 3):
        return [X]
    several = isinstance(X, list | tuple | np.ndarray) and len(X) > 0
    if several and all(sparse.issparse(view) or np.ndim(view) == 2 for view in X):
        return list(X)
    return [X]


def check_views(X: Any) -> Views:
    """Return the views as CSR matrices of float64; raise if they cannot be clustered together."""
    matrices = []
    views = _as_list(X)
    for number, view in enumerate(views, 1):
        try:
            matrices.append(check_matrix(view))
        except RecocoError as error:
            if len(views) == 1:
                raise
            raise RecocoError(f"View {number}: {error}") from None
    rows = [matrix.shape[0] for matrix in matrices]
    if len(set(rows)) > 1:
        raise RecocoError(
            f"The views have {', '.join(map(str, rows))} objects: "
            "give the same objects in the same order in every view."
        )
    for number, matrix in enumerate(matrices, 1):
        if matrix.shape[1] < 2:
            raise RecocoError(
                f"View {number} has one feature: give at least two, or leave the view out."
            )
        empty = np.flatnonzero(np.diff(matrix.indptr) == 0)
        if empty.size:
            more = f" and {empty.size - 1} more are" if empty.size > 1 else " is"
            raise RecocoError(
                f"Object {empty[0]}{more} empty in view {number}: "
                "drop the objects that are not described in every view."
            )
    return Views(matrices)


class MultiViewClusterer(Clusterer):
    """Base class of methods on several views; X is a list of matrices, or one matrix.

    A subclass implements ``_prepare(views)`` and ``_run(problem, generators, init)``, which
    returns ``Starts`` whose column labels (B, d) contain the features of one view after the other;
    the clusters of each view are numbered from 0. ``n_column_clusters`` is a number for all views
    or a list with a number for each. ``fit`` sets ``column_labels_`` of all views, one after the
    other, and ``view_labels_``, a list with those of each view.
    """

    views = "many"
    two_sided = False

    def _store(self, data: Views, runs) -> None:
        super()._store(data, runs)
        self.view_labels_ = data.split(self.column_labels_)

    def _check_data(self, X) -> Views:
        return X if isinstance(X, Views) else check_views(X)

    def _check_numbers(self, views: Views) -> None:
        super()._check_numbers(views)
        self._widths(views)

    def _widths(self, views: Views) -> list[int]:
        """Return the number of feature clusters of each view."""
        asked = self.n_column_clusters
        if asked is None:
            # in a view with fewer features than clusters, each feature is a cluster
            return [min(self.n_clusters, width) for width in views.widths]
        numbers = list(asked) if isinstance(asked, list | tuple) else [asked] * len(views.widths)
        if len(numbers) != len(views.widths):
            raise RecocoError(
                f"n_column_clusters has {len(numbers)} numbers for {len(views.widths)} views: "
                "give one for each view, or one for all."
            )
        for number, (m, width) in enumerate(zip(numbers, views.widths, strict=True), 1):
            check_integer(m, "n_column_clusters", 1)
            if m > width:
                raise RecocoError(
                    f"{m} feature clusters were asked of view {number} with {width} features: "
                    f"ask for at most {width}."
                )
        return [int(m) for m in numbers]

    def _label_dtype(self, views: Views):
        return label_dtype(max(views.shape[0], *views.widths))


def view_scales(views: Views, weights: str) -> list[float]:
    """Return the square roots of the weights of the views: 1, or 1 / ||R_k||."""
    check_choice(weights, "weights", ("one", "norm"))
    if weights == "one":
        return [1.0] * len(views.matrices)
    return [1.0 / float(np.sqrt(sum_of_squares(matrix.data))) for matrix in views.matrices]
