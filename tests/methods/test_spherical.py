"""Spherical k-means against a plain version, and what its shortcuts must not change."""

import itertools

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.weighting import weight
from recoco.kernels import spherical as kernel
from recoco.methods import spherical
from recoco.methods.base import check_matrix, start_generator
from recoco.methods.spherical import SphericalKMeans, spherical_starts, unit_rows
from support import twins
from support.real_data import real_or_twin


@pytest.fixture(scope="module")
def cstr():
    return check_matrix(weight(real_or_twin("cstr").X, "tfidf-l2"))


def sums_of(X, z, g):
    return np.array([X[z == k].sum(axis=0) for k in range(g)])


def without_empty(X, z, g):
    """Labels in which every cluster without rows has got the row least like its centroid."""
    z = z.copy()
    sums = sums_of(X, z, g)
    lengths = np.linalg.norm(sums, axis=1)
    own = (X * (sums / np.where(lengths > 0, lengths, 1.0)[:, None])[z]).sum(axis=1)
    for k in range(g):
        if not (z == k).any():
            free = np.bincount(z, minlength=g)[z] > 1
            # the two rows of a pair are equally far from its centroid: the first is taken
            z[np.where(free, np.round(own, 9), np.inf).argmin()] = k
    return z


def lead_of(values):
    """Least lead of a largest value over the next in its row."""
    ordered = np.sort(values, axis=1)
    return (ordered[:, -1] - ordered[:, -2]).min() if values.shape[1] > 1 else np.inf


def plain(X, g, labels=None, chosen=None, max_iter=100):
    """Yield (labels, criterion, lead) of every iteration, from labels or from chosen rows."""
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    before, old = 0.0, None
    if labels is None:
        centroids = X[chosen]
    else:
        old = without_empty(X, np.asarray(labels), g)
        sums = sums_of(X, old, g)
        before = np.linalg.norm(sums, axis=1).sum()
        centroids = sums / np.linalg.norm(sums, axis=1)[:, None]
    for _ in range(max_iter):
        cosines = X @ centroids.T
        found = cosines.argmax(axis=1)
        moved = old is None or (found != old).any()
        old = without_empty(X, found, g)
        sums = sums_of(X, old, g)
        criterion = np.linalg.norm(sums, axis=1).sum()
        yield old, criterion, lead_of(cosines)
        if not moved or criterion <= before:
            return
        before = criterion
        centroids = sums / np.linalg.norm(sums, axis=1)[:, None]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans())
def test_step_by_step_like_the_plain_version(seed, g, from_labels):
    rng = np.random.default_rng(seed)
    X = rng.random((rng.integers(5, 40), rng.integers(2, 30)))
    X *= (rng.random(X.shape) < 0.4) | (np.arange(X.shape[1]) == 0)
    n = len(X)
    if from_labels:
        labels = rng.integers(g, size=n)
        steps = list(plain(X, g, labels))
    else:
        chosen = start_generator(seed, 0).choice(n, g, replace=False)
        steps = list(plain(X, g, chosen=chosen))
    assume(min(lead for *_, lead in steps) > 1e-9)
    # where two plain criteria are equal up to rounding, the end may come a step sooner or later
    assume((np.diff([0.0] + [Q for _, Q, _ in steps])[:-1] > 1e-9).all())
    for t, (z, Q, _) in enumerate(steps[:-1], start=1):
        model = SphericalKMeans(g, max_iter=t, random_state=seed)
        model.fit(X, init=labels if from_labels else None)
        assert model.n_iter_ == t
        assert (model.row_labels_ == z).all()
        assert model.criterion_ == pytest.approx(Q, rel=1e-9)
    model = SphericalKMeans(g, random_state=seed).fit(X, init=labels if from_labels else None)
    assert (model.row_labels_ == steps[-1][0]).all()
    assert model.criterion_ == pytest.approx(steps[-1][1], rel=1e-9)


@pytest.mark.parametrize(("n", "d", "g"), [(30, 3, 15), (80, 4, 12)])
def test_clusters_that_become_empty_on_the_way_like_the_plain_version(n, d, g):
    rng = np.random.default_rng(0)
    refilled = 0
    for _ in range(60):
        X = rng.random((n, d))
        labels = rng.integers(g, size=n)
        steps = list(plain(X, g, labels))
        if min(lead for *_, lead in steps) < 1e-9:
            continue
        unit = X / np.linalg.norm(X, axis=1, keepdims=True)
        partitions = [without_empty(unit, labels, g), *(z for z, *_ in steps)]
        for before, after in itertools.pairwise(partitions):
            sums = sums_of(unit, before, g)
            cosines = unit @ (sums / np.linalg.norm(sums, axis=1)[:, None]).T
            refilled += (after != cosines.argmax(axis=1)).any()
        model = SphericalKMeans(g, max_iter=len(steps)).fit(X, init=labels)
        assert (model.row_labels_ == steps[-1][0]).all()
    assert refilled > 20


@pytest.mark.parametrize("g", [4, 11])
def test_real_data_like_the_plain_version(cstr, g):
    """Enough iterations for the bounds to spare most of the rows."""
    X = cstr.toarray()
    runs = SphericalKMeans(g).fit_runs(cstr, range(5))
    for seed in range(5):
        chosen = start_generator(seed, 0).choice(len(X), g, replace=False)
        *_, (z, Q, _) = plain(X, g, chosen=chosen)
        assert (runs.row_labels[seed] == z).all()
        assert runs.criterion[seed] == pytest.approx(Q, rel=1e-10)


@pytest.mark.parametrize("seeding", ["rows", "k-means++", "labels"])
def test_criterion_on_real_data_never_falls(cstr, seeding):
    runs = SphericalKMeans(6, seeding=seeding).fit_runs(cstr, range(20))
    X = unit_rows(cstr).toarray()
    for z, value, history in zip(runs.row_labels, runs.criterion, runs.histories, strict=True):
        assert (np.diff(history) >= 0).all()
        assert history.size > 3
        centroids = sums_of(X, z, 6)
        centroids /= np.linalg.norm(centroids, axis=1)[:, None]
        assert value == pytest.approx((X * centroids[z]).sum(), rel=1e-12)


@pytest.mark.parametrize("seeding", ["rows", "k-means++", "labels"])
def test_company_and_threads_change_no_byte(cstr, seeding):
    model = SphericalKMeans(5, n_init=2, seeding=seeding)
    before = numba.get_num_threads()
    results = []
    try:
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(threads)
            for size in (1, 3, 64):
                runs = model.fit_runs(cstr, range(8), batch_size=size)
                history = np.concatenate(runs.histories).tobytes()
                results.append((runs.row_labels.tobytes(), runs.criterion.tobytes(), history))
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("seeding", ["rows", "k-means++", "labels"])
def test_starts_for_others_are_the_labels_found(cstr, seeding):
    starts = spherical_starts(
        cstr, [start_generator(seed, 0) for seed in (3, 4)], 4, seeding=seeding
    )
    for seed, labels in zip((3, 4), starts, strict=True):
        model = SphericalKMeans(4, seeding=seeding, random_state=seed).fit(cstr)
        assert (model.row_labels_ == labels).all()


def test_each_start_uses_its_own_generator(cstr):
    generators = [start_generator(seed, 0) for seed in range(3)]
    other = [start_generator(7, 0), start_generator(1, 0), start_generator(8, 0)]
    a, b = spherical_starts(cstr, generators, 4), spherical_starts(cstr, other, 4)
    assert (a[1] == b[1]).all()
    assert (a[0] != b[0]).any()


def test_equivariant_from_the_same_start(cstr):
    rng = np.random.default_rng(4)
    z = rng.integers(4, size=cstr.shape[0])
    i, j = rng.permutation(cstr.shape[0]), rng.permutation(cstr.shape[1])
    straight = SphericalKMeans(4).fit(cstr, init=z)
    rows = SphericalKMeans(4).fit(cstr[i], init=z[i])
    assert (straight.row_labels_[i] == rows.row_labels_).all()
    # sums of rows are exact in any order
    assert (straight.criterion_history_ == rows.criterion_history_).all()
    both = SphericalKMeans(4).fit(cstr[i][:, j], init=z[i])
    assert (straight.row_labels_[i] == both.row_labels_).all()
    assert both.criterion_ == pytest.approx(straight.criterion_, rel=1e-12)


def test_length_of_rows_does_not_matter(cstr):
    scaled = sparse.diags_array(2.0 ** np.random.default_rng(1).integers(-9, 9, 475)) @ cstr
    a, b = SphericalKMeans(4).fit_runs(cstr, [1, 2]), SphericalKMeans(4).fit_runs(scaled, [1, 2])
    assert a.row_labels.tobytes() == b.row_labels.tobytes()
    assert a.criterion.tobytes() == b.criterion.tobytes()


def test_unit_rows_have_exact_sums(cstr):
    X = unit_rows(cstr).toarray()
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0, abs=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(5):
        assert (np.cumsum(X[rng.permutation(475)], axis=0)[-1] == np.cumsum(X, axis=0)[-1]).all()


def test_one_cluster_is_the_length_of_the_sum():
    X = twins.planted(np.random.default_rng(0))[0]
    model = SphericalKMeans(1, random_state=0).fit(X)
    total = (X / np.linalg.norm(X, axis=1, keepdims=True)).sum(axis=0)
    assert (model.row_labels_ == 0).all() and model.column_labels_ is None
    assert model.criterion_ == pytest.approx(np.linalg.norm(total))


def test_empty_cluster_gets_the_row_least_like_its_centroid():
    X = np.array([[3.0, 0.1, 0.0], [3.0, 0.0, 0.1], [2.0, 0.0, 2.0], [0.0, 4.0, 0.1]])
    model = SphericalKMeans(2, max_iter=1).fit(X, init=[0, 0, 0, 0])
    assert model.row_labels_.tolist() == [0, 0, 0, 1]
    same = SphericalKMeans(3, n_init=4, random_state=0).fit(np.ones((5, 4)))
    assert sorted(set(same.row_labels_.tolist())) == [0, 1, 2]  # all ties, yet all are used
    assert same.criterion_ == pytest.approx(5.0)


def test_spread_rows_follow_the_squared_distances():
    rng = np.random.default_rng(3)
    A = check_matrix(rng.random((30, 12)) * (rng.random((30, 12)) < 0.5) + np.eye(30, 12))
    X = unit_rows(A)
    distances = np.maximum(1.0 - (X @ X.T).toarray(), 0.0)
    np.fill_diagonal(distances, 0.0)
    for _ in range(20):
        uniforms = rng.random(6)
        chosen = [int(uniforms[0] * 30)]
        for u in uniforms[1:]:
            line = np.cumsum(distances[chosen].min(axis=0))
            chosen.append(int(np.searchsorted(line, u * line[-1], side="right")))
        parts, by_column = spherical.parts(X), spherical.parts(X.T.tocsr())
        assert kernel.spread_rows(parts, by_column, uniforms).tolist() == chosen


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(-200, 200), st.sampled_from(sorted(spherical.SEEDINGS))
)
def test_nothing_becomes_nan(seed, power, seeding):
    """Entries far apart in size, equal rows, columns of zeros, as many clusters as rows."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 12, size=2)
    X = (rng.random((n, d)) < 0.3) * 10.0 ** rng.uniform(min(power, 0), max(power, 0), (n, d))
    X[:, 0] += X.sum(axis=1) == 0
    g = int(rng.integers(1, n + 1))
    runs = SphericalKMeans(g, seeding=seeding, n_init=2).fit_runs(X, [seed])
    assert np.isfinite(runs.criterion).all() and runs.criterion[0] <= n * (1 + 1e-12)
    assert set(runs.row_labels[0]) == set(range(g))
    assert (np.diff(runs.histories[0]) >= -1e-12).all()


def test_planted_clusters_are_found():
    X, rows, _ = twins.planted(np.random.default_rng(0))
    from recoco.metrics import accuracy

    assert accuracy(rows, SphericalKMeans(3, n_init=5, random_state=0).fit(X).labels_) > 0.98


def test_refuses_a_row_of_zeros():
    X = np.ones((6, 4))
    X[3] = 0.0
    with pytest.raises(RecocoError, match="Row 3 of the matrix is zero"):
        SphericalKMeans(2).fit(X)
    with pytest.raises(RecocoError, match="Row 3"):
        spherical_starts(check_matrix(X), [start_generator(0, 0)], 2)


@pytest.mark.parametrize(
    "init", [[0, 1, 0], [0, 1, 2, 0], [-1, 0, 1, 0], [0.5, 0, 0, 1], [[0, 1, 0, 1]]]
)
def test_refuses_bad_starts(init):
    with pytest.raises(RecocoError, match="start"):
        SphericalKMeans(2).fit(np.ones((4, 5)), init=init)


def test_refuses_unknown_seeding():
    with pytest.raises(RecocoError, match="rows"):
        SphericalKMeans(2, seeding="row").fit(np.ones((4, 5)))
