"""What the log of a job says about it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recoco.core.processes import below, parents_of_all
from recoco.engine.job import FinishedJob, finished_jobs

OWN = "peak memory 5 MiB, read 6 kB, wrote 7 kB\nfinished in 8.000 s\n"


def test_what_a_method_prints_says_nothing_about_its_job(tmp_path):
    logs = {
        "a": f"hello\n{OWN}",
        "b": f"{OWN}peak memory 1 MiB, read 2 kB, wrote 3 kB\nfinished in 4.000 s\n",
        "c": f"finished in ... s\n{OWN}failed: why\nfinished in 9.000 s\n",
        "d": f"{OWN}and then it was killed\n",
    }
    (tmp_path / "logs").mkdir()
    for name, text in logs.items():
        (tmp_path / "logs" / f"{name}.log").write_text(text)
    assert list(finished_jobs(tmp_path)) == [
        FinishedJob(Path("a"), 8.0, (5, 6, 7)),
        FinishedJob(Path("b"), 4.0, (1, 2, 3)),
        FinishedJob(Path("c"), 9.0, None),
    ]


DOWNLOADS = """
import subprocess, time
from recoco.engine.job import _die_with_owner
_die_with_owner()
subprocess.run(["sh", "-c", "sleep 60 & sleep 60"], start_new_session=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are read in /proc")
def test_what_a_job_has_started_ends_with_its_owner():
    owner = subprocess.Popen(["sleep", "60"])
    job = subprocess.Popen(
        [sys.executable, "-c", DOWNLOADS], env={**os.environ, "RECOCO_OWNER": str(owner.pid)}
    )
    try:
        wait_for(lambda: len(below(top=job.pid)) == 3)
        started = below(top=job.pid)
        owner.kill()
        assert job.wait(timeout=60) == 3
        wait_for(lambda: not living(started))
    finally:
        for process in (owner, job):
            process.kill()
            process.wait()


def living(pids: list[int]) -> set[int]:
    """Return those that have not ended; one that nobody has asked how it ended keeps its number."""
    parents, ended = parents_of_all()
    return set(pids) & parents.keys() - ended


def wait_for(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
