"""The verdicts on printed cells: the one list of them, and which one a cell gets.

Everything else that knows verdicts (the report, its colours, the summary line, the documentation)
is derived from `VERDICTS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recoco.compare.answers import Answer


@dataclass(frozen=True)
class Verdict:
    """How a verdict is shown: by colour and by a letter, for readers who see no colours.

    ``ink`` is the colour of the letter, ``soft`` are the grounds of table cells on a light and on
    a dark page.
    """

    key: str
    letter: str
    label: str
    meaning: str
    fill: str
    ink: str = "#ffffff"
    soft: tuple[str, str] = ("", "")
    always: bool = True  # named in the summary line even when no cell has it
    compared: bool = True  # a verdict of the stage compare, not one that only the report gives
    measured: bool = True  # a verdict on a number that was computed


_DARK = "#1b1c1e"
_NO_NUMBER = {"measured": False}
_OPEN = {"always": False, "compared": False, "measured": False}

# In the order in which they are shown. `verdict` says which one comes first if several apply.
VERDICTS = {
    verdict.key: verdict
    for verdict in (
        Verdict(
            *("reproduced", "R", "reproduced"),
            "comes out within the tolerance of the print, read as stated",
            *("#00785a", "#ffffff", ("#d9efe6", "#113a2d")),
        ),
        Verdict(
            *("explained", "E", "explained"),
            "comes out under another reading, which was chosen without this dataset",
            *("#2166ac", "#ffffff", ("#d8e7f7", "#14324f")),
        ),
        Verdict(
            *("fits", "I", "fits"),
            "comes out under another reading, which was chosen on this cell's own data too",
            *("#8ecae6", _DARK, ("#e0f2fb", "#173d4e")),
            always=False,
        ),
        Verdict(
            *("close", "C", "close"),
            "beyond the tolerance, within one printed standard deviation or our own runs",
            *("#b5dd9c", _DARK, ("#ecf6e5", "#2a3d1f")),
            always=False,
        ),
        Verdict(
            *("higher", "H", "higher"),
            "ours is higher than the printed value",
            *("#f4c542", _DARK, ("#fbf0cf", "#4a3b0c")),
        ),
        Verdict(
            *("lower", "L", "lower"),
            "ours is lower than the printed value",
            *("#d55e00", "#ffffff", ("#fde3cf", "#54290a")),
        ),
        Verdict(
            *("undecided", "?", "undecided"),
            "our runs are too few to say whether it comes out",
            *("#a9a9a4", _DARK, ("#ececea", "#37383a")),
            always=False,
        ),
        Verdict(
            *("misprint", "M", "misprint"),
            "the paper contradicts itself here, see the erratum",
            *("#6a4c93", "#ffffff", ("#e6def0", "#352649")),
            always=False,
        ),
        Verdict(
            *("variant", "V", "variant"),
            "measured on another preparation of the data",
            *("#cf9fd6", _DARK, ("#f5e9f7", "#40284a")),
        ),
        Verdict(
            *("unreachable", "U", "unreachable", "its data is not available here"),
            *("url(#hatch)", _DARK),
            **_NO_NUMBER,
        ),
        Verdict(
            *("failed", "F", "failed", "the computation ended in an error", "#1b1c1e"),
            always=False,
            measured=False,
        ),
        Verdict(
            *("not-run", "N", "not run", "planned, not yet computed", "#ffffff", _DARK),
            always=False,
            measured=False,
        ),
        Verdict(
            *("absent", "·", "not in this report", "nothing in this report answers it"),
            *("#f0f0ee", _DARK),
            **_OPEN,
        ),
        Verdict(
            *("unprinted", "–", "no number printed", "the paper has a dash or NA there"),
            *("#f0f0ee", _DARK),
            **_OPEN,
        ),
    )
}
COMPARED = [key for key, verdict in VERDICTS.items() if verdict.compared]
# Verdicts on a number that does not come out as the paper states it: each of them has a cause.
CAUSED = frozenset({"explained", "fits", "close", "higher", "lower", "undecided", "misprint"})
# What a printed deviation that was judged says of a mean that comes out.
SPREADS = {"agrees": "mean and spread", "differs": "mean only, our runs have another spread"}
# Names in a reference run of an earlier version.
RENAMED = {"better": "higher", "worse": "lower"}


def verdict(
    stated: Answer,
    other: Answer | None = None,
    out_of_sample: bool = True,
    variant: str | None = None,
    misprint: str | None = None,
) -> tuple[str, Answer, str]:
    """Return the verdict on a cell, the answer it rests on, and the reason in a sentence.

    The first that applies is the verdict.

    Parameters
    ----------
    stated : the answer under the reading that the paper states
    other : the answer under another reading that was chosen, None if there is none
    out_of_sample : whether that reading was chosen without the data of the cell
    variant : how our data differ from the paper's
    misprint : the erratum that says why the printed number cannot be right
    """
    if stated.status == "unreachable":
        return "unreachable", stated, stated.why
    if stated.status in ("failed", "timeout"):
        return "failed", stated, stated.why
    if stated.status == "not-run":
        return "not-run", stated, stated.why
    if variant:
        return "variant", stated, f"{stated.why}; our data is not the paper's: {variant}"
    if misprint:
        return "misprint", stated, f"{stated.why}; {misprint}"
    if stated.undecided:
        return "undecided", stated, f"{stated.why}."
    if stated.within:
        spread = f"; {SPREADS[stated.spread]}" if stated.spread else ""
        return "reproduced", stated, f"{stated.why}{spread}."
    if other is not None and other.within:
        how = (
            "chosen without the data of this cell"
            if out_of_sample
            else "chosen with this cell, as there is nothing else to choose it by"
        )
        reason = (
            f"As stated: {stated.why}. It comes out under another reading ({how}): {other.why}."
        )
        return "explained" if out_of_sample else "fits", other, reason
    if stated.close:
        return "close", stated, f"{stated.why}; {stated.close}."
    return stated.side, stated, f"{stated.why}."
