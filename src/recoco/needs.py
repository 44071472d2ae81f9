"""What jobs need of a machine: memory, time and traffic, from what was measured.

``config/needs.csv`` has a row for every rule, method and dataset that was measured
(``recoco needs --write``, see :mod:`recoco.measure`). What was not measured is taken from the
dataset nearest in size and scaled by non-zeros. None of this can change a result.
"""

import csv
import itertools
import math
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from recoco import paths

# A cluster is asked for more than was measured: other processors are slower, other libraries
# larger, and a job that is ended for a trifle costs more than an idle gigabyte.
_MORE_MEMORY = 1.25
_MORE_TIME = 3.0
_SPARE_MINUTES = 5
# Where nothing like it was ever measured.
_UNKNOWN_MIB, _UNKNOWN_SECONDS = 2000.0, 600.0
_UNKNOWN_SIZE = 1e6


@dataclass(frozen=True)
class Row:
    """What the jobs of one rule, method and dataset took.

    ``starts`` counts what the time of a rule goes by (starts of a method, runs that are scored,
    else jobs); seconds and kilobytes are of all jobs together, ``mib`` is of the largest.
    """

    rule: str
    method: str
    dataset: str
    jobs: int
    starts: int
    seconds: float
    mib: int
    kb_in: int
    kb_out: int

    @property
    def key(self) -> tuple[str, str, str]:
        return self.rule, self.method, self.dataset


@dataclass(frozen=True)
class Need:
    """What one job needs, as measured: without anything to spare."""

    seconds: float
    mib: float
    kb_in: float
    kb_out: float


def table_path() -> Path:
    return paths.config() / "needs.csv"


def read_rows(path: Path) -> list[Row]:
    """Read the table of what was measured; without one everything is unknown."""
    if not path.is_file():
        return []
    kinds = {field.name: field.type for field in fields(Row)}
    with path.open(encoding="utf-8", newline="") as stream:
        read = list(csv.DictReader(stream))
    return [Row(**{name: kind(row[name]) for name, kind in kinds.items()}) for row in read]


class Needs:
    """Looks up what a job needs."""

    def __init__(self, rows: list[Row]):
        self._rows = {row.key: row for row in rows}
        self._of_rule: dict[str, list[Row]] = {}
        for row in rows:
            self._of_rule.setdefault(row.rule, []).append(row)
        # What a job of a rule costs before it computes anything.
        self._base = {
            rule: min(row.seconds / row.jobs for row in group)
            for rule, group in self._of_rule.items()
        }
        self._slopes: dict[tuple[str, str], float] = {}
        for one, two in itertools.permutations(rows, 2):
            same = (one.rule, one.method) == (two.rule, two.method)
            # Datasets of about one size say nothing of growth.
            if same and _size(two.dataset) > 1.5 * _size(one.dataset):
                slope = (two.mib - one.mib) / (_size(two.dataset) - _size(one.dataset))
                known = self._slopes.get((one.rule, one.method), 0.0)
                self._slopes[one.rule, one.method] = max(slope, known)

    def measured(self, rule: str, method: str, dataset: str) -> bool:
        return (rule, method, dataset) in self._rows

    def of(self, rule: str, dataset: str = "", method: str = "", starts: int = 1) -> Need:
        """Return what a job needs: its own row, else that of the dataset nearest in size.

        A method that was never measured is taken for the dearest one.
        """
        alike: dict[str, list[Row]] = {}
        for row in self._of_rule.get(rule, []):
            alike.setdefault(row.method, []).append(row)
        if not alike:
            return Need(_UNKNOWN_SECONDS, _UNKNOWN_MIB, 0.0, 0.0)
        groups = [alike[method]] if method in alike else list(alike.values())
        size = _size(dataset)
        found = []
        for group in groups:
            row = self._rows.get((rule, group[0].method, dataset)) or min(
                group, key=lambda r: abs(math.log(_size(r.dataset) / size))
            )
            found.append(self._need(row, dataset, starts))
        return Need(*(max(getattr(need, f.name) for need in found) for f in fields(Need)))

    def _need(self, row: Row, dataset: str, starts: int) -> Need:
        grown = _size(dataset) - _size(row.dataset)
        scale = 1.0 if row.dataset == dataset else _size(dataset) / _size(row.dataset)
        base = self._base[row.rule]
        rate = max(0.0, row.seconds - row.jobs * base) / max(1, row.starts)
        return Need(
            base + scale * rate * starts,
            row.mib + max(0.0, grown) * self._slope(row.rule, row.method),
            scale * row.kb_in / row.jobs,
            scale * row.kb_out / max(1, row.starts) * starts,
        )

    def _slope(self, rule: str, method: str) -> float:
        """Return the MiB that a non-zero more takes: the method's own, else the most of any."""
        if (rule, method) in self._slopes:
            return self._slopes[rule, method]
        return max((s for (r, _), s in self._slopes.items() if r == rule), default=0.0)

    def leader(self) -> Need:
        """Return what Snakemake itself takes to start: a job on a cluster has two of it."""
        return self.of("snakemake")

    def megabytes(self, need: Need) -> int:
        """Return the memory to ask a cluster for, in MB as Snakemake counts."""
        return math.ceil((_MORE_MEMORY * need.mib + 2 * self.leader().mib) * 2**20 / 1e6 / 50) * 50

    def minutes(self, need: Need, limit: float | None = None) -> int:
        """Return the time to ask a cluster for; ``limit`` is when a job gives up by itself."""
        seconds = _MORE_TIME * need.seconds
        if limit is not None:
            seconds = min(seconds, limit)
        return math.ceil((seconds + 2 * _MORE_TIME * self.leader().seconds) / 60) + _SPARE_MINUTES


@cache
def load_needs() -> Needs:
    return Needs(read_rows(table_path()))


@cache
def _size(dataset: str) -> float:
    """Return the non-zeros of a dataset, all views together."""
    from recoco.datasets import list_cards, load_card

    if dataset not in list_cards():
        return _UNKNOWN_SIZE
    expected = load_card(dataset).get("expected") or {}
    return float(sum(expected.get("nonzeros") or [_UNKNOWN_SIZE]))
