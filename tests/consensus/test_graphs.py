"""CSPA, MCLA, HGPA: graphs against dense ones, cuts of planted partitions, bad input."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoco.consensus import balance, graphs
from recoco.consensus.graphs import (
    METHODS,
    cluster_graph,
    cspa,
    graph_consensus,
    hgpa,
    mcla,
    mean_nmi,
    similarity_graph,
)
from recoco.core.errors import RecocoError
from recoco.kernels import ensembles as kernel
from recoco.metrics import canonical, nmi

PACKAGES = {"cspa": "pymetis", "mcla": "pymetis", "hgpa": "mtkahypar"}
generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@pytest.fixture(params=METHODS)
def consensus(request):
    package = PACKAGES[request.param]
    pytest.importorskip(package, reason=f"{package} is not installed")
    return METHODS[request.param]


@pytest.fixture
def metis():
    return pytest.importorskip("pymetis", reason="pymetis is not installed")


def noisy(rng, truth, R, share, k):
    """Partitions that put a share of the objects anywhere, their clusters renamed."""
    n = truth.size
    return np.array(
        [
            rng.permutation(k)[np.where(rng.random(n) < share, rng.integers(k, size=n), truth)]
            for _ in range(R)
        ]
    )


def indicator(partitions):
    """H of the paper, dense: one column for each cluster that is not empty."""
    return np.hstack([(labels[:, None] == np.unique(labels)).astype(int) for labels in partitions])


def numbered(partitions):
    """Clusters numbered as the columns of H."""
    columns, offset = [], 0
    for labels in partitions:
        names, codes = np.unique(labels, return_inverse=True)
        columns.append(codes.ravel() + offset)
        offset += names.size
    return np.ascontiguousarray(np.stack(columns, axis=1), np.int32), offset


@settings(max_examples=30, deadline=None)
@given(generators, st.integers(3, 25), st.integers(1, 6))
def test_graph_of_objects(rng, n, R):
    partitions = rng.integers(4, size=(R, n))
    clusters, K = numbered(partitions)
    weights = rng.integers(1, 5, size=n)
    H = indicator(partitions)
    S = (H @ H.T) * np.outer(weights, weights)
    np.fill_diagonal(S, 0)
    graph = similarity_graph(clusters, weights, K, edges=n * n)
    assert (graph.toarray() == S).all()
    assert graph.has_sorted_indices and (graph.data > 0).all()


@settings(max_examples=30, deadline=None)
@given(generators, st.integers(4, 25), st.integers(1, 6), st.integers(1, 5))
def test_thinned_graph_keeps_the_most_similar(rng, n, R, m):
    partitions = rng.integers(3, size=(R, n))
    clusters, K = numbered(partitions)
    H = indicator(partitions)
    S = H @ H.T
    np.fill_diagonal(S, 0)
    G = similarity_graph(clusters, np.ones(n, np.int64), K, edges=m * n).toarray()
    assert (G == G.T).all() and ((G == 0) | (S == G)).all()
    for i in range(n):
        room = min(m, int((S[i] > 0).sum()))
        assert (G[i] > 0).sum() >= room
        # what was left out is no more similar than the last of the m that were kept
        if room:
            least = np.sort(S[i])[::-1][room - 1]
            assert (G[i][least < S[i]] > 0).all()


def test_many_partitions_do_not_overflow_the_counts():
    clusters, K = numbered(np.zeros((300, 5), int))
    graph = similarity_graph(clusters, np.ones(5, np.int64), K, edges=100)
    assert (graph.toarray() == 300 * (1 - np.eye(5))).all()


def test_objects_that_all_partitions_put_together_are_one():
    rng = np.random.default_rng(0)
    for wide in (1, 10**9):  # names of clusters near and far apart
        partitions = rng.integers(3, size=(3, 60)) * wide
        ensemble = graphs._ensemble(partitions, None)
        tuples, counts = np.unique(partitions.T, axis=0, return_counts=True)
        assert len(ensemble.weights) == len(tuples)
        assert sorted(ensemble.weights) == sorted(counts)
        for i in range(60):
            same = (partitions[:, i] == partitions.T).all(axis=1)
            assert ((ensemble.of_object == ensemble.of_object[i]) == same).all()
        H = indicator(partitions)
        shared = (ensemble.clusters[:, None] == ensemble.clusters).sum(axis=2)
        assert (shared[np.ix_(ensemble.of_object, ensemble.of_object)] == H @ H.T).all()


def test_graph_is_the_same_on_all_threads():
    rng = np.random.default_rng(0)
    clusters, K = numbered(rng.integers(5, size=(6, 300)))
    first, members = kernel.cluster_members(clusters, K)
    results = []
    for run in (kernel.similar_rows, kernel.similar_rows_parallel):
        neighbours, shared = np.zeros((2, 300, 7), np.int32)
        found = np.zeros(300, np.int64)
        kind = np.empty(0, np.uint8)
        run(clusters, first, members, kind, neighbours, shared, found)
        results.append((neighbours, shared, found))
    for a, b in zip(*results, strict=True):
        assert (a == b).all()


@settings(max_examples=30, deadline=None)
@given(generators, st.integers(3, 25), st.integers(2, 6))
def test_graph_of_clusters(rng, n, R):
    partitions = rng.integers(4, size=(R, n))
    clusters, K = numbered(partitions)
    weights = rng.integers(1, 5, size=n)
    H = indicator(partitions)
    common = H.T @ (H * weights[:, None])
    sizes = np.diag(common)
    jaccard = common / (sizes[:, None] + sizes - common)
    np.fill_diagonal(jaccard, 0)
    graph, found = cluster_graph(clusters, weights, K)
    assert (found == sizes).all()
    dense = graph.toarray()
    assert dense / 10_000 == pytest.approx(jaccard, abs=1e-4)
    assert ((dense > 0) == (jaccard > 0)).all()


@settings(max_examples=30, deadline=None)
@given(generators, st.integers(3, 25), st.integers(2, 6), st.integers(1, 4))
def test_votes_of_meta_clusters(rng, n, R, k):
    partitions = rng.integers(4, size=(R, n))
    clusters, K = numbered(partitions)
    meta = rng.integers(k, size=K)
    sizes = np.bincount(meta, minlength=k)
    labels = kernel.majority(clusters, meta, sizes)
    H = indicator(partitions)
    share = np.stack([H[:, meta == h].sum(axis=1) / max(sizes[h], 1) for h in range(k)], axis=1)
    assert (share[np.arange(n), labels] == share.max(axis=1)).all()


def test_example_of_strehl_and_ghosh(consensus):
    # their Table 1: three partitions that agree up to names, and a fourth with missing labels,
    # left out here
    partitions = np.array([[1, 1, 1, 2, 2, 3, 3], [2, 2, 2, 3, 3, 1, 1], [1, 1, 2, 2, 3, 3, 3]])
    labels = consensus(partitions, 3, imbalance=0.3)
    assert labels.tolist() == [0, 0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("sizes", [(30, 30, 30), (5, 20, 65)])
def test_identical_partitions_are_their_own_consensus(consensus, sizes):
    rng = np.random.default_rng(0)
    truth = rng.permutation(np.repeat(np.arange(3), sizes))
    partitions = np.array([rng.permutation(3)[truth] for _ in range(5)])
    assert (consensus(partitions) == canonical(truth)).all()
    assert (consensus(partitions[:1]) == canonical(truth)).all()
    assert nmi(truth, consensus(partitions, 4)) == 1.0


@pytest.mark.parametrize(("name", "share"), [("cspa", 0.3), ("mcla", 0.3), ("hgpa", 0.02)])
def test_better_than_its_inputs(name, share):
    pytest.importorskip(PACKAGES[name], reason=f"{PACKAGES[name]} is not installed")
    rng = np.random.default_rng(1)
    truth = np.arange(240) % 4
    partitions = noisy(rng, truth, 12, share, 4)
    # HGPA breaks down where partitions disagree more: nearly every cluster has to be cut
    labels = METHODS[name](partitions)
    inputs = np.mean([nmi(truth, partition) for partition in partitions])
    assert nmi(truth, labels) > inputs + (1 - inputs) / 3
    assert labels.shape == (240,) and labels.min() == 0 and labels.max() == 3


def test_thinning_changes_little(metis):
    rng = np.random.default_rng(2)
    truth = np.arange(600) % 5
    partitions = noisy(rng, truth, 10, 0.4, 5)
    for edges in (10**6, 30 * 600):
        assert nmi(truth, cspa(partitions, edges=edges)) > 0.9


def test_unequal_clusters_are_left_to_mcla(metis):
    rng = np.random.default_rng(3)
    truth = np.repeat(np.arange(3), (180, 90, 30))
    partitions = noisy(rng, truth, 10, 0.15, 3)
    assert nmi(truth, mcla(partitions)) > 0.95
    assert nmi(truth, mcla(partitions, weights="one")) > 0.95


def assert_balanced(partitions, k, imbalance=0.05):
    """The labels of CSPA are balanced, and none is missing."""
    n = np.shape(partitions)[1]
    sizes = np.bincount(cspa(partitions, k, imbalance=imbalance), minlength=k)
    assert sizes.size == k and sizes.min() > 0
    assert sizes.max() <= max(np.ceil(n / k), (1 + imbalance) * n / k)


@settings(max_examples=60, deadline=None)
@given(
    generators,
    st.integers(8, 200),
    st.integers(2, 6),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.02, 0.3, 1.0]),
    st.sampled_from([0.01, 0.05, 0.5, 3.0]),
)
def test_cspa_is_balanced(rng, n, k, R, share, imbalance):
    """For random partitions and for some that are nearly the same, of unequal clusters."""
    pytest.importorskip("pymetis", reason="pymetis is not installed")
    truth = rng.choice(k, size=n, p=rng.dirichlet(np.ones(k)))
    partitions = noisy(rng, truth, R, share, k)
    if len(np.unique(partitions.T, axis=0)) > k:
        assert_balanced(partitions, k, imbalance)


@pytest.mark.parametrize(
    ("sizes", "moved"), [((200, 60, 40), 3), ((250, 120, 90, 50, 34), 4), ((297, 2, 1), 2)]
)
def test_cspa_is_balanced_where_nearly_all_partitions_agree(metis, sizes, moved):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        partitions = np.tile(truth, (5, 1))
        for labels in partitions:
            labels[rng.choice(truth.size, moved, replace=False)] = rng.integers(len(sizes))
        assert_balanced(partitions, len(sizes))


def test_a_cut_that_is_balanced_is_left_alone(metis):
    partitions = noisy(np.random.default_rng(9), np.arange(240) % 4, 10, 0.3, 4)
    ensemble = graphs._ensemble(partitions, 4)
    graph = similarity_graph(ensemble.clusters, ensemble.weights, ensemble.K, 2_000_000)
    found = graphs._cut(graph, ensemble.weights, 4, 0.05, 0)
    assert (cspa(partitions) == ensemble.labels(found)).all()


@settings(max_examples=60, deadline=None)
@given(generators, st.integers(4, 30), st.integers(2, 5), st.integers(1, 4))
def test_objects_are_moved_with_the_least_loss(rng, n, R, k):
    """Against the plain definition: one dense matrix of similarities, one object at a time."""
    partitions = rng.integers(3, size=(R, n))
    ensemble = graphs._ensemble(partitions, k)
    N = len(ensemble.weights)
    if k >= N:
        return
    most = balance.largest_cluster(n, k, 0.05)
    counts = np.zeros((N, k), np.int64)
    counts[np.arange(N), rng.integers(k, size=N)] = ensemble.weights
    moved = balance.rebalance(counts, ensemble.clusters, ensemble.K, most)
    assert (moved.sum(axis=1) == ensemble.weights).all() and moved.min() >= 0
    assert moved.sum(axis=0).min() > 0 and moved.sum(axis=0).max() <= most
    similarity = (ensemble.clusters[:, None] == ensemble.clusters).sum(axis=2)
    state = balance._State.of(counts, ensemble.clusters, ensemble.K)
    assert (state.similarity(np.arange(N)) == similarity @ counts).all()
    state.move(0, int(counts[0].argmax()), int(counts[0].argmin()), 1)
    assert (state.similarity(np.arange(N)) == similarity @ state.counts).all()
    assert (state.sizes == state.counts.sum(axis=0)).all()


@given(generators, st.integers(1, 40), st.integers(2, 6), st.sampled_from([0.01, 0.05, 0.5, 3.0]))
def test_pieces_add_up(rng, N, k, imbalance):
    weights = rng.integers(1, 300, size=N)
    owner, sizes = balance.pieces(weights, k, imbalance)
    assert (np.bincount(owner, sizes, N) == weights).all() and sizes.min() >= 1
    assert sizes.max() <= max(1, min(imbalance, 0.5) * weights.sum() / k)
    assert owner.size <= 2 * N + 2 * k / min(imbalance, 0.5)


def test_deterministic(consensus):
    partitions = noisy(np.random.default_rng(4), np.arange(200) % 4, 8, 0.3, 4)
    first = consensus(partitions, random_state=3)
    for _ in range(2):
        assert consensus(partitions.copy(), random_state=3).tobytes() == first.tobytes()


def test_names_and_types_of_labels_do_not_matter(consensus):
    rng = np.random.default_rng(5)
    partitions = noisy(rng, np.arange(200) % 4, 8, 0.2, 4)
    straight = consensus(partitions)
    renamed = [np.array([7, 0, 1000, 3])[labels] for labels in partitions]
    assert (consensus(renamed) == straight).all()
    assert (consensus(partitions.astype(np.int16)) == straight).all()


def test_permuted_objects(metis):
    rng = np.random.default_rng(6)
    truth = np.arange(200) % 4
    partitions = noisy(rng, truth, 10, 0.05, 4)
    order = rng.permutation(200)
    for function in (cspa, mcla):
        straight, shuffled = function(partitions), function(partitions[:, order])
        assert (canonical(straight[order]) == shuffled).all()


def test_partitions_of_different_numbers_of_clusters(consensus):
    rng = np.random.default_rng(7)
    truth = np.arange(120) % 3
    finer = truth * 2 + (np.arange(120) % 2)
    partitions = [truth, finer, truth, np.zeros(120, int), truth]
    assert nmi(truth, consensus(partitions, 3)) == 1.0
    assert len(np.unique(consensus(partitions))) <= 6
    assert (consensus(rng.integers(3, size=(4, 50)), 1) == 0).all()


def test_pick_of_the_three(metis):
    pytest.importorskip("mtkahypar", reason="mtkahypar is not installed")
    partitions = noisy(np.random.default_rng(8), np.arange(240) % 4, 10, 0.3, 4)
    result = graph_consensus(partitions)
    assert set(result.agreement) == set(METHODS)
    for name, labels in result.candidates.items():
        own = METHODS[name](partitions)
        assert (labels == own).all()
        expected = np.mean([nmi(partition, own) for partition in partitions])
        assert result.agreement[name] == pytest.approx(expected)
    assert result.agreement[result.method] == max(result.agreement.values())
    assert (result.labels == result.candidates[result.method]).all()
    assert mean_nmi(result.labels, partitions) == result.agreement[result.method]
    alone = graph_consensus(partitions, methods="mcla")
    assert alone.method == "mcla" and (alone.labels == result.candidates["mcla"]).all()


@pytest.mark.parametrize(
    ("partitions", "options", "words"),
    [
        ([[0, 1, 1], [0, 1]], {}, "has 2 labels, the first has 3"),
        ([[0, 1, -1]], {}, "negative labels"),
        ([[0.5, 1.0]], {}, "one whole number per object"),
        ([], {}, "at least one"),
        ([[0, 1, 1]], {"n_clusters": 4}, "at most 3"),
        ([[0, 1, 1]], {"n_clusters": 0}, "n_clusters"),
        ([[0, 1, 1]], {"imbalance": 0}, "imbalance"),
        ([[0, 1, 1]], {"imbalance": float("nan")}, "imbalance"),
        ([[0, 1, 1]], {"random_state": -1}, "random_state"),
        ([[0, 1, 1]], {"random_state": 2**31}, "below"),
    ],
)
def test_refuses_bad_input(consensus, partitions, options, words):
    with pytest.raises(RecocoError, match=words):
        consensus(partitions, **options)


def test_refuses_what_only_some_take():
    with pytest.raises(RecocoError, match="size, one"):
        mcla([[0, 1, 1]], weights="all")
    with pytest.raises(RecocoError, match="cut, km1"):
        hgpa([[0, 1, 1]], objective="soed")
    with pytest.raises(RecocoError, match="edges"):
        cspa([[0, 1, 1]], edges=0)
    for methods in (["mcla", "cpsa"], []):
        with pytest.raises(RecocoError, match="not a consensus function"):
            graph_consensus([[0, 1, 1]], methods=methods)


def test_says_which_package_is_missing(monkeypatch):
    graphs._kahypar.cache_clear()
    for name, package in PACKAGES.items():
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(RecocoError, match=f"{package}, which is not installed"):
            METHODS[name]([[0, 1, 1]])
    graphs._kahypar.cache_clear()
