"""Draw the figure of an item with the function that its ``draw:`` names."""

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.report.figures import svg
from recoco.report.figures.drawing import Subject, drawings
from recoco.report.inputs import Material, Paper


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
