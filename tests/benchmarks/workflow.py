"""What the workflow costs besides its computations: a small project on a planted dataset.

The project has the real workflow and a table made for this. Data and kernels are made ready by a
first reproduction; then all results are deleted and made again on one core, by the clock. What
that takes beyond the seconds of the blocks of runs (reading the prepared data and computing) is
overhead: Snakemake, the start of a process for each job, scores, comparison and report.
"""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from benchmarks.timing import Target, svg
from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import read_json

CARD = {
    "title": "Planted model of the benchmark",
    "description": "A planted diagonal block model.",
    "citation": "recoco itself.",
    "licence": "None needed.",
    "by_hand": "Nothing to get: it is drawn.",
    "content": "counts",
}
SIZE = {"rows": 6000, "columns": 4000, "clusters": 8, "density": 0.01, "noise": 0.3, "seed": 1}
METHODS = {"Coclus": "coclus", "NMF": "nmf", "NMTF": "nmtf", "WC-NMTF": "wcnmtf"}
RUNS = 100  # as in the papers
BOUND = 15


def measure(repetitions: int) -> dict:
    """Reproduce the project, warm, once: it takes minutes.

    Returns
    -------
    dict with ``seconds`` by the clock, ``kernel_seconds`` of the blocks, their difference as
    ``overhead`` in percent, ``jobs`` (number of jobs) and ``parts``: where the overhead is
    """
    with tempfile.TemporaryDirectory(prefix="recoco-bench-") as name:
        project = make_project(Path(name) / "project")
        _reproduce(project, "--runs", "2")
        for part in ("results", "reports", "logs"):
            shutil.rmtree(project / part, ignore_errors=True)
        begin = time.perf_counter()
        _reproduce(project)
        found = _spent(project, time.perf_counter() - begin)
    return {"runs": RUNS, "methods": list(METHODS), **found, "at_hand": _at_hand(paths.root())}


def _at_hand(root: Path) -> dict | None:
    """What the jobs of the last reproduction in the checkout took, from their logs."""
    path = root / "results" / "timings.csv"
    if not path.is_file():
        return None
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    blocks = [row for row in rows if row["computing"]]
    computing = sum(float(row["computing"]) for row in blocks)
    seconds = sum(float(row["seconds"]) for row in rows)
    return {
        "jobs": len(rows),
        "blocks": len(blocks),
        "seconds": seconds,
        "kernel_seconds": computing,
        "overhead": 100 * (seconds / computing - 1) if computing else None,
    }


def make_project(folder: Path) -> Path:
    """Write a project with the real workflow, one dataset and one table."""
    root = paths.root()
    folder.mkdir(parents=True)
    for name in ("Snakefile", "environment.yml", "requirements.lock", "pyproject.toml"):
        shutil.copy(root / name, folder / name)
    for name in ("workflow", "profiles", "config"):
        shutil.copytree(root / name, folder / name)
    shutil.rmtree(folder / "config" / "papers")
    (folder / "config" / "papers" / "bench").mkdir(parents=True)
    expected = {"rows": SIZE["rows"], "columns": [SIZE["columns"]], "classes": SIZE["clusters"]}
    sources = [{"kind": "synthetic", "planted": SIZE}]
    table = {
        "kind": "scores",
        "title": "Table 1",
        "published": "table1",
        "datasets": {"PLANTED": "planted-bench"},
        "weightings": {"tfidf-l2": "tfidf-l2"},
        "methods": METHODS,
        "metrics": ["acc", "nmi"],
    }
    paper = {"key": "bench", "title": "A paper made for the benchmark", "authors": "nobody"}
    paper |= {"venue": "none", "year": 2000, "runs": RUNS, "items": {"table1": table}}
    write = {
        "datasets/planted-bench.yaml": {**CARD, "expected": expected, "sources": sources},
        "papers/bench/paper.yaml": paper,
        "config.yaml": {"papers": ["bench"], "master_seed": 7, "runs": {"first": RUNS}},
    }
    for name, content in write.items():
        (folder / "config" / name).write_text(yaml.safe_dump(content, sort_keys=False))
    (folder / "config" / "papers" / "bench" / "published.csv").write_text(
        "paper,item,dataset,weighting,method,metric,value,sd,best,note\n"
        "bench,table1,PLANTED,tfidf-l2,Coclus,acc,0.5,0.5,,\n"
    )
    return folder


def _reproduce(project: Path, *options: str) -> None:
    command = [sys.executable, "-m", "recoco", "reproduce", "--quick", "--cores", "1", *options]
    env = {**os.environ, "RECOCO_ROOT": str(project), "RECOCO_MIRROR": ""}
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RecocoError(f"The project of the benchmark failed: {done.stderr.strip()[-500:]}")


def _spent(project: Path, seconds: float) -> dict:
    from recoco.engine.job import FINISHED

    blocks = [read_json(path) for path in (project / "results").rglob("*.seconds.json")]
    kernels = sum(block["seconds"] for block in blocks)
    inside = {"runs": 0.0, "other jobs": 0.0}
    jobs = 0
    for path in (project / "logs").rglob("*.log"):
        found = FINISHED.search(path.read_text(encoding="utf-8", errors="replace"))
        if found:
            jobs += 1
            stage = path.relative_to(project / "logs").parts[0]
            inside["runs" if stage == "runs" else "other jobs"] += float(found[1])
    return {
        "seconds": seconds,
        "kernel_seconds": kernels,
        "overhead": 100 * (seconds / kernels - 1),
        "jobs": jobs,
        "blocks": len(blocks),
        "parts": {
            "computing": kernels,
            "around the blocks": inside["runs"] - kernels,
            "other jobs": inside["other jobs"],
            "Snakemake and starting processes": seconds - sum(inside.values()),
        },
    }


def targets(results: dict) -> list[Target]:
    besides = results["seconds"] - results["kernel_seconds"]
    rows = [
        Target(
            "overhead of the workflow, warm",
            "its own sum of kernel seconds",
            results["overhead"],
            BOUND,
            most=True,
            unit=" %",
            note=f"{besides:.0f} s besides {results['kernel_seconds']:.0f} s of computing, "
            f"{results['jobs']} jobs; met from {100 * besides / BOUND:.0f} s of computing on",
        )
    ]
    at_hand = results["at_hand"]
    if at_hand and at_hand["overhead"] is not None:
        rows.append(
            Target(
                "overhead of the last reproduction's jobs",
                "its own sum of kernel seconds",
                at_hand["overhead"],
                BOUND,
                most=True,
                unit=" %",
                note=f"{at_hand['jobs']} jobs, {at_hand['kernel_seconds']:.0f} s of computing; "
                "without Snakemake and the start of processes",
            )
        )
    return rows


def markdown(results: dict) -> str:
    """The results as a table."""
    lines = [
        "## The workflow",
        "",
        f"A project of one planted dataset, {', '.join(results['methods'])} and {results['runs']} "
        "runs of each, reproduced anew on one core with data and kernels ready: "
        f"{results['seconds']:.1f} s, of which {results['kernel_seconds']:.1f} s are spent in "
        f"{results['blocks']} blocks of runs. Overhead: {results['overhead']:.0f} %. It hardly "
        "grows with the runs: more of them make it a smaller share.",
        "",
        "| part | seconds | share of computing |",
        "|---|---:|---:|",
    ]
    for name, seconds in results["parts"].items():
        share = 100 * seconds / results["kernel_seconds"]
        lines.append(f"| {name} | {seconds:.1f} | {share:.0f} % |")
    each = results["parts"]["around the blocks"] / results["blocks"]
    lines += [
        "",
        f"Around a block of runs are {each:.1f} s by its own clock. A job is a process of its own, "
        "so that a method that crashes or eats all memory takes no other with it; it is forked "
        "from one that has imported scikit-learn and numba (`recoco.engine.workers`): alone, each "
        "would spend more than a second on that.",
    ]
    at_hand = results["at_hand"]
    if at_hand and at_hand["overhead"] is not None:
        lines += [
            "",
            f"The last reproduction in this checkout: {at_hand['jobs']} jobs took "
            f"{at_hand['seconds']:.0f} s by their own clocks, {at_hand['blocks']} blocks of runs "
            f"computed for {at_hand['kernel_seconds']:.0f} s of them: {at_hand['overhead']:.0f} % "
            "besides, without Snakemake and the start of processes.",
        ]
    return "\n".join(lines) + "\n"


def chart(results: dict, path) -> None:
    """One bar, by parts."""
    colours = ("#1f5fa8", "#7a9cc6", "#c2571a", "#b0b7c3")
    with svg(path, (7, 1.6)) as axes:
        left = 0.0
        for (name, seconds), colour in zip(results["parts"].items(), colours, strict=True):
            axes.barh([""], [seconds], left=left, color=colour, label=f"{name}, {seconds:.1f} s")
            left += seconds
        axes.set_xlabel("seconds by the clock")
        axes.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
