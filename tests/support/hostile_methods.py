"""Methods that do harm to other processes, each with what must become of its block.

A method is its harm, which is done while it computes; the results are sound if it lets them be.
`support.hostile_results` has those that do harm to their own process, to texts and to results.
"""

import atexit
import contextlib
import ctypes
import faulthandler
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from support.broken_methods import Sound

TWICE = r"^its process was killed twice \(%s\): by the method itself, or from outside$"
NO_RESULT = "^its process ended without a result$"
LATE = "^no result within 1 s$"
NO_END = "after its results were written: its process did not end"


class Hostile(Sound):
    """``ends`` is the status of its block, ``says`` the reason and ``logs`` the log (patterns)."""

    ends, says, logs = "ok", "^$", ""

    def spoil(self, result, X):
        self.harm()
        return result

    def harm(self):
        """Do none."""


def method(ends: str, says: str = "^$", logs: str = ""):
    """Make a method of a function that does the harm."""

    def make(harm):
        content = {"ends": ends, "says": says, "logs": logs, "harm": staticmethod(harm)}
        return type(harm.__name__, (Hostile,), {**content, "__module__": harm.__module__})

    return make


def first_time() -> bool:
    """Return whether no process of this job was here before."""
    mark = Path("been-here")
    if mark.exists():
        return False
    mark.touch()
    return True


# ---- kills ---------------------------------------------------------------------------------------


@method("failed", TWICE % "SIGKILL", r"its process was killed \(SIGKILL\): trying once more")
def kills_itself():
    os.kill(os.getpid(), signal.SIGKILL)


@method("failed", TWICE % "SIGTERM")
def terminates_itself():
    os.kill(os.getpid(), signal.SIGTERM)


@method("failed", TWICE % "SIGINT")
def interrupts_itself():
    os.kill(os.getpid(), signal.SIGINT)


@method("failed", TWICE % "SIGHUP")
def hangs_up_on_itself():
    os.kill(os.getpid(), signal.SIGHUP)


@method("failed", TWICE % "SIGINT")
def raises_interrupt():
    raise KeyboardInterrupt


@method("failed", TWICE % "SIGKILL")
def kills_its_parent():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(5)


@method("failed", TWICE % "SIGTERM")
def terminates_its_parent():
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(5)


@method("failed", TWICE % "SIGINT")
def interrupts_its_parent():
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(5)


@method("failed", TWICE % "SIGKILL")
def kills_the_group_of_its_parent():
    os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)
    time.sleep(5)


@method("failed", TWICE % "SIGTERM")
def kills_its_group():
    os.kill(0, signal.SIGTERM)


@method("failed", TWICE % "SIGKILL and SIGTERM")
def kills_itself_in_two_ways():
    os.kill(os.getpid(), signal.SIGKILL if first_time() else signal.SIGTERM)


@method("ok", logs=r"its process was killed \(SIGKILL\): trying once more")
def is_killed_once():
    if first_time():
        os.kill(os.getpid(), signal.SIGKILL)


@method("ok", logs=r"its process was killed \(SIGKILL\): trying once more")
def loses_its_parent_once():
    if first_time():
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(5)


# ---- its end -------------------------------------------------------------------------------------


@method("failed", "^its process ended with exit status 70$")
def exits_70():
    os._exit(70)


@method("failed", "^its process ended with exit status 71$")
def exits_71():
    os._exit(71)


@method("failed", NO_RESULT)
def exits_0():
    os._exit(0)


@method("failed", "SystemExit: 0$")
def exits_politely():
    sys.exit(0)


@method("failed", NO_RESULT)
def becomes_another():
    os.execv("/bin/true", ["true"])


@method("timeout", LATE)
def becomes_a_sleeper():
    os.execv("/bin/sleep", ["sleep", "60"])


@method("failed", r"^its process crashed \(SIGSEGV\)$")
def segfaults():
    ctypes.string_at(0)


@method("failed", r"^its process crashed \(SIGABRT\)$")
def aborts():
    os.abort()


@method("failed", r"^its process crashed \(signal 40\)$")
def sends_a_nameless_signal():
    os.kill(os.getpid(), 40)


@method("failed", r"^its process crashed \(SIGVTALRM\)$")
def sets_a_timer():
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
    while True:
        pass


@method("failed", "^its process ended with exit status 1$")
def has_a_watchdog():
    faulthandler.dump_traceback_later(0.05, exit=True)
    time.sleep(5)


@method("ok", logs=NO_END)
def hangs_at_exit():
    atexit.register(time.sleep, 60)


@method("ok", logs=r"after its results were written: its process crashed \(SIGABRT\)")
def crashes_at_exit():
    atexit.register(os.abort)


@method("ok", logs=r"after its results were written: its process was killed \(SIGKILL\)")
def kills_itself_at_exit():
    atexit.register(os.kill, os.getpid(), signal.SIGKILL)


@method("ok", logs=NO_END)
def hangs_when_it_is_forgotten():
    clinging = type("Clinging", (), {"__del__": lambda _: time.sleep(60)})()
    clinging.itself = clinging
    atexit.register(gc.collect)


# ---- time ----------------------------------------------------------------------------------------


@method("timeout", LATE)
def sleeps():
    time.sleep(60)


@method("timeout", LATE)
def ignores_the_alarm():
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    time.sleep(60)


@method("timeout", LATE)
def catches_the_alarm():
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(60)


@method("timeout", LATE)
def stops_the_alarm():
    signal.setitimer(signal.ITIMER_REAL, 0)
    time.sleep(60)


@method("timeout", LATE)
def blocks_all_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    time.sleep(60)


@method("timeout", LATE)
def stops_itself():
    os.kill(os.getpid(), signal.SIGSTOP)


@method("ok")
def stops_its_parent():
    os.kill(os.getppid(), signal.SIGSTOP)


@method("timeout", LATE)
def stops_its_parent_and_sleeps():
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(60)


# ---- other threads and processes -----------------------------------------------------------------


@method("ok")
def exits_in_a_thread():
    thread = threading.Thread(target=sys.exit, args=(3,))
    thread.start()
    thread.join()


@method("ok", logs=NO_END)
def leaves_a_thread():
    threading.Thread(target=time.sleep, args=(60,)).start()


@method("ok", logs="killed 5 processes that the method left behind")
def leaves_daemons():
    """Leave five that have left its session, ignore signals and hold its streams."""
    for _ in range(5):
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            if os.fork() == 0:
                time.sleep(60)
            os._exit(0)
    time.sleep(0.2)


@method("timeout", LATE, "killed 5 processes that the method left behind")
def sleeps_with_daemons():
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    leaves_daemons.harm()
    time.sleep(60)


@method("ok", logs="killed 1 process that the method left behind")
def leaves_a_program():
    subprocess.Popen(["sleep", "60"], start_new_session=True)


@method("ok", logs="killed 50 processes that the method left behind")
def is_a_bomb():
    for _ in range(50):
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
            os._exit(0)


@method("ok")
def is_a_fugitive():
    """Leave one that is never where it was: each process starts the next one and ends."""
    if os.fork() == 0:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if os.fork():
                os._exit(0)
            os.setsid()
            time.sleep(0.001)
        os._exit(0)


@method("ok")
def forks_and_returns():
    """A mistake of beginners: two processes continue with the same work."""
    os.fork()


@method("ok")
def fails_in_a_fork():
    """What another process says does not count."""
    if os.fork() == 0:
        raise ValueError("in the fork")
    time.sleep(0.2)
