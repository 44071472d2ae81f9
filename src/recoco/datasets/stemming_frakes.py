"""Porter's stemmer in the program of W. B. Frakes, which made several published matrices.

The program departs from Porter's article. The rules of a step are tried in the order of its tables:
where the condition of a rule does not hold, the next one that fits is tried, so that ``statement``
becomes ``statem``. The ends of step 1b are mended whether or not something was removed: ``wheat``
becomes ``wheate``. A final e goes from long stems only (``change``), and none is added after -ed or
-ing (``chang``), as the columns of the published matrices show.

References
----------
W. B. Frakes, Stemming algorithms, in W. B. Frakes, R. Baeza-Yates (eds.), Information Retrieval:
Data Structures and Algorithms, Prentice Hall, 1992, 131-160.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from recoco.datasets.stemming import _measure


class _Rule(NamedTuple):
    """Replace an end if the measure of the stem before it is above ``above``."""

    end: str
    by: str
    above: int = -1
    condition: Callable[[str], bool] = lambda stem: True


def _has_vowel(stem: str) -> bool:
    return stem[:1] in tuple("aeiou") or any(letter in "aeiouy" for letter in stem[1:])


def _rules(ends: str, above: int) -> list[_Rule]:
    """Return the rules of a text such as ``ational>ate al>``."""
    pairs = (pair.split(">") for pair in ends.split())
    return [_Rule(end, by, above) for end, by in pairs]


_STEPS = (
    _rules("sses>ss ies>i ss>ss s>", -1),
    [_Rule("eed", "ee", 0), _Rule("ed", "", -1, _has_vowel), _Rule("ing", "", -1, _has_vowel)],
    _rules("at>ate bl>ble iz>ize", -1) + [_Rule(2 * letter, letter) for letter in "bdfgmnprtwx"],
    [_Rule("y", "i", -1, _has_vowel)],
    _rules(
        "ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent eli>e "
        "ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulnes>ful ousness>ous "
        "aliti>al iviti>ive biliti>ble",
        0,
    ),
    _rules("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>", 0),
    _rules(
        "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> sion>s tion>t ou> ism> ate> "
        "iti> ous> ive> ize>",
        1,
    ),
    _rules("e>", 1),
    _rules("ll>l", 1),
)


@lru_cache(maxsize=1 << 18)
def frakes(word: str) -> str:
    """Return the stem of a word in lower case.

    Examples
    --------
    >>> from recoco.datasets.stemming_frakes import frakes
    >>> frakes("decisions")
    'decision'
    """
    for step in _STEPS:
        for rule in step:
            stem = word[: len(word) - len(rule.end)]
            if word.endswith(rule.end) and _measure(stem) > rule.above and rule.condition(stem):
                word = stem + rule.by
                break
    return word
