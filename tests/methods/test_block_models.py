"""PSBM, DC-SBM, PLBM, SPLBM and TSPLBM: twins, bounds on real data, choice by ICL."""

import numpy as np
import pytest
from sklearn.base import clone

from recoco.datasets.similarity_graphs import (
    Cooccurrence,
    linked_nodes,
    similarity_graphs,
    symmetrised,
)
from recoco.kernels import block_models as kernel
from recoco.methods.base import start_generator
from recoco.methods.block_choice import choose_n_clusters, icl
from recoco.methods.block_models import DCSBM, PLBM, PSBM, SPLBM
from recoco.methods.tsplbm import TSPLBM
from recoco.metrics import accuracy, canonical
from support import twins, twins_blocks
from support.block_cases import MODELS, SEEDS, SIDED, of, steps_back
from support.real_data import real


@pytest.fixture(scope="module")
def graphs():
    return twins_blocks.planted_graphs(np.random.default_rng(0))


# --- equations -----------------------------------------------------------------------------


def follow(model, X, steps, twin):
    """Compare every step of a run from random labels with that of a twin."""
    n, g = X.shape[-1], model.n_clusters
    for seed in range(3):
        labels = np.random.default_rng(seed).integers(g, size=n)
        model.set_params(max_iter=steps, tol=0.0).fit(X, init=labels)
        found = list(twin(np.eye(g)[labels]))[: model.n_iter_]
        assert len(found) == model.n_iter_
        values = [value for _, value in found]
        assert np.allclose(model.criterion_history_, values, rtol=1e-10, atol=0)
        assert np.abs(model.posteriors_ - found[-1][0]).max() < 1e-10


@pytest.mark.parametrize("g", [1, 2, 3, 5])
@pytest.mark.parametrize("e_step", ["derived", "printed"])
def test_tsplbm_twin(graphs, g, e_step):
    X, _ = graphs
    printed = e_step == "printed"
    follow(TSPLBM(g, e_step=e_step), X, 12, lambda Z: twins_blocks.tsplbm(X, Z, 12, printed))


@pytest.mark.parametrize("g", [1, 2, 3])
def test_splbm_twin(graphs, g):
    X = graphs[0][0]
    follow(SPLBM(g), X, 12, lambda Z: twins_blocks.tsplbm(X[None], Z, 12))


@pytest.mark.parametrize("g", [1, 2, 4])
def test_plbm_twin(graphs, g):
    X = graphs[0][0]
    follow(PLBM(g), X, 12, lambda Z: twins_blocks.plbm(X, Z, 12))


@pytest.mark.parametrize("g", [1, 2, 4])
def test_psbm_twin(graphs, g):
    X = graphs[0][0]
    follow(PSBM(g), X, 12, lambda Z: twins_blocks.psbm(X, Z, 12))


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize(("diagonal", "g", "m"), [(False, 3, 3), (False, 2, 4), (True, 3, 3)])
def test_sides_twin(diagonal, g, m, hard):
    if diagonal and hard:
        pytest.skip("SPLBM has variational steps only")
    X, _, _ = twins.planted(np.random.default_rng(1), ((9, 8), (7, 10), (8, 6)))
    em = "classification" if hard else "variational"
    model = SPLBM(3) if diagonal else PLBM(g, n_column_clusters=m, em=em)
    for seed in range(3):
        rng = start_generator(seed, 0)
        z, w = rng.integers(g, size=len(X)), rng.integers(m, size=X.shape[1])
        runs = model.set_params(max_iter=8, tol=0.0).fit_runs(X, [seed])
        twin = list(twins_blocks.block_model(X, np.eye(g)[z], np.eye(m)[w], 8, diagonal, hard))
        steps = runs.n_iter[0]
        values = [value for _, _, value in twin[:steps]]
        assert np.allclose(runs.histories[0], values, rtol=1e-10, atol=0)
        Z, W, _ = twin[steps - 1]
        assert (runs.row_labels[0] == Z.argmax(axis=1)).all()
        assert (canonical(runs.column_labels[0]) == canonical(W.argmax(axis=1))).all()


@pytest.mark.parametrize("shares", [False, True])
@pytest.mark.parametrize("diagonal", [False, True])
def test_moves_twin(shares, diagonal):
    X, _ = twins_blocks.planted_graphs(np.random.default_rng(3), (7, 6, 5), 1, diagonal=diagonal)
    X = X[0] * 0.5
    for seed in range(3):
        rng = start_generator(seed, 0)
        labels, order = rng.integers(3, size=len(X)), rng.permutation(len(X))
        twin = list(twins_blocks.moves(X, labels, order, 3, shares, 20))
        model = PLBM(3, em="classification", tol=0.0) if shares else DCSBM(3, tol=0.0)
        runs = model.fit_runs(X, [seed])
        assert (runs.row_labels[0] == twin[-1][0]).all()
        expected = twin[-1][1] - X.sum() / 2 if shares else 2 * twin[-1][1]
        assert runs.criterion[0] == pytest.approx(expected, rel=1e-10)


def test_derived_scores_are_the_derivative(graphs):
    """The E-step as derived has the gradient of the criterion, the printed one has not."""
    X, labels = graphs
    rng = np.random.default_rng(2)
    Z = rng.dirichlet(np.ones(3), size=len(labels))
    rates = twins_blocks.sparse_rates(X, Z)
    pi = np.log(Z.mean(axis=0))

    def value(Z):  # without entropy, and with pi as it is
        shares = (Z * np.log(Z.mean(axis=0))).sum()
        return (
            twins_blocks.tsplbm_criterion(X, Z, *rates)
            - twins_blocks.entropy(Z)
            - shares
            + (Z * pi).sum()
        )

    gradient = np.empty_like(Z)
    for i in range(len(Z)):
        for k in range(3):
            step = np.zeros_like(Z)
            step[i, k] = 1e-5
            gradient[i, k] = (value(Z + step) - value(Z - step)) / 2e-5
    gradient -= gradient.mean(axis=1, keepdims=True)
    for printed in (False, True):
        scores = twins_blocks.tsplbm_scores(X, Z, *rates, printed)
        scores = scores - scores.mean(axis=1, keepdims=True)
        assert np.allclose(scores, gradient, atol=1e-5) != printed


def test_two_clusters_of_a_graph_are_one_model(graphs):
    X = graphs[0][0]
    for hard_steps in (0, 2):
        full = PLBM(2, hard_steps=hard_steps).fit_runs(X, range(6))
        diagonal = SPLBM(2, hard_steps=hard_steps).fit_runs(X, range(6))
        assert np.allclose(full.criterion, diagonal.criterion, rtol=1e-10)
        assert (full.row_labels == diagonal.row_labels).all()


def test_one_graph_of_tsplbm_is_splbm(graphs):
    X = graphs[0][0]
    for e_step in ("derived", "printed"):
        a = TSPLBM(3, e_step=e_step).fit_runs([X], SEEDS)
        b = SPLBM(3, e_step=e_step).fit_runs(X, SEEDS)
        assert a.criterion.tobytes() == b.criterion.tobytes()
        assert (a.row_labels == b.row_labels).all()


def test_shared_features_need_not_be_multiplied_out():
    rng = np.random.default_rng(4)
    B = rng.random((40, 30)) < np.where(np.arange(30) % 3 == np.arange(40)[:, None] % 3, 0.4, 0.1)
    B[:, 0] = True
    other = twins_blocks.planted_graphs(rng, (20, 20), 1)[0][0]
    held = Cooccurrence(B.astype(float))
    for graphs, formed in (([held, other], [held.matrix(), other]), ([other, held, held], None)):
        formed = formed or [other, held.matrix(), held.matrix()]
        a, b = (TSPLBM(3, hard_steps=2).fit_runs(x, SEEDS) for x in (graphs, formed))
        assert np.allclose(a.criterion, b.criterion, rtol=1e-10)
        assert (a.row_labels == b.row_labels).all()
    for model in (PSBM(3), DCSBM(3), PLBM(3), SPLBM(3), PLBM(3, em="classification")):
        a, b = model.fit_runs(held, SEEDS), model.fit_runs(held.matrix(), SEEDS)
        assert np.allclose(a.criterion, b.criterion, rtol=1e-10)
        assert (a.row_labels == b.row_labels).all()


# --- the bound on real data ------------------------------------------------------------------


def polblogs():
    data = real("polblogs")
    graph = data.X[:, data.permutation]  # rows were shuffled, columns not
    nodes = linked_nodes(graph)
    return symmetrised(graph)[nodes][:, nodes], data.labels[nodes]


def test_bound_never_falls_on_political_blogs():
    graph, _ = polblogs()
    for model in (PSBM(4), PLBM(3), SPLBM(3), TSPLBM(5)):
        for hard_steps in (0, 3):
            runs = model.set_params(hard_steps=hard_steps, max_iter=60).fit_runs(graph, range(4))
            assert max(map(steps_back, runs.histories)) <= 1e-12


def test_political_blogs_have_two_sides():
    """Degrees matter: without them the clusters are of blogs with few and with many links."""
    graph, labels = polblogs()
    runs = SPLBM(2, hard_steps=10, n_init=20).fit_runs(graph, [0])
    assert accuracy(labels, runs.row_labels[0]) > 0.93
    assert accuracy(labels, DCSBM(2, n_init=20).fit_runs(graph, [0]).row_labels[0]) > 0.93
    assert accuracy(labels, PSBM(2, n_init=20).fit_runs(graph, [0]).row_labels[0]) < 0.6


@pytest.mark.parametrize("name", ["3sources", "bbc4"])
def test_bound_never_falls_on_several_views(name):
    data = real(name)
    rows = np.arange(min(250, data.labels.size))
    graphs = similarity_graphs([view[rows] for view in data.views])
    for hard_steps in (0, 3):
        runs = TSPLBM(data.n_classes, hard_steps=hard_steps).fit_runs(graphs, range(6))
        assert max(map(steps_back, runs.histories)) <= 1e-12
        assert runs.n_iter.min() > 2
    printed = TSPLBM(data.n_classes, e_step="printed").fit_runs(graphs, range(6))
    assert max(map(steps_back, printed.histories)) > 1e-9


def test_steps_are_drawn_back_where_they_would_lower_the_bound(monkeypatch):
    """Two sides with edges between them: full steps of all nodes at once go too far."""
    rng = np.random.default_rng(26)
    side = np.arange(10) % 2
    X = np.triu(rng.poisson(np.where(side[:, None] != side, 6.0, 0.5)), 1).astype(float)
    X += X.T
    drawn_back = PSBM(3).fit_runs(X, range(10))
    assert max(map(steps_back, drawn_back.histories)) <= 1e-12
    accept = kernel.accept
    monkeypatch.setattr(kernel, "accept", lambda model, halve, *rest: accept(model, False, *rest))
    full = PSBM(3).fit_runs(X, range(10))
    assert max(map(steps_back, full.histories)) > 1e-4


# --- ICL ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["psbm", "dcsbm", "plbm", "plbm-cem", "splbm", "tsplbm"])
def test_icl_finds_the_planted_number(name):
    sizes = (25, 20, 30)
    X, labels = twins_blocks.planted_graphs(np.random.default_rng(7), sizes, 2, 3.0, 0.3)
    model = clone(MODELS[name]).set_params(n_init=20, random_state=0)
    choice = choose_n_clusters(model, of(model, X), range(1, 7))
    assert choice.n_clusters == 3 and set(choice.icl) == set(range(1, 7))
    assert accuracy(labels, choice.model.row_labels_) == 1.0
    assert choice.icl[3] == max(choice.icl.values())


@pytest.mark.parametrize("name", SIDED)
def test_icl_of_matrices(name):
    X, rows, _ = twins.planted(np.random.default_rng(0))
    model = clone(SIDED[name]).set_params(n_init=20, random_state=0, symmetric=None)
    choice = choose_n_clusters(model, X, range(1, 6))
    assert choice.n_clusters == 3
    assert accuracy(rows, choice.model.row_labels_) == 1.0


def test_icl_by_hand(graphs):
    """Likelihood of hard labels as the twin has it, less the two penalties."""
    X, labels = graphs
    n, Z = len(labels), np.eye(3)[labels]
    model = TSPLBM(3).fit(X, init=labels)
    model.row_labels_ = labels
    value = twins_blocks.tsplbm_criterion(X, Z, *twins_blocks.sparse_rates(X, Z))
    value -= 0.5 * 2 * 4 * np.log(n * (n + 1) / 2) + 0.5 * 2 * np.log(n)
    assert icl(model, X) == pytest.approx(value, rel=1e-10)
    model = PSBM(3).fit(X[0], init=labels)
    model.row_labels_ = labels
    value = twins_blocks.psbm_criterion(X[0], Z, twins_blocks.psbm_rates(X[0], Z))
    value -= 0.5 * 6 * np.log(n * (n - 1) / 2) + 0.5 * 2 * np.log(n)
    assert icl(model, X[0]) == pytest.approx(value, rel=1e-10)
