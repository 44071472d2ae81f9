"""Work with limits: whatever somebody's code does, there is an ending with a reason."""

import faulthandler
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from recoco.errors import RecocoError
from recoco.guard import MethodFailed, check_results, check_runs
from recoco.limits import EndedFromOutside, call_limited, fork_limited, wait_limited
from recoco.methods.base import Runs


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


# ---- what a method returns -------------------------------------------------------------------


def runs(**changes) -> Runs:
    good = {
        "row_labels": np.zeros((2, 5), np.int16),
        "column_labels": np.zeros((2, 4), np.int16),
        "criterion": np.zeros(2),
        "n_iter": np.ones(2, np.int32),
        "details": {"start": np.zeros(2)},
    }
    return Runs(**{**good, **changes})


def test_good_runs_pass():
    check_runs(runs(), 2, 5, 4)
    check_runs(runs(column_labels=None), 2, 5, 4)
    check_runs(runs(), 2, None, None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"row_labels": np.zeros(5, int)}, "row_labels is int64 of shape (5,)"),
        ({"row_labels": np.zeros((2, 6), int)}, "not whole numbers of shape (2, 5)"),
        ({"row_labels": np.full((2, 5), 0.5)}, "row_labels is float64"),
        ({"row_labels": np.full((2, 5), -1)}, "the label -1"),
        ({"row_labels": None}, "without row_labels"),
        ({"column_labels": np.zeros((1, 4), int)}, "column_labels is int64 of shape (1, 4)"),
        ({"criterion": np.zeros((2, 1))}, "criterion is float64 of shape (2, 1)"),
        ({"criterion": ["a", "b"]}, "criterion is"),
        ({"n_iter": 3}, "n_iter is"),
        ({"details": {"start": np.zeros(3)}}, "the detail start"),
        ({"details": {"start": 1.0}}, "the detail start"),
    ],
)
def test_wrong_results_are_refused(changes, said):
    with pytest.raises(MethodFailed) as caught:
        check_runs(runs(**changes), 2, 5, 4)
    assert said in str(caught.value)


def test_any_error_of_a_method_can_be_told():
    class Method:
        def fit_runs(self, X, seeds):
            return X.no_such

    check_results(Method)
    with pytest.raises(MethodFailed, match=r"AttributeError: .*no_such"):
        Method().fit_runs(np.ones((2, 2)), [1])
