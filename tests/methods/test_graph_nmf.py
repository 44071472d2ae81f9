"""GNMF and GNMTF against dense versions written from their equations."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoco.core.errors import RecocoError
from recoco.datasets.weighting import weight
from recoco.methods import graph_nmf
from recoco.methods.graph_nmf import GNMF, GNMTF
from recoco.methods.neighbour_graphs import neighbour_graph
from recoco.metrics import accuracy, canonical
from support import twins, twins_factors
from support.real_data import real_or_twin

BOTH = pytest.mark.parametrize("method", [GNMF, GNMTF])


@pytest.fixture(scope="module")
def cstr():
    return weight(real_or_twin("cstr").X, "tfidf-l2")


def laplacian(X, k, weights):
    """Weights and degrees of the graph of the rows, dense."""
    A = neighbour_graph(X, min(k, len(X) - 1), weights).toarray()
    return A, np.diag(A.sum(axis=1))


def gnmf(X, Z, W, lam, k, weights, iterations):
    A, D = laplacian(X, k, weights)
    F = []
    for _ in range(iterations):
        Z = Z * twins_factors.quotient(X @ W + lam * A @ Z, Z @ W.T @ W + lam * D @ Z)
        W = W * twins_factors.quotient(X.T @ Z, W @ Z.T @ Z)
        smooth = np.trace(Z.T @ (D - A) @ Z)
        F.append(0.5 * ((X - Z @ W.T) ** 2).sum() + 0.5 * lam * smooth)
    return Z, W, F


def gnmtf(X, Z, S, W, lam, mu, k, weights, iterations):
    Az, Dz = laplacian(X, k, weights)
    Aw, Dw = laplacian(X.T, k, weights)
    quotient = twins_factors.quotient
    F = []
    for _ in range(iterations):
        Z = Z * quotient(X @ W @ S.T + lam * Az @ Z, Z @ S @ W.T @ W @ S.T + lam * Dz @ Z)
        W = W * quotient(X.T @ Z @ S + mu * Aw @ W, W @ S.T @ Z.T @ Z @ S + mu * Dw @ W)
        S = S * quotient(Z.T @ X @ W, Z.T @ Z @ S @ W.T @ W)
        smooth = lam * np.trace(Z.T @ (Dz - Az) @ Z) + mu * np.trace(W.T @ (Dw - Aw) @ W)
        F.append(0.5 * ((X - Z @ S @ W.T) ** 2).sum() + 0.5 * smooth)
    return Z, S, W, F


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.3, 100.0]),
    st.sampled_from(["binary", "cosine"]),
)
def test_dense_twins(seed, g, lam, weights):
    rng = np.random.default_rng(seed)
    X = rng.random((rng.integers(6, 25), rng.integers(6, 20)))
    X *= (rng.random(X.shape) < 0.5) | (np.arange(X.shape[1]) == 0)
    labels = rng.integers(g, size=len(X))
    Z, S, W, _ = twins_factors.start(X, labels, g)
    shared = {"max_iter": 7, "tol": 0.0, "n_neighbors": 3, "graph_weights": weights}
    two = GNMF(g, lam=lam, **shared).fit(X, init=labels)
    factors = gnmf(X, Z, W, lam, 3, weights, 7)
    for found, expected in zip((two.Z_, two.W_), factors[:2], strict=True):
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert two.criterion_history_ == pytest.approx(factors[-1], rel=1e-10)
    three = GNMTF(g, lam=lam, mu=2 * lam, **shared).fit(X, init=labels)
    factors = gnmtf(X, Z, S, W, lam, 2 * lam, 3, weights, 7)
    for found, expected in zip((three.Z_, three.S_, three.W_), factors[:3], strict=True):
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert three.criterion_history_ == pytest.approx(factors[-1], rel=1e-10)


@BOTH
@pytest.mark.parametrize("lam", [0.1, 10.0, 1000.0])
def test_criterion_on_real_data_never_grows(cstr, method, lam):
    runs = method(4, lam=lam, max_iter=60).fit_runs(cstr, range(4))
    for history in runs.histories:
        assert history.size > 10
        assert (np.diff(history) <= 1e-12 * history[:-1]).all()


@BOTH
def test_without_graph_it_is_the_plain_factorisation(cstr, method):
    from recoco.methods.nmf import NMF
    from recoco.methods.nmtf import NMTF

    plain = (NMF if method is GNMF else NMTF)(4, max_iter=20).fit_runs(cstr, range(3))
    none = {"lam": 0.0} if method is GNMF else {"lam": 0.0, "mu": 0.0}
    runs = method(4, max_iter=20, labelling="plain", **none).fit_runs(cstr, range(3))
    assert runs.criterion == pytest.approx(plain.criterion, rel=1e-9)
    assert (runs.row_labels == plain.row_labels).all()


@BOTH
@pytest.mark.parametrize(
    ("precision", "assignment"), [("double", "argmax"), ("single", "argmax"), ("double", "k-means")]
)
def test_company_and_threads_change_no_byte(cstr, method, precision, assignment):
    model = method(4, n_init=2, max_iter=15, precision=precision, assignment=assignment)
    before = numba.get_num_threads()
    results = []
    try:
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(threads)
            for size in (1, 5, 32):
                runs = model.fit_runs(cstr, range(5), batch_size=size)
                parts = (runs.row_labels, runs.column_labels, runs.criterion)
                results.append(tuple(part.tobytes() for part in parts))
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


@BOTH
def test_equivariant_from_the_same_start(method):
    rng = np.random.default_rng(4)
    X = twins.planted(rng, inside=1.0, outside=0.5)[0] + rng.random((90, 75))  # no ties
    z = rng.integers(3, size=90)
    i, j = rng.permutation(90), rng.permutation(75)
    model = method(3, lam=1.0, max_iter=20)
    model.fit(X, init=z)
    rows, columns = model.Z_, model.W_
    labels, history = model.row_labels_, model.criterion_history_
    model.fit(X[i][:, j], init=z[i])
    np.testing.assert_allclose(model.Z_, rows[i], rtol=1e-9)
    np.testing.assert_allclose(model.W_, columns[j], rtol=1e-9)
    assert (model.row_labels_ == labels[i]).all()
    assert model.criterion_history_ == pytest.approx(history, rel=1e-11)


@BOTH
def test_renaming_the_start_renames_the_factors(cstr, method):
    z = np.random.default_rng(5).integers(4, size=cstr.shape[0])
    name = np.array([2, 0, 3, 1])
    a = method(4, max_iter=10).fit(cstr, init=z)
    b = method(4, max_iter=10).fit(cstr, init=name[z])
    assert b.Z_[:, name] == pytest.approx(a.Z_, rel=1e-9)
    assert a.criterion_ == pytest.approx(b.criterion_, rel=1e-12)


@BOTH
@pytest.mark.parametrize("assignment", ["argmax", "k-means"])
def test_planted_blocks_are_found(method, assignment):
    X, rows, columns = twins.planted(np.random.default_rng(0))
    for lam in (1.0, 100.0):
        model = method(3, lam=lam, n_init=5, assignment=assignment, random_state=0).fit(
            weight(X, "tfidf-l2")
        )
        assert accuracy(rows, model.row_labels_) > 0.98
        # cluster k of the rows goes with cluster k of the columns
        if method is GNMF:
            assert (model.row_labels_[:, None] == model.column_labels_)[
                rows[:, None] == columns
            ].mean() > 0.9


def test_kmeans_labels_depend_on_the_factors_only_and_follow_their_columns():
    rng = np.random.default_rng(1)
    rows = rng.integers(3, size=60)
    Z = np.eye(3)[rows] + 0.1 * rng.random((60, 3))
    W = rng.random((10, 3))
    labels = graph_nmf._kmeans_labels(Z, W)
    assert (labels == rows).all()
    assert (graph_nmf._kmeans_labels(Z * [1.0, 1e3, 1e-3], W / [1.0, 1e3, 1e-3]) == rows).all()
    # nearly equal rows: the largest entry is the same for all, k-means tells them apart
    flat = 1.0 + 1e-3 * np.eye(3)[rows] + [0.0, 0.5, 0.0]
    assert set(flat.argmax(axis=1)) == {1}
    assert (canonical(graph_nmf._kmeans_labels(flat, W)) == canonical(rows)).all()


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(-60, 60),
    st.sampled_from([0.0, 1e-8, 1.0, 100.0, 1e12]),
    st.sampled_from(["double", "single"]),
)
def test_factors_stay_finite_and_non_negative(seed, power, lam, precision):
    """Entries far apart in size, equal rows, columns of zeros, fewer rows than neighbours."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 12, size=2)
    X = (rng.random((n, d)) < 0.3) * 10.0 ** rng.uniform(min(power, 0), max(power, 0), (n, d))
    X[:, 0] += X.sum(axis=1) == 0
    g = int(rng.integers(1, min(n, d) + 1))
    for model in (GNMF(g, lam=lam), GNMTF(g, lam=lam, mu=lam, assignment="k-means")):
        model.set_params(precision=precision, random_state=seed, max_iter=40).fit(X)
        for name in ("Z_", "W_", "S_"):
            factor = getattr(model, name, np.zeros(1))
            assert np.isfinite(factor).all() and (factor >= 0).all()
        assert np.isfinite(model.criterion_history_).all()
        assert model.row_labels_.min() >= 0 and model.row_labels_.max() < g


@BOTH
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"lam": -1.0}, "lam"),
        ({"lam": np.inf}, "lam"),
        ({"lam": np.nan}, "lam"),
        ({"lam": "1"}, "lam"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": 2.5}, "n_neighbors"),
        ({"graph_weights": "heat"}, "graph_weights"),
        ({"assignment": "kmeans"}, "k-means"),
    ],
)
def test_refuses_bad_parameters(method, params, words):
    with pytest.raises(RecocoError, match=words):
        method(2, **params).fit(np.ones((6, 5)))


def test_refuses_bad_mu_and_column_clusters():
    with pytest.raises(RecocoError, match="mu"):
        GNMTF(2, mu=-1.0).fit(np.ones((6, 5)))
    with pytest.raises(RecocoError, match="at most 5"):
        GNMTF(2, n_column_clusters=6).fit(np.ones((6, 5)))


@BOTH
def test_refuses_a_row_of_zeros(method):
    X = np.ones((6, 5))
    X[4] = 0.0
    with pytest.raises(RecocoError, match="Row 4"):
        method(2).fit(X)
