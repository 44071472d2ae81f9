"""The weightings: agreement with scikit-learn, norms, and what must not change."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from recoco.core.errors import RecocoError
from recoco.datasets.weighting import WEIGHTINGS, weight


@pytest.fixture
def X():
    counts = np.random.default_rng(0).poisson(0.6, (30, 20)).astype(float)
    counts[4] = 0
    counts[:, 7] = 0
    return counts


def test_count_and_binary(X):
    assert (weight(X, "count").toarray() == X).all()
    assert (weight(X, "binary").toarray() == (X > 0)).all()


@pytest.mark.parametrize("scheme", ["count", "binary"])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_row_norms(X, scheme, norm):
    wanted = normalize(weight(X, scheme), norm=norm)
    assert np.allclose(weight(X, f"{scheme}-{norm}").toarray(), wanted.toarray(), atol=1e-15)


def test_tfidf_is_that_of_scikit_learn(X):
    wanted = TfidfTransformer().fit_transform(X).toarray()
    assert np.allclose(weight(X, "tfidf-l2").toarray(), wanted, atol=1e-15)


def test_plain_tfidf(X):
    documents = (X > 0).sum(axis=0)
    wanted = X * np.log(30 / np.maximum(documents, 1))
    assert np.allclose(weight(X, "tfidf").toarray(), wanted, atol=1e-15)
    X[:, 3] += 1
    assert weight(X, "tfidf").toarray()[:, 3].sum() == 0


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_form_of_the_result(X, name):
    shuffled = sparse.coo_matrix(X)
    stored = sparse.csr_matrix(
        (
            np.r_[shuffled.data / 2, shuffled.data / 2, 0.0],
            (np.r_[shuffled.row, shuffled.row, 4], np.r_[shuffled.col, shuffled.col, 7]),
        ),
        shape=X.shape,
    )
    before = stored.copy()
    for matrix in (X, X.astype(int), stored, sparse.csc_array(X)):
        A = weight(matrix, name)
        assert isinstance(A, sparse.csr_matrix) and A.dtype == np.float64
        assert A.has_sorted_indices and A.nnz == (X > 0).sum() and A.data.all()
        assert A[4].nnz == 0 and np.isfinite(A.data).all()
        assert (weight(X, name) != A).nnz == 0
    assert (stored != before).nnz == 0
    assert WEIGHTINGS[name]


def test_unknown_name(X):
    with pytest.raises(RecocoError, match="did you mean 'tfidf-l2'"):
        weight(X, "tfidf-l3")
