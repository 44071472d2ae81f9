"""Comraf, SRC and NMF on several views: twins, contract, bad input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import twins_views as twins
from recoco.errors import RecocoError
from recoco.methods.base import Clusterer, start_generator
from recoco.methods.comraf import Comraf
from recoco.methods.costar import CoStar, TauCoClust
from recoco.methods.multiview import check_views
from recoco.methods.multiview_nmf import MultiViewNMF
from recoco.methods.relational import SRC
from recoco.metrics import accuracy, canonical

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


def test_describes_itself(method):
    assert issubclass(method, Clusterer)
    for text in (method.title, method.reference, method.equation_notes, method.__doc__):
        assert text.strip()
    assert method.cost(1000, 2000, 50_000, 5, 2) > 0


def test_shapes_and_ranges(method, blocks):
    views, _ = blocks
    X = of(method, views)
    d = 20 if X is views[0] else 44
    runs = method(n_clusters=3, n_init=2).fit_runs(X, SEEDS)
    assert runs.row_labels.shape == (3, 40) and runs.column_labels.shape == (3, d)
    assert runs.row_labels.dtype in (np.int16, np.int32)
    assert runs.row_labels.min() == 0 and runs.column_labels.min() == 0
    assert np.isfinite(runs.criterion).all() and (runs.n_iter >= 1).all()
    for history, last in zip(runs.histories, runs.criterion, strict=True):
        assert history[-1] == last and np.isfinite(history).all()


def test_deterministic_and_independent_of_grouping(method, blocks):
    X = of(method, blocks[0])
    model = method(n_clusters=3, n_init=2)
    together = model.fit_runs(X, SEEDS)
    for size in (1, 2, 7):
        same(together, model.fit_runs(X, SEEDS, batch_size=size))
    for r, seed in enumerate(SEEDS):
        alone = clone(model).set_params(random_state=seed).fit(X)
        assert (alone.row_labels_ == together.row_labels[r]).all()
        assert alone.criterion_ == together.criterion[r]


def test_same_for_every_form_of_matrix(method, blocks):
    views = blocks[0]
    model = method(n_clusters=3)
    straight = model.fit_runs(of(method, views), [1])
    for form in (
        sparse.csr_matrix,
        sparse.csc_array,
        lambda V: V.astype(int),
        lambda V: V.astype(np.float32),
        lambda V: V.tolist(),
    ):
        same(straight, model.fit_runs(of(method, [form(V) for V in views]), [1]))


def test_input_is_left_alone(method, blocks):
    views = [sparse.csr_matrix(V) for V in blocks[0]]
    before = [V.copy() for V in views]
    method(n_clusters=3).fit_runs(of(method, views), [1])
    for V, W in zip(views, before, strict=True):
        assert V.data.tobytes() == W.data.tobytes() and (V != W).nnz == 0


def test_keeps_the_best_start(rival, blocks):
    views, _ = blocks
    kept = rival(n_clusters=3, n_init=6).fit_runs(views, [5])
    model = rival(n_clusters=3)
    generators = [start_generator(5, s) for s in range(6)]
    single = model._run(model._prepare(model._check(views)), generators, None).criterion
    best = single.max() if rival.larger_is_better else single.min()
    assert kept.criterion[0] == best
    assert kept.details["start"][0] == np.flatnonzero(single == best)[0]


def test_planted_clusters_are_found(rival, blocks):
    views, rows = blocks
    runs = rival(n_clusters=3, n_init=10).fit_runs(views, [1, 2])
    for labels in runs.row_labels:
        assert accuracy(rows, labels) > 0.95
    for labels in check_views(views).split(runs.column_labels):
        assert accuracy(np.arange(labels.shape[1]) % 3, labels[0]) > 0.9


def test_equivariant_under_permutation(rival, blocks):
    views, _ = blocks
    order = np.random.default_rng(1).permutation(len(views[0]))
    model = rival(n_clusters=3, n_init=10, random_state=0)
    straight = clone(model).fit(views)
    shuffled = clone(model).fit([V[order] for V in views])
    assert (canonical(straight.row_labels_[order]) == canonical(shuffled.row_labels_)).all()


def test_a_second_copy_of_a_view_changes_little(rival, blocks):
    views, rows = blocks
    runs = rival(n_clusters=3, n_init=10).fit_runs([views[0], views[0]], [1])
    assert accuracy(rows, runs.row_labels[0]) > 0.9


def test_monotone(method, blocks):
    if not method.monotone:
        pytest.skip("no such claim")
    sign = 1 if method.larger_is_better else -1
    for history in method(n_clusters=4).fit_runs(blocks[0], range(10)).histories:
        assert (sign * np.diff(history) >= -1e-9 * abs(history[0])).all()


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


def test_one_cluster(rival, blocks):
    runs = rival(n_clusters=1).fit_runs(blocks[0], [1])
    assert (runs.row_labels == 0).all() and (runs.column_labels == 0).all()
    assert np.isfinite(runs.criterion).all()


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
        ({"n_clusters": 7}, "at most 6"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"n_column_clusters": 9}, "at most 8"),
        ({"n_column_clusters": [2]}, "1 numbers for 2 views"),
        ({"n_column_clusters": 0}, "n_column_clusters"),
        ({"random_state": "a"}, "random_state"),
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
