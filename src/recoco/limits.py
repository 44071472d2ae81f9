"""Work that may end in any way: in a process of its own, within limits of time and memory.

Somebody's method may raise, hang inside compiled code, crash the interpreter or eat all memory.
`call_limited` gives its value or the reason why there is none:

>>> call_limited(lambda: 1 + 1, seconds=10).value
2
>>> call_limited(lambda: 1 / 0, seconds=10).error
'ZeroDivisionError: division by zero'
"""

import contextlib
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recoco.errors import RecocoError

# How a process ends that has said itself what is wrong, and one that has no memory left.
SAID, NO_MEMORY = 70, 71
# Of the machine's memory, what one process may have where nothing else is said.
_SHARE = 0.9
_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(frozen=True)
class Ending:
    """How some work ended: ``ok`` with its value, ``failed`` or ``timeout`` with the reason.

    ``code`` is the exit status of its process.
    """

    status: str
    error: str = ""
    value: object = None
    code: int = 0


class EndedFromOutside(RecocoError):
    """Somebody ended the process: this says nothing about the work in it."""


def call_limited(
    work: Callable[[], object], seconds: float, megabytes: int | None = None
) -> Ending:
    """Return how ``work()`` ends in a process of its own.

    Its value comes back by pickle. ``megabytes`` is the most memory it may ask for, None for most
    of what the machine has. Ctrl-C and a kill from outside are passed on, not told as failures.
    """
    with tempfile.TemporaryFile() as told:
        pid = fork_limited(megabytes)
        if pid == 0:
            try:
                pickle.dump(Ending("ok", value=work()), told)
            except BaseException as error:  # whatever it is, it is told
                told.seek(0)
                told.truncate()
                pickle.dump(Ending("failed", reason_of(error)), told)
            told.flush()
            os._exit(0)
        ending = wait_limited(pid, seconds)
        if ending.status != "ok":
            return ending
        told.seek(0)
        try:
            return pickle.load(told)
        except (EOFError, pickle.UnpicklingError):
            return Ending("failed", "its process ended without a result")


def reason_of(error: BaseException) -> str:
    """Return an error in one line, as a cell shows it."""
    if isinstance(error, MemoryError):
        limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
        most = "" if limit == resource.RLIM_INFINITY else f" of {limit >> 20} MiB"
        return f"MemoryError: more memory was asked for than the limit{most}"
    said = " ".join(str(error).split()) or "no message"
    return said if isinstance(error, RecocoError) else f"{type(error).__name__}: {said}"


def fork_limited(megabytes: int | None = None) -> int:
    """Fork; return 0 in the child, where the limit of memory holds, else the child's number.

    The child ends with its parent and leads a group of processes, so that all it starts can be
    ended with it.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    parent, pid = os.getpid(), os.fork()
    if pid:
        with contextlib.suppress(OSError):  # the child does it too: whoever comes first
            os.setpgid(pid, pid)
        return pid
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    if sys.platform == "linux":
        end_with_parent()
        if os.getppid() != parent:  # it died before that was asked
            os._exit(3)
        # Of all processes here the system should choose this one when memory runs out.
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("500")
    most = memory_of_machine() if megabytes is None else megabytes
    if most:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = most << 20
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    return 0


def end_with_parent() -> None:
    """Ask Linux to end this process when its parent dies, however it dies."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def wait_limited(pid: int, seconds: float) -> Ending:
    """Wait for a forked child, at most ``seconds``; end it and all it started after that."""
    before = _ended_for_memory()
    deadline, pause = time.monotonic() + seconds, 0.002
    handle = None
    with contextlib.suppress(AttributeError, OSError):  # Linux tells at once, others are asked
        handle = os.pidfd_open(pid)
    try:
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return _told(os.waitstatus_to_exitcode(status), before)
            left = deadline - time.monotonic()
            if left <= 0:
                return Ending("timeout", f"no result within {seconds:g} s")
            if handle is not None:
                select.select([handle], [], [], min(left, 60.0))
                continue
            time.sleep(min(pause, left))
            pause = min(2 * pause, 0.2)
    finally:  # whatever it started must not go on without it
        if handle is not None:
            os.close(handle)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


def _told(code: int, before: int) -> Ending:
    if code == 0:
        return Ending("ok")
    if code > 0:
        return Ending("failed", f"its process ended with exit status {code}", code=code)
    name = signal.Signals(-code).name
    if -code == signal.SIGKILL and _ended_for_memory() > before:
        return Ending("failed", "MemoryError: the system ended its process when memory ran out")
    if -code in _OUTSIDE:
        raise EndedFromOutside(
            f"The process at work was ended from outside ({name}): the same command goes on."
        )
    return Ending("failed", f"its process crashed ({name})")


def _ended_for_memory() -> int:
    """Return how many processes Linux has ended so far because memory ran out."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0


def memory_of_machine() -> int | None:
    """Return most of the memory of this machine, or of the container it is, in MiB."""
    limits = []
    with contextlib.suppress(OSError, ValueError, AttributeError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(Path("/sys/fs/cgroup", name).read_text(encoding="ascii")))
    return int(_SHARE * min(limits)) >> 20 if limits else None
