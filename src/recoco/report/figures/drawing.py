"""What all drawings share: their subject, colours, panels, legends and the registry."""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recoco.report import formats
from recoco.report.figures import svg

if TYPE_CHECKING:  # they need the kinds of items, one of which may be importing this module
    from recoco.report.inputs import Material, Paper, PrintedCell

DRAWINGS = {}
DATA: dict[str, str] = {}
# Distinct for colour-blind readers and as greys; the order is the order of use.
COLOURS = ("#9aa5b1", "#e69f00", "#0b6fb0", "#117a55", "#b5579b", "#6b4c9a")


@dataclass(frozen=True)
class Subject:
    """The argument of a drawing function: an item to draw, and everything the report shows."""

    material: Material
    paper: Paper
    name: str

    @property
    def item(self) -> dict:
        return self.paper.items[self.name]

    @property
    def of(self) -> str:
        """Name of the item whose numbers are drawn: the one it names, else itself."""
        return self.item.get("of", self.name)

    @property
    def drawn(self) -> dict:
        """The item whose numbers are drawn."""
        return self.paper.items[self.of]

    def setting(self, key: str):
        """Return a key of the figure, else of the item that it draws; None if neither has it."""
        return self.item.get(key) or self.drawn.get(key)

    @property
    def datasets(self) -> dict[str, str]:
        """Printed name and card of the datasets, in the order of the paper."""
        return self.setting("datasets") or {name: name for name in self.material.datasets}

    @property
    def weightings(self) -> list[str]:
        return list(self.setting("weightings") or dict.fromkeys(c.weighting for c in self.cells))

    def rows(self, frame: str) -> list[dict[str, str]]:
        """Return the rows of a frame about the item, or else about the one it draws (`of`)."""
        return self.paper.rows_of(frame, self.name) or self.paper.rows_of(frame, self.of)

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


def drawing(function=None, *, data: str = ""):
    """Register a drawing function under its own name.

    Parameters
    ----------
    data : the table of compare that holds its numbers, for a drawing whose item has no table
    """
    if function is None:
        return functools.partial(drawing, data=data)
    name = function.__name__
    if name in DRAWINGS:
        raise ValueError(f"two drawings are called {name}")
    DRAWINGS[name] = function
    DATA[name] = data
    return function


@functools.cache
def drawings() -> dict:
    """Return the drawing functions of all kinds of items, by name."""
    from recoco.items import modules_of_drawings

    for module in modules_of_drawings():
        importlib.import_module(module)
    return DRAWINGS


def data_of(name: str) -> str:
    """Return the table of compare that holds the numbers of a drawing, "" for none."""
    return DATA[name] if name in drawings() else ""


def value_of(row: dict, column: str = "measured") -> float:
    return formats.as_float(row.get(column))


def new_figure(width: float, height: float):
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def panels(rows: int, columns: int, width: float, height: float, used: int = 0, **shared):
    """Return a figure and its axes as a flat list.

    ``used`` is the number of axes that are needed, if not all: the others are hidden. The axes
    share both scales unless ``shared`` (sharex, sharey) differs.
    """
    figure = new_figure(width, height)
    shared = shared or {"sharex": True, "sharey": True}
    axes = list(figure.subplots(rows, columns, squeeze=False, **shared).ravel())
    for unused in axes[used or len(axes) :]:
        unused.set_axis_off()
    return figure, axes


def empty_figure(text: str, width: float = 8.6, height: float = 1.2):
    """Return a figure with nothing but the reason why it is empty."""
    figure, (axes,) = panels(1, 1, width, height)
    axes.set_axis_off()
    nothing(axes, text)
    return figure


def grid(axes, axis: str) -> None:
    """Draw faint lines across an axis, behind everything else, in place of its ticks."""
    axes.grid(axis=axis, color=svg.FAINT, alpha=0.25, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y" if axis == "x" else "x", length=0)


def legend(figure, handles, where: str) -> None:
    figure.legend(
        handles=handles, loc=where, ncols=len(handles), handlelength=1.2, columnspacing=1.5
    )


def remark(axes, x: float, y: float, text: str, **more) -> None:
    """Write a remark in small italics."""
    axes.text(x, y, text, color=svg.FAINT, style="italic", fontsize=7.5, **more)


def nothing(axes, text: str) -> None:
    """Write in the middle of a panel why it is empty."""
    remark(axes, 0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")


def patch(colour: str, label: str, alpha: float = 1.0):
    """Return the entry of a legend for a filled area."""
    from matplotlib.patches import Rectangle

    return Rectangle((0, 0), 1, 1, color=colour, alpha=alpha, linewidth=0, label=label)


def mark(label: str, **look):
    """Return the entry of a legend for a marker, or for a line if the look has a linestyle."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **{"linestyle": "none", **look})


def hollow(size: float, edge: float, fill: str = svg.PAPER) -> dict:
    """Return the look of a circle that lets what is behind it show."""
    edges = {"markeredgecolor": svg.INK, "markeredgewidth": edge}
    return {"marker": "o", "markersize": size, "markerfacecolor": fill, **edges}


def overlap(a: tuple, b: tuple) -> bool:
    """Tell whether two boxes (left, bottom, right, top) have a point in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def as_numbers(rows, *columns: str):
    """Return a frame with some columns of text as numbers."""
    return rows.assign(**{c: rows[c].map(formats.as_float).astype(float) for c in columns})
