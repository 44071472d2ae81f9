"""Verify an archive on any machine: checksums, tables made again, trials run again."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from recoco import paths, plan
from recoco.archive.data import bring_data, project_at
from recoco.archive.differences import differences
from recoco.archive.digests import sha256_of
from recoco.archive.opening import Opened, open_archive
from recoco.archive.pack import SHOWN, render_archived
from recoco.archive.receipt import receipt_text
from recoco.config import Config, load_config
from recoco.errors import RecocoError
from recoco.schema import read_yaml
from recoco.store import read_json, write_json

# What is made again, and therefore put aside first.
_MADE_AGAIN = ("results/consensus", "results/scores", "results/compare", "reports")
_SHOWN_WHOLE = tuple(f"reports/{name}" for name in SHOWN)


def verify(
    archive: Path,
    rerun: str | None = None,
    seed: int = 0,
    cores: int | None = None,
    download: bool = False,
) -> int:
    """Print what holds and what does not; return 0 where the archive is identical, else 1."""
    here = paths.root()
    own = {entry.get("class") for entry in read_yaml(here / "config" / "methods.yaml").values()}
    with open_archive(archive) as opened, tempfile.TemporaryDirectory(prefix="recoco-") as scratch:
        print(f"archive: {sha256_of(archive)}")
        problems = _check_files(opened)
        if problems:
            return _end(problems)
        folder = Path(scratch) / "archive"
        opened.extract(folder)
        provenance = read_json(folder / "results" / "provenance.json")
        _say_code(folder)
        with project_at(folder):
            config = load_config(provenance["settings"])
            _refuse_foreign(config, own)
            told = bring_data(config, folder, here, download)
            for dataset, state in told.items():
                if state != "ok":
                    print(f"data: {dataset} {state}; its scores are taken as they are")
            at_hand = {dataset for dataset, state in told.items() if state == "ok"}
            print(f"data: {len(at_hand)} of {len(told)} datasets at hand as archived")
            problems = _make_again(config, folder, Path(scratch), provenance, at_hand, cores)
            if rerun:
                problems += _run_again(config, folder, rerun, seed, at_hand)
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


def _say_code(folder: Path) -> None:
    """Say whether the program that verifies is the archived one: its code is what runs."""
    ours = Path(__file__).resolve().parents[1]
    theirs = folder / "src" / "recoco"
    names = {p.relative_to(base).as_posix() for base in (ours, theirs) for p in base.rglob("*.py")}
    changed = [n for n in sorted(names) if _bytes(ours / n) != _bytes(theirs / n)]
    if changed:
        print(
            f"program: {len(changed)} modules of this recoco are not those of the archive "
            f"({', '.join(changed[:3])}{', ...' if len(changed) > 3 else ''}); "
            "differences may come from there"
        )
    else:
        print("program: this recoco is the archived one")


def _refuse_foreign(config: Config, own: set[str | None]) -> None:
    """Refuse methods of modules that are no part of recoco, unless they are known here too.

    A configuration names classes to be imported and called; that of a stranger may not.
    """
    for name, entry in config.methods.items():
        place = entry.get("class", "")
        if ":" in place and not place.startswith("recoco.") and place not in own:
            raise RecocoError(
                f"The archive's method {name!r} is code of its own ({place}): install it, trust "
                "it, and name it in your config/methods.yaml."
            )


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


# ---- tables -------------------------------------------------------------------------------


def _make_again(
    config: Config, folder: Path, scratch: Path, provenance: dict, at_hand: set[str], cores
) -> list[str]:
    """Score the stored runs, compare and render again; return each difference."""
    aside = scratch / "stored"
    for name in _MADE_AGAIN:
        if (folder / name).is_dir():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(folder / name, aside / name)
    scored = sorted(path.stem for path in (aside / "results" / "scores").glob("*.parquet"))
    again = [dataset for dataset in scored if dataset in at_hand]
    for dataset in set(scored) - set(again):
        for name in (f"scores/{dataset}.parquet", f"consensus/{dataset}.npz"):
            (folder / "results" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(aside / "results" / name, folder / "results" / name)
    write_json(folder / ".snakemake" / "recoco-overrides.json", provenance["settings"])
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
        found = [line for n in names for line in differences(aside / n, folder / n, n)]
        if not found:
            print(f"{part}: {len(names)} files made again, identical")
        problems += found
    receipt = receipt_text(config, folder, provenance)
    if receipt.encode() != (folder / "receipt.txt").read_bytes():
        problems.append("receipt.txt: not the receipt of these results")
    return problems


def _workflow(folder: Path, rules: list[str], targets: list[str], cores: int | None) -> None:
    """Run some rules of this recoco's workflow on the unpacked archive, and no other rule."""
    snakefile = Path(__file__).resolve().parents[3] / "Snakefile"
    if not snakefile.is_file():
        raise RecocoError("verify needs recoco's workflow: run it from a checkout (`make setup`).")
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(snakefile)),
        *("--directory", str(folder), "--cores", str(cores or len(os.sched_getaffinity(0)))),
        *("--configfile", str(folder / ".snakemake" / "recoco-overrides.json")),
        *("--workflow-profile", "none", "--nocolor", "--allowed-rules", *rules, "--", *targets),
    ]
    done = subprocess.run(
        command, env=_own_code(), capture_output=True, text=True, errors="replace"
    )
    if done.returncode:
        tail = [line for line in done.stderr.splitlines() if line.strip()][-8:]
        raise RecocoError(
            "The archived runs cannot be scored or compared again here:\n" + "\n".join(tail)
        )


def _own_code() -> dict[str, str]:
    """Return an environment in which Python takes no code from the unpacked archive."""
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    source = Path(__file__).resolve().parents[2]
    absolute = [str(source), *(os.path.abspath(entry) for entry in known if entry)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(absolute), "PYTHONSAFEPATH": "1"}


# ---- trials -------------------------------------------------------------------------------


def _run_again(config: Config, folder: Path, share: str, seed: int, at_hand: set[str]) -> list[str]:
    from recoco.archive.rerun import run_again, sample, trials_of

    plan.check_parameters(config)
    trials = trials_of(config, folder)
    drawn = sample(trials, share, seed)
    problems, same = [], 0
    for trial in drawn:
        if trial.setting.dataset not in at_hand:
            print(f"  {trial.name}: not tried, the data is not at hand")
            continue
        said = run_again(config, trial, folder)
        print(f"  {trial.name}: {said}")
        same += said == "identical"
        if said != "identical":
            problems.append(f"{trial.name}: {said}")
    print(f"rerun: {same} of {len(drawn)} trials identical, drawn from {len(trials)} (seed {seed})")
    return problems
