"""Fetch: bring the raw files of a dataset from the first source that has them, hashes checked."""

import contextlib
import fcntl
import hashlib
import logging
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from recoco import paths, store
from recoco.datasets import archives, packages
from recoco.datasets.card import load_card
from recoco.datasets.mirrors import mirror_name
from recoco.datasets.receipts import RECEIPT, digest
from recoco.errors import RecocoError

LOG = logging.getLogger(__name__)

PLANTED = "planted.json"
_TIMEOUT = (5, 30)  # seconds to connect, seconds between two pieces of the answer


class _Unavailable(Exception):
    """A source does not have the data, or has other data than the card says."""


@dataclass(frozen=True)
class _Tools:
    """Where sources are looked for; tests put their own in place."""

    mirrors: list[Path]
    downloads: Path
    get_url: Callable[[str, Path], None]
    get_package: Callable[[str, str, str, Path], Path]


def fetch(
    name: str,
    raw_dir: str | os.PathLike,
    *,
    mirrors: list[Path] | None = None,
    downloads: Path | None = None,
    get_url: Callable[[str, Path], None] | None = None,
    get_package: Callable[[str, str, str, Path], Path] = packages.download,
) -> dict:
    """Bring the raw files of a dataset into ``raw_dir`` and write a receipt there.

    The sources of the card are asked in their order; the first whose files all have the size
    and the hash of the card wins. A file with another hash is never kept.

    Parameters
    ----------
    name : str
    raw_dir : path
        Its files are replaced.
    mirrors, downloads, get_url, get_package : optional
        Other folders and downloaders than the usual ones.

    Returns
    -------
    dict
        The receipt, also in ``raw_dir/receipt.json``, which is written last. Its ``status`` is
        ``"ok"`` or ``"unreachable"``: data that cannot be had are a result, not an error.
    """
    card = load_card(name)
    tools = _Tools(
        mirrors=paths.mirrors() if mirrors is None else mirrors,
        downloads=paths.root() / "resources" / "downloads" if downloads is None else downloads,
        get_url=get_url or _get_url,
        get_package=get_package,
    )
    raw_dir = Path(raw_dir)
    _empty(raw_dir)
    receipt = {
        "dataset": name,
        "status": "unreachable",
        "source": None,
        "source_index": None,
        "files": [],
        "tried": [],
        "by_hand": card["by_hand"],
    }
    for index, source in enumerate(card["sources"]):
        try:
            where, files = _BRING[source["kind"]](source, raw_dir, tools)
        except _Unavailable as error:
            _empty(raw_dir)
            label = f"source {index + 1} ({_label(source)})"
            LOG.warning("dataset %s, %s: %s", name, label, error)
            receipt["tried"].append({"source": label, "error": f"dataset {name}: {error}"})
            continue
        receipt |= {
            "status": "ok",
            "source": {"kind": source["kind"], "where": where},
            "source_index": index,
            "files": files,
        }
        break
    store.write_json(raw_dir / RECEIPT, receipt)
    return receipt


def _empty(folder: Path) -> None:
    """Remove the receipt first, then the files: a folder with a receipt is a whole one."""
    (folder / RECEIPT).unlink(missing_ok=True)
    if folder.is_dir():
        for path in folder.iterdir():
            if path.is_file() and path.name != RECEIPT:
                path.unlink()


def _label(source: dict) -> str:
    if source["kind"] == "package":
        archive = source["archive"]
        return f"package {archive['package']} {archive['version']} of {archive['registry']}"
    return source["kind"]


def _check(file: str, found: tuple[str, int], expected: dict) -> None:
    """Raise when sha256 or size are not those of the card; a card may leave them out."""
    if "bytes" in expected and found[1] != expected["bytes"]:
        raise _Unavailable(
            f"{file} has {found[1]} bytes where the card expects {expected['bytes']} "
            f"(truncated?): found sha256 {found[0]}, expected {expected.get('sha256', 'any')}; "
            "the file was not kept"
        )
    if "sha256" in expected and found[0] != expected["sha256"]:
        raise _Unavailable(
            f"{file} has the wrong hash: found sha256 {found[0]}, "
            f"expected {expected['sha256']}; the file was not kept"
        )


def _admit(content: bytes, raw_dir: Path, name: str, expected: dict) -> dict:
    """Write a file into the raw folder if it is the one the card expects."""
    found = hashlib.sha256(content).hexdigest(), len(content)
    _check(name, found, expected)
    with store.atomic(raw_dir / name) as stream:
        stream.write(content)
    return {"file": name, "sha256": found[0], "bytes": found[1]}


def _name(file: dict) -> str:
    return file.get("name") or file["at"].rsplit("/", 1)[-1]


def _from_mirror(source: dict, raw_dir: Path, tools: _Tools):
    problems = []
    for mirror in tools.mirrors:
        try:
            files = []
            for file in source["files"]:
                path = mirror / file["at"]
                if not path.is_file():
                    raise _Unavailable(f"no {file['at']} in the mirror folder {mirror.name}")
                try:
                    content = path.read_bytes()
                except OSError as error:
                    raise _Unavailable(f"{file['at']}: {error.strerror}") from None
                files.append(_admit(content, raw_dir, _name(file), file))
            return mirror_name(mirror), files
        except _Unavailable as error:
            _empty(raw_dir)
            problems.append(str(error))
    raise _Unavailable("; ".join(problems) or "there is no mirror folder (see RECOCO_MIRROR)")


def _from_url(source: dict, raw_dir: Path, tools: _Tools):
    files = []
    for file in source["files"]:
        path = _cached(tools.downloads, _name(file), file, lambda to, f=file: _url(f, to, tools))
        files.append(_admit(path.read_bytes(), raw_dir, _name(file), file))
    return source["files"][0]["at"], files


def _url(file: dict, to: Path, tools: _Tools) -> None:
    try:
        tools.get_url(file["at"], to)
    except Exception as error:  # whatever a network can do: this source does not have the file
        status = getattr(getattr(error, "response", None), "status_code", None)
        said = f"answered {status}" if status else f"gave no answer ({type(error).__name__})"
        raise _Unavailable(f"{urlsplit(file['at']).hostname} {said} for {_name(file)}") from None


def _get_url(url: str, to: Path) -> None:
    import pooch

    # no retries, short timeouts: a closed network must cost seconds
    pooch.HTTPDownloader(progressbar=False, timeout=_TIMEOUT)(url, str(to), None)


def _from_package(source: dict, raw_dir: Path, tools: _Tools):
    archive = source["archive"]

    def get(to: Path) -> None:
        with tempfile.TemporaryDirectory(dir=to.parent, prefix=".package.") as folder:
            wanted = archive["registry"], archive["package"], archive["version"]
            try:
                os.replace(tools.get_package(*wanted, Path(folder)), to)
            except packages.PackageError as error:
                raise _Unavailable(str(error)) from None

    path = _cached(tools.downloads, archive["file"], archive, get)
    where = f"{archive['file']} of {archive['registry']}"
    if "files" not in source:
        return where, [_admit(path.read_bytes(), raw_dir, archive["file"], archive)]
    files = []
    for file in source["files"]:
        try:
            content = archives.read_member(path, file["at"])
        except (RecocoError, OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
            raise _Unavailable(str(error)) from None
        files.append(_admit(content, raw_dir, _name(file), file))
    return where, files


def _synthetic(source: dict, raw_dir: Path, tools: _Tools):
    """A planted model is drawn at prepare: its raw file is its parameters."""
    store.write_json(raw_dir / PLANTED, source["planted"])
    found, size = digest(raw_dir / PLANTED)
    return "drawn by recoco", [{"file": PLANTED, "sha256": found, "bytes": size}]


def _cached(downloads: Path, name: str, expected: dict, get: Callable[[Path], None]) -> Path:
    """Return the download with the expected hash, getting it only if no one has before.

    The lock makes a second process wait for the first one's download instead of repeating it.
    """
    path = downloads / f"{expected['sha256'][:16]}-{name}"
    with _locked(path):
        if path.is_file() and digest(path)[0] == expected["sha256"]:
            return path
        part = path.with_name(f".{path.name}.part")
        try:
            get(part)
            _check(name, digest(part), expected)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    return path


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(f".{path.name}.lock").open("w")
    except OSError as error:
        raise RecocoError(
            f"Cannot write in {path.parent}: {error.strerror}; make the folder writable."
        ) from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


_BRING = {
    "mirror": _from_mirror,
    "url": _from_url,
    "package": _from_package,
    "synthetic": _synthetic,
}
