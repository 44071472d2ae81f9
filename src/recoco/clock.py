"""Files from the future: the clock was set back, or they come from a machine that is ahead.

Snakemake goes by time stamps. A file of tomorrow is newer than all that is made of it today: that
would be computed again each time, or end in an error.
"""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDERS = ("config", "workflow", "resources", "results", "reports")
# Clocks of a file server and of this machine differ by so much, at the least.
_TOLERANCE = 2 * 10**9


def mend_times(
    root: Path, written: Callable[[Path], int | None], folders: Iterable[str] = FOLDERS
) -> list[Path]:
    """Date files of the future back to now; return them.

    A file of which is known when it was written gets that time stamp (``written`` tells it, in
    nanoseconds). Of the others the order is kept, and all of them stay newer than what was there
    before them.
    """
    now = time.time_ns()
    stamps = {
        path: path.stat().st_mtime_ns
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    ahead = {path: stamp for path, stamp in stamps.items() if stamp > now + _TOLERANCE}
    past = max((stamp for stamp in stamps.values() if stamp <= now), default=now - 10**9)
    steps = {stamp: i for i, stamp in enumerate(sorted(set(ahead.values())), 1)}
    for path, stamp in ahead.items():
        dated = written(path)
        if dated is None or dated > now:
            dated = past + (now - past) * steps[stamp] // len(steps)
        os.utime(path, ns=(dated, dated))
    return list(ahead)
