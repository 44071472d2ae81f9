"""Figures about ensembles: base co-clusterings and partial collections of them."""

import itertools
import math

import pandas as pd

from recoco.items.sweep.report import numbers_of
from recoco.report import formats
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg

_LINES = ((draw.COLOURS[2], "o"), (draw.COLOURS[1], "s"))
_SHARES = (95, 90, 85, 80, 75, 50, 25)


@draw.drawing
def modularity_curve(subject: draw.Subject):
    """Modularity of the base co-clusterings by their size, and the shares of the largest."""
    rows = numbers_of(subject.paper.of_item("sweeps", subject.of))
    metrics, names = subject.setting("metrics"), list(subject.datasets)
    size = (4.7 * len(metrics), 3.4 * len(names) + 0.3)
    figure, board = draw.panels(len(names), len(metrics), *size, sharex=True)
    for axes, (dataset, metric) in zip(board, itertools.product(names, metrics), strict=True):
        curve = rows[(rows["dataset"] == dataset) & (rows["metric"] == metric)]
        axes.set_title(f"{dataset}, {formats.metric_name(metric)}", loc="left")
        axes.set_xlabel("co-clusters of the base")
        if curve.empty:
            draw.nothing(axes, "nothing was measured")
        else:
            _peaked(axes, curve)
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


@draw.drawing
def threshold_curves(subject: draw.Subject):
    """Scores by partial collection, a panel per dataset, below the sizes of the collection."""
    rows = numbers_of(subject.paper.of_item("sweeps", subject.of))
    names = list(subject.datasets)
    scores = [m for m in subject.setting("metrics") if m.startswith(("nmi", "ari", "acc"))]
    values = sorted({float(v) for v in subject.setting("values")}, key=lambda v: -v or 1)
    shares = [f"{100 * value:g} %" if value else "all" for value in values]
    across = min(3, len(names))
    down = math.ceil(len(names) / across)
    size = (max(4.6, 3.5 * across), 2.7 * down + 0.6)
    figure, board = draw.panels(down, across, *size, used=len(names), sharex=False)
    for axes, dataset in zip(board, names, strict=False):
        here = rows[rows["dataset"] == dataset]
        axes.set_title(dataset, loc="left")
        axes.set_xticks(range(len(values)), shares, fontsize=7.5)
        axes.set_xlim(-0.5, len(values) - 0.5)
        if here.empty:
            axes.set_yticks([])
            draw.nothing(axes, "no data")
            continue
        _steps(axes, here, values, scores)
    figure.supxlabel("bases with at least this share of the largest modularity", fontsize=9)
    handles = [
        draw.mark(formats.metric_name(m), color=colour, marker=marker, markersize=4, linestyle="-")
        for (colour, marker), m in zip(_LINES, scores, strict=False)
    ]
    draw.legend(figure, handles, "outside upper right")
    return figure


def _steps(axes, rows: pd.DataFrame, values: list[float], scores: list[str]) -> None:
    low, high = 1.0, 0.0
    for (colour, marker), metric in zip(_LINES, scores, strict=False):
        curve = rows[rows["metric"] == metric].set_index("at")
        places = [p for p, v in enumerate(values) if v in curve.index]
        points = curve.loc[[values[p] for p in places]]
        mean, sd = points["mean"], points["sd"].fillna(0)
        axes.errorbar(
            places, mean, sd, color=colour, marker=marker, markersize=4, linewidth=1.3, capsize=2
        )
        low, high = min([low, *(mean - sd)]), max([high, *(mean + sd)])
    room = max(0.04, high - low)
    axes.set_ylim(low - 0.08 * room, high + 0.3 * room)
    draw.grid(axes, "y")
    for place, value in enumerate(values):
        text = _annotation(rows[rows["at"] == value].set_index("metric")["mean"].to_dict())
        draw.remark(
            axes, place, 0.985, text, ha="center", va="top", transform=axes.get_xaxis_transform()
        )


def _annotation(means: dict[str, float]) -> str:
    """Return the number of co-clusters inferred, or the range of those of the bases."""
    if "n_clusters" in means:
        return f"{means['n_clusters']:.1f}"
    if "threshold_smallest" in means:
        ends = [f"{means[f'threshold_{end}']:.0f}" for end in ("smallest", "largest")]
        return "–".join(dict.fromkeys(ends))
    return ""
