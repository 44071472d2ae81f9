"""Characteristics: the sizes of datasets that a paper prints, beside the measured ones."""

from decimal import Decimal

from recoco.items.kind import Kind
from recoco.items.properties import DATASETS

# Printed column of datasets.csv -> how it is measured from the record of ``prepare``.
MEASURED = {
    "documents": lambda c: c["rows"],
    "words": lambda c: c["columns"][0],
    "clusters": lambda c: c["classes"],
    "sparsity_percent": lambda c: c["sparsity_percent"],
    "nonzero_percent": lambda c: 100 - c["sparsity_percent"],
    "balance": lambda c: c["balance"],
}


class Characteristics(Kind):
    name = "characteristics"
    about = "What the paper prints about its datasets."
    schema = {"datasets": DATASETS}
    required = ("datasets",)
    tables = {
        "characteristics": [
            *("paper", "dataset", "card", "characteristic", "printed", "measured", "agrees"),
            "note",
        ],
    }

    def rows(self, comparison, name, item):
        rows = compare_characteristics(comparison.key, item["datasets"], comparison.records)
        return {"characteristics": rows}

    def table(self, material, paper, name):
        """Return the characteristics of the datasets, printed beside measured."""
        from recoco.report import formats
        from recoco.report.tables import Entry, number_columns, pivot, table_of, text_columns

        rows = paper.frames["characteristics"].to_dict("records")
        if not rows:
            return None
        shown = list(dict.fromkeys(row["characteristic"] for row in rows))
        columns = text_columns("Dataset")
        for characteristic in shown:
            columns += number_columns(
                "printed", "measured", under=formats.metric_name(characteristic)
            )
        lines = []
        for (dataset,), facts in pivot(rows, ("dataset",), "characteristic").items():
            line = [Entry(dataset)]
            for characteristic in shown:
                fact = facts.get(characteristic)
                line += [Entry(fact["printed"]), _entry(fact)] if fact else [Entry(), Entry()]
            lines.append(line)
        notes = dict.fromkeys(f"{row['dataset']}: {row['note']}" for row in rows if row["note"])
        return table_of(paper, name, columns, lines, notes)


def compare_characteristics(paper: str, datasets: dict[str, str], records: dict[str, dict]):
    """Return a row per printed characteristic of the datasets of a table.

    Parameters
    ----------
    datasets : printed name -> card
    records : card -> characteristics written by ``prepare``
    """
    rows = []
    for name, card in datasets.items():
        record = records[card]
        printed = record.get("printed", {}).get(paper, {})
        same = {"paper": paper, "dataset": name, "card": card, "note": printed.get("note") or ""}
        measured = record if record["status"] == "ok" else None
        for part in (_plain, _views, _sizes):
            rows += [{**same, **row} for row in part(printed, measured)]
    return rows


def _row(characteristic: str, printed: str, measured) -> dict:
    row = {"characteristic": characteristic, "printed": printed, "measured": measured}
    if measured is None:
        return {**row, "agrees": None}
    same = printed == measured if isinstance(measured, str) else agrees(printed, measured)
    return {**row, "agrees": same}


def _plain(printed: dict, record: dict | None):
    """Yield the characteristics that are printed as one number."""
    for characteristic, measured_of in MEASURED.items():
        text = str(printed.get(characteristic) or "").strip()
        if _is_number(text):
            yield _row(characteristic, text, measured_of(record) if record else None)


def _views(printed: dict, record: dict | None):
    """Yield the printed width of each view of a dataset that has several, e.g. 3183|3203."""
    widths = str(printed.get("words") or "").split("|")
    if len(widths) < 2:
        return
    for view, text in enumerate(widths):
        if _is_number(text):
            yield _row(f"words_{view + 1}", text, record["columns"][view] if record else None)


def _sizes(printed: dict, record: dict | None):
    """Yield the printed sizes of the classes, largest first: their names differ by source."""
    sizes = [part.rpartition(":")[2] for part in str(printed.get("class_sizes") or "").split("|")]
    if all(map(_is_number, sizes)):
        measured = _list(record["class_sizes"].values()) if record else None
        yield _row("class_sizes", _list(map(int, sizes)), measured)


def _list(sizes) -> str:
    return ", ".join(str(size) for size in sorted(sizes, reverse=True))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def agrees(printed: str, measured: float) -> bool:
    """Tell whether ``measured`` is ``printed`` to the printed number of digits."""
    digits = -Decimal(printed).as_tuple().exponent
    if digits <= 0:
        return float(printed) == measured
    # One unit in the last place: authors round up, down and to nearest.
    return abs(float(printed) - measured) < 10.0**-digits


def _entry(fact: dict):
    from recoco.report import formats
    from recoco.report.tables import Entry

    text = _measured_text(fact["measured"], fact["printed"])
    if not text or not fact["printed"]:
        return Entry(text or formats.NOTHING)
    agreed = formats.as_bool(fact["agrees"])
    return Entry(text, "agrees" if agreed else "differs", "=" if agreed else "≠")


def _measured_text(measured: str, printed: str) -> str:
    """Return a measured characteristic, with one decimal more than the printed one has."""
    from recoco.report import formats

    value = formats.as_float(measured)
    if value != value:  # a list of sizes, or nothing
        return measured
    if value == int(value) and "." not in printed:
        return str(int(value))
    return formats.number(value, formats.decimals(printed) + 1)


KIND = Characteristics()
