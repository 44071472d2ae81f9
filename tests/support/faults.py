"""How much of the large batteries of faults is run: little by default, all by `make faults`.

``RECOCO_FAULTS`` is the share of all cases: 0.01 by default, 0.1 in CI, 1 for all of them.
"""

import os


def share() -> float:
    named = os.environ.get("RECOCO_FAULTS", "")
    return float(named) if named else 0.1 if os.environ.get("CI") else 0.01


def some_of(number: int, least: int = 3) -> int:
    """Return a share of a number of cases, at least a few."""
    return min(number, max(least, round(share() * number)))


def some(cases, least: int = 3) -> list:
    """Return a share of the cases, spread evenly over all of them, at least a few."""
    cases = list(cases)
    wanted = some_of(len(cases), least)
    return [cases[int((number + 0.5) * len(cases) / wanted)] for number in range(wanted)]
