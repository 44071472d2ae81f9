"""How long a pass will take, by the cost model corrected by what was measured here."""

import math
import time
from collections.abc import Iterable
from pathlib import Path

from recoco import plan
from recoco.config import Config
from recoco.core.files import read_json
from recoco.plan.needs import SECONDS_PER_JOB, load_needs

# Seconds of the cost model that the pace of a pass begins with, against its own.
_TRUST = 15.0


class Estimate:
    """The jobs that are still to be done and the seconds they will take.

    Attributes
    ----------
    runs : missing runs of each setting
    pace : seconds that the jobs of this reproduction take for each second of the cost model

    Parameters
    ----------
    pace : where it begins; a pass learns it, and hands it on to the next
    """

    def __init__(self, config: Config, root: Path, cores: int, pace: float = 1.0):
        self.cores, self.pace = cores, pace
        self.runs: dict[plan.Setting, int] = {}
        self._root, self._needs, self._began = root, load_needs(), time.time()
        # What was known before counts like some blocks: the first ones may be too short to tell.
        self._expected, self._measured = _TRUST, _TRUST * pace
        self._blocks: dict[Path, float] = {}
        missing = plan.missing(config, root)
        for setting, total in plan.settings_of(config).items():
            if setting.dataset not in missing:
                self._add_blocks(config, setting, total)
        self._others: dict[Path, float] = {}
        self._tail = 0.0
        if self.runs:
            self._add_others(plan.Plan(config, root))

    def _add_blocks(self, config: Config, setting: plan.Setting, total: int) -> None:
        starts = plan.starts_of(setting)
        # Past jobs of this folder may have run beside other work. Where the cost model has nothing
        # but a guess by size, they still tell more than that.
        known = self._needs.measured("run", setting.slug, setting.dataset)
        per_run = None if known else _seconds_per_run(setting, self._root)
        ranges, _ = plan.blocks_of(config, setting, total, self._root)
        for start, stop in ranges:
            path, runs = plan.block_path(setting, start, stop, self._root), stop - start
            if path.is_file():
                continue
            if per_run is None:
                need = self._needs.of("run", setting.dataset, setting.slug, runs * starts)
                seconds = need.seconds
            else:
                seconds = runs * per_run
            self._blocks[path] = min(seconds, config.settings["time_limit"])
            self.runs[setting] = self.runs.get(setting, 0) + runs

    def _add_others(self, project: plan.Plan) -> None:
        """Add the jobs that follow the missing blocks; comparison and report end the pass."""
        for dataset in {setting.dataset for setting in self.runs}:
            results = self._root / "results"
            consensus = results / "consensus" / f"{dataset}.npz"
            scores = results / "scores" / f"{dataset}.parquet"
            self._others[consensus] = self._needs.of("consensus", dataset).seconds
            self._others[scores] = self._needs.of("score", dataset).seconds
        for name, analysis in project.analyses.items():
            files = [name, *(file for files in analysis.inputs.values() for file in files)]
            if not all((self._root / file).is_file() for file in files):
                about = analysis.dataset or analysis.paper
                need = self._needs.of(analysis.step, about, analysis.slug)
                self._others[self._root / name] = need.seconds
        compared = [self._needs.of("compare", paper).seconds for paper in project.config.papers]
        self._tail = max(compared) + self._needs.of("report").seconds

    @property
    def blocks(self) -> int:
        return len(self._blocks)

    @property
    def computing(self) -> float:
        """Seconds of computing in the missing blocks, on one core."""
        return sum(self._blocks.values())

    def computing_on(self, datasets: Iterable[str]) -> float:
        """Seconds of computing in the missing blocks on some datasets, on one core."""
        folders = [self._root / "results" / "runs" / dataset for dataset in datasets]
        return sum(
            seconds
            for path, seconds in self._blocks.items()
            if any(path.is_relative_to(folder) for folder in folders)
        )

    def seconds_left(self) -> float:
        """Return the seconds that the jobs not yet done will take on all cores.

        The blocks that finished meanwhile show how fast this machine is.
        """
        for path in [path for path in self._blocks if path.is_file()]:
            expected, taken = self._blocks.pop(path), _taken(plan.seconds_path(path))
            if taken:
                self._expected += expected
                self._measured += taken[1]
        self.pace = self._measured / self._expected
        for path in list(self._others):
            if path.is_file() and path.stat().st_mtime >= self._began:
                del self._others[path]
        waiting = [*self._blocks.values(), *self._others.values()]
        if not waiting:
            return 0.0
        work = sum(waiting) + SECONDS_PER_JOB * len(waiting)
        # The longest job cannot be divided among cores.
        return self.pace * (max(work / self.cores, max(waiting)) + self._tail)


def _seconds_per_run(setting: plan.Setting, root: Path) -> float | None:
    """Return what a run of this setting took in this folder, None if none was computed."""
    every = [_taken(path) for path in setting.folder(root).glob("*.seconds.json")]
    known = [taken for taken in every if taken]
    runs = sum(taken[0] for taken in known)
    return sum(taken[1] for taken in known) / runs if runs else None


def _taken(path: Path) -> tuple[int, float] | None:
    """Return the runs of a block and their seconds, None if nothing sound says so.

    The method itself writes the file, and it may be looked at before it was checked.
    """
    try:
        record = read_json(path)
        runs, seconds = int(record["runs"]), float(record["seconds"])
    except (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
        return None
    return (runs, seconds) if runs > 0 and 0 <= seconds < math.inf else None


def in_words(seconds: float) -> str:
    """Return a duration in a readable unit."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def time_line(root: Path, began: float) -> str:
    """Return a line about the time since a moment; empty if no block was computed since."""
    blocks = (root / "results" / "runs").rglob("*.seconds.json")
    new = [_taken(path) for path in blocks if path.stat().st_mtime >= began]
    computing = sum(taken[1] for taken in new if taken)
    if not computing:
        return ""
    minutes = (time.time() - began) / 60
    return f"finished in {minutes:.1f} min ({computing / 60:.1f} core-minutes of computing)\n"
