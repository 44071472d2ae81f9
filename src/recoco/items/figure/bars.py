"""Figures of distributions, means and seconds as boxes and bars."""

import math

from recoco.report import formats
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg
from recoco.report.figures.method_bars import (
    bar,
    bars_beside,
    beside,
    looks,
    method_legend,
    place_names,
    unit_axis,
)
from recoco.report.speeds import seconds_per_run

PRINTED = draw.hollow(4.5, 1.0)


@draw.drawing
def document_sizes(subject: draw.Subject):
    """Boxplots of the document sizes (row sums) of each dataset."""
    figure, (axes,) = draw.panels(1, 1, 8, 0.36 * len(subject.datasets) + 0.9)
    size_boxes(subject, axes, "sums")
    axes.set_xlabel("sum of the row; circles are the smallest and the largest document")
    return figure


def size_boxes(subject: draw.Subject, axes, part: str) -> None:
    """Draw a box per dataset: the distribution of one of the sizes of its documents."""
    names = subject.datasets
    boxes, places = [], []
    for place, card in enumerate(names.values()):
        record = subject.material.datasets.get(card, {})
        summary = (record.get("document_sizes") or {}).get(part)
        if record.get("status") == "ok" and summary:
            places.append(place)
            boxes.append(_box(summary))
        else:
            where = axes.get_yaxis_transform()
            draw.remark(axes, 0.01, place, "data unreachable here", transform=where, va="center")
    if boxes:
        line = {"color": svg.INK, "linewidth": 0.9}
        axes.bxp(
            boxes,
            positions=places,
            orientation="horizontal",
            widths=0.55,
            patch_artist=True,
            boxprops={"facecolor": draw.COLOURS[2] + "55", "edgecolor": svg.INK, "linewidth": 0.9},
            medianprops={"color": svg.INK, "linewidth": 2},
            whiskerprops=line,
            capprops=line,
            flierprops={"marker": "o", "markersize": 3.5, "markerfacecolor": "none"}
            | {"markeredgecolor": svg.INK, "markeredgewidth": 0.7},
        )
        _size_axis(axes, max(box["fliers"][1] for box in boxes), min(box["med"] for box in boxes))
    axes.set_yticks(range(len(names)), list(names))
    axes.set_ylim(len(names) - 0.4, -0.6)
    draw.grid(axes, "x")


def _box(summary: dict) -> dict:
    return {
        "med": summary["median"],
        "q1": summary["q1"],
        "q3": summary["q3"],
        "whislo": summary["whisker_low"],
        "whishi": summary["whisker_high"],
        "fliers": [summary["min"], summary["max"]],
    }


def _size_axis(axes, largest: float, smallest_median: float) -> None:
    """Make the axis logarithmic where a linear one would crush the small documents."""
    if largest > 20 * max(1, smallest_median):
        # A document may be empty, so the scale is linear below one.
        axes.set_xscale("symlog", linthresh=1, linscale=0.3)
        powers = [10**k for k in range(math.ceil(math.log10(largest)) + 1)]
        axes.set_xticks([0, *powers], [f"{tick:,}" for tick in (0, *powers)])
        axes.minorticks_off()
        axes.set_xlim(-0.4, 1.6 * largest)
    else:
        axes.set_xlim(0, 1.05 * largest)


@draw.drawing
def nmi_bars(subject: draw.Subject):
    """Mean score of each method on each dataset, a panel per weighting."""
    metric = subject.item["metrics"][0] if "metrics" in subject.item else "nmi"
    methods = subject.item.get("methods")
    if not methods:
        unprinted = [method for _, _, method in _unprinted(subject, metric)]
        methods = dict.fromkeys([*unprinted, *subject.drawn["methods"]])
    shown = [(weighting, weighting, metric) for weighting in subject.weightings]
    figure, rows = _score_panels(subject, shown, list(methods), draw.COLOURS, 0.8, 0.1)
    for axes in rows:
        axes.set_ylabel(formats.metric_name(metric))
    return figure


@draw.drawing
def score_bars(subject: draw.Subject):
    """Mean scores of the methods that the figure names on each dataset, a panel per metric."""
    weighting = subject.weightings[0]
    shown = [(formats.metric_name(m), weighting, m) for m in subject.setting("metrics")]
    methods = list(subject.setting("methods"))
    figure, _ = _score_panels(subject, shown, methods, draw.COLOURS[1:], 0.7, 0.04)
    return figure


def _score_panels(subject: draw.Subject, shown, methods, colours, room: float, remark_at: float):
    """Return a figure of bars with printed values as circles, and its panels.

    Parameters
    ----------
    shown : (title, weighting, metric) of each panel
    room : width of all bars of a dataset
    remark_at : height of the remark on a dataset without bars
    """
    names = list(subject.datasets)
    combination = subject.paper.printed_combination(subject.of)
    colours = [colours[rank % len(colours)] for rank in range(len(methods))]
    figure, rows = draw.panels(len(shown), 1, 8.6, 2.1 * len(shown) + 0.5)
    for axes, (title, weighting, metric) in zip(rows, shown, strict=True):
        unprinted = _unprinted(subject, metric)
        for place, dataset in enumerate(names):
            drawn = False
            places, width = beside(place, len(methods), room)
            for where, colour, method in zip(places, colours, methods, strict=True):
                cell = subject.find(dataset, weighting, method, metric)
                row = subject.measure(cell, combination)
                row = row or unprinted.get((dataset, weighting, method), {})
                drawn |= bar(axes, where, width, row, color=colour)
                printed = formats.as_float(cell.value) if cell else math.nan
                if math.isfinite(printed):
                    axes.plot(where, printed, zorder=5, **PRINTED)
            if not drawn:
                draw.remark(axes, place, remark_at, "no data", ha="center")
        axes.set_title(title, loc="left")
        unit_axis(axes)
    place_names(rows[-1], names)
    handles = [draw.patch(colour, method) for colour, method in zip(colours, methods, strict=True)]
    draw.legend(figure, [*handles, draw.mark("printed", **PRINTED)], "outside upper right")
    return figure, rows


def _unprinted(subject: draw.Subject, metric: str) -> dict[tuple, dict]:
    """Return the measures of methods without a printed number, in the printed reading.

    They are by (dataset, weighting, method).
    """
    rows = subject.paper.frames["extra"]
    rows = rows[
        rows["item"].isin([subject.of, subject.name])
        & (rows["metric"] == metric)
        & (rows["combination"] == subject.paper.printed_combination(subject.of))
    ]
    return {(r["dataset"], r["weighting"], r["method"]): r for r in rows.to_dict("records")}


@draw.drawing
def run_seconds(subject: draw.Subject):
    """Seconds of a run of each method on each dataset, on a logarithmic axis."""
    rows = subject.paper.of_item("extra", subject.of)
    names = {ours: name for name, ours in subject.drawn["extra_methods"].items()}
    weighting = next(iter(subject.drawn["weightings"].values()))
    seconds = seconds_per_run(subject.material.timings)
    methods = list(subject.drawn["extra_methods"])
    datasets = [d for d in subject.datasets if (rows["dataset"] == d).any()]
    look = looks(methods)
    figure, (axes,) = draw.panels(1, 1, 9, 3.2)
    for place, dataset in enumerate(datasets):
        card = subject.datasets[dataset]
        bars = [
            ({"measured": seconds.get(f"{card}/{weighting}/{ours}", "")}, look[name])
            for ours, name in names.items()
        ]
        bars_beside(axes, place, bars)
    if seconds and datasets:
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

        axes.set_yscale("log")
        # otherwise an axis of times that are close together would have no number
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        place_names(axes, datasets)
        axes.minorticks_off()
        draw.grid(axes, "y")
    else:
        draw.nothing(axes, "no times were measured")
    axes.set_ylabel("seconds of a run")
    method_legend(figure, methods, look)
    return figure
