"""Top words of clusters, words of classes, cosines, and the runs they are taken from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.core.files import write_arrays
from recoco.datasets.dataset import Dataset, write_prepared
from recoco.datasets.weighting import weight
from recoco.items.words.factors import class_cosines, class_words, top_words, words_of_setting
from recoco.items.words.stage import write_coherence
from recoco.methods import get_method, import_path
from recoco.metrics.coherence import read_counts


def test_top_words_by_hand():
    W = np.array([[0.1, 5.0], [0.3, 0.0], [0.3, 7.0], [0.2, 0.0]])
    # equal weights: the first word comes first
    assert top_words(W, 3).tolist() == [[1, 2, 3], [2, 0, 1]]
    assert top_words(W).tolist() == [[1, 2, 3, 0], [2, 0, 1, 3]]
    assert top_words(W).dtype == np.int32


def test_class_words_by_hand():
    X = csr_matrix([[9, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 2], [0, 0, 0, 2]])
    # by documents, not by counts: word 0 is in one document only
    assert class_words(X, [0, 0, 1, 1], 2).tolist() == [[1, 0], [3, 2]]
    assert class_words(X, [0, 0, 1, 1]).shape == (2, 4)


def test_cosines_by_hand():
    W = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
    cosines = class_cosines(W, np.array([[0, 1, 2], [1, 2, 3]]))
    half = np.sqrt(0.5)
    np.testing.assert_allclose(cosines, [[half, 0, half], [half, 0, 0]], rtol=1e-6)
    assert cosines.dtype == np.float32
    # tiny factors have a direction all the same
    np.testing.assert_allclose(class_cosines(1e-200 * W, np.array([[0, 1, 2]])), cosines[:1])


# below 1e-300 the scaled entries themselves would lose digits
ENTRIES = st.just(0.0) | st.floats(1e-300, 1e300)


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, (6, 3), elements=ENTRIES), st.floats(1e-3, 1e3))
def test_cosines_are_bounded_and_know_no_scale(W, scale):
    words = np.array([[0, 1, 2, 3], [5, 4, 3, 2]])
    cosines = class_cosines(W, words)
    assert np.isfinite(cosines).all() and (cosines >= 0).all() and (cosines <= 1).all()
    np.testing.assert_allclose(class_cosines(W * scale, words), cosines, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: top_words(np.array([[np.nan]])), "NaN"),
        (lambda: top_words(np.array([[-1.0]])), "negative"),
        (lambda: top_words(np.ones(3)), "shape"),
        (lambda: top_words(np.ones((3, 1)), 0), "top is 0"),
        (lambda: class_words(csr_matrix((3, 2)), [0, 1]), "2 labels for 3 documents"),
        (lambda: class_cosines(np.ones((3, 1)), np.array([[0, 3]])), "factors of 3 words"),
    ],
)
def test_bad_input_is_a_sentence(call, word):
    with pytest.raises(RecocoError, match=word) as caught:
        call()
    assert "\n" not in str(caught.value)


class WithFactors:
    """A stand-in for a factorisation: factors and criterion come from the seed."""

    def __init__(self, n_clusters=2, n_column_clusters=None, random_state=None):
        self.n_clusters, self.random_state = n_clusters, random_state
        self.m = n_column_clusters or n_clusters

    def fit(self, X):
        generator = np.random.default_rng(self.random_state)
        self.W_ = generator.random((X.shape[1], self.m))
        self.criterion_ = float(generator.random())
        return self


class WithoutFactors(WithFactors):
    def fit(self, X):
        return self


def _prepared(path):
    generator = np.random.default_rng(0)
    X = csr_matrix(generator.integers(0, 3, (40, 12)) + np.eye(40, 12), dtype=np.float64)
    labels = np.arange(40, dtype=np.int32) % 3
    terms = [f"w{j}" for j in range(12)]
    write_prepared(path, Dataset("t", [X], labels, list("abc"), [terms], np.arange(40)))
    return X, labels


def test_words_of_a_setting(tmp_path):
    X, labels = _prepared(tmp_path / "t.npz")
    seeds = [2**127 + 1, 5]
    found = words_of_setting(
        tmp_path / "t.npz", f"{__name__}:WithFactors", {"n_column_clusters": 4}, "count", seeds, 5
    )
    assert found["top_words"].shape == (2, 4, 5) and found["top_words"].dtype == np.int32
    assert found["cosines"].shape == (2, 3, 10) and found["cosines"].dtype == np.float32
    assert found["criterion"].shape == (2,)
    typical = class_words(X, labels, 5)
    np.testing.assert_array_equal(found["class_words"], typical)
    for run, seed in enumerate(seeds):
        W = WithFactors(3, 4, seed).fit(X).W_
        np.testing.assert_array_equal(found["top_words"][run], top_words(W, 5))
        np.testing.assert_array_equal(found["cosines"][run], class_cosines(W, typical))
    with pytest.raises(RecocoError, match="no word factors"):
        words_of_setting(tmp_path / "t.npz", f"{__name__}:WithoutFactors", {}, "count", [1])
    with pytest.raises(RecocoError, match="No seeds"):
        words_of_setting(tmp_path / "t.npz", f"{__name__}:WithFactors", {}, "count", [])


@pytest.mark.parametrize("method", ["nmtf", "wcnmtf"])
def test_words_belong_to_the_runs_that_were_scored(tmp_path, method):
    X, _ = _prepared(tmp_path / "t.npz")
    seeds = [2**127 + 1, 5]
    path = import_path(method)
    found = words_of_setting(tmp_path / "t.npz", path, {"max_iter": 5}, "tfidf-l2", seeds, 4)
    runs = get_method(method)(n_clusters=3, max_iter=5).fit_runs(weight(X, "tfidf-l2"), seeds)
    np.testing.assert_array_equal(found["criterion"], runs.criterion)
    assert found["criterion"][0] != found["criterion"][1]
    assert found["top_words"].shape == (2, 3, 4)


@pytest.mark.parametrize(
    ("vocabulary", "counted"), [(["term1", "term2"], False), (["bread", "x"], True)]
)
def test_invented_words_are_not_counted_and_stop_nothing(tmp_path, vocabulary, counted):
    """The words of a twin are invented, but texts to count them in may be there."""
    words, out = tmp_path / "words.npz", tmp_path / "counts.npz"
    write_arrays(words, {"vocabulary": np.array(vocabulary)})
    (tmp_path / "corpus.txt").write_text("Bread is baked from flour. " * 3)
    task = {"dataset": "classic4", "corpora": [], "corpus": str(tmp_path / "corpus.txt")}
    write_coherence({"words": [words]}, task, out)
    counts, corpus = read_counts(out)
    assert (counts is not None) is counted
    assert corpus == ("corpus.txt" if counted else "texts without any of the words")
