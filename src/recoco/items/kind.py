"""The base class of the kinds of items: what recoco must know about a table or figure.

A kind is a subclass of :class:`Kind` in a module (or package) of its own in this folder, with one
instance named ``KIND``. The rules, the comparison, the report, the archive and the configuration
reference find it by that name; there is no other list of kinds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import ClassVar

RESULTS = Path("results") / "analyse"


@dataclass(frozen=True)
class Analysis:
    """One file of the stage analyse: its inputs, and the function that writes it.

    Attributes
    ----------
    paper : key of the paper that needs it
    step : name of the computation and of the folder of its files; unique among all kinds
    part : name of the file in that folder
    write : ``write(inputs, task, out)``, a function of the kind's module. It may return clock
        readings, which are written to a file of their own because they differ each time.
    inputs : files of earlier stages, by name
    task : plain values that decide the result
    code : import paths of classes that ``write`` loads by name
    dataset, slug : used to estimate time and memory
    """

    paper: str
    step: str
    part: str
    write: Callable
    inputs: dict[str, list[str]] = field(default_factory=dict)
    task: dict = field(default_factory=dict)
    code: tuple[str, ...] = ()
    dataset: str = ""
    slug: str = ""

    @property
    def path(self) -> Path:
        return analysis_path(self.paper, self.step, self.part)

    @property
    def function(self) -> str:
        """Import path of the function that writes the file."""
        return f"{self.write.__module__}:{self.write.__qualname__}"


def analysis_path(paper: str, step: str, part: str) -> Path:
    """Return the path of the result of an analysis, relative to the project folder."""
    return RESULTS / paper / step / part


def plain_settings(item: dict) -> Iterator[tuple]:
    """Yield (setting, details) of an item's method on each dataset, with its own parameters."""
    from recoco.plan import Setting

    weighting = next(iter(item["weightings"].values()))
    for dataset, card in item["datasets"].items():
        yield Setting(card, weighting, item["method"]), {"dataset": dataset, "card": card}


def part_of(setting, ending: str) -> str:
    """Return the file name for the analysis of a setting: the folder of its runs and an ending."""
    return f"{setting.folder(Path()).relative_to(Path('results', 'runs')).as_posix()}{ending}"


def analyses_by_card(plan, paper: str, step: str, write, tasks, used, **more) -> Iterator[Analysis]:
    """Yield one analysis for each card, of the runs of the settings that its tasks use.

    Parameters
    ----------
    tasks : list of tasks of each card
    used : names of settings of each card; those that are not planned are left out
    more : entries of the task in addition to ``tasks`` and ``settings``
    """
    for card, of_card in tasks.items():
        settings = {name: plan.ranked(name) for name in used[card] if name in plan.settings}
        if settings:
            blocks = [block for blocks, *_ in settings.values() for block in blocks]
            yield Analysis(
                *(paper, step, f"{card}.json", write),
                {"data": [plan.data(card)], "blocks": blocks},
                {"tasks": of_card, "settings": settings, **more},
                dataset=card,
            )


def readings_path(path: Path) -> Path:
    """Return the path of the clock readings of an analysis."""
    return path.with_name(f"{path.name}.seconds.json")


def run_analysis(function: str, inputs: dict, task: dict, out: Path, readings: Path) -> None:
    """Call the function that writes an analysis and store its clock readings."""
    from recoco.core.files import write_json

    module, _, name = function.partition(":")
    seconds = getattr(import_module(module), name)(inputs, task, out)
    write_json(readings, {} if seconds is None else seconds)


def analysis_rows(comparison, step: str, datasets: dict[str, str], name: str) -> list[dict]:
    """Return the rows of an item that an analysis wrote about each of its datasets.

    Each row starts with the printed name of its dataset and the card.
    """
    from recoco.core.files import read_json

    rows = []
    for dataset, card in sorted(datasets.items(), key=lambda pair: pair[1]):
        path = analysis_path(comparison.key, step, f"{card}.json")
        written = read_json(path) if path in comparison.analyses else []
        rows += [{"dataset": dataset, "card": card, **r} for r in written if r["item"] == name]
    return rows


class Kind:
    """Everything recoco knows about one kind of item.

    Attributes
    ----------
    name : value of ``kind:`` in a paper's file
    about : one sentence for the configuration reference
    schema : JSON Schema of the keys that this kind has in addition to the common ones
    required : keys that every item of this kind must have
    tables : columns of the CSV files that :meth:`compare` adds rows to, by name; keys of a row that
        are not among the columns are not written
    drawing : name of the function that draws an item without ``draw:``; "" if it has no figure
    figures : import paths of the modules that define the drawings of this kind
    steps : what each step of :meth:`analyses` does, for the archive's description
    """

    name: ClassVar[str] = ""
    about: ClassVar[str] = ""
    schema: ClassVar[dict] = {}
    required: ClassVar[tuple[str, ...]] = ()
    tables: ClassVar[dict[str, list[str]]] = {}
    drawing: ClassVar[str] = ""
    figures: ClassVar[tuple[str, ...]] = ()
    steps: ClassVar[dict[str, str]] = {}

    def check(self, items: dict[str, dict], name: str, where: str) -> None:
        """Raise an error for mistakes in an item that the schema cannot detect."""

    def described(self, config, item: dict) -> Iterator[tuple]:
        """Yield (setting, details) of the runs that an item needs; details are columns of rows."""
        yield from ()

    def settings(self, config, paper: dict, item: dict) -> Iterator[tuple]:
        """Yield (setting, most runs or None) of the runs that an item needs."""
        yield from ((setting, None) for setting, _ in self.described(config, item))

    def analyses(self, plan, paper: str) -> Iterator[Analysis]:
        """Yield the analyses that the items of this kind need in a paper."""
        yield from ()

    def compare(self, comparison, name: str, item: dict, printed) -> list[dict]:
        """Add rows to the comparison's tables and return the answers to the printed cells."""
        comparison.add(self.rows(comparison, name, item))
        return []

    def rows(self, comparison, name: str, item: dict) -> dict[str, list[dict]]:
        """Return the rows of an item by table, for a kind that answers no printed cell."""
        return {}

    def table(self, material, paper, name: str):
        """Return the table of an item for the report; None if it has no numbers."""
        from recoco.report.tables import item_table

        return item_table(material, paper, name)
