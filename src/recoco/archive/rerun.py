"""Repeat a sample of the archived runs and compare their labels."""

import json
import math
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recoco import plan
from recoco.archive.contents import planned_blocks
from recoco.config import Config
from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays


@dataclass(frozen=True)
class Trial:
    """One run of a setting, and the block that contains it."""

    setting: plan.Setting
    run: int
    block: Path

    @property
    def name(self) -> str:
        return f"{self.setting.name} run {self.run}"


def trials_of(config: Config, root: Path) -> list[Trial]:
    """Return every archived trial, in one fixed order."""
    return [
        Trial(setting, run, plan.block_path(setting, start, stop, root))
        for setting, (ranges, total) in planned_blocks(config, root).items()
        for start, stop in ranges
        for run in range(start, min(stop, total))
    ]


def sample(trials: list[Trial], share: str, seed: int) -> list[Trial]:
    """Draw trials: "1%" of them or a number, at least one."""
    percent = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", share)
    if percent and 0 < float(percent[1]) <= 100:
        wanted = math.ceil(len(trials) * float(percent[1]) / 100)
    elif re.fullmatch(r"[1-9]\d*", share):
        wanted = int(share)
    else:
        raise RecocoError(f"--rerun takes a share such as 1% or a number, not {share!r}.")
    size = min(wanted, len(trials))
    chosen = np.random.default_rng(seed).choice(len(trials), size, replace=False)
    return [trials[i] for i in sorted(chosen.tolist())]


def arrays_again(config: Config, trial: Trial, root: Path) -> dict[str, np.ndarray]:
    """Repeat a run and return the arrays of a block of this run alone."""
    from recoco.runs.block import Block, run_block

    setting = trial.setting
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "again.npz"
        block = Block(
            identity=setting.name,
            method=setting.method,
            import_path=plan.import_path(config, setting.method),
            params=plan.parameters(config, setting),
            weighting=setting.weighting,
            start=trial.run,
            stop=trial.run + 1,
            master_seed=config.master_seed,
            time_limit=config.settings["time_limit"],
        )
        prepared = root / "resources" / "prepared" / f"{setting.dataset}.npz"
        run_block(block, prepared, out, Path(scratch) / "seconds.json")
        return read_arrays(out)


def run_again(config: Config, trial: Trial, root: Path) -> str:
    """Repeat a run and return "identical", or how it differs from the archived one."""
    stored, again = read_arrays(trial.block), arrays_again(config, trial, root)
    record = json.loads(str(stored["record"]))
    row = int(np.flatnonzero(stored["run"] == trial.run)[0])
    new = json.loads(str(again["record"]))
    if record["seeds"][row] != new["seeds"][0]:
        return f"seed {record['seeds'][row]} archived, {new['seeds'][0]} now"
    if record["status"] != new["status"]:
        return f"{record['status']} archived, {new['status']} now ({new['error']})"
    if new["status"] != "ok":
        return "identical"
    parts = [
        f"{name}: {_labels(stored[name][row], again[name][0])}"
        for name in ("row_labels", "column_labels")
        if name in stored and not np.array_equal(stored[name][row], again[name][0])
    ]
    return "; ".join(parts) or "identical"


def _labels(old: np.ndarray, new: np.ndarray) -> str:
    if old.shape != new.shape:
        return f"{len(old)} labels archived, {len(new)} now"
    return f"{np.count_nonzero(old != new)} of {len(old)} labels differ"
