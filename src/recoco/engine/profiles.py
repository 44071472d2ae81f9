"""Where the workflow runs: on this machine, or through the executor that a profile names."""

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from recoco.config.schema import nearest, read_yaml
from recoco.core.errors import RecocoError
from recoco.core.processes import cores_here

DEFAULT = "default"
_FOLDER = Path("profiles")
_CANCEL_SECONDS = 120
_RUN_ID = re.compile(r"SLURM run ID: ([\w.-]+)")


@dataclass(frozen=True)
class Profile:
    """Where jobs run and how many at once: a folder with Snakemake's options in config.yaml.

    ``cores`` is what the user asked for: cores of this machine, or jobs at once on a cluster.
    """

    folder: Path
    settings: dict
    cores: int | None

    @property
    def remote(self) -> bool:
        """Say whether jobs run on other machines than the process that leads them."""
        return self.settings.get("executor", "local") != "local"

    @property
    def width(self) -> int:
        """Return how many jobs may run at once."""
        default = self.settings.get("jobs", 1) if self.remote else cores_here()
        return self.cores or int(default)

    def arguments(self, root: Path) -> list[str]:
        """Return the options for Snakemake."""
        asked = ["--cores", str(self.width)]
        if self.remote:
            asked = ["--jobs", str(self.cores)] if self.cores else []
        # The profile named last takes precedence; the first has what holds everywhere.
        common = ["--profile", str(root / _FOLDER / DEFAULT)]
        return [*asked, *common, "--workflow-profile", str(self.folder)]

    def environment(self) -> dict[str, str]:
        """Return the environment of Snakemake and its jobs.

        Local jobs exit with the process that leads them; its id means nothing on another machine.
        """
        known = {key: value for key, value in os.environ.items() if key != "RECOCO_OWNER"}
        owner = {} if self.remote else {"RECOCO_OWNER": str(os.getpid())}
        return {**known, **owner, "PYTHONUNBUFFERED": "1"}


def find_profile(name: str | None, root: Path, cores: int | None = None) -> Profile:
    """Return the profile with a name in ``profiles`` or in a folder."""
    ours = root / _FOLDER / (name or DEFAULT)
    for folder in (ours, Path(name or DEFAULT).resolve()):
        if (folder / "config.yaml").is_file():
            return Profile(folder, read_yaml(folder / "config.yaml") or {}, cores)
    known = sorted(path.parent.name for path in (root / _FOLDER).glob("*/config.yaml"))
    raise RecocoError(
        f"No profile {name!r}: {nearest(name, known)} "
        "The path of a folder with a config.yaml works too."
    )


def cancel_left_over(root: Path) -> None:
    """Cancel the SLURM jobs of a process that was killed: they would interfere with the new ones.

    The caller holds the lock of the folder, so no other process leads these jobs.
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
            # Wait for them: a Snakemake that is stopped removes what it was writing.
            deadline = time.monotonic() + _CANCEL_SECONDS
            while _ask(*ours) and time.monotonic() < deadline:
                time.sleep(0.5)
            print("cancelled the SLURM jobs of an interrupted run", flush=True)


def _ask(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""
