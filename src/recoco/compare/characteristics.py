"""Measured characteristics of the datasets beside the printed ones."""

from decimal import Decimal

# Printed column of datasets.csv -> how it is measured from the record of ``prepare``.
_MEASURED = {
    "documents": lambda c: c["rows"],
    "words": lambda c: c["columns"][0],
    "clusters": lambda c: c["classes"],
    "sparsity_percent": lambda c: c["sparsity_percent"],
    "nonzero_percent": lambda c: 100 - c["sparsity_percent"],
    "balance": lambda c: c["balance"],
}


def compare_characteristics(paper: str, datasets: dict[str, str], records: dict[str, dict]):
    """Return a row per printed characteristic of the datasets of a table.

    Parameters
    ----------
    datasets : printed name -> card
    records : card -> characteristics written by ``prepare``
    """
    rows = []
    for printed_name, card in datasets.items():
        record = records[card]
        printed = record.get("printed", {}).get(paper, {})
        for characteristic, measured_of in _MEASURED.items():
            text = str(printed.get(characteristic, "") or "").strip()
            if not _is_number(text):
                continue
            measured = measured_of(record) if record["status"] == "ok" else None
            rows.append(
                {
                    "paper": paper,
                    "dataset": printed_name,
                    "card": card,
                    "characteristic": characteristic,
                    "printed": text,
                    "measured": measured,
                    "agrees": None if measured is None else agrees(text, measured),
                    "note": printed.get("note", "") or "",
                }
            )
    return rows


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def agrees(printed: str, measured: float) -> bool:
    """Say whether ``measured`` is ``printed`` to the printed number of digits."""
    digits = -Decimal(printed).as_tuple().exponent
    # One unit in the last place: authors round up, down and to nearest.
    return (
        abs(float(printed) - measured) < 10.0**-digits
        if digits > 0
        else (float(printed) == measured)
    )
