"""Figures of distributions and means as boxes and bars."""

import math

from recoco.report import formats, svg
from recoco.report.drawing import (
    COLOURS,
    Subject,
    drawing,
    grid,
    legend,
    mark,
    panels,
    patch,
    remark,
    value_of,
)

PRINTED = {
    "marker": "o",
    "markersize": 4.5,
    "markerfacecolor": svg.PAPER,
    "markeredgecolor": svg.INK,
    "markeredgewidth": 1.0,
}


@drawing
def document_sizes(subject: Subject):
    """Boxplots of the document sizes (row sums) of each dataset."""
    figure, (axes,) = panels(1, 1, 8, 0.36 * len(subject.datasets) + 0.9)
    size_boxes(subject, axes, "sums")
    axes.set_xlabel("sum of the row; circles are the smallest and the largest document")
    return figure


def size_boxes(subject: Subject, axes, part: str) -> None:
    """Draw a box per dataset from a part of what its characteristics say of document sizes."""
    names = subject.datasets
    boxes, places = [], []
    for place, card in enumerate(names.values()):
        document = subject.material.datasets.get(card, {})
        summary = (document.get("document_sizes") or {}).get(part)
        if document.get("status") == "ok" and summary:
            places.append(place)
            boxes.append(_box(summary))
        else:
            where = axes.get_yaxis_transform()
            remark(axes, 0.01, place, "data unreachable here", transform=where, va="center")
    if boxes:
        line = {"color": svg.INK, "linewidth": 0.9}
        axes.bxp(
            boxes,
            positions=places,
            orientation="horizontal",
            widths=0.55,
            patch_artist=True,
            boxprops={"facecolor": COLOURS[2] + "55", "edgecolor": svg.INK, "linewidth": 0.9},
            medianprops={"color": svg.INK, "linewidth": 2},
            whiskerprops=line,
            capprops=line,
            flierprops={"marker": "o", "markersize": 3.5, "markerfacecolor": "none"}
            | {"markeredgecolor": svg.INK, "markeredgewidth": 0.7},
        )
        _size_axis(axes, max(box["fliers"][1] for box in boxes), min(box["med"] for box in boxes))
    axes.set_yticks(range(len(names)), list(names))
    axes.set_ylim(len(names) - 0.4, -0.6)
    grid(axes, "x")


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


@drawing
def nmi_bars(subject: Subject):
    """Mean score of each method on each dataset, a panel per weighting."""
    names, weightings = list(subject.datasets), subject.weightings
    metric = (subject.block.get("metrics") or ["nmi"])[0]
    combination = subject.paper.printed_combination(subject.of)
    extra = unprinted(subject, metric, combination)
    methods = list(
        subject.block.get("methods")
        or dict.fromkeys([*(key[2] for key in extra), *subject.setting("methods", {})])
    )
    figure, rows = panels(len(weightings), 1, 8.6, 2.1 * len(weightings) + 0.5)
    width = 0.8 / max(1, len(methods))
    for axes, weighting in zip(rows, weightings, strict=True):
        for place, dataset in enumerate(names):
            drawn = False
            for rank, method in enumerate(methods):
                cell = subject.find(dataset, weighting, method, metric)
                row = subject.measure(cell, combination) or extra.get(
                    (dataset, weighting, method), {}
                )
                where = place + (rank - (len(methods) - 1) / 2) * width
                drawn |= mean_bar(axes, where, width, row, COLOURS[rank % len(COLOURS)])
                printed = formats.as_float(cell.value) if cell else math.nan
                if math.isfinite(printed):
                    axes.plot(where, printed, zorder=5, **PRINTED)
            if not drawn:
                remark(axes, place, 0.1, "no data", ha="center")
        axes.set_title(weighting, loc="left")
        axes.set_ylabel(formats.metric_name(metric))
        axes.set_ylim(0, 1.02)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        grid(axes, "y")
    rows[-1].set_xticks(range(len(names)), names)
    rows[-1].set_xlim(-0.6, len(names) - 0.4)
    handles = [patch(COLOURS[rank % len(COLOURS)], method) for rank, method in enumerate(methods)]
    legend(figure, [*handles, mark("printed", **PRINTED)], "outside upper right")
    return figure


def unprinted(subject: Subject, metric: str, combination) -> dict[tuple, dict]:
    """Return the measures of methods that the figure shows but for which nothing is printed."""
    rows = subject.paper.frames["extra"]
    rows = rows[
        rows["item"].isin([subject.of, subject.item])
        & (rows["metric"] == metric)
        & (rows["combination"] == combination)
    ]
    return {(r["dataset"], r["weighting"], r["method"]): r for r in rows.to_dict("records")}


def mean_bar(axes, where: float, width: float, row: dict, colour: str) -> bool:
    value, sd = value_of(row), value_of(row, "measured_sd")
    if not math.isfinite(value):
        return False
    axes.bar(where, value, width * 0.92, color=colour, linewidth=0)
    if sd > 0:
        axes.errorbar(where, value, sd, color=svg.INK, linewidth=0.8, capsize=1.5)
    return True
