"""Write the reference from a finished reproduction: the same results give the same bytes."""

import shutil
import tempfile
import zipfile
from pathlib import Path

from recoco import plan, reference
from recoco.archive.contents import as_json, planned_blocks, planned_results
from recoco.archive.pack import scores_of, steady_provenance
from recoco.archive.receipt import last_config, receipt_text
from recoco.config import Config
from recoco.errors import RecocoError
from recoco.reference.page import page_text
from recoco.reference.scores import marks_of_blocks, write_scores
from recoco.store import write_text

_EPOCH = (1980, 1, 1, 0, 0, 0)
# What compare writes about a paper that a reader looks for, and that tells agreement.
_DATA = ("cells", "claims", "combinations")
# Read from the scores, not from the runs or what was made of them.
_MADE_OF_SCORES = ("runs", "consensus", "scores", "compare")
# Drawings of mean ranks with critical differences.
_OF_RANKS = ("critical_differences", "board_ranks")


def save(root: Path) -> Path:
    """Write ``reports/reference`` from the results at hand; return the folder."""
    config, provenance = last_config(root)
    steady = steady_provenance(provenance, config)
    # The commit that computed the results, whatever was committed since.
    steady |= {key: provenance[key] for key in ("commit", "dirty")}
    with tempfile.TemporaryDirectory(dir=root / "reports", prefix=".reference.") as scratch:
        fresh = Path(scratch) / "reference"
        fresh.mkdir()
        _write(config, root, steady, fresh)
        size = sum(path.stat().st_size for path in fresh.rglob("*") if path.is_file())
        if size > reference.MOST_BYTES:
            raise RecocoError(
                f"The reference would take {size / 1e6:.1f} MB and {reference.MOST_BYTES / 1e6:.0f}"
                f" MB is the most: its largest file is {_largest(fresh)}; leave something out."
            )
        target = reference.folder_of(root)
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)
    return target


def _write(config: Config, root: Path, provenance: dict, out: Path) -> None:
    (out / reference.PROVENANCE).write_bytes(as_json(provenance))
    write_text(out / reference.RECEIPT, receipt_text(config, root, provenance))
    marks = {}
    for setting, (ranges, total) in planned_blocks(config, root).items():
        blocks = [plan.block_path(setting, start, stop, root) for start, stop in ranges]
        name = (setting.dataset, setting.weighting, setting.slug)
        marks |= {(*name, run): mark for run, mark in marks_of_blocks(blocks, total).items()}
    write_scores(scores_of(config, root), marks, out / reference.SCORES)
    _write_findings(config, root, out / reference.FINDINGS)
    copy_data(config, root / "results" / "compare", out)
    write_report(config, root, root / "results", provenance, out)


def _write_findings(config: Config, root: Path, out: Path) -> None:
    """Write what compare and report read beside the scores, as one zip."""
    results = [
        path
        for path in planned_results(config, root)
        if path.relative_to(root).parts[1] not in _MADE_OF_SCORES
    ]
    prepared = root / "resources" / "prepared"
    records = [prepared / f"{dataset}.json" for dataset in plan.datasets_of(config)]
    timings = root / "results" / "timings.csv"
    files = [path for path in (*results, *records, timings) if path.is_file()]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            member = zipfile.ZipInfo(path.relative_to(root).as_posix(), _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, path.read_bytes(), compresslevel=9)


def copy_data(config: Config, compared: Path, out: Path) -> None:
    """Put what a reader looks for first beside the tables."""
    (out / reference.DATA).mkdir(exist_ok=True)
    for key in config.papers:
        for name in _DATA:
            shutil.copyfile(
                compared / key / f"{name}.csv", out / reference.DATA / f"{key}_{name}.csv"
            )


def write_report(config: Config, root: Path, results: Path, provenance: dict, out: Path) -> None:
    """Render the report and keep of it what can be read in the repository itself.

    Parameters
    ----------
    root : project whose configuration is used
    results : folder with ``scores``, ``compare`` and ``timings.csv``; the records of the data
        are in ``resources/prepared`` beside it
    """
    from recoco.report import render

    prepared = results.parent / "resources" / "prepared"
    known = [prepared / f"{dataset}.json" for dataset in plan.datasets_of(config)]
    timings = results / "timings.csv"
    with tempfile.TemporaryDirectory() as scratch:
        told, made = Path(scratch) / "provenance.json", Path(scratch) / "reports"
        told.write_bytes(as_json(provenance))
        render(
            compare_dirs={key: results / "compare" / key for key in config.papers},
            scores=scores_of(config, results.parent),
            characteristics=[path for path in known if path.is_file()],
            provenance=told,
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
    write_text(out / "README.md", page_text(config, provenance, out))


def ranks_figure(config: Config) -> str:
    """Return the figure of critical differences that stands for all: that of most methods."""
    found = []
    for key, paper in config.papers.items():
        for item, block in paper["items"].items():
            if block.get("draw") in _OF_RANKS:
                of = paper["items"].get(block.get("of", item), block)
                of = paper["items"].get(of.get("of", ""), of)
                found.append((len(of.get("methods", {})), f"{key}_{item}.svg"))
    return max(found, key=lambda pair: pair[0])[1] if found else ""


def _largest(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file()]
    path = max(files, key=lambda path: path.stat().st_size)
    return f"{path.relative_to(folder)} with {path.stat().st_size / 1e6:.1f} MB"
