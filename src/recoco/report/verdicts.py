"""The verdicts on printed cells: their labels, and how they are counted."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """How a verdict is shown: by colour and by a letter, for readers who see no colours."""

    key: str
    letter: str
    label: str
    meaning: str
    always: bool = True  # named in the summary line even when no cell has it
    compared: bool = True  # a verdict of the stage compare, not one that only the report gives
    measured: bool = True  # a verdict on a number that was computed


_NO_NUMBER = {"measured": False}
_OPEN = {"always": False, "compared": False, "measured": False}

VERDICTS = {
    verdict.key: verdict
    for verdict in (
        Verdict("reproduced", "R", "reproduced", "comes out within tolerance, read as printed"),
        Verdict(
            "explained",
            "E",
            "explained by a selection rule",
            "comes out under the best fixed combination of what the paper leaves open",
        ),
        Verdict("better", "B", "better", "ours is on the better side of the printed value"),
        Verdict("worse", "W", "worse", "ours is on the worse side of the printed value"),
        Verdict("variant", "V", "variant", "measured on another preparation of the data"),
        Verdict("unreachable", "U", "unreachable", "its data is not available here", **_NO_NUMBER),
        Verdict("failed", "F", "failed", "the computation ended in an error", False, **_NO_NUMBER),
        Verdict("not-run", "N", "not run", "planned, not yet computed", False, **_NO_NUMBER),
        Verdict("absent", "·", "not in this report", "nothing in this report answers it", **_OPEN),
        Verdict("unprinted", "–", "no number printed", "the paper has a dash or NA there", **_OPEN),
    )
}
COMPARED = [key for key, verdict in VERDICTS.items() if verdict.compared]


def count_verdicts(verdicts) -> dict[str, int]:
    """Count verdicts, in the order in which they are always shown."""
    verdicts = list(verdicts)
    return {key: verdicts.count(key) for key in VERDICTS}


def summary_line(cells) -> str:
    """Return one line with the number of cells by verdict in some ``cells.csv`` frames."""
    counts = count_verdicts(verdict for frame in cells for verdict in frame["verdict"])
    parts = [
        f"{counts[key]} {verdict.label}"
        for key, verdict in VERDICTS.items()
        if key != "absent" and (verdict.always or counts[key])
    ]
    return "cells: " + " / ".join(parts)
