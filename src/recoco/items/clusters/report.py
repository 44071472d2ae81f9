"""Clusters in the report: how often each number was found, and a table."""

import math

from recoco.report import formats, tables
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg
from recoco.report.inputs import Material, Paper

_ACROSS = 3
_COLOURS = [draw.COLOURS[place] for place in (2, 1, 3, 4, 5, 0)]


def counts_of(text: str) -> dict[int, int]:
    """Return the runs by number of clusters from a histogram as text, e.g. ``4:61 5:39``."""
    pairs = (part.split(":") for part in text.split())
    return {int(clusters): int(runs) for clusters, runs in pairs}


@draw.drawing
def cluster_histograms(subject: draw.Subject):
    """Share of the runs by their number of row clusters, a panel per dataset."""
    rows = [row for row in subject.rows("clusters") if row["side"] == "rows"]
    names = list(subject.datasets)
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    down = math.ceil(len(names) / _ACROSS)
    size = (9.6, 1.75 * down + 0.7)
    figure, board = draw.panels(down, _ACROSS, *size, used=len(names), sharey=True)
    for axes, dataset in zip(board, names, strict=False):
        axes.set_title(dataset, loc="left")
        _bars(axes, [row for row in rows if row["dataset"] == dataset], variants)
    for place, axes in enumerate(board):
        if place % _ACROSS == 0:
            axes.set_ylabel("% of runs")
        if place + _ACROSS >= len(names):
            axes.set_xlabel("row clusters")
    if variants:
        handles = [draw.patch(_COLOURS[i % len(_COLOURS)], text) for i, text in enumerate(variants)]
        draw.legend(figure, handles, "outside upper center")
    return figure


def _bars(axes, rows: list[dict], variants: list[str]) -> None:
    axes.set_ylim(0, 105)
    axes.set_yticks([0, 50, 100])
    draw.grid(axes, "y")
    if not rows:
        axes.set_xticks([])
        draw.nothing(axes, "no data here")
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


def clusters_table(material: Material, paper: Paper, name: str) -> tables.Table | None:
    """Return a row per dataset and variant: clusters of rows and columns, scores, iterations."""
    rows = paper.rows_of("clusters", name)
    if not rows:
        return None
    views: dict[tuple, list[str]] = {}
    for row in rows:
        if row["side"] != "rows":
            mean = formats.number(row["mean"], 1)
            views.setdefault((row["dataset"], row["variant"]), []).append(mean)
    columns = tables.text_columns("Dataset", "Reading") + tables.number_columns("Runs", "Classes")
    columns += tables.number_columns("most often", "mean", under="Row clusters")
    columns += tables.text_columns("Column clusters by view")
    for metric in ("NMI", "ARI"):
        columns += tables.number_columns("mean", "best criterion", under=metric)
    columns += tables.number_columns("done", "last move", under="Iterations")
    columns += tables.number_columns("Runs at rest")
    lines = []
    for row in rows:
        if row["side"] != "rows":
            continue
        texts = [row["dataset"], row["variant"]]
        texts += [formats.whole(row[key]) for key in ("n_runs", "classes", "mode")]
        texts.append(formats.with_spread(row["mean"], row["sd"], 2))
        texts.append(" | ".join(views.get((row["dataset"], row["variant"]), [])))
        for metric in ("nmi", "ari"):
            texts.append(formats.with_spread(row[metric], row[f"{metric}_sd"], 3))
            texts.append(formats.number(row[f"{metric}_chosen"], 3))
        texts += [formats.number(row[key], 0) for key in ("n_iter", "last_move")]
        texts.append(formats.whole(row["converged"]))
        lines.append(tables.entries(*texts))
    notes = [
        "Best criterion: the one run with the best criterion. Runs at rest: ended by the rule of "
        "convergence, which only the reading with a patience has.",
        *tables.no_data(paper.items[name], rows),
    ]
    notes += [
        f"Printed: {cell.name} {cell.printed}; "
        f"{cell.measured + ' measured' if cell.measured else cell.verdict}."
        for cell in material.cells_of(paper.key, name)
    ]
    return tables.table_of(paper, name, columns, lines, notes)
