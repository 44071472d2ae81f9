"""Detect damaged files and repair time stamps.

Snakemake goes by time stamps. It misses three things:

- A flipped or missing byte changes no time stamp. Each job therefore records the checksums of what
  it wrote in a ledger, no job reads a file that differs from its record, and `recoco reproduce`
  checks all files before it begins. The ledger is a file of JSON lines; the last line about a path
  counts, and a line cut off by a kill is ignored.
- A file dated in the future, after a clock was set back, stays newer than anything made from it.
- Data prepared again by edited code often have the same bytes; then nothing needs to be rerun.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json, write_text
from recoco.datasets.receipts import digest

_LEDGER = Path(".snakemake", "recoco-ledger.jsonl")
_PREPARED = Path(".snakemake", "recoco-prepared.json")
# What the ledger covers, and where time stamps matter.
_RECORDED = ("resources/prepared", "results")
_DATED = ("config", "workflow", "resources", "results", "reports")
# Temporary files of `recoco.core.files.atomic`, and the seconds after which one is abandoned.
_TEMPORARY, _ABANDONED = re.compile(r"\..+\.[a-z0-9_]{8}"), 60.0
# Clocks of a file server and of this machine may differ by this many nanoseconds.
_CLOCK_SKEW = 2 * 10**9


@dataclass(frozen=True)
class Entry:
    """A file as it was written; ``damaged`` once it was found to differ."""

    path: str
    sha256: str
    bytes: int
    mtime_ns: int
    damaged: bool = False


# ---- the ledger ------------------------------------------------------------------------------


def record(root: Path, paths: Iterable[str | os.PathLike]) -> None:
    """Record files that were just written; files outside the covered folders are left out."""
    _append(root, [_entry(root, name) for name in _covered(root, paths)])


def check(root: Path, paths: Iterable[str | os.PathLike]) -> None:
    """Refuse to continue with a file that differs from its record."""
    entries = read(root)
    for name in _covered(root, paths):
        if name in entries and _differs(root, entries[name]):
            _append(root, [replace(entries[name], damaged=True)])
            raise RecocoError(
                f"{name} has changed since it was written (its checksum differs): "
                "rerun the same command to restore it."
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


def damaged(root: Path) -> list[list[Entry]]:
    """Check every file; return the damaged ones grouped by stage, in the order of the stages.

    Files without an entry get one. Files that Snakemake was writing when it was killed are left to
    Snakemake, which writes them again.
    """
    entries, unfinished, new = read(root), _unfinished(root), []
    for name in _files(root):
        if name in unfinished:
            continue
        if name not in entries:
            new.append(_entry(root, name))
        elif not entries[name].damaged and _differs(root, entries[name]):
            new.append(replace(entries[name], damaged=True))
    _append(root, new)
    entries |= {entry.path: entry for entry in new}
    stages: dict[tuple[str, ...], list[Entry]] = {}
    for entry in sorted(entries.values(), key=lambda entry: entry.mtime_ns):
        stages.setdefault(Path(entry.path).parts[:2], []).append(entry)
    groups = [[entry for entry in stage if entry.damaged] for stage in stages.values()]
    return [group for group in groups if group]


def settle(root: Path, entry: Entry) -> bool:
    """Record a damaged file that was made again; return whether it has its old bytes.

    If so, it gets its old time stamp back, and nothing made from it becomes out of date.
    """
    path = root / entry.path
    if not path.is_file():
        others = [other for name, other in read(root).items() if name != entry.path]
        write_text(root / _LEDGER, "".join(map(_line, others)))
        return False
    same = digest(path) == (entry.sha256, entry.bytes)
    if same:
        os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns))
    _append(root, [_entry(root, entry.path)])
    return same


def remove_temporary(root: Path) -> int:
    """Remove half-written files that a killed process left behind."""
    count = 0
    for folder in _RECORDED:
        for path in (root / folder).rglob(".*"):
            old = path.stat().st_mtime < time.time() - _ABANDONED
            if old and _TEMPORARY.fullmatch(path.name):
                path.unlink(missing_ok=True)
                count += 1
    return count


def _entry(root: Path, name: str) -> Entry:
    return Entry(name, *digest(root / name), (root / name).stat().st_mtime_ns)


def _differs(root: Path, entry: Entry) -> bool:
    path = root / entry.path
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_size != entry.bytes or digest(path)[0] != entry.sha256
    return False  # Snakemake notices a file that is missing


def _covered(root: Path, paths: Iterable[str | os.PathLike]) -> Iterator[str]:
    """Yield the files among ``paths`` that the ledger covers, relative to the root."""
    for path in paths:
        whole = root / path
        if whole.is_file() and whole.is_relative_to(root):
            name = whole.relative_to(root).as_posix()
            if name.startswith(tuple(f"{folder}/" for folder in _RECORDED)):
                yield name


def _files(root: Path) -> Iterator[str]:
    for folder in _RECORDED:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                yield path.relative_to(root).as_posix()


def _unfinished(root: Path) -> set[str]:
    """Return the files that Snakemake has begun and not finished, from its markers."""
    folder, names = root / ".snakemake" / "incomplete", set()
    for path in folder.rglob("*"):
        if path.is_file():  # long names are split into folders that begin with @
            parts = [part.removeprefix("@") for part in path.relative_to(folder).parts]
            with contextlib.suppress(ValueError):
                names.add(urlsafe_b64decode("".join(parts)).decode())
    return names


def _line(entry: Entry) -> str:
    return json.dumps(asdict(entry), sort_keys=True) + "\n"


def _append(root: Path, entries: list[Entry]) -> None:
    """Write all lines at once; jobs that finish at the same moment wait for each other."""
    if not entries:
        return
    path = root / _LEDGER
    path.parent.mkdir(exist_ok=True)
    with path.open("ab", buffering=0) as stream:
        with contextlib.suppress(OSError):  # a shared file system may not support locks
            fcntl.flock(stream, fcntl.LOCK_EX)
        # The leading newline ends a line that was cut off.
        stream.write(("\n" + "".join(map(_line, entries))).encode())


# ---- time stamps -----------------------------------------------------------------------------


def repair_mtimes(root: Path) -> list[Path]:
    """Give files dated in the future a past date; return them.

    An unchanged file gets its recorded time stamp. The others keep their order and stay newer than
    all other files.
    """
    now = time.time_ns()
    stamps = {
        path: path.stat().st_mtime_ns
        for folder in _DATED
        for path in (root / folder).rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    ahead = {path: stamp for path, stamp in stamps.items() if stamp > now + _CLOCK_SKEW}
    if not ahead:
        return []
    past = max((stamp for stamp in stamps.values() if stamp <= now), default=now - 10**9)
    steps = {stamp: i for i, stamp in enumerate(sorted(set(ahead.values())), 1)}
    entries, intact = read(root), []
    for path, stamp in ahead.items():
        entry = entries.get(path.relative_to(root).as_posix())
        repaired = past + (now - past) * steps[stamp] // len(steps)
        if entry and not _differs(root, entry):
            intact.append(path)
            repaired = entry.mtime_ns if entry.mtime_ns <= now else repaired
        os.utime(path, ns=(repaired, repaired))
    record(root, intact)
    return list(ahead)


def prepared_up_to_date(root: Path, datasets: Iterable[str]) -> bool:
    """Return whether all datasets were prepared by the present code from the present cards."""
    try:
        known = read_json(root / _PREPARED)
    except (OSError, ValueError):
        known = {}
    return all(
        (root / "resources" / "prepared" / f"{name}.json").is_file()
        and known.get(name) == _origin(name)
        for name in datasets
    )


@contextlib.contextmanager
def preparing(root: Path, datasets: Iterable[str]) -> Iterator[None]:
    """Let files that are prepared again with the same bytes keep their time stamps."""
    names, before = list(datasets), {}
    for path in sorted((root / "resources" / "prepared").glob("*")):
        if path.stem in names:
            before[path] = path.stat().st_mtime_ns, digest(path)
    yield
    for path, (stamp, content) in before.items():
        if path.is_file() and path.stat().st_mtime_ns != stamp and digest(path) == content:
            os.utime(path, ns=(stamp, stamp))


def remember_prepared(root: Path, datasets: Iterable[str]) -> None:
    """Store what the data were prepared from, for `prepared_up_to_date`."""
    write_json(root / _PREPARED, {name: _origin(name) for name in datasets})


def _origin(dataset: str) -> str:
    """Return a hash of what decides the bytes of a prepared dataset: its code and its card."""
    from recoco.core.fingerprint import fingerprint
    from recoco.datasets.card import entries_of, load_card

    card = json.dumps(load_card(dataset), sort_keys=True, default=str)
    return hashlib.sha256(f"{fingerprint(*entries_of(dataset))} {card}".encode()).hexdigest()[:16]
