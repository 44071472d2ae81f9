"""Convergence in the report: curves by iteration, and a table of where runs come to rest."""

import math

from recoco.report import formats
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Table, entries, number_columns, table_of


@draw.drawing
def convergence_curves(subject: draw.Subject):
    """Mean hypervolume difference by iteration, a panel per share of flipped values."""
    rows = draw.as_numbers(
        subject.paper.of_item("convergence", subject.name),
        *("flip", "iteration", "indicator", "indicator_sd"),
    )
    ends = draw.as_numbers(subject.paper.of_item("stability", subject.name), "flip", "rest_mean")
    flips = subject.item["flips"]
    across = 2 if len(flips) > 1 else 1
    down = math.ceil(len(flips) / across)
    figure, board = draw.panels(down, across, 9, 2.2 * down + 0.5, used=len(flips))
    for axes, flip in zip(board, flips, strict=False):
        here = rows[rows["flip"] == flip]
        axes.set_title(f"p = {100 * flip:g} %", loc="left")
        draw.grid(axes, "y")
        if here.empty:
            draw.nothing(axes, "not computed in this pass")
            continue
        at, mean, sd = (here[c].to_numpy() for c in ("iteration", "indicator", "indicator_sd"))
        if math.isfinite(sd.sum()):
            axes.fill_between(
                at, mean - sd, mean + sd, color=draw.COLOURS[2], alpha=0.2, linewidth=0
            )
        axes.plot(at, mean, color=draw.COLOURS[2], linewidth=1.6)
        for rest in ends.loc[ends["flip"] == flip, "rest_mean"]:
            axes.axvline(rest, color=svg.FAINT, linestyle="--", linewidth=1)
    board[0].set_ylim(0, None)
    for place, axes in enumerate(board[: len(flips)]):
        if place % across == 0:
            axes.set_ylabel("hypervolume difference")
        if place + across >= len(flips):
            axes.set_xlabel("iteration; dashed: at rest from here")
    return figure


def convergence_table(material: Material, paper: Paper, name: str) -> Table | None:
    """Return when the runs come to rest and where, beside the planted partition."""
    rows = paper.rows_of("stability", name)
    if not rows:
        return None
    columns = number_columns("p", "Runs") + number_columns("mean", "most", under="At rest after")
    columns += number_columns("Limit", "Last difference")
    columns += [Column(("Taus", of), numeric=False) for of in ("found", "planted")]
    lines = [
        entries(
            f"{100 * formats.as_float(row['flip']):g} %",
            formats.whole(row["n_runs"]),
            formats.number(row["rest_mean"], 0),
            formats.whole(row["rest_most"]),
            formats.whole(row["limit"]),
            formats.with_spread(row["last"], row["last_sd"], 4),
            row["taus"].replace(" ", " | "),
            row["planted"].replace(" ", " | "),
        )
        for row in rows
    ]
    notes = [
        "At rest: from where on the indicator of a run stays within 0.01 of its last value. Taus: "
        "of the objects, then of each view; those of the planted blocks are for the finest blocks "
        "of objects."
    ]
    return table_of(paper, name, columns, lines, notes)
