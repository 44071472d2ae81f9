"""The state of the comparison of a paper, and the row of a printed cell."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from recoco.compare.answers import Answer
from recoco.compare.errata import misprinted
from recoco.compare.outputs import MEASURED, OUTPUTS
from recoco.compare.table import Table
from recoco.config import Config
from recoco.config.papers import Paper
from recoco.core.errors import RecocoError


@dataclass(frozen=True)
class Findings:
    """The files that the earlier stages wrote for a paper."""

    scores: list[Path]
    records: list[Path]
    analyses: list[Path] = field(default_factory=list)


@dataclass
class Comparison:
    """A paper, the results computed for it, and the output tables filled so far.

    Attributes
    ----------
    key : short name of the paper
    findings : files of the earlier stages
    paper : content of the paper's folder
    printed : printed cells of the paper
    runs : every scored run of its datasets
    records : what ``prepare`` wrote about each dataset, by card
    tables : rows of the outputs, by name
    score_tables : the tables of scores, by item
    fits : the fitted choices of the printed tables of scores, by item, once they are made
    """

    config: Config
    key: str
    findings: Findings
    paper: Paper
    printed: pd.DataFrame
    runs: pd.DataFrame
    records: dict[str, dict]
    tables: dict[str, list] = field(default_factory=lambda: {name: [] for name in OUTPUTS})
    score_tables: dict[str, Table] = field(default_factory=dict)
    fits: dict | None = None

    @cached_property
    def analyses(self) -> set[Path]:
        """Results of the stage analyse, as paths in the project folder."""
        return set(self.findings.analyses)

    @cached_property
    def misprints(self) -> dict[str, str]:
        """Return the erratum of each cell whose printed number contradicts the paper."""
        return misprinted(self.paper.errata, list(self.printed["cell"]))

    @property
    def items(self) -> dict[str, dict]:
        return self.config.papers[self.key]["items"]

    def table(self, item: dict) -> Table:
        """Return the runs behind an item."""
        runs = self.config.papers[self.key]["runs"]
        return Table(self.config, item, self.runs, self.records, runs)

    def add(self, outputs: dict[str, list]) -> None:
        """Add rows to the outputs."""
        for name, rows in outputs.items():
            if name not in self.tables:
                raise RecocoError(
                    f"No kind of item declares the table {name!r}: "
                    "add it and its columns to `tables` of the kind's class."
                )
            self.tables[name] += rows


def numbers(answer: Answer) -> dict:
    """Return the numbers of an answer as columns of an output."""
    values = (answer.measured, answer.sd, answer.low, answer.high, answer.runs, answer.tolerance)
    return dict(zip(MEASURED, values, strict=True))


def cell_of(row, name, card, verdict, answer, reason, combination=None) -> dict:
    """Return the row of cells.csv for a printed row of an item."""
    printed = float(row.value)
    same = ("cell", "paper", "dataset", "weighting", "method", "metric")
    return {
        **{key: getattr(row, key) for key in same},
        "item": name,
        "card": card,
        "printed": row.value,
        "printed_sd": row.sd,
        "printed_note": row.note,
        **numbers(answer),
        "difference": None if answer.measured is None else answer.measured - printed,
        "combination": combination.name if combination else "as-printed",
        "combination_text": combination.text if combination else "as printed",
        "verdict": verdict,
        "within": answer.within,
        "spread": answer.spread,
        "reason": reason,
    }
