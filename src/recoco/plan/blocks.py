"""Blocks: ranges of the runs of a setting, each computed by one job."""

import re
from pathlib import Path

from recoco.config import Config
from recoco.core import paths
from recoco.core.files import read_json
from recoco.plan.needs import load_needs
from recoco.plan.setting import Setting

# Long compared with starting a job, short enough that a kill loses little.
_SECONDS_PER_BLOCK = 60.0
_FEWEST, _MOST = 5, 1000


def starts_of(setting: Setting) -> int:
    """Return the starts of one run, of which the best is kept."""
    return max(1, dict(setting.params).get("n_init", 1))


def blocks_on_disk(setting: Setting, root: Path) -> list[tuple[int, int]]:
    """Return the run ranges of a setting that are already computed."""
    ranges = []
    for path in setting.folder(root).glob("*-*.npz"):
        match = re.fullmatch(r"(\d+)-(\d+)", path.stem)
        if match:
            ranges.append((int(match[1]), int(match[2])))
    return sorted(ranges)


def tile(total: int, first: int, size: int, existing: list[tuple[int, int]]):
    """Cut the runs 0..total into blocks, keeping those that exist.

    The first block is short, so the first report comes early. Blocks on disk keep their borders
    whatever the present total is, so raising it computes only the new runs.
    """
    longest: dict[int, int] = {}
    for start, stop in existing:
        longest[start] = max(stop, longest.get(start, 0))
    blocks, position = [], 0
    while position < total:
        if position in longest:
            stop = longest[position]
        else:
            stop = min(total, position + (first if position == 0 else size))
            later = [start for start in longest if position < start < stop]
            stop = min(later, default=stop)
        blocks.append((position, stop))
        position = stop
    return blocks


def blocks_of(config: Config, setting: Setting, total: int, root: Path | None = None):
    """Return ``(run ranges, runs used)`` of a setting for the pass that is configured."""
    root = root or paths.root()
    first = config.settings["runs"]["first"]
    existing = blocks_on_disk(setting, root)
    if config.settings["runs"]["first_only"]:
        done = 0
        for start, stop in existing:
            if start == done:
                done = stop
        total = min(total, max(first, done))
    return tile(total, first, _block_size(setting), existing), total


def planned_blocks(config: Config, setting: Setting, total: int) -> list[tuple[int, int]]:
    """Return the run ranges of a setting in an empty folder."""
    return tile(total, config.settings["runs"]["first"], _block_size(setting), [])


def _block_size(setting: Setting) -> int:
    per_run = load_needs().seconds_per_run(setting.dataset, setting.slug, starts_of(setting))
    return int(min(_MOST, max(_FEWEST, _SECONDS_PER_BLOCK // max(per_run, 1e-3))))


def block_path(setting: Setting, start: int, stop: int, root: Path | None = None) -> Path:
    return setting.folder(root or Path()) / f"{start}-{stop}.npz"


def seconds_path(block: Path) -> Path:
    """Return the file with the seconds of a block, a file of its own because they always differ."""
    return block.with_suffix(".seconds.json")


def unreachable(root: Path | None = None) -> set[str]:
    """Return the datasets that could not be fetched and have no twin either."""
    return _with_status("unreachable", root)


def twins(root: Path | None = None) -> set[str]:
    """Return the datasets that could not be fetched and are replaced by drawn data."""
    return _with_status("twin", root)


def missing(config: Config, root: Path | None = None) -> set[str]:
    """Return the datasets on which nothing runs: unreachable ones, and unwanted twins."""
    unwanted = twins(root) if config.settings["twins"] == "none" else set()
    return unreachable(root) | unwanted


def _with_status(status: str, root: Path | None) -> set[str]:
    folder = (root or paths.root()) / "resources" / "prepared"
    return {path.stem for path in folder.glob("*.json") if read_json(path)["status"] == status}
