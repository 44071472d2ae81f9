"""tau-CoClust and CoStar against their definitions and on real data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from benchmarks import costar as bench_costar
from recoco.core.errors import RecocoError
from recoco.datasets.boolean import uniform_views
from recoco.methods.base import start_generator
from recoco.methods.costar import CoStar, TauCoClust, trajectory
from recoco.methods.multiview import check_views
from recoco.metrics import accuracy
from recoco.metrics.tau import (
    contingency_table,
    feature_losses,
    tau_features,
    tau_objects,
    taus,
)
from support import twins_views as twins
from support.real_data import real_or_twin

counts = st.integers(0, 3)


@st.composite
def two_views(draw):
    n = draw(st.integers(2, 7))
    views = []
    for _ in range(draw(st.integers(1, 3))):
        width = draw(st.integers(2, 5))
        V = np.array(draw(st.lists(counts, min_size=n * width, max_size=n * width)), float)
        V = V.reshape(n, width)
        V[np.flatnonzero(V.sum(axis=1) == 0), 0] = 1.0
        if np.count_nonzero(V.sum(axis=0)) < 2:
            V[0, 1] = 1.0
            V[0, 0] = 1.0
        views.append(V)
    return views


@settings(max_examples=20, deadline=None)
@given(views=two_views(), seed=st.integers(0, 2**32 - 1))
def test_every_move_is_that_of_the_definition(views, seed):
    """Same numbers, same moves: fractions have no rounding, so ties are ties."""
    twin = twins.CoStar(views)
    search = CoStar()._prepare(check_views(views)).search
    search.start()

    class Numbers:
        def random(self, shape):
            return np.broadcast_to(uniforms, shape)

    rng = np.random.default_rng(seed)
    for _ in range(15):
        uniforms = rng.random((len(views) + 1, 2))
        twin.iterate(uniforms)
        search.advance(1, Numbers())
        rows, columns = search.labels()
        assert rows.tolist() == twin.parts[0].tolist()
        assert columns.tolist() == np.concatenate(twin.parts[1:]).tolist()
        assert np.allclose(search.taus(), [float(tau) for tau in twin.taus()], atol=1e-13, rtol=0)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), whole=st.booleans())
def test_kept_taus_equal_their_definition(seed, whole):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    views = []
    for _ in range(int(rng.integers(1, 4))):
        V = rng.poisson(0.4, (n, int(rng.integers(4, 30)))).astype(float)
        V[np.flatnonzero(V.sum(axis=1) == 0), 0] = 1.0
        V[0, :2] = 1.0
        views.append(V if whole else V * rng.random(V.shape) + V)
    checked = check_views(views)
    search = CoStar()._prepare(checked).search
    search.start()
    for iterations in (1, 10, 300):
        search.advance(iterations, rng)
        rows, columns = search.labels()
        defined = taus(views, rows, checked.split(columns))
        assert np.abs(search.taus() - defined).max() < 1e-12
        # clusters are numbered without gaps, in the objects and in every view
        assert np.unique(rows).tolist() == list(range(search.counts[-1]))
        for labels, count in zip(checked.split(columns), search.counts[:-1], strict=True):
            assert np.unique(labels).tolist() == list(range(count))


def _odd_views(rng, kind):
    """Counts, real numbers, or blocks with empty and equal features and a view of two."""
    n = int(rng.integers(6, 60))
    if kind == "blocks":
        V = (rng.integers(3, size=n)[:, None] == rng.integers(3, size=24)) * rng.poisson(2.0, 24)
        V = V + rng.poisson(0.1, V.shape)
        V[:, 3:6] = 0.0
        V[:, 7] = V[:, 8]
        views = [V, rng.integers(1, 4, (n, 2))]
    else:
        views = [rng.poisson(0.5, (n, int(rng.integers(4, 40)))) for _ in range(2)]
    for V in views:
        V[V.sum(axis=1) == 0, 0] = 1
        V[0, :2] = 1
    scale = rng.random if kind == "real" else np.ones
    return [V * (1.0 + scale(V.shape)) for V in views]


@pytest.mark.parametrize("kind", ["counts", "real", "blocks"])
def test_elements_that_are_passed_over_would_stay(kind):
    """A search that knows no bounds makes the same moves, with the same taus to the bit."""
    passed_over = 0
    for seed in range(4):
        views = check_views(_odd_views(np.random.default_rng(seed), kind))
        with_bounds, without = (CoStar()._prepare(views).search for _ in range(2))
        numbers = [start_generator(seed, 0) for _ in range(2)]
        with_bounds.start()
        without.start()
        for _ in range(400):
            with_bounds.advance(1, numbers[0])
            for limits in without.bounds[3:5]:
                limits[:] = -1.0
            without.advance(1, numbers[1])
            for a, b in zip(with_bounds.labels(), without.labels(), strict=True):
                assert np.array_equal(a, b)
            assert np.array_equal(with_bounds.taus(), without.taus())
        passed_over += (with_bounds.bounds[3] > with_bounds.bounds[0][-1]).sum()
    assert passed_over > 0


@pytest.mark.parametrize("name", ["bbcsport2", "costar-t2"])
def test_taus_of_a_whole_run_on_real_data(name):
    data = real_or_twin(name)
    views = check_views(data.views)
    runs = CoStar().fit_runs(data.views, [1, 2])
    for r in range(2):
        columns = views.split(runs.column_labels[r])
        defined = taus(data.views, runs.row_labels[r], columns)
        assert np.abs(runs.details["taus"][r] - defined).max() < 1e-12
        assert runs.criterion[r] == runs.details["taus"][r][0]
        assert runs.details["row_clusters"][r] == np.unique(runs.row_labels[r]).size
        for labels, count in zip(columns, runs.details["column_clusters"][r], strict=True):
            assert np.unique(labels).size == count
    assert (runs.n_iter == 10 * sum(views.widths)).all()
    assert (runs.details["row_clusters"] < 10).all()


@pytest.fixture(scope="module")
def blocks():
    return twins.planted_views(np.random.default_rng(3), sizes=(25, 30, 20), widths=(40, 30))


def test_finds_planted_clusters_and_their_number(blocks):
    views, rows = blocks
    runs = CoStar(n_clusters=7).fit_runs(views, range(5))
    assert (runs.details["row_clusters"] == 3).all()  # the number given does not count
    for labels in runs.row_labels:
        assert accuracy(rows, labels) > 0.95
    one = TauCoClust().fit(views[0])
    assert accuracy(rows, one.row_labels_) > 0.9


def test_runs_depend_on_their_seed_only(blocks):
    views, _ = blocks
    together = CoStar().fit_runs(views, [4, 5, 6])
    for size in (1, 2):
        again = CoStar().fit_runs(views, [4, 5, 6], batch_size=size)
        assert again.row_labels.tobytes() == together.row_labels.tobytes()
        assert again.column_labels.tobytes() == together.column_labels.tobytes()
        assert again.criterion.tobytes() == together.criterion.tobytes()
    alone = CoStar(random_state=5).fit(views)
    assert (alone.row_labels_ == together.row_labels[1]).all()
    assert alone.criterion_ == together.criterion[1] == alone.criterion_history_[-1]
    assert [part.size for part in alone.view_labels_] == [40, 30]
    assert len({labels.tobytes() for labels in together.row_labels}) > 1
    # how often the taus are looked at changes nothing
    seldom = CoStar(record=3).fit_runs(views, [4, 5, 6])
    assert (seldom.row_labels == together.row_labels).all()
    assert [len(history) for history in seldom.histories] == [3, 3, 3]


def test_one_view_is_tau_coclust(blocks):
    views, _ = blocks
    star = CoStar(random_state=3).fit(views[:1])
    one = TauCoClust(random_state=3).fit(sparse.csr_matrix(views[0]))
    assert (star.row_labels_ == one.row_labels_).all()
    assert (star.column_labels_ == one.column_labels_).all()


def test_permuted_objects_give_the_same_kind_of_result(blocks):
    views, rows = blocks
    order = np.random.default_rng(0).permutation(len(rows))
    straight = CoStar(random_state=1).fit(views)
    shuffled = CoStar(random_state=1).fit([view[order] for view in views])
    assert accuracy(straight.row_labels_[order], shuffled.row_labels_) > 0.95
    assert abs(straight.criterion_ - shuffled.criterion_) < 0.02


def test_rules_for_the_number_of_iterations(blocks):
    views, _ = blocks
    padded = [np.c_[view, np.zeros((len(view), 5))] for view in views]
    asked = {
        (): 10 * 80,
        ("features", "largest"): 10 * 75,
        ("empty", "drop"): 10 * 75,
        ("max_iter", 33): 33,
    }
    for params, expected in asked.items():
        model = CoStar(**(dict([params]) if params else {})).fit(padded)
        assert model.n_iter_ == expected
    wide = [np.tile(view, 3) for view in views]
    assert CoStar(features="largest").fit(wide).n_iter_ == 1200
    assert CoStar(features="sum").fit(wide).n_iter_ == 2100


def test_empty_features_stay_alone_or_are_left_out(blocks):
    views, _ = blocks
    padded = [np.c_[np.zeros((len(view), 2)), view] for view in views]
    kept = CoStar(random_state=2).fit(padded)
    for labels in kept.view_labels_:
        assert all((labels == labels[j]).sum() == 1 for j in (0, 1))
    dropped = CoStar(empty="drop", random_state=2).fit(padded)
    plain = CoStar(random_state=2).fit(views)
    assert (dropped.row_labels_ == plain.row_labels_).all()
    for labels, without, count in zip(
        dropped.view_labels_, plain.view_labels_, plain.details_["column_clusters"], strict=True
    ):
        assert (labels[:2] == count).all() and (labels[2:] == without).all()


def test_convergence_rule_is_reported(blocks):
    views, _ = blocks
    full = CoStar(max_iter=20000, record=500, random_state=0).fit(views)
    short = CoStar(max_iter=20000, record=500, patience=20, random_state=0).fit(views)
    assert not full.details_["converged"] and full.n_iter_ == 20000
    assert short.details_["converged"] and short.n_iter_ < 20000
    waited = short.n_iter_ - short.details_["last_move"]
    assert 20 * 75 <= waited <= 20 * 75 + 40
    assert 0 < full.details_["last_move"] <= 20000


def test_a_single_cluster_has_tau_zero():
    """Proportional rows leave nothing to tell: defined, and not NaN."""
    same = np.outer([1.0, 2.0, 3.0], [2.0, 4.0])
    model = CoStar(max_iter=200, random_state=0).fit([same, same])
    assert model.criterion_ == pytest.approx(0.0, abs=1e-12)
    assert np.isfinite(model.details_["taus"]).all()
    assert tau_objects([[[3.0, 4.0]]]) == 0.0 and tau_features([[3.0], [4.0]]) == 0.0
    tiny = TauCoClust(random_state=0).fit(np.ones((2, 2)))
    assert np.isfinite(tiny.criterion_)


def test_random_numbers_choose_the_cluster_first(blocks):
    """With one large and many small clusters, elements of small ones are drawn more often."""
    views, _ = blocks
    search = CoStar()._prepare(check_views(views)).search
    search.start()
    search.advance(500, start_generator(0, 0))
    labels = search.state.objects
    assert search.object_members[3][: search.counts[-1]].tolist() == np.bincount(labels).tolist()
    pool, where, _, size, at, _ = search.object_members
    for i, k in enumerate(labels):
        assert pool[where[k] + at[i]] == i and at[i] < size[k]


def test_trajectory_is_that_of_a_run(blocks):
    views, _ = blocks
    model = CoStar(max_iter=250, record=10, random_state=9).fit(views)
    at, found = trajectory(views, 9, 250, every=25)
    assert at.tolist() == list(range(0, 251, 25))
    assert np.allclose(found[1:, 0], model.criterion_history_, atol=1e-13)
    assert np.allclose(found[-1], model.details_["taus"], atol=1e-13)
    discrete = [np.arange(view.shape[1]) for view in views]
    assert np.allclose(found[0], taus(views, np.arange(len(views[0])), discrete), atol=1e-12)


def test_losses_of_features_are_those_of_their_moves(blocks):
    rng = np.random.default_rng(0)
    view = blocks[0][0][::4]
    rows, columns = rng.integers(3, size=len(view)), np.arange(view.shape[1]) % 4
    columns[columns == 3] = np.where(np.arange((columns == 3).sum()) == 0, 7, 2)  # one is alone
    found = feature_losses(view, rows, columns)
    before = tau_features(contingency_table(view, rows, columns))
    for j in range(columns.size):
        taus_after = []
        for other in set(columns.tolist()) - {columns[j]}:
            moved = columns.copy()
            moved[j] = other
            taus_after.append(tau_features(contingency_table(view, rows, moved)))
        assert found[j] == pytest.approx(max(0.0, before - min(taus_after)), abs=1e-12)
    assert (feature_losses(view, rows, np.zeros(columns.size)) == 0).all()


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([np.ones((4, 3)), np.ones((5, 3))], "4, 5 objects"),
        ([np.ones((4, 3)), np.c_[np.ones((4, 2)), -np.ones(4)]], "View 2: .*negative"),
        ([np.ones((4, 3)), np.ones((4, 1))], "View 2 has one feature"),
        ([np.ones((4, 3)), np.diag([1.0, 1.0, 1.0, 0.0])], "Object 3 is empty in view 2"),
        ([np.ones((4, 3)), np.diag([0.0, 1.0, 1.0, 0.0])], "Object 0 and 1 more are empty"),
        ([np.ones((4, 3)), np.eye(4)[:, [0, 0]] * 0], "View 2: .*zero"),
        ([np.c_[np.ones(4), np.zeros(4)], np.ones((4, 3))], "View 1 has one feature that is not"),
        ([np.ones((4, 3)), np.full((4, 2), np.nan)], "View 2: .*NaN"),
    ],
)
def test_refuses_bad_views(X, words):
    with pytest.raises(RecocoError, match=words):
        CoStar().fit(X)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"features": "all"}, "features is 'all'"),
        ({"empty": "no"}, "empty is 'no'"),
        ({"patience": 0}, "patience"),
        ({"patience": float("nan")}, "patience"),
        ({"record": 0}, "record"),
        ({"max_iter": 0}, "max_iter"),
        ({"n_init": 0}, "n_init"),
    ],
)
def test_refuses_bad_parameters(params, words):
    with pytest.raises(RecocoError, match=words):
        CoStar(**params).fit(np.ones((4, 3)))


def test_refuses_tables_beyond_memory():
    wide = sparse.csr_matrix(([1.0, 1.0], ([0, 1], [0, 1])), shape=(2, 10**9))
    with pytest.raises(RecocoError, match="32 GB"):
        TauCoClust().fit(wide)


def test_tau_coclust_takes_one_view():
    with pytest.raises(RecocoError, match="2 views"):
        TauCoClust().fit([np.ones((4, 3)), np.ones((4, 3))])


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (lambda: contingency_table(np.ones((3, 2)), [0, 1], [0, 1]), "labels for 2 objects"),
        (lambda: tau_objects([np.ones((2, 2)), np.ones((3, 2))]), "numbers of rows"),
        (lambda: tau_features(np.zeros((2, 2))), "all zero"),
        (lambda: tau_features([[1.0, -1.0]]), "not negative"),
    ],
)
def test_tau_refuses_bad_tables(bad, words):
    with pytest.raises(RecocoError, match=words):
        bad()


def test_bench_on_small_random_views(monkeypatch):
    small = uniform_views(60, 40, 2, 0.1, seed=1)
    monkeypatch.setattr(bench_costar, "_views", lambda: (small, "small"))
    monkeypatch.setattr(bench_costar, "SYNTHETIC_FEATURES", 20)
    monkeypatch.setattr(bench_costar, "VIEWS", (1, 2))
    monkeypatch.setattr(bench_costar, "OBJECT_NUMBERS", (30, 60))
    monkeypatch.setattr(bench_costar, "FEW", 30)
    found = bench_costar.measure(1)
    assert found["labels_equal"] and found["direct_over_incremental"] > 1
    assert found["subset"] == [60, 40, 40] and found["run_iterations"] == 800
    for name in ("views", "objects"):
        assert len(found[name]["seconds_per_iteration"]) == 2
        assert np.isfinite(found[name]["slope"])
    assert "CoStar" in bench_costar.markdown(found)
