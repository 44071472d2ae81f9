"""Detect damaged files and repair time stamps.

Snakemake goes by time stamps. It misses three things:

- A flipped or missing byte changes no time stamp. Each job therefore records the checksums of what
  it wrote in a ledger (`recoco.engine.ledger`), no job reads a file that differs from its record,
  and `recoco reproduce` checks all files before it begins.
- A file dated in the future, after a clock was set back, stays newer than anything made from it.
- Data prepared again by edited code often have the same bytes; then nothing needs to be rerun.
"""

import contextlib
import hashlib
import json
import os
import re
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json
from recoco.datasets.receipts import digest
from recoco.engine import ledger
from recoco.engine.ledger import Entry, read

_PREPARED = Path(".snakemake", "recoco-prepared.json")
# Where time stamps matter.
_DATED = ("config", "workflow", "resources", "results", "reports")
# What the rule `report` writes apart from the pages: no other rule reads any of it.
_WITH_REPORT = ("results/provenance.json", "results/timings.csv")
REPORT = "reports/index.html"
# Temporary files of `recoco.core.files.atomic`, and the seconds after which one is abandoned.
_TEMPORARY, _ABANDONED = re.compile(r"\..+\.[a-z0-9_]{8}"), 60.0
# A ledger is written anew when it has so many times more lines than files.
_LONGER = 3
# Clocks of a file server and of this machine may differ by this many nanoseconds.
_CLOCK_SKEW = 2 * 10**9


# ---- damaged files ---------------------------------------------------------------------------


def record(root: Path, paths: Iterable[str | os.PathLike]) -> None:
    """Record files that were just written, those in folders too.

    Files outside the covered folders are left out, and what a folder no longer contains is
    forgotten.
    """
    paths = [root / path for path in paths]
    names = list(ledger.covered(root, paths))
    inside = [path for path in paths if path.is_dir() and path.is_relative_to(root)]
    folders = tuple(f"{path.relative_to(root).as_posix()}/" for path in inside)
    old = {name for name in read(root) if name.startswith(folders)} if folders else set()
    entries = [ledger.entry_of(root, name) for name in names]
    ledger.append(root, [*entries, *map(ledger.gone, sorted(old.difference(names)))])


def check(root: Path, paths: Iterable[str | os.PathLike]) -> None:
    """Refuse to continue with a file that differs from its record."""
    entries = read(root)
    for name in ledger.covered(root, paths):
        if name in entries and ledger.differs(root, entries[name]):
            ledger.append(root, [replace(entries[name], damaged=True)])
            raise RecocoError(
                f"{name} has changed since it was written (its checksum differs): "
                "rerun the same command to restore it."
            )


def unlisted(root: Path) -> list[str]:
    """Return the files without an entry, which nothing vouches for."""
    entries, unfinished = read(root), _unfinished(root)
    return [
        name for name in ledger.files(root) if name not in entries and not _in(name, unfinished)
    ]


def about_unlisted(root: Path, count: int) -> str:
    """Say that nothing vouches for some files."""
    files = f"{count} result{'s' * (count != 1)}"
    has = "has" if count == 1 else "have"
    if not ledger.is_there(root):
        about = f"the ledger is missing ({ledger.LEDGER}): {files} {has} no checksum"
    else:
        about = f"{files} {has} no checksum in the ledger"
    return f"{about}, and nothing vouches for {'it' if count == 1 else 'them'}"


def damaged(root: Path) -> list[list[Entry]]:
    """Check every file; return the damaged ones grouped by stage, in the order of the stages.

    Files without an entry get one that says so. Files that Snakemake was writing when it was
    killed are left to Snakemake, which writes them again.
    """
    entries, unfinished, new, seen = read(root), _unfinished(root), [], set()
    for name in ledger.files(root):
        seen.add(name)
        if _in(name, unfinished):
            continue
        if name not in entries:
            new.append(ledger.entry_of(root, name, adopted=True))
        elif not entries[name].damaged and ledger.differs(root, entries[name]):
            new.append(replace(entries[name], damaged=True))
    new += [
        replace(entry, damaged=True)
        for name, entry in entries.items()
        if name not in seen and _lost(root, name) and not _in(name, unfinished)
    ]
    ledger.append(root, new)
    entries |= {entry.path: entry for entry in new}
    stages: dict[tuple[str, ...], list[Entry]] = {}
    for entry in sorted(entries.values(), key=lambda entry: entry.mtime_ns):
        stages.setdefault(_stage(entry.path), []).append(entry)
    groups = [
        [entry for entry in stage if entry.damaged and _can_be_made_again(root, entry.path)]
        for stage in stages.values()
    ]
    return [group for group in groups if group]


def _lost(root: Path, name: str) -> bool:
    """Say whether a file is missing that Snakemake does not miss: one of a folder."""
    path = root / name
    return ledger.in_whole_folder(name) and path.parent.is_dir() and not os.path.lexists(path)


def _can_be_made_again(root: Path, name: str) -> bool:
    """Say whether nothing else, such as a link or a folder, is in the place of a file."""
    return not os.path.lexists(root / name) or ledger.is_own_file(root, name)


def replaced(root: Path) -> list[str]:
    """Return the paths of files in whose place there is something else."""
    return [name for name in read(root) if not _can_be_made_again(root, name)]


def _stage(name: str) -> tuple[str, ...]:
    return ("reports",) if of_report(name) else Path(name).parts[:2]


def of_report(name: str) -> bool:
    """Say whether the rule `report`, which writes many files at once, writes this one."""
    return name.startswith("reports/") or name in _WITH_REPORT


def settle(root: Path, entry: Entry) -> bool:
    """Record a damaged file that was made again; return whether it has its old bytes.

    If so, it gets its old time stamp back, and nothing made from it becomes out of date.
    """
    path = root / entry.path
    if not ledger.is_own_file(root, entry.path):
        ledger.append(root, [ledger.gone(entry.path)])
        return False
    same = digest(path) == (entry.sha256, entry.bytes)
    if same:
        os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns))
    ledger.append(root, [ledger.entry_of(root, entry.path)])
    return same


def tidy(root: Path, missing: bool = False) -> list[str]:
    """Drop lines of the ledger that count for nothing; return why, a sentence for each.

    With ``missing`` drop the entries of files that are not there, too: what a finished
    reproduction has not made again is not needed.
    """
    ignored: list[str] = []
    entries = read(root, ignored)
    kept = [e for e in entries.values() if not missing or os.path.lexists(root / e.path)]
    # Every job reads all lines, and every report adds one for each of its files.
    longer = ledger.length(root) > _LONGER * len(kept)
    if ignored or len(kept) < len(entries) or longer:
        ledger.rewrite(root, kept)
    return ignored


def remove_temporary(root: Path) -> int:
    """Remove half-written files that a killed process left behind."""
    hidden = [path for folder in ledger.FOLDERS for path in (root / folder).rglob(".*")]
    count = 0
    for path in [*hidden, *(root / "reports").glob(".*")]:
        if not _TEMPORARY.fullmatch(path.name) or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_mtime < time.time() - _ABANDONED:
            path.unlink(missing_ok=True)
            count += 1
    return count


def _unfinished(root: Path) -> set[str]:
    """Return the files and folders that Snakemake has begun and not finished, by its markers."""
    folder, names = root / ".snakemake" / "incomplete", set()
    for path in folder.rglob("*"):
        if path.is_file():  # long names are split into folders that begin with @
            parts = [part.removeprefix("@") for part in path.relative_to(folder).parts]
            with contextlib.suppress(ValueError):
                names.add(urlsafe_b64decode("".join(parts)).decode())
    return names


def _in(name: str, names: set[str]) -> bool:
    """Say whether a path or a folder above it is among some names."""
    return name in names or any(str(above) in names for above in Path(name).parents)


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
        if entry and not ledger.differs(root, entry):
            repaired = entry.mtime_ns if entry.mtime_ns <= now else repaired
            intact.append(replace(entry, mtime_ns=repaired))
        os.utime(path, ns=(repaired, repaired))
    ledger.append(root, intact)
    return list(ahead)


def prepared_up_to_date(root: Path, datasets: Iterable[str], twins: str) -> bool:
    """Return whether all datasets were prepared by the present code from the present cards.

    ``twins`` are those that are wanted, as config.yaml says it.
    """
    known = _remembered(root)
    return all(
        (root / "resources" / "prepared" / f"{name}.json").is_file()
        and known.get(name) == _origin(root, name, twins)
        for name in datasets
    )


@contextlib.contextmanager
def preparing(root: Path, datasets: Iterable[str]) -> Iterator[None]:
    """Let files that are fetched or prepared again with the same bytes keep their time stamps."""
    names, before = list(datasets), {}
    receipts = [root / "resources" / "raw" / name / "receipt.json" for name in names]
    prepared = sorted((root / "resources" / "prepared").glob("*"))
    for path in [*filter(Path.is_file, receipts), *(p for p in prepared if p.stem in names)]:
        before[path] = path.stat().st_mtime_ns, digest(path)
    yield
    for path, (stamp, content) in before.items():
        if path.is_file() and path.stat().st_mtime_ns != stamp and digest(path) == content:
            os.utime(path, ns=(stamp, stamp))


def remember_prepared(root: Path, datasets: Iterable[str], twins: str) -> None:
    """Store what the data were prepared from, for `prepared_up_to_date`."""
    origins = {name: _origin(root, name, twins) for name in datasets}
    write_json(root / _PREPARED, {**_remembered(root), **origins})


def _remembered(root: Path) -> dict[str, str]:
    try:
        known = read_json(root / _PREPARED)
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _origin(root: Path, dataset: str, twins: str) -> str:
    """Return a hash of what decides the bytes of a prepared dataset: its code and its card.

    So does the choice of twins, if its data could not be fetched.
    """
    from recoco.core.fingerprint import fingerprint
    from recoco.datasets.card import entries_of, load_card
    from recoco.datasets.receipts import RECEIPT
    from recoco.datasets.twins import wanted_twin

    card = json.dumps(load_card(dataset), sort_keys=True, default=str)
    receipt = root / "resources" / "raw" / dataset / RECEIPT
    twin = wanted_twin(dataset, twins, receipt) if receipt.is_file() else None
    code = fingerprint(*entries_of(dataset))
    text = f"{code} {card} {twin['code']}" if twin else f"{code} {card}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
