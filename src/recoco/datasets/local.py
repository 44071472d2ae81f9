"""Data on this machine: which files and folders a card may read, and how they are read.

A card may come from a stranger, and what it reads may end up in an archive. It therefore reads only
below the project folder, below the folders that $RECOCO_DATA lists (separated like $PATH), and what
the user gave to `recoco card`, which ``.recoco-data`` in the project folder remembers. Links are
followed only if they stay there. Hidden files and folders, such as .git and .ssh, are never read
unless the user named them.
"""

import io
import os
import zipfile
from collections.abc import Collection
from pathlib import Path

from recoco.core import paths
from recoco.core.bounded import MOST_BYTES, read_regular
from recoco.core.errors import RecocoError
from recoco.core.files import write_text
from recoco.datasets.raw_files import Unavailable, admit, most_bytes, read_expected, too_large

OWN_DATA = ".recoco-data"
_HEAD = "# Paths outside of the project that cards may read. `recoco card PATH` adds its path.\n"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time keeps the bytes reproducible


def local_path(at: str) -> Path:
    """Return a path in a card, which may be absolute, in the home folder (~), or in the project."""
    try:
        return paths.root() / Path(at).expanduser()
    except RuntimeError:  # ~somebody
        raise Unavailable(f"there is no home folder for {at!r} on this machine") from None


def is_at_hand(source: dict) -> bool:
    """Return whether a source on this machine has all its files and may be read."""
    try:
        allowed = _allowed()
        found = [_checked(local_path(f["at"]), f["at"], allowed) for f in source["files"]]
        return all(path.exists() for path in found)
    except Unavailable:
        return False


def copy_local(source: dict, raw_dir: Path, own: Collection[Path] = ()) -> list[dict]:
    """Copy the files of a source into the raw folder and return their records.

    Parameters
    ----------
    source : dict
        A source of a card. A folder becomes a zip archive.
    raw_dir : Path
    own : collection of Path
        What the user has named just now, which may be read in addition.
    """
    allowed = [*_allowed(), *map(_real, own)]
    records = []
    for file in source["files"]:
        named = local_path(file["at"])
        path = _checked(named, file["at"], allowed)
        if path.is_dir():
            content, name = _packed(path, file, allowed), f"{named.name}.zip"
        else:
            content, name = read_expected(path, file, follow=False), named.name
        records.append(admit(content, raw_dir, file.get("name") or name, file))
    return records


def remember(named: Collection[Path]) -> None:
    """Let the cards of this project read what the user has named."""
    allowed, known = _allowed(), _remembered()
    new = [path for path in map(_real, named) if not _is_within(path, allowed)]
    if new:
        lines = dict.fromkeys(map(str, [*known, *new]))
        write_text(paths.root() / OWN_DATA, _HEAD + "".join(f"{line}\n" for line in lines))


def _checked(path: Path, at: str, allowed: list[Path]) -> Path:
    """Return the real path of a file, which messages call ``at``, or refuse it."""
    path = _real(path)
    if not _is_within(path, allowed):
        raise Unavailable(
            f"{at} is hidden or not in the project folder, so the card may not read it: if you "
            "trust the card, list the folder in RECOCO_DATA, or run `recoco card` on the data"
        )
    return path


def _is_within(path: Path, allowed: list[Path]) -> bool:
    """Return whether a path is one of some files and folders, or visible below one."""
    return any(
        path.is_relative_to(folder)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        for folder in allowed
    )


def _allowed() -> list[Path]:
    """Return the files and folders that every card of this project may read."""
    listed = os.environ.get("RECOCO_DATA", "").split(os.pathsep)
    try:
        named = [local_path(folder) for folder in listed if folder]
    except Unavailable as error:
        raise RecocoError(f"RECOCO_DATA cannot be used: {error}; correct it.") from None
    return [_real(folder) for folder in (paths.root(), *named, *_remembered())]


def _remembered() -> list[Path]:
    try:
        text = read_regular(paths.root() / OWN_DATA, 1 << 20, follow=False).decode("utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError):
        raise RecocoError(
            f"{OWN_DATA} in the project folder is not a list of paths: delete it."
        ) from None
    return [Path(line) for line in text.split("\n") if os.path.isabs(line)]


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):  # a zero byte
        raise Unavailable(f"{str(path)!r} is not a path of this machine") from None


def _packed(folder: Path, file: dict, allowed: list[Path]) -> bytes:
    """Return the files of a folder as a zip archive whose bytes depend only on their content."""
    buffer = io.BytesIO()
    left = MOST_BYTES
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files_below(folder):
            name = path.relative_to(folder).as_posix()
            at = f"{file['at']}/{name}"
            real = _checked(path, at, allowed)
            content = read_expected(real, {"at": at, "bytes": left}, follow=False)
            left -= len(content)
            member = zipfile.ZipInfo(name, _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            try:
                archive.writestr(member, content, compresslevel=1)
            except UnicodeEncodeError:
                raise Unavailable(f"{name!r} in {file['at']} is not text: rename it") from None
            if buffer.tell() > most_bytes(file):
                raise too_large(file["at"], file)
    return buffer.getvalue()


def files_below(folder: Path) -> list[Path]:
    """Return the regular files below a folder, sorted by path, without hidden ones."""
    files = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [Path(where, name) for name in names if not name.startswith(".")]
    return sorted(path for path in files if path.is_file())
