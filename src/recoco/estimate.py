"""How long the runs still take: from what was measured here, else from their size."""

import time
from pathlib import Path

from recoco import plan
from recoco.config import Config
from recoco.expected import expected_of
from recoco.store import read_json

# What a job costs before it computes anything: Snakemake, the start of a process, its imports.
_SECONDS_PER_JOB = 1.0
# A run of a method that says nothing of its cost.
_SECONDS_PER_RUN = 1.0


class Estimate:
    """The blocks that are still to be computed and the seconds they will take."""

    def __init__(self, config: Config, root: Path, cores: int):
        self.cores = cores
        self._config = config
        self._rates = _measured_rates(root)
        missing = plan.unreachable(root)
        self._waiting: dict[Path, float] = {}
        self._guessed = self._took = 0.0
        self.runs: dict[plan.Setting, int] = {}
        for setting, total in plan.settings_of(config).items():
            if setting.dataset in missing:
                continue
            ranges, _ = plan.blocks_of(config, setting, total, root)
            for start, stop in ranges:
                path = plan.block_path(setting, start, stop, root)
                if not path.is_file():
                    self._waiting[path] = self._seconds(setting, stop - start)
                    self.runs[setting] = self.runs.get(setting, 0) + stop - start

    def _seconds(self, setting: plan.Setting, runs: int) -> float:
        rate = self._rates.get(setting.name)
        if rate is None:
            rate = self._guess(setting)
        return _SECONDS_PER_JOB + runs * rate

    def _guess(self, setting: plan.Setting) -> float:
        """Return what the method says of itself, until a run here has been timed."""
        from recoco.methods import get_method

        shape = expected_of(setting.dataset)
        method = get_method(plan.method_class(self._config, setting.method))
        if not hasattr(method, "cost"):  # somebody's own class need not know
            return _SECONDS_PER_RUN
        return method.cost(
            shape.get("rows", 1000),
            sum(shape.get("columns", [1000])),
            sum(shape.get("nonzeros", [1e6])),
            shape.get("classes", 10),
            dict(setting.params).get("n_init", 1),
        )

    @property
    def blocks(self) -> int:
        return len(self._waiting)

    def seconds_left(self) -> float:
        """Return the seconds that the blocks not yet on disk will take on all cores.

        What finished blocks really took corrects the guess for those that wait.
        """
        for path in [path for path in self._waiting if path.is_file()]:
            self._guessed += self._waiting.pop(path)
            measured = plan.seconds_path(path)
            self._took += read_json(measured)["seconds"] if measured.is_file() else 0.0
        if not self._waiting:
            return 0.0
        correction = self._took / self._guessed if self._guessed else 1.0
        # The longest block cannot be shared out.
        longest = max(self._waiting.values())
        return correction * max(sum(self._waiting.values()) / self.cores, longest)


def _measured_rates(root: Path) -> dict[str, float]:
    """Return the seconds per run of every setting that has been run here."""
    totals: dict[str, list[float]] = {}
    for path in (root / "results" / "runs").rglob("*.seconds.json"):
        entry = read_json(path)
        total = totals.setdefault(entry["identity"], [0.0, 0.0])
        total[0] += max(0.0, entry["seconds"] - _SECONDS_PER_JOB)
        total[1] += entry["runs"]
    return {name: seconds / max(1.0, runs) for name, (seconds, runs) in totals.items()}


def in_words(seconds: float) -> str:
    """Return a duration as a person says it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def time_line(root: Path, began: float, width: int) -> str:
    """Return a line about the time since a moment and how much of it went into blocks of runs.

    Nothing if no block was computed since.
    """
    found = (root / "results" / "runs").rglob("*.seconds.json")
    done = [path for path in found if path.stat().st_mtime >= began]
    computing = sum(read_json(path)["seconds"] for path in done)
    if not computing:
        return ""
    clock = time.time() - began
    return (
        f"time: {clock / 60:.1f} min by the clock for {computing / 60:.1f} min of computing on "
        f"{width} cores ({100 * (clock * width / computing - 1):.0f} % besides)\n"
    )
