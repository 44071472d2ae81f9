"""Tables of the items of a paper, made by their kinds, and the data behind figures."""

from recoco.items import kind_of
from recoco.report.figures.drawing import data_of
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Table


def is_drawn(item: dict) -> bool:
    """Tell whether an item has a figure."""
    return bool(item["draw"])


def item_table(material: Material, paper: Paper, name: str) -> Table | None:
    """Return the table of an item; None if it has no numbers."""
    return kind_of(paper.items[name]).table(material, paper, name)


def data_file(paper: Paper, name: str) -> str:
    """Return the name of the CSV with the numbers of an item's drawing; "" if there is none."""
    table = data_of(paper.items[name]["draw"])
    return f"{table}.csv" if table and (paper.folder / f"{table}.csv").is_file() else ""
