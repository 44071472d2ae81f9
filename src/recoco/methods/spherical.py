"""Spherical k-means: rows of unit length in clusters around their mean directions."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.methods.base import Clusterer, Starts, check_labels, label_dtype
from recoco.schema import nearest

MAX_ITER = 100
TOL = 0.0
SEEDINGS = {
    "rows": "g distinct rows drawn at random are the first centroids",
    "k-means++": "the same, each drawn by its squared distance to those drawn before",
    "labels": "every row gets a random label",
}


@dataclass
class _Problem:
    """Unit rows, by rows and (where the seeding needs it) by columns."""

    rows: sparse.csr_matrix
    single: np.ndarray
    by_column: sparse.csr_matrix | None


def check_rows(A: sparse.csr_matrix) -> None:
    """Refuse a matrix with a row of zeros."""
    empty = np.flatnonzero(np.diff(A.indptr) == 0)
    if empty.size:
        raise RecocoError(
            f"Row {empty[0]} of the matrix is zero, so it has no direction: drop empty rows first."
        )


def unit_rows(A: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows of A scaled to length one, entries rounded so that sums of them are exact.

    Entries become multiples of a power of two (2^-38 for 18846 rows): no sum of up to n of
    them then needs more than the 53 bits of a double, so it is the same in any order.
    """
    check_rows(A)
    n = A.shape[0]
    # divided by the largest entry first, so that no square is too small or too large to hold
    largest = A.max(axis=1).toarray().ravel()
    data = A.data / np.repeat(largest, np.diff(A.indptr))
    lengths = np.sqrt(np.add.reduceat(data * data, A.indptr[:-1]))
    data /= np.repeat(lengths, np.diff(A.indptr))
    unit = 2.0 ** (int(n).bit_length() - 53)
    data = np.rint(data / unit) * unit
    return sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


def spherical_starts(
    A, generators, n_clusters: int, max_iter: int = MAX_ITER, tol: float = TOL, seeding="rows"
) -> np.ndarray:
    """Labels of the rows by spherical k-means, one start per generator.

    Parameters
    ----------
    A : csr_matrix (n, d), checked by ``recoco.methods.base.check_matrix``; no row of zeros
    generators : sequence of numpy Generators; start b uses generator b only
    n_clusters, max_iter, tol, seeding : see :class:`SphericalKMeans`

    Returns
    -------
    int array (B, n): for the same generator the labels :class:`SphericalKMeans` finds
    """
    problem = _problem(A, seeding)
    return _cluster(problem, generators, None, n_clusters, max_iter, tol, seeding).row_labels


class SphericalKMeans(Clusterer):
    """Maximise the sum of cosines between rows and the centroids of their clusters.

    Rows are scaled to length one. In turn every row is put in the cluster whose centroid it has
    the largest cosine with (ties: the lowest cluster), and every centroid becomes the mean
    direction of its rows. A cluster left without rows gets the row least similar to its own
    centroid, which cannot lower the criterion.

    Parameters
    ----------
    n_clusters : int
    n_init : int
        Starts per run; the one with the largest criterion is kept.
    max_iter : int
    tol : float
        A start ends when its criterion grows by no more than this share of itself, or when
        no row moves.
    seeding : str
        ``rows``: g distinct rows drawn at random are the first centroids; ``k-means++``: each
        is drawn by its squared distance to the nearest drawn before; ``labels``: a random
        partition.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_ : array of int; ``column_labels_`` is None
    criterion_ : float, the sum over rows of the cosine to the centroid of their cluster
    criterion_history_ : array, after each iteration, never decreasing
    n_iter_ : int

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).
    With centroids c_k = s_k / |s_k|, s_k the sum of the rows of cluster k, the criterion is the
    sum of the |s_k|.

    References
    ----------
    I. S. Dhillon, D. S. Modha. Concept Decompositions for Large Sparse Text Data Using
    Clustering. Machine Learning 42, 2001, 143-175.
    C. Elkan. Using the Triangle Inequality to Accelerate k-Means. ICML 2003, 147-153 (bounds).
    """

    name = "skmeans"
    title = "Spherical k-means"
    reference = (
        "I. S. Dhillon, D. S. Modha. Concept Decompositions for Large Sparse Text Data Using "
        "Clustering. Machine Learning 42, 2001."
    )
    equation_notes = (
        "Rows by argmax of x_i' c_k; centroids c_k = s_k / |s_k|, s_k the sum of the unit rows "
        "of cluster k; criterion: sum of x_i' c_k over all rows, which is the sum of |s_k|."
    )
    monotone = True
    two_sided = False
    shared_starts = True

    def __init__(
        self, n_clusters=2, n_init=1, max_iter=MAX_ITER, tol=TOL, seeding="rows", random_state=None
    ):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.seeding = seeding
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        """Rough seconds of one run on one core: about 25 passes, most of them partial."""
        return 25 * n_init * (nnz * (2e-9 + 1e-10 * n_clusters) + 5e-10 * (n + d) * n_clusters)

    def _check(self, X):
        A = super()._check(X)
        check_rows(A)
        return A

    def _check_init(self, A, init):
        return check_labels(init, A.shape[0], self.n_clusters, "row")

    def _batch_size(self, A):
        return 128  # of a start that is not running only the labels are kept

    def _prepare(self, A):
        return _problem(A, self.seeding)

    def _run(self, problem, generators, init):
        return _cluster(
            problem, generators, init, self.n_clusters, self.max_iter, self.tol, self.seeding
        )


def _problem(A, seeding):
    if seeding not in SEEDINGS:
        raise RecocoError(f"Unknown seeding {seeding!r}: {nearest(str(seeding), SEEDINGS)}")
    rows = unit_rows(A)
    by_column = sparse.csr_matrix(rows.T) if seeding == "k-means++" else None
    return _Problem(rows, rows.data.astype(np.float32), by_column)


def _parts(A):
    return A.indptr, A.indices, A.data


def _cluster(problem, generators, init, g, max_iter, tol, seeding) -> Starts:
    import numba

    from recoco.kernels import spherical as kernel

    X = problem.rows
    B, (n, d) = len(generators), X.shape
    labels = np.zeros((B, n), label_dtype(g))
    chosen = np.full((B, g), -1)  # -1: the labels are the start
    for b, generator in enumerate(generators):
        if init is not None:
            labels[b] = init
        elif seeding == "labels":
            labels[b] = generator.integers(g, size=n)
        elif seeding == "rows":
            chosen[b] = generator.choice(n, g, replace=False)
        else:
            uniforms = generator.random(g)
            chosen[b] = kernel.spread_rows(_parts(X), _parts(problem.by_column), uniforms)
    histories = np.zeros((B, max_iter))
    n_iter = np.zeros(B, np.int32)
    # for less work than this the threads take longer to start than to finish
    threads = numba.get_num_threads() if B > 1 and X.nnz * B > 50_000 else 1
    run = kernel.cluster_starts_parallel if threads > 1 else kernel.cluster_starts
    run(_parts(X), problem.single, d, chosen, labels, tol, histories, n_iter)
    kept = [history[:steps].copy() for history, steps in zip(histories, n_iter, strict=True)]
    return Starts(labels, None, np.array([history[-1] for history in kept]), n_iter, kept)
