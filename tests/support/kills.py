"""A battery of kills: where they strike, whom, and after how many seconds.

The moments are drawn by a seed, so that a failure can be repeated by its name.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from recoco.core.processes import below
from support.projects import (
    CHECKOUT,
    MINI_PAPER,
    MINI_PUBLISHED,
    environment_of,
    make_project,
    recoco,
    write_paper,
    write_yaml,
)

# What is deleted so that a stage has something to do, in a project in which all is done. Snakemake
# makes a file again only if one that stands on it is wanted, so those of later stages go too.
STAGES = {
    "fetch": ["resources/raw/texts", "resources/prepared/texts.json"],
    "prepare": ["resources/prepared/texts.json"],
    "run": ["results/runs/planted-small/binary/coclus/0-2.npz"],
    "consensus": ["results/consensus/planted-small.npz"],
    "score": ["results/scores/planted-small.parquet"],
    "analyse": ["results/analyse/mini/densities/texts.json"],
    "compare": ["results/compare/mini/cells.csv"],
    "report": ["reports/index.html"],
    "archive": ["dist/recoco-archive.zip"],
}
_LATER = ("consensus", "score", "analyse", "compare", "report")
ON_SLURM = 10
HERE = 90
_WORDS = {
    "snakemake": "-m snakemake",
    "job": ".snakemake/scripts/",
    "warm": "recoco.engine.workers",
}
_PATIENCE = 600.0  # seconds for a stage to begin, on a busy machine


@dataclass(frozen=True)
class Kill:
    """Kill ``victim`` some seconds after a job of ``stage`` has begun; ``leader_too`` after it."""

    number: int
    stage: str
    victim: str
    seconds: float
    leader_too: bool

    def __str__(self) -> str:
        return f"{self.number}-{self.stage}-{self.victim}"


def kills_here() -> list[Kill]:
    """Return kills on this machine, as many in each stage."""
    rng, stages = random.Random(2015), list(STAGES)
    return [_draw(rng, number, stages[number % len(stages)]) for number in range(HERE)]


def _draw(rng: random.Random, number: int, stage: str) -> Kill:
    victims = ["leader", "snakemake", "job", *["warm"] * (stage == "run")]
    return Kill(number, stage, rng.choice(victims), rng.uniform(0, 1.5), rng.random() < 0.5)


def kills_on_slurm() -> list[Kill]:
    """Return kills of jobs in SLURM, of those who lead them and of the daemons of the nodes."""
    rng, victims = random.Random(2018), ("leader", "job", "daemon")
    return [
        Kill(HERE + number, "slurm", victims[number % 3], rng.uniform(0, 5), False)
        for number in range(ON_SLURM)
    ]


def make_whole(folder: Path) -> Path:
    """Make a project that has work for every stage, and do all of it."""
    project = make_project(folder)
    items = {
        **MINI_PAPER["items"],
        "full": {
            "kind": "densities",
            "title": "Densities",
            "datasets": {"TEXTS": "texts"},
            "shifts": [1, 2],
        },
    }
    write_paper(project, {**MINI_PAPER, "items": items}, MINI_PUBLISHED)
    card = yaml.safe_load((CHECKOUT / "tests/support/mini/datasets/texts.yaml").read_text())
    write_yaml(project / "config" / "datasets" / "texts.yaml", card)
    shutil.copytree(CHECKOUT / "docs" / "examples" / "texts", project / "texts")
    finish(project)
    return project


def finish(project: Path) -> None:
    """Do all that is left to do."""
    recoco(project, "reproduce", "--cores", "2", timeout=1800)
    recoco(project, "archive", "--cores", "2", timeout=1800)


def undo(project: Path, stage: str) -> None:
    order = list(STAGES)
    stages = [stage, *(later for later in _LATER if order.index(later) > order.index(stage))]
    for path in (project / name for each in stages for name in STAGES[each]):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def start(project: Path, *arguments: str, env: dict | None = None) -> subprocess.Popen:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [sys.executable, "-m", "recoco", *arguments]
    return subprocess.Popen(
        command, cwd=project, env={**environment_of(project), **(env or {})}, **quiet
    )


def strike(project: Path, kill: Kill) -> None:
    """Let a stage begin, kill somebody in the midst of it, and wait for the end."""
    if kill.stage == "archive":  # it packs finished work, and the kill before may have left some
        recoco(project, "reproduce", "--cores", "2", timeout=1800)
    undo(project, kill.stage)
    command = "archive" if kill.stage == "archive" else "reproduce"
    leader = start(project, command, "--cores", "2")
    script, deadline = f".{kill.stage}.py", time.monotonic() + _PATIENCE
    while not victims(leader, script):
        assert leader.poll() is None, f"{kill}: no job of this stage was begun"
        assert time.monotonic() < deadline, f"{kill}: it hangs"
        time.sleep(0.02)
    time.sleep(kill.seconds)
    found = [] if kill.victim == "leader" else victims(leader, _WORDS[kill.victim])
    if leader.poll() is None:  # else all was done within these seconds
        for pid in [*found[:1], *[leader.pid] * (kill.leader_too or not found)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    leader.wait(timeout=_PATIENCE)
    assert left_of(project) == [], f"{kill}: processes are left"


def victims(leader: subprocess.Popen, word: str) -> list[int]:
    return [pid for pid, command in commands_below(leader.pid).items() if word in command]


def commands_below(pid: int) -> dict[int, str]:
    """Return the command lines of the processes below another one."""
    found = {}
    for each in below(top=pid):
        with contextlib.suppress(OSError):
            found[each] = Path(f"/proc/{each}/cmdline").read_text().replace("\0", " ")
    return found


def processes_of(project: Path) -> list[str]:
    """Return the command lines of all processes that were started for a project."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            told = (entry / "environ").read_bytes().split(b"\0")
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if words and f"RECOCO_ROOT={project}".encode() in told:
            found.append(words.replace(b"\0", b" ").decode(errors="replace"))
    return found


def left_of(project: Path) -> list[str]:
    """Return the processes of a project that are still there after some seconds."""
    deadline = time.monotonic() + 20
    while (found := processes_of(project)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found
