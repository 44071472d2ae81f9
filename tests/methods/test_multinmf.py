"""MultiNMF and SwMV: twins, contract, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from recoco.core.errors import RecocoError
from recoco.methods import swmv
from recoco.methods.base import start_generator
from recoco.methods.graph_clusterer import check_graphs
from recoco.methods.multinmf import MultiNMF
from recoco.methods.swmv import SwMV
from recoco.metrics import accuracy
from support import twins_graphs as twins
from support import twins_views

SEEDS = [3, 2**127 + 1, 5]
generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@pytest.fixture(scope="module")
def blocks():
    return twins_views.planted_views(np.random.default_rng(5))


@pytest.fixture(scope="module")
def graphs():
    return twins.planted_graphs(np.random.default_rng(0))


@pytest.fixture(params=[MultiNMF, SwMV], ids=lambda m: m.name)
def method(request):
    return request.param


# ---- MultiNMF ------------------------------------------------------------------------------


@pytest.mark.parametrize("lam", [0.01, [0.5, 0.02]])
def test_multinmf_twin(blocks, lam):
    views, _ = blocks
    weights = lam if isinstance(lam, list) else [lam, lam]
    for seed in range(2):
        model = MultiNMF(3, max_iter=4, inner_iter=3, tol=0.0, lam=lam, labels="argmax")
        runs = model.fit_runs(views, [seed])
        star, losses = twins.multinmf(views, 3, start_generator(seed, 0), 4, 3, weights)
        assert np.allclose(runs.histories[0], losses, rtol=1e-9)
        assert runs.row_labels[0].tolist() == star.argmax(axis=1).tolist()


def test_multinmf_never_gets_worse(blocks, graphs):
    for X in (blocks[0], graphs[0]):
        runs = MultiNMF(4, tol=0.0, max_iter=20, lam=0.3).fit_runs(X, range(5))
        for history in runs.histories:
            assert (np.diff(history) <= 1e-12 * history[0]).all()


def test_multinmf_keeps_the_best_start(blocks):
    kept = MultiNMF(3, n_init=6, max_iter=3).fit_runs(blocks[0], [5])
    model = MultiNMF(3, max_iter=3)
    problem = model._prepare(model._check(blocks[0]))
    single = model._run(problem, [start_generator(5, s) for s in range(6)], None).criterion
    assert kept.criterion[0] == single.min()
    assert kept.details["start"][0] == single.argmin()


def test_multinmf_finds_planted_views(blocks):
    views, rows = blocks
    for labels in ("kmeans", "argmax"):
        model = MultiNMF(3, n_init=3, labels=labels, random_state=1).fit(views)
        assert accuracy(rows, model.labels_) > 0.95
        for found in model.view_labels_:
            assert accuracy(np.arange(found.size) % 3, found) > 0.9


def test_multinmf_scale_of_a_view_does_not_matter(blocks):
    views, _ = blocks
    a = MultiNMF(3).fit_runs(views, [1])
    b = MultiNMF(3).fit_runs([views[0], 1024.0 * views[1]], [1])
    assert (a.row_labels == b.row_labels).all()
    assert np.allclose(a.criterion, b.criterion, rtol=1e-9)


def test_multinmf_empty_features_do_no_harm(blocks):
    views, rows = blocks
    padded = [np.c_[np.zeros((len(V), 2)), V] for V in views]
    runs = MultiNMF(3, n_init=3).fit_runs(padded, [1])
    assert np.isfinite(runs.criterion).all() and accuracy(rows, runs.row_labels[0]) > 0.95


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([np.ones((4, 3)), np.ones((5, 3))], "4, 5 objects"),
        ([np.ones((4, 3)), -np.ones((4, 3))], "View 2: .*negative"),
        ([np.ones((4, 3)), np.zeros((4, 3))], "View 2: All entries"),
        ([np.ones((4, 3)), np.diag([1.0, 1.0, 1.0, 0.0])], "Object 3 is empty in view 2"),
    ],
)
def test_multinmf_refuses_bad_views(X, words):
    with pytest.raises(RecocoError, match=words):
        MultiNMF(2).fit(X)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_clusters": 7}, "at most 6"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"inner_iter": 0}, "inner_iter"),
        ({"kmeans_init": 0}, "kmeans_init"),
        ({"tol": -1.0}, "tol"),
        ({"lam": 0.0}, "lam is 0.0"),
        ({"lam": float("nan")}, "lam is nan"),
        ({"lam": [0.1]}, "1 numbers for 2 views"),
        ({"labels": "max"}, "labels"),
        ({"random_state": "a"}, "random_state"),
    ],
)
def test_multinmf_refuses_bad_parameters(params, words):
    with pytest.raises(RecocoError, match=words):
        MultiNMF(**{"n_clusters": 2, **params}).fit([np.ones((6, 8)), np.ones((6, 8))])


# ---- SwMV ----------------------------------------------------------------------------------


def places(values):
    n = len(values)
    indptr, indices = np.arange(0, n * n + 1, n), np.tile(np.arange(n), n)
    rows = np.repeat(np.arange(n), n)
    return swmv._Problem(n, True, indptr, indices, rows, values.reshape(1, -1))


@settings(max_examples=50, deadline=None)
@given(generators, st.integers(1, 12))
def test_projection_on_the_simplex(rng, n):
    values = rng.standard_normal((n, n)) * rng.choice([0.01, 1.0, 100.0])
    found = swmv._project(values.ravel(), places(values)).reshape(n, n)
    expected = np.array([twins.simplex(row) for row in values])
    assert found == pytest.approx(expected, abs=1e-10)
    assert found.sum(axis=1) == pytest.approx(1.0) and (found >= 0).all()


@pytest.mark.parametrize("support", ["all", "edges"])
def test_swmv_step_twin(graphs, support):
    matrices, _ = graphs
    A = []
    for graph in matrices:
        graph = graph - np.diag(np.diag(graph))
        A.append(graph / graph.sum(axis=1, keepdims=True))
    model = SwMV(3, support=support)
    problem = model._prepare(model._check(matrices))
    w = np.array([0.5, 0.2, 0.3])
    F = np.random.default_rng(0).standard_normal((48, 3)) / 7
    found = swmv._project(w @ problem.targets - 0.4 * swmv._distances(problem, F), problem)
    found = sparse.csr_matrix((found, problem.indices, problem.indptr), (48, 48)).toarray()
    if support == "all":
        expected = twins.swmv_step(A, w, F, 0.8)
    else:
        expected = np.zeros((48, 48))
        far = ((F[:, None] - F) ** 2).sum(axis=2)
        for i in range(48):
            near = np.flatnonzero(sum(A)[i])
            row = sum(w_v * A_v[i] for w_v, A_v in zip(w, A, strict=True)) - 0.4 * far[i]
            expected[i, near] = twins.simplex(row[near])
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("lam", "too_few", "too_many"), [(0.05, True, False), (1e4, False, True)])
def test_swmv_twin(graphs, lam, too_few, too_many):
    matrices, _ = graphs
    trace = twins.swmv(matrices, 3, lam, 12)
    losses, numbers, lams = zip(*trace, strict=True)
    # the case is one in which lam has to be changed in the direction that is tested
    assert (min(numbers) < 3) == too_few and (max(numbers) > 3) == too_many
    runs = SwMV(3, lam=lam, max_iter=12, tol=0.0).fit_runs(matrices, [0])
    history = runs.histories[0]
    assert history == pytest.approx(losses[: len(history)], rel=1e-8)
    assert runs.details["components"][0] == 3 == numbers[len(history) - 1]
    assert runs.details["lam"][0] == lams[len(history) - 1]


@pytest.mark.parametrize("support", ["all", "edges"])
def test_swmv_solution(graphs, support):
    matrices, rows = graphs
    model = SwMV(3, support=support).fit(matrices)
    assert model.details_["solved"] == 1 and model.details_["components"] == 3
    assert accuracy(rows, model.labels_) == 1.0
    # without a change of lam, the loss and its smooth part fall together; here the end is flat
    assert abs(model.criterion_history_[-2] - model.criterion_) <= 1e-6 * model.criterion_


def test_swmv_weighs_a_graph_of_noise_down(graphs):
    matrices, rows = graphs
    noise = twins.planted_graphs(np.random.default_rng(9), inside=0.25, outside=0.25, v=1)[0]
    model = SwMV(3).fit([*matrices, *noise])
    assert accuracy(rows, model.labels_) > 0.95


def test_swmv_smooth_vectors_dense_and_iterated(monkeypatch):
    A = sparse.csr_matrix(twins.planted_graphs(np.random.default_rng(3))[0][0])
    dense = swmv._smoothest(A, 3)
    monkeypatch.setattr(swmv, "_DENSE", 0)
    found = swmv._smoothest(A, 3)
    assert np.linalg.norm(dense @ dense.T - found @ found.T) < 1e-6


def test_swmv_says_when_there_is_no_solution():
    # four components cannot become two: S stays near the graph as lam falls
    A = np.kron(np.eye(4), np.ones((5, 5)))
    model = SwMV(2, max_iter=15, support="edges").fit([A, A])
    assert model.details_["solved"] == 0 and model.details_["components"] == 4
    assert connected_components(sparse.csr_matrix(A))[0] == 4
    assert len(np.unique(model.labels_)) == 4 and np.isfinite(model.criterion_)
    assert SwMV(4).fit([A, A]).details_["solved"] == 1


def test_swmv_large_graphs_need_edges(monkeypatch, graphs):
    monkeypatch.setattr(swmv, "LARGEST", 40)
    with pytest.raises(RecocoError, match="support='edges'"):
        SwMV(3).fit(graphs[0])
    assert SwMV(3, support="edges").fit(graphs[0]).details_["solved"] == 1


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([np.ones((4, 4)), np.ones((5, 5))], "4, 5 nodes"),
        ([np.ones((4, 4)), -np.ones((4, 4))], "Graph 2: .*negative"),
        ([np.ones((4, 4)), np.zeros((4, 4))], "Graph 2: All entries"),
        ([np.ones((4, 4)), np.ones((4, 3))], r"Graph 2: .* square matrix, .*\(4, 3\)"),
        ([np.diag([1.0, 1.0, 1.0, 0.0])] * 2, "Node 3 has no edge in any graph"),
        ([np.diag([1.0, 1.0, 0.0, 0.0])] * 2, "Node 2 and 1 more have no edge"),
        (np.eye(4), "Node 0 has no edge to another node"),
        (np.ones(4), "dimensions"),
    ],
)
def test_swmv_refuses_bad_graphs(X, words):
    with pytest.raises(RecocoError, match=words):
        SwMV(2).fit(X)


def test_symmetry_is_asked_for_where_it_matters():
    directed = np.triu(np.ones((4, 4)))
    with pytest.raises(RecocoError, match="Graph 2: The graph is not symmetric"):
        check_graphs([np.ones((4, 4)), directed])
    assert len(check_graphs([np.ones((4, 4)), directed], symmetric=False).matrices) == 2


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_clusters": 7}, "at most 6"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": float("nan")}, "tol"),
        ({"lam": -1.0}, "lam"),
        ({"support": "some"}, "support"),
    ],
)
def test_swmv_refuses_bad_parameters(params, words):
    with pytest.raises(RecocoError, match=words):
        SwMV(**{"n_clusters": 2, **params}).fit([np.ones((6, 6)), np.ones((6, 6))])
    with pytest.raises(RecocoError, match="explicit start"):
        SwMV(2).fit(np.ones((6, 6)), init=[0] * 6)
