"""The cost model: seconds and memory of a job, from what was measured.

``config/needs.csv`` has a row for every rule, method and dataset that was measured
(``recoco needs --write``, see :mod:`recoco.engine.measure`), and one for a single setting where its
seconds are far from those of its method. What was not measured is scaled by non-zeros from the
dataset nearest in size. The plan, the progress, the sizes of blocks and the requests to a cluster
all use it. It cannot change a result.
"""

import csv
import math
import statistics
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from recoco.core import paths
from recoco.datasets.card import expected_of

# Core-seconds per job that are in no job's own seconds: Snakemake's work, the start of a process, a
# core that is idle while the last jobs of a pass end. Of the 190 core-minutes of the reference run
# (95 minutes, two cores) its 1,647 jobs took 171.6 themselves; the rest is 0.67 s per job.
SECONDS_PER_JOB = 0.67
# Cluster requests exceed the measurement: other processors are slower, other libraries larger, and
# a job that is killed at its limit costs more than an idle gigabyte.
_MEMORY_FACTOR, _TIME_FACTOR, _SPARE_MINUTES = 1.25, 3.0, 5
# Used where nothing like the job was ever measured.
_UNKNOWN_MIB, _UNKNOWN_SECONDS, _UNKNOWN_SIZE = 2000.0, 600.0, 1e6


@dataclass(frozen=True)
class Row:
    """Measurement of the jobs of one rule, method (or slug of a setting) and dataset.

    ``starts`` counts the starts of a method, else jobs; seconds and kilobytes are of all jobs
    together, ``mib`` is of the largest (0 if it was not measured).
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
    """Expected needs of one job, without any reserve."""

    seconds: float
    mib: float
    kb_in: float
    kb_out: float


def table_path() -> Path:
    return paths.config() / "needs.csv"


def read_rows(path: Path) -> list[Row]:
    """Read the table of measurements; without a file nothing is known."""
    if not path.is_file():
        return []
    types = {field.name: field.type for field in fields(Row)}
    with path.open(encoding="utf-8", newline="") as stream:
        return [Row(**{n: t(row[n]) for n, t in types.items()}) for row in csv.DictReader(stream)]


class Needs:
    """Looks up the needs of jobs."""

    def __init__(self, rows: list[Row]):
        self._rows = {row.key: row for row in rows}
        self._by_rule: dict[str, dict[str, list[Row]]] = {}
        self._startup: dict[tuple[str, str], float] = {}
        for row in rows:
            if "," not in row.method:  # a row of a single setting does not represent others
                self._by_rule.setdefault(row.rule, {}).setdefault(row.method, []).append(row)
            least = self._startup.get((row.rule, row.dataset), math.inf)
            self._startup[row.rule, row.dataset] = min(least, row.seconds / row.jobs)
        self._growth = {
            (rule, method): max(growths)
            for rule, methods in self._by_rule.items()
            for method, group in methods.items()
            if (growths := _growths(group))
        }

    def measured(self, rule: str, slug: str, dataset: str) -> bool:
        return (rule, slug.split(",")[0], dataset) in self._rows

    def of(self, rule: str, dataset: str = "", slug: str = "", starts: int = 1) -> Need:
        """Return the needs of a job: from its own row, else from the dataset nearest in size.

        A method that was never measured gets the median time of all methods and the memory of the
        largest.
        """
        methods = self._by_rule.get(rule)
        if not methods:
            return Need(_UNKNOWN_SECONDS, _UNKNOWN_MIB, 0.0, 0.0)
        method = slug.split(",")[0]
        if own := self._rows.get((rule, slug, dataset)):
            return self._scaled(own, dataset, starts)
        groups = [methods[method]] if method in methods else list(methods.values())
        needs = [self._scaled(_nearest(group, dataset), dataset, starts) for group in groups]
        return Need(
            statistics.median(need.seconds for need in needs),
            *(max(getattr(need, name) for need in needs) for name in ("mib", "kb_in", "kb_out")),
        )

    def seconds_per_run(self, dataset: str, slug: str, starts: int = 1) -> float:
        """Return the seconds that a run adds to a block, each run being the best of ``starts``."""
        return (
            self.of("run", dataset, slug, starts).seconds - self.of("run", dataset, slug, 0).seconds
        )

    def _scaled(self, row: Row, dataset: str, starts: int) -> Need:
        ratio = size_of(dataset) / size_of(row.dataset) if row.dataset != dataset else 1.0
        startup = self._startup[row.rule, row.dataset]
        rate = max(0.0, row.seconds - row.jobs * startup) / max(1, row.starts)
        more = max(0.0, size_of(dataset) - size_of(row.dataset))
        return Need(
            ratio * (startup + rate * starts),
            (row.mib or _UNKNOWN_MIB) + more * self._growth_of(row.rule, row.method.split(",")[0]),
            ratio * row.kb_in / row.jobs,
            ratio * row.kb_out / max(1, row.starts) * starts,
        )

    def _growth_of(self, rule: str, method: str) -> float:
        """Return MiB per additional non-zero: of the method, else the largest of any method."""
        if (rule, method) in self._growth:
            return self._growth[rule, method]
        return max((g for (other, _), g in self._growth.items() if other == rule), default=0.0)

    def snakemake(self) -> Need:
        """Return what Snakemake takes to start; a job on a cluster starts it twice."""
        return self.of("snakemake")

    def megabytes(self, need: Need) -> int:
        """Return the memory to request from a cluster, in MB as Snakemake counts."""
        mib = _MEMORY_FACTOR * need.mib + 2 * self.snakemake().mib
        return math.ceil(mib * 2**20 / 1e6 / 50) * 50

    def minutes(self, need: Need, limit: float | None = None) -> int:
        """Return the time to request; after ``limit`` seconds the job stops by itself."""
        seconds = min(_TIME_FACTOR * need.seconds, math.inf if limit is None else limit)
        seconds += 2 * _TIME_FACTOR * self.snakemake().seconds
        return math.ceil(seconds / 60) + _SPARE_MINUTES


def _nearest(rows: list[Row], dataset: str) -> Row:
    """Return the row of this dataset, else of the one nearest in size."""

    def distance(row: Row) -> tuple[bool, float]:
        return row.dataset != dataset, abs(math.log(size_of(row.dataset) / size_of(dataset)))

    return min(rows, key=distance)


def _growths(rows: list[Row]) -> list[float]:
    """Return MiB per additional non-zero between datasets of clearly different sizes."""
    return [
        max(0.0, (large.mib - small.mib) / (size_of(large.dataset) - size_of(small.dataset)))
        for small in rows
        for large in rows
        if large.mib and small.mib and size_of(large.dataset) > 1.5 * size_of(small.dataset)
    ]


@cache
def load_needs() -> Needs:
    return Needs(read_rows(table_path()))


@cache
def size_of(dataset: str) -> float:
    """Return the non-zeros of a dataset, all views together."""
    from recoco.datasets import list_cards

    known = expected_of(dataset) if dataset in list_cards() else {}
    return float(sum(known.get("nonzeros") or [_UNKNOWN_SIZE]))
