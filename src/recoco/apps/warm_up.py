"""Keep the compilation of kernels out of the seconds of a run and out of its time limit."""

import contextlib
import mmap
import signal
import time
from collections.abc import Iterator

import numpy as np
from numba.core import event

# also held while compiled code is loaded from numba's cache
_LOCK = "numba:compiler_lock"


class Compiling(event.Listener):
    """The seconds that numba has spent on compiling, which the parent process sees as well.

    Meanwhile the alarm of :func:`recoco.runs.block.timeout` waits.
    """

    def __init__(self) -> None:
        self._shared = np.frombuffer(mmap.mmap(-1, 16))  # seconds so far, and since when
        self._depth = 0
        self._left = 0.0

    @property
    def seconds(self) -> float:
        done, since = self._shared.tolist()
        return done + (time.monotonic() - since if since else 0.0)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Count what is compiled in this block."""
        event.register(_LOCK, self)
        try:
            yield
        finally:
            event.unregister(_LOCK, self)

    def on_start(self, event: event.Event) -> None:
        self._depth += 1
        if self._depth == 1:
            self._left = signal.setitimer(signal.ITIMER_REAL, 0)[0]
            self._shared[1] = time.monotonic()

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._shared[:] = self.seconds, 0.0
            if self._left:
                signal.setitimer(signal.ITIMER_REAL, self._left)


def warm_up(kind: type, params: dict, limit: float) -> None:
    """Fit a method to a small matrix: what it imports and compiles is not part of a run."""
    from recoco.runs.block import timeout

    block = np.kron(np.eye(2), np.ones((6, 5))) + np.eye(12, 10)
    X = [block, block] if getattr(kind, "views", "one") == "many" else block
    if getattr(kind, "graphs_only", False):
        graph = block @ block.T
        X = [graph, graph] if isinstance(X, list) else graph
    # a mistake shows again, and is reported, in the runs
    with contextlib.suppress(Exception, SystemExit), timeout(limit):
        kind(**{"n_clusters": 2, **params}).fit_runs(X, [1, 2])


def sentence(seconds: dict[str, float], least: float = 3.0) -> str:
    """Return which methods took how long to compile, if any took longer than ``least``."""
    long = [f"{name} {spent:.0f} s" for name, spent in seconds.items() if spent > least]
    return f"compiled and warmed up, not part of s per run: {', '.join(long)}" if long else ""
