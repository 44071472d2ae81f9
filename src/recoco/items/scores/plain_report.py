"""Scores without printed ones in the report: a table and bars."""

import itertools

from recoco.report import formats, tables
from recoco.report.figures.drawing import Subject, drawing, panels, remark
from recoco.report.figures.method_bars import (
    bars_beside,
    looks,
    method_legend,
    place_names,
    unit_axis,
)
from recoco.report.inputs import Material, Paper


def plain_table(material: Material, paper: Paper, name: str) -> tables.Table | None:
    """Return measured scores of an item without printed ones: a column per metric and choice."""
    item, rows = paper.items[name], paper.rows_of("extra", name)
    if not rows:
        return None
    weighted = len({row["weighting"] for row in rows}) > 1
    combinations = list(dict.fromkeys(row["combination"] for row in rows))
    options = {
        option: content["text"]
        for choice in item["choices"].values()
        for option, content in choice["options"].items()
    }
    columns = tables.text_columns("Dataset", *["Graph"] * weighted, "Method")
    across = list(itertools.product(item["metrics"], combinations))
    for metric, combination in across:
        path = (formats.metric_name(metric),)
        if len(combinations) > 1:
            path += (", ".join(options.get(o, o) for o in combination.split("+")),)
        columns.append(tables.Column(path))
    columns += tables.number_columns("Runs")
    down = ("dataset", *["weighting"] * weighted, "method")
    rows = [{**row, "across": (row["metric"], row["combination"])} for row in rows]
    lines = []
    for names, by_column in tables.pivot(rows, down, "across").items():
        runs = max(formats.as_float(row["n_runs"]) for row in by_column.values())
        scores = [tables.score_entry(by_column.get(column)) for column in across]
        lines.append([*tables.entries(*names), *scores, *tables.entries(formats.whole(runs))])
    notes = [
        f"{row['dataset']}, {row['weighting']} ({row['combination']}): {row['first']} and "
        f"{row['second']} have the same scores in {row['same']} of {row['runs']} runs from the "
        "same start."
        for row in paper.rows_of("twins", name)
        if formats.as_float(row["same"]) > 0
    ]
    return tables.table_of(paper, name, columns, lines, [*notes, *tables.graph_notes(item, rows)])


@drawing
def unprinted_bars(subject: Subject):
    """Mean scores of methods for which nothing is printed: a panel per metric."""
    rows = subject.rows("extra")
    combination = subject.setting("drawn") or (rows[0]["combination"] if rows else "")
    measured = {
        (r["dataset"], r["weighting"], r["method"], r["metric"]): r
        for r in rows
        if r["combination"] == combination
    }
    methods = [*subject.setting("methods"), *subject.drawn["extra_methods"]]
    metrics, weightings = subject.setting("metrics"), subject.weightings
    places = [(d, w) for d in subject.datasets for w in weightings]
    look = looks(methods)
    figure, panel = panels(len(metrics), 1, 9, 1.75 * len(metrics) + 0.8)
    for axes, metric in zip(panel, metrics, strict=True):
        for place, (dataset, weighting) in enumerate(places):
            keys = {m: (dataset, weighting, m, metric) for m in methods}
            bars = [(measured[key], look[m]) for m, key in keys.items() if key in measured]
            if not bars_beside(axes, place, bars):
                remark(axes, place, 0.1, "no data", ha="center")
        unit_axis(axes, metric)
    several = len(weightings) > 1
    names = [f"{d}, {w}" if several else d for d, w in places]
    place_names(panel[-1], names)
    method_legend(figure, methods, look)
    return figure
