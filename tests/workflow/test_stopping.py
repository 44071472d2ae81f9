"""Signals to the leading process alone: it ends soon, leaves nobody behind, and can go on."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.kills import processes_of, victims
from support.projects import environment_of, recoco
from workflow.test_workflow import content

pytestmark = pytest.mark.workflow

SIGNALS = {
    "INT": [signal.SIGINT],
    "INT twice": [signal.SIGINT, signal.SIGINT],
    "TERM": [signal.SIGTERM],
    "HUP": [signal.SIGHUP],
}
# What Snakemake gets at most, the starting and stopping of Python on a busy machine included.
PATIENCE = 60


def strike(project: Path, numbers: list[int]) -> tuple[int, str]:
    """Start, send signals to the leader alone while a block of runs is computed."""
    leader = subprocess.Popen(
        [sys.executable, "-m", "recoco", "reproduce", "--cores", "2"],
        cwd=project,
        env=environment_of(project),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 300
    while not victims(leader, ".snakemake/scripts/") and leader.poll() is None:
        assert time.monotonic() < deadline, "no job was begun"
        time.sleep(0.1)
    time.sleep(0.5)
    for number in numbers:
        leader.send_signal(number)
        time.sleep(0.2)
    try:
        _, said = leader.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        leader.kill()
        raise
    return leader.returncode, said


@pytest.mark.usefixtures("all_signals")
def test_it_ends_soon_and_goes_on_to_the_same_bytes(finished, project):
    for name, numbers in SIGNALS.items():
        code, said = strike(project, numbers)
        assert code == 128 + numbers[0], name
        by = "" if numbers[0] == signal.SIGINT else f" by {numbers[0].name}"
        assert said.endswith(f"recoco: stopped{by}; rerun the same command to resume.\n"), name
        assert "Traceback" not in said, name
        assert processes_of(project) == [], name
    assert "reports/index.html" in recoco(project, "reproduce", "--cores", "2").stdout
    assert content(project) == content(finished)
