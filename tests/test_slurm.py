"""The workflow through a real SLURM gives the bytes of a run on this machine.

`.ci/slurm start` starts one on this machine; without it these tests are skipped.
"""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from conftest import environment_of, lend_kernels, recoco, write_yaml
from test_workflow import content

pytestmark = [pytest.mark.slurm, pytest.mark.workflow]


def ask(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


@pytest.fixture(scope="module", autouse=True)
def slurm():
    if shutil.which("sinfo") and ask("sinfo", "--noheader", "--Node", "--format=%N"):
        return
    pytest.skip("no SLURM answers here: `.ci/slurm start` starts one")


def hasty(project: Path, **changes) -> str:
    """Return the project's own profile, but with questions asked every second."""
    settings = yaml.safe_load((project / "workflow/profiles/slurm/config.yaml").read_text())
    often = {"slurm-init-seconds-before-status-checks": 1, "seconds-between-status-checks": 1}
    (project / "hasty").mkdir()
    write_yaml(project / "hasty" / "config.yaml", {**settings, **often, **changes})
    return str(project / "hasty")


RULES = ("prepare", "kernels", "run", "consensus", "score", "compare", "report")


def test_same_bytes_as_on_this_machine(finished, project):
    lend_kernels(finished, project)
    profile = hasty(project, **{"slurm-keep-successful-logs": True})
    said = recoco(project, "reproduce", "--profile", profile, timeout=3600).stdout
    assert "reports/index.html" in said
    assert content(project) == content(finished)
    # Everything but the downloads went through SLURM.
    logs = [path.read_text() for path in (project / "logs" / "slurm").rglob("*.log")]
    assert {rule for rule in RULES if any(f"rule {rule}:" in text for text in logs)} == set(RULES)
    assert not any("rule fetch:" in text for text in logs)


def jobs(states: str) -> set[str]:
    return set(ask("squeue", "--noheader", f"--states={states}", "--format=%i").split())


def stop_the_clock() -> bool:
    """Suspend what runs, so that no job ends before it is looked at; say whether there is any."""
    for job in jobs("R"):
        ask("scontrol", "suspend", job)
    return bool(jobs("S"))


def test_a_leader_that_was_killed_leaves_no_jobs_behind(finished, project):
    lend_kernels(finished, project)
    command = [sys.executable, "-m", "recoco.cli", "reproduce", "--profile", hasty(project)]
    process = subprocess.Popen(
        command,
        cwd=project,
        env=environment_of(project),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 1200
        while not (list((project / "logs").glob("runs/**/*.log")) and stop_the_clock()):
            assert time.monotonic() < deadline and process.poll() is None, "no block was begun"
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = jobs("PD,R,S")
    assert left, "the job of the block has ended with its leader"
    # The next start cancels it and goes on, here on this machine.
    said = recoco(project, "reproduce", "--cores", "2", timeout=1800).stdout
    assert "cancelled the jobs" in said
    assert not left & jobs("PD,R,S,CG")
    assert content(project) == content(finished)
