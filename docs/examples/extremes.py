"""Extremes: the lowest and the highest score among the runs of each method."""

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.items.kind import Kind
from recoco.items.properties import OF
from recoco.report.figures import drawing as draw


class Extremes(Kind):
    name = "extremes"
    about = "The lowest and the highest score of each method of a table of scores."
    schema = {
        "of": OF,
        "metric": {"description": "A metric of that table.", "type": "string", "default": "nmi"},
    }
    required = ("of",)
    tables = {"extremes": ["item", "dataset", "weighting", "method", "low", "high"]}
    drawing = "extreme_bars"
    figures = ("recoco.items.extremes",)

    def check(self, items, name, where):
        metric, known = items[name]["metric"], items[items[name]["of"]].get("metrics", [])
        if metric not in known:
            raise RecocoError(f"Unknown metric {metric!r} in {where}: {nearest(metric, known)}")

    def rows(self, comparison, name, item):
        table = comparison.table(comparison.items[item["of"]])
        rows = []
        for *names, _ in table.settings(table.as_printed, table.methods):
            values = table.values(*names, item["metric"])
            if len(values):
                places = dict(zip(("dataset", "weighting", "method"), names, strict=True))
                rows.append({"item": name, **places, "low": values.min(), "high": values.max()})
        return {"extremes": rows}


@draw.drawing(data="extremes")
def extreme_bars(subject: draw.Subject):
    """Draw a line from the lowest to the highest score of each method."""
    rows = subject.rows("extremes")
    if not rows:
        return draw.empty_figure("no runs yet")
    figure, (axes,) = draw.panels(1, 1, 6, 0.3 * len(rows) + 0.8)
    for place, row in enumerate(rows):
        ends = [draw.value_of(row, "low"), draw.value_of(row, "high")]
        axes.plot(ends, [place, place], marker="o", color=draw.COLOURS[2])
    names = [" · ".join((row["dataset"], row["weighting"], row["method"])) for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.set_xlabel(subject.item["metric"])
    return figure


KIND = Extremes()
