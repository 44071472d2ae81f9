"""Spherical k-means: rows of unit length in clusters around their mean directions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.methods.arrays import parts
from recoco.methods.base import Clusterer, Starts, finished, label_dtype
from recoco.methods.checks import check_choice, check_labels

MAX_ITER = 100
TOL = 0.0
SEEDINGS = {
    "rows": "g distinct rows drawn at random are the first centroids",
    "k-means++": "the same, each drawn by its squared distance to those drawn before",
    "labels": "every row gets a random label",
}


@dataclass
class _Problem:
    """Unit rows, by rows and (if the seeding needs it) by columns."""

    rows: sparse.csr_matrix
    single: np.ndarray
    by_column: sparse.csr_matrix | None


def check_rows(A: sparse.csr_matrix) -> None:
    """Reject a matrix with a row of zeros."""
    empty = np.flatnonzero(np.diff(A.indptr) == 0)
    if empty.size:
        raise RecocoError(
            f"Row {empty[0]} of the matrix is zero, so it has no direction: drop empty rows first."
        )


def unit_rows(A: sparse.csr_matrix) -> sparse.csr_matrix:
    """Scale rows of A to unit length, with entries rounded such that their sums are exact.

    Entries become multiples of a power of two (2^-38 for 18846 rows). No sum of up to n of them
    then needs more than the 53 bits of a double, so it is the same in any order.
    """
    check_rows(A)
    n = A.shape[0]
    # divided by the largest entry first, so no square underflows or overflows
    largest = A.max(axis=1).toarray().ravel()
    data = A.data / np.repeat(largest, np.diff(A.indptr))
    lengths = np.sqrt(np.add.reduceat(data * data, A.indptr[:-1]))
    data /= np.repeat(lengths, np.diff(A.indptr))
    unit = 2.0 ** (int(n).bit_length() - 53)
    data = np.rint(data / unit) * unit
    return sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


def spherical_starts(
    A: Any,
    generators: Any,
    n_clusters: int,
    max_iter: int = MAX_ITER,
    tol: float = TOL,
    seeding: str = "rows",
) -> np.ndarray:
    """Return row labels by spherical k-means, one start per generator.

    Parameters
    ----------
    A : csr_matrix of shape (n, d)
        A matrix checked by ``recoco.methods.checks.check_matrix``, without rows of zeros.
    generators : sequence of numpy.random.Generator
        Start b uses only generator b.
    n_clusters, max_iter, tol, seeding
        See :class:`SphericalKMeans`.

    Returns
    -------
    labels : ndarray of int, shape (B, n)
        The labels that :class:`SphericalKMeans` finds with the same generators.
    """
    problem = _problem(A, seeding)
    return _cluster(problem, generators, None, n_clusters, max_iter, tol, seeding).row_labels


@dataclass(eq=False, repr=False, kw_only=True)
class SphericalKMeans(Clusterer):
    """Maximise the sum of cosines between rows and the centroids of their clusters.

    Rows are scaled to unit length. In turn, every row is put in the cluster whose centroid has the
    largest cosine with it (the lowest cluster wins a tie), and every centroid becomes the mean
    direction of its rows. A cluster without rows receives the row that is least similar to its own
    centroid, which cannot decrease the criterion.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters g.
    tol : float, default=0.0
        A start ends when its criterion grows by no more than this fraction of itself, or when no
        row moves.
    seeding : {"rows", "k-means++", "labels"}, default="rows"
        Initial centroids: g distinct rows drawn at random (``rows``), rows drawn by their squared
        distance to the nearest one drawn before (``k-means++``), or the means of a random
        partition (``labels``).
    n_init, max_iter, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        Sum over rows of the cosine with the centroid of their cluster.
    criterion_history_ : ndarray
        The criterion after each iteration; it never decreases.
    row_labels_, column_labels_, n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).
    With centroids c_k = s_k / |s_k|, where s_k is the sum of the rows of cluster k, the criterion
    is the sum of the |s_k|.

    References
    ----------
    I. S. Dhillon, D. S. Modha. Concept Decompositions for Large Sparse Text Data Using
    Clustering. Machine Learning 42, 2001, 143-175.
    C. Elkan. Using the Triangle Inequality to Accelerate k-Means. ICML 2003, 147-153 (bounds).

    Examples
    --------
    >>> from recoco import SphericalKMeans
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> SphericalKMeans(n_clusters=2, n_init=5, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "skmeans"
    title = "Spherical k-means"
    equation_notes = (
        "Rows by argmax of x_i' c_k; centroids c_k = s_k / |s_k|, s_k the sum of the unit rows "
        "of cluster k; criterion: sum of x_i' c_k over all rows, which is the sum of |s_k|."
    )
    monotone = True
    two_sided = False
    shared_starts = True

    max_iter: int = MAX_ITER
    tol: float = TOL
    seeding: str = "rows"

    def _check_numbers(self, A):
        super()._check_numbers(A)
        check_choice(self.seeding, "seeding", SEEDINGS)
        check_rows(A)

    def _check_init(self, A, init):
        return check_labels(init, A.shape[0], self.n_clusters, "row")

    def _batch_size(self, A):
        return 128  # of a waiting start only the labels are stored

    def _prepare(self, A):
        return _problem(A, self.seeding)

    def _run(self, problem, generators, init):
        return _cluster(
            problem, generators, init, self.n_clusters, self.max_iter, self.tol, self.seeding
        )


def _problem(A, seeding):
    rows = unit_rows(A)
    by_column = sparse.csr_matrix(rows.T) if seeding == "k-means++" else None
    return _Problem(rows, rows.data.astype(np.float32), by_column)


def _cluster(problem, generators, init, g, max_iter, tol, seeding) -> Starts:
    import numba

    from recoco.kernels import spherical as kernel

    X = problem.rows
    B, (n, d) = len(generators), X.shape
    labels = np.zeros((B, n), label_dtype(g))
    chosen = np.full((B, g), -1)  # -1 means that the labels are the start
    for b, generator in enumerate(generators):
        if init is not None:
            labels[b] = init
        elif seeding == "labels":
            labels[b] = generator.integers(g, size=n)
        elif seeding == "rows":
            chosen[b] = generator.choice(n, g, replace=False)
        else:
            uniforms = generator.random(g)
            chosen[b] = kernel.spread_rows(parts(X), parts(problem.by_column), uniforms)
    histories = np.zeros((B, max_iter))
    n_iter = np.zeros(B, np.int32)
    # for less work than this, starting threads takes longer than they save
    threads = numba.get_num_threads() if B > 1 and X.nnz * B > 50_000 else 1
    run = kernel.cluster_starts_parallel if threads > 1 else kernel.cluster_starts
    run(parts(X), problem.single, d, chosen, labels, tol, histories, n_iter)
    return Starts.from_histories(labels, None, finished(histories, n_iter))
