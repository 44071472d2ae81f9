"""What every registered method must do, whatever it computes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import twins
from recoco.errors import RecocoError
from recoco.methods import METHODS, get_method
from recoco.methods.base import Clusterer, start_generator
from recoco.methods.factorisation import Factorisation
from recoco.methods.multiview import MultiViewClusterer
from recoco.methods.spherical import SphericalKMeans
from recoco.metrics import accuracy, canonical

NULLS = {"null", "null-sorted"}
# methods that start from directions of the rows, and descend without reaching the very bottom
FROM_DIRECTIONS = {
    name for name in METHODS if issubclass(get_method(name), Factorisation | SphericalKMeans)
}
# criteria (modularity, cut, information) that are 0 where all is one cluster
NOTHING_IN_ONE = {"coclus", "specco", "spec", "croinfo", "coce", *NULLS}
SEEDS = [3, 2**127 + 1, 5, 7, 11]


@pytest.fixture(scope="module")
def blocks():
    return twins.planted(np.random.default_rng(0))


def takes_a_matrix(name):
    method = get_method(name)
    graphs = getattr(method, "graphs_only", False)
    return not graphs and not issubclass(method, MultiViewClusterer)


# methods on graphs and on several views have contracts of their own
@pytest.fixture(params=sorted(filter(takes_a_matrix, METHODS)))
def method(request):
    return get_method(request.param)


def same(a, b):
    """Two blocks of runs have the same bytes."""
    assert a.row_labels.tobytes() == b.row_labels.tobytes()
    assert (a.column_labels is None) == (b.column_labels is None)
    if a.column_labels is not None:
        assert a.column_labels.tobytes() == b.column_labels.tobytes()
    assert a.criterion.tobytes() == b.criterion.tobytes()
    assert a.n_iter.tobytes() == b.n_iter.tobytes()
    assert a.details["start"].tobytes() == b.details["start"].tobytes()


@pytest.mark.parametrize("name", sorted(METHODS))
def test_describes_itself(name):
    method = get_method(name)
    assert issubclass(method, Clusterer)
    assert METHODS[method.name].endswith(f":{method.__name__}")
    for text in (method.title, method.reference, method.equation_notes, method.__doc__):
        assert text.strip()
    assert method.views in ("one", "many")
    assert method.cost(1000, 2000, 50_000, 5, 2) > 0


def test_shapes_and_ranges(method, blocks):
    X, _, _ = blocks
    runs = method(n_clusters=3, n_init=2).fit_runs(X, SEEDS)
    R = len(SEEDS)
    assert runs.row_labels.shape == (R, X.shape[0])
    assert runs.row_labels.dtype in (np.int16, np.int32)
    assert runs.row_labels.min() >= 0 and runs.row_labels.max() < 3
    if runs.column_labels is not None:
        assert runs.column_labels.shape == (R, X.shape[1])
        assert runs.column_labels.min() >= 0 and runs.column_labels.max() < 3
    assert runs.criterion.shape == (R,) and np.isfinite(runs.criterion).all()
    assert runs.n_iter.shape == (R,) and (runs.n_iter >= 1).all()


def test_deterministic_and_independent_of_grouping(method, blocks):
    X, _, _ = blocks
    model = method(n_clusters=3, n_init=3)
    together = model.fit_runs(X, SEEDS)
    same(together, model.fit_runs(X, SEEDS))
    for size in (1, 2, 7):
        same(together, model.fit_runs(X, SEEDS, batch_size=size))
    for r, seed in enumerate(SEEDS):
        alone = model.fit_runs(X, [seed])
        assert (alone.row_labels[0] == together.row_labels[r]).all()
        assert alone.criterion[0] == together.criterion[r]


def test_fit_is_one_run(method, blocks):
    X, _, _ = blocks
    model = method(n_clusters=3, n_init=2, random_state=11).fit(X)
    runs = method(n_clusters=3, n_init=2).fit_runs(X, [11])
    assert (model.row_labels_ == runs.row_labels[0]).all()
    assert model.labels_ is model.row_labels_
    assert model.criterion_ == runs.criterion[0] == model.criterion_history_[-1]
    assert model.n_iter_ == runs.n_iter[0]
    if model.column_labels_ is None:
        return
    assert (model.column_labels_ == runs.column_labels[0]).all()
    assert model.rows_.shape == (3, X.shape[0]) and (model.rows_.sum(axis=0) == 1).all()
    rows, columns = model.get_indices(1)
    assert (model.row_labels_[rows] == 1).all() and (model.column_labels_[columns] == 1).all()


def test_keeps_the_best_start(method, blocks):
    X, _, _ = blocks
    kept = method(n_clusters=4, n_init=6).fit_runs(X, [5])
    rng_of = [start_generator(5, s) for s in range(6)]
    problem = method(n_clusters=4)._prepare(method(n_clusters=4)._check(X))
    single = method(n_clusters=4)._run(problem, rng_of, None).criterion
    best = single.max() if method.larger_is_better else single.min()
    assert kept.criterion[0] == best
    assert kept.details["start"][0] == np.flatnonzero(single == best)[0]


def test_monotone(method, blocks):
    if not method.monotone:
        pytest.skip("no such claim")
    X, _, _ = blocks
    sign = 1 if method.larger_is_better else -1
    for matrix in (X, X / X.sum(axis=1, keepdims=True)):
        for history in method(n_clusters=5).fit_runs(matrix, range(20)).histories:
            assert (sign * np.diff(history) >= -1e-13 * max(1.0, abs(history[0]))).all()


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
def test_same_for_every_form_of_matrix(method, blocks, form):
    X, _, _ = blocks
    same(
        method(n_clusters=3).fit_runs(X, [1, 2]),
        method(n_clusters=3).fit_runs(form(X), [1, 2]),
    )


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


def test_input_is_left_alone(method, blocks):
    X = sparse.csr_matrix(blocks[0])
    before = X.copy()
    method(n_clusters=3).fit_runs(X, [1])
    assert (before != X).nnz == 0 and X.data.tobytes() == before.data.tobytes()


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


def test_one_cluster(method, blocks):
    X, _, _ = blocks
    runs = method(n_clusters=1).fit_runs(X, [1])
    assert (runs.row_labels == 0).all()
    assert runs.column_labels is None or (runs.column_labels == 0).all()
    if method.name in NOTHING_IN_ONE:
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
def test_refuses_bad_parameters(method, params, words):
    with pytest.raises(RecocoError, match=words):
        method(**{"n_clusters": 2, **params}).fit(np.ones((6, 8)))


def test_refuses_more_clusters_than_columns(method):
    if not method.two_sided:
        pytest.skip("has no columns")
    with pytest.raises(RecocoError, match="columns"):
        method(n_clusters=5).fit(np.ones((6, 4)))


@pytest.mark.parametrize("seeds", [[], [-1], [1.5], ["a"]])
def test_refuses_bad_seeds(method, seeds):
    with pytest.raises(RecocoError):
        method(n_clusters=2).fit_runs(np.ones((6, 8)), seeds)


def test_is_a_scikit_learn_estimator(method, blocks):
    X, _, _ = blocks
    model = method(n_clusters=3, n_init=2, random_state=1)
    twin = clone(model)
    assert twin is not model and twin.get_params() == model.get_params()
    assert model.set_params(n_clusters=2) is model and model.n_clusters == 2
    assert (twin.fit_predict(X) == clone(twin).fit(X).labels_).all()
    for state in (None, np.random.default_rng(0), np.random.RandomState(0), np.int64(3)):
        assert clone(twin).set_params(random_state=state).fit(X).labels_.size == X.shape[0]


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
