"""How full the word-by-word matrix is under every way to count, beside what is printed."""

from pathlib import Path

from recoco.compare.characteristics import agrees
from recoco.store import read_json

PRINTED = "nz_m_percent"


def compare_densities(
    paper: str, item: str, datasets: dict[str, str], records: dict[str, dict], files: list[Path]
) -> list[dict]:
    """Return a row per dataset and way to count.

    Parameters
    ----------
    datasets : printed name -> card
    records : card -> characteristics written by ``prepare``
    files : what the stage ``densities`` wrote, named by card
    """
    at_hand = {path.stem: path for path in files}
    rows = []
    for name, card in datasets.items():
        if card not in at_hand:
            continue
        printed = str(records[card].get("printed", {}).get(paper, {}).get(PRINTED, "") or "")
        for found in read_json(at_hand[card]):
            rows.append(
                {
                    "item": item,
                    "dataset": name,
                    "card": card,
                    **found,
                    "printed": printed,
                    "agrees": agrees(printed, found["measured"]) if printed else None,
                }
            )
    return rows
