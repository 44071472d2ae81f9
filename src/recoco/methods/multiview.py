"""What the methods on several views of the same objects share: checks, seeds, runs."""

from functools import cached_property

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.methods.base import (
    Clusterer,
    Runs,
    _Best,
    check_integer,
    check_matrix,
    label_dtype,
    start_generator,
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
        """Number of objects, number of features of all views."""
        return self.matrices[0].shape[0], int(self.first[-1])

    @property
    def nnz(self) -> int:
        return sum(matrix.nnz for matrix in self.matrices)

    @cached_property
    def transposed(self) -> list[sparse.csr_matrix]:
        return [matrix.T.tocsr() for matrix in self.matrices]

    def split(self, column_labels) -> list[np.ndarray]:
        """Cut labels of all features (or runs of them) into those of each view."""
        parts = zip(self.first[:-1], self.first[1:], strict=True)
        return [column_labels[..., a:b] for a, b in parts]


def _as_list(X) -> list:
    """A list of matrices is a list of views; all else is one view."""
    if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.ndim != 3):
        return [X]
    several = isinstance(X, list | tuple | np.ndarray) and len(X) > 0
    if several and all(sparse.issparse(view) or np.ndim(view) == 2 for view in X):
        return list(X)
    return [X]


def check_views(X) -> Views:
    """Return the views as CSR of float64 or say why they cannot be clustered together."""
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
    """Base of the methods on several views; one matrix is one view.

    A subclass implements ``_prepare(views)`` and ``_run(problem, generators, init)``, which
    returns ``Starts`` whose column labels (B, d) have the features of one view after those of
    the other; the clusters of each view are numbered from 0. ``n_column_clusters`` is a number
    for all views or a list with a number for each.
    """

    views = "many"
    two_sided = False

    def fit(self, X, y=None, init=None):
        """Cluster the objects and the features of every view.

        Parameters
        ----------
        X : list of array-like or sparse matrices (n, d_k), non-negative, or one matrix
        y : ignored
        init : not taken by these methods

        Returns
        -------
        self, with ``row_labels_``, ``column_labels_`` (of all views, one after the other),
        ``view_labels_`` (the same, a list with an array for each view), ``criterion_``,
        ``criterion_history_``, ``n_iter_`` and ``details_``
        """
        if init is not None:
            raise RecocoError(f"{self.title} takes no explicit start: leave init out.")
        views = self._check(X)
        runs = self._fit(views, [self._seed()])
        self.row_labels_ = self.labels_ = runs.row_labels[0]
        self.column_labels_ = runs.column_labels[0]
        self.view_labels_ = views.split(self.column_labels_)
        self.criterion_ = float(runs.criterion[0])
        self.criterion_history_ = runs.histories[0]
        self.n_iter_ = int(runs.n_iter[0])
        self.n_features_in_ = views.shape[1]
        self.details_ = {name: values[0] for name, values in runs.details.items()}
        return self

    def _check(self, X) -> Views:
        views = X if isinstance(X, Views) else check_views(X)
        check_integer(self.n_init, "n_init", 1)
        self._check_clusters(views)
        return views

    def _check_clusters(self, views: Views) -> None:
        g = check_integer(self.n_clusters, "n_clusters", 1)
        n = views.shape[0]
        if g > n:
            raise RecocoError(
                f"{g} clusters were asked of a matrix with {n} rows: "
                f"ask for at most {n} or give more rows."
            )
        self._widths(views)

    def _widths(self, views: Views) -> list[int]:
        """Return the number of feature clusters of each view."""
        asked = self.n_column_clusters
        if asked is None:
            # a view of fewer features than clusters keeps its features apart
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

    def _fit(self, X, seeds, init=None, batch_size=None) -> Runs:
        views = self._check(X)
        if batch_size is None:
            batch_size = self._batch_size(views)
        check_integer(batch_size, "batch_size", 1)
        pairs = [(run, start) for run in range(len(seeds)) for start in range(self.n_init)]
        problem = self._prepare(views)
        best = _Best(views.shape, len(seeds), self._label_dtype(views), self.larger_is_better)
        for begin in range(0, len(pairs), batch_size):
            batch = pairs[begin : begin + batch_size]
            generators = [start_generator(seeds[run], start) for run, start in batch]
            best.take(batch, self._run(problem, generators, init))
        return best.runs


def view_scales(views: Views, weights: str) -> list[float]:
    """Return the roots of the weights of the views: 1, or 1 / ||R_k||."""
    if weights == "one":
        return [1.0] * len(views.matrices)
    if weights == "norm":
        return [1.0 / float(np.sqrt(sum_of_squares(matrix.data))) for matrix in views.matrices]
    raise RecocoError(f"weights is {weights!r}: give one or norm.")
