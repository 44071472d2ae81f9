"""What every registered estimator must do: two-way, multi-view, graph, block model, tensor."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from recoco.core.errors import RecocoError
from recoco.methods import METHODS, get_method
from recoco.methods.base import Clusterer, start_generator
from recoco.methods.factorisation import Factorisation
from recoco.methods.spherical import SphericalKMeans
from recoco.metrics import accuracy, canonical
from support import twins
from support.estimators import CASES

NULLS = {"null", "null-sorted"}
# methods that start from directions of the rows, and descend without reaching the very bottom
FROM_DIRECTIONS = {
    name for name in METHODS if issubclass(get_method(name), Factorisation | SphericalKMeans)
}
# criteria (modularity, cut, information) that are 0 where all is one cluster
NOTHING_IN_ONE = {"coclus", "specco", "spec", "croinfo", "coce", *NULLS}
# methods for which the number of clusters is a result
CHOOSE_THEIR_NUMBER = {"costar", "tau-coclust"}
SEEDS = [3, 2**127 + 1, 5]


@pytest.fixture(scope="module")
def blocks():
    return twins.planted(np.random.default_rng(0))


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request):
    return request.param


# what rows without entries, scales and the like do is said of methods of one matrix only
@pytest.fixture(params=[c for c in CASES.values() if c.family == "matrix"], ids=lambda c: c.name)
def method(request):
    return request.param.method


def same(a, b):
    """Two blocks of runs have the same bytes."""
    assert a.row_labels.tobytes() == b.row_labels.tobytes()
    assert (a.column_labels is None) == (b.column_labels is None)
    if a.column_labels is not None:
        assert a.column_labels.tobytes() == b.column_labels.tobytes()
    assert a.criterion.tobytes() == b.criterion.tobytes()
    assert a.n_iter.tobytes() == b.n_iter.tobytes()
    assert a.details["start"].tobytes() == b.details["start"].tobytes()


def test_every_registered_method_is_held_to_the_contract():
    assert {case.method for case in CASES.values()} == {get_method(name) for name in METHODS}


def test_describes_itself(case):
    method = case.method
    assert issubclass(method, Clusterer)
    assert METHODS[method.name].endswith(f":{method.__name__}")
    for text in (method.title, method.reference, method.equation_notes, method.__doc__):
        assert text.strip()
    assert method.views in ("one", "many")


def test_parameters_but_the_number_of_clusters_are_keywords(case):
    assert case.method(3).get_params() == case.method(n_clusters=3).get_params()
    with pytest.raises(TypeError, match="positional"):
        case.method(3, 1)


def test_shapes_and_ranges(case):
    model = case.model(n_init=2)
    runs = model.fit_runs(case.X, SEEDS)
    R, n = len(SEEDS), len(case.rows)
    assert runs.row_labels.shape == (R, n)
    assert runs.row_labels.dtype in (np.int16, np.int32)
    assert runs.row_labels.min() >= 0
    if case.name not in CHOOSE_THEIR_NUMBER:
        assert runs.row_labels.max() < 3
    if runs.column_labels is not None:
        square = case.family == "block model"
        d = n if square else sum(matrix.shape[1] for matrix in case.matrices)
        assert runs.column_labels.shape == (R, d) and runs.column_labels.min() >= 0
        if case.name not in CHOOSE_THEIR_NUMBER:
            assert runs.column_labels.max() < 3
    assert runs.criterion.shape == (R,) and runs.n_iter.shape == (R,)
    assert (runs.n_iter >= 1).all()
    for history, last in zip(runs.histories, runs.criterion, strict=True):
        assert history[-1] == last and np.isfinite(history).all()


def test_deterministic_and_independent_of_grouping(case):
    model = case.model(n_init=3)
    together = model.fit_runs(case.X, SEEDS)
    same(together, model.fit_runs(case.X, SEEDS))
    for size in (1, 2, 7):
        same(together, model.fit_runs(case.X, SEEDS, batch_size=size))
    for r, seed in enumerate(SEEDS):
        alone = model.fit_runs(case.X, [seed])
        assert (alone.row_labels[0] == together.row_labels[r]).all()
        assert alone.criterion[0] == together.criterion[r]


def test_fit_is_one_run(case):
    model = case.model(n_init=2, random_state=11).fit(case.X)
    runs = case.model(n_init=2).fit_runs(case.X, [11])
    assert (model.row_labels_ == runs.row_labels[0]).all()
    assert model.labels_ is model.row_labels_
    assert model.criterion_ == runs.criterion[0] == model.criterion_history_[-1]
    assert model.n_iter_ == runs.n_iter[0]
    assert (model.column_labels_ is None) == (runs.column_labels is None)
    if model.column_labels_ is None:
        assert model.n_features_in_ == case.matrices[0].shape[1]
        return
    assert model.n_features_in_ == model.column_labels_.size
    assert (model.column_labels_ == runs.column_labels[0]).all()
    if hasattr(model, "view_labels_"):
        assert (np.concatenate(model.view_labels_) == model.column_labels_).all()
        assert [part.size for part in model.view_labels_] == [V.shape[1] for V in case.matrices]
    else:
        assert model.rows_.shape == (3, len(case.rows)) and (model.rows_.sum(axis=0) == 1).all()
        rows, columns = model.get_indices(1)
        assert (model.row_labels_[rows] == 1).all() and (model.column_labels_[columns] == 1).all()


def test_keeps_the_best_start(case):
    kept = case.model(n_init=6).fit_runs(case.X, [5])
    model = case.model()
    problem = model._prepare(model._check(case.X))
    single = model._run(problem, [start_generator(5, s) for s in range(6)], None).criterion
    best = single.max() if model.larger_is_better else single.min()
    assert kept.criterion[0] == best
    assert kept.details["start"][0] == np.flatnonzero(single == best)[0]


def test_monotone(case):
    if not case.method.monotone or "printed" in case.name:
        pytest.skip("no such claim")
    sign = 1 if case.method.larger_is_better else -1
    # solved by least squares, tensors are exact to the root of the precision
    least = {"matrix": 1e-13, "views": 1e-12}.get(case.family, 1e-9)
    for X in (case.X, case.of([A / A.sum(axis=1, keepdims=True) for A in case.matrices])):
        if case.family == "block model" and X is not case.X:
            continue  # a graph must stay symmetric
        for history in case.model(n_clusters=4).fit_runs(X, range(10)).histories:
            assert (sign * np.diff(history) >= -least * max(1.0, abs(history[0]))).all()


@pytest.mark.parametrize(
    "form",
    [
        sparse.csr_matrix,
        sparse.csc_matrix,
        sparse.coo_matrix,
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_array,
        lambda X: X.astype(np.int64),
        lambda X: sparse.csr_matrix(X.astype(np.int32)),
        lambda X: X.astype(np.float32),
        np.asfortranarray,
        lambda X: X.tolist(),
    ],
)
def test_same_for_every_form_of_matrix(case, form):
    given = case.of([form(A) for A in case.matrices])
    same(case.model().fit_runs(case.X, [1, 2]), case.model().fit_runs(given, [1, 2]))


def test_stored_zeros_and_duplicates_mean_nothing(method, blocks):
    X, _, _ = blocks
    row, column = np.nonzero(X >= 0)  # all cells, the empty ones too
    data = X[row, column] / 2
    twice = sparse.coo_matrix(
        (np.r_[data, data], (np.r_[row, row], np.r_[column, column])), shape=X.shape
    )
    same(
        method(n_clusters=3).fit_runs(X, [1, 2]),
        method(n_clusters=3).fit_runs(twice, [1, 2]),
    )


def test_input_is_left_alone(case):
    given = [sparse.csr_matrix(A) for A in case.matrices]
    before = [A.copy() for A in given]
    case.model().fit_runs(case.of(given), [1])
    for A, B in zip(given, before, strict=True):
        assert (A != B).nnz == 0 and A.data.tobytes() == B.data.tobytes()


def test_empty_rows_and_columns(method, blocks):
    X, rows, _ = blocks
    padded = np.zeros((X.shape[0] + 2, X.shape[1] + 3))
    padded[1:-1, 2:-1] = X
    if method.name in FROM_DIRECTIONS:
        with pytest.raises(RecocoError, match=r"Row 0 .* zero"):
            method(n_clusters=3).fit_runs(padded, [1])
        runs = method(n_clusters=3, n_init=4).fit_runs(padded[1:-1], [1, 2])
        assert np.isfinite(runs.criterion).all()
        assert accuracy(rows, runs.row_labels[0]) > 0.95
        return
    runs = method(n_clusters=3, n_init=4).fit_runs(padded, [1, 2])
    assert runs.row_labels.shape == (2, padded.shape[0])
    assert runs.row_labels.min() >= 0 and runs.row_labels.max() < 3
    assert np.isfinite(runs.criterion).all()
    if method.name not in NULLS:
        assert accuracy(rows, runs.row_labels[0][1:-1]) > 0.95


def test_one_cluster(case):
    if case.name in CHOOSE_THEIR_NUMBER:
        pytest.skip("chooses the number itself")
    runs = case.model(n_clusters=1).fit_runs(case.X, [1])
    assert (runs.row_labels == 0).all() and np.isfinite(runs.criterion).all()
    assert runs.column_labels is None or (runs.column_labels == 0).all()
    if case.name in NOTHING_IN_ONE:
        assert abs(runs.criterion[0]) < 1e-12


def test_as_many_clusters_as_rows(method):
    X = np.eye(4) + 0.1
    runs = method(n_clusters=4).fit_runs(X, [1, 2])
    assert runs.row_labels.max() < 4


def test_planted_blocks_are_found(method, blocks):
    if method.name in NULLS:
        pytest.skip("does not look at the data")
    X, rows, columns = blocks
    runs = method(n_clusters=3, n_init=5).fit_runs(X, [1, 2])
    for r, z in enumerate(runs.row_labels):
        assert accuracy(rows, z) > 0.98
        if runs.column_labels is not None:
            assert accuracy(columns, runs.column_labels[r]) > 0.95


def test_planted_rows_are_found(case):
    if case.name in NULLS | CHOOSE_THEIR_NUMBER or "printed" in case.name:
        pytest.skip("does not look at the data, or at the number, or empties clusters")
    many = 40 if case.family == "block model" else 10
    for labels in case.model(n_init=many).fit_runs(case.X, [1, 2]).row_labels:
        assert accuracy(case.rows, labels) > 0.9


def test_equivariant_under_permutation_of_rows(case):
    if case.name in NULLS | CHOOSE_THEIR_NUMBER:
        pytest.skip("does not look at the data, or draws one row after the other")
    order = np.random.default_rng(1).permutation(len(case.rows))
    model = case.model(n_init=30, random_state=0)
    straight, shuffled = clone(model).fit(case.X), clone(model).fit(case.shuffled(order))
    # another start leads to other names, so partitions are compared
    assert (canonical(straight.row_labels_[order]) == canonical(shuffled.row_labels_)).all()


def test_equivariant_under_permutation(method, blocks):
    if method.name in NULLS:
        pytest.skip("does not look at the data")
    X, _, _ = blocks
    rng = np.random.default_rng(1)
    i, j = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    model = method(n_clusters=3, n_init=20, random_state=0)
    straight, shuffled = clone(model).fit(X), clone(model).fit(X[i][:, j])
    # another start leads to other names, so partitions are compared
    assert (canonical(straight.row_labels_[i]) == canonical(shuffled.row_labels_)).all()
    if straight.column_labels_ is not None:
        assert (canonical(straight.column_labels_[j]) == canonical(shuffled.column_labels_)).all()
    # from another start a descent of at most max_iter steps ends elsewhere near the same bottom
    close = 1e-2 if method.name in FROM_DIRECTIONS else 1e-12
    if method.name != "ebco":  # its criterion is measured on bases that start anew
        assert np.isclose(straight.criterion_, shuffled.criterion_, rtol=close)


def bad(entry):
    X = np.ones((6, 5))
    X[2, 3] = entry
    return X


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (bad(np.nan), "NaN"),
        (bad(np.inf), "infinite"),
        (sparse.csr_matrix(bad(np.nan)), "NaN"),
        (bad(-1.0), "negative"),
        (sparse.csr_matrix(bad(-1.0)), "negative"),
        (np.zeros((6, 5)), "zero"),
        (np.zeros((0, 5)), "at least one row"),
        (np.zeros((6, 0)), "at least one row"),
        (np.ones(6), "dimensions"),
        (np.array([["a", "b"], ["c", "d"]]), "real numbers"),
        (bad(1.0) * 1j, "real numbers"),
    ],
)
def test_refuses_bad_matrices(method, X, words):
    with pytest.raises(RecocoError, match=words):
        method(n_clusters=2).fit_runs(X, [1])


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_clusters": 7}, "at most 6"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 2.5}, "n_clusters"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"tol": float("nan")}, "tol"),
        ({"random_state": "a"}, "random_state"),
    ],
)
def test_refuses_bad_parameters(case, params, words):
    model = case.model(n_clusters=2)
    (key,) = params
    if key not in model.get_params() or (key == "n_clusters" and case.name in CHOOSE_THEIR_NUMBER):
        pytest.skip(f"has no {key}")
    if "rank" in model.get_params():
        model.set_params(rank=2)
    wide = case.family in ("matrix", "views")
    X = case.of([np.ones((6, 8 if wide else 6))] * 2)
    with pytest.raises(RecocoError, match=words):
        model.set_params(**params).fit(X)


def test_refuses_more_clusters_than_columns(method):
    if not method.two_sided:
        pytest.skip("has no columns")
    with pytest.raises(RecocoError, match="columns"):
        method(n_clusters=5).fit(np.ones((6, 4)))


@pytest.mark.parametrize("seeds", [[], [-1], [1.5], ["a"]])
def test_refuses_bad_seeds(case, seeds):
    with pytest.raises(RecocoError, match="seed"):
        case.model().fit_runs(case.X, seeds)


def test_refuses_a_start_it_cannot_take(case):
    if not hasattr(case.method, "_check_init"):
        with pytest.raises(RecocoError, match="explicit start"):
            case.model().fit(case.X, init=case.rows)


def test_is_a_scikit_learn_estimator(case):
    model = case.model(n_init=2, random_state=1)
    twin = clone(model)
    assert twin is not model and twin.get_params() == model.get_params()
    assert model.set_params(n_clusters=2) is model and model.n_clusters == 2
    assert (twin.fit_predict(case.X) == clone(twin).fit(case.X).labels_).all()
    for state in (None, np.random.default_rng(0), np.random.RandomState(0), np.int64(3)):
        fitted = clone(twin).set_params(random_state=state).fit(case.X)
        assert fitted.labels_.size == len(case.rows)


def test_registry():
    assert get_method("recoco.methods.null:Null") is get_method("null")
    with pytest.raises(RecocoError, match="coclus"):
        get_method("coclust")
    with pytest.raises(RecocoError, match="one of"):
        get_method("nothing-like-it")
    with pytest.raises(RecocoError, match="cannot be loaded"):
        get_method("recoco.methods.null:Missing")
    with pytest.raises(RecocoError, match="cannot be loaded"):
        get_method("no.such.module:Class")


def test_null_models(blocks):
    X, _, _ = blocks
    labels = get_method("null")(n_clusters=3).fit_runs(X, SEEDS).row_labels
    ordered = get_method("null-sorted")(n_clusters=3).fit_runs(X, SEEDS).row_labels
    assert (np.sort(labels, axis=1) == ordered).all()
    assert len({row.tobytes() for row in labels}) == len(SEEDS)
