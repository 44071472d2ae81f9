"""One command for everything: data, a first report within minutes, then the full protocol."""

import contextlib
import itertools
import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from recoco import plan
from recoco.config import Config, load_config
from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json
from recoco.engine import integrity
from recoco.engine.closing import closing
from recoco.engine.early import first_table, in_report
from recoco.engine.explain import explain
from recoco.engine.leading import Child
from recoco.engine.profiles import Profile, find_profile
from recoco.engine.progress import Progress
from recoco.engine.workers import Standby
from recoco.engine.workspace import workspace
from recoco.plan import kernels as kernel_plan
from recoco.plan.estimate import Estimate, time_line
from recoco.plan.stages import stages_of

_COMPILERS = 2  # at most: methods share most of their kernels, which only one at a time may compile


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
        passes = [_first_pass(root, overrides, chosen, "all runs" if first else "")]
        if not (passes[0].code or quick):
            print(_closing(root, config, began) if passes[0].steps else "", end="", flush=True)
            passes.append(_second_pass(root, overrides, chosen, passes[0].pace))
        if passes[-1].code:
            return passes[-1].code
        print(_closing(root, config, began), end="", flush=True)
        integrity.tidy(root, missing=True)
    return 0


def _closing(root: Path, config: Config, began: float) -> str:
    return f"{time_line(root, began)}{closing(root, list(config.papers))}\n"


class Done(NamedTuple):
    """What became of a run of the workflow: exit code, jobs done, pace of the machine."""

    code: int
    steps: int = 0
    pace: float = 1.0


def _first_pass(root: Path, overrides: dict, profile: Profile, heading: str) -> Done:
    """Compute a few runs per cell, paper by paper, with a report after each.

    On a cluster all papers are computed together: one alone would leave most nodes idle.
    """
    overrides = {**overrides, "runs": {**overrides["runs"], "first_only": True}}
    config = load_config(overrides)
    every = list(config.papers)
    stages = [every] if profile.remote else stages_of(config, root)
    table = _FirstTable(root)
    steps, pace, known = 0, 1.0, []
    for number, papers in enumerate(stages):
        now = overrides if papers == every else {**overrides, "papers": papers}
        # Data of the first paper, then of all others: a first table waits for no other paper.
        if code := _ready(root, overrides if number else now, profile):
            return Done(code)
        if papers != every and not Estimate(load_config(now), root, 1).blocks:
            continue  # no data of this paper is available
        added = [key for key in papers if key not in known]
        which = f" of {', '.join(added)}" if len(stages) > 1 else ""
        title = heading or f"first pass{which}: a few runs per cell"
        table.config = load_config(now)
        done = _snakemake(root, title, ["all"], now, profile, pace, table.after)
        if done.code:
            return done
        if done.steps:
            print(in_report(root, table.config, added), flush=True)
        steps, pace, known = steps + done.steps, done.pace, papers
    return Done(0, steps, pace)


def _second_pass(root: Path, overrides: dict, profile: Profile, pace: float) -> Done:
    if code := _ready(root, overrides, profile):
        return Done(code)
    return _snakemake(root, "second pass: all runs", ["all"], overrides, profile, pace)


class _FirstTable:
    """Prints the first table that has numbers, once, while the others are being computed."""

    def __init__(self, root: Path):
        self.root, self.config = root, None
        self._wanted = not (root / integrity.REPORT).exists()

    def after(self, rule: str) -> None:
        """Look whether a job of this rule was what the table waited for."""
        if self._wanted and rule == "score" and (text := first_table(self.config, self.root)):
            self._wanted = False
            print(text, flush=True)


def _ready(root: Path, overrides: dict, profile: Profile) -> int:
    """Fetch and prepare data and, meanwhile, compile kernels; return the exit code."""
    config = load_config(overrides)
    datasets = plan.datasets_of(config)
    work = {}
    twins = config.settings["twins"]
    if not integrity.prepared_up_to_date(root, datasets, twins):
        work["fetching data"] = "data"
    if not kernel_plan.compiled(config, root):
        # Snakemake sees only the age of the stamp, not whether its content is right.
        (root / kernel_plan.STAMP).unlink(missing_ok=True)
        work["compiling kernels"] = str(kernel_plan.STAMP)
    if not work:
        return 0
    more = []
    if not profile.remote:
        # One core more than there are: fetching mostly waits.
        compilers = min(profile.width, _COMPILERS)
        more = [
            "--cores",
            str(profile.width + 1),
            "--set-resources",
            f"kernels:processes={compilers}",
        ]
    with integrity.preparing(root, datasets):
        heading, targets = " and ".join(work), list(work.values())
        done = _snakemake(root, heading, targets, overrides, profile, more=more)
    if not done.code and "data" in targets:
        integrity.remember_prepared(root, datasets, twins)
    return done.code


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
    root: Path,
    heading: str,
    targets: list[str],
    overrides: dict,
    profile: Profile,
    pace: float = 1.0,
    after: Callable[[str], None] | None = None,
    more: Sequence[str] = (),
) -> Done:
    """Run the workflow once, showing its progress.

    Parameters
    ----------
    pace : of the machine, as the run before has measured it
    after : called with the rule of every job that has ended
    more : further options for Snakemake
    """
    asked = Path(targets[0]).stem
    title = asked if asked.isalpha() else "restoring"
    log = root / "logs" / f"snakemake-{title}.log"
    # In a file: Snakemake's command line would turn all values into text.
    configuration = root / ".snakemake" / "recoco-overrides.json"
    write_json(configuration, overrides)
    command = [
        *(sys.executable, "-m", "snakemake", "--nocolor"),
        *(*profile.arguments(root), *more),
        *("--configfile", str(configuration), "--", *targets),
    ]
    config, estimate = load_config(overrides), None
    if targets == ["all"]:
        estimate = Estimate(config, root, profile.width, pace)
    jobs_here = contextlib.nullcontext() if profile.remote else Standby(root)
    with jobs_here as standby, Progress(heading, estimate, config) as progress:
        env = profile.environment() | (standby.environment() if standby else {})
        with Child(command, root, env, log) as child:
            for line in _lines(child, progress, standby, env):
                if (rule := progress.read(line)) and after:
                    after(rule)
            code = child.wait()
    if code:
        explain(root, log)
    return Done(code, progress.done, estimate.pace if estimate else pace)


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
    except (RecocoError, ValueError, TypeError):  # there is none, or it is damaged
        return load_config().settings["twins"]


def fetch_again(papers: list[str] | None = None) -> int:
    """Retry every dataset that was unreachable, then prepare all data."""
    overrides: dict = {"papers": papers} if papers else {}
    overrides["twins"] = _last_twins(paths.root())
    config = load_config(overrides)
    with workspace() as root, integrity.preparing(root, plan.datasets_of(config)):
        _retry_unreachable(config, root)
        code = _snakemake(root, "data", ["data"], overrides, find_profile(None, root)).code
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
        code = _snakemake(root, "archive", ["archive"], settings, profile).code
    if code:
        return code
    path = root / "dist" / "recoco-archive.zip"
    print(f"archive: {path} ({path.stat().st_size / 1e6:.1f} MB)\nsha256: {sha256_of(path)}")
    if key:
        print(f"signature: {sign(path, key)}")
    return 0
