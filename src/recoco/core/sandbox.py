"""Give up rights before reading what a stranger sent: no network, a read-only file system.

:func:`confine` moves this process, and everything it starts, into Linux namespaces of its own, in
which there is no network, only named folders can be written, and no right can be gained again. No
special rights are needed, but some systems and containers do not allow it; the caller must say so
to the user.
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from recoco.core.errors import RecocoError

_NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_NETWORK = 0x20000, 0x08000000, 0x10000000, 0x40000000
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000
_NO_SETUID, _NO_DEVICES = 0x2, 0x4
_MOUNT_SETATTR = 442  # the number of the system call on all processors
_HERE, _ALL_BELOW, _READ_ONLY = -100, 0x8000, 0x1
_DROP_BOUND, _NO_NEW_RIGHTS = 24, 38
_CAPABILITIES_3 = 0x20080522
_SHARED_MEMORY = "/dev/shm"


class NoSandbox(RecocoError):
    """This system does not let a process confine itself."""


class _Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "namespace")]


def confine(writable: Iterable[Path], replaced: dict[Path, Path] | None = None) -> None:
    """Confine this process and all that it starts, or raise NoSandbox.

    It must have a single thread, so numpy may not be imported yet. If NoSandbox is raised half
    way, the process has fewer rights than before but not all that was asked for.

    Parameters
    ----------
    writable : folders that can still be written
    replaced : folders that are seen instead of others, and can be written; by the folder replaced
    """
    if sys.platform != "linux":
        raise NoSandbox(f"{sys.platform} has no namespaces")
    libc = ctypes.CDLL(None, use_errno=True)
    replaced = replaced or {}
    folders = [*map(str, writable), *map(str, replaced)]
    user, group = os.getuid(), os.getgid()
    try:
        _call(libc.unshare, _NEW_USER | _NEW_MOUNTS | _NEW_NETWORK | _NEW_IPC)
        _write("setgroups", "deny")
        _write("uid_map", f"{user} {user} 1")
        _write("gid_map", f"{group} {group} 1")
        _mount(libc, None, "/", _RECURSIVE | _PRIVATE)
        for folder in writable:
            _mount(libc, str(folder), str(folder), _BIND | _RECURSIVE)
        for folder, instead in replaced.items():
            _mount(libc, str(instead), str(folder), _BIND)
        if os.path.isdir(_SHARED_MEMORY):  # locks between processes are files there
            _mount(libc, "tmpfs", _SHARED_MEMORY, _NO_SETUID | _NO_DEVICES, "tmpfs")
            folders.append(_SHARED_MEMORY)
        _set_attributes(libc, "/", _Attributes(set=_READ_ONLY))
        for folder in folders:
            _set_attributes(libc, folder, _Attributes(clear=_READ_ONLY))
        _drop_capabilities(libc)
    except OSError as error:
        raise NoSandbox(error.strerror or str(error)) from None


def _call(function, *arguments) -> None:
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{os.strerror(number)} ({function.__name__})")


def _write(name: str, text: str) -> None:
    Path("/proc/self", name).write_text(text, encoding="ascii")


def _mount(libc, source: str | None, target: str, flags: int, kind: str | None = None) -> None:
    source_bytes, kind_bytes = (text and text.encode() for text in (source, kind))
    _call(libc.mount, source_bytes, target.encode(), kind_bytes, ctypes.c_ulong(flags), None)


def _set_attributes(libc, folder: str, attributes: _Attributes) -> None:
    _call(
        libc.syscall,
        *map(ctypes.c_long, (_MOUNT_SETATTR, _HERE)),
        ctypes.c_char_p(folder.encode()),
        ctypes.c_long(_ALL_BELOW),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )


def _drop_capabilities(libc) -> None:
    """Give up the rights over these namespaces, or the file system could be made writable again."""
    _call(libc.prctl, _NO_NEW_RIGHTS, *map(ctypes.c_ulong, (1, 0, 0, 0)))
    for number in range(64):
        if libc.prctl(_DROP_BOUND, *map(ctypes.c_ulong, (number, 0, 0, 0))) != 0:
            break  # there is no capability of this number, so none beyond it
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    none = (ctypes.c_uint32 * 6)()
    _call(libc.capset, ctypes.byref(header), ctypes.byref(none))
