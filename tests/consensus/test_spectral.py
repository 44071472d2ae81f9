"""Spectral consensus and the hybrid graph against dense decompositions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.test_blocks import planted_bases, random_bases
from recoco.consensus import hybrid
from recoco.consensus.bases import check_bases
from recoco.consensus.spectral import consensus_svd, spectral_consensus
from recoco.core.errors import RecocoError
from recoco.methods.base import check_matrix
from recoco.methods.coce import CoCE
from recoco.metrics import accuracy
from support import twins, twins_ebco

generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@settings(max_examples=40, deadline=None)
@given(generators, st.integers(6, 30), st.integers(6, 30), st.integers(1, 6))
def test_singular_vectors_from_the_factors(rng, n, d, k):
    rows, columns = random_bases(rng, n, d, (2, 4, 5))
    M = twins_ebco.consensus_matrix(rows, columns)
    U, values, V = consensus_svd(check_bases(rows, columns), k)
    full = np.linalg.svd(M, compute_uv=False)
    expected = np.zeros(k)
    expected[: min(k, full.size)] = full[:k]
    assert values == pytest.approx(expected, abs=1e-8)
    real = values > 1e-8
    assert (U.T @ U)[np.ix_(real, real)] == pytest.approx(np.eye(real.sum()), abs=1e-8)
    assert (V.T @ V)[np.ix_(real, real)] == pytest.approx(np.eye(real.sum()), abs=1e-8)
    product = M @ V
    assert product == pytest.approx(U * values, abs=1e-8)


def test_spectral_consensus_of_co_clusterings():
    rows, columns, z, w = planted_bases(np.random.default_rng(0))
    result = spectral_consensus(z, w, 3, random_state=0)
    assert accuracy(rows, result.row_labels) > 0.98
    assert accuracy(columns, result.column_labels) > 0.98
    M = twins_ebco.consensus_matrix(z, w)
    Z, W = (twins_ebco.scaled(v, 3) for v in (result.row_labels, result.column_labels))
    assert result.criterion == pytest.approx(np.trace(Z.T @ M @ W))
    assert result.criterion <= result.values.sum() + 1e-9  # the relaxed problem is larger


def test_spectral_consensus_of_partitions():
    rng = np.random.default_rng(1)
    truth = np.arange(150) % 3
    partitions = twins_ebco.noisy_partitions(rng, truth, (3, 3, 4, 5, 6, 3, 4))
    result = spectral_consensus(partitions, n_clusters=3, random_state=0)
    assert result.column_labels is None
    assert accuracy(truth, result.row_labels) > 0.98


def test_refuses_bad_input():
    z, w = [np.array([0, 0, 1, 1])], [np.array([0, 1, 1])]
    for words, options in [
        ("rows, none", {"unit": "both"}),
        ("n_clusters", {"n_clusters": 0}),
        ("ask for at most 3", {"n_clusters": 4}),
        ("kmeans_init", {"kmeans_init": 0}),
    ]:
        with pytest.raises(RecocoError, match=words):
            spectral_consensus(z, w, **options)
    with pytest.raises(RecocoError, match="has no columns"):
        spectral_consensus(z, [np.array([0, 0, 0])])


def normalised(M):
    rows, columns = M.sum(axis=1), M.sum(axis=0)
    return M / np.sqrt(np.outer(rows, columns))


@settings(max_examples=30, deadline=None)
@given(generators, st.integers(6, 20), st.integers(6, 20))
def test_hybrid_matrix(rng, n, d):
    rows, columns = random_bases(rng, n, d, (2, 3, 5))
    A = rng.random((n, d)) + 0.01
    bases = check_bases(rows, columns)
    quality = hybrid.base_quality(check_matrix(A), bases)
    expected, S, T, R = [], 0.0, 0.0, 0.0
    for z, w in zip(rows, columns, strict=True):
        k = z.max() + 1
        Z, W = twins.one_hot(z, k), twins.one_hot(w, k)
        inside = np.diag(Z.T @ A @ W)
        own = inside / np.sqrt((Z.T @ A).sum(axis=1) * (A @ W).sum(axis=0))
        expected.extend(own)
        S, T, R = S + Z @ Z.T, T + W @ W.T, R + (Z * own) @ W.T
    assert quality == pytest.approx(expected)
    assert ((quality >= 0) & (quality <= 1)).all()
    H = np.block([[0.5 * normalised(S), normalised(R)], [normalised(R).T, 0.5 * normalised(T)]])
    operator = hybrid.hybrid_operator(bases, quality, within=0.5)
    x = rng.standard_normal(n + d)
    assert operator @ x == pytest.approx(H @ x, abs=1e-10)


def test_embedding_is_the_same_dense_and_iterated(monkeypatch):
    _, _, z, w = planted_bases(np.random.default_rng(2))
    bases = check_bases(z, w)
    quality = np.ones(bases.row_sizes.size)
    dense = hybrid.hybrid_embedding(bases, quality, 2)
    monkeypatch.setattr(hybrid, "_DENSE", 0)
    for a, b in zip(dense, hybrid.hybrid_embedding(bases, quality, 2), strict=True):
        assert a == pytest.approx(b, abs=1e-6)


@pytest.mark.parametrize("components", ["log2", "g-1"])
def test_coce_finds_planted_blocks(components):
    X, rows, columns = twins.planted(np.random.default_rng(3))
    runs = CoCE(3, largest=6, components=components).fit_runs(X, [0, 1])
    for z, w, value in zip(runs.row_labels, runs.column_labels, runs.criterion, strict=True):
        assert accuracy(rows, z) > 0.98 and accuracy(columns, w) > 0.95
        assert value == pytest.approx(twins.modularity(X, z, w, 3))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"components": "g"}, "log2, g-1"),
        ({"within": -1.0}, "within"),
        ({"within": "much"}, "within"),
        ({"kmeans_init": 0}, "kmeans_init"),
        ({"base": "dccc"}, "dcc"),
    ],
)
def test_coce_refuses_bad_parameters(params, words):
    with pytest.raises(RecocoError, match=words):
        CoCE(2, **params).fit(np.ones((6, 5)))
