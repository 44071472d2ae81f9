"""A clock over the connections of a request, and files as streams that keep it informed."""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from requests.adapters import HTTPAdapter

from recoco.core.errors import RecocoError

PIECE = 1 << 20


class Watch:
    """Cuts the connections of a request when its time is up.

    The timeout of a socket begins anew with every byte, so a server that sends one now and then
    could hold a request for ever.
    """

    def __init__(self, seconds: float):
        self.seconds, self.late = seconds, False
        self._lock = threading.Lock()
        self._lines: list[socket.socket] = []
        self._end = 0.0
        self._timer = threading.Timer(0, self._cut)

    def __enter__(self) -> "Watch":
        self.again()
        return self

    def __exit__(self, *_) -> None:
        with self._lock:
            self._timer.cancel()
            while self._lines:
                self._lines.pop().close()

    def again(self) -> None:
        """Allow the full time once more, because a piece of a file was moved."""
        with self._lock:
            self._timer.cancel()
            self._end = time.monotonic() + self.seconds
            self._timer = threading.Timer(self.seconds, self._cut)
            self._timer.daemon = True
            self._timer.start()

    def over(self, line: socket.socket) -> None:
        """Watch a connection from its first byte, before it is encrypted."""
        with self._lock:
            if self.late:
                line.close()
                raise TimeoutError("the time is up")
            self._lines.append(socket.socket(fileno=os.dup(line.fileno())))

    def _cut(self) -> None:
        with self._lock:
            if time.monotonic() < self._end:  # allowed more time in this very moment
                return
            self.late = True
            for line in self._lines:
                with contextlib.suppress(OSError):  # it is closed already
                    line.shutdown(socket.SHUT_RDWR)


class Adapter(HTTPAdapter):
    """Connections that a watch can cut; redirects, cookies and .netrc are left out."""

    def __init__(self, watch: Watch):
        self._watch = watch
        super().__init__(pool_connections=1, pool_maxsize=1, max_retries=0)

    def __enter__(self) -> "Adapter":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def init_poolmanager(self, *arguments, **options) -> None:
        super().init_poolmanager(*arguments, **options)
        self._watch_over(self.poolmanager)

    def proxy_manager_for(self, proxy, **options):
        new = proxy not in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **options)
        if new:
            self._watch_over(manager)
        return manager

    def _watch_over(self, manager) -> None:
        pools = manager.pool_classes_by_scheme
        manager.pool_classes_by_scheme = {
            scheme: _watched(pool, self._watch) for scheme, pool in pools.items()
        }


def _watched(pool, watch: Watch) -> type:
    """Return a class of connection pools that shows every new socket to the watch."""

    def connect(self):
        line = pool.ConnectionCls._new_conn(self)
        watch.over(line)
        return line

    connection = type("Watched", (pool.ConnectionCls,), {"_new_conn": connect})
    return type(pool.__name__, (pool,), {"ConnectionCls": connection})


class Slice:
    """Part of a file as a stream of known length; the file is never in memory as a whole."""

    def __init__(self, content: bytes | Path, start: int, size: int, watch: Watch):
        self.content, self.start, self.size, self.watch = content, start, size, watch

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces():
            self.watch.again()
            yield piece

    def _pieces(self) -> Iterator[bytes]:
        if isinstance(self.content, bytes):
            yield self.content[self.start : self.start + self.size]
            return
        left = self.size
        try:
            with self.content.open("rb") as stream:
                stream.seek(self.start)
                while left and (piece := stream.read(min(left, PIECE))):
                    left -= len(piece)
                    yield piece
        except OSError as error:
            raise RecocoError(
                f"Cannot read {self.content}: {error.strerror}; check that it is still there."
            ) from None
        if left:
            raise RecocoError(
                f"{self.content} became shorter while it was sent: run the same command again."
            )
