"""Figures about ensembles: methods side by side, base co-clusterings, partial collections."""

import math

import pandas as pd

from recoco.report import formats, svg
from recoco.report.bars import PRINTED, mean_bar, unprinted
from recoco.report.curves import numbers_of
from recoco.report.drawing import (
    COLOURS,
    Subject,
    drawing,
    grid,
    legend,
    mark,
    nothing,
    panels,
    patch,
    remark,
)

_LINES = ((COLOURS[2], "o"), (COLOURS[1], "s"))
_SHARES = (95, 90, 85, 80, 75, 50, 25)


@drawing
def score_bars(subject: Subject):
    """Mean scores of the methods that the figure names on each dataset, a panel per metric."""
    names, metrics = list(subject.datasets), subject.setting("metrics", ["nmi"])
    methods = list(subject.setting("methods", {}))
    weighting = subject.weightings[0]
    combination = subject.paper.printed_combination(subject.of)
    figure, rows = panels(len(metrics), 1, 8.6, 2.1 * len(metrics) + 0.5)
    width = 0.7 / max(1, len(methods))
    for axes, metric in zip(rows, metrics, strict=True):
        extra = unprinted(subject, metric, combination)
        for place, dataset in enumerate(names):
            drawn = False
            for rank, method in enumerate(methods):
                cell = subject.find(dataset, weighting, method, metric)
                row = subject.measure(cell, combination) or extra.get(
                    (dataset, weighting, method), {}
                )
                where = place + (rank - (len(methods) - 1) / 2) * width
                drawn |= mean_bar(axes, where, width, row, COLOURS[rank + 1])
                printed = formats.as_float(cell.value) if cell else math.nan
                if math.isfinite(printed):
                    axes.plot(where, printed, zorder=5, **PRINTED)
            if not drawn:
                remark(axes, place, 0.04, "no data", ha="center")
        axes.set_title(formats.metric_name(metric), loc="left")
        axes.set_ylim(0, 1.02)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        grid(axes, "y")
    rows[-1].set_xticks(range(len(names)), names)
    rows[-1].set_xlim(-0.6, len(names) - 0.4)
    handles = [patch(COLOURS[rank + 1], method) for rank, method in enumerate(methods)]
    legend(figure, [*handles, mark("printed", **PRINTED)], "outside upper right")
    return figure


@drawing
def modularity_curve(subject: Subject):
    """Modularity of the base co-clusterings by their size, and the shares of the largest."""
    from matplotlib.figure import Figure

    rows = numbers_of(subject.paper.of_item("sweeps", subject.of))
    metrics = list(subject.setting("metrics", ["base_modularity"]))
    names = list(subject.datasets)
    figure = Figure(figsize=(4.7 * len(metrics), 3.4 * len(names) + 0.3), layout="constrained")
    board = figure.subplots(len(names), len(metrics), sharex=True, squeeze=False)
    for line, dataset in enumerate(names):
        for axes, metric in zip(board[line], metrics, strict=True):
            here = rows[(rows["dataset"] == dataset) & (rows["metric"] == metric)]
            axes.set_title(f"{dataset}, {formats.metric_name(metric)}", loc="left")
            axes.set_xlabel("co-clusters of the base")
            if here.empty:
                nothing(axes, "nothing was measured")
                continue
            _peaked(axes, here)
    return figure


def _peaked(axes, rows: pd.DataFrame) -> None:
    at, mean = rows["at"].to_numpy(), rows["mean"].to_numpy()
    sd = rows["sd"].fillna(0).to_numpy()
    colour, marker = _LINES[0]
    axes.fill_between(at, mean - sd, mean + sd, color=colour, alpha=0.18, linewidth=0)
    axes.plot(at, mean, color=colour, marker=marker, markersize=3.5, linewidth=1.4)
    peak = int(mean.argmax())
    low = min(0.0, float((mean - sd).min()))
    axes.set_ylim(low, 1.14 * float((mean + sd).max()))
    axes.set_xlim(at.min() - 0.8, at.max() + 3.2)
    axes.set_xticks([n for n in at if n % 5 == 0 or n == at.min()])
    for share in _SHARES:
        level = share / 100 * mean[peak]
        axes.axhline(level, color=svg.FAINT, linestyle="--", linewidth=0.7, alpha=0.8)
        # beyond the curve, and not one over the other
        small = {"fontsize": 6.5, "color": svg.FAINT, "va": "center", "ha": "right"}
        axes.text(at.max() + 3.1, level + 0.012 * mean[peak], f"{share} %", **small)
    text = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center", "fontsize": 8}
    axes.annotate(f"largest at {at[peak]:g}", (at[peak], mean[peak] + sd[peak]), **text)


@drawing
def threshold_curves(subject: Subject):
    """Scores by partial collection, a panel per dataset; above, what the collection has."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    rows = numbers_of(subject.paper.of_item("sweeps", subject.of))
    names = list(subject.datasets)
    scores = [m for m in subject.setting("metrics", []) if m.startswith(("nmi", "ari", "acc"))]
    values = sorted({float(v) for v in subject.setting("values", [])}, key=lambda v: -v or 1)
    across = min(3, len(names))
    down = math.ceil(len(names) / across)
    size = (max(4.6, 3.5 * across), 2.7 * down + 0.6)
    figure = Figure(figsize=size, layout="constrained")
    board = figure.subplots(down, across, squeeze=False).ravel()
    for axes in board[len(names) :]:
        axes.set_axis_off()
    for axes, dataset in zip(board, names, strict=False):
        here = rows[rows["dataset"] == dataset]
        axes.set_title(dataset, loc="left")
        axes.set_xticks(range(len(values)), [_share_name(v) for v in values], fontsize=7.5)
        axes.set_xlim(-0.5, len(values) - 0.5)
        if here.empty:
            axes.set_yticks([])
            nothing(axes, "no data")
            continue
        _steps(axes, here, values, scores)
    figure.supxlabel("bases with at least this share of the largest modularity", fontsize=9)
    handles = [
        Line2D([], [], color=colour, marker=marker, markersize=4, label=formats.metric_name(m))
        for (colour, marker), m in zip(_LINES, scores, strict=False)
    ]
    legend(figure, handles, "outside upper right")
    return figure


def _share_name(value: float) -> str:
    return f"{100 * value:g} %" if value else "all"


def _steps(axes, rows: pd.DataFrame, values: list[float], scores: list[str]) -> None:
    low, high = 1.0, 0.0
    for (colour, marker), metric in zip(_LINES, scores, strict=False):
        found = rows[rows["metric"] == metric].set_index("at")
        places = [p for p, v in enumerate(values) if v in found.index]
        mean = [found.loc[values[p], "mean"] for p in places]
        sd = [0 if pd.isna(x) else x for x in (found.loc[values[p], "sd"] for p in places)]
        axes.errorbar(
            places, mean, sd, color=colour, marker=marker, markersize=4, linewidth=1.3, capsize=2
        )
        low = min([low, *(m - s for m, s in zip(mean, sd, strict=True))])
        high = max([high, *(m + s for m, s in zip(mean, sd, strict=True))])
    room = max(0.04, high - low)
    axes.set_ylim(low - 0.08 * room, high + 0.3 * room)
    grid(axes, "y")
    for place, value in enumerate(values):
        text = _annotation(rows[rows["at"] == value].set_index("metric")["mean"].to_dict())
        remark(
            axes, place, 0.985, text, ha="center", va="top", transform=axes.get_xaxis_transform()
        )


def _annotation(told: dict[str, float]) -> str:
    """Return the number of co-clusters inferred, or the range of those of the bases."""
    if "n_clusters" in told:
        return f"{told['n_clusters']:.1f}"
    if "threshold_smallest" in told:
        ends = [f"{told[f'threshold_{end}']:.0f}" for end in ("smallest", "largest")]
        return "–".join(dict.fromkeys(ends))
    return ""
