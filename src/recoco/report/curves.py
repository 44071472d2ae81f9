"""Scores against a parameter of a method: the figure and its numbers as a table."""

import math

import pandas as pd

from recoco.report import formats, svg
from recoco.report.drawing import COLOURS, Subject, drawing, grid, nothing, panels
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Entry, Table

# Lines differ by colour and by marker; the grey comes late, it is weakest as a line.
_LOOKS = tuple(zip((*COLOURS[1:5], COLOURS[0], COLOURS[5]), "osD^vP", strict=True))
# An axis whose ends are further apart than this is logarithmic.
_LOGARITHMIC = 30


@drawing
def parameter_curves(subject: Subject):
    """Mean scores of a method on each dataset as a parameter grows; bands are deviations."""
    from matplotlib.lines import Line2D

    rows = numbers_of(subject.paper.of_item("sweeps", subject.of))
    names = list(subject.datasets)
    metrics = list(subject.setting("metrics", list(dict.fromkeys(rows["metric"])) or ["nmi"]))
    parameter = subject.setting("parameter", "parameter")
    figure, columns = panels(1, len(metrics), 4.7 * len(metrics), 3.9)
    for axes, metric in zip(columns, metrics, strict=True):
        here = rows[rows["metric"] == metric]
        for rank, dataset in enumerate(names):
            _curve(axes, here[here["dataset"] == dataset], *_LOOKS[rank % len(_LOOKS)])
        axes.set_title(formats.metric_name(metric), loc="left")
        axes.set_xlabel(_axis_name(parameter))
        grid(axes, "y")
        if here.empty:
            nothing(axes, "nothing was measured")
    if len(rows):
        _axis(columns[0], rows.loc[rows["at"] > 0, "at"])
        sd = rows["sd"].fillna(0)
        low, high = (rows["mean"] - sd).min(), (rows["mean"] + sd).max()
        columns[0].set_ylim(math.floor(10 * low) / 10, math.ceil(10 * high) / 10)
    seen = set(rows["dataset"])
    handles = []
    for rank, dataset in enumerate(names):
        colour, marker = _LOOKS[rank % len(_LOOKS)]
        there = dataset in seen
        look = {"color": colour, "marker": marker, "markersize": 4.5, "linewidth": 1.6}
        if not there:
            look = {"color": svg.FAINT, "marker": "x", "markersize": 4.5, "linestyle": "none"}
        handles.append(Line2D([], [], label=dataset if there else f"{dataset}: no data", **look))
    if (rows["at"] == 0).any():
        look = {"color": svg.FAINT, "linestyle": ":", "linewidth": 1.6}
        handles.append(Line2D([], [], label=_zero_name(parameter), **look))
    figure.legend(
        handles=handles, loc="outside upper center", ncols=6, handlelength=2, columnspacing=1.4
    )
    return figure


def numbers_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a number, in order of the parameter."""
    found = rows.assign(
        at=rows["value"].map(formats.as_float).astype(float),
        mean=rows["measured"].map(formats.as_float).astype(float),
        sd=rows["measured_sd"].map(formats.as_float).astype(float),
    )
    found = found[found["at"].notna() & found["mean"].notna()]
    return found.sort_values("at", kind="stable")


def _curve(axes, rows: pd.DataFrame, colour: str, marker: str) -> None:
    line = rows[rows["at"] > 0]
    if len(line):
        at, mean, sd = (line[c].to_numpy() for c in ("at", "mean", "sd"))
        if math.isfinite(sd.sum()):
            axes.fill_between(at, mean - sd, mean + sd, color=colour, alpha=0.16, linewidth=0)
        axes.plot(at, mean, color=colour, marker=marker, markersize=4.5, linewidth=1.6)
    for level in rows.loc[rows["at"] == 0, "mean"]:
        # Zero has no place on a logarithmic axis, and it is another method: a level.
        axes.axhline(level, color=colour, linestyle=":", linewidth=1.4)


def _axis(axes, at: pd.Series) -> None:
    if at.empty or at.max() <= _LOGARITHMIC * at.min():
        return
    axes.set_xscale("log")
    axes.minorticks_off()
    if at.max() > 1e4 * at.min():
        first, last = math.floor(math.log10(at.min())), math.ceil(math.log10(at.max()))
        ticks = [10.0**k for k in range(first, last + 1)]
    else:
        ticks = [t * 10.0**k for k in range(-4, 4) for t in (1, 2, 3, 5)]
        ticks = [t for t in ticks if at.min() <= t <= at.max() and t not in (3, 30)]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _axis_name(parameter: str) -> str:
    names = {"lam": "λ (logarithmic)", "n_column_clusters": "number of column clusters m"}
    return names.get(parameter, formats.parameter_name(parameter))


def _zero_name(parameter: str) -> str:
    return "λ = 0 (NMTF)" if parameter == "lam" else f"{formats.parameter_name(parameter)} = 0"


def sweep_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the numbers behind the curves: a row per dataset and value."""
    block = paper.config["items"][item]
    rows = numbers_of(paper.of_item("sweeps", item))
    if rows.empty:
        return None
    metrics = list(block.get("metrics") or dict.fromkeys(rows["metric"]))
    heading = formats.parameter_name(block.get("parameter", rows["parameter"].iloc[0]))
    columns = [Column(("Dataset",), numeric=False), Column((heading,))]
    columns += [Column((formats.metric_name(metric),)) for metric in metrics]
    columns.append(Column(("Runs",)))
    order = list(dict.fromkeys([*block.get("datasets", {}), *rows["dataset"]]))
    lines = []
    for dataset in order:
        here = rows[rows["dataset"] == dataset]
        for at, group in here.groupby("at", sort=True):
            by_metric = {row["metric"]: row for row in group.to_dict("records")}
            scores = [
                Entry(formats.with_spread(by_metric[m]["mean"], by_metric[m]["sd"], 3))
                if m in by_metric
                else Entry()
                for m in metrics
            ]
            runs = sorted({int(formats.as_float(n)) for n in group["n_runs"] if n})
            counted = " to ".join(dict.fromkeys(str(n) for n in (*runs[:1], *runs[-1:])))
            lines.append([Entry(dataset), Entry(f"{at:g}"), *scores, Entry(counted)])
    missing = [name for name in block.get("datasets", {}) if name not in set(rows["dataset"])]
    notes = [f"No data: {', '.join(missing)}."] if missing else []
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, lines, notes=notes)
