"""Graphs of nearest neighbours, as the authors of SwMV build them from features."""

from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.similarity_graphs import BLOCK, features_of


def nearest_graph(X: Any, k: int) -> sparse.csr_matrix:
    """Connect each object with its k nearest ones; closer objects have larger weights.

    The weights of an object are the s_ij >= 0 with sum 1 that minimise
    sum_j ||x_i - x_j||^2 s_ij + gamma s_ij^2, where gamma is such that k of them are positive:
    s_ij = (d_{k+1} - d_ij) / (k d_{k+1} - sum of the k smallest d). Both directions of an edge are
    averaged.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Features of the objects.
    k : int
        Number of neighbours, less than n - 1.

    Returns
    -------
    graph : csr_matrix of shape (n, n)

    References
    ----------
    F. Nie, X. Wang, M. I. Jordan, H. Huang. The Constrained Laplacian Rank Algorithm for
    Graph-Based Clustering. AAAI 2016.
    """
    X = features_of(X)
    n = X.shape[0]
    if not 1 <= k < n - 1:
        raise RecocoError(
            f"{k} nearest neighbours are asked for of {n} objects: ask for 1 to {n - 2}."
        )
    squares = X.multiply(X) if sparse.issparse(X) else X * X
    squares = np.asarray(squares.sum(axis=1)).ravel()
    neighbours = np.empty((n, k), np.int64)
    weights = np.empty((n, k))
    size = max(1, BLOCK // n)
    for first in range(0, n, size):
        product = X[first : first + size] @ X.T
        product = product.toarray() if sparse.issparse(product) else product
        stop = first + len(product)
        distance = np.maximum(squares[first:stop, None] + squares - 2.0 * product, 0.0)
        distance[np.arange(stop - first), np.arange(first, stop)] = (
            np.inf
        )  # excludes the object itself
        order = np.argsort(distance, axis=1, kind="stable")[:, : k + 1]
        near = np.take_along_axis(distance, order, axis=1)
        room = near[:, k:] - near[:, :k]
        total = room.sum(axis=1, keepdims=True)
        # k + 1 objects at the same distance: none is closer than another
        weights[first:stop] = np.divide(
            room, total, out=np.full_like(room, 1.0 / k), where=total > 0
        )
        neighbours[first:stop] = order[:, :k]
    rows = np.repeat(np.arange(n), k)
    A = sparse.csr_matrix((weights.ravel(), (rows, neighbours.ravel())), shape=(n, n))
    A = ((A + A.T) / 2).tocsr()
    A.eliminate_zeros()
    return A
