"""Run code that may raise, hang in compiled code, crash the interpreter or exhaust memory.

It runs in a process of its own, with limits of time and memory. `call_limited` returns its value,
or the reason why there is none:

>>> call_limited(lambda: 1 + 1, seconds=10).value
2
>>> call_limited(lambda: 1 / 0, seconds=10).error
'ZeroDivisionError: division by zero'
"""

import contextlib
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.processes import (
    adopt_orphans,
    below,
    end_strays,
    end_with_parent,
    name_of_signal,
)

# Default limit of one process, as a share of the machine's memory.
_SHARE = 0.9
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


# A limit of time, or a function that returns it and may return more while the work goes on.
Seconds = float | Callable[[], float]


@dataclass(frozen=True)
class Ending:
    """How some work ended: ``ok`` with its value, ``failed`` or ``timeout`` with the reason.

    ``killed`` is the signal if its process was killed, which somebody else may have done.
    """

    status: str
    error: str = ""
    value: object = None
    killed: int = 0


class EndedFromOutside(RecocoError):
    """Somebody killed the process, which says nothing about the work in it."""

    def __init__(self, number: int):
        self.number = number
        super().__init__(
            f"The process was killed from outside ({name_of_signal(number)}): "
            "rerun the same command to resume."
        )


def call_limited(
    work: Callable[[], object], seconds: Seconds, megabytes: int | None = None
) -> Ending:
    """Return how ``work()`` ends in a process of its own.

    Its value must be picklable. ``megabytes`` limits its memory; None stands for most of what the
    machine has. Ctrl-C and a kill from outside are passed on, not reported as failures.
    """
    with tempfile.TemporaryFile() as result:
        pid = fork_limited(megabytes)
        if pid == 0:
            try:
                pickle.dump(Ending("ok", value=work()), result)
            except BaseException as error:  # whatever it is, the caller gets the reason
                result.seek(0)
                result.truncate()
                pickle.dump(Ending("failed", reason_of(error)), result)
            result.flush()
            os._exit(0)
        ending = wait_limited(pid, seconds)
        if ending.status != "ok":
            return ending
        result.seek(0)
        try:
            return pickle.load(result)
        except (EOFError, pickle.UnpicklingError):
            return Ending("failed", "its process ended without a result")


def call_foreign(
    work: Callable[[], object], seconds: Seconds, megabytes: int | None = None
) -> Ending:
    """Return how ``work()`` ends that calls somebody's own code, as `call_limited` does.

    A kill counts as its failure, because it may have killed itself, and whatever processes it has
    started are killed, even those in sessions of their own (on Linux). Meanwhile this process
    must not start others.
    """
    adopt_orphans()
    spared = below()
    try:
        return call_limited(work, seconds, megabytes)
    except EndedFromOutside as error:
        return Ending("failed", f"its process was killed ({name_of_signal(error.number)})")
    finally:
        end_strays(spared)


def reason_of(error: BaseException) -> str:
    """Return an error in one line, as a cell shows it."""
    if isinstance(error, MemoryError):
        limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
        most = "" if limit == resource.RLIM_INFINITY else f" of {limit >> 20} MiB"
        return f"MemoryError: more memory was asked for than the limit{most}"
    text = " ".join(str(error).split()) or "no message"
    return text if isinstance(error, RecocoError) else f"{type(error).__name__}: {text}"


def fork_limited(megabytes: int | None = None) -> int:
    """Fork; return 0 in the child, whose memory is limited, and the child's id in the parent.

    The child dies with its parent and leads a process group, so everything it starts can be killed
    with it.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    parent, pid = os.getpid(), os.fork()
    if pid:
        with contextlib.suppress(OSError):  # the child does the same; either may be first
            os.setpgid(pid, pid)
        return pid
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    if sys.platform == "linux":
        end_with_parent()
        if os.getppid() != parent:  # the parent died before the call above
            os._exit(3)
        # When memory runs out, the system should kill this process first.
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("500")
    limit_memory(megabytes)
    return 0


def limit_memory(megabytes: int | None = None) -> None:
    """Limit the memory of this process; None stands for most of what the machine has."""
    most = memory_of_machine() if megabytes is None else megabytes
    if most:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        soft = most << 20 if hard == resource.RLIM_INFINITY else min(most << 20, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def wait_limited(pid: int, seconds: Seconds) -> Ending:
    """Wait at most ``seconds`` for a forked child, then kill it and everything it started."""
    before = killed_for_memory()
    began, pause = time.monotonic(), 0.002
    try:
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                ending = ending_of(os.waitstatus_to_exitcode(status), before)
                if ending.killed:
                    raise EndedFromOutside(ending.killed)
                return ending
            limit = seconds() if callable(seconds) else seconds
            left = began + limit - time.monotonic()
            if left <= 0:
                return Ending("timeout", f"no result within {limit:g} s")
            time.sleep(min(pause, left))
            pause = min(2 * pause, 0.05)
    finally:
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


def ending_of(code: int, before: int) -> Ending:
    """Return how a process has ended, by its exit code as Python gives it.

    ``before`` is what `killed_for_memory` returned when it began.
    """
    if code == 0:
        return Ending("ok")
    if code > 0:
        return Ending("failed", f"its process ended with exit status {code}")
    name = name_of_signal(-code)
    if -code == signal.SIGKILL and killed_for_memory() > before:
        return Ending("failed", "MemoryError: the system ended its process when memory ran out")
    if -code in _FROM_OUTSIDE:
        return Ending("failed", f"its process was killed ({name})", killed=-code)
    return Ending("failed", f"its process crashed ({name})")


def killed_for_memory() -> int:
    """Return how many processes Linux has killed so far because memory ran out."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0


def memory_of_machine() -> int | None:
    """Return most of the memory of this machine or container, in MiB."""
    limits = []
    with contextlib.suppress(OSError, ValueError, AttributeError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(Path("/sys/fs/cgroup", name).read_text(encoding="ascii")))
    return int(_SHARE * min(limits)) >> 20 if limits else None
