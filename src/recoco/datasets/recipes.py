"""Recipes: how the makers of published matrices turned texts into words.

A recipe follows the description of the makers. Where they do not print a detail, such as a list of
stop words, it is what the published matrix shows when it is compared with the texts.
"""

import re
from collections.abc import Callable

from recoco.datasets.stemming import porter
from recoco.datasets.stemming_frakes import frakes

# Joined without a trace: "one-off" is a word, and "1.13bn" is 113bn.
_JOINED = re.compile(r"[.-]")
_BBC_WORD = re.compile(r"£?[^\W_]+")

# The words of the BBC articles that the matrix of D. Greene never counts.
_NEVER_COUNTED = """
about above according across actually after afterwards again all almost along already also although
always am among amongst an and another any anyone anything anywhere are aren around as at be became
because become becomes been begin being below besides between both but by can cannot co come could
couldn did didn do does doesn don down during each early either else elsewhere end ending enough
etc even ever every everywhere except few for found from further had has hasn have haven he hence
her here him his how however ie if in inc indeed instead into is isn it its itself last late later
less let like likely ll ltd made make makes many may maybe me meantime meanwhile might miss more
most mostly mr mrs much must my myself namely near neither never nevertheless new next no nobody
none nonetheless noone nor not now of off often on once only onto or other others otherwise our
ours ourselves out over own per perhaps rather re said same say seem seemed seems several she
should shouldn since so some still stop such taking ten than that the their them themselves then
there thereby therefore these they this those though thousand through throughout thus to together
too toward towards under unless unlike unlikely until up upon us use used using ve very via was
wasn we well were weren what whatever when whenever where whereas whereby wherever whether which
while who whoever whole whom whose why will with within without won would wouldn yes yet you your
yourself
"""
_BBC_STOP_WORDS = frozenset(_NEVER_COUNTED.split())


def bbc(text: str) -> list[str]:
    """Return the words as in the matrices of D. Greene and P. Cunningham (BBC, 2006).

    Letters, digits and the pound sign make words of at least two characters; stop words are
    removed, then the others are stemmed by Porter's program.
    """
    found = _BBC_WORD.findall(_JOINED.sub("", text.lower()))
    kept = (word for word in found if len(word) > 1 and word not in _BBC_STOP_WORDS)
    return [porter(word, program=True) for word in kept]


# The stop list of C. Fox (1990), which is printed beside the stemmer of Frakes. Single letters,
# which it contains as well, are not words.
_FOX = """
about above across after again against all almost alone along already also although always among an
and another any anybody anyone anything anywhere are area areas around as ask asked asking asks at
away back backed backing backs be became because become becomes been before began behind being
beings best better between big both but by came can cannot case cases certain certainly clear
clearly come could did differ different differently do does done down downed downing downs during
each early either end ended ending ends enough even evenly ever every everybody everyone everything
everywhere face faces fact facts far felt few find finds first for four from full fully further
furthered furthering furthers gave general generally get gets give given gives go going good goods
got great greater greatest group grouped grouping groups had has have having he her here herself
high higher highest him himself his how however if important in interest interested interesting
interests into is it its itself just keep keeps kind knew know known knows large largely last later
latest least less let lets like likely long longer longest made make making man many may me member
members men might more most mostly mr mrs much must my myself necessary need needed needing needs
never new newer newest next no nobody non noone not nothing now nowhere number numbered numbering
numbers of off often old older oldest on once one only open opened opening opens or order ordered
ordering orders other others our out over part parted parting parts per perhaps place places point
pointed pointing points possible present presented presenting presents problem problems put puts
quite rather really right room rooms said same saw say says second seconds see seem seemed seeming
seems sees several shall she should show showed showing shows side sides since small smaller
smallest so some somebody someone something somewhere state states still such sure take taken than
that the their them then there therefore these they thing things think thinks this those though
thought thoughts three through thus to today together too took toward turn turned turning turns two
under until up upon us use used uses very want wanted wanting wants was way ways we well wells went
were what when where whether which while who whole whose why will with within without work worked
working works would year years yet you young younger youngest your yours
"""
_FOX_STOP_WORDS = frozenset(_FOX.split())
_LETTERS = re.compile(r"[a-z]+")


def cluto_reuters(text: str) -> list[str]:
    """Return the words as in the matrices re0 and re1 of G. Karypis (CLUTO, 2002).

    Runs of letters make words; single letters and stop words are removed, then the others are
    stemmed by the program of W. B. Frakes.
    """
    found = _LETTERS.findall(text.lower())
    return [frakes(word) for word in found if len(word) > 1 and word not in _FOX_STOP_WORDS]


_BRACKET = re.compile(r"<([^>]*)>")  # &lt; in the files of the collection
_LEFT_OUT = re.compile(r"[^a-z0-9.-]")
_BETWEEN_DIGITS = re.compile(r"(?<=[0-9])\.(?=[0-9])")


def cai_reuters(text: str) -> list[str]:
    """Return the words as in the Reuters-21578 matrix of D. Cai, of which reuters4 is a part.

    Words are not stemmed, although the names of the published columns are. Punctuation inside words
    and numbers leaves no trace, except the points of decimals; parts around a hyphen make one
    word if none of them is a stop word or a number.
    """
    words: list[str] = []
    for piece in _BRACKET.sub(r" lt \1 ", text.lower().replace("'", " ")).split():
        parts = _LEFT_OUT.sub("", piece).replace("-", " ").split()
        if not any(part in _FOX_STOP_WORDS or part.isdigit() for part in parts):
            parts = ["".join(parts)]
        for part in parts:
            word = part if _BETWEEN_DIGITS.search(part) else part.replace(".", "")
            word = word.strip(".")
            if word and word not in _FOX_STOP_WORDS and (len(word) > 1 or word.isdigit()):
                words.append(word)
    return words


RECIPES: dict[str, Callable[[str], list[str]]] = {
    "bbc": bbc,
    "cai-reuters": cai_reuters,
    "cluto-reuters": cluto_reuters,
}
