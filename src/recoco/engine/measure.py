"""Measure the needs of jobs, from the logs of a folder in which the workflow ran."""

import csv
import io
import os
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import astuple, fields
from pathlib import Path

from recoco.core.files import write_text
from recoco.datasets import list_cards
from recoco.engine.job import finished_jobs
from recoco.plan import name_from_path
from recoco.plan.needs import Row, read_rows

_STARTS = re.compile(r"n_init=(\d+)")
# A setting gets a row of its own where its seconds differ from those of its method by this factor
# and, over all of its runs, by this many seconds.
_FACTOR, _SECONDS = 2.0, 10.0


def measure(root: Path) -> list[Row]:
    """Return a row for every rule, method and dataset whose memory and seconds were logged."""
    jobs = [
        _job(name_from_path(job.path.as_posix()), job.seconds, *job.used)
        for job in finished_jobs(root)
        if job.used
    ]
    return aggregate(jobs)


def _job(name: str, seconds: float, mib: int, kb_in: int, kb_out: int) -> Row:
    """Return the row of one job.

    Its name is STAGE/DATASET or STAGE/DATASET/WEIGHTING/SLUG/BLOCK; that of an analysis begins with
    analyse/PAPER/STEP and is about the paper if no dataset follows.
    """
    stage, *names = name.removesuffix(".npz").removesuffix(".json").split("/")
    if stage == "analyse":
        paper, stage, *names = names
        names = names if names[0] in list_cards() else [paper]
    rule = "run" if stage == "runs" else stage
    slug = names[2] if rule in ("run", "words") else ""
    starts = 1
    if rule == "run":
        first, last = map(int, names[3].split("-"))
        n_init = _STARTS.search(slug)
        starts = (last - first) * (int(n_init[1]) if n_init else 1)
    return Row(rule, slug, names[0] if names else "", 1, starts, seconds, mib, kb_in, kb_out)


def aggregate(jobs: list[Row]) -> list[Row]:
    """Return a row per rule, method and dataset, and one for each setting that is far from it."""
    by_setting: dict[tuple, list[Row]] = defaultdict(list)
    by_method: dict[tuple, list[Row]] = defaultdict(list)
    for job in jobs:
        by_setting[job.key].append(job)
        by_method[job.rule, job.method.split(",")[0], job.dataset].append(job)
    rows = {key: _sum(key, group) for key, group in by_method.items()}
    for (rule, slug, dataset), group in by_setting.items():
        typical = rows[rule, slug.split(",")[0], dataset]
        own = _sum((rule, slug, dataset), group)
        expected = typical.seconds / typical.starts * own.starts
        far = not expected / _FACTOR <= own.seconds <= expected * _FACTOR
        if rule == "run" and "," in slug and far and abs(own.seconds - expected) > _SECONDS:
            rows[own.key] = own
    return [rows[key] for key in sorted(rows)]


def _sum(key: tuple[str, str, str], jobs: list[Row]) -> Row:
    seconds, starts = round(sum(job.seconds for job in jobs), 1), sum(job.starts for job in jobs)
    traffic = (sum(job.kb_in for job in jobs), sum(job.kb_out for job in jobs))
    return Row(*key, len(jobs), starts, seconds, max(job.mib for job in jobs), *traffic)


def measure_snakemake(root: Path) -> Row:
    """Return what Snakemake takes to read this workflow and to plan one job.

    Processor seconds are measured, so other work on this machine does not count.
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
    """Write rows into the table and keep its rows about other jobs."""
    kept = {row.key: row for row in [*read_rows(path), *rows]}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Row)])
    writer.writerows(astuple(kept[key]) for key in sorted(kept))
    write_text(path, text.getvalue())
