"""The workflow through a real SLURM gives the bytes of a run on this machine, whoever is killed.

`.ci/slurm start` starts one on this machine; without it these tests are skipped, but not in CI.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from support.faults import share, some
from support.kills import Kill, kills_on_slurm, start, undo
from support.projects import environment_of, make_project, recoco, write_yaml
from workflow.test_workflow import content

pytestmark = [pytest.mark.slurm, pytest.mark.workflow]

RULES = ("prepare", "kernels", "run", "consensus", "score", "compare", "report")


def ask(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def jobs(states: str, project: Path) -> set[str]:
    """Return the jobs of a project; a SLURM that was there before us may have others."""
    lines = ask("squeue", "--noheader", f"--states={states}", "--format=%i %Z").splitlines()
    pairs = [line.split(maxsplit=1) for line in lines]
    return {job for job, folder in pairs if Path(folder) == project}


@pytest.fixture(scope="module", autouse=True)
def slurm():
    usable = "--states=idle,alloc,mix"
    if shutil.which("sinfo") and ask("sinfo", "--noheader", "--Node", usable, "--format=%N"):
        return
    if os.environ.get("CI"):
        pytest.fail("no SLURM answers here: see what `.ci/slurm start` says")
    pytest.skip("no SLURM answers here: `.ci/slurm start` starts one")


@pytest.fixture(scope="module")
def clustered(slurm, finished, tmp_path_factory):
    """A project whose first pass went through SLURM; the second test goes on with it."""
    project = make_project(tmp_path_factory.mktemp("clustered") / "project")
    settings = yaml.safe_load((project / "profiles/slurm/config.yaml").read_text())
    # The plugin asks after so many seconds, then each time ten seconds later: eight is a little
    # more than a short job takes.
    hasty = {"slurm-init-seconds-before-status-checks": 8, "slurm-keep-successful-logs": True}
    (project / "hasty").mkdir()
    write_yaml(project / "hasty" / "config.yaml", {**settings, **hasty})
    said = recoco(project, "reproduce", "--quick", "--profile", "hasty", timeout=1200).stdout
    assert "reports/index.html" in said
    yield project
    for job in jobs("PD,R,S,CG", project):
        ask("scancel", job)


def first_pass_of(finished: Path, target: Path) -> Path:
    """Return a copy of a finished project that is back at the end of its first pass."""
    shutil.copytree(finished, target, symlinks=True)
    for path in (target / "results" / "runs").rglob("2-6.*"):
        path.unlink()
    recoco(target, "reproduce", "--quick", "--cores", "2")
    return target


def test_same_bytes_as_on_this_machine(clustered, finished, tmp_path):
    assert content(clustered) == content(first_pass_of(finished, tmp_path / "here"))
    # Everything but the downloads went through SLURM.
    logs = [path.read_text() for path in (clustered / "logs" / "slurm").rglob("*.log")]
    assert {rule for rule in RULES if any(f"rule {rule}:" in text for text in logs)} == set(RULES)
    assert not any("rule fetch:" in text for text in logs)


def stop_the_clock(project: Path) -> bool:
    """Suspend what runs, so that no job ends before it is looked at; say whether there is any."""
    for job in jobs("R", project):
        ask("scontrol", "suspend", job)
    return bool(jobs("S", project))


def test_a_leader_that_was_killed_leaves_no_jobs_behind(clustered, finished):
    process = subprocess.Popen(
        [sys.executable, "-m", "recoco", "reproduce", "--profile", "hasty"],
        cwd=clustered,
        env=environment_of(clustered),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 600
        while not (list(clustered.glob("logs/runs/**/2-6.log")) and stop_the_clock(clustered)):
            assert time.monotonic() < deadline and process.poll() is None, "no block was begun"
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = jobs("PD,R,S", clustered)
    assert left, "the job of the block has ended with its leader"
    # The next start cancels it and goes on, here on this machine.
    said = recoco(clustered, "reproduce", "--cores", "2").stdout
    assert "cancelled the SLURM jobs" in said
    assert not left & jobs("PD,R,S,CG", clustered)
    assert content(clustered) == content(finished)


# ---- kills at random moments ---------------------------------------------------------------------


def kill_daemon(node: str) -> None:
    """Kill the daemon of a node, if it is one of `.ci/slurm`, and start another."""
    state = Path("/run/recoco-slurm")
    pid = int((state / f"slurmd.{node}.pid").read_text())
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        time.sleep(0.05)
    daemon = shutil.which("slurmd", path=f"{os.environ['PATH']}:/usr/sbin")
    subprocess.run([daemon, "-N", node], check=True)


def strike(project: Path, kill: Kill) -> None:
    """Let a block of runs begin in SLURM and kill its leader, its job or the daemon of its node."""
    undo(project, "run")
    leader = start(project, "reproduce", "--profile", "hasty")
    deadline = time.monotonic() + 600
    while not (running := jobs("R", project)):
        assert leader.poll() is None, f"{kill}: no job was begun"
        assert time.monotonic() < deadline, f"{kill}: it hangs"
        time.sleep(0.2)
    time.sleep(kill.seconds)
    job = min(running)
    if kill.victim == "leader":
        leader.kill()
    elif kill.victim == "job":
        ask("scancel", "--signal=KILL", "--full", job)
    else:
        kill_daemon(ask("squeue", "--noheader", f"--jobs={job}", "--format=%N") or "n1")
    leader.wait(timeout=1200)


@pytest.mark.skipif(not Path("/run/recoco-slurm").is_dir(), reason="kills daemons of .ci/slurm")
def test_kills_and_the_same_bytes(clustered, finished, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    shutil.copytree(clustered / "hasty", project / "hasty")
    for kill in some(kills_on_slurm(), least=1):
        strike(project, kill)
    recoco(project, "reproduce", "--cores", "2")  # cancels what is left
    assert jobs("PD,R,S,CG", project) == set()
    assert content(project) == content(finished)


# ---- a shared folder that shows files late -------------------------------------------------------

LATE = """
import os, stat, sys, time

ROOT, SECONDS = os.environ["RECOCO_ROOT"] + "/results/", 4.0


def late(real):
    def look(path, *arguments, **options):
        found = real(path, *arguments, **options)
        if isinstance(path, (str, os.PathLike)) and stat.S_ISREG(found.st_mode):
            name = os.path.abspath(path)
            if name.startswith(ROOT) and time.time() - found.st_ctime < SECONDS:
                with open(os.environ["RECOCO_ROOT"] + "/hidden", "a") as stream:
                    stream.write(name + "\\n")
                raise FileNotFoundError(2, "it is not shown yet", name)
        return found

    return look


if "snakemake" in sys.orig_argv:
    os.stat, os.lstat = late(os.stat), late(os.lstat)
"""


@pytest.mark.skipif(share() < 1, reason="takes eight minutes, so only `make faults` runs it")
def test_files_that_are_seen_late(clustered, finished, tmp_path):
    """Every Snakemake, here and on the nodes, sees new results some seconds after the others."""
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    shutil.copytree(clustered / "hasty", project / "hasty")
    (project / "src" / "sitecustomize.py").write_text(LATE)
    undo(project, "run")
    recoco(project, "reproduce", "--profile", "hasty", timeout=1800)
    assert "/results/runs/" in (project / "hidden").read_text()
    assert content(project) == content(finished)
