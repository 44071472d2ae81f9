"""Recipes: how the makers of published matrices turned texts into words.

A recipe follows the description of the makers. Where they do not print a detail, such as a list of
stop words, it is what the published matrix shows when it is compared with the texts.
"""

import re
from collections.abc import Callable

from recoco.datasets.stemming import porter

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


RECIPES: dict[str, Callable[[str], list[str]]] = {"bbc": bbc}
