"""Mean ranks of methods on one line, with those joined that a test does not tell apart."""

import math
from collections.abc import Mapping, Sequence

from recoco.report import svg
from recoco.report.drawing import COLOURS, remark

# All lengths are inches: nothing moves or overlaps when there are more methods.
_SPAN = 4.6
_ROW = 0.21
_LEVEL = 0.12
_MARGIN = 0.12
_GAP = 0.08
_SIZE = 9
_NUMBER = 8
_AXIS = "mean rank"
_BELOW = "Bars join methods whose mean ranks differ by less than CD."


def cd_diagram(
    ranks: Mapping[str, float],
    cd: float,
    groups: Sequence[Sequence[str]],
    title: str,
):
    """Return a critical difference diagram as a figure.

    Parameters
    ----------
    ranks : mean rank of each method (a dict or a series); 1 is the best and drawn at the left
    cd : critical difference, drawn as a ruler above the axis
    groups : names of the methods that do not differ, as recoco.compare.ranks finds them
    """
    from matplotlib.figure import Figure

    order = sorted(ranks.items(), key=lambda pair: pair[1])
    k = len(order)
    half = math.ceil(k / 2)
    # The better half stands at the left, best on top; the other at the right, worst on top.
    left, right = order[:half], order[half:][::-1]
    levels = _levels(ranks, groups)

    unit = _SPAN / max(k - 1, cd)
    number = _width("00.00", _NUMBER)
    beside = number + 3.5 * _GAP
    start = _MARGIN + beside + max(_width(name, _SIZE) for name, _ in left)
    start = max(start, 2 * _MARGIN + _width(_AXIS, _SIZE))
    end = start + _SPAN
    width = end + beside + max((_width(name, _SIZE) for name, _ in right), default=0) + _MARGIN
    # Bold letters are wider by about an eighth.
    width = max(width, 1.15 * _width(title, 10) + 2 * _MARGIN)
    axis = 1.05 if title else 0.75
    first = axis + 0.2 + _LEVEL * (max(levels, default=-1) + 1)
    height = first + _ROW * half + 0.25

    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_axis_off()

    def place(rank: float) -> float:
        return start + (rank - 1) * unit

    if title:
        axes.text(_MARGIN, 0.22, title, fontsize=10, fontweight="bold", va="center")
    _ruler(axes, start, cd, unit, axis - 0.42)
    _scale(axes, place, k, axis)
    for rows, edge, side in ((left, start, -1), (right, end, 1)):
        for row, (name, rank) in enumerate(rows):
            _method(axes, name, rank, place(rank), axis, first + row * _ROW, edge, side, number)
    for group, level in zip(groups, levels, strict=True):
        _bar(axes, [place(ranks[name]) for name in group], axis + 0.14 + level * _LEVEL)
    if groups:
        remark(axes, _MARGIN, height - 0.12, _BELOW, va="center")
    return figure


def _width(text: str, size: float) -> float:
    """Return the width of a text in inches, in the font of the files, which is a wide one."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0
    path = TextPath((0, 0), text, size=size, prop=FontProperties(family="DejaVu Sans"))
    return float(path.get_extents().x1) / 72


def _levels(ranks: Mapping[str, float], groups: Sequence[Sequence[str]]) -> list[int]:
    """Return the lowest level for each bar on which it meets no bar before it."""
    ends: list[float] = []
    levels = []
    # Bars closer than this would read as one.
    apart = 0.03 * len(ranks)
    for group in groups:
        low, high = (end(ranks[name] for name in group) for end in (min, max))
        level = next((i for i, reached in enumerate(ends) if low > reached + apart), len(ends))
        ends[level : level + 1] = [high]
        levels.append(level)
    return levels


def _ruler(axes, start: float, cd: float, unit: float, y: float) -> None:
    line = {"color": svg.INK, "linewidth": 1.2}
    end = start + cd * unit
    axes.plot([start, end], [y, y], **line)
    for x in (start, end):
        axes.plot([x, x], [y - 0.04, y + 0.04], **line)
    axes.text(start, y - 0.13, f"CD = {cd:.3f}", fontsize=_NUMBER, va="center")


def _scale(axes, place, k: int, y: float) -> None:
    """Draw the axis of ranks with a number at every whole rank, or at some if they are many."""
    axes.plot([place(1), place(k)], [y, y], color=svg.INK, linewidth=1.0, solid_capstyle="butt")
    step = 1 if k <= 20 else 2 if k <= 30 else 5
    named = [rank for rank in range(1, k + 1) if rank == 1 or rank % step == 0]
    for rank in range(1, k + 1):
        length = 0.07 if rank in named else 0.04
        axes.plot([place(rank)] * 2, [y, y - length], color=svg.INK, linewidth=0.8)
    for rank in named:
        axes.text(place(rank), y - 0.15, str(rank), fontsize=_NUMBER, ha="center", va="center")
    remark(axes, place(1) - _MARGIN, y, _AXIS, ha="right", va="center")


def _method(axes, name, rank, x, axis, y, edge, side, number) -> None:
    """Draw the line from a mean rank to the name of its method."""
    elbow = edge + side * _GAP
    axes.plot([x, x, elbow], [axis, y, y], color=svg.FAINT, linewidth=0.8)
    outward = {"ha": "right" if side < 0 else "left", "va": "center"}
    axes.text(
        elbow + side * _GAP / 2, y, f"{rank:.2f}", color=svg.FAINT, fontsize=_NUMBER, **outward
    )
    axes.text(elbow + side * (number + 1.5 * _GAP), y, name, fontsize=_SIZE, **outward)


def _bar(axes, places: list[float], y: float) -> None:
    """Draw the bar of a group, with a dot for each of its methods."""
    ends = [min(places) - 0.03, max(places) + 0.03]
    axes.plot(ends, [y, y], color=COLOURS[2], linewidth=2.6, solid_capstyle="butt", zorder=3)
    look = {"marker": "o", "markersize": 4.2, "markeredgewidth": 0}
    axes.plot(places, [y] * len(places), linestyle="none", color=COLOURS[2], zorder=4, **look)
