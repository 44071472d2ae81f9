"""What the methods on several graphs of the same nodes share: checks and runs."""

import numpy as np

from recoco.errors import RecocoError
from recoco.graph_views import Cooccurrence
from recoco.graph_weightings import graphs_of
from recoco.methods.base import check_integer, check_matrix, check_tol
from recoco.methods.multiview import MultiViewClusterer, Views, _as_list


def check_graphs(X, symmetric: bool = False) -> Views:
    """Return the adjacency matrices as CSR of float64 or say what is wrong with them.

    Parameters
    ----------
    X : list of array-like or sparse matrices (n, n), non-negative, or one, or an array (v, n, n)
    symmetric : bool
        Refuse graphs with directed edges.
    """
    matrices = []
    graphs = _as_list(X)
    for number, graph in enumerate(graphs, 1):
        try:
            matrices.append(check_matrix(graph))
        except RecocoError as error:
            if len(graphs) == 1:
                raise
            raise RecocoError(f"Graph {number}: {error}") from None
        n, columns = matrices[-1].shape
        if n != columns:
            raise RecocoError(
                f"Graph {number} has {n} rows and {columns} columns: give adjacency matrices, "
                "with a row and a column for every node."
            )
    sizes = [matrix.shape[0] for matrix in matrices]
    if len(set(sizes)) > 1:
        raise RecocoError(
            f"The graphs have {', '.join(map(str, sizes))} nodes: "
            "give the same nodes in the same order in every graph."
        )
    if symmetric:
        for number, matrix in enumerate(matrices, 1):
            if abs(matrix - matrix.T).max() > 0:
                raise RecocoError(
                    f"Graph {number} is not symmetric: give undirected edges, such as A + A'."
                )
    degree = sum(
        np.asarray(A.sum(axis=0)).ravel() + np.asarray(A.sum(axis=1)).ravel() for A in matrices
    )
    isolated = np.flatnonzero(degree == 0)
    if isolated.size:
        more = f" and {isolated.size - 1} more have" if isolated.size > 1 else " has"
        raise RecocoError(
            f"Node {isolated[0]}{more} no edge in any graph: drop the nodes without edges."
        )
    return Views(matrices)


class GraphClusterer(MultiViewClusterer):
    """Base of the methods on several graphs; one matrix is one graph.

    A subclass implements ``_prepare(views)`` and ``_run(problem, generators, init)``, which
    returns ``Starts`` without column labels: rows and columns are the same nodes.
    """

    graphs_only = True

    @classmethod
    def graphs_of(cls, dataset, weighting: str) -> list:
        """Return the graphs of a prepared dataset, formed."""
        graphs = graphs_of(dataset, weighting)
        return [g.matrix() if isinstance(g, Cooccurrence) else g for g in graphs]

    def fit(self, X, y=None, init=None):
        """Cluster the nodes of the graphs.

        Parameters
        ----------
        X : list of array-like or sparse matrices (n, n), non-negative, or one
        y : ignored
        init : not taken by these methods

        Returns
        -------
        self, with ``row_labels_``, ``labels_``, ``criterion_``, ``criterion_history_``,
        ``n_iter_`` and ``details_``
        """
        if init is not None:
            raise RecocoError(f"{self.title} takes no explicit start: leave init out.")
        views = self._check(X)
        runs = self._fit(views, [self._seed()])
        self.row_labels_ = self.labels_ = runs.row_labels[0]
        self.column_labels_ = None
        self.criterion_ = float(runs.criterion[0])
        self.criterion_history_ = runs.histories[0]
        self.n_iter_ = int(runs.n_iter[0])
        self.n_features_in_ = views.shape[0]
        self.details_ = {name: values[0] for name, values in runs.details.items()}
        return self

    def _check(self, X) -> Views:
        views = X if isinstance(X, Views) else check_graphs(X)
        check_integer(self.n_init, "n_init", 1)
        self._check_clusters(views)
        return views

    def _check_clusters(self, views: Views) -> None:
        g = check_integer(self.n_clusters, "n_clusters", 1)
        n = views.shape[0]
        if g > n:
            raise RecocoError(
                f"{g} clusters were asked of graphs with {n} nodes: ask for at most {n}."
            )
        check_integer(self.max_iter, "max_iter", 1)
        check_tol(self.tol)
