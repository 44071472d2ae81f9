"""Sources of raw files, one function for each kind.

Each function brings the files of a source into a folder and returns a description of their origin,
and a record of each file. It raises `Unavailable` if the source does not have them. What a card
says is not trusted: nothing that it names is executed, and no more is read than it promises.
"""

import contextlib
import fcntl
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from scipy.sparse import csr_matrix, issparse

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.core.files import write_arrays, write_json
from recoco.datasets import archives, downloads, packages
from recoco.datasets.local import copy_local
from recoco.datasets.local import files_below as files_below
from recoco.datasets.mirrors import download_name, find_download, mirror_name
from recoco.datasets.raw_files import (
    Unavailable,
    admit,
    admit_file,
    check,
    empty_folder,
    most_bytes,
    name_of,
    record,
)
from recoco.datasets.receipts import hashes_of

PLANTED = "planted.json"
BUNCH = "bunch.npz"

# The loaders of scikit-learn that a card may name, with the options of each. They read files that
# are part of scikit-learn. The others download, to a place that an option may choose, and read
# pickles from there, which execute what they contain.
LOADERS: dict[str, tuple[str, ...]] = {
    "load_breast_cancer": (),
    "load_digits": ("n_class",),
    "load_iris": (),
    "load_wine": (),
}


@dataclass(frozen=True)
class Tools:
    """Where and how sources are looked up; tests use their own.

    ``own`` is what the user has named on the command line.
    """

    mirrors: Collection[Path] = ()
    downloads: Path = Path("downloads")
    get_url: Callable[[str, Path], None] | None = None
    get_package: Callable[[str, str, str, Path], Path] | None = None
    own: Collection[Path] = ()


def _from_mirror(source: dict, raw_dir: Path, tools: Tools):
    problems = []
    for mirror in tools.mirrors:
        try:
            files = []
            for file in source["files"]:
                path = mirror / file["at"]
                if not path.is_file():
                    raise Unavailable(f"no {file['at']} in the mirror folder {mirror.name}")
                files.append(admit_file(path, raw_dir, name_of(file), file))
            return mirror_name(mirror), files
        except Unavailable as error:
            empty_folder(raw_dir)
            problems.append(str(error))
    raise Unavailable("; ".join(problems) or "there is no mirror folder (see RECOCO_MIRROR)")


def _from_url(source: dict, raw_dir: Path, tools: Tools):
    files = []
    for file in source["files"]:
        path = _cached(tools, name_of(file), file, partial(_download, file, tools))
        files.append(admit_file(path, raw_dir, name_of(file), file))
    return source["files"][0]["at"], files


def _download(file: dict, tools: Tools, to: Path) -> None:
    get = tools.get_url or partial(downloads.get_url, most=most_bytes(file))
    try:
        get(file["at"], to)
    except Unavailable:
        raise
    except Exception as error:  # any failure of the network means that the file is unavailable
        status = getattr(getattr(error, "response", None), "status_code", None)
        answer = f"answered {status}" if status else f"gave no answer ({type(error).__name__})"
        host = urlsplit(file["at"]).hostname
        raise Unavailable(f"{host} {answer} for {name_of(file)}") from None


def _from_package(source: dict, raw_dir: Path, tools: Tools):
    archive = source["archive"]
    get_package = tools.get_package or partial(
        packages.download,
        most=most_bytes(archive),
        file=archive["file"],
        release=archive.get("release"),
    )

    def get(to: Path) -> None:
        with tempfile.TemporaryDirectory(dir=to.parent, prefix=".package.") as folder:
            wanted = archive["registry"], archive["package"], archive["version"]
            try:
                os.replace(get_package(*wanted, Path(folder)), to)
            except packages.PackageError as error:
                raise Unavailable(str(error)) from None

    path = _cached(tools, archive["file"], archive, get)
    where = f"{archive['file']} of {archive['registry']}"
    if "files" not in source:
        return where, [admit_file(path, raw_dir, archive["file"], archive)]
    files = []
    for file in source["files"]:
        try:
            content = archives.read_member(path, file["at"], most_bytes(file))
        except (RecocoError, OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
            raise Unavailable(str(error)) from None
        files.append(admit(content, raw_dir, name_of(file), file))
    return where, files


def _synthetic(source: dict, raw_dir: Path, tools: Tools):
    """Write the parameters of a planted model, which is drawn by `prepare`."""
    write_json(raw_dir / PLANTED, source["planted"])
    return "drawn by recoco", [record(raw_dir / PLANTED)]


def _cached(tools: Tools, name: str, expected: dict, get: Callable[[Path], None]) -> Path:
    """Return the download with the expected hash, downloading it only once.

    A mirror may have it as well. The lock makes a second process wait for the download of the first
    one instead of repeating it.
    """
    path = tools.downloads / download_name(name, expected)
    with _locked(path):
        if found := find_download(name, expected, [tools.downloads], tools.mirrors):
            return found
        part = path.with_name(f".{path.name}.part")
        try:
            get(part)
            check(name, hashes_of(part), expected)
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


def _from_local(source: dict, raw_dir: Path, tools: Tools):
    return "files of this machine", copy_local(source, raw_dir, tools.own)


def _from_sklearn(source: dict, raw_dir: Path, tools: Tools):
    import sklearn.datasets

    name, options = source["loader"], source.get("options", {})
    if name not in LOADERS:
        raise Unavailable(f"a card cannot use {name} of scikit-learn: {nearest(name, LOADERS)}")
    if unknown := next((key for key in options if key not in LOADERS[name]), None):
        raise Unavailable(f"{name} has no option {unknown!r} in a card: remove it")
    try:
        bunch = getattr(sklearn.datasets, name)(**options)
    except Exception as error:  # it may reject the value of an option
        text = " ".join(str(error).split())[:200]
        raise Unavailable(f"{name} gave nothing ({type(error).__name__}: {text})") from None
    write_arrays(raw_dir / BUNCH, _arrays_of(bunch))
    return f"scikit-learn's {name}", [record(raw_dir / BUNCH)]


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
