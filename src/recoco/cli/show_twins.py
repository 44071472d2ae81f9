"""Draw twins and compare them with their targets, or calibrate them."""

import re
from pathlib import Path

from recoco.core.errors import RecocoError

_SEPARATION = re.compile(r"^(twin:\n(?:  .*\n)*?  separation: )\S+$", re.MULTILINE)


def show_twins(names: list[str], calibrate: bool = False) -> int:
    """Print shape and score of the twins of some datasets, by default of all that have one."""
    from recoco.datasets import list_cards, load_card
    from recoco.datasets.calibration import BAND, score_of_twin

    chosen = names or [name for name in list_cards() if "twin" in load_card(name)]
    outside = 0
    for name in chosen:
        card = load_card(name)
        if "twin" not in card:
            raise RecocoError(
                f"The card of {name} has no twin: describe one in it "
                "(docs/configuration.md lists the keys)."
            )
        if calibrate:
            card["twin"]["separation"] = _calibrate(card)
        score, target = score_of_twin(card), card["twin"]["target"]
        far = abs(score - target["value"]) > BAND
        outside += far
        print(
            f"{name:14} separation {card['twin']['separation']:<7g} {target['metric']} {score:.3f} "
            f"of {target['method']}, {target['value']:g} {_SOURCES[target['from']]}"
            f"{': recalibrate it' if far else ''}",
            flush=True,
        )
    return 1 if outside else 0


_SOURCES = {"reference": "in the reference run", "printed": "printed"}


def _calibrate(card: dict) -> float:
    """Find the separation of a twin, write it into the card and return it."""
    from recoco.datasets.calibration import calibrate
    from recoco.datasets.card import card_path

    separation = calibrate(card).separation
    write_separation(card_path(card["name"]), separation)
    return separation


def write_separation(path: Path, separation: float) -> None:
    """Replace the separation of the twin in the file of a card."""
    text, places = _SEPARATION.subn(rf"\g<1>{separation:g}", path.read_text("utf-8"))
    if places != 1:
        raise RecocoError(
            f"{path.name} has no line `separation:` in a block `twin:` that could be replaced: "
            f"write {separation:g} there by hand."
        )
    path.write_text(text, "utf-8")
