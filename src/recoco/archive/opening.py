"""Open an archive from anybody: nothing in it is trusted before it has been checked."""

import contextlib
import hashlib
import json
import re
import shutil
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from recoco.archive.crate import METADATA
from recoco.archive.pack import MANIFEST
from recoco.core.errors import RecocoError

_PIECE = 1 << 20
# Errors that reading a truncated or malformed zip may raise.
_FAULTS = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)
# A manifest of this size lists a million files; a larger one is rejected.
_LONGEST_LISTING = 200 << 20
# An archive of everything has a tenth of these members, and nothing in it shrinks like that.
_MOST_MEMBERS = 100_000
_LARGEST_RATIO, _SMALL = 1000, 1 << 20
_LONGEST_NAME, _LONGEST_PART = 1000, 200  # bytes, with room for the folder it is written to


class Opened:
    """An open archive whose names are safe to write below a folder."""

    def __init__(self, archive: zipfile.ZipFile, path: Path):
        self.archive, self.path = archive, path
        self.members = {info.filename: info for info in archive.infolist()}

    def read(self, name: str) -> bytes:
        """Return a member; reject one that is missing, damaged or far too large."""
        info = self.members.get(name)
        if info is None:
            raise RecocoError(f"{self.path.name} has no {name}: it is not an archive of recoco.")
        if info.file_size > _LONGEST_LISTING:
            raise RecocoError(f"{self.path.name}: {name} is too large for what it should be.")
        return b"".join(self._pieces(info))

    def json(self, name: str):
        """Return the content of a JSON member."""
        content = self.read(name)
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise RecocoError(f"{name} in {self.path.name} is not JSON: get it again.") from None

    def sha256(self, name: str) -> str:
        digest = hashlib.sha256()
        for piece in self._pieces(self.members[name]):
            digest.update(piece)
        return digest.hexdigest()

    def _pieces(self, info: zipfile.ZipInfo):
        try:
            with self.archive.open(info) as stream:
                while piece := stream.read(_PIECE):
                    yield piece
        except _FAULTS as error:
            raise RecocoError(
                f"{self.path.name} is damaged at {info.filename} ({error}): get it again."
            ) from None

    def extract(self, folder: Path, names: Iterable[str] | None = None) -> None:
        """Write members below a folder, all of them unless some are named."""
        names = list(self.members if names is None else names)
        folder.mkdir(parents=True, exist_ok=True)
        needed = sum(self.members[name].file_size for name in names)
        if needed > shutil.disk_usage(folder).free:
            raise RecocoError(
                f"{self.path.name} unpacks to {needed / 1e9:.1f} GB, more than is free in "
                f"{folder.parent}: set TMPDIR to a larger folder."
            )
        for name in names:
            target = folder.joinpath(*PurePosixPath(name).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as stream:
                for piece in self._pieces(self.members[name]):
                    stream.write(piece)

    # ---- what may be wrong ----------------------------------------------------------------

    def problems_of_files(self) -> list[str]:
        """Return the files that are missing, changed or not listed, according to the manifest."""
        listed = self.listed()
        members = [name for name in self.members if name != MANIFEST]
        problems = [f"missing: {name}" for name in sorted(set(listed) - set(members))]
        problems += [f"not listed: {name}" for name in sorted(set(members) - set(listed))]
        for name in sorted(set(members) & set(listed)):
            try:
                changed = self.sha256(name) != listed[name]
            except RecocoError:  # the checksum in the zip itself does not match
                changed = True
            if changed:
                problems.append(f"changed: {name}")
        return problems

    def listed(self) -> dict[str, str]:
        """Return the manifest: a hash for every name."""
        hashes = {}
        for number, line in enumerate(self.read(MANIFEST).decode("utf-8", "replace").splitlines()):
            match = re.fullmatch(r"([0-9a-f]{64})  (.+)", line)
            if not match:
                raise RecocoError(
                    f"{MANIFEST}, line {number + 1} is not a checksum: get the archive again."
                )
            hashes[match[2]] = match[1]
        return hashes

    def problems_of_crate(self) -> list[str]:
        """Return the contradictions between the RO-Crate and the archive."""
        try:
            content = self.read(METADATA)
        except RecocoError:
            return [f"{METADATA} is missing or damaged"]
        try:
            return self._contradictions(json.loads(content)["@graph"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return [f"{METADATA} is not an RO-Crate"]

    def _contradictions(self, graph: list[dict]) -> list[str]:
        entities = {entity["@id"]: entity for entity in graph}
        if METADATA not in entities or "./" not in entities:
            return [f"{METADATA} does not describe itself or the archive"]
        root, problems = entities["./"], []
        main = _id(root.get("mainEntity"))
        if main not in entities or main not in self.members:
            problems.append(f"the main workflow {main!r} is not in the archive")
        hashes = self.listed()
        for name in map(_id, _list(root.get("hasPart"))):
            if name not in entities:
                problems.append(f"{name} is named but not described")
            elif name.endswith("/"):
                if not any(member.startswith(name) for member in self.members):
                    problems.append(f"the folder {name} is described but missing")
            elif name not in self.members:
                problems.append(f"{name} is described but missing")
            elif entities[name].get("sha256", hashes.get(name)) != hashes.get(name):
                problems.append(f"the checksum of {name} differs from the manifest")
        known = {*entities, *self.members}
        for entity in graph:
            named = [(key, _id(one)) for key, value in entity.items() for one in _list(value)]
            problems += [
                f"{entity['@id']}: {key} names {target!r}, which is missing"
                for key, target in named
                if target is not None and target not in known and "://" not in target
            ]
        return problems


def _list(value) -> list:
    return value if isinstance(value, list) else [] if value is None else [value]


def _id(value):
    return value.get("@id") if isinstance(value, dict) else None


@contextlib.contextmanager
def open_archive(path: Path):
    """Open an archive; reject other files, and archives that would write outside their folder."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise RecocoError(f"There is no {path}: name the zip that `make archive` wrote.") from None
    except _FAULTS as error:
        raise RecocoError(f"{path} is not a readable zip file ({error}): get it again.") from None
    with archive:
        _refuse_unsafe(archive.infolist(), path)
        yield Opened(archive, path)


def _refuse_unsafe(members: list[zipfile.ZipInfo], path: Path) -> None:
    """Raise if a member must not be written."""
    if len(members) > _MOST_MEMBERS:
        raise RecocoError(
            f"{path.name} is refused: it has {len(members)} members, and `make archive` writes at "
            f"most {_MOST_MEMBERS}."
        )
    seen: dict[str, str] = {}
    for info in members:
        # Some file systems take names for the same that differ in case or in their encoding.
        same = unicodedata.normalize("NFC", info.filename).casefold()
        reason = _unsafe(info)
        if not reason and same in seen:
            reason = f"has the same name as {seen[same]!r}"
        if reason:
            raise RecocoError(
                f"{path.name} is refused: its member {info.filename[:100]!r} {reason}; "
                "`make archive` writes no such thing."
            )
        seen[same] = info.filename
    below = next((n for n in seen for p in PurePosixPath(n).parents if str(p) in seen), None)
    if below:
        raise RecocoError(f"{path.name} is refused: {seen[below]!r} lies below a file.")


def _unsafe(info: zipfile.ZipInfo) -> str:
    """Return why a member must not be written, "" if it may."""
    # The name as stored: zipfile corrects some names, cutting them at a NUL.
    name = info.orig_filename
    parts = name.split("/")
    if name != info.filename or "\\" in name or re.search(r"[\x00-\x1f\x7f-\x9f]", name):
        return "has a name with forbidden characters"
    try:
        sizes = [len(part.encode()) for part in parts]
    except UnicodeEncodeError:
        return "has a name with forbidden characters"
    if sum(sizes) > _LONGEST_NAME or max(sizes) > _LONGEST_PART:
        return "has too long a name"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in parts:
        return "would be written outside the folder"
    if name.endswith("/") or "" in parts or "." in parts:
        return "is not a plain file"
    if any(part.startswith(".") for part in parts):
        return "is hidden"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "is not a plain file"
    if info.flag_bits & 1:
        return "is encrypted"
    if info.file_size > max(_SMALL, _LARGEST_RATIO * info.compress_size):
        return "unpacks to more than a thousand times its size"
    return ""
