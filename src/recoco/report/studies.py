"""Times on random data, convergence on planted data, and words that stand for clusters."""

import math

import pandas as pd

from recoco.report import formats, svg
from recoco.report.drawing import COLOURS, Subject, drawing, grid, nothing, panels
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Entry, Table

_LOOKS = tuple(zip((COLOURS[2], COLOURS[1], *COLOURS[3:], COLOURS[0]), "osD^vP", strict=True))
_NAMES = {"views": "feature spaces", "objects": "objects", "features": "features per space"}


def _numbers(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    return rows.assign(**{c: rows[c].map(formats.as_float).astype(float) for c in columns})


# ---- times -------------------------------------------------------------------------------


@drawing
def scaling_curves(subject: Subject):
    """Seconds of a run against a size of the data, a line per value of the other."""
    rows = _numbers(
        subject.paper.of_item("scaling", subject.item), "objects", "features", "views", "seconds"
    )
    figure, (axes,) = panels(1, 1, 9, 4.4)
    along = subject.block["along"]
    axes.set_xlabel(f"number of {_NAMES[along]} (logarithmic)")
    axes.set_ylabel("seconds (logarithmic)")
    grid(axes, "y")
    if rows.empty:
        nothing(axes, "not measured in this pass")
        axes.set_xticks([])
        axes.set_yticks([])
        return figure
    others = [k for k in ("objects", "features", "views") if k != along]
    varied = [k for k in others if rows[k].min() < rows[k].max()]
    variants = list(dict.fromkeys(rows["variant"]))
    for (variant, curve), line in rows.groupby(["variant", "curve"], sort=False):
        curves = list(dict.fromkeys(rows["curve"]))
        colour, marker = _LOOKS[curves.index(curve) % len(_LOOKS)]
        said = [variant] * (len(variants) > 1)
        said += [f"{int(line[k].iloc[0])} {_NAMES[k]}" for k in varied]
        name = ", ".join(said) or "run"
        slope = formats.number(formats.as_float(line["slope"].iloc[0]), 2)
        look = {"color": colour, "marker": marker, "markersize": 4.5, "linewidth": 1.6}
        look["linestyle"] = "-" if variant == variants[0] else "--"
        axes.plot(line[along], line["seconds"], label=f"{name}: slope {slope}", **look)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.minorticks_off()
    ticks = sorted(rows[along].unique())
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    low, high = (math.log10(f(rows["seconds"])) for f in (min, max))
    marks = [m * 10.0**k for k in range(math.floor(low), math.ceil(high) + 1) for m in (1, 2, 5)]
    marks = [mark for mark in marks if 0.8 * 10**low <= mark <= 1.25 * 10**high]
    axes.set_yticks(marks, [f"{mark:g}" for mark in marks])
    figure.legend(loc="outside upper center", ncols=2, handlelength=2, columnspacing=1.4)
    return figure


def scaling_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the seconds and iterations behind the lines, with the slopes of each."""
    found = paper.of_item("scaling", item).to_dict("records")
    if not found:
        return None
    block = paper.config["items"][item]
    several = len({row["variant"] for row in found}) > 1
    columns = [Column(("Reading",), numeric=False)] * several
    columns += [Column((_NAMES[key].capitalize(),)) for key in ("objects", "features", "views")]
    columns += [Column(("Iterations",)), Column(("Seconds",))]
    columns += [Column(("Slope of the", n)) for n in ("run", "iteration", "iterations")]
    rows = []
    for row in found:
        texts = [row["variant"]] * several
        texts += [formats.whole(row[key]) for key in ("objects", "features", "views", "n_iter")]
        texts.append(formats.number(formats.as_float(row["seconds"]), 2))
        slopes = ("slope", "slope_iteration", "slope_n_iter")
        texts += [formats.number(formats.as_float(row[key]), 2) for key in slopes]
        rows.append([Entry(text) for text in texts])
    notes = [
        "Slopes of a straight line through the logarithms: of the seconds of a run, of the "
        "seconds of one iteration, and of the number of iterations."
    ]
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows, notes=notes)


# ---- convergence -------------------------------------------------------------------------


@drawing
def convergence_curves(subject: Subject):
    """Mean hypervolume difference by iteration, a panel per share of flipped values."""
    rows = _numbers(
        subject.paper.of_item("convergence", subject.item),
        *("flip", "iteration", "indicator", "indicator_sd"),
    )
    ends = _numbers(subject.paper.of_item("stability", subject.item), "flip", "rest_mean")
    flips = subject.block["flips"]
    across = 2 if len(flips) > 1 else 1
    down = math.ceil(len(flips) / across)
    figure, grown = panels(down, across, 9, 2.2 * down + 0.5)
    for axes, flip in zip(grown, flips, strict=False):
        here = rows[rows["flip"] == flip]
        axes.set_title(f"p = {100 * flip:g} %", loc="left")
        grid(axes, "y")
        if here.empty:
            nothing(axes, "not computed in this pass")
            continue
        at, mean, sd = (here[c].to_numpy() for c in ("iteration", "indicator", "indicator_sd"))
        if math.isfinite(sd.sum()):
            axes.fill_between(at, mean - sd, mean + sd, color=COLOURS[2], alpha=0.2, linewidth=0)
        axes.plot(at, mean, color=COLOURS[2], linewidth=1.6)
        for rest in ends.loc[ends["flip"] == flip, "rest_mean"]:
            axes.axvline(rest, color=svg.FAINT, linestyle="--", linewidth=1)
    for axes in grown[len(flips) :]:
        axes.set_axis_off()
    grown[0].set_ylim(0, None)
    for place, axes in enumerate(grown[: len(flips)]):
        if place % across == 0:
            axes.set_ylabel("hypervolume difference")
        if place + across >= len(flips):
            axes.set_xlabel("iteration; dashed: at rest from here")
    return figure


def convergence_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return when the runs come to rest and where, beside the planted partition."""
    found = paper.of_item("stability", item).to_dict("records")
    if not found:
        return None
    block = paper.config["items"][item]
    columns = [Column(("p",)), Column(("Runs",))]
    columns += [Column(("At rest after", name)) for name in ("mean", "most")]
    columns += [Column(("Limit",)), Column(("Last difference",))]
    columns += [Column(("Taus", n), numeric=False) for n in ("found", "planted")]
    rows = []
    for row in found:
        last, sd = (formats.as_float(row[key]) for key in ("last", "last_sd"))
        texts = [
            f"{100 * formats.as_float(row['flip']):g} %",
            formats.whole(row["n_runs"]),
            formats.number(formats.as_float(row["rest_mean"]), 0),
            formats.whole(row["rest_most"]),
            formats.whole(row["limit"]),
            formats.with_spread(last, sd, 4),
            row["taus"].replace(" ", " | "),
            row["planted"].replace(" ", " | "),
        ]
        rows.append([Entry(text) for text in texts])
    notes = [
        "At rest: from where on the indicator of a run stays within 0.01 of its last value. Taus: "
        "of the objects, then of each view; those of the planted blocks are for the finest blocks "
        "of objects."
    ]
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows, notes=notes)


# ---- words -------------------------------------------------------------------------------


def representatives_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the features that stand for each cluster, the heaviest cluster of a view first."""
    found = paper.of_item("representatives", item).to_dict("records")
    if not found:
        return None
    block = paper.config["items"][item]
    columns = [Column(("Dataset",), numeric=False), Column(("View",)), Column(("Cluster",))]
    columns += [Column(("Features",)), Column(("% of entries",))]
    columns += [Column(("Features, the most typical first",), numeric=False, wrap=True)]
    rows, notes = [], []
    for row in found:
        share = 100 * formats.as_float(row["mass"])
        texts = [row["dataset"], *(formats.whole(row[k]) for k in ("view", "place", "features"))]
        texts += [formats.number(share, 1), row["words"]]
        rows.append([Entry(text) for text in texts])
        said = (
            f"{row['dataset']}: run {formats.whole(row['run'])}, which has the best criterion, "
            f"{formats.number(formats.as_float(row['criterion']), 4)}, and "
            f"{formats.whole(row['row_clusters'])} row clusters."
        )
        if said not in notes:
            notes.append(said)
    missing = [n for n in block["datasets"] if n not in {row["dataset"] for row in found}]
    notes += [f"No data: {', '.join(missing)}."] if missing else []
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows, notes=notes)
