"""Where the workflow runs: on this machine, or through what a profile's executor hands jobs to."""

import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from recoco.errors import RecocoError
from recoco.schema import nearest, read_yaml

DEFAULT = "default"
_FOLDER = Path("workflow") / "profiles"
_CANCEL_SECONDS = 120
_RUN_ID = re.compile(r"SLURM run ID: ([\w.-]+)")


@dataclass(frozen=True)
class Profile:
    """A folder with Snakemake's options in config.yaml."""

    folder: Path
    settings: dict

    @property
    def remote(self) -> bool:
        """Say whether jobs run on other machines than the process that leads them."""
        return self.settings.get("executor", "local") != "local"

    def width(self, cores: int) -> int:
        """Return how many jobs may run at once."""
        return int(self.settings.get("jobs", 1)) if self.remote else cores

    def arguments(self, root: Path, cores: int | None) -> list[str]:
        """Return the options for Snakemake; ``cores`` is what the user asked for."""
        asked = ["--jobs" if self.remote else "--cores", str(cores)] if cores else []
        # The profile named last wins; the first has what holds everywhere.
        common = ["--profile", str(root / _FOLDER / DEFAULT)]
        return [*asked, *common, "--workflow-profile", str(self.folder)]


def find_profile(name: str | None, root: Path) -> Profile:
    """Return the profile of a name in workflow/profiles or of a folder."""
    ours = root / _FOLDER / (name or DEFAULT)
    for folder in (ours, Path(name or DEFAULT).resolve()):
        if (folder / "config.yaml").is_file():
            return Profile(folder, read_yaml(folder / "config.yaml") or {})
    known = sorted(path.parent.name for path in (root / _FOLDER).glob("*/config.yaml"))
    raise RecocoError(
        f"No profile {name!r}: {nearest(name, known)} A folder with a config.yaml will do too."
    )


def cancel_left_over(root: Path) -> None:
    """Cancel the SLURM jobs of a leader that is no more: they would write beside the new ones.

    Call it with the lock of the folder held: then no leader of these jobs is alive.
    """
    if shutil.which("scancel") is None:
        return
    for log in (root / "logs").glob("snakemake-*.log"):
        text = log.read_text(encoding="utf-8", errors="replace")
        for run in sorted(set(_RUN_ID.findall(text))):
            ours = ("squeue", "--noheader", "--format=%i", f"--name={run}")
            if not _ask(*ours):
                continue
            _ask("scancel", f"--name={run}")
            # Until they have ended: a Snakemake that is told to stop removes what it was writing.
            deadline = time.monotonic() + _CANCEL_SECONDS
            while _ask(*ours) and time.monotonic() < deadline:
                time.sleep(0.5)
            print("cancelled the jobs that an earlier start left in SLURM", flush=True)


def _ask(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""
