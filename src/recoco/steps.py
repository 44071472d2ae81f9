"""Progress of a command that works by itself: a line that is kept up to date, or plain lines."""

import sys
import time

_LIVE_EVERY = 0.2
_PLAIN_EVERY = 5.0


class Steps:
    """Show what is being done and how far it is, on the standard error.

    On a terminal one line is rewritten; elsewhere a line comes at most every five seconds, so
    that quick work stays silent in a log.
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
        """Leave the line, so that what is printed next has one of its own."""
        if self._live and self._width:
            print(f"\r{' ' * self._width}\r", end="", file=self._stream, flush=True)
            self._width = 0
