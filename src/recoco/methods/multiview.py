"""What the methods on several views of the same objects share: checked views and labels."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from recoco.core.errors import RecocoError
from recoco.datasets.similarity_graphs import Cooccurrence
from recoco.methods.arrays import safely_scaled
from recoco.methods.base import Clusterer, Starts, label_dtype, sum_of_squares
from recoco.methods.checks import check_choice, check_integer, check_matrix


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

    def scaled(self) -> tuple["Views", int]:
        """Return the views divided by a common power of two, see :func:`safely_scaled`."""
        matrices, exponent = safely_scaled(self.matrices)
        return (Views(matrices) if exponent else self), exponent

    def split(self, column_labels: Any) -> list[np.ndarray]:
        """Split labels of all features (or arrays of them) into those of each view."""
        parts = zip(self.first[:-1], self.first[1:], strict=True)
        return [column_labels[..., a:b] for a, b in parts]


def as_list(X: Any) -> list:
    """Return the matrices of a list or of an array (v, n, d); anything else is a single one."""

    def matrix(x):
        return isinstance(x, Cooccurrence) or sparse.issparse(x) or np.ndim(x) == 2

    single = isinstance(X, Cooccurrence) or sparse.issparse(X)
    if single or (isinstance(X, np.ndarray) and X.ndim != 3):
        return [X]
    several = isinstance(X, list | tuple | np.ndarray) and len(X) > 0
    return list(X) if several and all(matrix(x) for x in X) else [X]


def check_each(X: Any, check: Callable[[Any], Any], what: str, members: str) -> list:
    """Check every matrix; raise an error that names the first bad one, or if sizes differ."""
    given, checked = as_list(X), []
    for number, matrix in enumerate(given, 1):
        try:
            checked.append(check(matrix))
        except RecocoError as error:
            if len(given) == 1:
                raise
            raise RecocoError(f"{what.capitalize()} {number}: {error}") from None
    sizes = [matrix.shape[0] for matrix in checked]
    if len(set(sizes)) > 1:
        raise RecocoError(
            f"The {what}s have {', '.join(map(str, sizes))} {members}: "
            f"give the same {members} in the same order in every {what}."
        )
    return checked


def check_views(X: Any) -> Views:
    """Return the views as CSR matrices of float64; raise if they cannot be clustered together."""
    matrices = check_each(X, check_matrix, "view", "objects")
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

    A subclass implements ``_prepare(views)`` and ``_one(problem, rng)``, which computes one start
    and returns the labels of the objects, those of the features of one view after the other, the
    history and, if they are not implied by it, the number of iterations and a dict of details.
    ``n_column_clusters`` is a number for all views or a list with a number for each.

    Attributes
    ----------
    row_labels_ : ndarray of shape (n,)
        Cluster of each object; also available as ``labels_``.
    column_labels_ : ndarray of shape (d,)
        Cluster of each feature, the views one after the other.
    view_labels_ : list of ndarray
        The same, split into views. The clusters of each view are numbered from 0.
    criterion_, criterion_history_, n_iter_, details_
        See :class:`~recoco.methods.base.Clusterer`.
    """

    views = "many"
    two_sided = False

    def _run(self, problem, generators, init):
        # one thread: sums by a threaded BLAS depend on the number of threads
        with threadpool_limits(1):
            parts = [self._one(problem, rng) for rng in generators]
        rows, columns, histories, *more = zip(*parts, strict=True)
        starts = Starts.from_histories(rows, columns, histories, more[0] if more else None)
        for details in more[1:]:
            starts.details = {name: np.array([d[name] for d in details]) for name in details[0]}
        return starts

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


class Relations:
    """The relations R_k sqrt(w_k), their transposes, and the sum of their squared norms.

    w_k is 1 or, if ``weights`` is "norm", 1 / ||R_k||^2. ``widths`` are the numbers of feature
    clusters.
    """

    def __init__(self, views: Views, weights: str, widths: list[int]):
        check_choice(weights, "weights", ("one", "norm"))
        scales = [1.0] * len(views.matrices)
        if weights == "norm":
            scales = [1.0 / float(np.sqrt(sum_of_squares(A.data))) for A in views.matrices]
        self.views, self.widths = views, widths
        self.relations = [scale * A for scale, A in zip(scales, views.matrices, strict=True)]
        self.transposed = [relation.T.tocsr() for relation in self.relations]
        self.norm = sum(sum_of_squares(relation.data) for relation in self.relations)
