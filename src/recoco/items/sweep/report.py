"""Sweeps in the report: curves along a parameter, and their numbers as a table."""

import math

import pandas as pd

from recoco.report import formats, tables
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg
from recoco.report.inputs import Material, Paper

# Lines differ by colour and by marker; the grey comes late, it is weakest as a line.
_LOOKS = tuple(zip((*draw.COLOURS[1:5], draw.COLOURS[0], draw.COLOURS[5]), "osD^vP", strict=True))
_AXES = {"lam": "λ (logarithmic)", "n_column_clusters": "number of column clusters m"}
# An axis whose ends are further apart than this is logarithmic.
_LOGARITHMIC = 30


@draw.drawing
def parameter_curves(subject: draw.Subject):
    """Mean scores of a method on each dataset as a parameter grows; bands are deviations."""
    rows = numbers_of(subject.paper.of_item("sweeps", subject.of))
    names = list(subject.datasets)
    metrics, parameter = subject.setting("metrics"), subject.setting("parameter")
    figure, columns = draw.panels(1, len(metrics), 4.7 * len(metrics), 3.9)
    for axes, metric in zip(columns, metrics, strict=True):
        here = rows[rows["metric"] == metric]
        for rank, dataset in enumerate(names):
            _curve(axes, here[here["dataset"] == dataset], *_LOOKS[rank % len(_LOOKS)])
        axes.set_title(formats.metric_name(metric), loc="left")
        axes.set_xlabel(_AXES.get(parameter, formats.parameter_name(parameter)))
        draw.grid(axes, "y")
        if here.empty:
            draw.nothing(axes, "nothing was measured")
    if len(rows):
        _axis(columns[0], rows.loc[rows["at"] > 0, "at"])
        sd = rows["sd"].fillna(0)
        low, high = (rows["mean"] - sd).min(), (rows["mean"] + sd).max()
        columns[0].set_ylim(math.floor(10 * low) / 10, math.ceil(10 * high) / 10)
    seen = set(rows["dataset"])
    handles = []
    for rank, dataset in enumerate(names):
        colour, marker = _LOOKS[rank % len(_LOOKS)]
        if dataset in seen:
            look = {"color": colour, "marker": marker, "linestyle": "-", "linewidth": 1.6}
            handles.append(draw.mark(dataset, markersize=4.5, **look))
        else:
            handles.append(
                draw.mark(f"{dataset}: no data", color=svg.FAINT, marker="x", markersize=4.5)
            )
    if (rows["at"] == 0).any():
        zero = "λ = 0 (NMTF)" if parameter == "lam" else f"{formats.parameter_name(parameter)} = 0"
        handles.append(draw.mark(zero, color=svg.FAINT, linestyle=":", linewidth=1.6))
    figure.legend(
        handles=handles, loc="outside upper center", ncols=6, handlelength=2, columnspacing=1.4
    )
    return figure


def numbers_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a number, in order of the parameter."""
    names = {"value": "at", "measured": "mean", "measured_sd": "sd"}
    numbers = draw.as_numbers(rows.rename(columns=names), *names.values())
    return numbers.dropna(subset=["at", "mean"]).sort_values("at", kind="stable")


def _curve(axes, rows: pd.DataFrame, colour: str, marker: str) -> None:
    line = rows[rows["at"] > 0]
    if len(line):
        at, mean, sd = (line[c].to_numpy() for c in ("at", "mean", "sd"))
        if math.isfinite(sd.sum()):
            axes.fill_between(at, mean - sd, mean + sd, color=colour, alpha=0.16, linewidth=0)
        axes.plot(at, mean, color=colour, marker=marker, markersize=4.5, linewidth=1.6)
    for level in rows.loc[rows["at"] == 0, "mean"]:
        # Zero has no place on a logarithmic axis, and it is another method: draw a level.
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


def sweep_table(material: Material, paper: Paper, name: str) -> tables.Table | None:
    """Return the numbers behind the curves: a row per dataset and value."""
    item, rows = paper.items[name], numbers_of(paper.of_item("sweeps", name))
    if rows.empty:
        return None
    columns = tables.text_columns("Dataset")
    columns += tables.number_columns(formats.parameter_name(item["parameter"]))
    columns += tables.number_columns(*map(formats.metric_name, item["metrics"]), "Runs")
    lines = []
    for dataset in item["datasets"]:
        for at, group in rows[rows["dataset"] == dataset].groupby("at", sort=True):
            by_metric = {row["metric"]: row for row in group.to_dict("records")}
            scores = [tables.score_entry(by_metric.get(m), "mean", "sd") for m in item["metrics"]]
            runs = sorted({int(formats.as_float(n)) for n in group["n_runs"] if n})
            counted = " to ".join(dict.fromkeys(str(n) for n in (*runs[:1], *runs[-1:])))
            lines.append([*tables.entries(dataset, f"{at:g}"), *scores, tables.Entry(counted)])
    return tables.table_of(
        paper, name, columns, lines, tables.no_data(item, rows.to_dict("records"))
    )
