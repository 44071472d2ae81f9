"""The spectral methods and their k-means against plain versions and scikit-learn."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans, SpectralCoclustering

from recoco.core.errors import RecocoError
from recoco.kernels.kmeans import _fill_empty, lloyd
from recoco.kernels.kmeans_seeding import seed_centres
from recoco.kernels.modularity import normalised_cut
from recoco.methods import embedding, get_method
from recoco.methods.base import check_matrix
from recoco.metrics import accuracy, ari, canonical
from support import twins

Spec, SpecCo = get_method("spec"), get_method("specco")


def clouds(rng, n=300, p=3, k=4, spread=0.6):
    centres = rng.normal(size=(k, p)) * 2
    return centres[rng.integers(k, size=n)] + spread * rng.normal(size=(n, p))


@pytest.mark.parametrize("p", [1, 2, 3, 4, 7, 9, 12])
def test_kmeans_agrees_with_twin(p):
    rng = np.random.default_rng(p)
    for k in (1, 2, 3, 9):
        points = clouds(rng, p=p)
        uniforms = rng.random((k, 3))
        chosen = seed_centres(np.ascontiguousarray(points.T), uniforms)
        assert chosen.tolist() == twins.greedy_seeds(points, uniforms)
        for max_iter, tol in ((300, 0.0), (3, 0.0), (300, 0.05)):
            labels, inertia, n_iter = lloyd(points, points[chosen], max_iter, tol)
            # bounds only spare work: the labels are those of plain Lloyd
            wanted, spread = twins.kmeans(points, points[chosen], max_iter + (tol == 0), tol)
            if max_iter == 300:
                assert (labels == wanted).all()
                assert inertia == pytest.approx(spread)
            assert n_iter <= max_iter


def plain_lloyd(points, means, max_iter):
    """Every distance in every iteration, in the arithmetic of the kernel."""
    n, p = points.shape
    k = len(means)

    def assign():
        T = points[:, None] - means
        D = T[:, :, 0] ** 2 if p % 2 else np.zeros((n, k))
        for q in range(p % 2, p, 2):
            D = D + (T[:, :, q] ** 2 + T[:, :, q + 1] ** 2)
        return D.argmin(axis=1).astype(np.int32)

    means = means.copy()
    labels = assign()
    counts, sums = np.bincount(labels, minlength=k), np.zeros((k, p))
    for i in range(n):
        sums[labels[i]] += points[i]
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        if counts.min() == 0:
            _fill_empty(points, means, labels, sums, counts)
        old = means.copy()
        means[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
        new = assign()
        moved = np.flatnonzero(new != labels)
        for i in moved:
            sums[labels[i]] -= points[i]
            sums[new[i]] += points[i]
        labels = new
        counts = np.bincount(labels, minlength=k)
        if not moved.size or (old == means).all():
            break
    return labels, n_iter


@pytest.mark.parametrize("p", [1, 2, 3, 6, 9, 12])
@pytest.mark.parametrize("kind", ["clouds", "grid", "copies", "heavy", "apart"])
def test_bounds_of_kmeans_spare_no_move(kind, p):
    """Also where distances are equal, clusters run empty, or centres move far."""
    rng = np.random.default_rng(p)
    for k in (1, 2, 5, 12):
        points = clouds(rng, n=400, p=p, k=6, spread=1.0)
        if kind == "grid":
            points = np.round(points)
        elif kind == "copies":
            points = points[rng.integers(9, size=400)]
        elif kind == "heavy":
            points = points * rng.pareto(1.0, size=(400, 1))
        elif kind == "apart":
            points[:200] *= 1e-7
        for start in (points[rng.integers(400, size=k)], points[:k] + 50.0):
            labels, _, n_iter = lloyd(points, start, 40, 0.0)
            wanted, steps = plain_lloyd(points, start, 40)
            assert (labels == wanted).all() and n_iter == steps


def test_kmeans_is_as_good_as_scikit_learn():
    rng = np.random.default_rng(0)
    points = clouds(rng, n=600, k=6)
    best = np.inf
    for _ in range(10):
        chosen = seed_centres(np.ascontiguousarray(points.T), rng.random((6, 3)))
        best = min(best, lloyd(points, points[chosen], 300, 0.0)[1])
    reference = KMeans(6, n_init=10, tol=0, random_state=0).fit(points).inertia_
    assert best == pytest.approx(reference, rel=1e-3)


def test_kmeans_fills_empty_clusters():
    points = np.array([[0.0], [0.1], [5.0], [9.0]])
    labels, inertia, _ = lloyd(points, np.array([[0.0], [100.0], [200.0]]), 300, 0.0)
    assert len(set(labels)) == 3
    assert inertia == pytest.approx(0.005)


def test_kmeans_with_fewer_distinct_points_than_clusters():
    points = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    chosen = seed_centres(np.ascontiguousarray(points.T), np.full((4, 3), 0.3))
    labels, inertia, _ = lloyd(points, points[chosen], 300, 0.0)
    assert inertia == 0 and len(set(labels[:5])) == 1 and len(set(labels[5:])) == 1


@pytest.mark.parametrize("dense", [True, False])
def test_embedding_agrees_with_twin(dense, monkeypatch):
    if not dense:
        monkeypatch.setattr(embedding, "_DENSE", 0)
    X, _, _ = twins.planted(np.random.default_rng(1))
    U, V, s = embedding.normalised_singular_vectors(check_matrix(X), 2)
    u, v, values = twins.singular_vectors(X, 2)
    assert np.allclose(s, values)
    # up to sign, and scaled by the roots of the degrees
    U, V = U * np.sqrt(X.sum(axis=1))[:, None], V * np.sqrt(X.sum(axis=0))[:, None]
    assert np.allclose(np.abs((U * u).sum(axis=0)), 1)
    assert np.allclose(np.abs((V * v).sum(axis=0)), 1)
    assert np.allclose((U.T @ (X / np.sqrt(np.outer(X.sum(1), X.sum(0)))) @ V), np.diag(s))


def test_embedding_repeats_to_the_byte(monkeypatch):
    monkeypatch.setattr(embedding, "_DENSE", 0)
    A = check_matrix(sparse.random(200, 150, 0.1, random_state=0))
    first, again = (embedding.normalised_singular_vectors(A, 4) for _ in range(2))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("name", ["spec", "specco"])
def test_falls_apart_where_the_graph_does(name):
    """Several parts that nothing connects: the trivial pair is not unique, the parts are."""
    rng = np.random.default_rng(2)
    X, rows, columns = twins.planted(rng, sizes=((12, 9), (10, 11), (14, 8), (9, 9)), outside=0.0)
    model = get_method(name)(n_clusters=4, n_init=3, random_state=0).fit(X)
    assert ari(rows, model.row_labels_) == 1
    assert ari(columns, model.column_labels_) == 1
    if name == "spec":
        assert model.criterion_ == pytest.approx(0)


def test_spec_agrees_with_scikit_learn():
    X, rows, _ = twins.planted(np.random.default_rng(3), inside=1.5, outside=0.4)
    ours = Spec(n_clusters=3, random_state=0).fit(X)
    # with so many vectors the randomised decomposition is exact; with svd_method="arpack" they
    # come in ascending order, and the trivial one is not the one that is left out
    theirs = SpectralCoclustering(3, n_svd_vecs=70, random_state=0).fit(X)
    assert (canonical(ours.row_labels_) == canonical(theirs.row_labels_)).all()
    assert (canonical(ours.column_labels_) == canonical(theirs.column_labels_)).all()
    assert accuracy(rows, ours.row_labels_) > 0.9


def test_criteria_agree_with_twins():
    rng = np.random.default_rng(4)
    X = rng.poisson(0.5, (20, 15)).astype(float)
    for name, twin in (("specco", twins.modularity), ("spec", twins.normalised_cut)):
        model = get_method(name)(n_clusters=4, random_state=1).fit(X)
        wanted = twin(X, model.row_labels_, model.column_labels_, 4)
        assert model.criterion_ == pytest.approx(wanted)
    A = check_matrix(X)
    z, w = np.zeros(20, int), np.zeros(15, int)
    margins = X.sum(axis=1), X.sum(axis=0)
    # an empty second cluster does not make the trivial cut a good one
    assert normalised_cut(A.indptr, A.indices, A.data, *margins, z, w, 2) == 1.0


def test_options_of_specco():
    X, rows, _ = twins.planted(np.random.default_rng(5))
    points = {}
    for trivial in (False, True):
        for unit in ("columns", "rows", "none"):
            for components, size in (("g-1", 2), ("g", 3), (1, 1)):
                model = SpecCo(3, n_components=components, trivial=trivial, unit=unit)
                P = model._prepare(check_matrix(X)).points
                assert P.shape == (sum(X.shape), size + trivial)
                points[trivial, unit, components] = P
    assert np.allclose((points[False, "rows", "g-1"] ** 2).sum(axis=1), 1)
    for part in np.split(points[True, "columns", "g-1"], [len(rows)]):
        assert np.allclose((part**2).sum(axis=0), 1)
    # the trivial vector, scaled, is constant
    assert np.ptp(points[True, "none", "g-1"][:, 0]) == 0
    assert np.allclose(points[True, "none", "g"][:, 1:], points[False, "none", "g"])
    for params in ({"unit": "other"}, {"n_components": "h"}, {"n_components": 0}):
        with pytest.raises(RecocoError, match=next(iter(params))):
            SpecCo(3, **params).fit(X)
    with pytest.raises(RecocoError, match="kmeans_init"):
        SpecCo(3, kmeans_init=0).fit(X)


def test_more_components_than_the_matrix_has():
    X = np.kron(np.eye(2), np.ones((4, 3)))
    model = SpecCo(2, n_components=5, random_state=0).fit(X)
    assert ari(np.repeat([0, 1], 4), model.row_labels_) == 1
