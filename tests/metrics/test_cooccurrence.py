"""The SPPMI builder against its definition and against densities known of real data."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.weighting import weight
from recoco.metrics.cooccurrence import COUNTS, cooccurrence, density, sppmi
from support import twins_factors as twins
from support.real_data import real


def counts_of(rng, n, d):
    X = rng.poisson(0.6, (n, d)).astype(float)
    X[rng.integers(n), rng.integers(d)] += 1.0
    return X


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1).map(np.random.default_rng),
    st.sampled_from(sorted(COUNTS)),
    st.sampled_from([0.5, 1.0, 2.0, 5.5]),
    st.booleans(),
    st.booleans(),
)
def test_agrees_with_definition(rng, count, shift, diagonal, weighted):
    X = counts_of(rng, rng.integers(1, 15), rng.integers(1, 20))
    if weighted:
        X *= rng.random(X.shape)
    C = twins.cooccurrence(X, count, diagonal)
    assert np.allclose(cooccurrence(X, count, diagonal).toarray(), C, rtol=1e-12, atol=0)
    M = sppmi(X, count, shift, diagonal)
    assert M.shape == (X.shape[1], X.shape[1]) and M.has_sorted_indices
    # values that are 0 but for rounding may be there or not
    assert np.allclose(M.toarray(), twins.sppmi(X, count, shift, diagonal), rtol=1e-9, atol=1e-13)
    assert (M.toarray() == M.toarray().T).all()
    assert not M.nnz or M.data.min() > 0


def test_by_hand():
    # words 0 and 1 share two documents, 1 and 2 one: c_.. = 13 with the diagonal
    X = np.array([[1, 3, 0], [2, 1, 0], [0, 1, 1], [0, 0, 5]])
    C = cooccurrence(X).toarray()
    assert (C == [[2, 2, 0], [2, 3, 1], [0, 1, 2]]).all()
    M = sppmi(X, shift=1).toarray()
    assert M[0, 0] == pytest.approx(np.log(2 * 13 / (4 * 4)))
    assert M[0, 1] == pytest.approx(np.log(2 * 13 / (4 * 6)))
    assert M[1, 2] == 0  # 1 * 13 / (6 * 3) < 1
    assert (cooccurrence(X, "min").toarray()[0] == [3, 2, 0]).all()
    assert (cooccurrence(X, "product").toarray()[0] == [5, 5, 0]).all()
    assert (np.diag(cooccurrence(X, diagonal=False).toarray()) == 0).all()


def test_independent_of_scale_and_threads():
    X = sparse.csr_matrix(counts_of(np.random.default_rng(0), 200, 300))
    for count in ("min", "product"):
        M = sppmi(X, count)
        for factor in (2.0**-900, 2.0**400):
            assert (sppmi(X * factor, count) != M).nnz == 0
        numba.set_num_threads(1)
        alone = sppmi(X, count)
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
        assert alone.data.tobytes() == M.data.tobytes()
        assert alone.indices.tobytes() == M.indices.tobytes()


@pytest.mark.parametrize("count", sorted(COUNTS))
def test_symmetric_and_sorted(count):
    # more and fewer common words than a row is searched through for
    parts = [sparse.random(80, 400, density, random_state=3) for density in (0.02, 0.1)]
    X = sparse.vstack([parts[0], parts[1].tocsr()[:9]])
    for diagonal in (True, False):
        M = sppmi(X, count, 1.0, diagonal)
        assert (M != M.T).nnz == 0
        rows = np.repeat(np.arange(400), np.diff(M.indptr))
        places = rows * 400 + M.indices
        assert (np.diff(places) > 0).all()


def test_single_precision_is_rounded_double():
    X = counts_of(np.random.default_rng(1), 60, 40)
    single, double = sppmi(X, dtype=np.float32), sppmi(X)
    assert single.dtype == np.float32
    assert (single.data == double.data.astype(np.float32)).all()


@pytest.mark.parametrize("count", sorted(COUNTS))
@pytest.mark.parametrize("diagonal", [True, False])
def test_entries_of_all_sizes(count, diagonal):
    X = np.array([[1e-300, 1.0, 1e150], [1e-300, 1e-300, 0.0], [0.0, 3.0, 1.0], [7.0, 0.0, 0.0]])
    M = sppmi(X, count, 1.0, diagonal)
    assert np.isfinite(M.data).all() and (M.data > 0).all()


def test_no_pair_at_all():
    M = sppmi(np.eye(3), diagonal=False)
    assert M.nnz == 0 and M.shape == (3, 3) and density(M) == 0.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"shift": 0}, "shift"),
        ({"shift": -2.0}, "shift"),
        ({"shift": float("nan")}, "shift"),
        ({"shift": "2"}, "shift"),
        ({"count": "minn"}, "'min'"),
        ({"count": None}, "known are"),
    ],
)
def test_refuses_bad_parameters(arguments, words):
    with pytest.raises(RecocoError, match=words):
        sppmi(np.ones((3, 4)), **arguments)


@pytest.mark.parametrize("X", [np.zeros((3, 4)), np.zeros((0, 4)), -np.ones((2, 2))])
def test_refuses_bad_matrices(X):
    with pytest.raises(RecocoError):
        sppmi(X)
    with pytest.raises(RecocoError):
        cooccurrence(X)


def test_density_printed_for_trec():
    X = real("tr41").X
    documents = np.bincount(X.indices, minlength=X.shape[1])
    X = X[:, documents < X.shape[0]]
    assert X.shape == (878, 7453)
    M = sppmi(weight(X, "tfidf-l2"), "tfidf", 1.0, diagonal=False, dtype=np.float32)
    assert round(100 * density(M), 2) == 15.84


def test_density_printed_for_la_times():
    X = real("la12").X
    documents = np.bincount(X.indices, minlength=X.shape[1])
    X = X[:, documents >= 6]
    assert X.shape[1] == 12255 and round(100 * density(X), 2) == 1.17
    M = sppmi(weight(X, "tfidf-l2"), "tfidf", 1.0, diagonal=False, dtype=np.float32)
    assert round(100 * density(M), 2) == 14.73


def test_density_of_the_text_on_ng20():
    data = real("ng20")
    assert np.diff(data.X.indptr).min() > 0  # WC-NMTF refuses empty documents, of any source
    if "wcnmtf" in data.meta["variant"]:
        pytest.skip(f"ng20 is not the paper's matrix: {data.meta['variant']['wcnmtf']['*']}")
    M = sppmi(data.X, "binary", 2.0, dtype=np.float32)
    assert round(100 * density(M), 2) == 5.53  # printed: 1.80
