"""Run a method where it can harm nothing but itself.

Three processes take part. The *job* is the script that Snakemake started; it only waits. The
*keeper* forks the third, keeps its limits, reads what it prints and stores what it computed. The
third is the *method's own*, in which anything may happen. It reports to the keeper through a
pipe, because any exit status may be the method's. A method that kills its parent kills the keeper,
and then the job takes another one.

When a method ends, however it ends, everything below its keeper is killed, on Linux even processes
in groups and sessions of their own. A method can still do what its user may do: delete files, or
kill processes whose numbers it looks up.
"""

import codecs
import contextlib
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from json import dumps, loads  # as they are before a method replaces them
from pathlib import Path

from recoco.core.limits import Ending, ending_of, fork_limited, killed_for_memory
from recoco.core.processes import (
    adopt_orphans,
    end_all_below,
    has_children,
    is_gone,
    outlive_parent,
    pidfd,
)
from recoco.engine import disk

# Megabytes that one job may print; a log is read by people.
MOST_OUTPUT = 100
# Seconds that a method may take to end once its results are written: exit handlers, threads.
LEAVING = 5.0
# Seconds for what a method has left behind to end by itself, as helpers of multiprocessing do.
STRAGGLING = 0.5
# Exit status of a keeper, to which the signal is added, if the method's process was killed.
KILLED = 128
_PIECE = 1 << 16
_PAUSE, _LOOK = 0.05, 0.5  # seconds between two looks at the processes, and at the results
# Characters of a reported text, so that it fits into a pipe that nobody is reading.
_MOST_REPORTED = 1000
_FACTS = {"shared": bool, "peak": int, "failed": str, "error": str}  # that are reported


@dataclass
class Outcome:
    """How a method's process ended, and what it reported.

    ``left`` counts the processes that were still there and had to be killed.
    """

    ending: Ending
    reported: dict = field(default_factory=dict)
    left: int = 0


class OwnerGone(BaseException):
    """A process for which this one works has ended, so this one must end too."""


class _Watch:
    """The processes for which this one works."""

    def __init__(self, owners: Iterable[int]):
        found = {owner: pidfd(owner) for owner in owners}
        self.handles = [handle for handles in found.values() for handle in handles]
        # Only Linux tells when one ends.
        self.unseen = [owner for owner, handles in found.items() if not handles]

    def check(self, ready: list[int]) -> None:
        if set(ready) & set(self.handles) or any(map(is_gone, self.unseen)):
            raise OwnerGone


# ---- in the job ----------------------------------------------------------------------------------


def fork_keeper(owner: int) -> int | None:
    """Fork a keeper; return None in it, and in the job the exit status once it has ended.

    Raises OwnerGone when the process ``owner`` ends; 0 stands for none.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    adopt_orphans()
    job, pid = os.getpid(), os.fork()
    if pid == 0:
        os.environ["RECOCO_OWNER"] = str(job)
        become_keeper()
        return None
    own, owners = pidfd(pid), _Watch([owner] if owner else [])
    try:
        while True:
            ready, _, _ = select.select([*own, *owners.handles], [], [], _LOOK if own else _PAUSE)
            owners.check(ready)
            done, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
            if done and os.WIFSTOPPED(status):  # a method may stop its parent
                os.kill(pid, signal.SIGCONT)
            elif done:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else KILLED - code
    finally:
        end_all_below([pid])
        for handle in (*own, *owners.handles):
            os.close(handle)


def become_keeper() -> None:
    """Leave the group of the job, which a method could kill, and let every signal kill."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


# ---- in the method's process ---------------------------------------------------------------------


class Reporter:
    """How the method's process reports to the keeper, whatever became of its files."""

    def __init__(self, pipe: int):
        self._pipe, self._pid = pipe, os.getpid()
        self._place = os.fstat(pipe).st_ino

    def send(self, **facts) -> None:
        """Send facts to the keeper; do nothing in a fork, or if the pipe is closed."""
        texts = {key: v[:_MOST_REPORTED] if isinstance(v, str) else v for key, v in facts.items()}
        # A method may have closed the pipe and opened a file of its own under this number.
        with contextlib.suppress(Exception):
            if os.getpid() == self._pid and os.fstat(self._pipe).st_ino == self._place:
                os.write(self._pipe, (dumps(texts) + "\n").encode("ascii"))


def _settle(output: int) -> None:
    """Give the method's process its streams, and limits that it cannot lift again."""
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for number in (1, 2):
        os.dup2(output, number)
    os.close(output)
    options = {"buffering": 1, "encoding": "utf-8", "errors": "backslashreplace"}
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False, **options)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, **options)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    most = resource.getrlimit(resource.RLIMIT_DATA)[0]
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    # A crash is reported in one sentence; an image of the memory would fill the project's folder.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


# ---- in the keeper -------------------------------------------------------------------------------


class Log:
    """The log of a job, which is text whatever is printed, and counts what the method prints."""

    def __init__(self, path: Path):
        self._path = path
        # Unbuffered: a fork must not write what its parent has still to write.
        with disk.writing(path):
            self._stream = open(path, "ab", buffering=0)  # noqa: SIM115
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.printed = 0

    def close(self) -> None:
        self._stream.close()

    def add(self, piece: bytes) -> None:
        """Write some of what the method has printed."""
        self.printed += len(piece)
        self._write(self._decoder.decode(piece))

    def say(self, sentence: str) -> None:
        """Write a line of our own."""
        self._write(f"{self._decoder.decode(b'', final=True)}{sentence}\n")

    def full(self) -> bool:
        return self.printed > MOST_OUTPUT * 10**6

    def _write(self, text: str) -> None:
        left = text.encode("utf-8", "backslashreplace")
        with disk.writing(self._path):
            while left:
                left = left[self._stream.write(left) :]


def fork_method(megabytes: int | None) -> "Reporter | Kept":
    """Fork a method's process; return its reporter there, and in the keeper what waits for it."""
    adopt_orphans()
    before = killed_for_memory()
    output, reports = os.pipe(), os.pipe()
    pid = fork_limited(megabytes)
    for pipe in (output, reports):
        os.close(pipe[1 if pid else 0])
    if pid:
        return Kept(pid, output[0], reports[0], before)
    _settle(output[1])
    return Reporter(reports[1])


@dataclass
class Kept:
    """A method's process, as its keeper sees it."""

    pid: int
    output: int
    reports: int
    killed_for_memory: int
    received: bytes = b""
    ended: bool = False

    def follow(
        self, seconds: float, log: Log, written: Callable[[], bool], owners: Iterable[int] = ()
    ) -> Outcome:
        """Wait for the end, at most ``seconds``, and kill all that is left then.

        ``written`` tells whether the results are there, after which little is left to wait for.
        Raises OwnerGone when one of the processes ``owners`` ends.
        """
        for pipe in (self.output, self.reports):
            os.set_blocking(pipe, False)
        own, watch = pidfd(self.pid), _Watch(owners)
        if not watch.unseen:
            outlive_parent()  # until what is left is killed
        try:
            ending = self._wait(own, time.monotonic() + seconds, log, written, watch)
        finally:
            left = self._end()
            self._read(self.reports)
            self._read(self.output, log)
            for handle in (self.output, self.reports, *own, *watch.handles):
                os.close(handle)
        return Outcome(ending, self._reported(), left)

    def _wait(self, own, deadline, log, written, watch) -> Ending:
        waiting, pause = [self.output, self.reports, *own, *watch.handles], _PAUSE if own else 0.01
        look, leaving = time.monotonic() + _LOOK, False
        while True:
            left = deadline - time.monotonic()
            ready, _, _ = select.select(waiting, [], [], max(0.0, min(pause, left)))
            if self.output in ready and not self._read(self.output, log):
                waiting.remove(self.output)
            if self.reports in ready and not self._read(self.reports):
                waiting.remove(self.reports)
            if log.full():
                return Ending("failed", f"it printed more than {MOST_OUTPUT} MB")
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self.ended = True
                return ending_of(os.waitstatus_to_exitcode(status), self.killed_for_memory)
            watch.check(ready)
            if left <= 0 and leaving:
                return Ending("failed", "its process did not end")
            if left <= 0:
                return Ending("timeout", "no result in time")
            if not leaving and time.monotonic() > look:
                look, leaving = time.monotonic() + _LOOK, written()
                if leaving:
                    deadline = min(deadline, time.monotonic() + LEAVING)

    def _read(self, pipe: int, log: Log | None = None) -> bool:
        """Take what is in a pipe; return False once nobody can write into it any more."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(4):  # no more at once, because there are limits to look after
                piece = os.read(pipe, _PIECE)
                if not piece:
                    return False
                if log:
                    log.add(piece)
                else:
                    self.received = (self.received + piece)[-_PIECE:]
        return True

    def _reported(self) -> dict:
        reported: dict = {}
        for line in self.received.splitlines():
            # A method may write there too.
            with contextlib.suppress(ValueError, AttributeError, RecursionError):
                facts = loads(line).items()
                reported |= {name: fact for name, fact in facts if type(fact) is _FACTS.get(name)}
        return reported

    def _end(self) -> int:
        """Kill all that is left; return how many these were beside the method's process."""
        deadline, pause = time.monotonic() + STRAGGLING, 0.0005
        while self.ended and has_children() and time.monotonic() < deadline:
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return len(end_all_below([self.pid]) - {self.pid})
