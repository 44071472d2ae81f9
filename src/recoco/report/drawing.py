"""What every drawing function needs: its subject, its colours and the registry."""

import functools
from dataclasses import dataclass

from recoco.report import formats, svg
from recoco.report.inputs import Material, Paper, PrintedCell

DRAWINGS = {}
# Distinct for colour-blind readers and as greys; the order is the order of use.
COLOURS = ("#9aa5b1", "#e69f00", "#0b6fb0", "#117a55", "#b5579b", "#6b4c9a")


@dataclass(frozen=True)
class Subject:
    """What a drawing function is given: a figure of a paper and all the report knows."""

    material: Material
    paper: Paper
    item: str

    @property
    def block(self) -> dict:
        return self.paper.config["items"][self.item]

    @property
    def of(self) -> str:
        """The scores item whose cells are drawn."""
        return self.block.get("of", self.item)

    def setting(self, key: str, default):
        """Return what the figure says, else what the item it draws says, else a default."""
        drawn = self.paper.config["items"][self.of]
        return self.block.get(key) or drawn.get(key) or default

    @property
    def datasets(self) -> dict[str, str]:
        """Printed name and card of the datasets, in the order of the paper."""
        return self.setting("datasets", {name: name for name in self.material.datasets})

    @property
    def weightings(self) -> list[str]:
        return list(self.setting("weightings", dict.fromkeys(c.weighting for c in self.cells)))

    @functools.cached_property
    def cells(self) -> list[PrintedCell]:
        return self.material.cells_of(self.paper.key, self.of)

    @functools.cached_property
    def _by_name(self) -> dict[tuple, PrintedCell]:
        return {(c.dataset, c.weighting, c.method, c.metric): c for c in self.cells}

    def find(self, dataset: str, weighting: str, method: str, metric: str) -> PrintedCell | None:
        """Return the printed cell of that name, if there is one."""
        return self._by_name.get((dataset, weighting, method, metric))

    def measure(self, cell: PrintedCell | None, combination: str) -> dict:
        """Return what was measured for a cell under a combination; empty if nothing was."""
        if cell is None or cell.answer is None:
            return {}
        rows = self.paper.measures_of.get(cell.answer["cell"], [])
        return next((row for row in rows if row["combination"] == combination), {})


def drawing(function):
    """Register a drawing function under its own name."""
    name = function.__name__
    if name in DRAWINGS:  # the later one would silently draw both
        raise ValueError(f"two drawings are called {name}")
    DRAWINGS[name] = function
    return function


def value_of(row: dict, column: str = "measured") -> float:
    return formats.as_float(row.get(column))


def panels(rows: int, columns: int, width: float, height: float):
    """Return a figure and its axes, which share their scales, as a flat list."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    return figure, list(axes.ravel())


def grid(axes, axis: str) -> None:
    """Draw faint lines behind everything across an axis, whose own ticks they replace."""
    axes.grid(axis=axis, color=svg.FAINT, alpha=0.25, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y" if axis == "x" else "x", length=0)


def legend(figure, handles, where: str) -> None:
    figure.legend(
        handles=handles, loc=where, ncols=len(handles), handlelength=1.2, columnspacing=1.5
    )


def remark(axes, x: float, y: float, text: str, **more) -> None:
    """Say in small slanted letters what cannot be drawn, or what belongs to it."""
    axes.text(x, y, text, color=svg.FAINT, style="italic", fontsize=7.5, **more)


def nothing(axes, text: str) -> None:
    """Say in the middle of a panel why it is empty."""
    remark(axes, 0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")


def columns_name(subject: "Subject", card: str, text: str) -> str:
    """Return a number of column clusters as the papers call it: m = g where it is that of g."""
    number = int(formats.as_float(text))
    classes = subject.material.datasets.get(card, {}).get("classes")
    return "m = g" if number == classes else f"m = {number}"


def patch(colour: str, label: str, alpha: float = 1.0):
    from matplotlib.patches import Rectangle

    return Rectangle((0, 0), 1, 1, color=colour, alpha=alpha, linewidth=0, label=label)


def mark(label: str, **look):
    """Return the entry of a legend for a marker."""
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none", label=label, **look)
