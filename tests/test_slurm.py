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

from conftest import environment_of, recoco, write_yaml
from test_workflow import blocks, content

pytestmark = [pytest.mark.slurm, pytest.mark.workflow]


def ask(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


@pytest.fixture(scope="module", autouse=True)
def slurm():
    if shutil.which("sinfo") and ask("sinfo", "--noheader", "--Node", "--format=%N"):
        return
    if os.environ.get("CI"):
        pytest.fail("no SLURM answers here: see what .ci/slurm start says")
    pytest.skip("no SLURM answers here: `.ci/slurm start` starts one")


def hasty(project: Path, **changes) -> str:
    """Return the project's own profile, but with questions asked every second."""
    settings = yaml.safe_load((project / "workflow/profiles/slurm/config.yaml").read_text())
    often = {"slurm-init-seconds-before-status-checks": 1, "seconds-between-status-checks": 1}
    (project / "hasty").mkdir()
    write_yaml(project / "hasty" / "config.yaml", {**settings, **often, **changes})
    return str(project / "hasty")


def submitted(project: Path) -> list[str]:
    """Return what was asked of SLURM, from the logs that its own jobs left."""
    return sorted(path.name for path in (project / "logs" / "slurm").rglob("*.log"))


def test_same_bytes_as_on_this_machine(finished, project):
    profile = hasty(project, **{"slurm-keep-successful-logs": True})
    said = recoco(project, "reproduce", "--profile", profile).stdout
    assert "reports/index.html" in said
    assert content(project) == content(finished)
    # Everything but the downloads went through SLURM: two nodes shared the work.
    logs = [path.read_text() for path in (project / "logs" / "slurm").rglob("*.log")]
    hosts = {rule for rule in RULES if any(f"rule {rule}:" in text for text in logs)}
    assert hosts == set(RULES)


RULES = ("prepare", "kernels", "run", "consensus", "score", "compare", "report")


def test_a_leader_that_was_killed_leaves_no_jobs_behind(finished, project):
    command = [sys.executable, "-m", "recoco.cli", "reproduce", "--profile", hasty(project)]
    process = subprocess.Popen(
        command,
        cwd=project,
        env=environment_of(project),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 240
    while not blocks(project) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert blocks(project), "nothing was computed before the kill"
    # The jobs in the queue know nothing of it: the next start cancels them and goes on here.
    before = set(ask("squeue", "--noheader", "--format=%i").split())
    recoco(project, "reproduce", "--cores", "2")
    left = set(ask("squeue", "--noheader", "--states=PD,R", "--format=%i").split())
    assert not left & before
    assert content(project) == content(finished)
