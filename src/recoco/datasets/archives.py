"""Read members of zip, tar and Debian archives without extracting them to disk."""

import io
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, cast

from recoco.core.bounded import MOST_BYTES
from recoco.core.errors import RecocoError

_LONGEST_HEADER = 32 << 10  # bytes of a long name or of further attributes in a tar archive
# Of a deflated member no more is unpacked than asked for, of others all that a piece contains.
_PIECE, _SMALL_PIECE = 1 << 20, 1 << 12


def read_member(archive: Path, member: str, most: int = MOST_BYTES) -> bytes:
    """Return the bytes of one regular file inside an archive, which may have ``most``."""
    for name, content in _members(archive, lambda name: name == member, most):
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


def _members(archive: Path, wanted, most: int = MOST_BYTES) -> Iterator[tuple[str, bytes]]:
    try:
        if archive.name.endswith(".deb"):
            yield from _tar(archive, io.BytesIO(_deb_data(archive)), wanted, most)
        elif zipfile.is_zipfile(archive):
            yield from _zip(archive, wanted, most)
        else:
            with archive.open("rb") as stream:
                yield from _tar(archive, stream, wanted, most)
    except (RecocoError, FileNotFoundError):
        raise
    except Exception as error:  # half a dozen libraries raise their own exceptions
        text = " ".join(str(error).split()) or type(error).__name__
        raise RecocoError(
            f"{archive.name} cannot be read as an archive ({text}): fetch it again."
        ) from None


def _zip(archive: Path, wanted, most: int) -> Iterator[tuple[str, bytes]]:
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
            deflated = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
            with opened.open(info) as stream:
                piece = _PIECE if deflated else _SMALL_PIECE
                yield info.filename, _content(archive, stream, info.file_size, most, piece)


class _Member(tarfile.TarInfo):
    """A member of a tar archive without a description that fills the memory."""

    def _proc_member(self, opened):
        if self.type in _HEADERS and self.size > _LONGEST_HEADER:
            raise ValueError(f"a header has {self.size} bytes")
        return super()._proc_member(opened)  # type: ignore[misc]

    def _proc_sparse(self, *_):
        raise ValueError("sparse files are not read")

    _proc_gnusparse_10 = _proc_sparse


_HEADERS = (
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
)


def _tar(archive: Path, stream, wanted, most: int) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=stream, tarinfo=_Member) as opened:
        total = 0
        for info in opened:
            name = _safe(archive, info.name)
            total = _bounded(archive, total + info.size)
            if info.isdir() or not wanted(name):
                continue
            if not info.isfile():
                raise _no_file(archive, name)
            member = cast(IO[bytes], opened.extractfile(info))
            yield name, _content(archive, member, info.size, most, _PIECE)


def _content(archive: Path, stream: IO[bytes], size: int, most: int, piece: int) -> bytes:
    """Read a member in pieces: what it says about its size need not be true."""
    if size > most:
        raise RecocoError(
            f"{archive.name} has a member of {size} bytes instead of at most {most}: correct the "
            "card, or get the archive from another source."
        )
    content = bytearray()
    while part := stream.read(piece):
        content += part
        if len(content) > size:
            raise ValueError(f"a member has more than its {size} bytes")
    return bytes(content)


def _bounded(archive: Path, total: int) -> int:
    if not 0 <= total <= MOST_BYTES:
        raise RecocoError(
            f"{archive.name} unpacks to more than {MOST_BYTES >> 30} GiB: do not trust it, "
            "get it from another source."
        )
    return total


def _no_file(archive: Path, name: str) -> RecocoError:
    return RecocoError(
        f"{archive.name}: {name!r} is a link or a device instead of a file: do not trust it, "
        "get it from another source."
    )


def _safe(archive: Path, name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name:
        raise RecocoError(
            f"{archive.name} has a member outside of the archive ({name!r}): do not trust it, "
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
