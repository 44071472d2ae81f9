"""Processes below this one are found and ended, wherever they have gone."""

import os
import signal
import subprocess
import sys
import time

import pytest

from recoco.core import processes
from recoco.core.limits import call_limited
from recoco.core.processes import (
    adopt_orphans,
    below,
    cores_here,
    end_all_below,
    end_strays,
    has_children,
    name_of_signal,
    wait_for_end,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and Linux's prctl")


def sleep(own_session: bool) -> int:
    return subprocess.Popen(["sleep", "60"], start_new_session=own_session).pid


def orphan() -> None:
    """Leave a process whose parent ends at once."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    os.wait()


def test_all_below_are_ended():
    def work():
        adopt_orphans()
        started = {sleep(True), sleep(False)}
        orphan()
        found = end_all_below()
        return started < found, len(found), below(), has_children()

    assert call_limited(work, seconds=30).value == (True, 3, [], False)


def test_strays_are_ended_and_others_spared():
    def work():
        adopt_orphans()
        own = sleep(True)
        orphan()
        before = len(below())
        end_strays([own])
        return before, below() == [own], len(end_all_below())

    assert call_limited(work, seconds=30).value == (2, True, 1)


def test_one_that_is_stopped_is_ended_too():
    def work():
        pid = sleep(False)
        os.kill(pid, signal.SIGSTOP)
        return end_all_below() == {pid}

    assert call_limited(work, seconds=30).value


def test_without_proc_the_known_ones_and_their_groups_are_ended(monkeypatch):
    def work():
        monkeypatch.setattr(processes, "below", lambda: [])
        monkeypatch.setattr(os.path, "isdir", lambda _: False)
        adopt_orphans()
        leader = subprocess.Popen(["sh", "-c", "sleep 60 & sleep 60"], start_new_session=True)
        time.sleep(0.2)
        return end_all_below([leader.pid]), has_children()

    assert call_limited(work, seconds=30).value == (set(), False)


def test_the_end_of_a_process_does_not_wait_until_somebody_asks_for_its_status():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    try:
        assert call_limited(lambda: wait_for_end(pid), seconds=30).status == "ok"
    finally:
        os.waitpid(pid, 0)


def test_where_nobody_tells_which_cores_are_free_all_count(monkeypatch):
    assert cores_here() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert cores_here() == os.cpu_count()


def test_every_signal_has_a_name():
    assert (name_of_signal(9), name_of_signal(40)) == ("SIGKILL", "signal 40")
