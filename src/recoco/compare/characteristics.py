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
        same = {"paper": paper, "dataset": printed_name, "card": card}
        note = {"note": printed.get("note", "") or ""}
        for characteristic, measured_of in _MEASURED.items():
            text = str(printed.get(characteristic, "") or "").strip()
            if not _is_number(text):
                continue
            measured = measured_of(record) if record["status"] == "ok" else None
            found = {"characteristic": characteristic, "printed": text, "measured": measured}
            found["agrees"] = None if measured is None else agrees(text, measured)
            rows.append({**same, **found, **note})
        rows += [
            {**same, **found, **note}
            for found in (*_views(printed, record), *_sizes(printed, record))
        ]
    return rows


def _views(printed: dict, record: dict):
    """Yield the printed width of each view of a dataset that has several, e.g. 3183|3203."""
    widths = str(printed.get("words", "") or "").split("|")
    if len(widths) < 2:
        return
    reached = record["status"] == "ok"
    for view, text in enumerate(widths):
        if _is_number(text):
            measured = record["columns"][view] if reached else None
            found = {"characteristic": f"words_{view + 1}", "printed": text, "measured": measured}
            yield {**found, "agrees": agrees(text, measured) if reached else None}


def _sizes(printed: dict, record: dict):
    """Yield the printed sizes of the classes, largest first: their names differ by source."""
    said = [part.rpartition(":")[2] for part in str(printed.get("class_sizes") or "").split("|")]
    if not all(map(_is_number, said)):
        return
    text = _list(map(int, said))
    measured = _list(record["class_sizes"].values()) if record["status"] == "ok" else None
    found = {"characteristic": "class_sizes", "printed": text, "measured": measured}
    yield {**found, "agrees": None if measured is None else text == measured}


def _list(sizes) -> str:
    return ", ".join(str(size) for size in sorted(sizes, reverse=True))


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
