"""Mean ranks and tests between methods as tables of the report."""

from recoco.report import formats, tables
from recoco.report.inputs import Material, Paper

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
    """Return the name of a source of ranks; a combination of choices follows a colon."""
    name, _, combination = key.partition(": ")
    return _SOURCES.get(name, name) + (f", {combination}" if combination else "")


def ranks_table(material: Material, paper: Paper, name: str) -> tables.Table | None:
    """Return the printed numbers of a ranking beside those of each source, or all tests."""
    cells = material.cells_of(paper.key, name)
    if not paper.items[name]["published"] or not cells:
        return _tests_table(paper, name)
    measures = {
        cell.id: {row["combination"]: row for row in paper.measures_of.get(cell.id, [])}
        for cell in cells
    }
    sources = dict.fromkeys(key for rows in measures.values() for key in rows if key != "printed")
    several = len({cell.method for cell in cells}) > 1
    columns = tables.text_columns("What", *["Methods"] * several)
    columns += tables.number_columns("printed", "from the printed means")
    columns += tables.number_columns(*(f"from {source_name(key)}" for key in sources))
    lines = []
    for cell in cells:
        names = tables.entries(formats.metric_name(cell.metric), *[cell.method] * several)
        values = [measures[cell.id].get(key, {}).get("measured") for key in sources]
        numbers = tables.entries(*(formats.number(value, 3) for value in values))
        lines.append([*names, *tables.pair_entries(cell), *numbers])
    return tables.table_of(paper, name, columns, lines)


def _tests_table(paper: Paper, name: str) -> tables.Table | None:
    rows = paper.rows_of("tests", name)
    if not rows:
        return None
    columns = tables.text_columns("Metric", "Scores", "Test", "First", "Second")
    columns += tables.number_columns("Datasets", "Value", "Critical", "p")
    columns += [*tables.text_columns("Differ"), tables.Column(("Note",), numeric=False, wrap=True)]
    lines = []
    for row in rows:
        source = f"{row['source']}: {row['combination']}" if row["combination"] else row["source"]
        lines.append(
            tables.entries(
                formats.metric_name(row["metric"]),
                source_name(source),
                _TESTS.get(row["test"], row["test"]),
                row["first"] or "all",
                row["second"],
                formats.whole(row["n_datasets"]),
                formats.number(row["value"], 3),
                formats.number(row["critical"], 3),
                formats.p_value(row["p"]),
                "yes" if formats.as_bool(row["differs"]) else "no",
                row["note"],
            )
        )
    return tables.table_of(paper, name, columns, lines)
