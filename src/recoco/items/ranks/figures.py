"""Critical difference diagrams: mean ranks on one line, with bars that join equal methods."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recoco.compare.ranks import groups_within
from recoco.report import formats
from recoco.report.figures import svg
from recoco.report.figures.drawing import COLOURS, Subject, drawing, empty_figure, remark

# All lengths are in inches: nothing moves or overlaps when there are more methods.
_SPAN = 4.6
_ROW = 0.21
_LEVEL = 0.12
_MARGIN = 0.12
_GAP = 0.08
_SIZE = 9
_NUMBER = 8
_AXIS = "mean rank"
_SOURCES = {"printed": "means as printed", "measured": "means measured here"}
_BELOW = "Bars join methods whose mean ranks differ by less than CD."


@dataclass(frozen=True)
class Diagram:
    """The content of a critical difference diagram.

    ``ranks`` are the mean ranks of the methods (a dict or a series), of which 1 is the best and
    drawn at the left; ``cd`` is the critical difference, drawn as a ruler above the axis;
    ``groups`` are the names of methods that do not differ, see recoco.compare.ranks.
    """

    ranks: Mapping[str, float]
    cd: float
    groups: Sequence[Sequence[str]]
    title: str


def cd_diagrams(diagrams: Sequence[Diagram]):
    """Return critical difference diagrams one below the other, as a figure."""
    from matplotlib.figure import Figure

    plans = [_Plan(diagram) for diagram in diagrams]
    width, top = max(plan.width for plan in plans), sum(plan.height for plan in plans)
    figure = Figure(figsize=(width, top))
    whole = top
    for plan in plans:
        top -= plan.height
        axes = figure.add_axes((0, top / whole, 1, plan.height / whole))
        axes.set_xlim(0, width)
        axes.set_ylim(plan.height, 0)
        axes.set_axis_off()
        plan.draw(axes)
    return figure


class _Plan:
    """The measures of a diagram, in inches."""

    def __init__(self, diagram: Diagram):
        self.diagram = diagram
        order = sorted(diagram.ranks.items(), key=lambda pair: pair[1])
        self.k = k = len(order)
        half = math.ceil(k / 2)
        # The better half is at the left, best on top; the other at the right, worst on top.
        self.left, self.right = order[:half], order[half:][::-1]
        self.levels = _levels(diagram.ranks, diagram.groups)
        self.unit = _SPAN / max(k - 1, diagram.cd)
        self.number = _width("00.00", _NUMBER)
        beside = self.number + 3.5 * _GAP
        start = _MARGIN + beside + max(_width(name, _SIZE) for name, _ in self.left)
        self.start = max(start, 2 * _MARGIN + _width(_AXIS, _SIZE))
        self.end = self.start + _SPAN
        widest = max((_width(name, _SIZE) for name, _ in self.right), default=0)
        # Bold letters are wider by about an eighth.
        titled = 1.15 * _width(diagram.title, 10) + 2 * _MARGIN
        self.width = max(self.end + beside + widest + _MARGIN, titled)
        self.axis = 1.05 if diagram.title else 0.75
        self.first = self.axis + 0.2 + _LEVEL * (max(self.levels, default=-1) + 1)
        self.height = self.first + _ROW * half + 0.25

    def place(self, rank: float) -> float:
        return self.start + (rank - 1) * self.unit

    def draw(self, axes) -> None:
        ranks, cd, groups = self.diagram.ranks, self.diagram.cd, self.diagram.groups
        if title := self.diagram.title:
            axes.text(_MARGIN, 0.22, title, fontsize=10, fontweight="bold", va="center")
        _ruler(axes, self.start, cd, self.unit, self.axis - 0.42)
        _scale(axes, self.place, self.k, self.axis)
        for rows, edge, side in ((self.left, self.start, -1), (self.right, self.end, 1)):
            for row, (name, rank) in enumerate(rows):
                x, y = self.place(rank), self.first + row * _ROW
                _method(axes, name, rank, x, self.axis, y, edge, side, self.number)
        for group, level in zip(groups, self.levels, strict=True):
            y = self.axis + 0.14 + level * _LEVEL
            _bar(axes, [self.place(ranks[name]) for name in group], y)
        if groups:
            remark(axes, _MARGIN, self.height - 0.12, _BELOW, va="center")


@drawing(data="ranks")
def critical_differences(subject: Subject):
    """The printed and the measured ranks of one metric, one diagram below the other."""
    metric = subject.setting("metrics")[0]
    rows = subject.paper.of_item("ranks", subject.of)
    rows = rows[rows["metric"] == metric]
    diagrams = []
    for (source, combination), group in rows.groupby(["source", "combination"], sort=False):
        if source in _SOURCES:
            title = f"{formats.metric_name(metric)}, {_SOURCES[source]}"
            diagrams.append(diagram_of(group, title, f" ({combination})" if combination else ""))
    return cd_diagrams(diagrams) if diagrams else too_few_datasets()


def diagram_of(rows, title: str, suffix: str = "") -> Diagram:
    """Return the diagram of rows with the mean ranks of methods and a critical difference."""
    ranks = rows.set_index("method")["mean_rank"].map(formats.as_float)
    cd = formats.as_float(rows["cd"].iloc[0])
    count = formats.whole(rows["n_datasets"].iloc[0])
    return Diagram(ranks, cd, groups_within(ranks, cd), f"{title}, {count} datasets{suffix}")


def too_few_datasets():
    return empty_figure("there are too few datasets to rank", 6)


def _width(text: str, size: float) -> float:
    """Return the width of a text in inches, in the font of the files."""
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
    """Draw the axis of ranks with a number at every rank, or at some if there are many."""
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
