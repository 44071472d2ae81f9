"""The data of an archive on another machine: archived, available here, or fetched again."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from recoco import plan
from recoco.config import Config
from recoco.core import paths
from recoco.core.checksums import DIGESTS, digest_of_arrays
from recoco.core.errors import RecocoError
from recoco.core.files import read_json


@contextlib.contextmanager
def project_at(folder: Path):
    """Make another folder the project, with the mirror folders and the code of this one.

    An archive has all its papers in ``config/papers``, so $RECOCO_PAPERS is cleared.
    """
    mirrors = os.pathsep.join(str(mirror) for mirror in paths.mirrors())
    code = os.environ.get("RECOCO_CODE") or str(paths.root())
    changed = {"RECOCO_ROOT": str(folder), "RECOCO_MIRROR": mirrors, "RECOCO_CODE": code}
    if Path(folder).resolve() != paths.root():
        changed["RECOCO_PAPERS"] = ""
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
    """Add the prepared data to the unpacked archive; return the state of each dataset.

    Parameters
    ----------
    folder : the unpacked archive, which is the current project
    here : the project of the verifier
    download : whether missing data may be downloaded

    Returns
    -------
    dict of str to str
        "ok", or why the data of the archive is not available.
    """
    prepared = folder / "resources" / "prepared"
    digests = read_json(folder / DIGESTS)
    states = {}
    for dataset in plan.datasets_of(config):
        if dataset not in digests:
            continue
        target = prepared / f"{dataset}.npz"
        own = here / "resources" / "prepared" / f"{dataset}.npz"
        if not target.is_file() and own.is_file() and _is(own, digests[dataset]):
            shutil.copyfile(own, target)
        if not target.is_file():
            states[dataset] = _prepare(dataset, target, here, download)
            if states[dataset] != "ok":
                continue
        states[dataset] = (
            "ok" if _is(target, digests[dataset]) else "differs from the archived data"
        )
        if states[dataset] != "ok":
            target.unlink()
    return states


def _is(path: Path, digest: str) -> bool:
    try:
        return digest_of_arrays(path) == digest
    except (OSError, ValueError):
        return False


def _prepare(dataset: str, target: Path, here: Path, download: bool) -> str:
    """Fetch and prepare a dataset into ``target``; return "ok" or why not.

    The card is that of the verifier: the archive's could name any address, file or loader.
    """
    from recoco.datasets import fetch, list_cards, prepare

    closed = {} if download else _OFFLINE
    with tempfile.TemporaryDirectory() as scratch, project_at(here):
        if dataset not in list_cards():
            return "not available here (this checkout has no card for it)"
        raw, record = Path(scratch) / "raw", Path(scratch) / f"{dataset}.json"
        made = Path(scratch) / f"{dataset}.npz"
        known = here / "resources" / "downloads"
        try:
            downloads = known if known.is_dir() else Path(scratch) / "downloads"
            fetch(dataset, raw, downloads=downloads, **closed)
            prepare(dataset, raw, made, record)
        except RecocoError as error:
            return str(error)
        if read_json(record)["status"] != "ok":
            return "unreachable" if download else "not available (--fetch downloads it)"
        shutil.copyfile(made, target)
    return "ok"


def _no_url(url: str, to: Path) -> None:
    raise OSError("nothing is downloaded")


def _no_package(*_) -> Path:
    from recoco.datasets.packages import PackageError

    raise PackageError("nothing is downloaded")


# Without --fetch: files of this machine, earlier downloads, and synthetic data.
_OFFLINE = {
    "get_url": _no_url,
    "get_package": _no_package,
    "kinds": ("mirror", "local", "url", "package", "synthetic"),
}
