"""The project folder for one process at a time: writable, locked, without stale locks."""

import contextlib
import fcntl
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path

from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.processes import is_gone, parents_of_all
from recoco.engine import disk
from recoco.engine.leading import listening
from recoco.engine.profiles import cancel_left_over

_WRITTEN = ("results", "resources", "reports", "logs", "dist", ".snakemake")
_LOCK = Path(".snakemake", "recoco.lock")
_SNAKEMAKE_LOCKS = Path(".snakemake", "locks")
_PROBE = b"\0" * 4096  # on a full disk an empty file can still be made


@contextlib.contextmanager
def workspace() -> Iterator[Path]:
    """Yield the project folder, writable and with no other process at work in it."""
    root = paths.root()
    check_writable(root)
    with _only_one(root), listening():
        cancel_left_over(root)
        _clear_stale_lock(root)
        yield root


@contextlib.contextmanager
def undisturbed(root: Path) -> Iterator[None]:
    """Refuse to read results that another process is changing; write nothing, not even a lock."""
    with contextlib.ExitStack() as stack:
        try:
            handle = stack.enter_context((root / _LOCK).open("r"))
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _occupied(root, handle) from None
        except OSError:  # nothing was ever run here, or the file system does not support locks
            pass
        yield


@contextlib.contextmanager
def _only_one(root: Path) -> Iterator[None]:
    """Hold a lock that the system itself releases when this process ends, even by kill -9."""
    (root / _LOCK).parent.mkdir(exist_ok=True)
    with (root / _LOCK).open("a+") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _occupied(root, handle) from None
        except OSError as error:  # a shared file system may not support locks
            print(f"cannot lock {root} ({error.strerror}): do not start a second run there")
        handle.truncate(0)
        handle.write(f"{os.getpid()} on {platform.node()}")
        handle.flush()
        yield


def _occupied(root: Path, handle) -> RecocoError:
    handle.seek(0)
    holder = handle.read().strip()
    pid, _, node = holder.partition(" on ")
    # Those who only read leave the number of the last who wrote.
    if node == platform.node() and pid.isdigit() and is_gone(int(pid)):
        return RecocoError(f"`recoco check` is reading the results in {root}: wait for it.")
    return RecocoError(
        f"Another reproduction (process {holder or 'unknown'}) is running "
        f"in {root}: wait for it or stop it first."
    )


def check_writable(root: Path) -> None:
    """Raise an error if a folder of the project cannot be written."""
    for name in _WRITTEN:
        folder = root / name
        probe = folder / f".writable-{os.getpid()}"
        try:
            folder.mkdir(exist_ok=True)
            try:
                probe.write_bytes(_PROBE)
            finally:
                probe.unlink(missing_ok=True)
        except OSError as error:
            if disk.is_about_room(error):
                raise RecocoError(disk.sentence(error, folder)) from None
            raise RecocoError(
                f"Cannot write in {folder} ({error.strerror}): make it writable, or clone "
                "recoco where you may write."
            ) from None


# ---- a Snakemake that recoco did not start -----------------------------------------------------


def _clear_stale_lock(root: Path) -> None:
    """Remove Snakemake's lock when no living Snakemake works in this folder."""
    locks = _locks(root)
    if not locks:
        return
    for _ in range(10):  # one that was stopped a moment ago may still be cleaning up
        owner = living_snakemake(root)
        if owner is None:
            break
        time.sleep(1.0)
    else:
        raise RecocoError(held_by_another(root))
    for path in locks:
        path.unlink(missing_ok=True)
    print("cleared the lock of an interrupted run; resuming", flush=True)


def _locks(root: Path) -> list[Path]:
    return [path for path in (root / _SNAKEMAKE_LOCKS).glob("*") if path.is_file()]


def held_by_another(root: Path) -> str:
    """Say who holds Snakemake's lock."""
    owner = living_snakemake(root)
    if owner is not None:
        return f"Snakemake (process {owner}) is running in {root}: wait for it or stop it first."
    return (
        f"Another Snakemake has locked {root}, and no process of this machine: wait for it, or "
        f"delete {_SNAKEMAKE_LOCKS} if none is running."
    )


def living_snakemake(root: Path) -> int | None:
    """Return the process of a Snakemake that works in a folder, if there is one."""
    parents, _ = parents_of_all()
    found = {pid for pid in parents if pid != os.getpid() and _works_in(pid, root)}
    # Snakemake may have started others of its kind: name the first.
    return next((pid for pid in sorted(found) if parents[pid] not in found), None)


def _works_in(pid: int, root: Path) -> bool:
    """Say whether a process is a Snakemake in this folder."""
    entry = Path("/proc", str(pid))
    with contextlib.suppress(OSError):  # it has ended
        if not _is_snakemake((entry / "cmdline").read_bytes().split(b"\0")):
            return False
        try:
            return os.path.samefile(entry / "cwd", root)
        except PermissionError:
            # One of somebody else does not say where it is, but whose the locks are is known.
            owner = entry.stat().st_uid
            return any(path.stat().st_uid == owner for path in _locks(root))
    return False


def _is_snakemake(words: list[bytes]) -> bool:
    """Say whether a command line is that of Snakemake: by itself, or as a module of Python."""
    first = os.path.basename(words[0])
    if first == b"snakemake":
        return True
    if not first.startswith((b"python", b"pypy")):
        return False
    rest = iter(words[1:])
    for word in rest:
        if word in (b"-X", b"-W"):  # options with a value
            next(rest, b"")
        elif word == b"-m":
            return next(rest, b"") == b"snakemake"
        elif word == b"-c" or not word.startswith(b"-"):
            return os.path.basename(word) == b"snakemake"
    return False
