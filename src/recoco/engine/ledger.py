"""The ledger: the checksum of every result, as it was when its job wrote it.

It is a file of JSON lines; the last line about a path counts. Files named in it may be deleted and
made again, so a line counts only if it names a file that a job may have written; nothing that
somebody else wrote into the ledger can lead out of these folders.
"""

import contextlib
import fcntl
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from recoco.core.errors import RecocoError
from recoco.core.files import write_text
from recoco.datasets.receipts import digest
from recoco.engine import disk

LEDGER = Path(".snakemake", "recoco-ledger.jsonl")
# What the ledger covers: folders with all files in them, and single files.
FOLDERS = ("resources/prepared", "results", "reports/tables", "reports/figures", "reports/data")
_FILES = ("reports/index.html", "reports/verdicts.svg")
# Outputs that are whole folders: Snakemake does not notice a file that is missing in one.
_WHOLE = tuple(folder for folder in FOLDERS if folder.startswith("reports/"))
# Each part of a path has a name that leads neither to its own folder nor out of it.
_IN_FOLDER = re.compile(rf"(?:{'|'.join(map(re.escape, FOLDERS))})(?:/(?!\.\.?(?:/|$))[^/]+)+")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_BYTES = 1 << 28  # a million entries; more than that is not a ledger
_LONGEST_LINE = 1 << 16
_GONE = -1


@dataclass(frozen=True)
class Entry:
    """A file as it was written; ``damaged`` once it was found to differ.

    ``adopted`` means that it was found without an entry: nothing says how it was made.
    """

    path: str
    sha256: str
    bytes: int
    mtime_ns: int
    damaged: bool = False
    adopted: bool = False


_TYPES = (str, str, int, int, bool, bool)


def is_there(root: Path) -> bool:
    return (root / LEDGER).is_file()


def read(root: Path, ignored: list[str] | None = None) -> dict[str, Entry]:
    """Return the entries by path; append to ``ignored`` why lines were left out."""
    entries: dict[str, Entry] = {}
    for number, line in enumerate(_lines(root), 1):
        try:
            entry = _parse(line)
        except (ValueError, TypeError, RecursionError) as error:
            if ignored is not None:
                reason = str(error) if type(error) is ValueError else "it is cut off or damaged"
                ignored.append(f"line {number} of {LEDGER} is ignored: {reason}")
            continue
        if entry and entry.bytes == _GONE:
            entries.pop(entry.path, None)
        elif entry:
            entries[entry.path] = entry
    return entries


def length(root: Path) -> int:
    """Return the number of lines that are not empty."""
    return sum(bool(line.strip()) for line in _lines(root))


def _lines(root: Path) -> Iterator[bytes]:
    try:
        about = (root / LEDGER).stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(about.st_mode) or about.st_size > _MOST_BYTES:
        raise RecocoError(
            f"{root / LEDGER} is not a ledger of this project ({about.st_size / 1e6:.0f} MB): "
            "delete it; `recoco check` then recomputes a sample of the results."
        )
    with (root / LEDGER).open("rb") as stream:
        yield from stream


def _parse(line: bytes) -> Entry | None:
    """Return the entry in a line, None for an empty one; raise ValueError with the reason."""
    if not line.strip():
        return None
    if len(line) > _LONGEST_LINE:
        raise ValueError("it is too long")
    entry = Entry(**json.loads(line))
    if tuple(map(type, vars(entry).values())) != _TYPES:
        raise TypeError
    if not covers(entry.path):
        raise ValueError(f"{entry.path!a} is not a file that a job writes")
    if entry.bytes < _GONE or not 0 <= entry.mtime_ns < 2**63:
        raise TypeError
    if entry.bytes >= 0 and not _SHA256.fullmatch(entry.sha256):
        raise TypeError
    return entry


def covers(name: str) -> bool:
    """Say whether a path in a project is one that the ledger may have an entry for."""
    return name.isprintable() and (_IN_FOLDER.fullmatch(name) is not None or name in _FILES)


def in_whole_folder(name: str) -> bool:
    """Say whether a file is part of an output that is a folder."""
    return name.startswith(tuple(f"{folder}/" for folder in _WHOLE))


def is_own_file(root: Path, name: str) -> bool:
    """Say whether a covered path is a file in its own folder, not a link, a folder or elsewhere.

    ``results`` itself may be a link: people keep results on another disk.
    """
    path, top = root / name, root / PurePosixPath(name).parts[0]
    try:
        inside = path.parent.resolve().is_relative_to(top.resolve())
        return inside and stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def entry_of(root: Path, name: str, adopted: bool = False) -> Entry:
    """Return an entry for a file as it is now."""
    path = root / name
    return Entry(name, *digest(path), path.stat().st_mtime_ns, adopted=adopted)


def differs(root: Path, entry: Entry) -> bool:
    """Say whether a file that is there differs from its entry."""
    if not is_own_file(root, entry.path):
        return os.path.lexists(root / entry.path)
    with contextlib.suppress(FileNotFoundError):
        path = root / entry.path
        return path.stat().st_size != entry.bytes or digest(path)[0] != entry.sha256
    return False


def covered(root: Path, paths: Iterable[str | os.PathLike]) -> Iterator[str]:
    """Yield the covered files among ``paths`` and in folders among them, relative to the root."""
    for path in paths:
        whole = root / path
        if whole.is_dir():
            yield from covered(root, sorted(each for each in whole.rglob("*") if each.is_file()))
        elif whole.is_relative_to(root):
            name = whole.relative_to(root).as_posix()
            if covers(name) and not whole.name.startswith(".") and is_own_file(root, name):
                yield name


def files(root: Path) -> Iterator[str]:
    """Yield all covered files of a project."""
    yield from covered(root, [*FOLDERS, *_FILES])


def gone(path: str) -> Entry:
    """Return an entry that cancels those before it."""
    return Entry(path, "", _GONE, 0)


def append(root: Path, entries: list[Entry]) -> None:
    """Write all lines at once; jobs that finish at the same moment wait for each other."""
    if not entries:
        return
    path = root / LEDGER
    with disk.writing(path):
        path.parent.mkdir(exist_ok=True)
        with path.open("ab", buffering=0) as stream:
            with contextlib.suppress(OSError):  # a shared file system may not support locks
                fcntl.flock(stream, fcntl.LOCK_EX)
            # The leading newline ends a line that was cut off.
            stream.write(("\n" + "".join(map(_line, entries))).encode())


def rewrite(root: Path, entries: Iterable[Entry]) -> None:
    """Replace the ledger; the caller makes sure that no job is running."""
    write_text(root / LEDGER, "".join(map(_line, entries)))


def _line(entry: Entry) -> str:
    return json.dumps(asdict(entry), sort_keys=True) + "\n"
