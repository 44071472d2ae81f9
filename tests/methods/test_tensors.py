"""PARAFAC and Tucker on sparse slices: against tensorly, against dense products, bad input."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from recoco.core.errors import RecocoError
from recoco.methods import tensor_algebra, tensors
from recoco.methods.base import check_matrix, start_generator
from recoco.methods.tensor_algebra import parafac, tucker, unfolded_vectors
from recoco.methods.tensors import CLUSTERINGS, Parafac, Tucker
from recoco.metrics import accuracy
from support import twins_graphs

SEEDS = [3, 2**127 + 1, 5]
generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@pytest.fixture(scope="module")
def graphs():
    return twins_graphs.planted_graphs(np.random.default_rng(0))


@pytest.fixture(params=[Parafac, Tucker], ids=lambda m: m.name)
def method(request):
    return request.param


def never(history):
    return False


def slices_of(T):
    """Sparse slices of a dense tensor (n, n, v), both ways, and its norm."""
    slices = [check_matrix(T[:, :, b]) for b in range(T.shape[2])]
    return slices, [X.T.tocsr() for X in slices], float(np.linalg.norm(T))


def random_tensor(rng, n, v):
    T = rng.random((n, n, v)) * (rng.random((n, n, v)) < 0.5)
    T[0, 0] = 1.0  # no empty slice
    return T


@settings(max_examples=20, deadline=None)
@given(generators, st.integers(4, 9), st.integers(1, 4), st.integers(1, 4))
def test_parafac_twin(rng, n, v, r):
    T = random_tensor(rng, n, v)
    slices, transposed, norm = slices_of(T)
    start = [rng.random((rows, r)) for rows in (n, n, v)]
    (A, B, C), history = parafac(slices, transposed, norm, start, 3, never)
    P, Q, R = start
    errors, conditions = [], []

    def solve(product, gram):
        conditions.append(np.linalg.cond(gram))
        return product @ np.linalg.pinv(gram)

    for _ in range(3):  # the definition, with Khatri-Rao products and pseudo-inverses
        P = solve(np.einsum("ijb,jr,br->ir", T, Q, R), (Q.T @ Q) * (R.T @ R))
        Q = solve(np.einsum("ijb,ir,br->jr", T, P, R), (P.T @ P) * (R.T @ R))
        R = solve(np.einsum("ijb,ir,jr->br", T, P, Q), (P.T @ P) * (Q.T @ Q))
        errors.append(np.linalg.norm(T - np.einsum("ir,jr,br->ijb", P, Q, R)) / norm)
    # The squared error is a difference of large terms, whose rounding the solves amplify.
    rounding = 1e-15 * max(conditions)
    assert np.square(history) == pytest.approx(np.square(errors), abs=rounding)
    own = np.linalg.norm(T - np.einsum("ir,jr,br->ijb", A, B, C)) / norm
    assert history[-1] ** 2 == pytest.approx(own**2, abs=rounding)


@settings(max_examples=20, deadline=None)
@given(generators, st.integers(5, 9), st.integers(1, 4), st.integers(1, 4))
def test_tucker_twin(rng, n, v, r):
    T = random_tensor(rng, n, v)
    slices, transposed, norm = slices_of(T)
    start = list(unfolded_vectors(slices, transposed, r))

    def leading(M, k):
        U, values, _ = np.linalg.svd(M, full_matrices=False)
        return U[:, :k][:, values[:k] > 1e-6 * values[0]]

    for vectors, mode in zip(start, range(3), strict=True):
        unfolded = np.moveaxis(T, mode, 0).reshape(T.shape[mode], -1)
        U = leading(unfolded, r)
        assert np.linalg.norm(vectors @ vectors.T - U @ U.T) < 1e-5
        assert vectors.shape == U.shape
    core, (A, B, C), history = tucker(slices, transposed, norm, start, 3, never)
    Q, R = start[1], start[2]
    p, q, s = (vectors.shape[1] for vectors in start)
    for error in history:
        P = leading(np.einsum("ijb,jq,bs->iqs", T, Q, R).reshape(n, -1), p)
        Q = leading(np.einsum("ijb,ip,bs->jps", T, P, R).reshape(n, -1), q)
        R = leading(np.einsum("ijb,ip,jq->bpq", T, P, Q).reshape(v, -1), s)
        inner = np.einsum("ijb,ip,jq,bs->pqs", T, P, Q, R)
        fit = np.einsum("pqs,ip,jq,bs->ijb", inner, P, Q, R)
        assert error == pytest.approx(np.linalg.norm(T - fit) / norm, abs=1e-6)
    fit = np.einsum("pqs,ip,jq,bs->ijb", core, A, B, C)
    assert history[-1] == pytest.approx(np.linalg.norm(T - fit) / norm, abs=1e-6)


def test_parafac_as_tensorly(graphs):
    tl = pytest.importorskip("tensorly", reason="tensorly is not installed")
    from tensorly.decomposition import parafac as reference

    T = np.stack(graphs[0], axis=2)
    slices, transposed, norm = slices_of(T)
    for r in (2, 5):
        rng = np.random.default_rng(r)
        start = [rng.random((rows, r)) for rows in T.shape]
        theirs, errors = reference(
            T,
            r,
            n_iter_max=15,
            init=tl.cp_tensor.CPTensor((np.ones(r), [factor.copy() for factor in start])),
            tol=0,
            return_errors=True,
        )
        ours, history = parafac(slices, transposed, norm, start, 15, never)
        assert history == pytest.approx([float(e) for e in errors], abs=1e-10)
        fit = np.einsum("ir,jr,br->ijb", *ours)
        assert fit == pytest.approx(tl.cp_to_tensor(theirs), abs=1e-8)


def test_tucker_as_tensorly(graphs):
    tl = pytest.importorskip("tensorly", reason="tensorly is not installed")
    from tensorly.decomposition import tucker as reference

    T = np.stack(graphs[0], axis=2)
    slices, transposed, norm = slices_of(T)
    for r in (2, 5):
        theirs, errors = reference(
            T, [r, r, min(r, 3)], n_iter_max=8, init="svd", tol=0, return_errors=True
        )
        start = list(unfolded_vectors(slices, transposed, r))
        core, ours, history = tucker(slices, transposed, norm, start, 8, never)
        assert history == pytest.approx([float(e) for e in errors], abs=1e-9)
        fit = np.einsum("pqs,ip,jq,bs->ijb", core, *ours)
        assert fit == pytest.approx(tl.tucker_to_tensor(theirs), abs=1e-6)


def test_exact_tensors_are_recovered():
    rng = np.random.default_rng(1)
    P, R = rng.random((12, 2)), rng.random((3, 2))
    T = np.einsum("ir,jr,br->ijb", P, P, R)
    slices, transposed, norm = slices_of(T)
    start = list(unfolded_vectors(slices, transposed, 2))
    assert parafac(slices, transposed, norm, start, 500, never)[1][-1] < 1e-4
    assert tucker(slices, transposed, norm, start, 5, never)[2][-1] < 1e-6


def test_vectors_dense_and_iterated(monkeypatch, graphs):
    slices, transposed, _ = slices_of(np.stack(graphs[0], axis=2))
    dense = unfolded_vectors(slices, transposed, 4)
    monkeypatch.setattr(tensor_algebra, "_DENSE", 0)
    for a, b in zip(dense, unfolded_vectors(slices, transposed, 4), strict=True):
        assert np.linalg.norm(a @ a.T - b @ b.T) < 1e-6


@pytest.mark.parametrize("clustering", CLUSTERINGS)
def test_planted_clusters_are_found(method, graphs, clustering):
    matrices, rows = graphs
    runs = method(3, rank=3, clustering=clustering).fit_runs(matrices, [1, 2])
    assert runs.row_labels.shape == (2, 48) and runs.column_labels is None
    for labels in runs.row_labels:
        assert accuracy(rows, labels) > 0.9


def test_never_gets_worse(method, graphs):
    for history in method(3, rank=5, tol=0.0, max_iter=20).fit_runs(graphs[0], range(3)).histories:
        assert (np.diff(history) <= 1e-9).all() and 0 < history[-1] < 1


@pytest.mark.parametrize("init", ["svd", "random"])
def test_parafac_keeps_the_best_start(graphs, init):
    kept = Parafac(3, rank=4, n_init=5, max_iter=5, init=init).fit_runs(graphs[0], [5])
    model = Parafac(3, rank=4, max_iter=5, init=init)
    problem = model._prepare(model._check(graphs[0]))
    single = model._run(problem, [start_generator(5, s) for s in range(5)], None).criterion
    assert len(set(single)) > 1  # with four components of three graphs, a part is random
    assert kept.criterion[0] == single.min()
    assert kept.details["start"][0] == single.argmin()


@pytest.mark.parametrize("clustering", CLUSTERINGS)
def test_deterministic_and_independent_of_grouping(method, graphs, clustering):
    model = method(3, rank=4, clustering=clustering, n_init=2, max_iter=10)
    together = model.fit_runs(graphs[0], SEEDS)
    for size in (1, 4):
        again = model.fit_runs(graphs[0], SEEDS, batch_size=size)
        assert again.row_labels.tobytes() == together.row_labels.tobytes()
        assert again.criterion.tobytes() == together.criterion.tobytes()
    alone = clone(model).set_params(random_state=SEEDS[1]).fit(graphs[0])
    assert (alone.labels_ == together.row_labels[1]).all() and alone.column_labels_ is None


def test_scales_of_the_factor(graphs):
    rng = np.random.default_rng(0)
    for method in (Parafac, Tucker):
        model = method(3, rank=3, scale="unit", max_iter=5)
        problem = model._prepare(model._check(graphs[0]))
        unit = model._points(problem, rng)[0]
        assert (unit**2).sum(axis=0) == pytest.approx(1.0)
        carried = model.set_params(scale="weights")._points(problem, rng)[0]
        ratio = carried / unit
        assert ratio == pytest.approx(np.tile(ratio[0], (48, 1))) and ratio.min() > 1


def test_parafac_has_unit_columns_before_spectral_clustering(graphs):
    """Affinities have a fixed width, so labels would depend on the unit of the graphs."""
    model = Parafac(3, rank=3, clustering="spectral", max_iter=5)
    labels = model.fit_runs(graphs[0], [1]).row_labels
    scaled = [2.0**10 * graph for graph in graphs[0]]
    assert (model.fit_runs(scaled, [1]).row_labels == labels).all()
    rng = np.random.default_rng(0)
    for clustering in CLUSTERINGS:
        model.set_params(clustering=clustering, scale="auto")
        problem = model._prepare(model._check(graphs[0]))
        points = model._points(problem, rng)[0]
        model.set_params(scale="unit" if clustering == "spectral" else "weights")
        assert (points == model._points(problem, rng)[0]).all()


def test_the_clusterings_are_those_of_scikit_learn(graphs):
    points = np.random.default_rng(0).standard_normal((40, 3))
    seed = int(start_generator(1, 0).integers(2**31))
    found = Tucker(3)._cluster(points, start_generator(1, 0))
    assert (found == KMeans(3, n_init=10, random_state=seed).fit_predict(points)).all()
    found = Tucker(3, clustering="gmm")._cluster(points, start_generator(1, 0))
    model = GaussianMixture(3, covariance_type="diag", random_state=seed)
    assert (found == model.fit_predict(points)).all()


def test_directed_graphs(method):
    rng = np.random.default_rng(2)
    rows = np.repeat([0, 1], 20)
    matrices = [(rng.random((40, 40)) < np.where(rows == rows[:, None], 0.7, 0.1)) * 1.0] * 2
    model = method(2, rank=2, random_state=0).fit(matrices)
    assert accuracy(rows, model.labels_) == 1.0


def test_memory_stays_far_below_a_dense_tensor(method):
    n, v = 2_000, 3
    rng = np.random.default_rng(3)
    matrices = []
    for _ in range(v):
        A = sparse.random_array((n, n), density=0.002, rng=rng, format="csr")
        matrices.append(sparse.csr_matrix(A + A.T + sparse.eye_array(n)))
    tracemalloc.start()
    method(3, rank=5, max_iter=3, kmeans_init=1).fit(matrices)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * v * 8 / 5


def test_one_cluster_and_one_graph(method, graphs):
    runs = method(1, rank=2).fit_runs(graphs[0][0], [1])
    assert (runs.row_labels == 0).all() and np.isfinite(runs.criterion).all()


def test_rank_above_that_of_the_tensor(method):
    A = np.kron(np.eye(2), np.ones((5, 5)))
    runs = method(2, rank=6).fit_runs([A, A], [0])
    assert np.isfinite(runs.criterion).all() and runs.criterion[0] < 1e-4
    assert accuracy(np.repeat([0, 1], 5), runs.row_labels[0]) == 1.0


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([np.ones((4, 4)), np.ones((5, 5))], "4, 5 nodes"),
        ([np.ones((4, 4)), -np.ones((4, 4))], "Graph 2: .*negative"),
        ([np.ones((4, 4)), np.zeros((4, 4))], "Graph 2: All entries"),
        ([np.ones((4, 4)), np.ones((4, 3))], r"Graph 2: .* square matrix, .*\(4, 3\)"),
        ([np.diag([1.0, 1.0, 1.0, 0.0])] * 2, "Node 3 has no edge in any graph"),
        (np.ones((2, 4, 4)) * np.nan, "Graph 1: .*NaN"),
    ],
)
def test_refuses_bad_graphs(method, X, words):
    with pytest.raises(RecocoError, match=words):
        method(2, rank=2).fit(X)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"rank": 7}, "Rank 7"),
        ({"rank": 0}, "rank"),
        ({"clustering": "ward"}, "clustering"),
        ({"scale": "x"}, "scale"),
        ({"affinity": "x"}, "affinity"),
        ({"kmeans_init": 0}, "kmeans_init"),
    ],
)
def test_refuses_bad_parameters(method, params, words):
    with pytest.raises(RecocoError, match=words):
        method(**{"n_clusters": 2, "rank": 2, **params}).fit([np.ones((6, 6)), np.ones((6, 6))])


def test_refuses_what_only_some_take(monkeypatch, graphs):
    with pytest.raises(RecocoError, match="init"):
        Parafac(2, rank=2, init="hosvd").fit(graphs[0])
    monkeypatch.setattr(tensors, "LARGEST", 40)
    with pytest.raises(RecocoError, match="nearest_neighbors"):
        Tucker(2, rank=2, clustering="spectral").fit(graphs[0])
    model = Tucker(3, rank=3, clustering="spectral", affinity="nearest_neighbors", random_state=0)
    assert accuracy(graphs[1], model.fit(graphs[0]).labels_) > 0.9


@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_spectral_clustering_is_that_of_scikit_learn(scale):
    from sklearn.cluster import SpectralClustering

    rng = np.random.default_rng(3)
    centres = np.repeat([[0, 0, 0], [2, 0, 0], [0, 3, 1]], 40, axis=0)
    points = scale * (centres + rng.normal(size=(120, 3)))
    theirs = SpectralClustering(3, n_init=10, random_state=0).fit_predict(points)
    model = Tucker(3, clustering="spectral", kmeans_init=10)
    ours = model._cluster(model._embedded(points), rng)
    assert adjusted_rand_score(theirs, ours) == 1.0


def test_spectral_clustering_of_points_far_apart_ends():
    """All affinities are nearly zero, some are exactly: every eigenvalue is the same."""
    rng = np.random.default_rng(4)
    points = 100 * rng.normal(size=(300, 5))
    model = Tucker(4, clustering="spectral")
    labels = model._cluster(model._embedded(points), rng)
    assert labels.shape == (300,) and set(labels) <= set(range(4))
