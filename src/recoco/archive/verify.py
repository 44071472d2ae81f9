"""Verify an archive on any machine: checksums, recomputed tables, repeated runs."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from recoco import plan
from recoco.archive.data import bring_data, project_at
from recoco.archive.differences import differences
from recoco.archive.opening import Opened, open_archive
from recoco.archive.pack import SHOWN, render_archived
from recoco.archive.receipt import receipt_text
from recoco.archive.trust import own_environment, trusted_config, unpack_data
from recoco.config import Config
from recoco.core import paths
from recoco.core.checksums import sha256_of
from recoco.core.errors import RecocoError
from recoco.core.files import read_json

# Folders that are recomputed; the archived ones are moved away first.
_MADE_AGAIN = ("results/consensus", "results/scores", "results/compare", "reports")
_SOURCE = "src/recoco/"
_SHOWN_WHOLE = tuple(f"reports/{name}" for name in SHOWN)


def verify(
    archive: Path,
    rerun: str | None = None,
    seed: int = 0,
    cores: int | None = None,
    download: bool = False,
) -> int:
    """Print the result of each check; return 0 if everything is identical, else 1."""
    here = paths.root()
    with open_archive(archive) as opened, tempfile.TemporaryDirectory(prefix="recoco-") as scratch:
        print(f"archive: {sha256_of(archive)}")
        problems = _check_files(opened)
        if problems:
            return _end(problems)
        folder = Path(scratch) / "archive"
        unpack_data(opened, folder, here)
        provenance = read_json(folder / "results" / "provenance.json")
        _say_code(opened)
        with project_at(folder):
            config = trusted_config(folder, here, provenance["settings"])
            states = bring_data(config, folder, here, download)
            for dataset, state in states.items():
                if state != "ok":
                    print(f"data: {dataset} {state}; its archived scores are used")
            available = {dataset for dataset, state in states.items() if state == "ok"}
            print(f"data: {len(available)} of {len(states)} datasets are available as archived")
            problems = _make_again(config, folder, Path(scratch), provenance, available, cores)
            if rerun:
                problems += _run_again(config, folder, rerun, seed, available)
    return _end(problems)


def _end(problems: list[str]) -> int:
    for line in problems:
        print(f"  {line}")
    print("identical" if not problems else f"NOT identical: {len(problems)} differences")
    return 1 if problems else 0


def _check_files(opened: Opened) -> list[str]:
    problems = opened.problems_of_files()
    if not problems:
        print(f"checksums: all {len(opened.members) - 1} files are as listed")
    crate = opened.problems_of_crate()
    if not crate:
        print("crate: fits the files")
    return problems + [f"crate: {line}" for line in crate]


def _say_code(opened: Opened) -> None:
    """Say whether this recoco, whose code runs, is the archived one."""
    ours = Path(__file__).resolve().parents[1]
    mine = {path.relative_to(ours).as_posix(): sha256_of(path) for path in ours.rglob("*.py")}
    theirs = {
        name.removeprefix(_SOURCE): opened.sha256(name)
        for name in opened.members
        if name.startswith(_SOURCE) and name.endswith(".py")
    }
    changed = [n for n in sorted({*mine, *theirs}) if mine.get(n) != theirs.get(n)]
    if changed:
        print(
            f"program: {len(changed)} modules of this recoco differ from those of the archive "
            f"({', '.join(changed[:3])}{', ...' if len(changed) > 3 else ''}); "
            "this may cause differences"
        )
    else:
        print("program: this recoco is the archived one")


# ---- tables -------------------------------------------------------------------------------


def _make_again(
    config: Config, folder: Path, scratch: Path, provenance: dict, available: set[str], cores
) -> list[str]:
    """Score the archived runs, compare and render again; return each difference."""
    aside = scratch / "stored"
    for name in _MADE_AGAIN:
        if (folder / name).is_dir():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(folder / name, aside / name)
    scored = sorted(path.stem for path in (aside / "results" / "scores").glob("*.parquet"))
    again = [dataset for dataset in scored if dataset in available]
    for dataset in set(scored) - set(again):
        for name in (f"scores/{dataset}.parquet", f"consensus/{dataset}.npz"):
            (folder / "results" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(aside / "results" / name, folder / "results" / name)
    targets = [f"results/scores/{dataset}.parquet" for dataset in again]
    if targets:
        _workflow(folder, ["consensus", "score"], targets, cores)
    tables = [f"results/compare/{paper}/cells.csv" for paper in config.papers]
    _workflow(folder, ["compare"], tables, cores)
    render_archived(config, folder, provenance, folder / "reports")
    problems = []
    for part in _MADE_AGAIN:
        names = sorted(
            {
                path.relative_to(base).as_posix()
                for base in (aside, folder)
                for path in (base / part).rglob("*")
                if path.is_file() and not path.name.startswith(".")
            }
        )
        names = [name for name in names if name not in _SHOWN_WHOLE]
        lines = [line for n in names for line in differences(aside / n, folder / n, n)]
        if not lines:
            print(f"{part}: {len(names)} files recomputed, identical")
        problems += lines
    receipt = receipt_text(config, folder, provenance)
    if receipt.encode() != (folder / "receipt.txt").read_bytes():
        problems.append("receipt.txt: not the receipt of these results")
    return problems


def _workflow(folder: Path, rules: list[str], targets: list[str], cores: int | None) -> None:
    """Run only some rules of this recoco's workflow, on the unpacked archive."""
    snakefile = Path(__file__).resolve().parents[3] / "Snakefile"
    if not snakefile.is_file():
        raise RecocoError("verify needs recoco's workflow: run it from a checkout (`make setup`).")
    command = [
        *(sys.executable, "-P", "-m", "snakemake", "--snakefile", str(snakefile)),
        *("--directory", str(folder), "--cores", str(cores or len(os.sched_getaffinity(0)))),
        *("--workflow-profile", "none", "--nocolor", "--allowed-rules", *rules, "--", *targets),
    ]
    done = subprocess.run(
        command, env=own_environment(), capture_output=True, text=True, errors="replace"
    )
    if done.returncode:
        tail = [line for line in done.stderr.splitlines() if line.strip()][-8:]
        raise RecocoError(
            "The archived runs cannot be scored or compared again here:\n" + "\n".join(tail)
        )


# ---- trials -------------------------------------------------------------------------------


def _run_again(
    config: Config, folder: Path, share: str, seed: int, available: set[str]
) -> list[str]:
    from recoco.archive.rerun import run_again, sample, trials_of

    plan.check_parameters(config)
    trials = trials_of(config, folder)
    drawn = sample(trials, share, seed)
    problems, same = [], 0
    for trial in drawn:
        if trial.setting.dataset not in available:
            print(f"  {trial.name}: skipped, the data is not available")
            continue
        outcome = run_again(config, trial, folder)
        print(f"  {trial.name}: {outcome}")
        same += outcome == "identical"
        if outcome != "identical":
            problems.append(f"{trial.name}: {outcome}")
    print(f"rerun: {same} of {len(drawn)} trials identical, drawn from {len(trials)} (seed {seed})")
    return problems
