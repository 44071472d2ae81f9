"""Ensembles in the report: a table, and bars with a mark for every graph."""

from recoco.items.views import LEVELS
from recoco.report import formats
from recoco.report.figures import svg
from recoco.report.figures.drawing import Subject, drawing, mark, nothing, panels, value_of
from recoco.report.figures.method_bars import looks, method_legend, place_names, unit_axis
from recoco.report.inputs import Material, Paper
from recoco.report.tables import (
    Entry,
    Table,
    entries,
    graph_notes,
    number_columns,
    table_of,
    text_columns,
)

_INSIDE = {
    "marker": "o",
    "markersize": 4,
    "markerfacecolor": svg.PAPER,
    "markeredgecolor": svg.INK,
    "markeredgewidth": 0.9,
}


def ensembles_table(material: Material, paper: Paper, name: str) -> Table | None:
    """Return the scores of the consensus inside and across graphs and of its inputs."""
    rows = paper.rows_of("ensembles", name)
    if not rows:
        return None
    columns = text_columns("Dataset", "Method", "Consensus of", "Found by")
    columns += number_columns("Partitions", "NMI", "ACC")
    columns += number_columns("first", "mean", under="NMI of the partitions")
    lines = []
    for row in rows:
        level = LEVELS.get(row["level"], f"graph {row['level']}")
        function = Entry(row["function"].upper() or formats.NOTHING, note=row["error"])
        scores = [formats.number(row[key], 3) for key in ("nmi", "acc", "first_nmi", "mean_nmi")]
        names = entries(row["dataset"], row["method"], level)
        lines.append([*names, function, *entries(formats.whole(row["partitions"]), *scores)])
    of = paper.items[paper.items[name]["of"]]
    return table_of(paper, name, columns, lines, graph_notes(of, rows))


@drawing
def ensemble_bars(subject: Subject):
    """NMI of the last consensus of each method; marks are the consensus inside each graph."""
    rows = subject.paper.rows_of("ensembles", subject.name)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    look = looks(methods)
    figure, (axes,) = panels(1, 1, 8.6, 3.2)
    width = 0.82 / max(1, len(methods))
    for place, dataset in enumerate(datasets):
        for rank, method in enumerate(methods):
            here = [r for r in rows if (r["dataset"], r["method"]) == (dataset, method)]
            last = [r for r in here if r["level"] in ("across", "all")]
            where = place + (rank - (len(methods) - 1) / 2) * width
            for row in last:
                axes.bar(where, value_of(row, "nmi"), width * 0.92, linewidth=0, **look[method])
            inside = [value_of(r, "nmi") for r in here if r["level"] not in ("across", "all")]
            axes.plot([where] * len(inside), inside, linestyle="none", **_INSIDE)
    unit_axis(axes, "nmi")
    if datasets:
        place_names(axes, datasets)
    else:
        nothing(axes, "no consensus was made")
    inside_handle = mark("consensus inside one graph", **_INSIDE)
    method_legend(figure, methods, look, [inside_handle], ncols=5)
    return figure
