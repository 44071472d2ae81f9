"""Score, compare and render archived runs again, with the verifier's own program."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from recoco import plan
from recoco.archive.differences import differences
from recoco.archive.levels import DERIVES, Findings
from recoco.archive.pack import SHOWN, render_archived
from recoco.archive.receipt import receipt_text
from recoco.archive.trust import own_environment
from recoco.config import Config
from recoco.core.errors import RecocoError
from recoco.core.texts import one_line

# Folders that are recomputed; the archived ones are moved away first.
_MADE_AGAIN = ("results/consensus", "results/scores", "results/compare", "reports")
_SHOWN_WHOLE = tuple(f"reports/{name}" for name in SHOWN)


def derive(
    config: Config,
    folder: Path,
    scratch: Path,
    provenance: dict,
    available: set[str],
    cores: int,
    findings: Findings,
) -> None:
    """Compute everything that follows from the archived runs; add each difference.

    Parameters
    ----------
    folder : the unpacked archive, which is the current project
    scratch : a folder for the archived results
    provenance : the archived provenance
    available : datasets whose runs can be scored; the archived scores of others are kept
    """
    aside = scratch / "stored"
    for name in _MADE_AGAIN:
        if (folder / name).is_dir():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(folder / name, aside / name)
    _score(folder, aside, available, cores)
    tables = [f"results/compare/{paper}/cells.csv" for paper in config.papers]
    _workflow(folder, ["compare"], tables, cores)
    render_archived(config, folder, provenance, folder / "reports")
    for part in _MADE_AGAIN:
        names = sorted(
            {
                path.relative_to(base).as_posix()
                for base in (aside, folder)
                for path in (base / part).rglob("*")
                if path.is_file() and not path.name.startswith(".")
            }
            - set(_SHOWN_WHOLE)
        )
        before = len(findings.differences)
        for name in names:
            for line in differences(aside / name, folder / name, name):
                findings.differs(DERIVES, line, _papers_of(config, name))
        if len(findings.differences) == before:
            print(f"{part}: {len(names)} files recomputed, identical", flush=True)
    receipt = receipt_text(config, folder, provenance)
    if receipt.encode() != (folder / "receipt.txt").read_bytes():
        findings.differs(DERIVES, "receipt.txt: not the receipt of these results")


def _score(folder: Path, aside: Path, available: set[str], cores: int) -> None:
    """Score the archived runs of the datasets that are available; keep the other scores."""
    scored = sorted(path.stem for path in (aside / "results" / "scores").glob("*.parquet"))
    for dataset in set(scored) - available:
        for name in (f"scores/{dataset}.parquet", f"consensus/{dataset}.npz"):
            (folder / "results" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(aside / "results" / name, folder / "results" / name)
    targets = [f"results/scores/{dataset}.parquet" for dataset in scored if dataset in available]
    if targets:
        _workflow(folder, ["consensus", "score"], targets, cores)


def _papers_of(config: Config, name: str) -> list[str] | None:
    """Return the papers that a recomputed file is about, None for all of them."""
    path = Path(name)
    if path.parts[:2] == ("results", "compare"):
        return [path.parts[2]]
    if path.parts[:2] in (("results", "scores"), ("results", "consensus")):
        return plan.papers_with(config, path.stem)
    return [key for key in config.papers if path.name.startswith(f"{key}_")] or None


def _workflow(folder: Path, rules: list[str], targets: list[str], cores: int) -> None:
    """Run only some rules of this recoco's workflow, on the unpacked archive."""
    snakefile = Path(os.environ["RECOCO_CODE"], "Snakefile")
    command = [
        *(sys.executable, "-P", "-m", "snakemake", "--snakefile", str(snakefile)),
        *("--directory", str(folder), "--cores", str(cores)),
        *("--workflow-profile", "none", "--nocolor", "--allowed-rules", *rules, "--", *targets),
    ]
    done = subprocess.run(
        command, env=own_environment(), capture_output=True, text=True, errors="replace"
    )
    if done.returncode:
        reason = one_line(_reason(done.stderr, folder), 300)
        raise RecocoError(
            f"The archived runs cannot be scored or compared again ({reason}): the archive is "
            "malformed, or another version of recoco wrote it."
        )


def _reason(output: str, folder: Path) -> str:
    """Return why Snakemake stopped: files that are missing, or the last line of a job's log."""
    missing = re.search(r"affected files:\n((?:\s+\S+\n?)+)", output)
    if missing:
        return f"{missing[1].split()[0]} is missing"
    for name in re.findall(r"^\s+log: (logs/[\w./@=+-]+\.log)", output, re.MULTILINE):
        log = folder / name
        lines = log.read_text("utf-8", "replace").split("\n") if log.is_file() else []
        if lines := [line for line in lines if line.strip()]:
            return f"{name}: {lines[-1]}"
    return next((line for line in reversed(output.splitlines()) if line.strip()), "no message")
