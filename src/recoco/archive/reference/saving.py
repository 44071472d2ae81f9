"""Save the papers of a finished reproduction as the reference run."""

import shutil
import tempfile
import zipfile
from pathlib import Path

from recoco import plan
from recoco.archive import reference
from recoco.archive.contents import as_json, planned_blocks, planned_results
from recoco.archive.pack import scores_of, steady_provenance
from recoco.archive.receipt import last_config, receipt_text
from recoco.archive.reference.again import write_pages
from recoco.archive.reference.scores import marks_of_blocks, write_scores
from recoco.compare.twins import judged_record
from recoco.config import Config, load_config
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json, write_text
from recoco.report.provenance import data_mode, run_counts, runs_sentence, write_timings

_EPOCH = (1980, 1, 1, 0, 0, 0)


def save(root: Path) -> Path:
    """Save the papers of the results in this folder in ``reports/reference``; return the folder.

    Papers that are there already and not among them stay as they are.
    """
    config, provenance = last_config(root)
    target = reference.folder_of(root)
    with tempfile.TemporaryDirectory(dir=root / "reports", prefix=".reference.") as scratch:
        fresh = Path(scratch) / "reference"
        fresh.mkdir()
        for key in reference.parts_of(target):
            if key not in config.papers:
                shutil.copytree(target / key, fresh / key)
        for key in config.papers:
            _write_part(key, provenance, root, fresh / key)
        write_pages(root, fresh, fresh)
        size = sum(path.stat().st_size for path in fresh.rglob("*") if path.is_file())
        if size > reference.MOST_BYTES:
            raise RecocoError(
                f"The reference would take {size / 1e6:.1f} MB and {reference.MOST_BYTES / 1e6:.0f}"
                f" MB is the most: its largest file is {_largest(fresh)}; leave something out."
            )
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)
    return target


def _write_part(key: str, whole: dict, root: Path, out: Path) -> None:
    """Write the part of one paper."""
    # Twins are no part of a reference: without them, their datasets are unreachable.
    config = load_config({**whole["settings"], "papers": [key], "twins": "none"})
    provenance = _of_the_paper(config, whole, root)
    out.mkdir()
    (out / reference.PROVENANCE).write_bytes(as_json(provenance))
    write_text(out / reference.RECEIPT, receipt_text(config, root, provenance))
    marks = {}
    for setting, (ranges, total) in planned_blocks(config, root).items():
        blocks = [plan.block_path(setting, start, stop, root) for start, stop in ranges]
        name = (setting.dataset, setting.weighting, setting.slug)
        marks |= {(*name, run): mark for run, mark in marks_of_blocks(blocks, total).items()}
    runs_of_setting = {setting.name: runs for setting, runs in plan.settings_of(config).items()}
    write_scores(scores_of(config, root), marks, out / reference.SCORES, runs_of_setting)
    _write_findings(config, key, root, out / reference.FINDINGS)


def _of_the_paper(config: Config, whole: dict, root: Path) -> dict:
    """Return the provenance of a paper, with the commit that computed it."""
    cards = plan.datasets_of(config)
    methods = {setting.method for setting in plan.settings_of(config)}
    known = whole.get("fingerprints", {})
    return {
        **steady_provenance(whole, config),
        **{key: whole[key] for key in ("commit", "dirty")},
        "data_mode": data_mode([judged_record(read_json(p)) for p in _records(cards, root)]),
        "data": [_judged(entry) for entry in whole.get("data", []) if entry["dataset"] in cards],
        "fingerprints": {name: code for name, code in known.items() if name in methods},
        "runs": runs_sentence(run_counts(config, root)),
    }


def _judged(entry: dict) -> dict:
    """Return what a provenance says about a dataset, without its twin."""
    if entry["status"] != "twin":
        return entry
    return {**entry, "status": "unreachable", "source": ""}


def _write_findings(config: Config, key: str, root: Path, out: Path) -> None:
    """Write what compare and report read in addition to the scores, as one zip."""
    cards = plan.datasets_of(config)
    results = [
        path
        for path in planned_results(config, root)
        if path.relative_to(root).parts[1:3] == ("analyse", key)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        timings = Path(scratch) / "results" / "timings.csv"
        write_timings(config, root, timings)
        members = {p.relative_to(root).as_posix(): p for p in (*results, *_records(cards, root))}
        for name in sorted(plan.twins(root) & set(cards)):
            record = Path("resources", "prepared", f"{name}.json")
            write_json(Path(scratch) / record, judged_record(read_json(root / record)))
            members[record.as_posix()] = Path(scratch) / record
        members |= {timings.relative_to(scratch).as_posix(): timings}
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, path in sorted(members.items()):
                member = zipfile.ZipInfo(name, _EPOCH)
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, path.read_bytes(), compresslevel=9)


def _records(cards: list[str], root: Path) -> list[Path]:
    """Return the files with the characteristics of the datasets."""
    files = [root / "resources" / "prepared" / f"{card}.json" for card in cards]
    return [path for path in files if path.is_file()]


def _largest(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file()]
    path = max(files, key=lambda path: path.stat().st_size)
    return f"{path.relative_to(folder)} with {path.stat().st_size / 1e6:.1f} MB"
