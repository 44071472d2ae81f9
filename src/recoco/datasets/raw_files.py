"""The raw folder of a dataset: which names its files may have, and which files enter it."""

import errno
import os
import unicodedata
from pathlib import Path

from recoco.core.bounded import MOST_BYTES, open_regular, read_regular
from recoco.core.files import atomic
from recoco.datasets.receipts import PIECE, RECEIPT, Hashes, digest

# Bytes of a file of which only git's hash is known. Public servers accept no larger files in a
# repository.
_MOST_IN_GIT = 128 << 20
_LONGEST_NAME = 200  # bytes; with a hash and an ending it must fit into the 255 of a file system
# Control and formatting characters, surrogates and line separators: a name that has them does not
# look like what it is.
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


# The hashes by which a card may name the content of a file; the first one given is its key.
HASHES = ("sha256", "git_blob")


class Unavailable(Exception):
    """A source does not have the data, or has other data than the card says."""


def name_of(file: dict) -> str:
    """Return the name of a file in the raw folder: the card's, or the last part of its path."""
    return file.get("name") or file["at"].rsplit("/", 1)[-1]


def problem_of_name(name: str) -> str:
    """Return why a file may not have this name in the raw folder, or ""."""
    if not name or name.startswith(".") or "/" in name or "\\" in name:
        return "is not the name of a visible file"
    if any(unicodedata.category(character) in _INVISIBLE for character in name):
        return "has invisible characters"
    if len(name.encode()) > _LONGEST_NAME:
        return f"is longer than {_LONGEST_NAME} bytes"
    if folded(name) == RECEIPT:
        return "is the name of the receipt"
    return ""


def folded(name: str) -> str:
    """Return what two names share if some file system takes them for the same."""
    return unicodedata.normalize("NFC", name).casefold()


def most_bytes(expected: dict) -> int:
    """Return how many bytes of a file are read: those of the card, which may omit them."""
    return expected.get("bytes", _MOST_IN_GIT if "git_blob" in expected else MOST_BYTES)


def too_large(file: str, expected: dict) -> Unavailable:
    """Return the error for a file of which more than the expected bytes have been seen."""
    limit = "that the card expects" if "bytes" in expected else "that a file may have"
    return Unavailable(
        f"{file} has more than the {most_bytes(expected)} bytes {limit}; the file was not kept"
    )


def read_expected(path: Path, expected: dict, follow: bool = True) -> bytes:
    """Return the bytes of a file of a card, or raise: it may be large, a pipe or a device."""
    try:
        return read_regular(path, most_bytes(expected), follow)
    except OSError as error:
        raise _unreadable(error, expected) from None


def _unreadable(error: OSError, expected: dict) -> Unavailable:
    if isinstance(error, FileNotFoundError):
        return Unavailable(f"there is no {expected['at']} on this machine")
    if error.errno == errno.EFBIG:
        return too_large(expected["at"], expected)
    return Unavailable(f"{expected['at']} cannot be read: {error.strerror}")


def check(file: str, found: Hashes, expected: dict) -> None:
    """Raise if hash or size differ from those of the card, which may omit them."""
    if found.size > most_bytes(expected):
        raise too_large(file, expected)
    if "bytes" in expected and found.size != expected["bytes"]:
        raise Unavailable(
            f"{file} has {found.size} bytes where the card expects {expected['bytes']} "
            f"(truncated?): found sha256 {found.sha256}, expected "
            f"{expected.get('sha256', 'any')}; the file was not kept"
        )
    for kind in HASHES:
        if kind in expected and getattr(found, kind) != expected[kind]:
            raise Unavailable(
                f"{file} has the wrong hash: found {kind} {getattr(found, kind)}, "
                f"expected {expected[kind]}; the file was not kept"
            )


def admit(content: bytes, raw_dir: Path, name: str, expected: dict) -> dict:
    """Write a file into the raw folder if it is the one the card expects; return its record."""
    _check_name(raw_dir, name)
    found = Hashes(len(content))
    found.update(content)
    check(name, found, expected)
    with atomic(raw_dir / name) as stream:
        stream.write(content)
    return {"file": name, "sha256": found.sha256, "bytes": found.size}


def admit_file(path: Path, raw_dir: Path, name: str, expected: dict) -> dict:
    """Copy a file into the raw folder, piece by piece, if it is the one the card expects.

    Returns its record. Nothing stays in the folder if the file is another one.
    """
    _check_name(raw_dir, name)
    try:
        with open_regular(path) as handle, atomic(raw_dir / name) as stream:
            found = Hashes(os.fstat(handle).st_size)
            while piece := os.read(handle, PIECE):
                found.update(piece)
                if found.size > most_bytes(expected):
                    raise too_large(name, expected)
                stream.write(piece)
            check(name, found, expected)
    except OSError as error:
        raise _unreadable(error, {"at": name} | expected) from None
    return {"file": name, "sha256": found.sha256, "bytes": found.size}


def _check_name(raw_dir: Path, name: str) -> None:
    if problem := problem_of_name(name):
        raise Unavailable(f"{name!r} {problem}: give the file another `name` in the card")
    if (raw_dir / name).exists():
        raise Unavailable(f"two files are called {name}: give one another `name` in the card")


def record(path: Path) -> dict:
    """Return the record of a file that recoco has written."""
    sha256, size = digest(path)
    return {"file": path.name, "sha256": sha256, "bytes": size}


def empty_folder(folder: Path) -> None:
    """Remove the receipt first, then the files: a folder with a receipt is always complete."""
    (folder / RECEIPT).unlink(missing_ok=True)
    if folder.is_dir():
        for path in folder.iterdir():
            if path.is_file() and path.name != RECEIPT:
                path.unlink()
