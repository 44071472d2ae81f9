"""Why a cell of a table of scores comes out under another reading, or under none."""

import math

from recoco.compare.answers import Answer
from recoco.compare.table import Table
from recoco.plan import stated_options


def needed_choices(table: Table, row, options: dict[str, str]) -> list[str]:
    """Return the choices without whose option a cell would not come out under a reading."""
    stated = stated_options(table.item)
    changed = [choice for choice, option in options.items() if option != stated[choice]]
    needed = []
    for choice in changed:
        without = table.combination(options | {choice: stated[choice]})
        if not table.answer(row, without).within:
            needed.append(choice)
    return needed or changed


def cause_of(table: Table, row, options: dict[str, str], stated: Answer, other: Answer) -> dict:
    """Return cause and evidence of a cell that comes out under another reading."""
    choices = needed_choices(table, row, options)
    asked = table.item["choices"]
    texts = "; ".join(asked[choice]["options"][options[choice]]["text"] for choice in choices)
    evidence = f"{texts}: {_number(other)} in place of {_number(stated)}, with {row.value} printed."
    return {"cause": asked[choices[0]]["cause"], "evidence": evidence}


def readings_tried(table: Table, row, answers: dict[str, dict[str, Answer]]) -> str:
    """Return which readings were tried for a cell, and the nearest number that one of them gives.

    Parameters
    ----------
    answers : by combination and cell
    """
    seen: dict[tuple, tuple[str, Answer]] = {}
    for combination in table.combinations:
        answer = answers[combination.name][row.cell]
        if answer.status == "ok":
            seen.setdefault((answer.trial, answer.measured), (combination.text, answer))
    others = [found for found in seen.values() if found[0] != "as printed"]
    if not others:
        return "No other reading changes this number."
    printed = float(row.value)
    text, nearest = min(others, key=lambda found: abs(found[1].measured - printed))
    count = "1 other reading" if len(others) == 1 else f"{len(others)} other readings"
    place = "inside" if nearest.within else "outside"
    how = "not certainly inside" if nearest.undecided else place
    return (
        f"{count} tried; the nearest to {row.value} is {_number(nearest)}, {how} the tolerance "
        f"({text})."
    )


def _number(answer: Answer) -> str:
    measured = answer.measured
    return "no number" if measured is None or math.isnan(measured) else f"{measured:.3g}"
