"""Read members of zip, tar and Debian archives without extracting them to disk."""

import io
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, cast

from recoco.core.errors import RecocoError

# Maximum uncompressed size: larger than any corpus of the papers, smaller than a zip bomb.
MOST_BYTES = 8 << 30


def read_member(archive: Path, member: str) -> bytes:
    """Return the bytes of one regular file inside an archive."""
    for name, content in _members(archive, lambda name: name == member):
        if name == member:
            return content
    raise RecocoError(f"{archive.name} has no member {member}: correct the card.")


def iter_members(archive: Path, folder: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of the regular files below ``folder``, sorted by path.

    Nothing is written under the name of a member. Nevertheless, paths that leave the archive are
    rejected, and so are links and devices below ``folder``.
    """
    prefix = f"{folder.rstrip('/')}/" if folder else ""
    yield from sorted(_members(archive, lambda name: name.startswith(prefix)))


def _members(archive: Path, wanted) -> Iterator[tuple[str, bytes]]:
    try:
        if archive.name.endswith(".deb"):
            yield from _tar(archive, io.BytesIO(_deb_data(archive)), wanted)
        elif zipfile.is_zipfile(archive):
            yield from _zip(archive, wanted)
        else:
            with archive.open("rb") as stream:
                yield from _tar(archive, stream, wanted)
    except (RecocoError, FileNotFoundError):
        raise
    except Exception as error:  # half a dozen libraries raise their own exceptions
        text = " ".join(str(error).split()) or type(error).__name__
        raise RecocoError(
            f"{archive.name} cannot be read as an archive ({text}): fetch it again."
        ) from None


def _zip(archive: Path, wanted) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as opened:
        total = 0
        for info in opened.infolist():
            name = _safe(archive, info.filename)
            if info.is_dir() or not wanted(name):
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                raise _no_file(archive, name)
            total = _bounded(archive, total + info.file_size)
            yield info.filename, opened.read(info)


def _tar(archive: Path, stream, wanted) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=stream) as opened:
        total = 0
        for info in opened:
            name = _safe(archive, info.name)
            total = _bounded(archive, total + info.size)
            if info.isdir() or not wanted(name):
                continue
            if not info.isfile():
                raise _no_file(archive, name)
            yield name, cast(IO[bytes], opened.extractfile(info)).read()


def _bounded(archive: Path, total: int) -> int:
    if not 0 <= total <= MOST_BYTES:
        raise RecocoError(
            f"{archive.name} unpacks to more than {MOST_BYTES >> 30} GiB: do not trust it, "
            "get it from another source."
        )
    return total


def _no_file(archive: Path, name: str) -> RecocoError:
    return RecocoError(
        f"{archive.name}: {name} is a link or a device instead of a file: do not trust it, "
        "get it from another source."
    )


def _safe(archive: Path, name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name:
        raise RecocoError(
            f"{archive.name} has a member outside of the archive ({name}): do not trust it, "
            "get it from another source."
        )
    return str(path)


def _deb_data(archive: Path) -> bytes:
    """Return the data tarball of a Debian package, itself a Unix ``ar`` archive."""
    with archive.open("rb") as stream:
        if stream.read(8) != b"!<arch>\n":
            raise RecocoError(f"{archive.name} is not a Debian package: fetch it again.")
        while header := stream.read(60):
            name, size = header[:16].decode("ascii").strip(" /"), int(header[48:58])
            if size < 0:
                raise ValueError(f"the part {name} has a size of {size}")
            content = stream.read(size + size % 2)[:size]
            if name.startswith("data.tar"):
                return content
    raise RecocoError(f"{archive.name} has no data.tar: fetch it again.")
