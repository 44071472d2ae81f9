"""The data of an archive on another machine: archived, available here, or fetched again."""

import contextlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from recoco import plan
from recoco.archive.levels import DERIVES, INPUTS, Findings
from recoco.config import Config
from recoco.core import paths
from recoco.core.checksums import DIGESTS, digest_of_arrays
from recoco.core.errors import RecocoError
from recoco.core.files import read_json


@contextlib.contextmanager
def project_at(folder: Path, papers: str = ""):
    """Make another folder the project, with the mirror folders and the code of this one.

    An archive has all its papers in ``config/papers``, so $RECOCO_PAPERS is cleared unless its
    value is given.
    """
    mirrors = os.pathsep.join(str(mirror) for mirror in paths.mirrors())
    code = os.environ.get("RECOCO_CODE") or str(paths.root())
    changed = {"RECOCO_ROOT": str(folder), "RECOCO_MIRROR": mirrors, "RECOCO_CODE": code}
    if Path(folder).resolve() != paths.root():
        changed["RECOCO_PAPERS"] = papers
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


def own_data(names: Iterable[str], folder: Path, here: Path, download: bool) -> dict[str, str]:
    """Put the verifier's own data into a folder; return why a dataset is missing there, by name.

    Parameters
    ----------
    names : the datasets of an archive, which may be anything
    folder : where ``NAME.npz`` is written
    here : the project of the verifier
    download : whether missing data may be downloaded
    """
    from recoco.datasets import list_cards

    folder.mkdir(parents=True)
    with project_at(here):
        known = set(list_cards())
    reasons = {}
    for name in sorted(set(names)):
        if name not in known:
            reasons[name] = "you have no card for it"
            continue
        prepared = here / "resources" / "prepared" / f"{name}.npz"
        target = folder / f"{name}.npz"
        if prepared.is_file() and prepared.stat().st_size:
            shutil.copyfile(prepared, target)
        elif reason := _prepare(name, target, here, download):
            reasons[name] = reason
    return reasons


def choose_data(
    config: Config, folder: Path, own: Path, reasons: dict[str, str], findings: Findings
) -> set[str]:
    """Give the unpacked archive its data, the verifier's own where it is the same.

    Differences from the verifier's data, and data that is missing, are added to the findings.

    Parameters
    ----------
    folder : the unpacked archive, which is the current project
    own : folder with the verifier's data, see :func:`own_data`
    reasons : why a dataset is not in that folder

    Returns
    -------
    set of str
        The datasets that are available as archived.
    """
    digests = read_json(folder / DIGESTS)
    available = set()
    for dataset in plan.datasets_of(config):
        if dataset not in digests:
            continue  # it was unreachable when the archive was made
        papers = plan.papers_with(config, dataset)
        archived = folder / "resources" / "prepared" / f"{dataset}.npz"
        mine = own / f"{dataset}.npz"
        if archived.is_file() and not _is(archived, digests[dataset]):
            findings.differs(DERIVES, f"data: {dataset} is not the data that was scored", papers)
            archived.unlink()
        if mine.is_file() and _is(mine, digests[dataset]):
            shutil.copyfile(mine, archived)
            available.add(dataset)
            continue
        if mine.is_file():
            findings.differs(INPUTS, f"data: {dataset} differs from yours", papers)
        else:
            reason = reasons.get(dataset, "it is not available here")
            findings.missing(INPUTS, f"data: {dataset} has no counterpart: {reason}", papers)
        if archived.is_file():
            available.add(dataset)
        else:
            text = f"data: {dataset} is neither archived nor available, so its scores are kept"
            findings.missing(DERIVES, text, papers)
    print(f"data: {len(available)} of {len(digests)} datasets are available as archived")
    return available


def _is(path: Path, digest: str) -> bool:
    try:
        return digest_of_arrays(path) == digest
    except (OSError, ValueError, EOFError, MemoryError, zipfile.BadZipFile):
        return False


def _prepare(dataset: str, target: Path, here: Path, download: bool) -> str:
    """Fetch and prepare a dataset into ``target``; return "" or why not.

    The card is that of the verifier: the archive's could name any address, file or loader.
    """
    from recoco.datasets import fetch, prepare

    closed = {} if download else _OFFLINE
    with tempfile.TemporaryDirectory() as scratch, project_at(here):
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
            return "it is unreachable" if download else "it is not on this machine (try --fetch)"
        shutil.copyfile(made, target)
    return ""


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
