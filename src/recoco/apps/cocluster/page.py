"""The page about a folder: one self-contained file."""

from pathlib import Path

import numpy as np

from recoco.report.figures import raster as pictures
from recoco.report.figures import svg

_TEMPLATE = Path(__file__).parent / "page.html"


def draw_matrices(result) -> tuple[str, str]:
    """Draw documents by words as they were read, and in the order of the co-clusters."""
    X, coclustering = result.texts.X, result.coclustering
    before = pictures.rasterise(X, np.arange(X.shape[0]), np.arange(X.shape[1]))
    after = pictures.reorganise(X, coclustering.row_labels, coclustering.column_labels)
    most = pictures.full_share(before, after)
    words = f"{X.shape[1]:,} words, alphabetically"
    documents = f"{X.shape[0]:,} documents, by path"
    return (
        _draw(before, "As read", words, documents, most),
        _draw(after, "Reorganised", "words by co-cluster", "documents by co-cluster", most),
    )


def _draw(raster, title: str, across: str, down: str, most: float) -> str:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(svg.style(f"cocluster-{title}")):
        figure = Figure(figsize=(4.6, 4.2), layout="constrained")
        axes = figure.subplots()
        pictures.show(axes, raster, title, svg.FAINT, most)
        axes.set_xlabel(across)
        axes.set_ylabel(down)
        axes.spines[["top", "right"]].set_visible(True)
        return svg.draw_svg(figure)


def draw_choice(result) -> str:
    """Draw the modularity by number of co-clusters; empty if the number was given."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    tried = result.coclustering.tried
    if len(tried) < 2:
        return ""
    numbers = sorted(tried)
    chosen = result.coclustering.n_clusters
    with rc_context(svg.style("cocluster-choice")):
        figure = Figure(figsize=(6, 2.4), layout="constrained")
        axes = figure.subplots()
        axes.plot(numbers, [tried[g] for g in numbers], color=svg.FAINT, linewidth=1, marker=".")
        if chosen in tried:
            axes.plot([chosen], [tried[chosen]], "o", color=pictures.COLOUR, markersize=8)
            axes.annotate(
                f"{chosen}",
                (chosen, tried[chosen]),
                textcoords="offset points",
                xytext=(0, 7),
                ha="center",
                fontweight="bold",
            )
        axes.margins(y=0.2)
        axes.set_xlabel("number of co-clusters")
        axes.set_ylabel("modularity")
        return svg.draw_svg(figure)


def render(result, matrices, choice_svg: str, facts: dict, files: list[str]) -> str:
    """Return the page."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    from recoco.apps.cocluster.folder import GENERATOR, number

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["thousands"] = lambda value: f"{value:,}"
    environment.filters["number"] = number
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    terms, names = result.texts.terms, result.texts.files
    rows = [
        {
            "topic": topic,
            "words": [terms[j] for j in topic.top],
            "typical": [names[i] for i in topic.typical],
            "stability": result.coclustering.stability[k],
        }
        for k, topic in enumerate(result.topics)
    ]
    titles = ("Documents by words as read", "Documents by words in the order of co-clusters")
    shown = zip(("before", "after"), matrices, titles, strict=True)
    return template.render(
        generator=GENERATOR,
        facts=facts,
        rows=rows,
        matrices=[Markup(svg.for_page(text, name, title)) for name, text, title in shown],
        choice=Markup(svg.for_page(choice_svg, "choice", "Modularity by number of co-clusters"))
        if choice_svg
        else "",
        files=[*files, "matrix.svg", "summary.json"],
        halves=len(result.coclustering.agreement),
    )
