"""The data of an archive on another machine: part of it, at hand here, or fetched again."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from recoco import paths, plan
from recoco.archive.digests import DIGESTS, digest_of_arrays
from recoco.config import Config
from recoco.errors import RecocoError
from recoco.store import read_json


@contextlib.contextmanager
def project_at(folder: Path):
    """Let an unpacked archive be the project, with the mirror folders of this machine."""
    mirrors = os.pathsep.join(str(mirror) for mirror in paths.mirrors())
    changed = {"RECOCO_ROOT": str(folder), "RECOCO_MIRROR": mirrors}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def bring_data(config: Config, folder: Path, here: Path, download: bool) -> dict[str, str]:
    """Put the prepared data beside the archived results; say of each dataset how that went.

    Parameters
    ----------
    folder : the unpacked archive, which is the project of now
    here : the project of the one who verifies
    download : whether a dataset that is not at hand may be fetched from the web

    Returns
    -------
    dict of str to str
        "ok", or why the data of the archive cannot be had.
    """
    prepared = folder / "resources" / "prepared"
    digests = read_json(folder / DIGESTS)
    told = {}
    for dataset in plan.datasets_of(config):
        if dataset not in digests:
            continue
        target = prepared / f"{dataset}.npz"
        own = here / "resources" / "prepared" / f"{dataset}.npz"
        if not target.is_file() and own.is_file() and _is(own, digests[dataset]):
            shutil.copyfile(own, target)
        if not target.is_file():
            told[dataset] = _prepare(dataset, target, here, download)
            if told[dataset] != "ok":
                continue
        told[dataset] = "ok" if _is(target, digests[dataset]) else "other data than archived"
        if told[dataset] != "ok":
            target.unlink()
    return told


def _is(path: Path, digest: str) -> bool:
    try:
        return digest_of_arrays(path) == digest
    except (OSError, ValueError):
        return False


def _prepare(dataset: str, target: Path, here: Path, download: bool) -> str:
    """Fetch and prepare a dataset into ``target``; return "ok" or why not."""
    from recoco.datasets import fetch, prepare

    closed = {} if download else {"get_url": _no_url, "get_package": _no_package}
    with tempfile.TemporaryDirectory() as scratch:
        raw, record = Path(scratch) / "raw", Path(scratch) / f"{dataset}.json"
        made = Path(scratch) / f"{dataset}.npz"
        known = here / "resources" / "downloads"
        try:
            fetch(dataset, raw, downloads=known if known.is_dir() else None, **closed)
            prepare(dataset, raw, made, record)
        except RecocoError as error:
            return str(error)
        if read_json(record)["status"] != "ok":
            return "unreachable from here" if download else "not at hand (--fetch looks for it)"
        shutil.copyfile(made, target)
    return "ok"


def _no_url(url: str, to: Path) -> None:
    raise OSError("nothing is downloaded")


def _no_package(*_) -> Path:
    from recoco.datasets.packages import PackageError

    raise PackageError("nothing is downloaded")
