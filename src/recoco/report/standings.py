"""Mean ranks and tests between methods as tables."""

from recoco.report import formats
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Entry, Table, measured_entry

_TESTS = {
    "friedman": "Friedman",
    "nemenyi": "Nemenyi",
    "wilcoxon-holm": "Wilcoxon signed rank, Holm",
}
_SOURCES = {
    "printed": "printed means",
    "printed-favoured": "printed means, ties decided",
    "measured": "our means",
}


def source_name(key: str) -> str:
    """Return a source of ranks in words; ours have a combination of choices behind a colon."""
    name, _, combination = key.partition(": ")
    return _SOURCES.get(name, name) + (f", {combination}" if combination else "")


def ranks_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the printed numbers of a ranking beside what each source gives, or all tests."""
    block = paper.config["items"][item]
    cells = material.cells_of(paper.key, item)
    if "published" not in block or not cells:
        return _tests_table(paper, item)
    found = {
        cell.id: {row["combination"]: row for row in paper.measures_of.get(cell.id, [])}
        for cell in cells
    }
    others = list(dict.fromkeys(key for rows in found.values() for key in rows if key != "printed"))
    several = len({cell.method for cell in cells}) > 1
    columns = [Column(("What",), numeric=False)]
    columns += [Column(("Methods",), numeric=False)] * several
    columns += [Column(("printed",)), Column(("from the printed means",))]
    columns += [Column((f"from {source_name(key)}",)) for key in others]
    rows = []
    for cell in cells:
        row = [Entry(formats.metric_name(cell.metric)), *[Entry(cell.method)] * several]
        row += [Entry(cell.printed), measured_entry(cell)]
        for key in others:
            value = formats.as_float(found[cell.id].get(key, {}).get("measured"))
            row.append(Entry(formats.number(value, 3)))
        rows.append(row)
    return Table(f"{paper.key}_{item}", block["title"], block.get("caption", ""), columns, rows)


def _tests_table(paper: Paper, item: str) -> Table | None:
    found = paper.of_item("tests", item).to_dict("records")
    if not found:
        return None
    block = paper.config["items"][item]
    names = ("Metric", "Scores", "Test", "First", "Second")
    columns = [Column((name,), numeric=False) for name in names]
    columns += [Column((name,)) for name in ("Datasets", "Value", "Critical", "p")]
    columns += [Column(("Differ",), numeric=False), Column(("Note",), numeric=False, wrap=True)]
    rows = []
    for row in found:
        source = f"{row['source']}: {row['combination']}" if row["combination"] else row["source"]
        texts = [
            formats.metric_name(row["metric"]),
            source_name(source),
            _TESTS.get(row["test"], row["test"]),
            row["first"] or "all",
            row["second"],
            formats.whole(row["n_datasets"]),
            formats.number(formats.as_float(row["value"]), 3),
            formats.number(formats.as_float(row["critical"]), 3),
            formats.p_value(formats.as_float(row["p"])),
            "yes" if formats.as_bool(row["differs"]) else "no",
            row["note"],
        ]
        rows.append([Entry(text) for text in texts])
    return Table(f"{paper.key}_{item}", block["title"], block.get("caption", ""), columns, rows)
