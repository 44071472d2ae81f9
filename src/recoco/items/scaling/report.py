"""Times on random data in the report: curves with their slopes, and a table."""

import math

from recoco.items.scaling import is_failure
from recoco.report import formats
from recoco.report.figures import drawing as draw
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Table, entries, number_columns, table_of, text_columns

_LOOKS = tuple(
    zip(
        (draw.COLOURS[2], draw.COLOURS[1], *draw.COLOURS[3:], draw.COLOURS[0]),
        "osD^vP",
        strict=True,
    )
)
_LONGEST = 100  # characters of a reason that fit into a figure
_NAMES = {"views": "feature spaces", "objects": "objects", "features": "features per space"}


@draw.drawing
def scaling_curves(subject: draw.Subject):
    """Seconds of a run against a size of the data, a line per value of the other."""
    rows = draw.as_numbers(
        subject.paper.of_item("scaling", subject.name), "objects", "features", "views", "seconds"
    )
    failed = [curve for curve in rows["curve"] if is_failure(curve)]
    figure, (axes,) = draw.panels(1, 1, 9, 4.4)
    along = subject.item["along"]
    axes.set_xlabel(f"number of {_NAMES[along]} (logarithmic)")
    axes.set_ylabel("seconds (logarithmic)")
    draw.grid(axes, "y")
    if rows.empty or failed:
        draw.nothing(axes, failed[0][:_LONGEST] if failed else "not measured in this pass")
        axes.set_xticks([])
        axes.set_yticks([])
        return figure
    others = [k for k in ("objects", "features", "views") if k != along]
    varied = [k for k in others if rows[k].min() < rows[k].max()]
    variants = list(dict.fromkeys(rows["variant"]))
    for (variant, curve), line in rows.groupby(["variant", "curve"], sort=False):
        curves = list(dict.fromkeys(rows["curve"]))
        colour, marker = _LOOKS[curves.index(curve) % len(_LOOKS)]
        parts = [variant] * (len(variants) > 1)
        parts += [f"{int(line[k].iloc[0])} {_NAMES[k]}" for k in varied]
        name = ", ".join(parts) or "run"
        slope = formats.number(line["slope"].iloc[0], 2)
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


def scaling_table(material: Material, paper: Paper, name: str) -> Table | None:
    """Return the seconds and iterations behind the lines, with the slopes of each."""
    rows = paper.rows_of("scaling", name)
    if not rows:
        return None
    failed = [row["curve"] for row in rows if is_failure(row["curve"])]
    several = len({row["variant"] for row in rows}) > 1
    sizes = ("objects", "features", "views")
    columns = text_columns("Reading") * several
    columns += number_columns(*(_NAMES[key].capitalize() for key in sizes))
    columns += number_columns("Iterations", "Seconds")
    columns += number_columns("run", "iteration", "iterations", under="Slope of the")
    lines = []
    for row in rows:
        texts = [row["variant"]] * several
        texts += [formats.whole(row[key]) for key in (*sizes, "n_iter")]
        times = ("seconds", "slope", "slope_iteration", "slope_n_iter")
        texts += [formats.number(row[key], 2) for key in times]
        lines.append(entries(*texts))
    notes = [f"{row['method']} {reason}" for row, reason in zip(rows, failed, strict=False)] or [
        "Slopes of a straight line through the logarithms: of the seconds of a run, of the "
        "seconds of one iteration, and of the number of iterations."
    ]
    return table_of(paper, name, columns, lines, notes)
