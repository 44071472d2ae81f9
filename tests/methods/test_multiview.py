"""Comraf, SRC and NMF on several views: twins, contract, bad input."""

import numpy as np
import pytest

from recoco.core.errors import RecocoError
from recoco.methods.base import start_generator
from recoco.methods.comraf import Comraf
from recoco.methods.costar import CoStar, TauCoClust
from recoco.methods.multiview import check_views
from recoco.methods.multiview_nmf import MultiViewNMF
from recoco.methods.relational import SRC
from recoco.metrics import accuracy
from support import twins_views as twins

SEEDS = [3, 2**127 + 1, 5]


@pytest.fixture(scope="module")
def blocks():
    return twins.planted_views(np.random.default_rng(5))


@pytest.fixture(params=[CoStar, TauCoClust, Comraf, SRC, MultiViewNMF], ids=lambda m: m.name)
def method(request):
    return request.param


@pytest.fixture(params=[Comraf, SRC, MultiViewNMF], ids=lambda m: m.name)
def rival(request):
    return request.param


def of(method, views):
    return views[0] if method.views == "one" else views


def same(a, b):
    assert a.row_labels.tobytes() == b.row_labels.tobytes()
    assert a.column_labels.tobytes() == b.column_labels.tobytes()
    assert a.criterion.tobytes() == b.criterion.tobytes()


def test_planted_clusters_are_found(rival, blocks):
    views, rows = blocks
    runs = rival(n_clusters=3, n_init=10).fit_runs(views, [1, 2])
    for labels in runs.row_labels:
        assert accuracy(rows, labels) > 0.95
    for labels in check_views(views).split(runs.column_labels):
        assert accuracy(np.arange(labels.shape[1]) % 3, labels[0]) > 0.9


def test_a_second_copy_of_a_view_changes_little(rival, blocks):
    views, rows = blocks
    runs = rival(n_clusters=3, n_init=10).fit_runs([views[0], views[0]], [1])
    assert accuracy(rows, runs.row_labels[0]) > 0.9


@pytest.mark.parametrize("widths", [(3, 3), (2, 4)])
def test_comraf_twin(blocks, widths):
    views, _ = blocks
    small = [V[::2] + 0.0 for V in views]
    for V in small:
        V[0, V.sum(axis=0) == 0] = 1.0
    for seed in range(3):
        parts, history = twins.comraf(small, 3, widths, start_generator(seed, 0))
        runs = Comraf(3, n_column_clusters=list(widths)).fit_runs(small, [seed])
        assert runs.row_labels[0].tolist() == parts[0].tolist()
        assert runs.column_labels[0].tolist() == np.concatenate(parts[1:]).tolist()
        assert np.allclose(runs.histories[0], history, rtol=1e-10)


@pytest.mark.parametrize("widths", [(3, 3), (2, 3)])
def test_src_twin(blocks, widths):
    views, _ = blocks
    for seed in range(3):
        found = SRC(3, n_column_clusters=widths, tol=0.0, max_iter=6).fit_runs(views, [seed])
        losses = twins.src_losses(views, 3, widths, start_generator(seed, 0), 6)
        assert np.allclose(found.histories[0][:-1], losses, rtol=1e-9)
        # the loss of clusters is that of orthonormal indicators: no less than the relaxed one
        Z = np.eye(3)[found.row_labels[0]]
        Z /= np.sqrt(np.maximum(Z.sum(axis=0), 1))
        loss = 0.0
        parts = check_views(views).split(found.column_labels[0])
        for V, labels, m in zip(views, parts, widths, strict=True):
            W = np.eye(m)[labels]
            W /= np.sqrt(np.maximum(W.sum(axis=0), 1))
            loss += ((V - Z @ (Z.T @ V @ W) @ W.T) ** 2).sum()
        assert found.criterion[0] == pytest.approx(loss, rel=1e-9)
        assert found.criterion[0] >= losses[-1]


@pytest.mark.parametrize("widths", [(3, 3), (2, 4)])
def test_nmf_twin(blocks, widths):
    views, _ = blocks
    for seed in range(3):
        Z, W, S, losses = twins.nmf(views, 3, widths, start_generator(seed, 0), 20)
        runs = MultiViewNMF(3, n_column_clusters=list(widths), tol=0.0, max_iter=20).fit_runs(
            views, [seed]
        )
        assert np.allclose(runs.histories[0], losses, rtol=1e-8)
        pairs = zip(W, S, strict=True)
        carried = np.sqrt(sum(((W_k @ S_k.T) ** 2).sum(axis=0) for W_k, S_k in pairs))
        assert runs.row_labels[0].tolist() == (Z * carried).argmax(axis=1).tolist()


def test_weights_make_views_comparable(blocks):
    views, _ = blocks
    scaled = [views[0], 1024.0 * views[1]]
    for model in (SRC(3, weights="norm"), MultiViewNMF(3, weights="norm")):
        a, b = model.fit_runs(views, [1]), model.fit_runs(scaled, [1])
        assert (a.row_labels == b.row_labels).all()
        assert np.allclose(a.criterion, b.criterion, rtol=1e-9)
    for model in (SRC(3), MultiViewNMF(3)):
        loud, plain = model.fit_runs(scaled, [1]), model.fit_runs(views, [1])
        assert loud.criterion[0] > 1e4 * plain.criterion[0]


def test_empty_features_do_no_harm(rival, blocks):
    views, rows = blocks
    padded = [np.c_[np.zeros((len(V), 2)), V] for V in views]
    runs = rival(n_clusters=3, n_init=10).fit_runs(padded, [1])
    assert np.isfinite(runs.criterion).all() and runs.column_labels.min() >= 0
    assert accuracy(rows, runs.row_labels[0]) > 0.95


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([np.ones((4, 3)), np.ones((5, 3))], "4, 5 objects"),
        ([np.ones((4, 3)), -np.ones((4, 3))], "View 2: .*negative"),
        ([np.ones((4, 3)), np.ones((4, 1))], "View 2 has one feature"),
        ([np.ones((4, 3)), np.diag([1.0, 1.0, 1.0, 0.0])], "Object 3 is empty in view 2"),
        (np.ones(4), "dimensions"),
        ([], "dimensions|shape"),
        (np.ones((4, 3, 2)) * np.nan, "View 1: .*NaN"),
    ],
)
def test_refuses_bad_views(rival, X, words):
    with pytest.raises(RecocoError, match=words):
        rival(n_clusters=2).fit(X)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_column_clusters": 9}, "at most 8"),
        ({"n_column_clusters": [2]}, "1 numbers for 2 views"),
        ({"n_column_clusters": 0}, "n_column_clusters"),
    ],
)
def test_refuses_bad_parameters(rival, params, words):
    with pytest.raises(RecocoError, match=words):
        rival(**{"n_clusters": 2, **params}).fit([np.ones((6, 8)), np.ones((6, 8))])


def test_refuses_what_only_some_take():
    views = [np.ones((6, 8)), np.ones((6, 8))]
    for model in (SRC(2, tol=-1.0), MultiViewNMF(2, tol=float("nan"))):
        with pytest.raises(RecocoError, match="tol"):
            model.fit(views)
    for model in (SRC(2, weights="x"), MultiViewNMF(2, weights="x")):
        with pytest.raises(RecocoError, match="weights"):
            model.fit(views)
    with pytest.raises(RecocoError, match="at most 2"):
        SRC(2, n_column_clusters=3).fit(views)
    with pytest.raises(RecocoError, match="at least as many"):
        SRC(5, n_column_clusters=2).fit(views)
    with pytest.raises(RecocoError, match="explicit start"):
        Comraf(2).fit(views, init=[0, 1])
