"""What the methods on graphs share: checked graphs, one partition of their nodes."""

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.graph_views import Cooccurrence
from recoco.graph_weightings import graph_of, graphs_of
from recoco.methods.base import Clusterer, check_integer, check_matrix, check_tol


class Graphs:
    """Checked graphs on the same nodes; each is a square matrix or a :class:`Cooccurrence`."""

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
        """The graphs as matrices; those held as products are formed."""
        return [g.matrix() if isinstance(g, Cooccurrence) else g for g in self.graphs]


def degrees(graph) -> np.ndarray:
    if isinstance(graph, Cooccurrence):
        return graph.degrees()
    return np.asarray(graph.sum(axis=1)).ravel()


def as_graphs(X) -> list:
    """A list of matrices, or an array (v, n, n), is a list of graphs; all else is one graph."""
    if isinstance(X, Cooccurrence) or sparse.issparse(X):
        return [X]
    if isinstance(X, np.ndarray) and X.ndim != 3:
        return [X]
    several = isinstance(X, list | tuple | np.ndarray) and len(X) > 0
    if several and all(
        isinstance(x, Cooccurrence) or sparse.issparse(x) or np.ndim(x) == 2 for x in X
    ):
        return list(X)
    return [X]


def asymmetry(A: sparse.csr_matrix) -> tuple[int, int] | None:
    """Return where a square matrix is farthest from its transpose, None if it is symmetric."""
    difference = abs(A - A.T).tocoo()
    if difference.nnz == 0 or difference.data.max() <= 1e-9 * A.data.max():
        return None
    worst = int(np.argmax(difference.data))
    i, j = sorted((int(difference.row[worst]), int(difference.col[worst])))
    return i, j


def check_graph(X, symmetric: bool = True):
    """Return one graph as CSR (or as it is, if held as a product) or say what is wrong."""
    if isinstance(X, Cooccurrence):
        return X
    A = check_matrix(X)
    if A.shape[0] != A.shape[1]:
        raise RecocoError(
            f"A graph must be a square matrix, but this one has shape {A.shape}: "
            "give a matrix of nodes by nodes, such as recoco.graph_views makes of features."
        )
    place = asymmetry(A) if symmetric else None
    if place is not None:
        i, j = place
        raise RecocoError(
            f"The graph is not symmetric, entry ({i}, {j}) is {A[i, j]:g} and ({j}, {i}) is "
            f"{A[j, i]:g}: make it undirected first, see recoco.graph_views.symmetrised."
        )
    return A


def check_graphs(X, symmetric: bool = True) -> Graphs:
    """Return the graphs, or say why they cannot be clustered together.

    Parameters
    ----------
    X : list of array-like or sparse matrices (n, n), non-negative, or one, or an array (v, n, n)
    symmetric : bool
        Refuse graphs with directed edges.
    """
    given, checked = as_graphs(X), []
    for number, graph in enumerate(given, 1):
        try:
            checked.append(check_graph(graph, symmetric))
        except RecocoError as error:
            if len(given) == 1:
                raise
            raise RecocoError(f"Graph {number}: {error}") from None
    sizes = [graph.shape[0] for graph in checked]
    if len(set(sizes)) > 1:
        raise RecocoError(
            f"The graphs have {', '.join(map(str, sizes))} nodes: "
            "give the same nodes in the same order in every graph."
        )
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
            "see recoco.graph_views.linked_nodes."
        )
    return graphs


class GraphClusterer(Clusterer):
    """Base of the methods on graphs: nodes have one partition.

    A subclass implements ``_prepare(graphs)``, which gets :class:`Graphs`, and ``_run(problem,
    generators, init)``, see :class:`Clusterer`; rows and columns are the same nodes.
    """

    graphs_only = True
    directed = False  # whether edges may have directions

    @classmethod
    def graphs_of(cls, dataset, weighting: str):
        """Return what the method is fitted to: one graph of a prepared dataset, or all."""
        return graph_of(dataset, weighting) if cls.views == "one" else graphs_of(dataset, weighting)

    def fit(self, X, y=None, init=None):
        """Cluster the nodes of the graphs.

        Parameters
        ----------
        X : list of array-like or sparse matrices (n, n), non-negative, or one
        y : ignored
        init : labels, optional
            An explicit start in place of the random ones, for the methods that take one.

        Returns
        -------
        self, with ``row_labels_``, ``labels_``, ``criterion_``, ``criterion_history_``,
        ``n_iter_`` and ``details_``
        """
        if init is not None and not hasattr(self, "_check_init"):
            raise RecocoError(f"{self.title} takes no explicit start: leave init out.")
        runs = self._fit(X, [self._seed()], init=init)
        self.row_labels_ = self.labels_ = runs.row_labels[0]
        self.column_labels_ = None if runs.column_labels is None else runs.column_labels[0]
        self.criterion_ = float(runs.criterion[0])
        self.criterion_history_ = runs.histories[0]
        self.n_iter_ = int(runs.n_iter[0])
        self.details_ = {name: values[0] for name, values in runs.details.items()}
        self.n_features_in_ = self.row_labels_.size
        if self.column_labels_ is not None:
            self.n_features_in_ = self.column_labels_.size
        return self

    def _check(self, X) -> Graphs:
        graphs = X if isinstance(X, Graphs) else check_graphs(X, not self.directed)
        if self.views == "one" and len(graphs.graphs) > 1:
            raise RecocoError(
                f"{self.title} was given {len(graphs.graphs)} graphs: give one, or take TSPLBM."
            )
        self._check_numbers(graphs)
        return graphs

    def _check_numbers(self, graphs) -> None:
        n = graphs.shape[0]
        g = check_integer(self.n_clusters, "n_clusters", 1)
        check_integer(self.n_init, "n_init", 1)
        check_integer(self.max_iter, "max_iter", 1)
        check_tol(self.tol)
        if g > n:
            raise RecocoError(
                f"{g} clusters were asked of a graph with {n} nodes: "
                f"ask for at most {n} or give more nodes."
            )
