"""One command for everything: data, a first report within minutes, then the full protocol."""

import contextlib
import fcntl
import itertools
import os
import platform
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from recoco import kernel_plan, ledger, paths, plan
from recoco.clock import mend_times
from recoco.closing import closing
from recoco.config import Config, load_config
from recoco.errors import RecocoError
from recoco.estimate import Estimate, time_line
from recoco.job import FINISHED
from recoco.limits import end_with_parent
from recoco.profiles import Profile, cancel_left_over, find_profile
from recoco.progress import Progress
from recoco.standby import Standby
from recoco.store import read_json, write_json
from recoco.unchanged import keep_times, note, up_to_date


def reproduce(
    papers: list[str] | None = None,
    runs: int | None = None,
    cores: int | None = None,
    quick: bool = False,
    profile: str | None = None,
    first: int | None = None,
) -> int:
    """Reproduce the configured papers; return the exit code.

    Parameters
    ----------
    papers : keys of the papers, None for those in config.yaml
    runs : at most this many runs per cell, None for the papers' own numbers
    cores : processor cores to use, None for all; on a cluster jobs at once, None for the profile's
    quick : stop after the first pass
    profile : where the jobs run, a name in workflow/profiles or a folder; None for here
    first : runs per cell of the first pass, None for those in config.yaml
    """
    overrides: dict = {"runs": {}}
    if papers:
        overrides["papers"] = papers
    if runs:
        overrides["runs"]["most"] = runs
    if first:
        overrides["runs"]["first"] = first
    config = load_config(overrides)
    plan.check_parameters(config)
    root = paths.root()
    engine = Engine(find_profile(profile, root), cores)
    began = time.time()
    _check_writable(root)
    with _only_one(root):
        cancel_left_over(root)
        _clear_stale_lock(root)
        _mend(root, overrides, engine)
        _retry_unreachable(config, root)
        passes = [("data", ["data"], {}), ("first runs", ["all"], {"first_only": True})]
        if not quick:
            passes.append(("all runs", ["all"], {}))
        datasets = plan.datasets_of(config)
        if up_to_date(root, datasets):
            passes = passes[1:]
        for number, (title, targets, extra) in enumerate(passes, 1):
            now = {**overrides, "runs": {**overrides["runs"], **extra}}
            if targets == ["all"] and not kernel_plan.compiled(load_config(now), root):
                # Snakemake knows a stamp by its age only: whether it is right, we know.
                (root / kernel_plan.STAMP).unlink(missing_ok=True)
                stamp = [str(kernel_plan.STAMP)]
                code, _ = _snakemake(root, "compiling kernels, once", stamp, now, engine)
                if code:
                    return code
            heading = f"pass {number} of {len(passes)}: {title}"
            kept = keep_times(root, datasets) if title == "data" else contextlib.nullcontext()
            with kept:
                code, steps = _snakemake(root, heading, targets, now, engine)
            if code:
                return code
            if title == "data":
                note(root, datasets)
            if targets == ["all"] and (steps or number == len(passes)):
                print(time_line(root, began, engine.width), end="")
                print(closing(root, list(config.papers)), flush=True)
    return 0


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
    every = load_config({"papers": papers}).papers["benchmark"]["runs"]
    if with_papers:
        return reproduce(papers, runs, cores, profile=profile)
    # One pass, in which one job does all starts of a pair: two would start twice as many jobs.
    return reproduce(papers, runs, cores, quick=True, profile=profile, first=every)


# ---- one workflow run ----------------------------------------------------------------------


class Engine:
    """What runs the jobs, and how many of them at once."""

    def __init__(self, profile: Profile, cores: int | None):
        here = len(os.sched_getaffinity(0))
        self.profile = profile
        self.asked = cores if profile.remote else cores or here
        self.width = cores or profile.width(here)

    def environment(self) -> dict[str, str]:
        """Return the environment of Snakemake and its jobs.

        Jobs here watch the process that leads them; on another machine its number says nothing.
        """
        known = {key: value for key, value in os.environ.items() if key != "RECOCO_OWNER"}
        owner = {} if self.profile.remote else {"RECOCO_OWNER": str(os.getpid())}
        return {**known, **owner, "PYTHONUNBUFFERED": "1"}


def _snakemake(
    root: Path, heading: str, targets: list[str], overrides: dict, engine: Engine
) -> tuple[int, int]:
    """Run the workflow once, showing its progress; return its exit code and steps done."""
    asked = Path(targets[0]).stem
    title = asked if asked.isalpha() else "mending"
    log = root / "logs" / f"snakemake-{title}.log"
    log.parent.mkdir(exist_ok=True)
    command = [
        *(sys.executable, "-m", "snakemake", "--nocolor"),
        *engine.profile.arguments(root, engine.asked),
        *("--configfile", str(_write_overrides(root, overrides)), "--", *targets),
    ]
    estimate = Estimate(load_config(overrides), root, engine.width) if targets == ["all"] else None
    # Line by line: after kill -9 the next start reads there which jobs of a cluster are left.
    sink = log.open("w", buffering=1, encoding="utf-8")
    jobs_here = contextlib.nullcontext() if engine.profile.remote else Standby(root)
    with sink, jobs_here as standby, Progress(heading, estimate) as progress:
        env = engine.environment() | (standby.environment() if standby else {})
        # At once: asked politely to end it would wait for its jobs and a reader of its output.
        process = subprocess.Popen(
            command,
            cwd=root,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=end_with_parent,
        )
        try:
            for line in _lines(process, progress, standby, env):
                sink.write(line)
                progress.read(line)
        except KeyboardInterrupt:
            # The terminal has sent the interrupt to Snakemake too: let it finish tidying up.
            process.wait()
            raise
        code = process.wait()
    if code:
        _explain(root, log)
    return code, progress.done


def _write_overrides(root: Path, overrides: dict) -> Path:
    """Put the overrides into a file: on Snakemake's command line they would all become text."""
    path = root / ".snakemake" / "recoco-overrides.json"
    write_json(path, overrides)
    return path


def _lines(
    process: subprocess.Popen, progress: Progress, standby: Standby | None, env: dict[str, str]
) -> Iterator[str]:
    """Yield Snakemake's lines as they come, refreshing the progress in between.

    A job that asks for the warm process in that time gets it.
    """
    while True:
        asked = [standby.listener] if standby and standby.wanted() else []
        ready, _, _ = select.select([process.stdout, *asked], [], [], 1.0)
        if process.stdout in ready:
            line = process.stdout.readline()
            if not line:
                return
            yield line
        elif ready:
            standby.start(env)
        progress.tick()


def _explain(root: Path, log: Path) -> None:
    """Print each failed job with the sentence in its own log."""
    text = log.read_text(encoding="utf-8")
    seen = set()
    for match in re.finditer(r"Error in rule (\w+)(.*?)\n\s+log: (\S+)", text, re.DOTALL):
        rule, about, name = match[1], match[2], match[3].rstrip(",")
        own = root / name
        said = own.read_text(encoding="utf-8").strip().splitlines() if own.is_file() else []
        if name in seen or (said and FINISHED.match(said[-1])):
            continue  # it was in one group with a job that failed, or went well the next time
        seen.add(name)
        if not said:  # a cluster may end a job before it can say anything
            said = re.findall(r"message: (SLURM[^.]+\.)", about) or ["no message"]
        print(f"{rule} failed: {said[-1]} ({name})", file=sys.stderr)
    if not seen:
        tail = [line for line in text.splitlines() if line.strip()][-5:]
        print("\n".join(tail), file=sys.stderr)
    print(
        f"The workflow stopped; all of its output is in {log.relative_to(root)}. "
        "The same command goes on from here.",
        file=sys.stderr,
    )


# ---- going on after whatever happened --------------------------------------------------------


@contextlib.contextmanager
def _only_one(root: Path):
    """Hold a lock that the system itself releases when this process ends, even by kill -9."""
    folder = root / ".snakemake"
    folder.mkdir(exist_ok=True)
    with (folder / "recoco.lock").open("a+") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            raise RecocoError(
                f"Another reproduction (process {handle.read().strip() or 'unknown'}) is at work "
                f"in {root}: wait for it or stop it first."
            ) from None
        except OSError as error:  # a shared file system may know no locks
            print(f"no lock is to be had in {root} ({error.strerror}): start it once only")
        handle.truncate(0)
        handle.write(f"{os.getpid()} on {platform.node()}")
        handle.flush()
        yield


def _clear_stale_lock(root: Path) -> None:
    """Remove Snakemake's lock when no living Snakemake works in this folder."""
    locks = [path for path in (root / ".snakemake" / "locks").glob("*") if path.is_file()]
    if not locks:
        return
    for _ in range(10):  # one that was told to stop a moment ago may still be tidying up
        owner = _living_snakemake(root)
        if owner is None:
            break
        time.sleep(1.0)
    else:
        raise RecocoError(
            f"A Snakemake (process {owner}) is at work in {root}: wait for it or stop it first."
        )
    for path in locks:
        path.unlink(missing_ok=True)
    print("cleared the lock of a run that is no more; going on from where it was", flush=True)


def _living_snakemake(root: Path) -> int | None:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            here = (entry / "cwd").resolve() == root
        except OSError:
            continue
        led = any(word == b"snakemake" or word.endswith(b"/snakemake") for word in words[:4])
        if here and led and int(entry.name) != os.getpid():
            return int(entry.name)
    return None


def _mend(root: Path, overrides: dict, engine: Engine) -> None:
    """Make again what is not as it was written, and date back what comes from the future."""
    ledger.sweep(root)
    if ahead := mend_times(root, ledger.times(root)):
        ledger.redate(root, ahead)
        print(f"{len(ahead)} files are dated in the future (was the clock set back?): dated back")
    found = [entry for entry in ledger.damaged(root) if (root / entry.path).parent.is_dir()]
    for entry in found:
        print(f"{entry.path} is not as it was written (its checksum differs): it is made again")
        (root / entry.path).unlink(missing_ok=True)
    # One stage after the other: what comes out as it was does not make the next one old.
    for _, group in itertools.groupby(sorted(found, key=ledger.stage_of), key=ledger.stage_of):
        entries = list(group)
        targets = [entry.path for entry in entries]
        _snakemake(root, "making damaged files again", targets, overrides, engine)
        for entry in entries:
            ledger.settle(root, entry)


def _retry_unreachable(config: Config, root: Path) -> None:
    """Forget that a dataset was unreachable when a mirror folder now has its files."""
    from recoco.datasets.mirrors import at_hand

    for name in plan.unreachable(root) & set(plan.datasets_of(config)):
        if at_hand(name):
            forget(name)


def forget(dataset: str) -> None:
    """Remove what fetch and prepare wrote, so that they are done again."""
    stem = paths.prepared(dataset)
    for path in (
        paths.raw(dataset) / "receipt.json",
        stem.with_suffix(".json"),
        stem.with_suffix(".npz"),
    ):
        path.unlink(missing_ok=True)


def fetch_again(papers: list[str] | None = None) -> int:
    """Look again for every dataset that was unreachable, then prepare all data."""
    overrides = {"papers": papers} if papers else {}
    config = load_config(overrides)
    root = paths.root()
    _check_writable(root)
    with _only_one(root):
        _clear_stale_lock(root)
        for name in plan.unreachable(root) & set(plan.datasets_of(config)):
            forget(name)
        here = Engine(find_profile(None, root), None)
        code, _ = _snakemake(root, "data", ["data"], overrides, here)
    for name in plan.datasets_of(config):
        record = read_json(paths.prepared(name).with_suffix(".json"))
        where = (record.get("source") or {}).get("where", "")
        print(f"{name:12} {record['status']:12} {where}")
    return code


def archive(cores: int | None = None) -> int:
    """Pack the last reproduction; what of it is out of date is computed again first."""
    from recoco.archive.digests import sha256_of
    from recoco.archive.receipt import last_config

    root = paths.root()
    settings = last_config(root)[0].settings
    _check_writable(root)
    with _only_one(root):
        _clear_stale_lock(root)
        here = Engine(find_profile(None, root), cores)
        _mend(root, settings, here)
        code, _ = _snakemake(root, "archive", ["archive"], settings, here)
    if code:
        return code
    path = root / "dist" / "recoco-archive.zip"
    print(f"archive: {path} ({path.stat().st_size / 1e6:.1f} MB)\nsha256: {sha256_of(path)}")
    return 0


def _check_writable(root: Path) -> None:
    for name in ("results", "resources", "reports", "logs", "dist", ".snakemake"):
        folder = root / name
        try:
            folder.mkdir(exist_ok=True)
            probe = folder / f".writable-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise RecocoError(
                f"Cannot write in {folder} ({error.strerror}): make it writable, or clone "
                "recoco where you may write."
            ) from None
