"""What ``fit`` leaves behind: labels, biclusters, scales and warnings."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from recoco.core.errors import RecocoError
from recoco.methods.arrays import SAFE, safely_scaled
from recoco.methods.block_choice import choose_n_clusters, icl
from recoco.methods.block_models import DCSBM, PLBM, PSBM, SPLBM
from recoco.methods.coclus import CoClus
from recoco.methods.croinfo import CROINFO
from recoco.methods.dcc import DCC
from recoco.methods.ebco import EBCO
from recoco.methods.graph_nmf import GNMTF
from recoco.methods.nmtf import NMTF, ONMTF, WCNMTF
from support import twins
from support.estimators import CASES

TWO_NUMBERS = [NMTF, ONMTF, WCNMTF, GNMTF, CROINFO, PLBM]
# the weight of their graphs or words, or a Poisson model, is compared with the data
SCALE_MATTERS = {"gnmf", "gnmtf", "wcnmtf", "psbm", "plbm", "splbm"}


@pytest.fixture(scope="module")
def blocks():
    return twins.planted(np.random.default_rng(0))[0]


# --- labels ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_labels_are_int32_and_stored_ones_keep_their_type(case):
    model = case.model(random_state=1).fit(case.X)
    own = [model.row_labels_, model.column_labels_, *getattr(model, "view_labels_", [])]
    assert {labels.dtype for labels in own if labels is not None} == {np.dtype(np.int32)}
    runs = case.model().fit_runs(case.X, [1])
    if not hasattr(model, "view_labels_"):
        assert runs.row_labels.dtype == np.int16


# --- biclusters -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", TWO_NUMBERS)
@pytest.mark.parametrize(("g", "m"), [(3, 5), (6, 2)])
def test_every_block_is_a_bicluster_where_the_numbers_differ(method, g, m):
    X = twins.planted(np.random.default_rng(1))[0][:, :14]
    X[:, 0] += 1.0
    model = method(g, n_column_clusters=m, n_init=2, random_state=0).fit(X)
    n, d = X.shape
    assert model.rows_.shape == (g * m, n) and model.columns_.shape == (g * m, d)
    covered = np.zeros((n, d), int)
    for k in range(g * m):
        rows, columns = model.get_indices(k)
        assert (model.row_labels_[rows] == k // m).all()  # as in SpectralBiclustering
        assert (model.column_labels_[columns] == k % m).all()
        assert model.get_shape(k) == (rows.size, columns.size)
        assert model.get_submatrix(k, X).shape == (rows.size, columns.size)
        covered[np.ix_(rows, columns)] += 1
    assert (covered == 1).all()


@pytest.mark.parametrize("method", [NMTF, CROINFO])
def test_more_row_clusters_than_columns(method):
    X = np.random.default_rng(0).random((20, 4))
    model = method(6, n_column_clusters=2, n_init=3, random_state=0).fit(X)
    assert model.row_labels_.max() < 6 and model.column_labels_.max() < 2
    assert np.isfinite(model.criterion_history_).all()
    with pytest.raises(RecocoError, match="6 column clusters were requested of 4 columns"):
        method(6).fit(X)
    with pytest.raises(RecocoError, match="21 clusters were requested of 20 rows"):
        method(21, n_column_clusters=2).fit(X)


def test_fitted_attributes_depend_on_the_fit_only(blocks):
    for model in (CoClus(3), NMTF(3, n_column_clusters=4), EBCO(3, largest=4)):
        model.set_params(random_state=0).fit(blocks)
        rows, columns = model.rows_, model.columns_
        model.set_params(n_clusters=5)
        assert (model.rows_ == rows).all() and (model.columns_ == columns).all()
        with pytest.raises(AttributeError):
            type(model)().rows_  # noqa: B018
    model = PLBM(3, random_state=0, hard_steps=10).fit(blocks)
    value = icl(model, blocks)
    assert icl(model.set_params(n_clusters=5), blocks) == value


# --- scales ---------------------------------------------------------------------------------


ONE_MATRIX = [c for c in CASES.values() if c.method.views == "one"]


@pytest.mark.parametrize("case", ONE_MATRIX, ids=lambda c: c.name)
def test_extreme_scales(case):
    (A,) = case.matrices
    plain = case.model(random_state=0).fit(A)
    assert plain.scale_ == 1
    for power in (600, -600):
        model = case.model(random_state=0).fit(np.ldexp(A, power))
        assert np.log2(model.scale_) % 2 == 0 and (model.scale_ > 1) == (power > 0)
        assert np.isfinite(model.criterion_history_).all()
        if case.method.name in SCALE_MATTERS:
            continue
        assert (model.labels_ == plain.labels_).all()
        if plain.column_labels_ is not None:
            assert (model.column_labels_ == plain.column_labels_).all()
        runs = case.model().fit_runs(np.ldexp(A, power), [0])
        assert (runs.row_labels[0] == plain.labels_).all()


@pytest.mark.parametrize("method", [PLBM, SPLBM])
@pytest.mark.parametrize("power", [600, -600])
def test_a_poisson_model_at_an_extreme_scale_is_what_it_is_near_it(method, power, blocks):
    """Posteriors are hard for huge entries; for tiny ones, they are the proportions."""
    model = method(3, random_state=0, hard_steps=10).fit(np.ldexp(blocks, power))
    posteriors, labels = model.posteriors_, model.labels_
    model.fit(np.ldexp(blocks, int(np.sign(power)) * (SAFE - 10)))
    assert (posteriors == model.posteriors_).all() and (labels == model.labels_).all()
    if power > 0:
        assert (posteriors.max(axis=1) == 1).all()
    else:
        assert (posteriors == posteriors[0]).all()


def test_factors_are_in_units_of_the_matrix_as_given(blocks):
    plain, large = (NMTF(3, random_state=0).fit(np.ldexp(blocks, k)) for k in (0, 600))
    for model, power in ((plain, 0), (large, 600)):
        fitted = model.Z_ @ np.ldexp(model.S_, -power) @ model.W_.T
        assert np.abs(fitted - blocks).mean() < 1.0
    assert large.criterion_ == plain.criterion_ * (2.0**600 / large.scale_) ** 2


def test_scaling_leaves_ordinary_data_alone():
    for largest in (2.0**SAFE * 0.99, 2.0**-SAFE, 1.0):
        A = sparse.csr_matrix([[largest, 0.0], [largest / 3, largest / 7]])
        (same,), exponent = safely_scaled([A])
        assert same is A and exponent == 0
    (A,), exponent = safely_scaled([sparse.csr_matrix([[1e300, 1e-120], [0, 1e-300]])])
    assert (A.data > 0).all() and A[0, 0] == np.ldexp(1e300, -exponent)


def test_a_row_far_smaller_than_the_others():
    X = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    X[4] *= 1e-170
    labels = DCC(2, n_init=5, random_state=0).fit(X).labels_
    assert len({*labels[:3]}) == len({*labels[3:]}) == 1 and labels[0] != labels[4]


# --- warnings -------------------------------------------------------------------------------


def graph():
    return np.kron(np.eye(3), np.full((5, 5), 9.0)) + 1


def messages(model, X):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
        assert all(w.filename == __file__ for w in caught)  # the line that called fit
    return [(w.category, str(w.message)) for w in caught]


@pytest.mark.parametrize("method", [PLBM, SPLBM])
def test_one_flipped_entry_of_a_graph_is_noticed(method):
    def texts(model, X):
        return [text for category, text in messages(model, X) if category is UserWarning]

    model = method(3, hard_steps=5, random_state=0)
    X = graph()
    assert texts(model, X) == []
    X[0, 1] = 1
    (text,) = texts(model, X)
    assert "entry (0, 1) is 1 and (1, 0) is 10" in text and "symmetric=False" in text
    assert texts(model.set_params(symmetric=False), X) == []
    with pytest.raises(RecocoError, match="not symmetric"):
        model.set_params(symmetric=True).fit(X)
    other = np.random.default_rng(0).poisson(5, X.shape) + 1.0
    model.set_params(symmetric=None)
    assert texts(model, other) == texts(model, other[:, :9]) == []


def test_psbm_refuses_a_graph_without_edges():
    for X in (np.eye(4), [[2.0]]):
        with pytest.raises(RecocoError, match="no edge between two different nodes"):
            PSBM(1).fit(X)
    DCSBM(2).fit(np.eye(4))


def test_empty_clusters_are_said_once_and_with_their_cause(blocks):
    unit = blocks / np.sqrt((blocks**2).sum(axis=1, keepdims=True))
    model = PLBM(3, random_state=0)
    ((category, text),) = messages(model, unit)
    assert category is ConvergenceWarning
    assert "1 of 3 clusters of rows and 1 of 3 clusters of columns" in text
    assert "counts" in text and "hard_steps=10" in text
    ((_, text),) = messages(model.set_params(n_clusters=2), np.ones((6, 6)) + np.eye(6))
    assert "nodes" in text and "hard_steps=10" in text and "counts" not in text
    ((_, text),) = messages(CoClus(3, random_state=0), np.ones((6, 5)))
    assert text.startswith("CoClus ended with members in only") and "n_init" in text
    # soft steps are not what a classification suffers from
    model = PLBM(2, em="classification", random_state=0)
    assert all("hard_steps" not in text for _, text in messages(model, 9 * np.ones((6, 5))))


def test_blocks_of_runs_and_choices_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CoClus(3).fit_runs(np.ones((6, 5)), [1, 2])
        PLBM(3).fit_runs(np.ones((6, 5)), [1, 2])
        EBCO(2, largest=4, base="coclus").fit_runs(np.ones((6, 5)) + np.eye(6, 5), [1])
        choose_n_clusters(SPLBM(n_init=3, random_state=0), np.ones((6, 5)), [1, 2, 3])
