"""Document-term matrices of raw texts."""

import re
from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, matrix
from recoco.datasets.recipes import RECIPES
from recoco.datasets.stemming import porter

_WORD = re.compile(r"[^\W\d_]+")

# words without a topic: articles, pronouns, auxiliaries, prepositions, conjunctions, and what the
# tokeniser leaves of contractions
_WITHOUT_TOPIC = """
a about above after again against all also am an and any are as at be because been before
being below between both but by can cannot could did do does doing don down during each few
for from further had has have having he her here hers herself him himself his how if in into
is it its itself just ll may me might more most must my myself no nor not now of off on once
only or other our ours ourselves out over own re same shall she should so some such than that
the their theirs them themselves then there these they this those through to too under until
up upon us ve very was we were what when where which while who whom whose why will with would
you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_WITHOUT_TOPIC.split())


def words(text: str, min_length: int = 2, stem: bool = False) -> list[str]:
    """Return the words of a text in lower case: letters only, no stop words, optionally stemmed."""
    candidates = _WORD.findall(text.lower())
    kept = [word for word in candidates if len(word) >= min_length and word not in STOP_WORDS]
    return [porter(word) for word in kept] if stem else kept


def document_terms(
    documents: Iterable[str],
    *,
    min_length: int = 2,
    min_df: int = 1,
    stem: bool = False,
    recipe: str | None = None,
) -> tuple[csr_matrix, list[str], list[str]]:
    """Count the words of every document.

    Parameters
    ----------
    documents : iterable of str
        The texts. All of them become rows, even those without words.
    min_length : int, default=2
        Minimum number of letters of a word.
    min_df : int, default=1
        Minimum number of documents with a word.
    stem : bool, default=False
        Whether words are stemmed by Porter's algorithm.
    recipe : str, default=None
        A key of `RECIPES`, which then decides what a word is instead of the other options.

    Returns
    -------
    view : csr_matrix
        Documents by words, in alphabetical order.
    terms : list of str
        The words.
    dropped : list of str
        Sentences about the words that were left out.
    """
    number: dict[str, int] = {}
    columns: list[int] = []
    ends = [0]
    split = RECIPES[recipe] if recipe else partial(words, min_length=min_length, stem=stem)
    for text in documents:
        for word in split(text):
            columns.append(number.setdefault(word, len(number)))
        ends.append(len(columns))
    if not columns:
        raise RecocoError("there is not a single word in the documents; correct the card.")
    n = len(ends) - 1
    rows = np.repeat(np.arange(n), np.diff(ends))
    view = matrix(np.ones(len(columns)), rows, columns, (n, len(number)))
    terms = np.array(list(number))
    frequency = np.bincount(view.indices, minlength=terms.size)
    order = np.argsort(terms)
    kept = order[frequency[order] >= min_df]
    dropped = [
        f"words are those of the recipe {recipe}"
        if recipe
        else f"words of fewer than {min_length} letters, numbers and {len(STOP_WORDS)} stop words "
        "are not counted"
    ]
    if kept.size < terms.size:
        dropped.append(
            f"{terms.size - kept.size} of {terms.size} words are in fewer than {min_df} documents"
        )
    if not kept.size:
        raise RecocoError(f"no word is in {min_df} documents; lower `min_df` in the card.")
    view = csr_matrix(view[:, kept])
    view.sort_indices()
    return view, terms[kept].tolist(), dropped


def counting(options: dict) -> dict:
    """Return those options of a parser that `document_terms` takes."""
    taken = ("min_length", "min_df", "stem", "recipe")
    return {key: options[key] for key in taken if key in options}


def count_words(documents: Iterable[str], labels: ArrayLike, options: dict) -> Parsed:
    """Return the document-term matrix of texts with classes, by the options of a parser."""
    view, terms, dropped = document_terms(documents, **counting(options))
    return Parsed([view], np.asarray(labels, dtype=str), [terms], dropped=dropped)
