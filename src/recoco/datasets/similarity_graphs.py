"""Graphs of objects from their features: similarities above a quantile, shared features."""

from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.methods.checks import check_matrix

SIMILARITIES = ("cosine", "gaussian")
# number of similarities computed at once
BLOCK = 4_000_000


class Cooccurrence:
    """The graph B B' of shared features, stored as B.

    A product with it costs two products with B. The graph itself, which may have a thousand times
    as many entries, is never built.

    Parameters
    ----------
    B : array-like or sparse matrix of shape (n, d)
        Non-negative matrix of objects by features.
    binary : bool, default=True
        Whether entries of B count as 1.
    """

    def __init__(self, B: Any, binary: bool = True):
        B = check_matrix(B)
        if binary:
            B = sparse.csr_matrix((np.ones(B.nnz), B.indices, B.indptr), shape=B.shape)
        used = np.bincount(B.indices, minlength=B.shape[1]) > 0
        self.B = B if used.all() else B[:, used]

    @property
    def shape(self) -> tuple[int, int]:
        return self.B.shape[0], self.B.shape[0]

    @property
    def nnz(self) -> int:
        """Number of entries that a product reads."""
        return 2 * self.B.nnz

    def degrees(self) -> np.ndarray:
        return self.B @ np.asarray(self.B.sum(axis=0)).ravel()

    def diagonal(self) -> np.ndarray:
        return np.asarray(self.B.multiply(self.B).sum(axis=1)).ravel()

    def matrix(self) -> sparse.csr_matrix:
        """Return the graph as a matrix."""
        return _symmetric(self.B @ self.B.T)


def cooccurrence_graph(B: Any, binary: bool = True, diagonal: bool = True) -> sparse.csr_matrix:
    """Count the features that two objects share: B B' with B made binary.

    Parameters
    ----------
    B : array-like or sparse matrix of shape (n, d)
        Non-negative matrix of objects by features.
    binary : bool, default=True
        Whether entries of B count as 1.
    diagonal : bool, default=True
        Whether to keep the number of an object's own features.

    Returns
    -------
    graph : csr_matrix of shape (n, n)
        Symmetric.
    """
    graph = Cooccurrence(B, binary).matrix()
    return graph if diagonal else _without_diagonal(graph)


def similarity_graph(
    X: Any,
    quantile: float = 0.97,
    similarity: str = "cosine",
    binary: bool = True,
    diagonal: bool = True,
    bandwidth: float | None = None,
) -> sparse.csr_matrix:
    """Connect objects whose similarity is above a quantile of all n^2 similarities.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Real features.
    quantile : float, default=0.97
        At least 0 and less than 1. 0.97 is the rule of the TSPLBM paper.
    similarity : {"cosine", "gaussian"}, default="cosine"
        Cosine, or exp(-||x - y||^2 / (2 s^2)). The cosine with a row of zeros is 0.
    binary : bool, default=True
        Whether the weight of an edge is 1 or the similarity, which must not be negative then.
    diagonal : bool, default=True
        Whether every object is connected with itself. Without it, random starts of the block
        models mostly collapse.
    bandwidth : float, default=None
        The s of the Gaussian. None means the root of the mean squared distance. It does not affect
        a binary graph.

    Returns
    -------
    graph : csr_matrix of shape (n, n)
        Symmetric.
    """
    if not isinstance(quantile, Real) or not 0 <= quantile < 1:
        raise RecocoError(f"quantile is {quantile!r}: give a number from 0 to below 1.")
    if similarity not in SIMILARITIES:
        raise RecocoError(f"similarity is {similarity!r}: give one of {', '.join(SIMILARITIES)}.")
    if bandwidth is not None and not (isinstance(bandwidth, Real) and bandwidth > 0):
        raise RecocoError(f"bandwidth is {bandwidth!r}: give a number above 0, or None.")
    blocks = _Blocks(features_of(X), similarity, bandwidth)
    n = blocks.n
    threshold = _quantile(blocks, quantile)
    rows, columns, values = [], [], []
    for first, block in blocks:
        # from the part above the diagonal only, because rounding differs below it
        upper = np.arange(n) > np.arange(first, first + len(block))[:, None]
        i, j = np.nonzero((block > threshold) & upper)
        rows.append(i + first)
        columns.append(j)
        values.append(block[i, j])
    rows, columns, values = (np.concatenate(parts) for parts in (rows, columns, values))
    if binary:
        values = np.ones(values.size)
    elif values.size and values.min() < 0:
        raise RecocoError(
            f"The {quantile:g} quantile of the similarities is negative, so edges would weigh "
            "less than 0: take a higher quantile or binary edges."
        )
    upper = sparse.csr_matrix((values, (rows, columns)), shape=(n, n))
    graph = upper + upper.T
    if diagonal:
        graph = graph + sparse.identity(n)
    return _symmetric(graph)


def similarity_graphs(views: Any, **options) -> list[sparse.csr_matrix]:
    """Return the graph of every view, see :func:`similarity_graph`."""
    graphs = []
    for number, view in enumerate(views, 1):
        try:
            graphs.append(similarity_graph(view, **options))
        except RecocoError as error:
            raise RecocoError(f"View {number}: {error}") from None
    sizes = [graph.shape[0] for graph in graphs]
    if len(set(sizes)) > 1:
        raise RecocoError(
            f"The views have {', '.join(map(str, sizes))} objects: "
            "give the same objects in the same order in every view."
        )
    return graphs


def symmetrised(A: Any, binary: bool = True) -> sparse.csr_matrix:
    """Make a directed graph undirected: an edge where there is one in either direction.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n, n)
        Non-negative graph.
    binary : bool, default=True
        Whether the weight of an edge is 1, or the sum of both directions (a loop counts once).

    Returns
    -------
    graph : csr_matrix of shape (n, n)
    """
    A = _square(A)
    if not binary:
        return _symmetric(A + _without_diagonal(A).T)
    both = sparse.csr_matrix(A + A.T)
    both.data[:] = 1.0
    return _symmetric(both)


def linked_nodes(A: Any) -> np.ndarray:
    """Return the nodes that have an edge, in order."""
    A = _square(A)
    degree = np.asarray(A.sum(axis=1)).ravel() + np.asarray(A.sum(axis=0)).ravel()
    return np.flatnonzero(degree > 0)


def largest_component(A: Any) -> np.ndarray:
    """Return the nodes of the largest connected component, ignoring directions, in order."""
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(_square(A), directed=False)
    return np.flatnonzero(labels == np.bincount(labels).argmax())


def _square(A) -> sparse.csr_matrix:
    A = check_matrix(A)
    if A.shape[0] != A.shape[1]:
        raise RecocoError(
            f"A graph must be a square matrix, but this one has shape {A.shape}: "
            "give a matrix of nodes by nodes."
        )
    return A


def _symmetric(A) -> sparse.csr_matrix:
    A = sparse.csr_matrix(A, dtype=np.float64)
    A.sum_duplicates()
    A.eliminate_zeros()
    return A


def _without_diagonal(A) -> sparse.csr_matrix:
    return _symmetric(A - sparse.diags(A.diagonal()))


def features_of(X: Any) -> Any:
    """Return real features as CSR or as an array, whichever is smaller."""
    if not sparse.issparse(X):
        X = np.asarray(X)
    if X.ndim != 2 or 0 in X.shape:
        raise RecocoError(f"The features have shape {X.shape}: give a row for each object.")
    if X.dtype.kind not in "fiub":
        raise RecocoError(f"The features have entries of type {X.dtype}: give real numbers.")
    X = sparse.csr_matrix(X, dtype=np.float64)
    if not np.isfinite(X.data).all():
        raise RecocoError(
            "The features have entries that are NaN or infinite: replace or drop them first."
        )
    return X.toarray() if X.nnz > 0.1 * X.shape[0] * X.shape[1] else X


class _Blocks:
    """The rows of the matrix of similarities, some at a time."""

    def __init__(self, X, similarity: str, bandwidth):
        self.n = X.shape[0]
        squares = X.multiply(X) if sparse.issparse(X) else X * X
        self.squares = np.asarray(squares.sum(axis=1)).ravel()
        self.cosine = similarity == "cosine"
        if self.cosine:
            scale = np.sqrt(self.squares)
            scale = np.divide(1.0, scale, out=np.zeros(self.n), where=scale > 0)
            X = sparse.diags(scale) @ X if sparse.issparse(X) else X * scale[:, None]
        else:
            mean = np.asarray(X.mean(axis=0)).ravel()
            # mean of ||x_i - x_j||^2 over all pairs
            spread = 2.0 * max(self.squares.mean() - mean @ mean, 0.0)
            self.spread = float(bandwidth) ** 2 if bandwidth is not None else spread
        self.X = sparse.csr_matrix(X) if sparse.issparse(X) else X
        self.size = max(1, BLOCK // self.n)

    def __iter__(self):
        for first in range(0, self.n, self.size):
            part = self.X[first : first + self.size]
            block = part @ self.X.T
            block = block.toarray() if sparse.issparse(block) else block
            if not self.cosine:
                squares = self.squares[first : first + self.size]
                distance = np.maximum(squares[:, None] + self.squares - 2.0 * block, 0.0)
                block = np.exp(-distance / (2.0 * self.spread)) if self.spread else 1.0 - distance
            own = np.arange(len(block))
            block[own, own + first] = 1.0
            yield first, block


def _quantile(blocks: _Blocks, quantile: float) -> float:
    """Return the quantile of all similarities as np.quantile does, storing only the largest."""
    place = quantile * (blocks.n**2 - 1)
    low = int(place)
    keep = blocks.n**2 - low  # the largest values, down to position low
    kept = np.empty(0)
    for _, block in blocks:
        values = block.ravel()
        if kept.size >= keep:
            values = values[values > kept.min()]
        kept = np.concatenate([kept, values])
        if kept.size > keep:
            kept = np.partition(kept, kept.size - keep)[kept.size - keep :]
    pair = np.sort(np.partition(kept, min(1, kept.size - 1))[:2])
    return float(pair[0] + (place - low) * (pair[-1] - pair[0]))
