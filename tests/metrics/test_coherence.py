"""Windows counted by hand and against plain Python, and PMI."""

import itertools
import math
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoco.core.errors import RecocoError
from recoco.datasets.stemming import porter
from recoco.items.words.factors import check_vocabulary
from recoco.metrics import coherence
from recoco.metrics.coherence import (
    cluster_coherence,
    count_windows,
    pmi,
    pooled_coherence,
    read_counts,
    write_counts,
)


def forms_of(word, stem):
    if not stem:
        return {word}
    root = porter(word)
    return {word, root} | ({root[:-3]} if root.endswith("ment") else set())


def naive(documents, vocabulary, window, stem):
    """The definition, one window at a time."""
    vocabulary = set(vocabulary)
    single, pairs, windows = Counter(), Counter(), 0
    for text in documents:
        words = re.findall(r"[^\W_]+", text.lower())
        terms = []
        for word in words:
            terms.append(forms_of(word, stem) & vocabulary)
        for start in range(max(1, len(terms) - window + 1) if terms else 0):
            inside = terms[start : start + window]
            windows += 1
            single.update(set().union(*inside))
            pairs.update(
                {
                    tuple(sorted((one, two)))
                    for a, b in itertools.combinations(inside, 2)
                    for one, two in itertools.product(a, b)
                    if one != two
                }
            )
    return windows, single, pairs


def as_naive(counts):
    coo = counts.pairs.tocoo()
    words = counts.words
    pairs = Counter()
    for i, j, n in zip(coo.row, coo.col, coo.data, strict=True):
        assert i < j
        pairs[tuple(sorted((words[i], words[j])))] = int(n)
    single = Counter({w: int(n) for w, n in zip(words, counts.single, strict=True) if n})
    return counts.windows, single, pairs


# ---- counts ------------------------------------------------------------------------------------


def test_windows_by_hand():
    # windows of three: (cat, sat, dog) (sat, dog, cat) (dog, cat, cat); (dog, x)
    counts = count_windows(["Cat sat_dog: CAT cat!", "dog x", "..."], ["cat", "dog", "cow"], 3)
    assert (counts.windows, counts.tokens, counts.documents) == (4, 7, 3)
    assert counts.single.tolist() == [3, 4, 0]
    assert counts.pairs.toarray().tolist() == [[0, 3, 0], [0, 0, 0], [0, 0, 0]]
    assert counts.words_found == 2
    assert pmi(counts, 0, 1) == pmi(counts, 1, 0) == pytest.approx(math.log((3 / 4) / (3 / 4 * 1)))
    assert pmi(counts, 0, 2) == 0.0 and pmi(counts, 0, 2, unseen=-9.0) == -9.0
    assert cluster_coherence(counts, ["cat", "dog"]) == (pmi(counts, 0, 1), 1, 1)


def test_pmi_and_coherence_by_hand():
    # one window for each of the eight documents
    documents = ["a b", "a b", "a", "b c", "c", "x", "x", "x"]
    counts = count_windows(documents, ["a", "b", "c", "d"])
    assert counts.windows == 8 and counts.single.tolist() == [3, 3, 2, 0]
    ab, bc = math.log(2 / 8 / (3 / 8 * 3 / 8)), math.log(1 / 8 / (3 / 8 * 2 / 8))
    assert pmi(counts, 0, 1) == pytest.approx(ab)
    # a and c never meet, d is not there
    cluster = cluster_coherence(counts, ["c", "b", "a", "d"])
    assert cluster.pmi == pytest.approx((ab + bc) / 6)
    assert (cluster.pairs, cluster.pairs_found) == (6, 2)
    assert cluster_coherence(counts, ["c", "b", "a"], unseen=None).pmi == pytest.approx(
        (ab + bc) / 2
    )
    assert cluster_coherence(counts, ["c", "b", "a"], unseen=-1.0).pmi == pytest.approx(
        (ab + bc - 1) / 3
    )
    assert cluster_coherence(counts, ["a", "a"]) == (0.0, 0, 0)
    # pairs in 3 windows; expected 3 * 3 / 8 + 3 * 2 / 8 + 3 * 2 / 8
    assert pooled_coherence(counts, ["a", "b", "c"]) == pytest.approx(
        math.log(3.5 / (21 / 8 + 0.5))
    )
    assert pooled_coherence(counts, ["a", "d"]) == pooled_coherence(counts, ["a"]) == 0.0
    assert cluster_coherence(counts, ["a", "c"], unseen=None) == (0.0, 1, 0)
    with pytest.raises(RecocoError, match="'e' is not among the 4 words"):
        cluster_coherence(counts, ["a", "e"])


def test_a_term_counts_for_itself_and_as_a_stem():
    # issues -> issu; document -> docum by the stemmers of some datasets
    vocabulary = ["issu", "issue", "docum"]
    counts = count_windows(["issue", "issues issue", "the document"], vocabulary)
    assert counts.single.tolist() == [2, 2, 1]
    # the pair needs two words: in the first document one word stands for both terms
    assert counts.pairs.toarray()[0, 1] == 1
    plain_counts = count_windows(["issue", "issues issue"], vocabulary, stem=False)
    assert plain_counts.single.tolist() == [0, 2, 0] and plain_counts.pairs.nnz == 0


def test_a_word_counts_for_all_of_its_three_terms():
    # documents -> document -> docum
    vocabulary = ["documents", "document", "docum", "x"]
    # windows: (documents x), (x document), (document documents), (documents)
    counts = count_windows(["documents x", "x document documents", "documents"], vocabulary, 2)
    assert counts.single.tolist() == [3, 4, 4, 2]
    # a word does not pair with itself, so the three meet only in the third window
    assert counts.pairs.toarray().tolist() == [[0, 1, 1, 1], [0, 0, 1, 2], [0, 0, 0, 2], [0] * 4]


ONE_WORD = ["documents", "document", "docum"]  # terms of the first
TEXTS = st.lists(
    st.lists(
        st.sampled_from(
            ["cat", "cats", "Dog", "dogs", "été", "x9", "run", "running", "-", "of", *ONE_WORD]
        )
    ).map(" ".join),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(2, 7), st.booleans(), st.randoms(use_true_random=False))
def test_counts_are_those_of_plain_python(documents, window, stem, random):
    vocabulary = ["dog", "cat", "cats", "été", "x9", "run", *ONE_WORD]
    expected = naive(documents, vocabulary, window, stem)
    if not expected[1]:
        with pytest.raises(RecocoError):
            count_windows(documents, vocabulary, window, stem)
        return
    found = count_windows(documents, vocabulary, window, stem)
    assert as_naive(found) == expected
    random.shuffle(documents)
    assert as_naive(count_windows(iter(documents), vocabulary, window, stem)) == expected


@pytest.mark.parametrize("chunk", [1 << 8, 1 << 18])
def test_many_words_grow_the_tables(monkeypatch, chunk):
    """Small chunks, a table of pairs that must grow, spellings that are forgotten on the way."""
    monkeypatch.setattr(coherence, "_CHUNK", chunk)
    monkeypatch.setattr(coherence, "_FIRST_TABLE", 2)
    monkeypatch.setattr(coherence, "_REMEMBERED", 50)
    generator = np.random.default_rng(3)
    words = [f"w{i}" for i in range(400)]
    lengths = generator.integers(0, 60, 80)
    documents = [" ".join(generator.choice(words, n)) for n in lengths]
    told = []
    counts = count_windows(
        documents, words[::2], progress=lambda documents, tokens: told.append((documents, tokens))
    )
    assert as_naive(counts) == naive(documents, words[::2], 5, False)
    assert told[-1] == (80, int(lengths.sum())) == (counts.documents, counts.tokens)
    assert len(told) > 1 or chunk > 1 << 8


def test_ascii_and_other_text_have_the_same_words():
    """There are two ways to find words, and an accent elsewhere must not matter."""
    texts = [f"Q{chr(code)}r" for code in range(128)]
    vocabulary = sorted({word for t in texts for word in re.findall(r"[^\W_]+", t.lower())})
    one = count_windows(texts, vocabulary, stem=False)
    two = count_windows([f"{text} é" for text in texts], vocabulary, stem=False)
    assert one.single.min() > 0 and one.single.tolist() == two.single.tolist()
    assert (one.pairs != two.pairs).nnz == 0 and one.pairs.nnz == 1
    assert two.tokens == one.tokens + 128


def test_counts_survive_a_file(tmp_path):
    counts = count_windows(["a b c", "a c"], ["a", "b", "c", "d"])
    write_counts(tmp_path / "c.npz", counts, "two texts")
    again, corpus = read_counts(tmp_path / "c.npz")
    assert corpus == "two texts" and as_naive(again) == as_naive(counts)
    assert (again.tokens, again.documents, again.window) == (5, 2, 5)
    assert cluster_coherence(again, "abc") == cluster_coherence(counts, "abc")
    first = (tmp_path / "c.npz").read_bytes()
    write_counts(tmp_path / "c.npz", counts, "two texts")
    assert (tmp_path / "c.npz").read_bytes() == first
    write_counts(tmp_path / "n.npz", None, "no texts available")
    assert read_counts(tmp_path / "n.npz") == (None, "no texts available")


@pytest.mark.parametrize(
    ("documents", "vocabulary", "window", "word"),
    [
        ([], ["a"], 5, "empty"),
        (["", "..."], ["a"], 5, "2 documents"),
        (["a b"], [], 5, "vocabulary is empty"),
        (["a b"], ["a", "b", "a"], 5, "'a' twice"),
        (["a b"], ["c", "A"], 5, "None of the 2 words"),
        (["a b"], ["a"], 1, "window is 1"),
        (["a b"], ["a"], 2.0, "window is 2.0"),
        (["a b"], ["a"], True, "window is True"),
    ],
)
def test_bad_input_is_a_sentence(documents, vocabulary, window, word):
    with pytest.raises(RecocoError, match=word) as caught:
        count_windows(documents, vocabulary, window)
    assert "\n" not in str(caught.value)


def test_vocabulary_must_fit_the_matrix():
    assert check_vocabulary(["a", "b"], 2) == ["a", "b"]
    with pytest.raises(RecocoError, match="2 words for a matrix of 3 columns"):
        check_vocabulary(["a", "b"], 3)
    with pytest.raises(RecocoError, match="no names"):
        check_vocabulary(None, 3)
