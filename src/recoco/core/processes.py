"""Processes below this one: which there are, which have ended, and how to end them all."""

import contextlib
import os
import signal
import time
from collections.abc import Collection, Iterable

# Seconds in which everything below is killed; a process inside the kernel may take longer.
_KILLING = 10.0


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


def below(spared: Collection[int] = ()) -> list[int]:
    """Return the living processes below this one, from the top down; none without /proc.

    Those in ``spared`` are left out with all below them.
    """
    children: dict[int, list[int]] = {}
    ended = set()
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as stream:
                    state, parent = stream.read().rpartition(b")")[2].split()[:2]
                children.setdefault(int(parent), []).append(int(name))
                if state in b"ZX":
                    ended.add(int(name))
    order = [os.getpid()]
    for above in order:
        order += [child for child in children.get(above, []) if child not in spared]
    return [number for number in order[1:] if number not in ended]


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


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
