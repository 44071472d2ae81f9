"""Make the pages of the reference from the scores of its parts, without a single run."""

import contextlib
import re
import shutil
import tempfile
import zipfile
from pathlib import Path

import pandas as pd

from recoco import plan
from recoco.archive import reference
from recoco.archive.contents import as_json
from recoco.archive.data import project_at
from recoco.archive.differences import differences
from recoco.archive.pack import scores_of
from recoco.archive.reference.page import page_text
from recoco.archive.reference.scores import split_scores
from recoco.config import Config, load_config
from recoco.config.papers import load_paper
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_text

# Tables of compare that readers look for and that show the agreement.
_DATA = ("cells", "claims", "combinations")
# Numbers of runs, which differ from paper to paper.
_COUNTS = re.compile(r" \(\d+( to \d+)?\)")
# Drawings of mean ranks with critical differences.
_OF_RANKS = ("critical_differences", "board_ranks")


def check(root: Path, site: Path | None = None) -> list[str]:
    """Return each difference between the reference and what its scores now give, in a line.

    Parameters
    ----------
    root : project whose reference is checked
    site : folder for the whole report, which is rendered for the check anyway; None keeps none
    """
    folder = _folder(root)
    with tempfile.TemporaryDirectory(prefix="recoco-") as scratch:
        again = Path(scratch) / "reference"
        again.mkdir()
        write_pages(root, folder, again, site)
        names = {
            path.relative_to(base).as_posix()
            for base in (folder, again)
            for path in base.rglob("*")
            if path.is_file() and path.relative_to(base).parts[0] not in reference.parts_of(folder)
        }
        return [line for n in sorted(names) for line in differences(folder / n, again / n, n)]


def render(root: Path) -> Path:
    """Write tables, figures and pages of the reference anew from its scores."""
    folder = _folder(root)
    with tempfile.TemporaryDirectory(prefix="recoco-") as scratch:
        again = Path(scratch) / "reference"
        again.mkdir()
        write_pages(root, folder, again)
        for path in sorted(folder.iterdir()):
            if path.name not in reference.parts_of(folder):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(again, folder, dirs_exist_ok=True)
    return folder


def write_site(root: Path, out: Path) -> Path:
    """Write the whole report of the reference, with a page for every run; return its index."""
    folder = _folder(root)
    with tempfile.TemporaryDirectory(prefix="recoco-") as scratch:
        write_pages(root, folder, Path(scratch), site=out)
    return out / "index.html"


def _folder(root: Path) -> Path:
    if not reference.is_there(root):
        raise RecocoError("There is no reference yet: write it with `make reference`.")
    return reference.folder_of(root)


def write_pages(root: Path, folder: Path, out: Path, site: Path | None = None) -> None:
    """Write everything derived from the parts in ``folder`` into ``out``.

    Parameters
    ----------
    root : project whose configuration is used
    site : where the report that they are taken from is kept whole, None for nowhere
    """
    keys = reference.parts_of(folder)
    provenances = {key: read_json(folder / key / reference.PROVENANCE) for key in keys}
    with tempfile.TemporaryDirectory(prefix="recoco-") as scratch, project_at(root):
        # Each paper is compared with its own findings, then one report is made of all.
        whole = Path(scratch) / "whole"
        timings = {}
        for key in keys:
            project = Path(scratch) / key
            _compare_part(folder / key, key, provenances[key], root, project)
            _add_to(whole, project)
            timings[key] = pd.read_csv(project / "results" / "timings.csv")
        order = [*load_config().papers, *keys]
        keys.sort(key=order.index)
        config = load_config({**provenances[keys[0]]["settings"], "papers": keys})
        (out / reference.DATA).mkdir(exist_ok=True)
        for key in keys:
            for name in _DATA:
                shutil.copyfile(
                    whole / "results" / "compare" / key / f"{name}.csv",
                    out / reference.DATA / f"{key}_{name}.csv",
                )
        _write_report(config, root, whole, provenances, out, site)
        write_text(out / "README.md", page_text(config, provenances, timings, out))


def _compare_part(part: Path, key: str, provenance: dict, root: Path, project: Path) -> None:
    with zipfile.ZipFile(part / reference.FINDINGS) as archive:
        archive.extractall(project)
    scores = split_scores(part / reference.SCORES, project / "results" / "scores")
    config = load_config({**provenance["settings"], "papers": [key]})
    # Compare reads the files of other stages by their paths in a project.
    with contextlib.chdir(project):
        _compare(config, key, root, scores)


def _compare(config: Config, key: str, root: Path, scores: list[Path]) -> None:
    from recoco.compare.causes import contradicted
    from recoco.compare.comparison import Findings
    from recoco.compare.paper import compare_paper

    cards = plan.datasets_of_paper(config, key)
    analyses = [
        path
        for path in sorted(Path("results", "analyse", key).rglob("*"))
        if path.is_file() and not path.name.endswith(".seconds.json")
    ]
    cells = compare_paper(
        config,
        key,
        Findings(
            scores=[path for path in scores if path.stem in cards],
            records=[Path("resources", "prepared", f"{card}.json") for card in cards],
            analyses=analyses,
        ),
        Path("results", "compare", key),
    )
    # Only here are all runs computed for certain.
    for sentence in contradicted(load_paper(key).causes, cells.to_dict("records")):
        raise RecocoError(sentence)


def _add_to(whole: Path, project: Path) -> None:
    """Add a part to the inputs of the report; a run that two papers share is added once."""
    for name in ("results/compare", "resources/prepared"):
        shutil.copytree(project / name, whole / name, dirs_exist_ok=True)
    name = ["dataset", "weighting", "slug", "kind", "run"]
    for path in sorted((project / "results" / "scores").glob("*.parquet")):
        joined = whole / path.relative_to(project)
        frames = [pd.read_parquet(p) for p in (joined, path) if p.is_file()]
        joined.parent.mkdir(parents=True, exist_ok=True)
        frame = pd.concat(frames, ignore_index=True).drop_duplicates(name)
        frame.to_parquet(joined, index=False)
    timings = whole / "results" / "timings.csv"
    frames = [
        pd.read_csv(path, dtype=str, keep_default_na=False)
        for path in (timings, project / "results" / "timings.csv")
        if path.is_file()
    ]
    if frames:
        joined = pd.concat(frames, ignore_index=True).drop_duplicates(["stage", "name"])
        joined.to_csv(timings, index=False)


def join_provenance(provenances: dict[str, dict]) -> dict:
    """Return one provenance for a report of parts that were computed on different days.

    Values that differ are listed part by part.
    """

    def joined(key: str):
        values = {part: _COUNTS.sub("", record[key]) for part, record in provenances.items()}
        distinct = list(dict.fromkeys(values.values()))
        return (
            distinct[0] if len(distinct) == 1 else " ".join(f"{p}: {v}" for p, v in values.items())
        )

    codes: dict[str, list[str]] = {}
    for record in provenances.values():
        for method, code in record["fingerprints"].items():
            codes.setdefault(method, []).append(code)
    data = {entry["dataset"]: entry for record in provenances.values() for entry in record["data"]}
    missing = sorted(name for name, entry in data.items() if entry["status"] != "ok")
    left = f" ({', '.join(missing)})" if missing else ""
    return {
        **next(iter(provenances.values())),
        **{key: joined(key) for key in ("commit", "lock_sha256", "python", "runs")},
        "data_mode": f"Data: of {len(data)} datasets {len(missing)} were unreachable{left}.",
        "dirty": any(record["dirty"] for record in provenances.values()),
        "data": [data[name] for name in sorted(data)],
        "fingerprints": {m: " or ".join(dict.fromkeys(values)) for m, values in codes.items()},
    }


def _write_report(
    config: Config, root: Path, whole: Path, provenances: dict, out: Path, site: Path | None
) -> None:
    """Render the report and keep the parts that can be read in the repository itself."""
    from recoco.report import render as render_report

    known = [whole / "resources" / "prepared" / f"{d}.json" for d in plan.datasets_of(config)]
    timings = whole / "results" / "timings.csv"
    with tempfile.TemporaryDirectory() as scratch:
        provenance, made = Path(scratch) / "provenance.json", site or Path(scratch) / "reports"
        provenance.write_bytes(
            as_json(join_provenance({key: provenances[key] for key in config.papers}))
        )
        render_report(
            compare_dirs={key: whole / "results" / "compare" / key for key in config.papers},
            scores=scores_of(config, whole),
            characteristics=[path for path in known if path.is_file()],
            provenance=provenance,
            config_dir=root / "config",
            out_dir=made,
            timings=timings if timings.is_file() else None,
        )
        for folder, endings in ((reference.TABLES, ("md", "csv")), (reference.FIGURES, ("svg",))):
            (out / folder).mkdir(exist_ok=True)
            for ending in endings:
                for path in sorted((made / folder).glob(f"*.{ending}")):
                    shutil.copyfile(path, out / folder / path.name)
        shutil.copyfile(made / reference.MAP, out / reference.MAP)
    drawn = ranks_figure(config)
    if drawn and (out / reference.FIGURES / drawn).is_file():
        shutil.copyfile(out / reference.FIGURES / drawn, out / reference.RANKS)


def ranks_figure(config: Config) -> str:
    """Return the figure of critical differences with the most methods."""
    figures = []
    for key, paper in config.papers.items():
        for item, block in paper["items"].items():
            if block.get("draw") in _OF_RANKS:
                of = paper["items"].get(block.get("of", item), block)
                of = paper["items"].get(of.get("of", ""), of)
                figures.append((len(of.get("methods", {})), f"{key}_{item}.svg"))
    return max(figures, key=lambda pair: pair[0])[1] if figures else ""
