"""Ensembles in the report: a table, and bars with a mark for every graph."""

from recoco.items.views import LEVELS
from recoco.report import formats, tables
from recoco.report.figures.drawing import Subject, drawing, hollow, mark, nothing, panels, value_of
from recoco.report.figures.method_bars import (
    bar,
    beside,
    looks,
    method_legend,
    place_names,
    unit_axis,
)
from recoco.report.inputs import Material, Paper

_INSIDE = hollow(4, 0.9)


def ensembles_table(material: Material, paper: Paper, name: str) -> tables.Table | None:
    """Return the scores of the consensus inside and across graphs and of its inputs."""
    rows = paper.rows_of("ensembles", name)
    if not rows:
        return None
    columns = tables.text_columns("Dataset", "Method", "Consensus of", "Found by")
    columns += tables.number_columns("Partitions", "NMI", "ACC")
    columns += tables.number_columns("first", "mean", under="NMI of the partitions")
    lines = []
    for row in rows:
        level = LEVELS.get(row["level"], f"graph {row['level']}")
        function = tables.Entry(row["function"].upper() or formats.NOTHING, note=row["error"])
        scores = [formats.number(row[key], 3) for key in ("nmi", "acc", "first_nmi", "mean_nmi")]
        names = tables.entries(row["dataset"], row["method"], level)
        lines.append([*names, function, *tables.entries(formats.whole(row["partitions"]), *scores)])
    of = paper.items[paper.items[name]["of"]]
    return tables.table_of(paper, name, columns, lines, tables.graph_notes(of, rows))


@drawing
def ensemble_bars(subject: Subject):
    """NMI of the last consensus of each method; marks are the consensus inside each graph."""
    rows = subject.paper.rows_of("ensembles", subject.name)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    look = looks(methods)
    figure, (axes,) = panels(1, 1, 8.6, 3.2)
    for place, dataset in enumerate(datasets):
        places, width = beside(place, len(methods))
        for where, method in zip(places, methods, strict=True):
            here = [r for r in rows if (r["dataset"], r["method"]) == (dataset, method)]
            last = [r for r in here if r["level"] in ("across", "all")]
            for row in last:
                bar(axes, where, width, row, "nmi", **look[method])
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
