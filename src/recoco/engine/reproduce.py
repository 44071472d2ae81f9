"""One command for everything: data, a first report within minutes, then the full protocol."""

import contextlib
import itertools
import select
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from recoco import plan
from recoco.config import Config, load_config
from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json
from recoco.engine import integrity
from recoco.engine.closing import closing
from recoco.engine.explain import explain
from recoco.engine.leading import Child
from recoco.engine.profiles import Profile, find_profile
from recoco.engine.progress import Progress
from recoco.engine.workers import Standby
from recoco.engine.workspace import workspace
from recoco.plan import kernels as kernel_plan
from recoco.plan.estimate import Estimate, time_line


def reproduce(
    papers: list[str] | None = None,
    runs: int | None = None,
    cores: int | None = None,
    quick: bool = False,
    profile: str | None = None,
    first: int | None = None,
    twins: str | None = None,
) -> int:
    """Reproduce the configured papers; return the exit code.

    Parameters
    ----------
    papers : keys of the papers, None for those in config.yaml
    runs : at most this many runs per cell, None for the papers' own numbers
    cores : processor cores to use, None for all; on a cluster, jobs at once
    quick : stop after the first pass
    profile : where jobs run, the name of a profile or its folder; None for this machine
    first : runs per cell of the first pass, for one that does all runs; None: from config.yaml
    twins : which twins are drawn where data cannot be fetched; None: small ones in a quick
        reproduction, else from config.yaml
    """
    overrides: dict = {"runs": {}}
    twins = twins or ("small" if quick else None)
    if twins:
        overrides["twins"] = twins
    if papers:
        overrides["papers"] = papers
    if runs:
        overrides["runs"]["most"] = runs
    if first:
        overrides["runs"]["first"] = first
    config = load_config(overrides)
    plan.check_parameters(config)
    chosen = find_profile(profile, paths.root(), cores)
    began = time.time()
    with workspace() as root:
        _repair(root, overrides, chosen)
        _retry_unreachable(config, root, only_if_at_hand=True)
        datasets = plan.datasets_of(config)
        wanted = config.settings["twins"]
        if not integrity.prepared_up_to_date(root, datasets, wanted):
            with integrity.preparing(root, datasets):
                code, _ = _snakemake(root, "data", ["data"], overrides, chosen)
            if code:
                return code
            integrity.remember_prepared(root, datasets, wanted)
        title = "all runs" if first else "first pass: a few runs per cell"
        passes = [(title, {"first_only": True})]
        if not quick:
            passes.append(("second pass: all runs", {}))
        for heading, extra in passes:
            now = {**overrides, "runs": {**overrides["runs"], **extra}}
            code = _compile_kernels(root, now, chosen)
            if code:
                return code
            code, steps = _snakemake(root, heading, ["all"], now, chosen)
            if code:
                return code
            if steps or heading == passes[-1][0]:
                print(time_line(root, began), end="")
                print(closing(root, list(config.papers)), flush=True)
        integrity.tidy(root, missing=True)
    return 0


def _compile_kernels(root: Path, overrides: dict, profile: Profile) -> int:
    if kernel_plan.compiled(load_config(overrides), root):
        return 0
    # Snakemake sees only the age of the stamp, not whether its content is right.
    (root / kernel_plan.STAMP).unlink(missing_ok=True)
    stamp = [str(kernel_plan.STAMP)]
    return _snakemake(root, "compiling kernels, once", stamp, overrides, profile)[0]


def benchmark(
    runs: int | None = None,
    cores: int | None = None,
    profile: str | None = None,
    with_papers: bool = False,
) -> int:
    """Run the benchmark, alone or with the configured papers; return the exit code."""
    papers = ["benchmark"]
    if with_papers:
        papers = list(dict.fromkeys([*load_config().papers, *papers]))
    config = load_config({"papers": papers})
    every = config.papers["benchmark"]["runs"]
    if with_papers:
        return reproduce(papers, runs, cores, profile=profile)
    # One pass, in which one job does all starts of a pair: two would start twice as many jobs.
    return reproduce(papers, runs, cores, True, profile, every, config.settings["twins"])


# ---- one workflow run ----------------------------------------------------------------------


def _snakemake(
    root: Path, heading: str, targets: list[str], overrides: dict, profile: Profile
) -> tuple[int, int]:
    """Run the workflow once, showing its progress; return its exit code and steps done."""
    asked = Path(targets[0]).stem
    title = asked if asked.isalpha() else "restoring"
    log = root / "logs" / f"snakemake-{title}.log"
    # In a file: Snakemake's command line would turn all values into text.
    configuration = root / ".snakemake" / "recoco-overrides.json"
    write_json(configuration, overrides)
    command = [
        *(sys.executable, "-m", "snakemake", "--nocolor"),
        *profile.arguments(root),
        *("--configfile", str(configuration), "--", *targets),
    ]
    estimate = Estimate(load_config(overrides), root, profile.width) if targets == ["all"] else None
    jobs_here = contextlib.nullcontext() if profile.remote else Standby(root)
    with jobs_here as standby, Progress(heading, estimate) as progress:
        env = profile.environment() | (standby.environment() if standby else {})
        with Child(command, root, env, log) as child:
            for line in _lines(child, progress, standby, env):
                progress.read(line)
            code = child.wait()
    if code:
        explain(root, log)
    return code, progress.done


def _lines(
    child: Child, progress: Progress, standby: Standby | None, env: dict[str, str]
) -> Iterator[str]:
    """Yield Snakemake's lines as they come, refreshing the progress in between.

    If a job asks for a warm process meanwhile, it is started.
    """
    while True:
        asked = [standby.listener] if standby and standby.wanted() else []
        ready, _, _ = select.select([child.output, *asked], [], [], 1.0)
        if child.output in ready:
            lines = child.read()
            if lines is None:
                return
            yield from lines
        elif ready:
            standby.start(env)
        progress.tick()


# ---- resuming after whatever happened ----------------------------------------------------------


def _repair(root: Path, overrides: dict, profile: Profile) -> None:
    """Restore files that were damaged, and date back files from the future."""
    integrity.remove_temporary(root)
    for sentence in integrity.tidy(root):
        print(sentence)
    for name in integrity.replaced(root):
        print(f"{name} is not the file that was written, but a link or a folder: move it away")
    if unlisted := integrity.unlisted(root):
        about = integrity.about_unlisted(root, len(unlisted))
        print(f"{about}; `recoco check` recomputes a sample", flush=True)
    if ahead := integrity.repair_mtimes(root):
        print(f"{len(ahead)} files are dated in the future (was the clock set back?): dated back")
    groups = [
        present
        for group in integrity.damaged(root)
        if (present := [entry for entry in group if (root / entry.path).parent.is_dir()])
    ]
    for entry in itertools.chain(*groups):
        changed = "has changed since it was written (its checksum differs)"
        what = changed if (root / entry.path).exists() else "is missing"
        print(f"{entry.path} {what}: restoring it", flush=True)
        (root / entry.path).unlink(missing_ok=True)
    # Stage by stage: a file restored to its old bytes leaves the next stage up to date.
    for group in groups:
        if integrity.of_report(group[0].path):
            # The next pass writes the whole report again; here it might need all runs.
            (root / integrity.REPORT).unlink(missing_ok=True)
            continue
        targets = [entry.path for entry in group]
        _snakemake(root, "restoring damaged files", targets, overrides, profile)
        for entry in group:
            integrity.settle(root, entry)


def _retry_unreachable(config: Config, root: Path, only_if_at_hand: bool = False) -> None:
    """Let fetch and prepare run again for datasets that were unreachable, twin or not.

    With ``only_if_at_hand`` only for those whose files a mirror folder now has.
    """
    from recoco.datasets.mirrors import at_hand

    missing = plan.unreachable(root) | plan.twins(root)
    for name in missing & set(plan.datasets_of(config)):
        if at_hand(name) or not only_if_at_hand:
            stem = paths.prepared(name)
            (paths.raw(name) / "receipt.json").unlink(missing_ok=True)
            stem.with_suffix(".json").unlink(missing_ok=True)
            stem.with_suffix(".npz").unlink(missing_ok=True)


def _last_twins(root: Path) -> str:
    """Return which twins the last reproduction wanted, so that fetching removes none."""
    from recoco.archive.receipt import last_config

    try:
        return last_config(root)[0].settings["twins"]
    except RecocoError:
        return load_config().settings["twins"]


def fetch_again(papers: list[str] | None = None) -> int:
    """Retry every dataset that was unreachable, then prepare all data."""
    overrides: dict = {"papers": papers} if papers else {}
    overrides["twins"] = _last_twins(paths.root())
    config = load_config(overrides)
    with workspace() as root, integrity.preparing(root, plan.datasets_of(config)):
        _retry_unreachable(config, root)
        code, _ = _snakemake(root, "data", ["data"], overrides, find_profile(None, root))
    for name in plan.datasets_of(config):
        record = read_json(paths.prepared(name).with_suffix(".json"))
        where = (record.get("source") or {}).get("where", "")
        print(f"{name:12} {record['status']:12} {where}")
    return code


def archive(cores: int | None = None, key: Path | None = None) -> int:
    """Pack the last reproduction, after recomputing whatever is out of date.

    With ``key``, the file of an SSH key, the archive is signed.
    """
    from recoco.archive.receipt import last_config
    from recoco.archive.signature import sign
    from recoco.core.checksums import sha256_of

    settings = last_config(paths.root())[0].settings
    with workspace() as root:
        profile = find_profile(None, root, cores)
        _repair(root, settings, profile)
        code, _ = _snakemake(root, "archive", ["archive"], settings, profile)
    if code:
        return code
    path = root / "dist" / "recoco-archive.zip"
    print(f"archive: {path} ({path.stat().st_size / 1e6:.1f} MB)\nsha256: {sha256_of(path)}")
    if key:
        print(f"signature: {sign(path, key)}")
    return 0
