"""Measure what jobs need: from the logs and files of a folder in which the workflow ran."""

import csv
import io
import os
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import astuple, fields
from pathlib import Path

from recoco.job import FINISHED, PEAK
from recoco.needs import Row, read_rows
from recoco.store import write_text

_STARTS = re.compile(r"n_init=(\d+)")


def measure(root: Path) -> list[Row]:
    """Return a row for every rule, method and dataset whose logs say memory and seconds."""
    found: dict[tuple[str, str, str], list[tuple]] = defaultdict(list)
    for path in sorted((root / "logs").rglob("*.log")):
        text = path.read_text(encoding="utf-8", errors="replace")
        seconds, peak = FINISHED.search(text), PEAK.search(text)
        if not seconds or not peak:
            continue
        stage, *names = path.relative_to(root / "logs").with_suffix("").parts
        rule = "run" if stage == "runs" else stage
        method = names[2].split(",")[0] if rule in ("run", "words") else ""
        key = (rule, method, names[0] if names else "")
        given, made = _files(root, rule, names)
        found[key].append(
            (_starts(root, rule, names), float(seconds[1]), int(peak[1]), _kb(given), _kb(made))
        )
    rows = []
    for key, jobs in sorted(found.items()):
        starts, seconds, peak, given, made = zip(*jobs, strict=True)
        row = (len(jobs), sum(starts), round(sum(seconds), 1), max(peak), sum(given), sum(made))
        rows.append(Row(*key, *row))
    return rows


def measure_snakemake(root: Path) -> Row:
    """Return what Snakemake takes to read this workflow and to plan one job.

    Its seconds are those of the processor: what else runs here meanwhile does not count.
    """
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "--cores", "1"]
    process = subprocess.Popen(
        [*command, "--nolock", "--", "resources/kernels.done"],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, _, used = os.wait4(process.pid, 0)
    seconds = round(used.ru_utime + used.ru_stime, 1)
    return Row("snakemake", "", "", 1, 1, seconds, round(used.ru_maxrss / 1024), 0, 0)


def write_needs(rows: list[Row], path: Path) -> None:
    """Write rows into the table; what it has of other jobs stays."""
    kept = {row.key: row for row in [*read_rows(path), *rows]}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Row)])
    writer.writerows(astuple(kept[key]) for key in sorted(kept))
    write_text(path, text.getvalue())


def _starts(root: Path, rule: str, names: list[str]) -> int:
    if rule == "run":
        first, last = map(int, names[3].split("-"))
        each = _STARTS.search(names[2])
        return (last - first) * (int(each[1]) if each else 1)
    if rule in ("consensus", "score"):
        blocks = [path.stem.split("-") for path in _blocks(root, names[0])]
        return sum(int(last) - int(first) for first, last in blocks) or 1
    return 1


def _blocks(root: Path, dataset: str) -> list[Path]:
    return sorted((root / "results" / "runs" / dataset).rglob("*.npz"))


def _files(root: Path, rule: str, names: list[str]) -> tuple[list[Path], list[Path]]:
    """Return the files that a job reads and those that it writes."""
    results, name = root / "results", names[0] if names else ""
    data = root / "resources" / "prepared" / f"{name}.npz"
    raw, scores = root / "resources" / "raw" / name, results / "scores"
    match rule:
        case "run":
            return [data], [results / "runs" / ("/".join(names) + ".npz")]
        case "words":
            return [data], [results / "words" / ("/".join(names) + ".npz")]
        case "fetch":
            return [], _all(raw)
        case "prepare":
            return _all(raw), [data]
        case "consensus":
            return _blocks(root, name), [results / "consensus" / f"{name}.npz"]
        case "score":
            return [data, *_blocks(root, name)], [scores / f"{name}.parquet"]
        case "coherence":
            return _all(results / "words" / name), [results / "coherence" / f"{name}.npz"]
        case "densities" | "ensembles" | "topics" | "fusions":
            runs = [] if rule == "densities" else _blocks(root, name)
            return [data, *runs], [results / rule / f"{name}.json"]
        case "coclusters":
            runs = _all(results / "runs" / Path(*names))
            return [data, *runs], [results / rule / ("/".join(names) + ".npz")]
        case "neighbours":
            return _all(results / "coclusters" / name), [results / rule / f"{name}.npz"]
        case "representatives":
            runs = _all(results / "runs" / Path(*names))
            return [data, *runs], [results / rule / ("/".join(names) + ".json")]
        case "scaling" | "convergence":
            return [], list((results / rule / name).glob(f"{names[1]}.*"))
        case "compare":
            return _all(scores), _all(results / "compare" / name)
        case "report":
            return [*_all(scores), *_all(results / "compare")], _all(root / "reports")
    return [], []


def _all(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _kb(files: list[Path]) -> int:
    return round(sum(path.stat().st_size for path in files if path.is_file()) / 1000)
