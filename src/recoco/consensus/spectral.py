"""Spectral consensus: singular vectors of the consensus matrix, and k-means (EBCO, section 4.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from threadpoolctl import threadpool_limits

from recoco.consensus.bases import (
    Bases,
    check_bases,
    check_number,
    check_partitions,
    number_clusters,
)
from recoco.methods.arrays import signs
from recoco.methods.base import RandomState, label_dtype
from recoco.methods.checks import check_choice, check_integer


@dataclass
class SpectralConsensus:
    """The result of :func:`spectral_consensus`.

    Attributes
    ----------
    row_labels : ndarray of int, shape (n,)
        Labels of the rows.
    column_labels : ndarray of int, shape (d,), or None
        Labels of the columns; None for one-sided partitions.
    values : ndarray of float64, shape (g,)
        Singular values of the consensus matrix.
    criterion : float
        Trace(Ztilde' M Wtilde) of the labels.
    """

    row_labels: np.ndarray
    column_labels: np.ndarray | None
    values: np.ndarray
    criterion: float


def spectral_consensus(
    row_labels: Sequence[ArrayLike],
    column_labels: Sequence[ArrayLike] | None = None,
    n_clusters: int = 2,
    unit: str = "rows",
    kmeans_init: int = 10,
    max_iter: int = 300,
    empty: str = "refuse",
    random_state: RandomState = None,
) -> SpectralConsensus:
    """Fuse co-clusterings, or partitions of one set of objects, by singular vectors.

    Without the binary constraint, Trace(Ztilde' M Wtilde) is largest for the g leading pairs of
    singular vectors of M. Rows and columns, embedded by them, are clustered jointly by k-means.
    M is represented by its factors, so the decomposed matrix has a row per base cluster.

    Parameters
    ----------
    row_labels : array-like of shape (s, n)
        Row labels, or a sequence of s label arrays.
    column_labels : array-like of shape (s, d), default=None
        Column labels. Without them M is the mean of Ztilde_l Ztilde_l'.
    n_clusters : int, default=2
        Number of clusters.
    unit : {"rows", "none"}, default="rows"
        Whether points are scaled to unit length before k-means, which the paper does not say.
        Without it, members of small clusters are farther from the origin than those of large ones.
    kmeans_init : int, default=10
        Number of seedings of k-means. The one with the smallest inertia is kept.
    max_iter : int, default=300
        Maximum number of iterations of k-means.
    empty : {"refuse", "allow"}, default="refuse"
        What to do with base co-clusters that have only rows or only columns.
    random_state : int, Generator or None, default=None
        Seed or generator of the random numbers.

    Returns
    -------
    consensus : SpectralConsensus

    Examples
    --------
    >>> from recoco import spectral_consensus
    >>> partitions = [[0, 0, 1, 1], [1, 1, 0, 0]]
    >>> spectral_consensus(partitions, n_clusters=2, random_state=0).row_labels.tolist()
    [1, 1, 0, 0]
    """
    from recoco.methods.spectral import _cluster_points, _unit

    check_choice(unit, "unit", ("rows", "none"))
    if column_labels is None:
        checked = check_partitions(row_labels)
        bases = number_clusters(checked, checked)
    else:
        bases = check_bases(row_labels, column_labels, empty)
    n, d = len(bases.by_row), len(bases.by_column)
    g = check_number(n_clusters, min(n, d))
    check_integer(kmeans_init, "kmeans_init", 1)
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


def consensus_trace(bases: Bases, row_labels: Any, column_labels: Any, n_clusters: int) -> float:
    """Return Trace(Ztilde' M Wtilde) of given labels."""
    from recoco.kernels.ebco import trace

    counts = bases.shared(row_labels, column_labels, n_clusters)
    sizes = (np.bincount(labels, minlength=n_clusters) for labels in (row_labels, column_labels))
    return trace(*counts, bases.weights, *sizes)


def indicator(clusters: np.ndarray, n_base_clusters: int) -> sparse.csr_matrix:
    """Return a binary matrix (n, K): the base clusters of each object."""
    n, s = clusters.shape
    return sparse.csr_matrix(
        (np.ones(n * s), clusters.ravel(), np.arange(0, n * s + 1, s)), shape=(n, n_base_clusters)
    )


def consensus_svd(bases: Bases, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the leading singular triples of M, computed from the K x K tables of its factors.

    Returns
    -------
    U : ndarray of float64, shape (n, k)
    values : ndarray of float64, shape (k,)
        Singular values in descending order. Beyond the rank of M all three are zero.
    V : ndarray of float64, shape (d, k)
    """
    K = bases.row_sizes.size
    sides = []
    # one thread: sums by a threaded BLAS depend on the number of threads
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
    sign = signs(U)
    sign[values < 1e-10] = 0.0
    missing = ((0, 0), (0, k - k_real))
    return np.pad(U * sign, missing), np.pad(values, missing[1]), np.pad(V * sign, missing)
