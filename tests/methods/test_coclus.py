"""CoClus against the paper's worked example and a plain version of Algorithm 1."""

from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from recoco.config.papers import Paper
from recoco.core.errors import RecocoError
from recoco.datasets.weighting import weight
from recoco.kernels import modularity as kernel
from recoco.methods import coclus, get_method
from recoco.methods.base import check_matrix
from support import twins

CoClus = get_method("coclus")
PAPER = Path(__file__).resolve().parents[2] / "config" / "papers" / "coclus"


@pytest.fixture(scope="module")
def example():
    return Paper(PAPER).examples["coclus_5x4"]


def margins(A):
    return np.asarray(A.sum(axis=1)).ravel(), np.asarray(A.sum(axis=0)).ravel()


def modularity_of(X, z, w, g):
    A = check_matrix(X)
    rows, columns = margins(A)
    return kernel.modularity(
        A.indptr, A.indices, A.data, rows, columns, rows.sum(), np.array(z), np.array(w), g
    )


def half_step(X, labels, g, assign=kernel.assign):
    """Assign rows given column labels (one start): new labels and the modularity after it."""
    A = check_matrix(X)
    degree, columns = margins(A)
    slots = np.asarray(labels, np.uint16)[:, None]
    mass = kernel.cluster_masses(columns, slots, g)
    found = np.full((A.shape[0], 1), 9, np.uint16)
    total = degree.sum()
    _, gain, moves = assign(A.indptr, A.indices, A.data, degree, total, slots, mass, found)
    assert moves[0] == A.shape[0]  # all came from no cluster
    return found[:, 0], gain[0] / total**2


def test_worked_example_step_by_step(example):
    A = np.array(example["inputs"]["A"], float)
    W = np.array(example["inputs"]["W_initial"], float)
    Z = np.array(example["inputs"]["Z_initial"], float)
    printed = example["published"]
    w, z, g = W.argmax(axis=1), Z.argmax(axis=1), example["g"]
    assert modularity_of(A, z, w, g) == pytest.approx(printed["Q_initial"]) == 0.16

    AW = A @ W
    delta = np.outer(A.sum(axis=1), A.sum(axis=0) @ W) / A.sum()
    assert np.allclose(AW, printed["A_W"]) and np.allclose(delta, printed["delta_W"])
    wrong = ~np.isclose(AW - delta, printed["A_W_minus_delta_W"])
    assert np.argwhere(wrong).tolist() == [[3, 0]]  # the misprint of entry (4, 1)
    assert printed["A_W_minus_delta_W"][3][0] == 0.4
    assert (AW - delta)[3, 0] == pytest.approx(0.6)

    z, Q = half_step(A, w, g)
    assert (twins.one_hot(z, g) == printed["Z_after"]).all()
    assert pytest.approx(printed["Q_after_Z"]) == 0.24 == pytest.approx(Q)

    w, Q = half_step(A.T, z, g)
    assert (twins.one_hot(w, g) == printed["W_after"]).all()
    assert pytest.approx(printed["Q_after_W"]) == 0.48 == pytest.approx(Q)

    model = CoClus(n_clusters=g).fit(A, init=W.argmax(axis=1))
    assert (twins.one_hot(model.row_labels_, g) == example["final"]["Z"]).all()
    assert (twins.one_hot(model.column_labels_, g) == example["final"]["W"]).all()
    assert model.criterion_ == pytest.approx(0.48)
    assert model.criterion_history_ == pytest.approx([0.48, 0.48])  # the second changes nothing
    order = np.argsort(model.row_labels_, kind="stable")
    columns = np.argsort(model.column_labels_, kind="stable")
    assert (A[order][:, columns] == printed["reorganized_A"]).all()


matrices = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@settings(max_examples=60, deadline=None)
@given(matrices, st.integers(2, 12), st.integers(2, 12), st.integers(1, 5), st.booleans())
def test_agrees_with_twin_at_every_iteration(rng, n, d, g, counts):
    g = min(g, n, d)
    X = rng.poisson(0.8, (n, d)) * (1.0 if counts else rng.random((n, d)))
    X[rng.integers(n), rng.integers(d)] += 1.0
    w = rng.integers(g, size=d)
    # fractions decide ties as they are; sums of counts are exact in the kernel, too
    steps = list(twins.coclus(twins.exact(X) if counts else X, w, g))
    assume(counts or min(lead for *_, lead in steps) > 1e-9)
    for t, (z, columns, Q, _) in enumerate(steps, start=1):
        model = CoClus(n_clusters=g, max_iter=t).fit(X, init=w)
        assert model.n_iter_ == t
        assert (model.row_labels_ == z).all()
        assert (model.column_labels_ == columns).all()
        assert model.criterion_ == pytest.approx(Q, abs=1e-12)
        assert model.criterion_ == pytest.approx(modularity_of(X, z, columns, g), abs=1e-12)
    model = CoClus(n_clusters=g).fit(X, init=w)
    assert model.n_iter_ == len(steps)
    assert model.criterion_history_ == pytest.approx([Q for _, _, Q, _ in steps], abs=1e-12)


def test_equivariant_from_the_same_start():
    rng = np.random.default_rng(4)
    X, _, _ = twins.planted(rng, inside=1.0, outside=0.5)
    w = rng.integers(3, size=X.shape[1])
    i, j = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    straight = CoClus(n_clusters=3).fit(X, init=w)
    shuffled = CoClus(n_clusters=3).fit(X[i][:, j], init=w[j])
    assert (straight.row_labels_[i] == shuffled.row_labels_).all()
    assert (straight.column_labels_[j] == shuffled.column_labels_).all()
    # whole numbers: the sums are exact in any order
    assert (straight.criterion_history_ == shuffled.criterion_history_).all()


def test_renaming_the_start_renames_the_result():
    rng = np.random.default_rng(5)
    X = rng.random((40, 30))
    w = rng.integers(4, size=30)
    name = np.array([2, 0, 3, 1])
    a, b = CoClus(n_clusters=4).fit(X, init=w), CoClus(n_clusters=4).fit(X, init=name[w])
    assert (name[a.row_labels_] == b.row_labels_).all()
    assert (name[a.column_labels_] == b.column_labels_).all()
    assert a.criterion_ == b.criterion_


def test_ties_and_empty_rows_go_to_the_lowest_cluster():
    X = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    model = CoClus(n_clusters=2).fit(X, init=[1, 0])
    assert model.row_labels_.tolist() == [0, 0, 0]
    assert model.criterion_ == 0.0


@pytest.mark.parametrize("weighting", ["count", "tfidf-l2"])
def test_threads_change_no_byte(weighting):
    rng = np.random.default_rng(6)
    A = check_matrix(
        weight(sparse.random(1500, 700, 0.03, random_state=rng, data_rvs=np.ones), weighting)
    )
    degree, columns = margins(A)
    g, B = 5, 9
    slots = (rng.integers(g, size=(700, B)) * B + np.arange(B)).astype(np.uint16)
    mass = kernel.cluster_masses(columns, slots, g * B)
    results = []
    threads = range(1, numba.config.NUMBA_NUM_THREADS + 1)
    before = numba.get_num_threads()
    try:
        for assign, count in [(kernel.assign, 1), *((kernel.assign_parallel, t) for t in threads)]:
            numba.set_num_threads(count)
            found = np.zeros((1500, B), np.uint16)
            out = assign(A.indptr, A.indices, A.data, degree, degree.sum(), slots, mass, found)
            results.append((found.tobytes(), *(part.tobytes() for part in out)))
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


def test_threads_change_no_byte_of_whole_runs():
    X, _, _ = twins.planted(
        np.random.default_rng(8), sizes=((90, 80),) * 4, inside=1.0, outside=0.6
    )
    before = numba.get_num_threads()
    results = []
    try:
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(threads)
            runs = CoClus(n_clusters=4, n_init=2).fit_runs(weight(X, "tfidf-l2"), range(10))
            results.append((runs.row_labels.tobytes(), runs.criterion.tobytes()))
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("weighting", ["count", "tfidf-l2"])
def test_settling_is_only_quicker(weighting, monkeypatch):
    """Reading only what moves gives the labels that reading everything gives."""
    X, _, _ = twins.planted(np.random.default_rng(9), inside=1.0, outside=0.6)
    A = weight(X, weighting)
    quick = CoClus(n_clusters=3).fit_runs(A, range(30))
    monkeypatch.setattr(coclus, "SETTLED", -1.0)
    whole = CoClus(n_clusters=3).fit_runs(A, range(30))
    assert (quick.row_labels == whole.row_labels).all()
    assert (quick.column_labels == whole.column_labels).all()
    assert (quick.n_iter == whole.n_iter).all()
    assert quick.criterion == pytest.approx(whole.criterion, rel=1e-12)
    if weighting == "count":
        assert (quick.criterion == whole.criterion).all()


def test_many_clusters_in_a_large_batch():
    """More slots than 16 bits can number."""
    rng = np.random.default_rng(7)
    X = sparse.random(601, 601, 0.01, random_state=rng)
    model = CoClus(n_clusters=600, max_iter=1)
    wide = model.fit_runs(X, range(110), batch_size=110)
    narrow = model.fit_runs(X, range(3), batch_size=2)
    assert (wide.row_labels[:3] == narrow.row_labels).all()
    assert (wide.criterion[:3] == narrow.criterion).all()


@pytest.mark.parametrize(
    "init", [[0, 1, 0], [0, 1, 2, 0], [-1, 0, 1, 0], [0.5, 0, 0, 1], [[0, 1, 0, 1]]]
)
def test_refuses_bad_starts(init):
    with pytest.raises(RecocoError, match="start"):
        CoClus(n_clusters=2).fit(np.ones((5, 4)), init=init)


def test_other_methods_take_no_start():
    with pytest.raises(RecocoError, match="no explicit start"):
        get_method("specco")(n_clusters=2).fit(np.ones((5, 4)), init=[0, 1, 0, 1])
