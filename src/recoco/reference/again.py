"""Make the tables of the reference again from its scores, without a single run."""

import contextlib
import shutil
import tempfile
import zipfile
from dataclasses import fields
from pathlib import Path

from recoco import plan, reference
from recoco.archive.data import project_at
from recoco.archive.differences import differences
from recoco.config import Config, load_config
from recoco.errors import RecocoError
from recoco.reference.saving import copy_data, write_report
from recoco.reference.scores import split_scores
from recoco.store import read_json

# What compare calls by another name than the folder of results that it is in.
_FOLDERS = {"studies": ("representatives", "scaling", "convergence")}
_KEPT = (reference.SCORES, reference.FINDINGS, reference.RECEIPT, reference.PROVENANCE)


def check(root: Path) -> list[str]:
    """Return a line for each difference between the reference and what its scores give now."""
    folder = _folder(root)
    with tempfile.TemporaryDirectory(prefix="recoco-") as scratch:
        again = Path(scratch) / "reference"
        _make(root, folder, Path(scratch), again)
        names = sorted(
            {
                path.relative_to(base).as_posix()
                for base in (folder, again)
                for path in base.rglob("*")
                if path.is_file() and path.name not in _KEPT
            }
        )
        return [line for n in names for line in differences(folder / n, again / n, n)]


def render(root: Path) -> Path:
    """Write tables, figures and data of the reference anew from its scores."""
    folder = _folder(root)
    with tempfile.TemporaryDirectory(prefix="recoco-") as scratch:
        again = Path(scratch) / "reference"
        _make(root, folder, Path(scratch), again)
        for path in sorted(folder.iterdir()):
            if path.name not in _KEPT:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(again, folder, dirs_exist_ok=True)
    return folder


def _folder(root: Path) -> Path:
    if not reference.is_there(root):
        raise RecocoError("There is no reference yet: write it with `make reference`.")
    return reference.folder_of(root)


def _make(root: Path, folder: Path, scratch: Path, out: Path) -> None:
    project = scratch / "project"
    with zipfile.ZipFile(folder / reference.FINDINGS) as archive:
        archive.extractall(project)
    results = project / "results"
    scores = split_scores(folder / reference.SCORES, results / "scores")
    provenance = read_json(folder / reference.PROVENANCE)
    out.mkdir()
    with project_at(root):
        config = load_config(provenance["settings"])
        # Compare knows the files of the other stages by their place in a project.
        with contextlib.chdir(project):
            for key in config.papers:
                _compare(config, key, root, scores)
        copy_data(config, results / "compare", out)
        write_report(config, root, results, provenance, out)


def _compare(config: Config, key: str, root: Path, scores: list[Path]) -> None:
    from recoco.compare.comparison import Findings
    from recoco.compare.paper import compare_paper

    cards = plan.datasets_of_paper(config, key)
    found = {
        field.name: [
            path
            for folder in _FOLDERS.get(field.name, (field.name,))
            for path in sorted(Path("results", folder).rglob("*"))
            if path.is_file() and _belongs(path, folder, key, cards)
        ]
        for field in fields(Findings)
        if field.name not in ("scores", "records")
    }
    compare_paper(
        config,
        key,
        Findings(
            scores=[path for path in scores if path.stem in cards],
            records=[Path("resources", "prepared", f"{card}.json") for card in cards],
            **found,
        ),
        root / "config" / "published",
        Path("results", "compare", key),
    )


def _belongs(path: Path, folder: str, key: str, cards: list[str]) -> bool:
    """Tell whether a file is about a paper: by its dataset, or by its name for studies."""
    first = path.parts[2].partition(".")[0] if len(path.parts) == 3 else path.parts[2]
    return first == key if folder in ("scaling", "convergence") else first in cards
