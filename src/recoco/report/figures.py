"""Figures of the papers and our own, each a function that ``draw:`` in config/papers names."""

from recoco.errors import RecocoError
from recoco.report import (
    bars,
    board_figures,
    coclusters,
    curves,
    distributions,
    ensembles,
    graph_bars,
    histograms,
    rankings,
    selection,
    studies,
    svg,
    topic_maps,
)
from recoco.report.drawing import DRAWINGS, Subject
from recoco.report.inputs import Material, Paper
from recoco.report.items import DRAWN
from recoco.schema import nearest


def draw(material: Material, paper: Paper, item: str) -> tuple[str, str, bytes]:
    """Return a figure as (element of a page, SVG file, PDF file)."""
    import matplotlib

    block = paper.config["items"][item]
    name = block.get("draw") or DRAWN[block["kind"]]
    if name not in DRAWINGS:
        raise RecocoError(
            f"{paper.key}.yaml, items.{item}: no drawing {name!r}: {nearest(name, list(DRAWINGS))}"
        )
    key = f"{paper.key}_{item}"
    with matplotlib.rc_context(svg.style(key)):
        figure = DRAWINGS[name](Subject(material, paper, item))
        text = svg.draw_svg(figure)
        pdf = svg.draw_pdf(figure)
    return svg.for_page(text, key, block["title"]), svg.for_file(text), pdf


__all__ = [
    "DRAWINGS",
    "bars",
    "board_figures",
    "coclusters",
    "curves",
    "distributions",
    "draw",
    "ensembles",
    "graph_bars",
    "histograms",
    "rankings",
    "selection",
    "studies",
    "topic_maps",
]
