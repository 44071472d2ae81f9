"""Snakemake as a child of this process: its output, and its end.

Snakemake has a process group of its own, so that a signal reaches it exactly once, whether a
terminal sends it to all processes in the foreground or `kill` to this one alone. Whatever ends this
process early (Ctrl-C, `kill`, a closed terminal, an error) ends Snakemake and all its jobs first.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.processes import adopt_orphans, end_all_below, end_with_parent
from recoco.engine import disk

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What Snakemake and its jobs are sent, and the seconds they get. At SIGINT they clean up; a job in
# the midst of compiled code only ends at SIGTERM; nothing survives SIGKILL.
_STEPS = ((signal.SIGINT, 20.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
_PATIENCE = 3.0  # seconds after which waiting is explained


class Stopped(KeyboardInterrupt):
    """A signal has asked this process to end."""

    def __init__(self, number: int):
        by = "" if number == signal.SIGINT else f" by {signal.Signals(number).name}"
        super().__init__(f"stopped{by}")
        self.code = 128 + number


class _Signals:
    """Turns signals that end a process into `Stopped`; while Snakemake ends, they only hurry."""

    def __init__(self) -> None:
        self.count = 0
        self.ending = False
        self.group: int | None = None

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Handle the signals; outside of the main thread, where Python allows none, do nothing."""
        self.count, before = 0, {}
        if threading.current_thread() is threading.main_thread():
            before = {each: signal.signal(each, self._end) for each in _ENDING if _obeyed(each)}
            if signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
                before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._pause)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, number: int, _frame) -> None:
        self.count += 1
        if number == signal.SIGHUP:
            _leave_terminal()
        # The second of two signals in quick succession must not interrupt the cleaning up after
        # the first; a third is one too many to be ignored.
        if self.count == 1 or (self.count > 2 and not self.ending):
            raise Stopped(number)

    def _pause(self, _number: int, _frame) -> None:
        """Let Ctrl-Z, which reaches only this group, stop Snakemake too until both go on."""
        send(self.group, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        send(self.group, signal.SIGCONT)


SIGNALS = _Signals()
listening = SIGNALS.listening


def _obeyed(number: int) -> bool:
    """Say whether a signal is obeyed: one that was ignored from the start mostly stays so.

    `nohup` ignores SIGHUP. A shell that runs a script lets background processes ignore SIGINT,
    because Ctrl-C is not meant for them; where there is no terminal, SIGINT comes from `kill`.
    """
    if signal.getsignal(number) is not signal.SIG_IGN:
        return True
    return number == signal.SIGINT and not _has_terminal()


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _leave_terminal() -> None:
    """Write nothing more to a terminal that was closed: each attempt would be an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        if os.isatty(number):
            os.dup2(nowhere, number)
    os.close(nowhere)


class Child:
    """Runs a command in a folder; its output is kept in a log, and comes line by line."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str], log: Path):
        self._start = {"args": command, "cwd": folder, "env": env}
        self.log, self._rest = log, b""

    def __enter__(self):
        with disk.writing(self.log):
            self.log.parent.mkdir(exist_ok=True)
            # Unbuffered: after kill -9 the next start reads there which cluster jobs are left.
            self._sink = self.log.open("wb", buffering=0)
        self.process = subprocess.Popen(
            **self._start,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            process_group=0,
            preexec_fn=_begin,
        )
        SIGNALS.group = self.process.pid
        return self

    def __exit__(self, kind, *_):
        try:
            if kind:
                self._stop()
        finally:
            SIGNALS.group = None
            self.process.stdout.close()
            self._sink.close()

    @property
    def output(self):
        """Return the stream that `select` watches."""
        return self.process.stdout

    def read(self) -> list[str] | None:
        """Return the lines that have come; None after the last. Waits if there are none."""
        chunk = os.read(self.output.fileno(), 1 << 16)
        if chunk:
            with disk.writing(self.log):
                self._sink.write(chunk)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if not chunk:
            lines, self._rest = [self._rest] if self._rest else [], b""
            if not lines:
                return None
        return [f"{line.decode('utf-8', errors='replace')}\n" for line in lines]

    def wait(self) -> int:
        return self.process.wait()

    def _stop(self) -> None:
        """End the process and everything below it, gently at first, at once if hurried."""
        SIGNALS.ending = True
        try:
            # What loses its parent from now on becomes a child of this process, and is found.
            adopt_orphans()
            for number, seconds in _STEPS:
                hurried = SIGNALS.count > 1
                if number == signal.SIGKILL or not hurried:
                    send(self.process.pid, number)
                    if self._ended(seconds):
                        break
            end_all_below()
            self.process.wait()
        finally:
            SIGNALS.ending = False

    def _ended(self, seconds: float) -> bool:
        """Wait for the end of the process; give up when the time is over or somebody hurries."""
        began, warned = time.monotonic(), False
        while self.process.poll() is None:
            waited = time.monotonic() - began
            if waited > seconds or SIGNALS.count > 1:
                return False
            if waited > _PATIENCE and not warned:
                warned = True
                with contextlib.suppress(OSError):
                    print("waiting for Snakemake; Ctrl-C again ends it at once", file=sys.stderr)
            self._drain(0.1)
        self._drain(0.0)
        return True

    def _drain(self, seconds: float) -> None:
        """Keep what is being said: unless somebody reads, Snakemake waits when the pipe is full."""
        for _ in range(64):  # it may never stop talking
            if not select.select([self.output], [], [], seconds)[0]:
                return
            with contextlib.suppress(RecocoError):
                if self.read() is None:
                    time.sleep(seconds)
                    return
            seconds = 0.0


def _begin() -> None:
    """Prepare the process in which the command will run."""
    # Kill it with us: on a softer signal it would wait for its jobs and a reader of its output.
    end_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM):  # we may have been started to ignore them
        signal.signal(number, signal.SIG_DFL)


def send(group: int | None, number: int) -> None:
    """Send a signal to all processes of a group that are left."""
    if group is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
