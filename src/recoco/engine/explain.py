"""Say in few words why a workflow stopped, from Snakemake's output and the logs of its jobs."""

import re
import sys
from pathlib import Path

from recoco.engine import disk
from recoco.engine.job import FINISHED
from recoco.engine.workspace import held_by_another

_FAILED = re.compile(r"Error in rule (\w+)(.*?)\n\s+log: (\S+)", re.DOTALL)
# First line of what Snakemake prints about an error in a Snakefile.
_RAISED = re.compile(r"\w*(Error|Exception) in file ")
_LOCKED = re.compile(r"^(LockException|Error: Directory cannot be locked)", re.MULTILINE)


def explain(root: Path, log: Path) -> None:
    """Print each failed job with the sentence in its own log, and what is wrong around them."""
    text = log.read_text(encoding="utf-8", errors="replace")
    if _LOCKED.search(text):
        print(held_by_another(root), file=sys.stderr)
        return
    failures, silent = _failures(root, text)
    for line in failures:
        print(line, file=sys.stderr)
    room = disk.disk_problem_in("\n".join([text, *failures]), root)
    if silent and not room:  # what could not be written cannot be read either
        room = disk.full_disk(root)
    if room:
        print(room, file=sys.stderr)
    elif not failures:
        lines = [line for line in text.splitlines() if line.strip()]
        # Snakemake names the error of a Snakefile first and then shows where it was raised.
        first = next((n for n, line in enumerate(lines) if _RAISED.match(line)), len(lines) - 5)
        print("\n".join(lines[max(first, 0) :][:8]), file=sys.stderr)
    print(
        f"The workflow stopped; its output is in {log.relative_to(root)}. "
        "Rerun the same command to resume.",
        file=sys.stderr,
    )


def _failures(root: Path, text: str) -> tuple[list[str], bool]:
    """Return a line for each failed job, and whether one of them left nothing in its log."""
    failures, silent = {}, False
    for match in _FAILED.finditer(text):
        rule, about, name = match[1], match[2], match[3].rstrip(",")
        lines = _lines_of(root / name)
        if name in failures or (lines and FINISHED.match(lines[-1])):
            continue  # it was grouped with a job that failed, or succeeded when retried
        if lines:
            reason = lines[-1]
        else:  # a cluster may kill a job before it can log anything
            reasons = re.findall(r"message: (SLURM[^.]+\.)", about)
            silent = silent or not reasons
            reason = reasons[-1] if reasons else "it left no message"
        failures[name] = f"{rule} failed: {reason} ({name})"
    return list(failures.values()), silent


def _lines_of(log: Path) -> list[str]:
    if not log.is_file():
        return []
    return log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
