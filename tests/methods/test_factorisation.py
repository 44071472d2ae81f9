"""The factorisations against plain NumPy versions, the paper's theorem, and nasty input."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from benchmarks.factors import baseline_wcnmtf
from recoco.core.errors import RecocoError
from recoco.datasets.weighting import weight
from recoco.methods.base import start_generator
from recoco.methods.factor_algebra import Factor, cross, gram
from recoco.methods.nmf import NMF, ONMF, PNMF
from recoco.methods.nmtf import NMTF, ONMTF, WCNMTF
from recoco.metrics import accuracy, nmi
from support import twins
from support import twins_factors as dense
from support.real_data import real_or_twin

ALL = [NMF, ONMF, PNMF, NMTF, ONMTF, WCNMTF]
MONOTONE = [NMF, NMTF, WCNMTF]
# the criterion is a difference of sums of its own size: rounding moves it by some 1e-15 of
# ||X||^2 + ||M||^2, and once a start has converged there is nothing else left
SLACK = 1e-13


@pytest.fixture(params=ALL, ids=lambda method: method.name)
def method(request):
    return request.param


def dataset(name):
    data = real_or_twin(name)
    return weight(data.X, "tfidf-l2"), data


def rough_labels(labels, g, rng):
    """Labels of which a third is wrong: a start that is neither good nor hopeless."""
    return np.where(rng.random(labels.size) < 1 / 3, rng.integers(g, size=labels.size), labels)


def twin(method, X, labels, g, iterations, **parameters):
    """Factors and criteria by the dense version of a method, from the same start."""
    Z, S, W, columns = dense.start(X, labels, g)
    if method is WCNMTF:
        arguments = {"lam": 1.0, "shift": 2.0, "count": "binary", "diagonal": True} | parameters
        lam = arguments.pop("lam")
        M = dense.sppmi(X, **arguments)
        Q = dense.start_Q(M, columns, g)
        *factors, F = dense.wcnmtf(X, M, Z, S, W, Q, lam, iterations)
        return dict(zip("ZSWQ", factors, strict=True)), F
    if method.three_factors:
        *factors, F = getattr(dense, method.name)(X, Z, S, W, iterations)
        return dict(zip("ZSW", factors, strict=True)), F
    start = (Z,) if method is PNMF else (Z, W)
    *factors, F = getattr(dense, method.name)(X, *start, iterations)
    return dict(zip("ZW", factors, strict=True)), F


def assert_close(model, factors, F, rtol):
    history = model.criterion_history_
    assert np.allclose(history, F[: history.size], rtol=rtol, atol=0)
    # a start ends early only when nothing changes any more
    assert np.allclose(F[history.size :], history[-1], rtol=rtol, atol=0)
    for name, factor in factors.items():
        found = getattr(model, f"{name}_")
        assert np.allclose(found, factor, rtol=rtol, atol=rtol * factor.max())


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_twin(method, seed):
    rng = np.random.default_rng(seed)
    X = twins.random_sparse(rng, rng.integers(8, 200), rng.integers(8, 150))
    g = int(rng.integers(2, 7))
    labels = rng.integers(g, size=X.shape[0])
    model = method(n_clusters=g, max_iter=20, tol=0.0).fit(X, init=labels)
    factors, F = twin(method, X, labels, g, 20)
    assert_close(model, factors, F, 1e-8)
    assert (model.row_labels_ == model.Z_.argmax(axis=1)).all()
    assert (model.column_labels_ == model.W_.argmax(axis=1)).all()


@pytest.mark.parametrize(
    "parameters",
    [
        {"lam": 0.0},
        {"lam": 30.0, "count": "min", "shift": 1.5},
        {"lam": 0.01, "count": "product", "diagonal": False, "shift": 1.0},
        {"count": "tfidf", "diagonal": False, "shift": 1.0},
    ],
)
def test_wcnmtf_agrees_with_twin_for_other_parameters(parameters):
    rng = np.random.default_rng(9)
    X, labels = twins.random_sparse(rng, 90, 70), rng.integers(4, size=90)
    model = WCNMTF(4, max_iter=20, tol=0.0, **parameters).fit(X, init=labels)
    assert_close(model, *twin(WCNMTF, X, labels, 4, 20, **parameters), 1e-8)
    if parameters["lam" if "lam" in parameters else "count"] == 0.0:
        plain = NMTF(4, max_iter=20, tol=0.0).fit(X, init=labels)
        assert np.allclose(plain.Z_, model.Z_, rtol=1e-12)


def test_agrees_with_twin_on_real_data(method):
    A, data = dataset("cstr")
    labels = rough_labels(data.labels, 4, np.random.default_rng(0))
    model = method(n_clusters=4, max_iter=20, tol=0.0).fit(A, init=labels)
    factors, F = twin(method, A.toarray(), labels, 4, 20)
    assert_close(model, factors, F, 1e-8)
    single = method(n_clusters=4, max_iter=20, tol=0.0, precision="single").fit(A, init=labels)
    assert np.allclose(single.criterion_history_, F, rtol=1e-4)
    assert (single.row_labels_ == model.row_labels_).mean() > 0.98


@pytest.mark.parametrize("method", MONOTONE, ids=lambda method: method.name)
@pytest.mark.parametrize("name", ["cstr", "classic4"])
def test_never_increases_on_real_data(method, name):
    A, data = dataset(name)
    labels = rough_labels(data.labels, 4, np.random.default_rng(1))
    iterations = 100 if name == "cstr" else 25
    for parameters in ({}, {"count": "tfidf", "shift": 1.0, "diagonal": False}):
        if parameters and method is not WCNMTF:
            continue
        model = method(4, max_iter=iterations, tol=0.0, **parameters).fit(A, init=labels)
        F = model.criterion_history_
        assert F.size == iterations
        assert (np.diff(F) <= SLACK * F[0]).all()
        assert F[-1] < 0.999 * F[0]


@pytest.mark.parametrize("parameters", [{}, {"count": "tfidf", "shift": 1.0, "diagonal": False}])
def test_theorem_1_part_by_part(parameters):
    """I to IV: none of the four updates alone increases F (computed by the dense residual)."""
    A, data = dataset("cstr")
    X, rng = A.toarray(), np.random.default_rng(2)
    labels = rough_labels(data.labels, 4, rng)
    Z, S, W, columns = dense.start(X, labels, 4)
    M = dense.sppmi(X, **{"count": "binary", "shift": 2.0, "diagonal": True} | parameters)
    factors = (Z, S, W, dense.start_Q(M, columns, 4))
    before = dense.wcnmtf_criterion(X, M, *factors, 1.0)
    falls = {"7a": [], "7b": [], "7c": [], "7d": []}
    for _ in range(30):
        for step, new in dense.wcnmtf_steps(X, M, *factors, 1.0):
            after = dense.wcnmtf_criterion(X, M, *new, 1.0)
            falls[step].append(before - after)
            before, factors = after, new
    for step, fall in falls.items():
        assert min(fall) >= -SLACK * before, step
        assert max(fall) > 1e-6 * before, step
    model = WCNMTF(4, max_iter=30, tol=0.0, **parameters).fit(A, init=labels)
    assert model.criterion_ == pytest.approx(before, rel=1e-10)


def test_bench_baseline_does_the_same():
    A, data = dataset("cstr")
    labels = rough_labels(data.labels, 4, np.random.default_rng(3))
    for kind in (NMTF, WCNMTF):
        model = kind(4, max_iter=10, tol=0.0)
        problem = model._prepare(model._check(A))
        M = problem.extra.M.tocsr() if kind is WCNMTF else None
        F = baseline_wcnmtf(A, M, [labels], 4, 10)
        assert model.fit(A, init=labels).criterion_ == pytest.approx(F[0], rel=1e-10)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_same_bytes_for_any_batch_and_threads(method, precision):
    rng = np.random.default_rng(4)
    X = sparse.csr_matrix(twins.random_sparse(rng, 2100, 1300, 0.02))
    model = method(n_clusters=5, max_iter=6, tol=1e-3, precision=precision)
    problem = model._prepare(model._check(X))
    labels = rng.integers(5, size=(7, X.shape[0]))

    def run(groups):
        parts = [model._descend(problem, labels[group], [None] * len(group)) for group in groups]
        return b"".join(
            part.row_labels[t].tobytes()
            + part.column_labels[t].tobytes()
            + part.histories[t].tobytes()
            for part in parts
            for t in range(len(part.histories))
        )

    threads = numba.config.NUMBA_NUM_THREADS
    together = run([[0, 1, 2, 3, 4, 5, 6]])
    assert run([[t] for t in range(7)]) == together
    assert run([[0, 1, 2], [3, 4], [5, 6]]) == together
    numba.set_num_threads(1)
    try:
        assert run([[0, 1, 2, 3, 4, 5, 6]]) == together
    finally:
        numba.set_num_threads(threads)


def test_starts_end_by_themselves(method):
    X, rows, _ = twins.planted(np.random.default_rng(0))
    model = method(n_clusters=3, n_init=1, max_iter=300, tol=1e-4)
    runs = model.fit_runs(X, range(12))
    assert runs.n_iter.min() < 300
    for history, steps in zip(runs.histories, runs.n_iter, strict=True):
        change = np.abs(np.diff(history)) / np.abs(history[:-1])
        assert history.size == steps and (change[:-1] > 1e-4).all()
        assert steps == 300 or change[-1] <= 1e-4
    assert accuracy(rows, runs.row_labels[runs.criterion.argmin()]) == 1.0


def test_onmf_does_not_alternate():
    """Without unit columns their lengths flip between c and 1/c, and labels with them."""
    A, data = dataset("cstr")
    labels = rough_labels(data.labels, 4, np.random.default_rng(0))
    model = ONMF(4, max_iter=1000).fit(A, init=labels)
    assert model.n_iter_ < 1000  # it converged
    assert (np.diff(model.criterion_history_[1:]) < 0).all()
    assert (model.Z_**2).sum(axis=0) == pytest.approx(np.ones(4))
    even, odd = (
        ONMF(4, max_iter=steps, tol=0.0).fit(A, init=labels).row_labels_ for steps in (1000, 1001)
    )
    assert (even == odd).all()


def test_permuted_rows_and_columns(method):
    rng = np.random.default_rng(5)
    X, rows, _ = twins.planted(rng)
    labels = rough_labels(rows, 3, rng)
    i, j = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    model = method(n_clusters=3, max_iter=30).fit(X, init=labels)
    shuffled = method(n_clusters=3, max_iter=30).fit(X[i][:, j], init=labels[i])
    assert (shuffled.row_labels_ == model.row_labels_[i]).all()
    assert (shuffled.column_labels_ == model.column_labels_[j]).all()
    assert shuffled.criterion_ == pytest.approx(model.criterion_, rel=1e-10)


def test_fit_keeps_the_factors_of_the_best_start(method):
    X, _, _ = twins.planted(np.random.default_rng(6))
    model = method(n_clusters=4, n_init=5, random_state=3).fit(X)
    reconstruction = model.Z_ @ (model.S_ if method.three_factors else np.eye(4)) @ model.W_.T
    F = dense.residual(X, reconstruction)
    if method is WCNMTF:
        F += dense.residual(dense.sppmi(X, "binary", 2.0, True), model.W_ @ model.Q_.T)
    assert model.criterion_ == pytest.approx(F, rel=1e-9)
    assert not hasattr(model, "_kept")


def test_starts_are_those_of_spherical_k_means(method):
    from recoco.methods.spherical import SphericalKMeans, spherical_starts

    X, _, _ = twins.planted(np.random.default_rng(7))
    A = sparse.csr_matrix(X)
    labels = spherical_starts(A, [start_generator(11, 0)], 4)[0]
    assert (SphericalKMeans(4).fit_runs(A, [11]).row_labels[0] == labels).all()
    given = method(n_clusters=4).fit(A, init=labels)
    assert given.criterion_ == method(n_clusters=4).fit_runs(A, [11]).criterion[0]


@pytest.mark.parametrize("method", [NMTF, ONMTF, WCNMTF], ids=lambda method: method.name)
@pytest.mark.parametrize("m", [1, 2, 9, 75])
def test_other_numbers_of_column_clusters(method, m):
    X, rows, _ = twins.planted(np.random.default_rng(8))
    model = method(n_clusters=3, n_column_clusters=m, random_state=0).fit(X)
    assert model.W_.shape == (X.shape[1], m) and model.S_.shape == (3, m)
    assert model.column_labels_.max() < m
    assert np.isfinite(model.criterion_)
    if m > 2:
        assert accuracy(rows, model.row_labels_) > 0.95
    again = method(n_clusters=3, n_column_clusters=m).fit_runs(X, [0], batch_size=1)
    assert again.criterion[0] == model.criterion_


def test_many_column_clusters_on_real_data():
    A, data = dataset("classic4")
    labels = rough_labels(data.labels, 4, np.random.default_rng(0))
    few = WCNMTF(4, max_iter=15, precision="single").fit(A, init=labels)
    many = WCNMTF(4, n_column_clusters=50, max_iter=15, precision="single", random_state=0).fit(
        A, init=labels
    )
    assert many.W_.shape == (A.shape[1], 50) and len(np.unique(many.column_labels_)) > 40
    assert many.criterion_ < few.criterion_
    assert nmi(data.labels, many.row_labels_) > nmi(data.labels, few.row_labels_) - 0.15


@pytest.mark.parametrize("precision", ["double", "single"])
def test_no_entry_of_q_starts_at_zero(precision):
    """Multiplicative updates keep a 0, and with many column clusters most means of M are 0."""
    A, data = dataset("cstr")
    model = WCNMTF(4, n_column_clusters=300, max_iter=30, precision=precision)
    problem = model._prepare(model._check(A))
    state = model._start(problem, data.labels[None], [np.random.default_rng(0)])
    Q, M = state.Q.array[:, 0].copy(), problem.extra.M.tocsr()
    assert Q.min() == pytest.approx(1e-3 * M.mean(), rel=1e-5)
    small = 1.001 * Q.min() >= Q
    assert small.mean() > 0.5
    for _ in range(30):
        model._iterate(problem, state)
    assert (state.Q.array[:, 0][small] > 0.1 * M.mean()).sum() > 100  # they have grown


def test_wide_factors_agree_with_twin():
    """More than 64 columns take another way through the kernels."""
    rng = np.random.default_rng(10)
    A, B = rng.random((70, 2, 90)), rng.random((70, 2, 80))
    for t in range(2):
        assert np.allclose(cross(Factor(A), Factor(B)).array[t], A[:, t].T @ B[:, t], rtol=1e-12)
        assert np.allclose(gram(Factor(A)).array[t], A[:, t].T @ A[:, t], rtol=1e-12)
    X = twins.random_sparse(rng, 60, 200)
    model = NMTF(3, n_column_clusters=100, max_iter=3, tol=0.0, random_state=0)
    problem = model._prepare(model._check(X))
    labels = rng.integers(3, size=(1, 60))
    state = model._start(problem, labels, [np.random.default_rng(1)])
    Z, S, W = state.Z.array[:, 0].copy(), state.S.array[0].copy(), state.W.array[:, 0].copy()
    *_, F = dense.nmtf(X, Z, S, W, 3)
    assert [model._iterate(problem, state)[0] for _ in range(3)] == pytest.approx(F, rel=1e-10)


nasty_values = st.sampled_from([0.0, 0.0, 0.0, 1e-300, 1e-160, 1e-20, 1.0, 3.0, 1e20, 1e150])


@settings(max_examples=80, deadline=None)
@given(st.data(), st.sampled_from(ALL), st.sampled_from(["double", "single"]))
def test_factors_are_never_negative_or_nan(data, method, precision):
    n, d = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 8))
    X = np.array([[data.draw(nasty_values) for _ in range(d)] for _ in range(n)])
    for i in np.flatnonzero(~X.any(axis=1)):
        X[i] = X[0] if X[0].any() else 1.0
    g = data.draw(st.integers(1, min(n, d)))
    labels = np.array([data.draw(st.integers(0, g - 1)) for _ in range(n)])
    model = method(n_clusters=g, max_iter=30, precision=precision).fit(X, init=labels)
    for name in "ZSWQ":
        factor = getattr(model, f"{name}_", None)
        if factor is not None:
            assert np.isfinite(factor).all() and (factor >= 0).all(), name
    assert np.isfinite(model.criterion_history_).all()
    assert model.row_labels_.max() < g and model.column_labels_.max() < g


def test_columns_of_zeros(method):
    X, rows, _ = twins.planted(np.random.default_rng(13))
    padded = np.zeros((X.shape[0], X.shape[1] + 4))
    padded[:, 2:-2] = X
    plain = method(n_clusters=3).fit(X, init=rows)
    model = method(n_clusters=3).fit(padded, init=rows)
    assert (model.W_[:2] == 0).all() and (model.W_[-2:] == 0).all()
    assert (model.column_labels_[[0, 1, -2, -1]] == 0).all()
    assert (model.row_labels_ == plain.row_labels_).all()


def test_scale_of_the_matrix(method):
    X, rows, _ = twins.planted(np.random.default_rng(14))
    if method is WCNMTF:  # the weight of M does not follow
        return
    model = method(n_clusters=3, max_iter=10).fit(X, init=rows)
    for exponent in (-900, 400):
        scaled = method(n_clusters=3, max_iter=10).fit(X * 2.0**exponent, init=rows)
        assert (scaled.row_labels_ == model.row_labels_).all()
        assert scaled.n_iter_ == model.n_iter_


def test_labelling_and_start(method):
    X, rows, columns = twins.planted(np.random.default_rng(15))
    for labelling in ("plain", "unit", "share"):
        model = method(n_clusters=3, labelling=labelling).fit(X, init=rows)
        assert accuracy(rows, model.row_labels_) == 1.0
        assert accuracy(columns, model.column_labels_) > 0.97
    random = method(n_clusters=3, start="random", random_state=0).fit(X)
    assert np.isfinite(random.criterion_)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"precision": "half"}, "precision"),
        ({"start": "zeros"}, "start"),
        ({"labelling": "min"}, "labelling"),
    ],
)
def test_refuses_bad_parameters(method, parameters, words):
    with pytest.raises(RecocoError, match=words):
        method(n_clusters=2, **parameters).fit(np.ones((4, 5)))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_column_clusters": 0}, "n_column_clusters"),
        ({"n_column_clusters": 1.5}, "n_column_clusters"),
        ({"n_column_clusters": 6}, "at most 5"),
        ({"lam": -0.1}, "lam"),
        ({"lam": float("nan")}, "lam"),
        ({"lam": float("inf")}, "lam"),
        ({"lam": "1"}, "lam"),
        ({"shift": 0}, "shift"),
        ({"count": "pairs"}, "count"),
    ],
)
def test_wcnmtf_refuses_bad_parameters(parameters, words):
    with pytest.raises(RecocoError, match=words):
        WCNMTF(2, **parameters).fit(np.ones((4, 5)))


def test_refuses_bad_matrices_and_starts(method):
    X = np.ones((4, 5))
    X[2] = 0
    with pytest.raises(RecocoError, match="Row 2"):
        method(n_clusters=2).fit(X)
    for labels, words in (
        ([0, 1, 0], "4 whole numbers"),
        ([0.0, 1.0, 0.0, 1.0], "whole numbers"),
        ([0, 1, 2, 1], "0 to 1"),
        ([0, -1, 1, 1], "0 to 1"),
    ):
        with pytest.raises(RecocoError, match=words):
            method(n_clusters=2).fit(np.ones((4, 5)), init=labels)
