"""Spectral consensus: singular vectors of the consensus matrix, and k-means (EBCO, section 4.2)."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from recoco.consensus.bases import Bases, check_bases, check_partitions, number_clusters
from recoco.errors import RecocoError
from recoco.methods.base import check_integer, label_dtype


@dataclass
class SpectralConsensus:
    """What :func:`spectral_consensus` found.

    Attributes
    ----------
    row_labels : int array (n,)
    column_labels : int array (d,), or None for one-sided partitions
    values : float64 (g,), singular values of the consensus matrix
    criterion : float, Trace(Ztilde' M Wtilde) of the labels
    """

    row_labels: np.ndarray
    column_labels: np.ndarray | None
    values: np.ndarray
    criterion: float


def spectral_consensus(
    row_labels,
    column_labels=None,
    n_clusters=2,
    unit="rows",
    kmeans_init=10,
    max_iter=300,
    empty="refuse",
    random_state=None,
) -> SpectralConsensus:
    """Fuse co-clusterings, or partitions of one kind of objects, by singular vectors.

    Without the binary constraint, Trace(Ztilde' M Wtilde) is largest for the g leading pairs of
    singular vectors of M; rows and columns, placed by them, are clustered together by k-means.
    M is handled by its factors: what is decomposed has as many rows as there are base clusters.

    Parameters
    ----------
    row_labels : array (s, n) or sequence of s label arrays
    column_labels : the same for the columns, or None: then M is the mean of Ztilde_l Ztilde_l'
    n_clusters : int
    unit : {"rows", "none"}
        Bring the points to unit length before k-means. The paper does not say; without it,
        members of small clusters lie farther from the origin than those of large ones.
    kmeans_init, max_iter : int
        Seedings of k-means, the one of least inertia is kept, and its iterations.
    empty : {"refuse", "allow"}
        What to do with base co-clusters that have only rows or only columns.
    random_state : int, Generator or None

    Returns
    -------
    SpectralConsensus
    """
    from recoco.methods.spectral import _cluster_points, _unit

    if unit not in ("rows", "none"):
        raise RecocoError(f"unit is {unit!r}: use rows or none.")
    if column_labels is None:
        checked = check_partitions(row_labels)
        bases = number_clusters(checked, checked)
    else:
        bases = check_bases(row_labels, column_labels, empty)
    n, d = len(bases.by_row), len(bases.by_column)
    g = check_integer(n_clusters, "n_clusters", 1)
    check_integer(kmeans_init, "kmeans_init", 1)
    if g > min(n, d):
        raise RecocoError(f"{g} clusters were asked of {min(n, d)} objects: ask for fewer.")
    U, values, V = consensus_svd(bases, g)
    points = U if column_labels is None else np.vstack([U, V])
    if unit == "rows":
        points = _unit(points, 1)
    rng = np.random.default_rng(random_state)
    points = np.ascontiguousarray(points)
    labels = _cluster_points(points, g, [rng], kmeans_init, max_iter, 0.0)[0][0]
    labels = labels.astype(label_dtype(g))
    rows, columns = labels[:n], labels[:n] if column_labels is None else labels[n:]
    return SpectralConsensus(
        rows,
        None if column_labels is None else columns,
        values,
        consensus_trace(bases, rows, columns, g),
    )


def consensus_trace(bases: Bases, row_labels, column_labels, n_clusters: int) -> float:
    """Trace(Ztilde' M Wtilde) of given labels."""
    from recoco.kernels import ebco as kernel

    counts = np.zeros((2, bases.row_sizes.size, n_clusters), np.int64)
    kernel.count_pairs(bases.by_row, row_labels, counts[0])
    kernel.count_pairs(bases.by_column, column_labels, counts[1])
    row_sizes = np.bincount(row_labels, minlength=n_clusters)
    column_sizes = np.bincount(column_labels, minlength=n_clusters)
    return kernel.trace(counts[0], counts[1], bases.weights, row_sizes, column_sizes)


def indicator(clusters: np.ndarray, n_base_clusters: int) -> sparse.csr_matrix:
    """Binary (n, K): which base clusters each object is in."""
    n, s = clusters.shape
    return sparse.csr_matrix(
        (np.ones(n * s), clusters.ravel(), np.arange(0, n * s + 1, s)), shape=(n, n_base_clusters)
    )


def consensus_svd(bases: Bases, k: int):
    """Leading singular triples of M, from the K x K tables of its factors.

    Returns
    -------
    U : float64 (n, k); values : float64 (k,), descending; V : float64 (d, k)
        Beyond the rank of M they are zero.
    """
    K = bases.row_sizes.size
    sides = []
    # one thread: sums of a threaded BLAS depend on the number of threads
    with threadpool_limits(1):
        for clusters in (bases.by_row, bases.by_column):
            Phi = indicator(clusters, K)
            squares, vectors = np.linalg.eigh((Phi.T @ Phi).toarray())
            # the clusters of each base add up to all objects: some directions do not exist
            real = squares > 1e-10 * squares[-1]
            sides.append((Phi, np.sqrt(squares[real]), vectors[:, real]))
        (Phi, a, P), (Psi, b, Q) = sides
        core = (a[:, None] * (P.T * bases.weights)) @ (Q * b)
        left, values, right = np.linalg.svd(core, full_matrices=False)
        k_real = min(k, values.size)
        U = Phi @ (P @ (left[:, :k_real] / a[:, None]))
        V = Psi @ (Q @ (right[:k_real].T / b[:, None]))
    values = values[:k_real]
    # the sign of a pair is free: the largest entry on the left is made positive
    sign = np.where(U[np.abs(U).argmax(axis=0), np.arange(k_real)] < 0, -1.0, 1.0)
    sign[values < 1e-10] = 0.0
    missing = ((0, 0), (0, k - k_real))
    return np.pad(U * sign, missing), np.pad(values, missing[1]), np.pad(V * sign, missing)
