"""DCC against a plain version, and the normaliser of the von Mises-Fisher distribution."""

import numba
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.weighting import weight
from recoco.kernels import dcc as kernel
from recoco.methods.base import start_generator
from recoco.methods.dcc import DCC, heaviest_columns, log_vmf_normaliser
from support import twins, twins_ebco

seeds = st.integers(0, 2**32 - 1)


def first_labels(seed, n, d, g):
    """Stream, row labels and column labels of start 0 of a run."""
    rng = start_generator(seed, 0)
    stream = int(rng.integers(2**64, dtype=np.uint64))
    return stream, rng.integers(g, size=n), rng.integers(g, size=d)


def positive(rng, n, d, density=0.6):
    X = rng.random((n, d)) * (rng.random((n, d)) < density)
    X[np.arange(n), rng.integers(d, size=n)] += 0.5
    X[rng.integers(n, size=d), np.arange(d)] += 0.5
    return X


def test_random_numbers_are_those_of_splitmix64():
    printed = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    for place, number in enumerate(printed):
        found = kernel.uniform(np.uint64(1234567), np.uint64(place))
        assert found == (number >> 11) / 2**53 == twins_ebco.uniform(1234567, place)


def test_labels_are_drawn_in_proportion():
    scores = np.array([0.5, 0.0, 1.5, 2.0])
    shares = (np.arange(4000) + 0.5) / 4000
    drawn = np.bincount([kernel.draw(scores, u) for u in shares], minlength=4)
    assert drawn.tolist() == [500, 0, 1500, 2000]
    assert kernel.draw(scores, np.nextafter(1.0, 0.0)) == 3
    assert kernel.draw(np.array([1.0, 0.0]), np.nextafter(1.0, 0.0)) == 0


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(3, 14), st.integers(3, 14), st.integers(1, 4), st.integers(0, 6))
@example(8, 8, 3, 3, 1)  # two iterates have the same labels
def test_agrees_with_twin(data_seed, n, d, g, stochastic):
    rng = np.random.default_rng(data_seed)
    g = min(g, n, d)
    X = positive(rng, n, d)
    seed = int(rng.integers(2**31))
    stream, z, w = first_labels(seed, n, d, g)
    steps = list(twins_ebco.conscience(twins_ebco.unit_rows(X), z, w, g, stream, 8, stochastic))
    for t in (1, 4, 8):
        equal, lead = twins_ebco.best_iterates(steps[:t])
        assume(lead > 1e-9)
        model = DCC(g, stochastic=stochastic, max_iter=t, tol=0.0, random_state=seed).fit(X)
        kept = model.n_iter_ - 1
        assert kept in equal
        assert (model.row_labels_ == steps[kept][0]).all()
        assert (model.column_labels_ == steps[kept][1]).all()
        history = [step[2] for step in steps[: kept + 1]]
        assert model.criterion_history_ == pytest.approx(history, rel=1e-12)
        assert (model.criterion_history_[:-1] < model.criterion_).all()  # the first of equals
        if t <= stochastic + 1:  # a start that ends early refills no more
            assert model.details_["emptied"] == sum(step[4] for step in steps[:t])


def test_no_cluster_stays_empty():
    rng = np.random.default_rng(2)
    runs = DCC(9).fit_runs(positive(rng, 14, 12), range(40))
    assert runs.details["emptied"].sum() > 0  # it does happen here
    for labels in (*runs.row_labels, *runs.column_labels):
        assert np.unique(labels).size == 9


def test_keeps_the_best_of_all_iterates():
    X, _, _ = twins.planted(np.random.default_rng(3), inside=1.0, outside=0.7)
    model = DCC(4, random_state=1).fit(X)
    assert model.criterion_ == model.criterion_history_.max() == model.criterion_history_[-1]
    A = twins_ebco.unit_rows(X)
    Z, W = (twins_ebco.scaled(labels, 4) for labels in (model.row_labels_, model.column_labels_))
    assert model.criterion_ == pytest.approx(np.trace(Z.T @ A @ W), rel=1e-12)


def test_equivariant_from_the_same_start():
    rng = np.random.default_rng(4)
    X, _, _ = twins.planted(rng, inside=1.0, outside=0.5)
    z = rng.integers(3, size=X.shape[0])
    i, j = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    straight = DCC(3, stochastic=0).fit(X, init=z)
    shuffled = DCC(3, stochastic=0).fit(X[i][:, j], init=z[i])
    assert (straight.row_labels_[i] == shuffled.row_labels_).all()
    assert (straight.column_labels_[j] == shuffled.column_labels_).all()
    assert straight.criterion_ == pytest.approx(shuffled.criterion_, rel=1e-12)


def test_renaming_the_start_renames_the_result():
    rng = np.random.default_rng(5)
    X = positive(rng, 40, 30)
    z = rng.integers(4, size=40)
    name = np.array([2, 0, 3, 1])
    a, b = (DCC(4, stochastic=0).fit(X, init=labels) for labels in (z, name[z]))
    assert (name[a.row_labels_] == b.row_labels_).all()
    assert (name[a.column_labels_] == b.column_labels_).all()


def test_length_of_rows_means_nothing():
    rng = np.random.default_rng(6)
    X = positive(rng, 30, 25)
    powers = 2.0 ** rng.integers(-3, 4, size=(30, 1))  # exact in binary
    a, b = DCC(3).fit_runs(X, range(3)), DCC(3).fit_runs(X * powers, range(3))
    assert (a.row_labels == b.row_labels).all() and (a.criterion == b.criterion).all()


def test_empty_lines_take_no_part():
    X, _, _ = twins.planted(np.random.default_rng(7))
    padded = np.zeros((X.shape[0] + 2, X.shape[1] + 3))
    padded[1:-1, 2:-1] = X
    bare, runs = DCC(3).fit_runs(X, [1, 2]), DCC(3).fit_runs(padded, [1, 2])
    assert (runs.row_labels[:, 1:-1] == bare.row_labels).all()
    assert (runs.column_labels[:, 2:-1] == bare.column_labels).all()
    assert (runs.row_labels[:, [0, -1]] == 0).all()
    assert (runs.criterion == bare.criterion).all()


def test_threads_and_batches_change_no_byte():
    X, _, _ = twins.planted(
        np.random.default_rng(8), sizes=((90, 80),) * 4, inside=1.0, outside=0.6
    )
    A = weight(X, "tfidf-l2")
    results = []
    before = numba.get_num_threads()
    try:
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(threads)
            for size in (1, 3, 8):
                model = DCC(5, n_init=2, stochastic=8, max_iter=14)
                runs = model.fit_runs(A, range(4), batch_size=size)
                results.append(
                    (
                        runs.row_labels.tobytes(),
                        runs.column_labels.tobytes(),
                        runs.criterion.tobytes(),
                        runs.details["emptied"].tobytes(),
                    )
                )
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


def test_details_are_those_of_the_kept_start():
    X = positive(np.random.default_rng(2), 14, 12)
    kept = DCC(9, n_init=4).fit_runs(X, [5, 6], batch_size=3)
    model = DCC(9)
    problem = model._prepare(model._check(X))
    model._collected = []
    for seed in (5, 6):
        model._run(problem, [start_generator(seed, s) for s in range(4)], None)
    for run, counts in enumerate(model._collected):
        assert kept.details["emptied"][run] == counts["emptied"][kept.details["start"][run]]


def test_spherical_start_and_heaviest_columns():
    X, rows, columns = twins.planted(np.random.default_rng(9))
    model = DCC(3, start="spherical", random_state=0).fit(X)
    assert model.row_labels_.size == X.shape[0]
    A = sparse.csr_matrix(X)
    expected = np.stack([X[rows == k].mean(axis=0) for k in range(3)], axis=1).argmax(axis=1)
    assert (heaviest_columns(A, rows, 3) == expected).all()
    assert (expected == columns).mean() > 0.95


def test_normaliser_in_three_dimensions():
    kappa = np.array([1e-6, 0.1, 1.0, 10.0, 500.0])
    # kappa / (4 pi sinh kappa), in logarithms
    log_sinh = kappa + np.log1p(-np.exp(-2 * kappa)) - np.log(2)
    assert log_vmf_normaliser(3, kappa) == pytest.approx(
        np.log(kappa) - np.log(4 * np.pi) - log_sinh, rel=1e-9
    )
    assert log_vmf_normaliser(3, 0.0)[0] == pytest.approx(-np.log(4 * np.pi))


@pytest.mark.parametrize("dimension", [2, 3, 50, 1000, 31472, 10**6, 10**8])
def test_normaliser_is_finite_at_any_dimension(dimension):
    kappa = np.array([0.0, 1e-8, 1e-3, 1.0, 30.0, 1e3, 1e5, 1e7, 1e9])
    value = log_vmf_normaliser(dimension, kappa)
    assert np.isfinite(value).all()
    # the more concentrated, the smaller the constant, and it starts at the uniform one
    assert (np.diff(value) <= 1e-9 * np.abs(value[:-1])).all()
    assert value[1] == pytest.approx(value[0], rel=1e-9)


@pytest.mark.parametrize("dimension", [700, 5000, 31472, 10**6])
@pytest.mark.parametrize("kappa", [5.0, 200.0, 4000.0])
def test_normaliser_by_its_derivative(dimension, kappa):
    """d log c / d kappa = -I_(d/2)(kappa) / I_(d/2-1)(kappa), by its continued fraction."""
    ratio = 0.0
    for m in range(400, -1, -1):
        ratio = 1.0 / (2 * (dimension / 2 + m) / kappa + ratio)
    h = 1e-2 * kappa
    up, down = log_vmf_normaliser(dimension, [kappa + h, kappa - h])
    # a difference of large numbers is no better than their last digits
    digits = 8 * np.finfo(float).eps * abs(up) / (2 * h)
    assert abs((down - up) / (2 * h) - ratio) < 1e-3 * ratio + digits


def test_likelihood_prefers_the_planted_clusters():
    X, rows, _ = twins.planted(np.random.default_rng(10))
    good = DCC(3, random_state=0, n_init=3).fit(X)
    assert np.isfinite(good.log_likelihood_) and (good.concentration_ > 0).all()
    bad = DCC(3, stochastic=0, max_iter=1).fit(X, init=np.random.default_rng(0).permutation(rows))
    assert good.log_likelihood_ > bad.log_likelihood_
    wide = sparse.random(60, 40_000, 0.01, random_state=np.random.default_rng(1))
    model = DCC(3, max_iter=5, random_state=0).fit(wide)
    assert np.isfinite(model.log_likelihood_)


@pytest.mark.parametrize(
    ("params", "words"),
    [({"stochastic": -1}, "stochastic"), ({"start": "best"}, "random, spherical")],
)
def test_refuses_bad_parameters(params, words):
    with pytest.raises(RecocoError, match=words):
        DCC(2, **params).fit(np.ones((6, 5)))


@pytest.mark.parametrize(
    "init", [[0, 1, 0], [0, 1, 2, 0, 1], [-1, 0, 1, 0, 1], [0.5, 0, 0, 1, 1], [[0, 1, 0, 1, 0]]]
)
def test_refuses_bad_starts(init):
    with pytest.raises(RecocoError, match="start"):
        DCC(2).fit(np.ones((5, 4)), init=init)


def test_refuses_more_clusters_than_lines_with_entries():
    X = np.zeros((6, 6))
    X[:2] = 1.0
    with pytest.raises(RecocoError, match="2 rows that are not zero"):
        DCC(3).fit(X)
    with pytest.raises(RecocoError, match="2 columns that are not zero"):
        DCC(3).fit(X.T)
