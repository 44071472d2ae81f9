"""Where a result comes from: code, data, machine, seconds."""

import hashlib
import os
import platform
import subprocess
from collections import defaultdict
from importlib.metadata import distributions
from pathlib import Path

from recoco.config import Config, load_config
from recoco.core import paths
from recoco.core.files import read_json, write_json, write_text
from recoco.core.fingerprint import fingerprint
from recoco.engine.job import finished_jobs
from recoco.plan import blocks_of, import_path, missing, name_from_path, settings_of


def write_provenance(
    config: Config, characteristics: list[Path], runs: dict[str, int], out: Path
) -> None:
    """Write everything that a reader needs to judge or repeat this reproduction."""
    root = paths.root()
    records = [read_json(path) for path in characteristics]
    methods = sorted({setting.method for setting in settings_of(config)})
    write_json(
        out,
        {
            **commit_now(),
            "settings": _settings(config, runs),
            "lock_sha256": hashlib.sha256((root / "requirements.lock").read_bytes()).hexdigest(),
            "master_seed": config.master_seed,
            "python": platform.python_version(),
            "packages": dict(
                sorted((d.metadata["Name"].lower(), d.version) for d in distributions())
            ),
            "machine": machine(),
            "stages": stages(planned_jobs(config, root)),
            "data": [_data(record) for record in records],
            "data_mode": data_mode(records),
            "runs": runs_sentence(runs),
            "fingerprints": {
                method: fingerprint(import_path(config, method), "recoco.runs.block:run_block")
                for method in methods
            },
        },
    )


def _settings(config: Config, runs: dict[str, int]) -> dict:
    """Return the configuration; a first pass that finds all runs done is as good as the second."""
    settings = config.settings
    if runs["complete"] < runs["settings"]:
        return settings
    return {**settings, "runs": {**settings["runs"], "first_only": False}}


def commit_now() -> dict:
    """Return the commit of the checkout and whether files have been changed since."""
    return {
        "commit": _git("rev-parse", "HEAD") or "not a git checkout",
        "dirty": bool(_git("status", "--porcelain", "--untracked-files=no")),
    }


def commit_date() -> str:
    """Return the date of the commit, the only date that two reproductions share."""
    return _git("log", "-1", "--format=%cI") or "1980-01-01T00:00:00+00:00"


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=paths.root(), capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def machine() -> dict:
    """Describe the machine without its name."""
    cpu, memory = platform.processor() or platform.machine(), None
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                cpu = line.partition(":")[2].strip()
                break
        memory = round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)
    except (OSError, ValueError):
        pass
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_gib": memory,
        "system": f"{platform.system()} {platform.machine()}",
    }


def stages(jobs: list[dict]) -> list[dict]:
    """Return jobs and seconds of every stage, with the runs split by method."""
    seconds: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    for job in jobs:
        stage = job["stage"]
        if stage == "runs":
            stage = f"run {job['name'].split('/')[2].split(',')[0]}"
        seconds[stage] += job["seconds"]
        count[stage] += 1
    return [
        {"stage": stage, "jobs": count[stage], "seconds": round(seconds[stage], 2)}
        for stage in sorted(seconds)
    ]


def planned_jobs(config: Config, root: Path) -> list[dict]:
    """Return stage, name and seconds of every job that finished, from its log.

    Logs of settings that the configuration no longer asks for are left out.
    """
    absent = missing(config, root)
    planned = {s.name for s in settings_of(config) if s.dataset not in absent}
    jobs = []
    for job in finished_jobs(root):
        stage, _, name = name_from_path(job.path.as_posix()).partition("/")
        if stage != "runs" or name.rpartition("/")[0] in planned:
            jobs.append({"stage": stage, "name": name, "path": job.path, "seconds": job.seconds})
    return jobs


def write_timings(config: Config, root: Path, out: Path) -> None:
    """Write the seconds of every finished job as a table.

    ``computing`` is the part of them that a block of runs spent on reading its data and computing.
    """
    lines = ["stage,name,seconds,jobs,computing"]
    for job in planned_jobs(config, root):
        name = job["name"] or job["stage"]
        seconds = root / "results" / f"{job['path']}.seconds.json"
        block = job["stage"] == "runs" and seconds.is_file()
        computing = f"{read_json(seconds)['seconds']:.3f}" if block else ""
        lines.append(f'{job["stage"]},"{name}",{job["seconds"]:.3f},1,{computing}')
    write_text(out, "\n".join(lines) + "\n")


def _data(record: dict) -> dict:
    source = record.get("source") or {}
    receipt = paths.raw(record["dataset"]) / "receipt.json"
    files = read_json(receipt).get("files", []) if receipt.is_file() else []
    return {
        "dataset": record["dataset"],
        "status": record["status"],
        "source": f"{source.get('kind', '')}: {source.get('where', '')}" if source else "",
        "sha256": [entry["sha256"] for entry in files],
    }


def data_mode(records: list[dict]) -> str:
    """Return a sentence about the sources that were available."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for record in records:
        kind = record["source"]["kind"] if record["status"] != "unreachable" else "unreachable"
        kinds[kind].append(record["dataset"])
    words = {
        "mirror": "from a mirror folder",
        "url": "from the web",
        "package": "from packages of a registry",
        "synthetic": "made by the program",
        "twin": "unreachable from here and replaced by twins (drawn data, nothing is judged on it)",
        "unreachable": "unreachable from here",
    }
    parts = [
        f"{len(kinds[kind])} {text} ({', '.join(sorted(kinds[kind]))})"
        for kind, text in words.items()
        if kinds[kind]
    ]
    return f"Data: of {len(records)} datasets, {'; '.join(parts)}."


def run_counts(config: Config, root: Path) -> dict[str, int]:
    """Count the runs behind a report, and the settings that have all runs of the papers."""
    runs = {**config.settings["runs"], "first_only": False, "most": None}
    whole = settings_of(load_config({**config.settings, "runs": runs}))
    absent = missing(config, root)
    totals = {
        setting: blocks_of(config, setting, total, root)[1]
        for setting, total in settings_of(config).items()
        if setting.dataset not in absent
    }
    return {
        "fewest": min(totals.values(), default=0),
        "most": max(totals.values(), default=0),
        "settings": sum(setting.dataset not in absent for setting in whole),
        "complete": sum(total >= whole.get(setting, 0) for setting, total in totals.items()),
    }


def runs_sentence(runs: dict[str, int]) -> str:
    """Return a sentence about the number of runs behind the cells of a report.

    Parameters
    ----------
    runs : the fewest and the most runs of any setting, the settings that the full protocol has,
        and how many of them have all their runs
    """
    fewest, most = runs["fewest"], runs["most"]
    if most == 0:
        return "No run is behind this report: no dataset is available."
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    if runs["complete"] >= runs["settings"]:
        return (
            "Full protocol: every cell uses the paper's own number of runs; alternative readings "
            f"may use fewer ({count})."
        )
    return (
        f"Preliminary: cells use {count} runs, as each of them states; "
        f"{runs['complete']} of {runs['settings']} settings have all runs of the papers, "
        "`make reproduce` computes the others."
    )
