"""Forms and functions that check claims, and the rules that turn a share into an outcome.

A *form* is a check that any paper can use, with options from its claims.yaml; a *function* is
written for one claim. Both take ``(table, combination, options)`` and return the outcome ("holds",
"partly", "fails" or "open") and the evidence in words. A claim about other items than the table
of scores is checked once: it does not depend on the combination.
"""

from collections.abc import Callable
from dataclasses import dataclass

ALMOST_ALL = 0.9
NO_DATA = "open", "no dataset of the table is available"


@dataclass(frozen=True)
class Check:
    """How a claim is checked.

    Attributes
    ----------
    run : the function that checks it
    once : whether the outcome is the same under every combination of choices
    fields : function of the options; returns the names that each of their templates may use
    """

    run: Callable
    once: bool = False
    fields: Callable[[dict], dict[str, set[str]]] = lambda options: {}


FORMS: dict[str, Check] = {}
FUNCTIONS: dict[str, Check] = {}


def form(name: str, once: bool = False, fields=lambda options: {}):
    """Register a form under the name that claims.yaml gives as ``form``."""

    def register(function):
        FORMS[name] = Check(function, once, fields)
        return function

    return register


def special(once: bool = False):
    """Register a function under the name that claims.yaml gives as ``function``."""

    def register(function):
        if function.__name__ in FUNCTIONS:
            raise ValueError(f"two functions check claims under the name {function.__name__}")
        FUNCTIONS[function.__name__] = Check(function, once)
        return function

    return register


def grade_every(count: int, total: int) -> str:
    """Grade a claim that says "all" or "every": one exception is one too many."""
    return "holds" if count == total else "partly" if count >= total / 2 else "fails"


def grade_readings(shares: list[float]) -> str:
    """Grade a claim by its first reading; if only another one supports it, it holds partly."""
    outcome = grade(shares[0])
    return "partly" if outcome == "fails" and max(shares) >= 0.5 else outcome


def grade(share: float) -> str:
    """Grade a claim by the share of the cases in which it is true."""
    return "holds" if share >= ALMOST_ALL else "partly" if share >= 0.5 else "fails"
