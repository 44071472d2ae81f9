"""Write a mirror of all that was fetched, and check one.

One person with access to the web can so equip others, who point RECOCO_MIRROR at the folder.
"""

import csv
import io
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from recoco.core import paths
from recoco.core.bounded import open_regular, read_regular
from recoco.core.errors import RecocoError
from recoco.core.files import atomic, read_json, write_text
from recoco.datasets.card import list_cards, load_card
from recoco.datasets.mirrors import DOWNLOADS, at_hand, download_name, downloads_of, find_download
from recoco.datasets.raw_files import HASHES, name_of
from recoco.datasets.receipts import PIECE, RECEIPT, Hashes, check_raw, digest

SOURCES = "SOURCES.csv"
_COLUMNS = ("dataset", "file", "bytes", "sha256", "upstream")
_LONGEST = 64 << 20  # bytes of a list of files

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Entry:
    """A file of a mirror: a line of its list, and where its content is now."""

    dataset: str
    file: str
    bytes: int
    sha256: str
    upstream: str
    content: Path = Path()


@dataclass
class Mirrored:
    """What was written, or why something was not."""

    datasets: list[str] = field(default_factory=list)
    files: int = 0
    bytes: int = 0
    copied: int = 0
    problems: list[str] = field(default_factory=list)


# ---- writing -------------------------------------------------------------------------------


def write_mirror(folder: str | os.PathLike, tell: Tell = lambda *_: None) -> Mirrored:
    """Copy the files of all fetched datasets into a folder, with a list of them and their hashes.

    The files of an existing mirror stay, and those that are already there are not copied again.

    Parameters
    ----------
    folder : path-like
        The mirror.
    tell : callable
        Is told what is being done, and how many of how many files are done.

    Returns
    -------
    mirrored : Mirrored
    """
    folder = Path(folder)
    done = Mirrored()
    entries: dict[str, Entry] = {}
    fetched = [name for name in list_cards() if _status(name) == "ok"]
    for number, name in enumerate(fetched):
        tell(f"reading {name}", number, len(fetched))
        try:
            found = list(_entries(name))
        except RecocoError as error:
            done.problems.append(str(error))
            continue
        if found:
            done.datasets.append(name)
        for entry in found:
            # several datasets may share a file: the list names the one that its folder is called by
            own = PurePosixPath(entry.file).parts[0] == name
            if own or entry.file not in entries:
                entries[entry.file] = entry
    if not entries:
        raise RecocoError(
            "There is nothing to mirror, because no dataset was fetched from the web, a registry "
            "or a mirror: run `make fetch` first."
        )
    _check_space(folder, entries)
    for number, entry in enumerate(entries.values()):
        tell(f"copying {entry.file}", number, len(entries))
        done.copied += _copy(entry, folder)
    listed = {entry.file: entry for entry in _existing(folder)} | entries
    rows = sorted(listed.values(), key=lambda entry: (entry.dataset, entry.file))
    _write_list(folder, rows)
    done.files, done.bytes = len(rows), sum(entry.bytes for entry in rows)
    return done


def _status(name: str) -> str:
    try:
        return read_json(paths.raw(name) / RECEIPT)["status"]
    except (OSError, ValueError, KeyError, TypeError):
        return "absent"


def _entries(name: str) -> Iterator[Entry]:
    """Yield the files by which others can fetch a dataset that was fetched here."""
    raw, card = paths.raw(name), load_card(name)
    receipt = check_raw(name, raw)
    index, sources = receipt["source_index"], card["sources"]
    if index >= len(sources) or sources[index]["kind"] != receipt["source"]["kind"]:
        raise RecocoError(f"Dataset {name}: its card was changed since: fetch it again.")
    source = sources[index]
    if source["kind"] == "package":
        for file, expected in downloads_of(source):
            archive = paths.downloads()
            found = find_download(file, expected, [archive], paths.mirrors())
            if found is None:
                raise RecocoError(f"Dataset {name}: {file} is no longer in {archive}: fetch it.")
            upstream = f"{expected['registry']}: {expected['package']} {expected['version']}"
            yield _entry(name, f"{DOWNLOADS}/{download_name(file, expected)}", found, upstream)
    elif source["kind"] in ("mirror", "url"):
        places = _places(source, sources)
        for file in source["files"]:
            yield _entry(name, places[name_of(file)], raw / name_of(file), _upstream(file, sources))


def _entry(name: str, file: str, content: Path, upstream: str) -> Entry:
    sha256, size = digest(content)
    return Entry(name, file, size, sha256, upstream, content)


def _places(source: dict, sources: list[dict]) -> dict[str, str]:
    """Return the path of each file of a source in a mirror.

    It is the one that a source of kind mirror expects, if all files of that one are here; a folder
    of downloads has all others.
    """
    if source["kind"] == "mirror":
        return {name_of(file): file["at"] for file in source["files"]}
    key = {_key(file): name_of(file) for file in source["files"]}
    for other in sources:
        if other["kind"] == "mirror" and {_key(file) for file in other["files"]} == set(key):
            return {key[_key(file)]: file["at"] for file in other["files"]}
    return {name: f"{DOWNLOADS}/{download_name(name, file)}" for name, file in downloads_of(source)}


def _key(file: dict) -> str:
    return next((file[kind] for kind in HASHES if kind in file), "")


def _upstream(file: dict, sources: list[dict]) -> str:
    """Return the public address of a file, which may be that of another source."""
    public = [source for source in sources if source["kind"] == "url"]
    known = {_key(other): other["at"] for source in public for other in source["files"]}
    if _key(file) in known:
        return known[_key(file)]
    for mirror in paths.mirrors():
        try:
            listed = {entry.file: entry.upstream for entry in _existing(mirror)}
        except RecocoError:
            continue
        if file["at"] in listed:
            return listed[file["at"]]
    return ""


def _check_space(folder: Path, entries: dict[str, Entry]) -> None:
    missing = [entry for entry in entries.values() if not (folder / entry.file).exists()]
    needed = sum(entry.bytes for entry in missing)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise RecocoError(
            f"Cannot write in {folder}: {error.strerror}; choose another folder."
        ) from None
    if needed > free:
        raise RecocoError(
            f"{folder} has {free / 1e6:.0f} MB left and the mirror needs {needed / 1e6:.0f} MB: "
            "free some space or choose another folder."
        )


def _copy(entry: Entry, folder: Path) -> bool:
    """Copy a file unless it is there, and return whether it was copied."""
    to = folder / entry.file
    if to.is_file() and digest(to) == (entry.sha256, entry.bytes):
        return False
    if to.exists():
        raise RecocoError(f"{to} is another file than the one fetched here: move it away.")
    hashes = Hashes(entry.bytes)
    with entry.content.open("rb") as source, atomic(to) as stream:
        while piece := source.read(PIECE):
            hashes.update(piece)
            stream.write(piece)
        if hashes.sha256 != entry.sha256:
            raise RecocoError(f"{entry.content} changed while it was copied: start again.")
    return True


def _write_list(folder: Path, rows: list[Entry]) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([getattr(row, column) for column in _COLUMNS] for row in rows)
    write_text(folder / SOURCES, buffer.getvalue())


def _existing(folder: Path) -> list[Entry]:
    return read_list(folder) if (folder / SOURCES).exists() else []


# ---- checking ------------------------------------------------------------------------------


def read_list(folder: Path) -> list[Entry]:
    """Return the lines of the list of a mirror, in which a stranger may have written anything."""
    path = folder / SOURCES
    try:
        text = read_regular(path, _LONGEST).decode("utf-8")
        lines = list(csv.DictReader(io.StringIO(text)))
    except FileNotFoundError:
        raise RecocoError(
            f"There is no {SOURCES} in {folder}, so it is not a mirror: `recoco mirror` writes one."
        ) from None
    except OSError as error:
        raise RecocoError(f"{path} cannot be read: {error.strerror}; replace it.") from None
    except (UnicodeDecodeError, csv.Error):
        raise RecocoError(f"{path} is not a CSV file: write the mirror again.") from None
    entries, seen = [], set()
    for number, line in enumerate(lines, 2):
        values = [line.get(column) for column in _COLUMNS]
        if not all(isinstance(value, str) and value.isprintable() for value in values):
            raise RecocoError(f"{path}, line {number}: it needs {', '.join(_COLUMNS)}: correct it.")
        dataset, file, size, sha256, upstream = map(str, values)
        parts = PurePosixPath(file).parts
        if not parts or ".." in parts or file.startswith("/") or file in seen:
            raise RecocoError(
                f"{path}, line {number}: {file!r} is listed twice or not below the mirror: "
                "correct it."
            )
        if not size.isdecimal() or len(sha256) != 64:
            raise RecocoError(f"{path}, line {number}: no size or no sha256: correct it.")
        seen.add(file)
        entries.append(Entry(dataset, file, int(size), sha256, upstream))
    return entries


@dataclass
class Checked:
    """What a mirror has, and what is wrong with it."""

    files: int = 0
    bytes: int = 0
    unlisted: int = 0
    datasets: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def check_mirror(folder: str | os.PathLike, tell: Tell = lambda *_: None) -> Checked:
    """Compare the files of a mirror with its list and with the cards.

    Parameters
    ----------
    folder : path-like
        The mirror.
    tell : callable
        Is told what is being done, and how many of how many files are done.

    Returns
    -------
    checked : Checked
        Its ``problems`` are sentences; without any, the mirror is good.
    """
    folder = Path(folder)
    entries, checked = read_list(folder), Checked()
    expected = _expected_by_cards()
    for number, entry in enumerate(entries):
        tell(f"checking {entry.file}", number, len(entries))
        problem = _problem_of(folder, entry, expected.get(entry.file, {}))
        if problem:
            checked.problems.append(problem)
        else:
            checked.files += 1
            checked.bytes += entry.bytes
    listed = {entry.file for entry in entries} | {SOURCES}
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in listed:
            checked.unlisted += 1
    checked.datasets = [name for name in list_cards() if at_hand(name, [folder])]
    return checked


def _problem_of(folder: Path, entry: Entry, expected: dict) -> str:
    try:
        with open_regular(folder / entry.file) as handle:
            size = os.fstat(handle).st_size
            if size != entry.bytes:
                return f"{entry.file} has {size} bytes instead of {entry.bytes}: copy it again."
            hashes = Hashes(size)
            while piece := os.read(handle, PIECE):
                hashes.update(piece)
    except FileNotFoundError:
        return f"{entry.file} is missing: copy it again."
    except OSError as error:
        return f"{entry.file} cannot be read ({error.strerror}): copy it again."
    if hashes.sha256 != entry.sha256:
        return f"{entry.file} has the wrong hash, sha256 {hashes.sha256}: copy it again."
    if any(kind in expected and getattr(hashes, kind) != expected[kind] for kind in HASHES):
        return f"{entry.file} is not the file that its card expects, so `fetch` will refuse it."
    return ""


def _expected_by_cards() -> dict[str, dict]:
    """Return what the cards expect of each file in a mirror."""
    found: dict[str, dict] = {}
    for name in list_cards():
        for source in load_card(name)["sources"]:
            if source["kind"] == "mirror":
                found |= {file["at"]: file for file in source["files"]}
            for file, expected in downloads_of(source):
                found[f"{DOWNLOADS}/{download_name(file, expected)}"] = expected
    return found
