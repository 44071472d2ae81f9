"""The ledger of results: the checksum of every file that a job wrote.

A flipped or a missing byte changes no time stamp that Snakemake looks at. So each job enters what
it wrote, no job reads what is not as it was entered, and `recoco reproduce` looks at all files
before it begins: what was damaged is said and made again. The ledger is a file of lines, the last
one about a path holds, and a line that was cut off by a kill counts for nothing.
"""

import contextlib
import fcntl
import json
import os
import re
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from recoco.datasets.receipts import digest
from recoco.errors import RecocoError
from recoco.store import write_text

FOLDERS = ("resources/prepared", "results")
# What `recoco.store.atomic` writes before it has its name, and the age at which it is left over.
_TEMPORARY = re.compile(r"\..+\.[a-z0-9_]{8}")
_OLD = 60.0
# In their order; compare follows all of the others.
_STAGES = ("prepared", "runs", "consensus", "scores")
_LEDGER = Path(".snakemake", "recoco-ledger.jsonl")


@dataclass(frozen=True)
class Entry:
    """A file as it was written: checksum, size and time stamp; ``damaged`` once it was not so."""

    path: str
    sha256: str
    bytes: int
    mtime_ns: int
    damaged: bool = False


def enter(root: Path, paths: Iterable[str | os.PathLike]) -> None:
    """Enter files that were just written; those in other folders are left out."""
    _append(root, [_entry(root, name) for name in _listed(root, paths)])


def check(root: Path, paths: Iterable[str | os.PathLike]) -> None:
    """Refuse to go on with a file that is not as it was entered."""
    entries = read(root)
    for name in _listed(root, paths):
        if name in entries and _changed(root, entries[name]):
            _append(root, [_damaged(entries[name])])
            raise RecocoError(
                f"{name} is not as it was written (its checksum differs): "
                "the same command makes it again."
            )


def read(root: Path) -> dict[str, Entry]:
    """Return the entries by path."""
    entries = {}
    with contextlib.suppress(FileNotFoundError):
        for line in (root / _LEDGER).read_bytes().splitlines():
            with contextlib.suppress(ValueError, TypeError):
                entry = Entry(**json.loads(line))
                entries[entry.path] = entry
    return entries


def damaged(root: Path) -> list[Entry]:
    """Look at every file of the ledger; return those that are not as they were entered.

    Files that are not in the ledger yet are entered as they are. Those that Snakemake was writing
    when it was ended are its own business: it writes them again.
    """
    entries, unfinished = read(root), _unfinished(root)
    found, new = [], []
    for name in _files(root):
        if name in unfinished:
            continue
        if name not in entries:
            new.append(_entry(root, name))
        elif not entries[name].damaged and _changed(root, entries[name]):
            found.append(_damaged(entries[name]))
    _append(root, [*new, *found])
    return found + [entry for entry in entries.values() if entry.damaged]


def stage_of(entry: Entry) -> int:
    """Return the place of a file's stage in the workflow: what it is made of comes before."""
    parts = Path(entry.path).parts
    if len(parts) < 3 and parts[0] == "results":  # of the report
        return len(_STAGES) + 2
    known = {stage: place for place, stage in enumerate(_STAGES)}
    known["compare"] = len(_STAGES) + 1
    return known.get(parts[1], len(_STAGES))


def times(root: Path) -> Callable[[Path], int | None]:
    """Return a function that tells when a file was written, None where that is not known."""
    entries = read(root)

    def written(path: Path) -> int | None:
        entry = entries.get(path.relative_to(root).as_posix())
        return None if entry is None or _changed(root, entry) else entry.mtime_ns

    return written


def redate(root: Path, paths: Iterable[Path]) -> None:
    """Enter the new time stamps of files that are as they were."""
    entries = read(root)
    known = [entries[name] for name in _listed(root, paths) if name in entries]
    _append(root, [_entry(root, entry.path) for entry in known if not _changed(root, entry)])


def settle(root: Path, entry: Entry) -> bool:
    """Close the case of a damaged file; say whether it is as it was.

    If so it takes back its old time stamp: nothing that stands on it has to be computed again.
    """
    path, whole = root / entry.path, False
    if path.is_file():
        whole = digest(path) == (entry.sha256, entry.bytes)
        if whole:
            os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns))
        _append(root, [_entry(root, entry.path)])
    else:
        remaining = {name: kept for name, kept in read(root).items() if name != entry.path}
        write_text(root / _LEDGER, "".join(_line(kept) for kept in remaining.values()))
    return whole


def sweep(root: Path) -> int:
    """Remove what a kill left half-written, once it is clear that nobody writes there any more."""
    count = 0
    for folder in FOLDERS:
        for path in (root / folder).rglob(".*"):
            if _TEMPORARY.fullmatch(path.name) and path.stat().st_mtime < time.time() - _OLD:
                path.unlink(missing_ok=True)
                count += 1
    return count


def _entry(root: Path, name: str) -> Entry:
    path = root / name
    found, size = digest(path)
    return Entry(name, found, size, path.stat().st_mtime_ns)


def _damaged(entry: Entry) -> Entry:
    return Entry(**{**asdict(entry), "damaged": True})


def _changed(root: Path, entry: Entry) -> bool:
    path = root / entry.path
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_size != entry.bytes or digest(path)[0] != entry.sha256
    return False  # removed by somebody: Snakemake sees that


def _listed(root: Path, paths: Iterable[str | os.PathLike]) -> Iterator[str]:
    """Yield the files among ``paths`` that belong to the ledger, seen from the root."""
    for path in paths:
        whole = root / path
        if whole.is_file() and whole.is_relative_to(root):
            name = whole.relative_to(root).as_posix()
            if name.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
                yield name


def _files(root: Path) -> Iterator[str]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                yield path.relative_to(root).as_posix()


def _unfinished(root: Path) -> set[str]:
    """Return the files that Snakemake has begun and not ended, by the names of its markers."""
    folder, found = root / ".snakemake" / "incomplete", set()
    for path in folder.rglob("*"):
        if path.is_file():  # long names are cut into folders that begin with @
            parts = [part.removeprefix("@") for part in path.relative_to(folder).parts]
            with contextlib.suppress(ValueError):
                found.add(urlsafe_b64decode("".join(parts)).decode())
    return found


def _line(entry: Entry) -> str:
    return json.dumps(asdict(entry), sort_keys=True) + "\n"


def _append(root: Path, entries: list[Entry]) -> None:
    """Write all lines at once; jobs that end at the same moment wait for each other."""
    if not entries:
        return
    path = root / _LEDGER
    path.parent.mkdir(exist_ok=True)
    with path.open("ab", buffering=0) as stream:
        with contextlib.suppress(OSError):  # a shared file system may know no locks
            fcntl.flock(stream, fcntl.LOCK_EX)
        # first end a line that was cut off
        stream.write(("\n" + "".join(_line(entry) for entry in entries)).encode())
