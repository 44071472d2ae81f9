"""Processes above and below this one: which there are, which have ended, how to end them all."""

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Collection, Iterable

# Seconds in which everything below is killed; a process inside the kernel may take longer.
_KILLING = 10.0
_LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None
_PARENT_DEATH, _SUBREAPER = 1, 36  # of prctl


def end_with_parent() -> None:
    """Ask Linux to kill this process when its parent dies, however it dies."""
    if _LIBRARY:
        _LIBRARY.prctl(_PARENT_DEATH, signal.SIGKILL)


def outlive_parent() -> None:
    """Take back what `end_with_parent` asked for."""
    if _LIBRARY:
        _LIBRARY.prctl(_PARENT_DEATH, 0)


def adopt_orphans(adopt: bool = True) -> None:
    """Ask Linux to make this process the parent of all below it whose own parents end.

    Otherwise they would become children of the system, and nobody could tell whose they were.
    """
    if _LIBRARY:
        _LIBRARY.prctl(_SUBREAPER, *map(ctypes.c_ulong, (adopt, 0, 0, 0)))


def end_all_below(known: Iterable[int] = ()) -> set[int]:
    """Kill every process below this one; return their numbers.

    All of them are found if this process has adopted orphans and there is a /proc. Elsewhere the
    ``known`` children and their groups are killed.
    """
    found: set[int] = set()
    if not os.path.isdir("/proc/self"):
        for pid in known:
            _kill(pid)
    deadline, pause = time.monotonic() + _KILLING, 0.0005
    while has_children() and time.monotonic() < deadline:
        found.update(_kill_all(below()))
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    return found


def end_strays(own: Iterable[int]) -> None:
    """Kill the children that this process has adopted, and all below them, but not its ``own``."""
    spared, deadline = set(own), time.monotonic() + _KILLING
    while _kill_all(below(spared)) and time.monotonic() < deadline:
        time.sleep(0.001)


def _kill_all(pids: list[int]) -> list[int]:
    for pid in pids:
        _kill(pid)
    return pids


def _kill(pid: int) -> None:
    """Kill a process below this one, and its group if it leads one: that catches new forks."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def reaped() -> list[tuple[int, int]]:
    """Return the children that have ended or stopped, with their statuses."""
    found = []
    with contextlib.suppress(ChildProcessError):
        while (one := os.waitpid(-1, os.WNOHANG | os.WUNTRACED))[0]:
            found.append(one)
    return found


def has_children() -> bool:
    """Return whether a child is left; those that have ended are forgotten."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def below(spared: Collection[int] = (), top: int | None = None) -> list[int]:
    """Return the living processes below ``top``, from the top down; none without /proc.

    Those in ``spared`` are left out with all below them. ``top`` is this process if not given.
    """
    parents, ended = parents_of_all()
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    order = [os.getpid() if top is None else top]
    for above in order:
        order += [child for child in children.get(above, []) if child not in spared]
    return [pid for pid in order[1:] if pid not in ended]


def parents_of_all() -> tuple[dict[int, int], set[int]]:
    """Return the parent of every process, and those that have ended and only keep their numbers."""
    parents, ended = {}, set()
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as stream:
                    state, parent = stream.read().rpartition(b")")[2].split()[:2]
                parents[int(name)] = int(parent)
                if state in b"ZX":
                    ended.add(int(name))
    return parents, ended


def cores_here() -> int:
    """Return how many processor cores this process may use; macOS only tells how many there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def name_of_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # those for programs' own use have no names
        return f"signal {number}"


def pidfd(pid: int) -> list[int]:
    """Return a handle that becomes readable when a process ends, where there is such a thing."""
    with contextlib.suppress(AttributeError, OSError):
        return [os.pidfd_open(pid)]
    return []


def wait_for_end(pid: int) -> None:
    """Wait until a process that is not a child of this one has ended."""
    handles = pidfd(pid)
    if handles:  # it may keep its number for ever, if nobody asks how it ended
        select.select(handles, [], [])
        os.close(handles[0])
        return
    while not is_gone(pid):  # only Linux tells; elsewhere it is asked
        time.sleep(1.0)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it is somebody else's
        pass
    return False
