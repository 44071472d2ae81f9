"""The claims that the papers make in words, tried on what was measured."""

from collections.abc import Callable

# A claim is a function of a ``Table`` (see recoco.compare.table) and a combination of choices;
# it returns the outcome ("holds", "partly", "fails", "open") and the numbers in words. A claim
# that rests on other items than the table is tried once, whatever the combination.
CLAIMS: dict[str, Callable] = {}
_ONCE: set[str] = set()

ALMOST_ALL = 0.9


def claim(identifier: str, once: bool = False):
    def register(function):
        CLAIMS[identifier] = function
        if once:
            _ONCE.add(identifier)
        return function

    return register


def try_claim(identifier: str, table) -> tuple[str, str]:
    """Try a claim on single readings: as the paper states it, then under the best combination.

    A claim that fails as printed and holds under another reading holds partly.
    """
    outcome, numbers = CLAIMS[identifier](table, table.as_printed)
    if identifier in _ONCE or outcome == "open":
        return outcome, f"Measured: {numbers}."
    evidence = f"As printed ({table.as_printed.options[0][1]}): {numbers}."
    if table.best is not table.as_printed:
        other, numbers = CLAIMS[identifier](table, table.best)
        evidence += f" Under the table's best combination ({table.best.name}): {other}; {numbers}."
        if outcome == "fails" and other == "holds":
            outcome = "partly"
    return outcome, evidence


def grade_every(count: int, total: int) -> str:
    """Grade a claim that says "all" or "every": one exception is one too many."""
    return "holds" if count == total else "partly" if count >= total / 2 else "fails"


def grade(share: float) -> str:
    return "holds" if share >= ALMOST_ALL else "partly" if share >= 0.5 else "fails"
