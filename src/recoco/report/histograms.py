"""How many clusters were found: bars by number, and the numbers as a table."""

import math

from recoco.report import formats, svg
from recoco.report.drawing import COLOURS, Subject, drawing, grid, legend, nothing, patch
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Entry, Table

_ACROSS = 3
_COLOURS = (COLOURS[2], COLOURS[1], COLOURS[3], COLOURS[4], COLOURS[5], COLOURS[0])


def counts_of(text: str) -> dict[int, int]:
    """Return runs by number of clusters from what compare writes, e.g. ``4:61 5:39``."""
    pairs = (part.split(":") for part in text.split())
    return {int(clusters): int(runs) for clusters, runs in pairs}


@drawing
def cluster_histograms(subject: Subject):
    """Share of the runs by their number of row clusters, a panel per dataset."""
    from matplotlib.figure import Figure

    rows = subject.paper.of_item("clusters", subject.of)
    rows = rows[rows["side"] == "rows"].to_dict("records")
    names = list(subject.datasets)
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    down = math.ceil(len(names) / _ACROSS)
    figure = Figure(figsize=(9.6, 1.75 * down + 0.7), layout="constrained")
    grown = figure.subplots(down, _ACROSS, sharey=True, squeeze=False).ravel()
    for axes, dataset in zip(grown, names, strict=False):
        here = [row for row in rows if row["dataset"] == dataset]
        axes.set_title(dataset, loc="left")
        _bars(axes, here, variants)
    for axes in grown[len(names) :]:
        axes.set_axis_off()
    for place, axes in enumerate(grown):
        if place % _ACROSS == 0:
            axes.set_ylabel("% of runs")
        if place + _ACROSS >= len(names):
            axes.set_xlabel("row clusters")
    if variants:
        handles = [patch(_COLOURS[i % len(_COLOURS)], text) for i, text in enumerate(variants)]
        legend(figure, handles, "outside upper center")
    return figure


def _bars(axes, rows: list[dict], variants: list[str]) -> None:
    axes.set_ylim(0, 105)
    axes.set_yticks([0, 50, 100])
    grid(axes, "y")
    if not rows:
        axes.set_xticks([])
        nothing(axes, "no data here")
        return
    wide = 0.84 / max(1, len(variants))
    seen = set()
    for row in rows:
        place = variants.index(row["variant"])
        counts = counts_of(row["histogram"])
        total = sum(counts.values())
        at = [k - 0.42 + wide * (place + 0.5) for k in counts]
        heights = [100 * n / total for n in counts.values()]
        axes.bar(at, heights, 0.9 * wide, color=_COLOURS[place % len(_COLOURS)], linewidth=0)
        seen |= set(counts)
    classes = int(formats.as_float(rows[0]["classes"]))
    axes.axvline(classes, color=svg.INK, linestyle="--", linewidth=1, zorder=0)
    low, high = min(*seen, classes), max(*seen, classes)
    axes.set_xlim(low - 0.7, high + 0.7)
    step = max(1, math.ceil((high - low + 1) / 10))
    axes.set_xticks(range(low, high + 1, step))


def clusters_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return a row per dataset and variant: clusters of rows and columns, scores, iterations."""
    found = paper.of_item("clusters", item).to_dict("records")
    if not found:
        return None
    block = paper.config["items"][item]
    views: dict[tuple, list[str]] = {}
    for row in found:
        if row["side"] != "rows":
            mean = formats.number(formats.as_float(row["mean"]), 1)
            views.setdefault((row["dataset"], row["variant"]), []).append(mean)
    columns = [Column((name,), numeric=False) for name in ("Dataset", "Reading")]
    columns += [Column((name,)) for name in ("Runs", "Classes")]
    columns += [Column(("Row clusters", name)) for name in ("most often", "mean")]
    columns += [Column(("Column clusters by view",), numeric=False)]
    for metric in ("NMI", "ARI"):
        columns += [Column((metric, name)) for name in ("mean", "best criterion")]
    columns += [Column(("Iterations", name)) for name in ("done", "last move")]
    columns += [Column(("Runs at rest",))]
    rows = []
    for row in found:
        if row["side"] != "rows":
            continue
        number = {key: formats.as_float(row[key]) for key in row}
        texts = [
            row["dataset"],
            row["variant"],
            formats.whole(row["n_runs"]),
            formats.whole(row["classes"]),
            formats.whole(row["mode"]),
            formats.with_spread(number["mean"], number["sd"], 2),
            " | ".join(views.get((row["dataset"], row["variant"]), [])),
        ]
        for metric in ("nmi", "ari"):
            texts.append(formats.with_spread(number[metric], number[f"{metric}_sd"], 3))
            texts.append(formats.number(number[f"{metric}_chosen"], 3))
        texts += [formats.number(number[key], 0) for key in ("n_iter", "last_move")]
        texts.append(formats.whole(row["converged"]))
        rows.append([Entry(text) for text in texts])
    notes = [
        "Best criterion: the one run with the best criterion. Runs at rest: ended by the rule of "
        "convergence, which only the reading with a patience has."
    ]
    missing = [n for n in block["datasets"] if n not in {row["dataset"] for row in found}]
    notes += [f"No data: {', '.join(missing)}."] if missing else []
    notes += [
        f"Printed: {cell.name} {cell.printed}; "
        f"{cell.measured + ' measured' if cell.measured else cell.verdict}."
        for cell in material.cells_of(paper.key, item)
    ]
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows, notes=notes)
