"""Open an archive that somebody sent: trust nothing in it before it has been checked."""

import contextlib
import hashlib
import json
import re
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from recoco.archive.crate import METADATA
from recoco.archive.pack import MANIFEST
from recoco.errors import RecocoError

_PIECE = 1 << 20
# What reading a zip that is cut, or not what it says, may raise.
_FAULTS = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)
# A listing of this size has a million files: more is no manifest.
_LONGEST_LISTING = 200 << 20


class Opened:
    """An open archive whose names are safe to write below a folder."""

    def __init__(self, archive: zipfile.ZipFile, path: Path):
        self.archive, self.path = archive, path
        self.members = {info.filename: info for info in archive.infolist()}

    def read(self, name: str) -> bytes:
        """Return a member, refusing one that is missing, damaged or of a size that is none."""
        info = self.members.get(name)
        if info is None:
            raise RecocoError(f"{self.path.name} has no {name}: it is no archive of recoco.")
        if info.file_size > _LONGEST_LISTING:
            raise RecocoError(f"{self.path.name}: {name} is too large to be what it says.")
        return b"".join(self._pieces(info))

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

    def extract(self, folder: Path) -> None:
        """Write every member below a folder."""
        for name, info in self.members.items():
            target = folder.joinpath(*PurePosixPath(name).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as stream:
                for piece in self._pieces(info):
                    stream.write(piece)

    # ---- what may be wrong ----------------------------------------------------------------

    def problems_of_files(self) -> list[str]:
        """Return what the checksums say: files that are missing, changed or not listed."""
        listed = self.listed()
        found = [name for name in self.members if name != MANIFEST]
        problems = [f"missing: {name}" for name in sorted(set(listed) - set(found))]
        problems += [f"not listed: {name}" for name in sorted(set(found) - set(listed))]
        for name in sorted(set(found) & set(listed)):
            try:
                changed = self.sha256(name) != listed[name]
            except RecocoError:  # its own checksum in the zip tells as much
                changed = True
            if changed:
                problems.append(f"changed: {name}")
        return problems

    def listed(self) -> dict[str, str]:
        """Return the manifest: a hash for every name."""
        hashes = {}
        for number, line in enumerate(self.read(MANIFEST).decode("utf-8", "replace").splitlines()):
            found = re.fullmatch(r"([0-9a-f]{64})  (.+)", line)
            if not found:
                raise RecocoError(f"{MANIFEST}, line {number + 1} is no checksum: get it again.")
            hashes[found[2]] = found[1]
        return hashes

    def problems_of_crate(self) -> list[str]:
        """Return where the RO-Crate and the archive do not fit together."""
        try:
            graph = json.loads(self.read(METADATA))["@graph"]
            entities = {entity["@id"]: entity for entity in graph}
        except RecocoError:
            return [f"{METADATA} is missing or damaged"]
        except (ValueError, TypeError, KeyError):
            return [f"{METADATA} is no RO-Crate"]
        if METADATA not in entities or "./" not in entities:
            return [f"{METADATA} does not describe itself or the archive"]
        root, problems = entities["./"], []
        main = _id(root.get("mainEntity"))
        if main not in entities or main not in self.members:
            problems.append(f"the main workflow {main!r} is not in the archive")
        hashes = self.listed()
        for name in map(_id, _list(root.get("hasPart"))):
            if name not in entities:
                problems.append(f"{name} is named, not described")
            elif name.endswith("/"):
                if not any(member.startswith(name) for member in self.members):
                    problems.append(f"the folder {name} is described, not there")
            elif name not in self.members:
                problems.append(f"{name} is described, not there")
            elif entities[name].get("sha256", hashes.get(name)) != hashes.get(name):
                problems.append(f"{name} has another checksum than the manifest")
        known = {*entities, *self.members}
        for entity in graph:
            named = [(key, _id(one)) for key, value in entity.items() for one in _list(value)]
            problems += [
                f"{entity['@id']}: {key} names {target!r}, which is not there"
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
    """Open an archive; refuse a file that is none, or that would write outside its folder."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise RecocoError(f"There is no {path}: name the zip that `make archive` wrote.") from None
    except _FAULTS as error:
        raise RecocoError(f"{path} is no zip that can be read ({error}): get it again.") from None
    with archive:
        seen = set()
        for info in archive.infolist():
            reason = _unsafe(info)
            if info.filename in seen:
                reason = "stands in it twice"
            if reason:
                raise RecocoError(
                    f"{path.name} is refused: its member {info.filename!r} {reason}; "
                    "`make archive` writes no such thing."
                )
            seen.add(info.filename)
        below = next((n for n in seen for p in PurePosixPath(n).parents if str(p) in seen), None)
        if below:
            raise RecocoError(f"{path.name} is refused: {below!r} lies below a file.")
        yield Opened(archive, path)


def _unsafe(info: zipfile.ZipInfo) -> str:
    """Say why a member must not be written, "" where it may."""
    # What the file says: zipfile mends some names, cutting them at a NUL.
    name = info.orig_filename
    parts = name.split("/")
    if name != info.filename or "\\" in name or re.search(r"[\x00-\x1f]", name):
        return "has a name with forbidden characters"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in parts:
        return "would be written outside the folder"
    if name.endswith("/") or "" in parts or "." in parts:
        return "is no plain file"
    if any(part.startswith(".") for part in parts):
        return "is hidden"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "is no plain file"
    if info.flag_bits & 1:
        return "is encrypted"
    return ""
