"""Progress of a command outside the workflow: one updated line, or plain lines in a log."""

import sys
import time

_LIVE_EVERY = 0.2
_PLAIN_EVERY = 5.0


class Steps:
    """Show the current step and its progress on standard error.

    On a terminal one line is updated. Elsewhere a line is printed at most every five seconds, so
    quick work leaves nothing in a log.
    """

    def __init__(self, stream=None):
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._shown = time.monotonic()
        self._width = 0

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None:
        now = time.monotonic()
        if now - self._shown < (_LIVE_EVERY if self._live else _PLAIN_EVERY):
            return
        self._shown = now
        text = f"  {what}, {done} of {total}" if total else f"  {what}"
        if self._live:
            print(f"\r{text.ljust(self._width)}", end="", file=self._stream, flush=True)
            self._width = len(text)
        else:
            print(text, file=self._stream, flush=True)

    def end(self) -> None:
        """Clear the line, so the next output starts on an empty one."""
        if self._live and self._width:
            print(f"\r{' ' * self._width}\r", end="", file=self._stream, flush=True)
            self._width = 0
