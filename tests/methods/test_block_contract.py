"""What all block models must do, and what they refuse."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from recoco.core.errors import RecocoError
from recoco.methods import block_engine, block_sides
from recoco.methods.block_choice import choose_n_clusters, icl
from recoco.methods.block_models import DCSBM, PLBM, PSBM, SPLBM
from recoco.methods.tsplbm import TSPLBM
from recoco.metrics import canonical
from support import twins_blocks
from support.block_cases import MODELS, SEEDS, SIDED, of, same, steps_back


@pytest.fixture(scope="module")
def graphs():
    return twins_blocks.planted_graphs(np.random.default_rng(0))


@pytest.fixture(
    params=[*MODELS.values(), *SIDED.values()], ids=[*MODELS, *(s + "-sides" for s in SIDED)]
)
def any_model(request):
    return clone(request.param)


# --- what every method must do -----------------------------------------------------------------


def test_shapes_and_ranges(any_model, graphs):
    X = of(any_model, graphs[0])
    n = X.shape[-1]
    runs = any_model.fit_runs(X, SEEDS)
    assert runs.row_labels.shape == (3, n) and runs.row_labels.dtype == np.int16
    assert runs.row_labels.min() >= 0 and runs.row_labels.max() < 3
    if runs.column_labels is not None:
        assert runs.column_labels.shape == (3, n)
    for history, last, steps in zip(runs.histories, runs.criterion, runs.n_iter, strict=True):
        assert history[-1] == last and history.size == steps and np.isfinite(history).all()
    any_model.set_params(random_state=1).fit(X)
    assert any_model.posteriors_.shape == (n, 3)
    assert np.allclose(any_model.posteriors_.sum(axis=1), 1)
    assert (any_model.posteriors_.argmax(axis=1) == any_model.row_labels_).all()


def test_independent_of_batch_and_threads(any_model, graphs, monkeypatch):
    for module in (block_engine, block_sides):
        monkeypatch.setattr(module, "SMALL", 0)  # threads for all that is done
    model = any_model.set_params(n_init=3, max_iter=8)
    X = of(model, graphs[0])
    threads = numba.get_num_threads()
    together = model.fit_runs(X, SEEDS, batch_size=32)
    for size in (1, 2, 7):
        same(together, model.fit_runs(X, SEEDS, batch_size=size))
    try:
        numba.set_num_threads(1)
        same(together, model.fit_runs(X, SEEDS))
    finally:
        numba.set_num_threads(threads)
    alone = clone(model).set_params(random_state=SEEDS[1]).fit(X)
    assert (alone.row_labels_ == together.row_labels[1]).all()
    assert alone.criterion_ == together.criterion[1]


def test_equivariant_under_permutation(any_model, graphs):
    X, _ = graphs
    order = np.random.default_rng(1).permutation(X.shape[1])
    shuffled = X[:, order][:, :, order]
    model = any_model.set_params(n_init=30, random_state=0)
    a = clone(model).fit(of(model, X))
    b = clone(model).fit(of(model, shuffled))
    assert (canonical(a.row_labels_[order]) == canonical(b.row_labels_)).all()
    # from the same labels, every step is the same but for roundings
    if "printed" in getattr(model, "e_step", "") or isinstance(model, DCSBM):
        return
    start = np.random.default_rng(2).integers(3, size=X.shape[1])
    if getattr(model, "em", "variational") == "variational":
        a = clone(model).set_params(max_iter=6).fit(of(model, X), init=start)
        b = clone(model).set_params(max_iter=6).fit(of(model, shuffled), init=start[order])
        assert np.allclose(a.criterion_history_, b.criterion_history_, rtol=1e-10)


def test_scale_of_a_graph_does_not_move_the_degree_corrected(graphs):
    """gamma takes up any factor of both sides' degrees, so only the weight of the data grows."""
    X = graphs[0][0]
    a, b = DCSBM(3).fit_runs(X, SEEDS), DCSBM(3).fit_runs(2.0 * X, SEEDS)
    assert (a.row_labels == b.row_labels).all()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_nothing_but_finite_numbers(data):
    """Any symmetric weights, empty clusters, one cluster, as many clusters as nodes."""
    n = data.draw(st.integers(2, 7))
    weights = st.sampled_from([0.0, 0.0, 1.0, 2.0, 0.5, 1e-6, 1e5])
    values = data.draw(st.lists(weights, min_size=2 * n * n, max_size=2 * n * n))
    X = np.array(values).reshape(2, n, n)
    X = np.triu(X) + np.swapaxes(np.triu(X, 1), 1, 2)
    X += np.eye(n) * (X.max(axis=(0, 2)) == 0)
    X[:, 0, 0] += 1.0
    g = data.draw(st.integers(1, n))
    labels = np.zeros(n, int) + data.draw(st.integers(0, g - 1))
    X[0] += np.eye(n) * (X[0].max(axis=1) == 0)
    X[0, :2, :2] += 1.0  # PSBM needs an edge
    for model in [*MODELS.values(), *SIDED.values()]:
        model = clone(model).set_params(n_clusters=g, max_iter=20)
        for init in (None, labels):
            fitted = model.set_params(random_state=0).fit(of(model, X), init=init)
            assert np.isfinite(fitted.criterion_history_).all()
            assert np.isfinite(fitted.posteriors_).all()
            assert fitted.row_labels_.min() >= 0 and fitted.row_labels_.max() < g
            assert np.isfinite(icl(fitted, of(model, X)))
            if getattr(model, "e_step", "derived") == "derived":
                assert steps_back(fitted.criterion_history_) <= 1e-9


def test_an_empty_cluster_stays_empty(graphs):
    X, labels = graphs
    for model in (TSPLBM(4), SPLBM(4), PLBM(4), PSBM(4)):
        model.fit(of(model, X), init=labels)
        assert (model.posteriors_[:, 3] == 0).all()


# --- bad input --------------------------------------------------------------------------------


GRAPH = np.ones((4, 4))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (
            [GRAPH, np.triu(GRAPH)],
            r"Graph 2: .*not symmetric, entry \(0, 1\) is 1 and \(1, 0\) is 0",
        ),
        ([GRAPH, -GRAPH], "Graph 2: .*negative"),
        ([GRAPH, 0 * GRAPH], "Graph 2: .*zero"),
        ([GRAPH, np.ones((5, 5))], "4, 5 nodes"),
        ([GRAPH, np.ones((4, 5))], "Graph 2: .*square"),
        ([GRAPH * np.nan, GRAPH], "Graph 1: .*NaN"),
        ([np.diag([1.0, 1.0, 0.0, 1.0])] * 2, "Node 2 has no edge in any graph"),
        ([np.diag([1.0, 0.0, 0.0, 1.0])] * 2, "Node 1 and 1 more have no edge"),
        (np.ones(4), "dimensions"),
        ([], "dimensions|shape"),
    ],
)
def test_tsplbm_refuses(X, words):
    with pytest.raises(RecocoError, match=words):
        TSPLBM(2).fit(X)


def test_a_node_may_be_alone_in_some_graph():
    runs = TSPLBM(2).fit_runs([np.diag([1.0, 1.0, 0.0, 1.0]), GRAPH], [0])
    assert np.isfinite(runs.criterion).all()


@pytest.mark.parametrize("method", [PSBM, DCSBM, PLBM, SPLBM])
def test_one_graph_refuses(method):
    model = method(2) if method in (PSBM, DCSBM) else method(2, symmetric=True)
    for X, words in (
        (np.triu(GRAPH), "not symmetric"),
        (np.ones((4, 5)), "square"),
        (np.diag([1.0, 0.0, 1.0]), "Node 1 has no edge: drop"),
        (-GRAPH, "negative"),
        (0 * GRAPH, "zero"),
    ):
        with pytest.raises(RecocoError, match=words):
            model.fit(X)
    if method in (PSBM, DCSBM):
        with pytest.raises(RecocoError, match="2 graphs: give one, or take TSPLBM"):
            model.fit([GRAPH, GRAPH])


def test_refuses_what_only_some_take(graphs):
    X = graphs[0][0]
    for model, words in (
        (TSPLBM(2, e_step="x"), "e_step is 'x'"),
        (SPLBM(2, e_step="x"), "e_step is 'x'"),
        (SPLBM(2, e_step="printed", symmetric=False), "printed E-step is for symmetric"),
        (PLBM(2, em="x"), "em is 'x'"),
        (PLBM(2, n_column_clusters=3, symmetric=True), "one partition"),
        (PLBM(2, n_column_clusters=99), "column clusters"),
        (PLBM(2, symmetric="x"), "symmetric is 'x'"),
        (PSBM(2, hard_steps=-1), "hard_steps"),
    ):
        with pytest.raises(RecocoError, match=words):
            model.fit(X)
    with pytest.raises(RecocoError, match="shape"):
        TSPLBM(2).fit([X], init=np.zeros(3, int))
    with pytest.raises(RecocoError, match="labels from 0 to 2"):
        PSBM(2).fit(X, init=np.arange(len(X)) % 3)
    with pytest.raises(RecocoError, match="not fitted"):
        icl(PSBM(2), X)
    with pytest.raises(RecocoError, match="no ICL"):
        icl(object(), X)
    with pytest.raises(RecocoError, match="the same X"):
        icl(PSBM(2).fit(X), GRAPH)
    with pytest.raises(RecocoError, match="No numbers"):
        choose_n_clusters(PSBM(2), X, [])
