"""How full a matrix of word pairs is under every way to count, as a table."""

from recoco.report import formats
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Entry, Table

_COUNTS = {
    "binary": "documents with both words",
    "min": "smaller of the two entries",
    "product": "product of the entries",
    "tfidf": "product of the TF-IDF entries",
}


def densities_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return a row per dataset and way to count, a column per shift; what agrees is marked."""
    block = paper.config["items"][item]
    found = paper.of_item("densities", item).to_dict("records")
    if not found:
        return None
    shifts = sorted({row["shift"] for row in found}, key=formats.as_float)
    columns = [Column((name,), numeric=False) for name in ("Dataset", "Counted", "Diagonal")]
    columns += [Column(("% non-zero", "printed"))]
    columns += [Column(("% non-zero", f"N = {formats.as_float(n):g}")) for n in shifts]
    placed: dict[tuple, dict[str, dict]] = {}
    for row in found:
        key = (row["dataset"], row["count"], row["diagonal"], row["printed"])
        placed.setdefault(key, {})[row["shift"]] = row
    rows = []
    for (dataset, count, diagonal, printed), by_shift in placed.items():
        kept = "kept" if formats.as_bool(diagonal) else "left out"
        names = [Entry(text) for text in (dataset, _COUNTS.get(count, count), kept)]
        said = Entry(printed or formats.NOTHING)
        rows.append([*names, said, *(_entry(by_shift.get(shift)) for shift in shifts)])
    missing = [name for name in block["datasets"] if name not in {row["dataset"] for row in found}]
    notes = [f"No data: {', '.join(missing)}."] if missing else []
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows, notes=notes)


def _entry(row: dict | None) -> Entry:
    if row is None:
        return Entry()
    text = formats.number(formats.as_float(row["measured"]), formats.decimals(row["printed"]) or 2)
    agrees = bool(row["printed"]) and formats.as_bool(row["agrees"])
    return Entry(text, "agrees", "=") if agrees else Entry(text)
