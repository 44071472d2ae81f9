"""What jobs need of a machine: memory, time and traffic, from what was measured.

``config/needs.csv`` has a row for every rule, method and dataset that was measured
(``recoco needs --write``, see :mod:`recoco.measure`). What was not measured is scaled by the
non-zeros of its dataset from what was. None of this can change a result.
"""

import csv
import math
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from recoco import paths

# A cluster is asked for more than was measured: other processors are slower, other libraries
# larger, and a job that is ended for a trifle costs more than an idle gigabyte.
_MORE_MEMORY = 1.25
_MORE_TIME = 3.0
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
            rule: (min(r.seconds / r.jobs for r in group), min(r.mib for r in group))
            for rule, group in self._of_rule.items()
        }

    def measured(self, rule: str, method: str, dataset: str) -> bool:
        return (rule, method, dataset) in self._rows

    def of(self, rule: str, dataset: str = "", method: str = "", starts: int = 1) -> Need:
        """Return what a job needs: its own row, else the dearest method like it, by size."""
        row = self._rows.get((rule, method, dataset))
        if row is not None:
            return self._need(row, 1.0, starts)
        alike = self._of_rule.get(rule, [])
        alike = [r for r in alike if r.method == method] or alike
        if not alike:
            return Need(_UNKNOWN_SECONDS, _UNKNOWN_MIB, 0.0, 0.0)
        # From the dataset nearest in size: over a large ratio trifles would become gigabytes.
        size, nearest = _size(dataset), {}
        for row in sorted(alike, key=lambda r: -abs(math.log(size / _size(r.dataset)))):
            nearest[row.method] = row
        found = [self._need(r, size / _size(r.dataset), starts) for r in nearest.values()]
        return Need(*(max(getattr(n, f.name) for n in found) for f in fields(Need)))

    def _need(self, row: Row, scale: float, starts: int) -> Need:
        seconds, mib = self._base[row.rule]
        rate = max(0.0, row.seconds - row.jobs * seconds) / max(1, row.starts)
        return Need(
            seconds + scale * rate * starts,
            mib + scale * (row.mib - mib),
            scale * row.kb_in / row.jobs,
            scale * row.kb_out / max(1, row.starts) * starts,
        )

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
        return math.ceil((seconds + 2 * _MORE_TIME * self.leader().seconds) / 60) + 1


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
