"""Graphs of features: the quantile rule, shared features, undirected graphs; the bench."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks import tsplbm as bench_tsplbm
from recoco.core.errors import RecocoError
from recoco.datasets import similarity_graphs as graph_views
from recoco.datasets.similarity_graphs import (
    Cooccurrence,
    cooccurrence_graph,
    largest_component,
    linked_nodes,
    similarity_graph,
    similarity_graphs,
    symmetrised,
)


@pytest.fixture(scope="module")
def features():
    return np.random.default_rng(0).normal(size=(41, 5))


def cosines(X):
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    S = U @ U.T
    np.fill_diagonal(S, 1.0)
    return S


def gaussians(X, s):
    S = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * s**2))
    np.fill_diagonal(S, 1.0)
    return S


def graph_of(S, quantile, binary=True, diagonal=True):
    """The rule on a dense matrix."""
    threshold = np.quantile(S, quantile)
    edges = threshold < S
    np.fill_diagonal(edges, diagonal)
    return np.where(edges, 1.0 if binary else S, 0.0)


@pytest.mark.parametrize("quantile", [0.0, 0.5, 0.9, 0.97, 0.999])
@pytest.mark.parametrize("block", [41, 100, 4_000_000])
def test_quantile_rule(features, quantile, block, monkeypatch):
    monkeypatch.setattr(graph_views, "BLOCK", block)
    for form in (np.array, sparse.csr_matrix):
        for diagonal in (True, False):
            found = similarity_graph(form(features), quantile, diagonal=diagonal)
            assert sparse.issparse(found)
            assert (found.toarray() == graph_of(cosines(features), quantile, True, diagonal)).all()


@pytest.mark.parametrize("block", [50, 4_000_000])
def test_the_quantile_is_that_of_numpy(features, block, monkeypatch):
    monkeypatch.setattr(graph_views, "BLOCK", block)
    for q in (0.0, 0.013, 0.5, 0.97, 0.9999):
        blocks = graph_views._Blocks(features, "cosine", None)
        expected = np.quantile(cosines(features), q)
        assert graph_views._quantile(blocks, q) == pytest.approx(expected, abs=1e-14)


def test_gaussian_similarity(features):
    S = gaussians(features, 1.5)
    found = similarity_graph(features, 0.8, "gaussian", binary=False, bandwidth=1.5)
    assert np.allclose(found.toarray(), graph_of(S, 0.8, binary=False))
    a = similarity_graph(features, 0.8, "gaussian")
    b = similarity_graph(features, 0.8, "gaussian", bandwidth=3.0)
    assert (a != b).nnz == 0  # without weights the width does not matter
    squared = ((features[:, None] - features) ** 2).sum(axis=2).mean()
    own = similarity_graph(features, 0.8, "gaussian", binary=False)
    S = gaussians(features, np.sqrt(squared))
    assert np.allclose(own.toarray(), graph_of(S, 0.8, binary=False))


def test_sparse_and_dense_features_give_one_graph():
    X = sparse.random(60, 300, 0.03, random_state=0, format="csr")
    a, b = similarity_graph(X), similarity_graph(X.toarray())
    assert (a != b).nnz == 0 and a.nnz > 60
    assert graph_views.features_of(X.toarray()).__class__ is sparse.csr_matrix  # not kept dense
    assert (a != a.T).nnz == 0


def test_no_array_of_all_pairs(monkeypatch):
    """Only blocks of rows are dense."""
    monkeypatch.setattr(graph_views, "BLOCK", 500)
    sizes = []
    original = graph_views._Blocks.__iter__

    def spied(self):
        for first, block in original(self):
            sizes.append(block.size)
            yield first, block

    monkeypatch.setattr(graph_views._Blocks, "__iter__", spied)
    similarity_graph(np.random.default_rng(1).random((100, 3)))
    assert max(sizes) <= 500


def test_rows_of_zeros_and_equal_rows():
    X = np.zeros((5, 3))
    X[:2] = 1.0
    graph = similarity_graph(X, 0.5).toarray()
    expected = np.eye(5)
    expected[0, 1] = expected[1, 0] = 1
    assert (graph == expected).all()
    assert np.isfinite(similarity_graph(np.ones((4, 2)), 0.5, "gaussian").toarray()).all()


def test_shared_features():
    B = np.array([[2.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]])
    ones = (B > 0).astype(float)
    assert (cooccurrence_graph(B).toarray() == ones @ ones.T).all()
    assert (cooccurrence_graph(B, binary=False).toarray() == B @ B.T).all()
    off = cooccurrence_graph(B, diagonal=False).toarray()
    assert (off == ones @ ones.T - np.diag([2.0, 1.0, 1.0])).all()
    held = Cooccurrence(B)
    assert held.B.shape == (3, 2)  # features without entries are dropped
    assert (held.degrees() == (ones @ ones.T).sum(axis=1)).all()
    assert (held.diagonal() == [2.0, 1.0, 1.0]).all()


def test_undirected():
    A = np.array([[1.0, 2.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0, 0, 0, 0], [0, 3.0, 0, 0]])
    both = np.array([[1.0, 3.0, 0, 0], [3.0, 0, 0, 3.0], [0, 0, 0, 0], [0, 3.0, 0, 0]])
    assert (symmetrised(A, binary=False).toarray() == both).all()
    assert (symmetrised(A).toarray() == (both > 0)).all()
    assert linked_nodes(A).tolist() == [0, 1, 3]
    A = np.kron(np.eye(3), np.ones((2, 2)))
    A[4, 0] = 1.0
    assert largest_component(A).tolist() == [0, 1, 4, 5]


OPPOSITE = np.array([[1.0, 0.0], [-1.0, 0.1], [-1.0, -1.0]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: similarity_graph(np.ones((3, 2)), 1.0), "quantile"),
        (lambda: similarity_graph(np.ones((3, 2)), "x"), "quantile"),
        (lambda: similarity_graph(np.ones((3, 2)), similarity="x"), "similarity is 'x'"),
        (lambda: similarity_graph(np.ones((3, 2)), bandwidth=0.0), "bandwidth"),
        (lambda: similarity_graph(np.ones(3)), "shape"),
        (lambda: similarity_graph(np.array([["a"]])), "real numbers"),
        (lambda: similarity_graph(np.array([[np.nan], [1.0]])), "NaN"),
        (lambda: similarity_graph(OPPOSITE, 0.0, binary=False), "quantile .* is negative"),
        (lambda: similarity_graphs([np.ones((3, 2)), np.ones((4, 2))]), "3, 4 objects"),
        (lambda: similarity_graphs([np.ones((3, 2)), np.ones(4)]), "View 2: .*shape"),
        (lambda: Cooccurrence(-np.ones((3, 2))), "negative"),
        (lambda: symmetrised(np.ones((3, 2))), "square"),
    ],
)
def test_refuses(call, words):
    with pytest.raises(RecocoError, match=words):
        call()


def test_bench(monkeypatch):
    """The figures on little random data; the dense version reaches the same criterion."""
    from recoco import datasets

    def absent(name):
        raise RecocoError("not here")

    monkeypatch.setattr(datasets, "load_dataset", absent, raising=False)
    monkeypatch.setattr(bench_tsplbm, "STARTS", 2)
    monkeypatch.setattr(bench_tsplbm, "PAPERS", 200)
    monkeypatch.setattr(bench_tsplbm, "LARGE", (400, (200, 300), (2000, 1500)))
    monkeypatch.setattr(bench_tsplbm, "_measure_whole", bench_tsplbm._whole)
    results = bench_tsplbm.measure(1)
    for name in ("bbc4", "dblp4area"):
        assert results[name]["criterion_difference"] < 1e-10
        assert results[name]["dense_over_sparse"] > 0
    assert results["whole"]["nodes"] == 400 and results["whole"]["peak_gib"] > 0
    assert "random views like those of bbc4" in bench_tsplbm.markdown(results)
