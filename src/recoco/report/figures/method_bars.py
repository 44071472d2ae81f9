"""Bars of methods beside each other: their looks, the bars, the axis and the legend."""

import math

from recoco.report import formats
from recoco.report.figures import svg
from recoco.report.figures.drawing import COLOURS, grid, value_of

_HATCHES = ("", "////", "....")


def looks(methods: list[str]) -> dict[str, dict]:
    """Return colour and hatch of each method; of "A + B", A decides the hatch and B the colour.

    Not all readers can distinguish seven colours, but three colours and three hatches.
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


def beside(centre: float, count: int, room: float = 0.82) -> tuple[list[float], float]:
    """Return the places of bars around a centre, and the width of each with its gap."""
    width = room / max(1, count)
    return [centre + (rank - (count - 1) / 2) * width for rank in range(count)], width


def bar(axes, where: float, width: float, row: dict, metric="measured", cap=1.5, **look) -> bool:
    """Draw a mean with its deviation; return whether the row has one."""
    value, sd = value_of(row, metric), value_of(row, f"{metric}_sd")
    if not math.isfinite(value):
        return False
    axes.bar(where, value, width * 0.92, linewidth=0, **look)
    if sd > 0:
        axes.errorbar(where, value, sd, color=svg.INK, linewidth=0.8, capsize=cap)
    return True


def bars_beside(axes, centre: float, entries: list[tuple[dict, dict]]) -> bool:
    """Draw bars beside each other around a place; return whether any was drawn."""
    places, width = beside(centre, len(entries))
    pairs = zip(places, entries, strict=True)
    drawn = [bar(axes, where, width, row, **look) for where, (row, look) in pairs]
    return any(drawn)


def place_names(axes, names: list[str]) -> None:
    """Write a name below each group of bars."""
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.6, len(names) - 0.4)


def unit_axis(axes, metric: str = "") -> None:
    """Make the axis of a score go from 0 to 1, labelled with a metric if one is given."""
    if metric:
        axes.set_ylabel(formats.metric_name(metric))
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    grid(axes, "y")


def method_legend(figure, methods: list[str], look: dict, more=(), ncols: int = 0) -> None:
    """Draw the legend of the methods and of what else the figure shows, above the panels."""
    from matplotlib.patches import Rectangle

    handles = [Rectangle((0, 0), 1, 1, linewidth=0, label=m, **look[m]) for m in methods]
    handles += more
    ncols = ncols or min(4, len(handles))
    figure.legend(handles=handles, loc="outside upper center", ncols=ncols, handlelength=1.4)
