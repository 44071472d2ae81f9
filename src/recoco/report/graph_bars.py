"""Bars of the items about graphs: methods, views, ensembles, and the seconds of a run."""

import math
import re
from collections import defaultdict

from recoco.report import formats, svg
from recoco.report.drawing import (
    COLOURS,
    Subject,
    drawing,
    grid,
    nothing,
    panels,
    remark,
    value_of,
)

_HATCHES = ("", "////", "....")


def looks(methods: list[str]) -> dict[str, dict]:
    """Return colour and hatch of each method; of "A + B", A decides the hatch and B the colour.

    Seven colours would not be told apart by all readers, three colours and three hatches are.
    """
    families = list(dict.fromkeys(m.split(" + ")[0] for m in methods if " + " in m))
    kinds = list(dict.fromkeys(m.split(" + ")[1] for m in methods if " + " in m))
    made, plain = {}, len(kinds)
    for method in methods:
        family, _, kind = method.partition(" + ")
        if kind:
            colour = COLOURS[kinds.index(kind) % len(COLOURS)]
            hatch = _HATCHES[families.index(family) % len(_HATCHES)]
        else:
            colour, hatch = COLOURS[plain % len(COLOURS)], ""
            plain += 1
        made[method] = {"facecolor": colour, "hatch": hatch, "edgecolor": svg.PAPER}
    return made


def _bars(axes, centre: float, entries: list[tuple[dict, dict]]) -> bool:
    """Draw bars beside each other around a place; say whether there was any."""
    width = 0.82 / max(1, len(entries))
    drawn = False
    for rank, (row, look) in enumerate(entries):
        value, sd = value_of(row), value_of(row, "measured_sd")
        if not math.isfinite(value):
            continue
        where = centre + (rank - (len(entries) - 1) / 2) * width
        axes.bar(where, value, width * 0.92, linewidth=0, **look)
        if sd > 0:
            axes.errorbar(where, value, sd, color=svg.INK, linewidth=0.8, capsize=1.5)
        drawn = True
    return drawn


def _unit_axis(axes, metric: str) -> None:
    axes.set_ylabel(formats.metric_name(metric))
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    grid(axes, "y")


def _legend(figure, methods: list[str], look: dict) -> None:
    from matplotlib.patches import Rectangle

    handles = [Rectangle((0, 0), 1, 1, linewidth=0, label=m, **look[m]) for m in methods]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=min(4, len(handles)), handlelength=1.4
    )


@drawing
def unprinted_bars(subject: Subject):
    """Mean scores of methods for which nothing is printed: a panel per metric."""
    rows = subject.paper.of_item("extra", subject.of).to_dict("records")
    combination = subject.setting("drawn", rows[0]["combination"] if rows else "")
    found = {
        (r["dataset"], r["weighting"], r["method"], r["metric"]): r
        for r in rows
        if r["combination"] == combination
    }
    methods = [*subject.setting("methods", {}), *subject.setting("extra_methods", {})]
    metrics = subject.setting("metrics", ["nmi"])
    weightings = subject.weightings
    places = [(d, w) for d in subject.datasets for w in weightings]
    look = looks(methods)
    figure, panel = panels(len(metrics), 1, 9, 1.75 * len(metrics) + 0.8)
    for axes, metric in zip(panel, metrics, strict=True):
        for place, (dataset, weighting) in enumerate(places):
            there = [m for m in methods if (dataset, weighting, m, metric) in found]
            bars = [(found[dataset, weighting, m, metric], look[m]) for m in there]
            if not _bars(axes, place, bars):
                remark(axes, place, 0.1, "no data", ha="center")
        _unit_axis(axes, metric)
    several = len(weightings) > 1
    names = [f"{d}, {w}" if several else d for d, w in places]
    panel[-1].set_xticks(range(len(names)), names)
    panel[-1].set_xlim(-0.6, len(names) - 0.4)
    _legend(figure, methods, look)
    return figure


@drawing
def view_bars(subject: Subject):
    """Methods on each graph and on all graphs together: a row per metric, datasets beside."""
    from matplotlib.figure import Figure

    rows = subject.paper.of_item("views", subject.of).to_dict("records")
    methods = list(dict.fromkeys(row["method"] for row in rows))
    metrics = subject.setting("metrics", ["nmi"])
    datasets = [d for d in subject.datasets if any(row["dataset"] == d for row in rows)]
    graphs = {
        d: list(dict.fromkeys(r["graph"] for r in rows if r["dataset"] == d)) for d in datasets
    }
    look = looks(methods)
    if not datasets:
        figure, (axes,) = panels(1, 1, 9, 1.6)
        axes.set_axis_off()
        nothing(axes, "none of the datasets is at hand")
        return figure
    strips = _strips(graphs)
    figure = Figure(figsize=(9, 3.4 * len(strips) + 0.4), layout="constrained")
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
                    _bars(axes, place, [(here[m], look[m]) for m in methods if m in here])
                _unit_axis(axes, metric if axes is line[0] else "")
                axes.set_xticks(range(len(graphs[dataset])), graphs[dataset])
        for axes, dataset in zip(grids[0], names, strict=True):
            axes.set_title(dataset, loc="left", fontsize=9)
        grids[-1][0].set_xlabel("graph")
    _legend(figure, methods, look)
    return figure


def _strips(graphs: dict[str, list[str]], most: int = 12) -> list[list[str]]:
    """Put datasets beside each other until a line of the figure is full."""
    strips: list[list[str]] = [[]]
    for dataset, there in graphs.items():
        if strips[-1] and sum(len(graphs[d]) for d in strips[-1]) + len(there) > most:
            strips.append([])
        strips[-1].append(dataset)
    return strips


@drawing
def ensemble_bars(subject: Subject):
    """NMI of the last consensus of each method; marks are the consensus inside each graph."""
    rows = subject.paper.of_item("ensembles", subject.item).to_dict("records")
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
    _unit_axis(axes, "nmi")
    if datasets:
        axes.set_xticks(range(len(datasets)), datasets)
        axes.set_xlim(-0.6, len(datasets) - 0.4)
    else:
        nothing(axes, "no consensus was made")
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    handles = [Rectangle((0, 0), 1, 1, linewidth=0, label=m, **look[m]) for m in methods]
    handles.append(Line2D([], [], linestyle="none", label="consensus inside one graph", **_INSIDE))
    figure.legend(handles=handles, loc="outside upper center", ncols=5, handlelength=1.4)
    return figure


_INSIDE = {
    "marker": "o",
    "markersize": 4,
    "markerfacecolor": svg.PAPER,
    "markeredgecolor": svg.INK,
    "markeredgewidth": 0.9,
}


@drawing
def run_seconds(subject: Subject):
    """Seconds of a run of each method on each dataset, on a logarithmic axis."""
    rows = subject.paper.of_item("extra", subject.of)
    drawn = subject.paper.config["items"][subject.of]
    names = {ours: name for name, ours in drawn["extra_methods"].items()}
    weighting = next(iter(drawn["weightings"].values()))
    seconds = _seconds(subject, weighting)
    methods = list(drawn["extra_methods"])
    datasets = [d for d in subject.datasets if (rows["dataset"] == d).any()]
    look = looks(methods)
    figure, (axes,) = panels(1, 1, 9, 3.2)
    for place, dataset in enumerate(datasets):
        card = subject.datasets[dataset]
        bars = [
            ({"measured": seconds.get((card, ours), "")}, look[name])
            for ours, name in names.items()
        ]
        _bars(axes, place, bars)
    if seconds and datasets:
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

        axes.set_yscale("log")
        # times that are close together would else have no number on the axis
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks(range(len(datasets)), datasets)
        axes.set_xlim(-0.6, len(datasets) - 0.4)
        axes.minorticks_off()
        grid(axes, "y")
    else:
        nothing(axes, "no times are at hand")
    axes.set_ylabel("seconds of a run")
    _legend(figure, methods, look)
    return figure


def _seconds(subject: Subject, weighting: str) -> dict[tuple[str, str], float]:
    """Return seconds per run by (card, method) from the jobs that took default parameters."""
    spent, runs = defaultdict(float), defaultdict(int)
    timings = subject.material.timings
    for row in timings[timings["stage"] == "runs"].to_dict("records"):
        card, used, slug, block = row["name"].split("/")
        first, last = map(int, re.findall(r"\d+", block)[-2:])
        if used == weighting:
            spent[card, slug] += formats.as_float(row["seconds"])
            runs[card, slug] += last - first
    return {key: total / runs[key] for key, total in spent.items() if runs[key]}
