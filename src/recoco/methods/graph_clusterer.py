"""What the methods on graphs share: checked graphs, and one partition of their nodes."""

from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.graph_weightings import graph_of, graphs_of
from recoco.datasets.similarity_graphs import Cooccurrence
from recoco.methods.arrays import SAFE, safely_scaled
from recoco.methods.base import Clusterer
from recoco.methods.checks import check_matrix
from recoco.methods.multiview import check_each


class Graphs:
    """Checked graphs on the same nodes, each a square matrix or a :class:`Cooccurrence`."""

    def __init__(self, graphs: list):
        self.graphs = graphs
        self.degree = np.array([degrees(graph) for graph in graphs])

    @property
    def shape(self) -> tuple[int, int]:
        return self.graphs[0].shape

    @property
    def nnz(self) -> int:
        return sum(graph.nnz for graph in self.graphs)

    @property
    def matrices(self) -> list[sparse.csr_matrix]:
        """The graphs as matrices; products are multiplied out."""
        return [g.matrix() if isinstance(g, Cooccurrence) else g for g in self.graphs]

    def scaled(self, least: int = -SAFE) -> tuple["Graphs", int]:
        """Return the graphs divided by a common power of two, see :func:`safely_scaled`.

        Graphs that are stored as products hold counts and are left alone.
        """
        if any(isinstance(graph, Cooccurrence) for graph in self.graphs):
            return self, 0
        graphs, exponent = safely_scaled(self.graphs, least)
        return (Graphs(graphs) if exponent else self), exponent


def degrees(graph: Any) -> np.ndarray:
    """Return the weighted degree of each node."""
    if isinstance(graph, Cooccurrence):
        return graph.degrees()
    return np.asarray(graph.sum(axis=1)).ravel()


def asymmetry(A: sparse.csr_matrix) -> tuple[int, int] | None:
    """Return where a square matrix differs most from its transpose; None if it is symmetric."""
    difference = abs(A - A.T).tocoo()
    if difference.nnz == 0 or difference.data.max() <= 1e-9 * A.data.max():
        return None
    worst = int(np.argmax(difference.data))
    i, j = sorted((int(difference.row[worst]), int(difference.col[worst])))
    return i, j


def likeness(A: sparse.csr_matrix) -> float:
    """Return the correlation of entries (i, j) and (j, i) of a square matrix, i != j."""
    n = A.shape[0]
    A = sparse.csr_matrix(A - sparse.diags(A.diagonal())) / A.data.max()
    pairs = max(n * (n - 1), 1)
    square = (A.sum() / pairs) ** 2
    spread = A.multiply(A).sum() / pairs - square
    return float((A.multiply(A.T).sum() / pairs - square) / spread) if spread > 0 else 1.0


def check_graph(X: Any, symmetric: bool = True) -> Any:
    """Return a graph as CSR (a :class:`Cooccurrence` is returned unchanged); raise if invalid."""
    if isinstance(X, Cooccurrence):
        return X
    A = check_matrix(X)
    if A.shape[0] != A.shape[1]:
        raise RecocoError(
            f"A graph must be a square matrix, but this one has shape {A.shape}: "
            "give a matrix of nodes by nodes; recoco.datasets.similarity_graphs makes them."
        )
    place = asymmetry(A) if symmetric else None
    if place is not None:
        i, j = place
        raise RecocoError(
            f"The graph is not symmetric, entry ({i}, {j}) is {A[i, j]:g} and ({j}, {i}) is "
            f"{A[j, i]:g}: make it undirected first, see `symmetrised` in "
            "recoco.datasets.similarity_graphs."
        )
    return A


def check_graphs(X: Any, symmetric: bool = True) -> Graphs:
    """Return the graphs; raise if they cannot be clustered together.

    Parameters
    ----------
    X : array-like, sparse matrix or Cooccurrence of shape (n, n), or a list of them
        Non-negative graphs. An array of shape (v, n, n) holds v graphs.
    symmetric : bool, default=True
        Reject graphs with directed edges.

    Returns
    -------
    graphs : Graphs
    """
    checked = check_each(X, lambda graph: check_graph(graph, symmetric), "graph", "nodes")
    graphs = Graphs(checked)
    linked = graphs.degree.max(axis=0) > 0
    if not symmetric:
        for graph in graphs.matrices:
            linked |= np.asarray(graph.sum(axis=0)).ravel() > 0
    alone = np.flatnonzero(~linked)
    if alone.size:
        more = f" and {alone.size - 1} more have" if alone.size > 1 else " has"
        where = " in any graph" if len(checked) > 1 else ""
        raise RecocoError(
            f"Node {alone[0]}{more} no edge{where}: drop the isolated nodes, "
            "see recoco.datasets.similarity_graphs.linked_nodes."
        )
    return graphs


class GraphClusterer(Clusterer):
    """Base class of methods that find one partition of the nodes of graphs.

    A subclass implements ``_prepare(graphs)``, which receives :class:`Graphs`, and
    ``_run(problem, generators, init)``, see :class:`Clusterer`. Rows and columns are the same
    nodes. X is a square matrix or a list of them.
    """

    graphs_only = True
    directed = False  # whether edges may have directions

    @classmethod
    def graphs_of(cls, dataset: Any, weighting: str) -> Any:
        """Return the graph, or all graphs, of a prepared dataset that the method is fitted to."""
        return graph_of(dataset, weighting) if cls.views == "one" else graphs_of(dataset, weighting)

    def _check_data(self, X) -> Graphs:
        graphs = X if isinstance(X, Graphs) else check_graphs(X, not self.directed)
        if self.views == "one" and len(graphs.graphs) > 1:
            raise RecocoError(
                f"{self.title} was given {len(graphs.graphs)} graphs: give one, or take TSPLBM."
            )
        return graphs

    def _sides(self, data) -> list[tuple[str, int]]:
        return [("nodes" if isinstance(data, Graphs) else "rows", data.shape[0])]
