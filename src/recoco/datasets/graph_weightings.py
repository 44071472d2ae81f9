"""Graphs of a prepared dataset by name, used where methods on documents have a weighting.

A name is a rule, such as ``cosine-q97``, optionally followed by a view: ``cosine-q97-view2``.
"""

import re
from typing import Any

import numpy as np
from scipy import sparse

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.datasets.nearest_graphs import nearest_graph
from recoco.datasets.similarity_graphs import Cooccurrence, similarity_graphs, symmetrised
from recoco.datasets.weighting import WEIGHTINGS, weight

GRAPH_WEIGHTINGS: dict[str, str] = {
    "cosine-q97": "a graph per view: 1 where the cosine is above its 97 % quantile",
    "cosine-q95": "a graph per view: 1 where the cosine is above its 95 % quantile",
    "cosine-q90": "a graph per view: 1 where the cosine is above its 90 % quantile",
    "gaussian-q97": "a graph per view: 1 where the distance is below its 3 % quantile",
    "cosine": "a graph per view: the cosines of all pairs, negative ones as 0",
    "nearest-5": "a graph per view: each object with its 5 nearest, the nearer the stronger",
    "shared": "a graph per view: the number of features that two objects share",
    "links": "the links of a graph without their directions",
    "arcs": "the links of a graph with their directions",
    "nonnegative": "the views as they are; a feature with negative values begins at 0",
}
_WEIGHTED = (
    "cosine",
    "nonnegative",
    "shared",
)  # and nearest-N: the rules whose graphs have weights
_VIEW = re.compile(r"(?P<rule>.+?)(?:-view(?P<view>[1-9]\d*))?$")
_NEAREST = re.compile(r"nearest-(?P<k>[1-9]\d*)$")
_QUANTILE = re.compile(r"(?P<similarity>cosine|gaussian)-q(?P<percent>\d\d)$")


def split_name(name: str) -> tuple[str, int | None]:
    """Return the rule of a name and the number of the view (from 1), or None for all views."""
    found: Any = _VIEW.fullmatch(name)
    view = found["view"]
    return found["rule"], int(view) if view else None


def is_graph_weighting(name: str) -> bool:
    """Return whether a name is one of these rules, with any quantile or number of neighbours."""
    rule, _ = split_name(name)
    return rule in GRAPH_WEIGHTINGS or bool(_QUANTILE.fullmatch(rule) or _NEAREST.fullmatch(rule))


def describe(name: str) -> str:
    """Return a description of a weighting, of a graph or of a matrix."""
    rule, view = split_name(name)
    quantile, near = _QUANTILE.fullmatch(rule), _NEAREST.fullmatch(rule)
    if rule in GRAPH_WEIGHTINGS:
        text = GRAPH_WEIGHTINGS[rule]
    elif quantile:
        text = f"a graph per view: 1 above the {quantile['percent']} % quantile"
    elif near:
        text = GRAPH_WEIGHTINGS["nearest-5"].replace("5", near["k"])
    else:
        return WEIGHTINGS.get(name, "")
    return text if view is None else f"{text}; view {view} only"


def check_weighting(name: str, where: str) -> None:
    """Raise for a name that is neither a weighting of matrices nor of graphs."""
    if name not in WEIGHTINGS and not is_graph_weighting(name):
        known = [*WEIGHTINGS, *GRAPH_WEIGHTINGS]
        raise RecocoError(f"Unknown weighting {name!r} in {where}: {nearest(name, known)}")


def graphs_of(dataset: Any, name: str) -> list:
    """Return the graphs of a prepared dataset.

    Parameters
    ----------
    dataset : recoco.datasets.Dataset
        The dataset.
    name : str
        A rule, see :data:`GRAPH_WEIGHTINGS`; with the suffix ``-viewN``, only of that view. The
        name of a weighting of matrices returns the weighted views.

    Returns
    -------
    graphs : list of csr_matrix or Cooccurrence
        The rows and columns of a graph are in the order of the dataset.
    """
    rule, view = split_name(name)
    views = dataset.views
    if view is not None:
        if view > len(views):
            raise RecocoError(
                f"{name} asks for view {view} of {dataset.name}, which has {len(views)}: "
                "ask for one that is there."
            )
        views = [views[view - 1]]
    if dataset.meta.get("graphs") == "given" and is_graph_weighting(rule):
        return [_given(dataset, matrix, rule) for matrix in views]
    quantile = _QUANTILE.fullmatch(rule)
    if quantile:
        share = int(quantile["percent"]) / 100
        return similarity_graphs(views, quantile=share, similarity=quantile["similarity"])
    near = _NEAREST.fullmatch(rule)
    if near:
        return [nearest_graph(matrix, int(near["k"])) for matrix in views]
    if rule == "cosine":
        return [_cosines(matrix) for matrix in views]
    if rule == "shared":
        return [Cooccurrence(matrix) for matrix in views]
    if rule == "arcs":
        return [_links(dataset, matrix) for matrix in views]
    if rule == "links":
        return [symmetrised(_links(dataset, matrix)) for matrix in views]
    if rule == "nonnegative":
        return [_nonnegative(matrix) for matrix in views]
    return [weight(matrix, name) for matrix in views]


def graph_of(dataset: Any, name: str) -> Any:
    """Return the graph for a method that takes only one, of the first or the named view."""
    graphs = graphs_of(dataset, name)
    # weightings of matrices use the first view, as for all other methods
    return graphs[0] if len(graphs) == 1 or not is_graph_weighting(name) else graphs


def _cosines(view) -> sparse.csr_matrix:
    size = np.sqrt(np.asarray(view.multiply(view).sum(axis=1)).ravel())
    unit = sparse.diags(np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)) @ view
    # products of sparse matrices add the terms of (i, j) and (j, i) in different orders
    full = (unit @ unit.T).toarray()
    full = np.maximum((full + full.T) / 2, 0.0)
    np.fill_diagonal(full, 1.0)
    return sparse.csr_matrix(full)


def _given(dataset, graph, rule: str) -> sparse.csr_matrix:
    """Return a graph that was made by the authors of the data, so no rule has to make it.

    Methods with weights get its weights, others its links.
    """
    links = _links(dataset, graph)
    if rule == "arcs":
        return links
    if rule not in _WEIGHTED and not _NEAREST.fullmatch(rule):
        return symmetrised(links)
    # a sum of both directions would double the weights of a graph that has none
    return symmetrised(links, binary=False) if (links != links.T).nnz else links


def _links(dataset, view) -> sparse.csr_matrix:
    if view.shape[0] != view.shape[1]:
        raise RecocoError(
            f"{dataset.name} has {view.shape[0]} rows and {view.shape[1]} columns, so it holds no "
            "links between its objects: take another weighting."
        )
    # preparation shuffled the rows but not the columns
    return sparse.csr_matrix(view[:, dataset.permutation])


def _nonnegative(view) -> sparse.csr_matrix:
    if view.nnz == 0 or view.data.min() >= 0:
        return weight(view, "count")
    dense = view.toarray()
    return weight(dense - np.minimum(dense.min(axis=0), 0.0), "count")
