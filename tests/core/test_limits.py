"""Work with limits: whatever the code does, the caller gets a reason."""

import faulthandler
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from recoco.core.errors import RecocoError
from recoco.core.limits import EndedFromOutside, call_limited, fork_limited, wait_limited


def test_a_value_comes_back_whole():
    ending = call_limited(lambda: np.arange(300_000), seconds=30)
    assert ending.status == "ok" and ending.value.sum() == 299_999 * 150_000


def stubborn():
    while True:
        try:
            time.sleep(30)
        except BaseException:  # one that cannot be talked to
            continue


def exit_silently():
    os._exit(0)


def crash():
    faulthandler.disable()  # pytest's, which would tell it at length
    os.kill(os.getpid(), signal.SIGSEGV)


def eat():
    return [np.ones(10**7) for _ in range(100)]


def refuse():
    raise RecocoError("One sentence: do this.")


@pytest.mark.parametrize(
    ("work", "status", "said"),
    [
        (lambda: {}["x"], "failed", "KeyError: 'x'"),
        (refuse, "failed", "One sentence: do this."),
        (lambda: sys.exit(4), "failed", "SystemExit: 4"),
        (lambda: lambda: 1, "failed", "pickle"),
        (exit_silently, "failed", "without a result"),
        (lambda: os._exit(9), "failed", "exit status 9"),
        (crash, "failed", "crashed (SIGSEGV)"),
        (stubborn, "timeout", "no result within 0.3 s"),
        (eat, "failed", "MemoryError: more memory was asked for than the limit of 1000 MiB"),
    ],
)
def test_every_ending_has_a_reason(work, status, said):
    limit = 0.3 if status == "timeout" else 60
    ending = call_limited(work, seconds=limit, megabytes=1000)
    assert (ending.status, ending.value) == (status, None)
    assert said in ending.error and "\n" not in ending.error


def test_a_kill_from_outside_is_no_failure_of_the_work():
    pid = fork_limited()
    if pid == 0:
        stubborn()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(EndedFromOutside, match="SIGKILL"):
        wait_limited(pid, 30)


def test_what_it_started_ends_with_it(tmp_path):
    note = tmp_path / "pid"

    def start_another():
        other = subprocess.Popen(["sleep", "60"])
        note.write_text(str(other.pid))
        stubborn()

    assert call_limited(start_another, seconds=3).status == "timeout"
    stat = Path("/proc", note.read_text(), "stat")
    deadline = time.monotonic() + 10
    while stat.exists() and stat.read_text().split()[2] != "Z":
        assert time.monotonic() < deadline, "it goes on"
        time.sleep(0.01)
