"""What the comparison of a paper is made of, and the row of a printed cell."""

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from recoco.compare.outputs import MEASURED, OUTPUTS
from recoco.compare.table import Table
from recoco.compare.verdicts import Answer
from recoco.config import Config


@dataclass(frozen=True)
class Findings:
    """The files that the stages before have written for a paper."""

    scores: list[Path]
    records: list[Path]
    words: list[Path] = field(default_factory=list)
    coherence: list[Path] = field(default_factory=list)
    densities: list[Path] = field(default_factory=list)
    coclusters: list[Path] = field(default_factory=list)
    neighbours: list[Path] = field(default_factory=list)
    studies: list[Path] = field(default_factory=list)
    ensembles: list[Path] = field(default_factory=list)
    topics: list[Path] = field(default_factory=list)
    fusions: list[Path] = field(default_factory=list)


@dataclass
class Comparison:
    """A paper, what was found for it, and the tables that answer it so far.

    Attributes
    ----------
    key : short name of the paper
    published : folder of the printed numbers
    printed : printed cells of the paper
    runs : every scored run of its datasets
    records : what is known of each dataset, by card
    tables : rows of the outputs, by name
    score_tables : the tables of scores, by item
    """

    config: Config
    key: str
    found: Findings
    published: Path
    printed: pd.DataFrame
    runs: pd.DataFrame
    records: dict[str, dict]
    tables: dict[str, list] = field(default_factory=lambda: {name: [] for name in OUTPUTS})
    score_tables: dict[str, Table] = field(default_factory=dict)

    @property
    def items(self) -> dict[str, dict]:
        return self.config.papers[self.key]["items"]

    def table(self, block: dict) -> Table:
        """Return the runs behind an item."""
        return Table(self.config, block, self.runs, self.records)

    def add(self, made: dict[str, list]) -> None:
        """Add rows to the outputs."""
        for name, rows in made.items():
            self.tables[name] += rows


def numbers(answer: Answer) -> dict:
    values = (answer.measured, answer.sd, answer.low, answer.high, answer.runs, answer.tolerance)
    return dict(zip(MEASURED, values, strict=True))


def cell_of(row, item, card, said, answer, reason, combination=None) -> dict:
    printed = float(row.value)
    return {
        **{
            k: getattr(row, k)
            for k in ("cell", "paper", "dataset", "weighting", "method", "metric")
        },
        "item": item,
        "card": card,
        "printed": row.value,
        "printed_sd": row.sd,
        "printed_note": row.note,
        **numbers(answer),
        "difference": None if answer.measured is None else answer.measured - printed,
        "combination": combination.name if combination else "as-printed",
        "combination_text": combination.text if combination else "as printed",
        "verdict": said,
        "within": answer.within,
        "reason": reason,
    }
