"""The table and the figure of an item of a paper, as its kind makes them."""

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.items import kind_of
from recoco.report.figures import svg
from recoco.report.figures.drawing import Subject, data_of, drawings
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


def draw(material: Material, paper: Paper, name: str) -> tuple[str, str, bytes]:
    """Return the figure of an item as (element of a page, SVG file, PDF file)."""
    import matplotlib

    item, known = paper.items[name], drawings()
    if item["draw"] not in known:
        advice = nearest(item["draw"], known)
        raise RecocoError(f"{paper.key}, items.{name}: no drawing {item['draw']!r}: {advice}")
    key = f"{paper.key}_{name}"
    with matplotlib.rc_context(svg.style(key)):
        figure = known[item["draw"]](Subject(material, paper, name))
        text = svg.draw_svg(figure)
        pdf = svg.draw_pdf(figure)
    return svg.for_page(text, key, item["title"]), svg.for_file(text), pdf
