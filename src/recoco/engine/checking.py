"""Check the results in a project: all checksums of the ledger, and some runs once more."""

import importlib
import time
from dataclasses import dataclass, field
from pathlib import Path

from recoco import plan
from recoco.config import Config, load_config
from recoco.core import paths
from recoco.core.errors import NoResults, RecocoError
from recoco.core.limits import call_foreign
from recoco.engine import integrity, ledger
from recoco.engine.leading import listening
from recoco.engine.workspace import undisturbed

# Runs that are repeated if files have no checksum and nobody says how many.
_SAMPLE = "10"
_EVERY = 10.0  # seconds between lines of progress
_SHOWN = 20  # files without a checksum that are named
_GRACE = 60.0  # seconds beyond the time limit of a run, to load its data


@dataclass
class _Findings:
    """What the ledger says about the files that are there."""

    intact: int = 0
    changed: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    adopted: int = 0
    ignored: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.intact or self.unlisted) and self.good

    @property
    def good(self) -> bool:
        return not (self.changed or self.missing or self.ignored)


def check_project(rerun: str | None = None, seed: int = 0) -> int:
    """Check all results; return 0 if nothing is wrong with them, else 1.

    Parameters
    ----------
    rerun : share or number of the runs to repeat, "0" for none; None: a few if files have no
        checksum
    seed : seed by which they are drawn
    """
    root = paths.root()
    with undisturbed(root), listening():
        found = _compare(root)
        if found.empty:
            raise NoResults
        _print(root, found)
        if rerun is None and (found.unlisted or found.adopted):
            rerun = _SAMPLE
        same = True
        if rerun not in (None, "0"):
            config = _present_config(root)
            same = _repeat(config, root, rerun, seed)
    if not found.good:
        print("`recoco reproduce` restores what has changed or is missing and is still needed")
    return 0 if found.good and same else 1


def _compare(root: Path) -> _Findings:
    found = _Findings()
    entries = ledger.read(root, found.ignored)
    shown = time.monotonic()
    for number, (name, entry) in enumerate(sorted(entries.items())):
        if time.monotonic() - shown > _EVERY:
            shown = time.monotonic()
            print(f"  {number} of {len(entries)} files checked", flush=True)
        found.adopted += entry.adopted
        if ledger.differs(root, entry):
            found.changed.append(name)
        elif not ledger.is_own_file(root, name):
            found.missing.append(name)
        else:
            found.intact += 1
    found.unlisted = integrity.unlisted(root)
    return found


def _print(root: Path, found: _Findings) -> None:
    for line in found.ignored:
        print(line)
    for word in ("changed", "missing"):
        for name in getattr(found, word):
            print(f"{word}: {name}")
    if ledger.is_there(root):
        for name in found.unlisted[:_SHOWN]:
            print(f"without a checksum: {name}")
        if len(found.unlisted) > _SHOWN:
            print(f"without a checksum: {len(found.unlisted) - _SHOWN} more")
    if found.unlisted:
        print(integrity.about_unlisted(root, len(found.unlisted)))
    if found.adopted:
        print(
            f"{found.adopted} of the files got their checksums late, after the ledger was lost: "
            "nothing says that they were intact then"
        )
    print(
        f"checksums: {found.intact} files intact, {len(found.changed)} changed, "
        f"{len(found.missing)} missing, {len(found.unlisted)} without a checksum",
        flush=True,
    )


def _present_config(root: Path) -> Config:
    """Return the configuration of the last report; before the first one, that of config.yaml."""
    from recoco.archive.receipt import last_config

    try:
        return last_config(root)[0]
    except (RecocoError, ValueError, TypeError):  # there is none, or it is damaged
        return load_config()


def _repeat(config: Config, root: Path, share: str, seed: int) -> bool:
    """Repeat a sample of the runs; return whether all have the labels that are stored."""
    from recoco.archive.rerun import sample, trials_of

    for module in ("numba", "sklearn.base", "recoco.runs.block"):
        importlib.import_module(module)  # once here, not in each of the processes
    plan.check_parameters(config)
    trials = [trial for trial in trials_of(config, root) if trial.block.is_file()]
    drawn = sample(trials, share, seed) if trials else []
    limit, memory = config.settings["time_limit"] + _GRACE, config.settings.get("memory_limit")
    same = 0
    for trial in drawn:
        # In a process of its own, because a method may do anything.
        ending = call_foreign(lambda trial=trial: _again(config, trial, root), limit, memory)
        outcome = ending.value if ending.status == "ok" else _failed_before(trial.block, ending)
        same += outcome == "identical"
        where = "" if outcome == "identical" else f" ({trial.block.relative_to(root)})"
        print(f"  {trial.name}: {outcome}{where}", flush=True)
    print(f"rerun: {same} of {len(drawn)} runs identical, of {len(trials)} runs (seed {seed})")
    if same < len(drawn):
        print("delete a block of runs that differs and `recoco reproduce` computes it again")
    return same == len(drawn)


def _again(config: Config, trial, root: Path) -> str:
    from threadpoolctl import threadpool_limits

    from recoco.archive.rerun import run_again

    with threadpool_limits(1):  # as in the jobs of the workflow
        return run_again(config, trial, root)


def _failed_before(block: Path, ending) -> str:
    """Compare a run that has no result now with the stored block."""
    import json
    import zipfile

    from recoco.core.files import read_arrays

    try:
        status = json.loads(str(read_arrays(block)["record"]))["status"]
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return f"the stored block is unreadable ({ending.error})"
    return "identical" if status == ending.status else f"{status} before, now {ending.error}"
