"""Graphs of a prepared dataset by name."""

import numpy as np
import pytest
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.dataset import Dataset
from recoco.datasets.graph_weightings import (
    GRAPH_WEIGHTINGS,
    check_weighting,
    describe,
    graph_of,
    graphs_of,
    is_graph_weighting,
    split_name,
)
from recoco.datasets.similarity_graphs import Cooccurrence, similarity_graph
from recoco.methods import get_method
from recoco.runs.block import data_of


def dataset(views, permutation=None):
    n = views[0].shape[0]
    views = [sparse.csr_matrix(view, dtype=float) for view in views]
    order = np.arange(n) if permutation is None else permutation
    labels = np.arange(n) % 2
    return Dataset("made-up", views, labels, ["a", "b"], [None] * len(views), order)


@pytest.fixture
def two_views():
    rng = np.random.default_rng(3)
    return dataset([rng.random((30, 5)), (rng.random((30, 8)) < 0.4) + np.eye(30, 8)])


def test_names():
    assert split_name("cosine-q97-view2") == ("cosine-q97", 2)
    assert split_name("shared") == ("shared", None)
    assert is_graph_weighting("gaussian-q80") and is_graph_weighting("links-view1")
    assert not is_graph_weighting("tfidf-l2") and not is_graph_weighting("cosine-q7")
    assert not is_graph_weighting("cosine-view0")
    assert all(map(describe, GRAPH_WEIGHTINGS))
    assert "view 3 only" in describe("shared-view3") and "80 %" in describe("cosine-q80")
    assert "matrix as it is" in describe("count")
    with pytest.raises(RecocoError, match="cosine-q97"):
        check_weighting("cosine-97", "a test")


def test_similarities_of_all_views_or_of_one(two_views):
    found = graphs_of(two_views, "cosine-q90")
    assert len(found) == 2
    expected = similarity_graph(two_views.views[1], 0.90)
    assert (found[1] != expected).nnz == 0
    assert (graph_of(two_views, "cosine-q90-view2") != expected).nnz == 0
    closest = graphs_of(two_views, "gaussian-q90-view1")[0]
    assert (closest != similarity_graph(two_views.views[0], 0.90, "gaussian")).nnz == 0
    with pytest.raises(RecocoError, match="view 3 of made-up, which has 2"):
        graphs_of(two_views, "cosine-q90-view3")


def test_weighted_edges_of_all_pairs(two_views):
    signed = dataset([np.array([[1.0, 0], [1, 1], [-1, 0], [0, 2]])])
    (graph,) = graphs_of(signed, "cosine")
    half = np.sqrt(0.5)
    expected = [[1, half, 0, 0], [half, 1, 0, half], [0, 0, 1, 0], [0, half, 0, 1]]
    assert np.allclose(graph.toarray(), expected)
    for graph in graphs_of(two_views, "cosine"):
        assert abs(graph - graph.T).nnz == 0


def test_shared_features_are_not_formed(two_views):
    found = graphs_of(two_views, "shared")
    assert all(isinstance(graph, Cooccurrence) for graph in found)
    B = (two_views.views[1].toarray() > 0).astype(float)
    assert np.allclose(found[1].matrix().toarray(), B @ B.T)


def test_links_follow_the_rows():
    """The rows of a square matrix are shuffled when it is prepared, its columns are not."""
    rng = np.random.default_rng(1)
    A = (rng.random((12, 12)) < 0.3).astype(float)
    order = rng.permutation(12)
    data = dataset([A[order]], order)
    (arcs,) = graphs_of(data, "arcs")
    assert np.array_equal(arcs.toarray(), A[np.ix_(order, order)])
    (links,) = graphs_of(data, "links")
    either = ((A + A.T) > 0)[np.ix_(order, order)]
    assert np.array_equal(links.toarray(), either)
    with pytest.raises(RecocoError, match="holds no links"):
        graphs_of(dataset([A[:, :5]]), "links")


def test_features_are_shifted_only_where_they_are_negative():
    data = dataset([np.array([[1.0, -2], [0, 3]]), np.array([[1.0, 2], [0, 3]])])
    shifted, kept = graphs_of(data, "nonnegative")
    assert shifted.toarray().tolist() == [[1, 0], [0, 5]]
    assert kept.toarray().tolist() == [[1, 2], [0, 3]]


def test_methods_take_one_graph_or_all(two_views):
    assert len(data_of(get_method("tsplbm"), two_views, "cosine-q90")) == 2
    one = data_of(get_method("splbm"), two_views, "cosine-q90-view1")
    assert sparse.issparse(one)
    swmv = get_method("swmv")(2)
    formed = swmv._check(data_of(type(swmv), two_views, "shared")).matrices
    assert len(formed) == 2 and all(map(sparse.issparse, formed))
    assert len(data_of(get_method("multinmf"), two_views, "nonnegative")) == 2
    # a latent block model of documents still takes their matrix
    plain = data_of(get_method("plbm"), two_views, "count")
    assert (plain != two_views.X).nnz == 0
    with pytest.raises(RecocoError, match="2 graphs: give one"):
        get_method("psbm")(2).fit(data_of(get_method("psbm"), two_views, "cosine-q90"))


def test_nearest_neighbours_weighted_as_defined(two_views):
    name = "nearest-3"
    assert is_graph_weighting(name) and "3 nearest" in describe(name)
    for graph, view in zip(graphs_of(two_views, name), two_views.views, strict=True):
        X = view.toarray()
        n, expected = len(X), np.zeros((len(X), len(X)))
        for i in range(n):
            d = ((X - X[i]) ** 2).sum(axis=1)
            d[i] = np.inf
            order = np.argsort(np.round(d, 9), kind="stable")
            d = d[order]
            total = 3 * d[3] - d[:3].sum()
            expected[i, order[:3]] = (d[3] - d[:3]) / total if total > 1e-9 else 1 / 3
        found = graph.toarray()
        np.testing.assert_allclose(found.sum(), n)
        np.testing.assert_allclose(found, (expected + expected.T) / 2, atol=1e-9)


def test_more_neighbours_than_objects_are_refused(two_views):
    with pytest.raises(RecocoError, match="nearest neighbours"):
        graphs_of(two_views, "nearest-500")
