"""Read files that a stranger may have named: only regular ones, and never more than a limit."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

# Largest file of a dataset, and largest content of an archive: larger than any corpus of the
# papers, smaller than what a zip bomb unpacks to.
MOST_BYTES = 8 << 30

_PIECE = 1 << 20
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a link",
}


def read_regular(path: str | os.PathLike, most: int = MOST_BYTES, follow: bool = True) -> bytes:
    """Return the bytes of a regular file.

    Opening a pipe would wait for its other end, and a device may never end or do something when
    it is opened. So the kind is checked first, and again on what was opened without waiting.

    Parameters
    ----------
    path : path-like
    most : int
        Maximum number of bytes.
    follow : bool, default=True
        Whether the last part of the path may be a link.

    Raises
    ------
    OSError
        Its ``strerror`` says what is wrong.
    """
    with open_regular(path, follow) as handle:
        size = os.fstat(handle).st_size
        content = _read(handle, most, size) if size <= most else None
    if content is None:
        raise OSError(errno.EFBIG, f"it has more than {most} bytes")
    return content


@contextlib.contextmanager
def open_regular(path: str | os.PathLike, follow: bool = True) -> Iterator[int]:
    """Open a regular file, see :func:`read_regular`, and provide its descriptor."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        _check_kind(os.stat(path, follow_symlinks=follow))
        handle = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    except ValueError:  # a path with a zero byte
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
    try:
        _check_kind(os.fstat(handle))
        yield handle
    finally:
        os.close(handle)


def _check_kind(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "a device")
        raise OSError(errno.EINVAL, f"it is {kind} instead of a file")


def _read(handle: int, most: int, size: int) -> bytes | None:
    """Return all bytes, or None if there are too many; a file may grow beyond its size."""
    pieces, total = [], 0
    while total <= most:
        piece = os.read(handle, max(min(size, most) - total, 0) + _PIECE)
        if not piece:
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)  # spares a large copy
        pieces.append(piece)
        total += len(piece)
    return None
