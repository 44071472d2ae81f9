"""Coherence of word clusters: pointwise mutual information of word pairs in running text.

A window of five words slides over every document; a shorter document is one window. p(w) is the
fraction of windows that contain w, p(w, w') the fraction that contain both; a window counts once,
however often it contains the words. PMI(w, w') = log p(w, w') / (p(w) p(w')), with the natural
logarithm. The coherence of a cluster is the mean over the pairs of its top words.

References
----------
D. Newman, S. Karimi, L. Cavedon, External evaluation of topic models, Australasian Document
Computing Symposium, 2009. D. Newman, J. H. Lau, K. Grieser, T. Baldwin, Automatic evaluation of
topic coherence, NAACL HLT, 2010, 100-108.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays, write_arrays
from recoco.datasets.stemming import porter

WINDOW = 5
_CHUNK = 1 << 18  # bytes of text that a kernel processes at once
_REMEMBERED = 1 << 21  # number of spellings whose terms are cached
_FIRST_TABLE = 1 << 16
_FORMS = 3  # a word counts for itself, its stem and the shorter stem of some stemmers

_WORD = re.compile(r"[^\W_]+")
# for ASCII, a translation finds the same words as _WORD: other characters become spaces
_ASCII = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256)
)

# Datasets with running text, and the datasets made from the same texts: the words of a dataset are
# judged by texts other than its own.
RAW_TEXTS = {
    "ng20raw": {"ng20", "ng20raw", "ng20words", "ng2"},
    "reuters21578": {"reuters21578", "reuters4", "r8", "r52", "re0", "re1"},
    "bbcraw": {"bbc", "bbc2", "bbc4", "bbcraw", "octis-bbc"},
    "dblp4area": {"dblp4area", "dblp1", "dblp3", "octis-dblp"},
}


class NoSharedWord(RecocoError):
    """The corpus has no word of the vocabulary."""


@dataclass
class WindowCounts:
    """Numbers of windows that contain each word, and each pair of words, of a vocabulary.

    Attributes
    ----------
    words : list of str
        The vocabulary.
    windows : int
        Number of windows.
    single : ndarray of int64, shape (V,)
        Number of windows with each word.
    pairs : csr_matrix of int64, shape (V, V)
        Number of windows with both words, above the diagonal only.
    tokens, documents : int
        Size of the corpus.
    window : int
        Length of a window.
    """

    words: list[str]
    windows: int
    single: np.ndarray
    pairs: csr_matrix
    tokens: int
    documents: int
    window: int = WINDOW

    @property
    def words_found(self) -> int:
        """Number of words of the vocabulary that occur in the corpus."""
        return int((self.single > 0).sum())

    @cached_property
    def place(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def places(self, words: Iterable[str]) -> np.ndarray:
        """Return the positions of words; raise for one that was not counted."""
        for word in words:
            if word not in self.place:
                raise RecocoError(
                    f"{word!r} is not among the {len(self.words)} words that were counted: "
                    "count the windows for a vocabulary that has it."
                )
        return np.array([self.place[word] for word in words], np.int64)

    @cached_property
    def _keys(self) -> np.ndarray:
        rows = np.repeat(np.arange(len(self.words)), np.diff(self.pairs.indptr))
        return rows.astype(np.int64) * len(self.words) + self.pairs.indices

    def together(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return the number of windows with both words of each pair (i, j)."""
        low, high = np.minimum(i, j), np.maximum(i, j)
        wanted = low.astype(np.int64) * len(self.words) + high
        found = np.zeros(wanted.shape, np.int64)
        if self._keys.size:
            at = np.minimum(np.searchsorted(self._keys, wanted), self._keys.size - 1)
            hit = self._keys[at] == wanted
            found[hit] = self.pairs.data[at[hit]]
        return found


class Coherence(NamedTuple):
    """Mean PMI of a cluster, the number of its pairs, and how many of them occur in the corpus."""

    pmi: float
    pairs: int
    pairs_found: int


def count_windows(
    documents: Iterable[str],
    vocabulary: Sequence[str],
    window: int = WINDOW,
    stem: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> WindowCounts:
    """Count the words of a vocabulary, and pairs of them, in the windows of a corpus.

    The corpus is read once and not stored: memory grows with the number of pairs that occur, at
    most V (V - 1) / 2, not with the texts.

    Parameters
    ----------
    documents : iterable of str
        The texts. Windows do not extend over the end of a document. Words are runs of letters and
        digits, in lower case; all of them count towards the length of a window.
    vocabulary : sequence of str
        Distinct words in lower case, such as the terms of a dataset.
    window : int, default=5
        Length of a window in words, at least 2.
    stem : bool, default=True
        Whether a word of the text counts both for an equal term and for a term that is its Porter
        stem, without "ent" too if it ends in "ment": the terms of most datasets are stems, by
        several stemmers. Two terms are a pair only if they come from two words of a window.
    progress : callable, default=None
        Called from time to time with the numbers of documents and of words so far.

    Returns
    -------
    counts : WindowCounts
    """
    words = _checked(vocabulary)
    if not isinstance(window, int | np.integer) or isinstance(window, bool) or window < 2:
        raise RecocoError(f"window is {window!r}: give a whole number of at least 2.")
    from recoco.kernels import windows as kernel

    spellings = _Spellings(words, stem)
    single = np.zeros(len(words), np.int64)
    keys, counts = kernel.empty_table(_FIRST_TABLE)
    used = windows = tokens = seen = 0
    for text, ends in _chunks(documents):
        ids, begins = spellings.look_up(text)
        keys, counts, used, more = kernel.count_windows(
            ids, np.searchsorted(begins, ends), window, single, keys, counts, used
        )
        windows, tokens, seen = windows + more, tokens + len(ids), seen + ends.size
        if progress is not None:
            progress(seen, tokens)
    if not tokens:
        raise RecocoError(f"The corpus is empty, {seen} documents without a word: give others.")
    if not single.any():
        raise NoSharedWord(
            f"None of the {len(words)} words of the vocabulary ({', '.join(words[:3])}, ...) is in "
            f"the corpus of {tokens} words: give texts in its language, and terms in lower case."
        )
    return WindowCounts(
        words, windows, single, _triangle(keys, counts, len(words)), tokens, seen, window
    )


def pmi(counts: WindowCounts, i: int, j: int, unseen: float = 0.0) -> float:
    """Return the pointwise mutual information of two words, given by their positions.

    ``unseen`` is the value of a pair that shares no window, for which the formula gives minus
    infinity.
    """
    return float(_pmi(counts, np.array([i]), np.array([j]), unseen)[0])


def cluster_coherence(
    counts: WindowCounts, words: Sequence[str], unseen: float | None = 0.0
) -> Coherence:
    """Return the mean PMI over the pairs of a cluster's top words.

    Parameters
    ----------
    counts : WindowCounts
        Counts of a corpus.
    words : sequence of str
        Words of the vocabulary of ``counts``.
    unseen : float or None, default=0.0
        Value of a pair that shares no window, which the papers do not state. 0 is the PMI of
        independent words: in a small corpus most pairs are absent by chance, which favours
        clusters of common words. None excludes such pairs from the mean, which favours clusters
        of rare words that met once. The fraction of pairs that occur should therefore be
        reported together with the mean.

    Returns
    -------
    coherence : Coherence
        ``pmi`` is 0 if there is no pair.
    """
    values = _pmi(counts, *_pairs(counts, words), np.nan)
    found = ~np.isnan(values)
    kept = values[found] if unseen is None else np.where(found, values, unseen)
    mean = float(kept.mean()) if kept.size else 0.0
    return Coherence(mean, int(values.size), int(found.sum()))


def pooled_coherence(counts: WindowCounts, words: Sequence[str]) -> float:
    """Return the pooled PMI of a cluster's pairs: the log of observed over expected windows.

    Observed is the number of windows with a pair of the cluster, summed over pairs; expected is
    the same for independent words. Unlike the mean of `cluster_coherence`, it needs no decision
    about unseen pairs, so it can compare clusters of common and of rare words in a small corpus.
    No paper uses it. Half a window is added to both: 0 if nothing is known.
    """
    one, two = _pairs(counts, words)
    expected = (counts.single[one] * (counts.single[two] / counts.windows)).sum()
    return float(np.log((counts.together(one, two).sum() + 0.5) / (expected + 0.5)))


def corpus_for(dataset: str, cards: Iterable[str] | None = None) -> list[str]:
    """Return the texts in which the words of a dataset may be counted.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    cards : iterable of str, default=None
        Datasets with raw texts; by default all of them.

    Returns
    -------
    names : list of str
        Those of ``cards`` that are available and not a source of the dataset itself.
    """
    from recoco.datasets.texts import texts_at_hand

    cards = list(RAW_TEXTS) if cards is None else list(cards)
    other = [card for card in cards if dataset not in RAW_TEXTS.get(card, ()) and dataset != card]
    return [card for card in other if texts_at_hand(card)]


def write_counts(path: str | os.PathLike, counts: WindowCounts | None, corpus: str) -> None:
    """Write counts and the name of their corpus; None means that there is no corpus."""
    arrays = {"corpus": np.array(corpus), "counted": np.array(counts is not None)}
    if counts is not None:
        arrays |= {
            "words": np.array(counts.words, dtype=str),
            "single": counts.single,
            "pairs_data": counts.pairs.data,
            "pairs_indices": counts.pairs.indices.astype(np.int32),
            "pairs_indptr": counts.pairs.indptr.astype(np.int64),
            "sizes": np.array(
                [counts.windows, counts.tokens, counts.documents, counts.window], np.int64
            ),
        }
    write_arrays(path, arrays)


def read_counts(path: str | os.PathLike) -> tuple[WindowCounts | None, str]:
    """Return what `write_counts` wrote."""
    arrays = read_arrays(path)
    corpus = str(arrays["corpus"])
    if not arrays["counted"]:
        return None, corpus
    words = arrays["words"].tolist()
    parts = (arrays["pairs_data"], arrays["pairs_indices"], arrays["pairs_indptr"])
    pairs = csr_matrix(parts, shape=(len(words), len(words)))
    windows, tokens, documents, window = arrays["sizes"].tolist()
    return WindowCounts(words, windows, arrays["single"], pairs, tokens, documents, window), corpus


class _Spellings:
    """Maps words of running text to the terms of the vocabulary they count for."""

    def __init__(self, words: list[str], stem: bool):
        self._words = {word: i for i, word in enumerate(words)}
        self._stem = stem
        self._known = 0
        self._table = np.zeros(0, np.uint64)  # hashes of the spellings seen so far
        self._places = np.zeros((0, _FORMS), np.int32)

    def look_up(self, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Return the terms of every word (-1 for none), and where it begins in the text."""
        from recoco.kernels import windows as kernel

        letters = np.frombuffer(text, np.uint8)
        room = len(text) // 2 + 1
        hashes, begins, ends = (np.empty(room, kind) for kind in (np.uint64, np.int64, np.int64))
        n = kernel.find_words(letters, hashes, begins, ends)
        self._make_room(n)
        slots, fresh = np.empty(n, np.int64), np.empty(n, np.int64)
        added = kernel.find_places(hashes[:n], self._table, slots, fresh)
        self._known += added
        fresh = fresh[:added]
        bounds = zip(begins[fresh].tolist(), ends[fresh].tolist(), strict=True)
        for slot, (one, two) in zip(slots[fresh].tolist(), bounds, strict=True):
            terms = self._terms_of(text[one:two].decode())
            if terms:
                self._places[slot, : len(terms)] = terms
        return self._places[slots], begins[:n]

    def _terms_of(self, spelling: str) -> list[int]:
        forms = [spelling]
        if self._stem:
            stem = porter(spelling)
            if stem != spelling:
                forms.append(stem)
            if stem.endswith("ment"):
                # the stemmers of CLASSIC4 and of the CLUTO files also reduce document to docum
                forms.append(stem[:-3])
        return [self._words[form] for form in forms if form in self._words]

    def _make_room(self, words: int) -> None:
        """Keep the table at most half full, and discard it before it outgrows memory."""
        if 2 * (self._known + words) <= self._table.size:
            return
        from recoco.kernels import windows as kernel

        size = 1 << (2 * (min(self._known, _REMEMBERED) + words)).bit_length()
        old, places = self._table[self._table != 0], self._places[self._table != 0]
        self._table = np.zeros(size, np.uint64)
        self._places = np.full((size, _FORMS), -1, np.int32)
        if self._known > _REMEMBERED:
            self._known = 0
            return
        slots, fresh = np.empty(old.size, np.int64), np.empty(old.size, np.int64)
        kernel.find_places(old, self._table, slots, fresh)
        self._places[slots] = places


def _chunks(documents: Iterable[str]) -> Iterator[tuple[bytes, np.ndarray]]:
    """Yield documents as words between spaces, one line each, with the ends of the lines."""
    lines, ends, size = [], [], 0
    for text in documents:
        if text.isascii():
            line = text.encode("ascii").translate(_ASCII)
        else:
            line = " ".join(_WORD.findall(text.lower())).encode()
        lines.append(line)
        size += len(line) + 1
        ends.append(size)
        if size >= _CHUNK:
            yield b"\n".join([*lines, b""]), np.array(ends, np.int64)
            lines, ends, size = [], [], 0
    if ends:
        yield b"\n".join([*lines, b""]), np.array(ends, np.int64)


def _checked(vocabulary: Sequence[str]) -> list[str]:
    words = [str(word) for word in vocabulary]
    if not words:
        raise RecocoError("The vocabulary is empty: give the words to be counted.")
    if len(set(words)) < len(words):
        twice = next(word for i, word in enumerate(words) if word in words[:i])
        raise RecocoError(f"The vocabulary has {twice!r} twice: give every word once.")
    return words


def _triangle(keys: np.ndarray, counts: np.ndarray, V: int) -> csr_matrix:
    kept = keys >= 0
    order = np.argsort(keys[kept])
    rows, columns = np.divmod(keys[kept][order], V)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=V))])
    return csr_matrix((counts[kept][order], columns, indptr), shape=(V, V))


def _pairs(counts: WindowCounts, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of both words of every pair."""
    places = counts.places(dict.fromkeys(words))
    one, two = np.triu_indices(places.size, 1)
    return places[one], places[two]


def _pmi(counts: WindowCounts, i: np.ndarray, j: np.ndarray, unseen: float) -> np.ndarray:
    both = counts.together(i, j).astype(np.float64)
    out = np.full(both.shape, unseen, np.float64)
    seen = both > 0
    one, two = counts.single[i[seen]], counts.single[j[seen]]
    out[seen] = np.log(both[seen]) + np.log(counts.windows) - np.log(one) - np.log(two)
    return out
