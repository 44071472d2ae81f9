"""Views in the report: a table, bars by graph, and runs in order of their likelihood."""

import numpy as np

from recoco.items.views import ALL, LEVELS, view_settings
from recoco.report import formats, tables
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg
from recoco.report.figures.method_bars import bars_beside, looks, method_legend, unit_axis
from recoco.report.inputs import Material, Paper


def views_table(material: Material, paper: Paper, name: str) -> tables.Table | None:
    """Return the scores on every graph alone and on all together."""
    item, rows = paper.items[name], paper.rows_of("views", name)
    if not rows:
        return None
    columns = tables.text_columns("Dataset", "Graph", "Method")
    for metric in item["metrics"]:
        columns += tables.number_columns(
            "mean", "largest likelihood", under=formats.metric_name(metric)
        )
    columns += tables.number_columns("Runs")
    lines = []
    placed = tables.pivot(rows, ("dataset", "graph", "method"), "metric")
    for (dataset, graph, method), by_metric in placed.items():
        line = tables.entries(dataset, LEVELS.get(graph, graph), method)
        for metric in item["metrics"]:
            row = by_metric.get(metric)
            line += [tables.score_entry(row), tables.score_entry(row, "best", "")]
        runs = next(iter(by_metric.values()))["n_runs"]
        lines.append([*line, *tables.entries(formats.whole(runs))])
    return tables.table_of(paper, name, columns, lines, tables.graph_notes(item, rows))


@draw.drawing
def view_bars(subject: draw.Subject):
    """Methods on each graph and on all graphs together: a row per metric, datasets beside."""
    rows = subject.rows("views")
    methods = list(dict.fromkeys(row["method"] for row in rows))
    metrics = subject.setting("metrics")
    datasets = [d for d in subject.datasets if any(row["dataset"] == d for row in rows)]
    graphs = {
        d: list(dict.fromkeys(r["graph"] for r in rows if r["dataset"] == d)) for d in datasets
    }
    look = looks(methods)
    if not datasets:
        return draw.empty_figure("none of the datasets is available", 9, 1.6)
    strips = _strips(graphs)
    figure = draw.new_figure(9, 3.4 * len(strips) + 0.4)
    parts = figure.subfigures(len(strips), 1, squeeze=False)
    for part, names in zip(parts.ravel(), strips, strict=True):
        grids = part.subplots(
            len(metrics),
            len(names),
            sharey=True,
            sharex="col",
            squeeze=False,
            width_ratios=[len(graphs[name]) for name in names],
        )
        for line, metric in zip(grids, metrics, strict=True):
            for axes, dataset in zip(line, names, strict=True):
                for place, graph in enumerate(graphs[dataset]):
                    here = {
                        r["method"]: r
                        for r in rows
                        if (r["dataset"], r["graph"], r["metric"]) == (dataset, graph, metric)
                    }
                    bars_beside(axes, place, [(here[m], look[m]) for m in methods if m in here])
                unit_axis(axes, metric if axes is line[0] else "")
                axes.set_xticks(range(len(graphs[dataset])), graphs[dataset])
        for axes, dataset in zip(grids[0], names, strict=True):
            axes.set_title(dataset, loc="left", fontsize=9)
        grids[-1][0].set_xlabel("graph")
    method_legend(figure, methods, look)
    return figure


def _strips(graphs: dict[str, list[str]], most: int = 12) -> list[list[str]]:
    """Distribute datasets over lines of the figure, each with at most so many graphs."""
    strips: list[list[str]] = [[]]
    for dataset, of_dataset in graphs.items():
        if strips[-1] and sum(len(graphs[d]) for d in strips[-1]) + len(of_dataset) > most:
            strips.append([])
        strips[-1].append(dataset)
    return strips


@draw.drawing
def likelihood_order(subject: draw.Subject):
    """Runs of the method on all graphs in order of likelihood, with the scores of each."""
    shown = []
    for setting, details in view_settings(subject.drawn):
        if details["graph"] == ALL:
            runs = subject.material.runs_of(setting.dataset, setting.weighting, setting.slug)
            runs = runs[runs["criterion"].notna()] if len(runs) else runs
            if len(runs):
                shown.append((details["dataset"], runs.sort_values("criterion", kind="stable")))
    if not shown:
        return draw.empty_figure("nothing was measured")
    figure, columns = draw.panels(1, len(shown), 9, 3.0)
    lines = {
        "criterion": ("likelihood, scaled", svg.INK, "-", ""),
        "acc": ("ACC", draw.COLOURS[1], "--", "o"),
        "nmi": ("NMI", draw.COLOURS[2], ":", "s"),
    }
    for axes, (dataset, runs) in zip(columns, shown, strict=True):
        at = np.arange(1, len(runs) + 1)
        for column, (_, colour, style, marker) in lines.items():
            values = runs[column].to_numpy(float)
            if column == "criterion":
                low, high = values.min(), values.max()
                values = (values - low) / (high - low) if high > low else np.ones(len(values))
            look = {"color": colour, "linestyle": style, "marker": marker}
            axes.plot(at, values, markersize=3, linewidth=1.3, **look)
        axes.set_title(dataset, loc="left", fontsize=9)
        axes.set_xlabel("runs, by likelihood")
        axes.locator_params(axis="x", integer=True)
        axes.set_ylim(-0.02, 1.02)
        draw.grid(axes, "y")
    handles = [
        draw.mark(name, color=c, linestyle=s, marker=m, markersize=4)
        for name, c, s, m in lines.values()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure
