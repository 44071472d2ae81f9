"""The workflow through a real SLURM gives the bytes of a run on this machine.

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
