"""Reading single members of zip, tar and Debian archives without unpacking them to disk."""

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from recoco.errors import RecocoError


def read_member(archive: Path, member: str) -> bytes:
    """Return the bytes of one regular file inside an archive."""
    for name, content in _members(archive, lambda name: name == member):
        if name == member:
            return content
    raise RecocoError(f"{archive.name} has no member {member}: correct the card.")


def iter_members(archive: Path, folder: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of the regular files below ``folder``, sorted by path.

    Links and devices are passed over; a path that leaves the archive is refused, although
    nothing is ever written under such a name.
    """
    prefix = f"{folder.rstrip('/')}/" if folder else ""
    yield from sorted(_members(archive, lambda name: name.startswith(prefix)))


def _members(archive: Path, wanted) -> Iterator[tuple[str, bytes]]:
    if archive.name.endswith(".deb"):
        yield from _tar(archive, io.BytesIO(_deb_data(archive)), wanted)
    elif zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            for info in opened.infolist():
                if not info.is_dir() and wanted(_safe(archive, info.filename)):
                    yield info.filename, opened.read(info)
    else:
        with archive.open("rb") as stream:
            yield from _tar(archive, stream, wanted)


def _tar(archive: Path, stream, wanted) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=stream) as opened:
        for info in opened:
            name = _safe(archive, info.name)
            if info.isfile() and wanted(name):
                yield name, opened.extractfile(info).read()


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
            content = stream.read(size + size % 2)[:size]
            if name.startswith("data.tar"):
                return content
    raise RecocoError(f"{archive.name} has no data.tar: fetch it again.")
