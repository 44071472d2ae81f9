"""CROINFO against a plain version; the criterion never falls."""

from itertools import permutations

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from recoco.core.errors import RecocoError
from recoco.datasets.weighting import weight
from recoco.methods.base import start_generator
from recoco.methods.croinfo import CROINFO, paired
from recoco.metrics import canonical
from support import twins, twins_ebco

generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def random_matrix(rng, n, d, density=0.5):
    X = rng.random((n, d)) * (rng.random((n, d)) < density)
    X[rng.integers(n), rng.integers(d)] += 1.0
    return X


@settings(max_examples=60, deadline=None)
@given(generators, st.integers(2, 12), st.integers(2, 12), st.integers(1, 4), st.integers(1, 4))
def test_agrees_with_twin_at_every_iteration(rng, n, d, g, m):
    g, m = min(g, n, d), min(m, d)
    X = random_matrix(rng, n, d)
    X[X.sum(axis=1) == 0, 0] = rng.random()  # an empty line ties everywhere
    X[0, X.sum(axis=0) == 0] = rng.random()
    seed = int(rng.integers(2**31))
    own = start_generator(seed, 0)
    z, w = own.integers(g, size=n), own.integers(m, size=d)
    steps = list(twins_ebco.croinfo(X / X.sum(), z, w, g, m, 5))
    assume(min(lead for *_, lead in steps) > 1e-9)
    for t, (rows, columns, value, _) in enumerate(steps, start=1):
        model = CROINFO(g, n_column_clusters=m, max_iter=t, tol=0.0, random_state=seed).fit(X)
        assert (model.row_labels_ == rows).all()
        # with equal numbers the clusters of columns are renamed
        assert (canonical(model.column_labels_) == canonical(columns)).all()
        assert m == g or (model.column_labels_ == columns).all()
        assert model.criterion_ == pytest.approx(value, abs=1e-12)
        if model.n_iter_ < t:
            break


@settings(max_examples=60, deadline=None)
@given(generators, st.integers(3, 30), st.integers(3, 30), st.integers(1, 6), st.integers(1, 6))
def test_never_falls_and_is_the_information_of_the_labels(rng, n, d, g, m):
    g, m = min(g, n, d), min(m, d)
    X = random_matrix(rng, n, d, density=rng.uniform(0.1, 1.0))
    runs = CROINFO(g, n_column_clusters=m).fit_runs(X, [0, 1, 2])
    for history in runs.histories:
        assert (np.diff(history) >= -1e-13).all()
    for z, w, value in zip(runs.row_labels, runs.column_labels, runs.criterion, strict=True):
        assert z.max() < g and w.max() < m
        assert value == pytest.approx(twins_ebco.information(X / X.sum(), z, w, g, m), abs=1e-12)


def test_separate_blocks_leave_no_nan():
    X = np.kron(np.eye(3), np.ones((4, 5)))
    model = CROINFO(3, n_init=10, random_state=0).fit(X)
    assert model.criterion_ == pytest.approx(np.log(3))
    assert (canonical(model.row_labels_) == np.repeat(np.arange(3), 4)).all()
    assert (model.row_labels_[::4] == model.column_labels_[::5]).all()


def test_rows_and_columns_of_one_name_belong_together():
    rng = np.random.default_rng(0)
    table = rng.random((4, 4))
    table /= table.sum()
    gain = table - np.outer(table.sum(axis=1), table.sum(axis=0))
    most = max(gain[np.arange(4), list(order)].sum() for order in permutations(range(4)))
    names = paired(table)
    assert gain[names, np.arange(4)].sum() == pytest.approx(most)
    X, _, _ = twins.planted(rng)
    model = CROINFO(3, n_init=5, random_state=0).fit(X)
    for k in range(3):
        rows, columns = model.get_indices(k)
        assert X[np.ix_(rows, columns)].mean() > 2


def test_more_clusters_of_columns_than_of_rows():
    X, _, _ = twins.planted(np.random.default_rng(1))
    model = CROINFO(2, n_column_clusters=7, random_state=0).fit(X)
    assert set(model.row_labels_) == {0, 1} and model.column_labels_.max() < 7


def test_equivariant_and_scale_free():
    rng = np.random.default_rng(2)
    X, _, _ = twins.planted(rng, inside=1.0, outside=0.5)
    X *= rng.random(X.shape)  # counts have ties, which rounding would break
    w = rng.integers(3, size=X.shape[1])
    i, j = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    straight = CROINFO(3).fit(X, init=w)
    shuffled = CROINFO(3).fit(X[i][:, j], init=w[j])
    assert (straight.row_labels_[i] == shuffled.row_labels_).all()
    assert (straight.column_labels_[j] == shuffled.column_labels_).all()
    assert straight.criterion_ == pytest.approx(shuffled.criterion_, rel=1e-12)
    double = CROINFO(3).fit(4 * X, init=w)
    assert (double.row_labels_ == straight.row_labels_).all()
    assert double.criterion_ == straight.criterion_


def test_threads_and_batches_change_no_byte():
    X, _, _ = twins.planted(
        np.random.default_rng(3), sizes=((90, 80),) * 4, inside=1.0, outside=0.6
    )
    A = weight(X, "tfidf-l2")
    results = []
    before = numba.get_num_threads()
    try:
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(threads)
            for size in (1, 3, 8):
                runs = CROINFO(4, n_column_clusters=5, n_init=2).fit_runs(
                    A, range(4), batch_size=size
                )
                results.append(
                    (
                        runs.row_labels.tobytes(),
                        runs.column_labels.tobytes(),
                        runs.criterion.tobytes(),
                    )
                )
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("m", [0, -1, 2.5, "three"])
def test_refuses_bad_numbers_of_column_clusters(m):
    with pytest.raises(RecocoError, match="n_column_clusters"):
        CROINFO(2, n_column_clusters=m).fit(np.ones((6, 5)))


def test_refuses_more_clusters_than_columns():
    with pytest.raises(RecocoError, match="at most 5"):
        CROINFO(2, n_column_clusters=6).fit(np.ones((6, 5)))


@pytest.mark.parametrize("init", [[0, 1, 0], [0, 1, 2, 0], [-1, 0, 1, 0], [0.5, 0, 0, 1]])
def test_refuses_bad_starts(init):
    with pytest.raises(RecocoError, match="start"):
        CROINFO(2).fit(np.ones((5, 4)), init=init)
