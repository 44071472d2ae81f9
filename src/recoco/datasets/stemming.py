"""Porter's stemmer, implemented from the definition of 1980.

A word is a sequence [C](VC)^m[V] of runs of consonants C and runs of vowels V; m is its measure.
Each step is a list of rules "suffix -> replacement" with a condition on the stem, the word without
the suffix. Among the rules whose suffix matches, only the one with the longest suffix applies,
whether or not its condition holds.

References
----------
M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980, 130-137.
"""

from functools import lru_cache


class _Form(dict):
    """The form of a word, letter by letter: v for a vowel, c for a consonant, y for a y."""

    def __missing__(self, letter: int) -> str:
        return "c"


class _Rules(dict):
    """The rules of one step: suffix -> replacement."""

    def __init__(self, rules: dict[str, str]):
        super().__init__(rules)
        self.suffixes = tuple(self)


_FORM = _Form(str.maketrans("aeiouy", "vvvvvy"))

_STEP_1A = _Rules({"sses": "ss", "ies": "i", "ss": "ss", "s": ""})
_STEP_2 = _Rules(
    {
        "ational": "ate",
        "tional": "tion",
        "enci": "ence",
        "anci": "ance",
        "izer": "ize",
        "abli": "able",
        "alli": "al",
        "entli": "ent",
        "eli": "e",
        "ousli": "ous",
        "ization": "ize",
        "ation": "ate",
        "ator": "ate",
        "alism": "al",
        "iveness": "ive",
        "fulness": "ful",
        "ousness": "ous",
        "aliti": "al",
        "iviti": "ive",
        "biliti": "ble",
    }
)
# Porter's own program departs from the article in two rules; it made many published corpora.
_STEP_2_PROGRAM = _Rules(
    {suffix: end for suffix, end in _STEP_2.items() if suffix != "abli"}
    | {"bli": "ble", "logi": "log"}
)
_STEP_3 = _Rules(
    {
        "icate": "ic",
        "ative": "",
        "alize": "al",
        "iciti": "ic",
        "ical": "ic",
        "ful": "",
        "ness": "",
    }
)
_STEP_4 = _Rules(
    {
        "al": "",
        "ance": "",
        "ence": "",
        "er": "",
        "ic": "",
        "able": "",
        "ible": "",
        "ant": "",
        "ement": "",
        "ment": "",
        "ent": "",
        "ion": "",
        "ou": "",
        "ism": "",
        "ate": "",
        "iti": "",
        "ous": "",
        "ive": "",
        "ize": "",
    }
)


@lru_cache(maxsize=1 << 18)
def porter(word: str, program: bool = False) -> str:
    """Return the stem of a word in lower case.

    With ``program``, step 2 is that of Porter's published program instead of the article:
    ``technology`` becomes ``technolog`` and not ``technologi``.

    Words of one or two letters are returned unchanged, as in Porter's own programs: by the rules of
    the article alone, ``as`` would become ``a`` and ``is`` would become ``i``.

    Examples
    --------
    >>> from recoco.datasets.stemming import porter
    >>> porter("clustering")
    'cluster'
    """
    if len(word) <= 2:
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):  # step 1c
        word = word[:-1] + "i"
    second = _STEP_2_PROGRAM if program else _STEP_2
    word = _replace(word, second, lambda stem: _measure(stem) > 0)
    word = _replace(word, _STEP_3, lambda stem: _measure(stem) > 0)
    word = _step_4(word)
    return _tidy(word)


def _plural(word: str) -> str:
    """Step 1a."""
    return _replace(word, _STEP_1A, lambda stem: True)


def _past(word: str) -> str:
    """Step 1b: -eed, -ed and -ing."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return _mended(stem) if _has_vowel(stem) else word
    return word


def _mended(stem: str) -> str:
    """Restore the end of a stem after removing -ed or -ing: hop(p)ing, fil(e)ing, conflat(e)d."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _double_consonant(stem) and stem[-1] not in "lsz":
        return stem[:-1]
    if _measure(stem) == 1 and _short(stem):
        return stem + "e"
    return stem


def _step_4(word: str) -> str:
    def removable(stem: str) -> bool:
        if word == stem + "ion" and not stem.endswith(("s", "t")):
            return False
        return _measure(stem) > 1

    return _replace(word, _STEP_4, removable)


def _tidy(word: str) -> str:
    """Step 5: remove a final -e, then simplify a double l."""
    if word.endswith("e"):
        stem = word[:-1]
        m = _measure(stem)
        if m > 1 or (m == 1 and not _short(stem)):
            word = stem
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def _replace(word: str, rules: _Rules, condition) -> str:
    if not word.endswith(rules.suffixes):
        return word
    for length in range(min(7, len(word)), 0, -1):  # the longest suffix has seven letters
        suffix = word[-length:]
        if suffix in rules:
            stem = word[:-length]
            return stem + rules[suffix] if condition(stem) else word
    return word


def _form(word: str) -> str:
    """Return v or c for each letter: y is a vowel after a consonant, otherwise a consonant."""
    form = word.translate(_FORM)
    if "y" in form:
        kinds = ""
        for kind in form:
            kinds += kind if kind != "y" else "v" if kinds.endswith("c") else "c"
        return kinds
    return form


def _measure(word: str) -> int:
    """Return m, the number of times a vowel is followed by a consonant."""
    return _form(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _form(word)


def _double_consonant(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _form(word)[-1] == "c"


def _short(word: str) -> bool:
    """The condition *o: consonant, vowel, consonant at the end, where the last is not w, x or y."""
    return _form(word).endswith("cvc") and word[-1] not in "wxy"
