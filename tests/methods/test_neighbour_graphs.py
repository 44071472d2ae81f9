"""Nearest-neighbour graphs against all pairs."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.weighting import weight
from recoco.methods import neighbour_graphs as graphs
from recoco.methods.neighbour_graphs import neighbour_graph
from support.real_data import real_or_twin


def all_pairs(X, k, weights):
    """The graph by its definition; cosines rounded so that equal ones are equal."""
    lengths = np.linalg.norm(X, axis=1)
    X = X / np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines = np.round(X @ X.T, 12)
    n = len(X)
    graph = np.zeros((n, n))
    for i in range(n):
        order = np.argsort(-cosines[i], kind="stable")
        for m in order[order != i][:k]:
            if cosines[i, m] > 0:
                graph[i, m] = graph[m, i] = 1.0 if weights == "binary" else cosines[i, m]
    return graph


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.sampled_from(graphs.WEIGHTS),
    st.sampled_from([0.0, 0.2, 1.0]),
)
def test_all_pairs(seed, k, weights, frequent):
    rng = np.random.default_rng(seed)
    X = rng.random((rng.integers(k + 1, 40), rng.integers(1, 25)))
    X *= rng.random(X.shape) < rng.choice([0.1, 0.4, 0.9])
    X[0, 0] = 1.0
    before = graphs.FREQUENT
    graphs.FREQUENT = frequent  # which columns are read last must not matter
    try:
        graph = neighbour_graph(X, k, weights)
    finally:
        graphs.FREQUENT = before
    expected = all_pairs(X, k, weights)
    assert ((graph.toarray() > 0) == (expected > 0)).all()
    assert graph.toarray() == pytest.approx(expected, abs=1e-11)
    assert (graph != graph.T).nnz == 0
    assert graph.diagonal().sum() == 0


def test_ties_go_to_the_lowest_rows():
    X = np.ones((5, 3))
    graph = neighbour_graph(X, 1).toarray()
    expected = np.zeros((5, 5))
    expected[0, 1:] = expected[1:, 0] = 1.0
    assert (graph == expected).all()


def test_rows_without_anything_in_common_are_not_joined():
    X = np.array([[1.0, 0, 0], [2.0, 0, 0], [0, 1.0, 0], [0, 0, 0]])
    graph = neighbour_graph(X, 2).toarray()
    assert graph[0, 1] == graph[1, 0] == 1.0
    assert graph.sum() == 2.0


@pytest.fixture(scope="module")
def classic4():
    return weight(real_or_twin("classic4").X, "tfidf-l2")[:600]


def test_real_data(classic4):
    X = classic4[classic4.getnnz(axis=1) > 0]
    graph = neighbour_graph(X, 5, "cosine")
    expected = all_pairs(X.toarray(), 5, "cosine")
    assert ((graph.toarray() > 0) == (expected > 0)).all()
    assert graph.toarray() == pytest.approx(expected, abs=1e-11)


def test_threads_change_no_byte(classic4):
    before = numba.get_num_threads()
    results = []
    try:
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(threads)
            graph = neighbour_graph(classic4, 5, "cosine")
            results.append((graph.indptr.tobytes(), graph.indices.tobytes(), graph.data.tobytes()))
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


def test_every_form_of_matrix():
    X = np.random.default_rng(0).poisson(0.5, (30, 20)).astype(float)
    X[0, 0] = 1.0
    expected = neighbour_graph(X, 3).toarray()
    for form in (sparse.csc_matrix, sparse.coo_array, sparse.csr_array, np.asfortranarray):
        assert (neighbour_graph(form(X), 3).toarray() == expected).all()


def test_scale_does_not_matter():
    X = np.random.default_rng(0).poisson(0.7, (30, 20)).astype(float)
    X[0, 0] = 1.0
    for scale in (2.0**-600, 2.0**600):
        assert (neighbour_graph(X * scale, 3) != neighbour_graph(X, 3)).nnz == 0


@pytest.mark.parametrize(
    ("X", "k", "weights", "words"),
    [
        (np.ones((4, 3)), 4, "binary", "at most 3"),
        (np.ones((4, 3)), 0, "binary", "at least 1"),
        (np.ones((4, 3)), 1.5, "binary", "whole number"),
        (np.ones((4, 3)), 2, "heat", "binary, cosine"),
        (-np.ones((4, 3)), 2, "binary", "negative"),
        (np.full((4, 3), np.nan), 2, "binary", "NaN"),
    ],
)
def test_refuses(X, k, weights, words):
    with pytest.raises(RecocoError, match=words):
        neighbour_graph(X, k, weights)
