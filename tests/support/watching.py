"""Watch what code does to the machine: writes outside a folder, network, programs, pickles.

Python reports such events to audit hooks, however deep in a library they happen. A hook cannot be
removed, so there is one, which does nothing while nobody watches.
"""

import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    *("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.utime"),
    *("os.rename", "os.link", "os.symlink", "shutil.rmtree", "shutil.move", "shutil.copyfile"),
}
_NEVER = {
    *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "urllib.Request"),
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"),
    *("pickle.find_class", "ctypes.dlopen", "ftplib.connect", "webbrowser.open"),
}


class _Watch:
    folder: Path | None = None  # None while nobody watches
    seen: list[str]


def _outside(path) -> bool:
    if not isinstance(path, str | bytes | os.PathLike):
        return False  # an open file, whose path was seen before
    path = os.path.abspath(os.fsdecode(path))
    return path != os.devnull and not Path(path).is_relative_to(_Watch.folder)


def _hook(event: str, arguments: tuple) -> None:
    if _Watch.folder is None:
        return
    if event == "open":
        if isinstance(arguments[2], int) and arguments[2] & _WRITING and _outside(arguments[0]):
            _Watch.seen.append(f"writes {arguments[0]}")
    elif event in _CHANGES:
        paths = arguments[:2] if event in ("os.rename", "os.link", "shutil.move") else arguments[:1]
        paths = arguments[1:2] if event in ("os.symlink", "shutil.copyfile") else paths
        _Watch.seen += [f"{event} {path}" for path in paths if _outside(path)]
    elif event in _NEVER:
        _Watch.seen.append(f"{event} {arguments[:2]}")


sys.addaudithook(_hook)


@contextlib.contextmanager
def watched(folder: Path, seconds: float) -> Iterator[list[str]]:
    """Yield a list of what is done that must not be; after some seconds raise TimeoutError.

    Temporary files belong into the folder, too, and no module is compiled.
    """

    def late(*_):
        raise TimeoutError(f"not finished after {seconds} s")

    before = tempfile.tempdir, sys.dont_write_bytecode, signal.signal(signal.SIGALRM, late)
    (folder / "tmp").mkdir(exist_ok=True)
    tempfile.tempdir, sys.dont_write_bytecode = str(folder / "tmp"), True
    _Watch.folder, _Watch.seen = folder, []
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield _Watch.seen
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _Watch.folder = None
        tempfile.tempdir, sys.dont_write_bytecode, handler = before
        signal.signal(signal.SIGALRM, handler)
