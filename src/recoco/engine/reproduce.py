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

from recoco import plan
from recoco.config import Config, load_config
from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json
from recoco.core.limits import end_with_parent
from recoco.engine import integrity
from recoco.engine.closing import closing
from recoco.engine.job import FINISHED
from recoco.engine.profiles import Profile, cancel_left_over, find_profile
from recoco.engine.progress import Progress
from recoco.engine.workers import Standby
from recoco.plan import kernels as kernel_plan
from recoco.plan.estimate import Estimate, time_line

# First line of what Snakemake prints about an error in a Snakefile.
_RAISED = re.compile(r"\w*(Error|Exception) in file ")


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
    cores : processor cores to use, None for all; on a cluster, jobs at once
    quick : stop after the first pass
    profile : where jobs run, the name of a profile or its folder; None for this machine
    first : runs per cell of the first pass, for one that does all runs; None: from config.yaml
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
    chosen = find_profile(profile, paths.root(), cores)
    began = time.time()
    with _workspace() as root:
        _repair(root, overrides, chosen)
        _retry_unreachable(config, root, only_if_at_hand=True)
        datasets = plan.datasets_of(config)
        if not integrity.prepared_up_to_date(root, datasets):
            with integrity.preparing(root, datasets):
                code, _ = _snakemake(root, "data", ["data"], overrides, chosen)
            if code:
                return code
            integrity.remember_prepared(root, datasets)
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
    every = load_config({"papers": papers}).papers["benchmark"]["runs"]
    if with_papers:
        return reproduce(papers, runs, cores, profile=profile)
    # One pass, in which one job does all starts of a pair: two would start twice as many jobs.
    return reproduce(papers, runs, cores, quick=True, profile=profile, first=every)


# ---- one workflow run ----------------------------------------------------------------------


def _snakemake(
    root: Path, heading: str, targets: list[str], overrides: dict, profile: Profile
) -> tuple[int, int]:
    """Run the workflow once, showing its progress; return its exit code and steps done."""
    asked = Path(targets[0]).stem
    title = asked if asked.isalpha() else "restoring"
    log = root / "logs" / f"snakemake-{title}.log"
    log.parent.mkdir(exist_ok=True)
    # In a file: Snakemake's command line would turn all values into text.
    configuration = root / ".snakemake" / "recoco-overrides.json"
    write_json(configuration, overrides)
    command = [
        *(sys.executable, "-m", "snakemake", "--nocolor"),
        *profile.arguments(root),
        *("--configfile", str(configuration), "--", *targets),
    ]
    estimate = Estimate(load_config(overrides), root, profile.width) if targets == ["all"] else None
    # Line by line: after kill -9 the next start reads there which cluster jobs are left.
    sink = log.open("w", buffering=1, encoding="utf-8")
    jobs_here = contextlib.nullcontext() if profile.remote else Standby(root)
    with sink, jobs_here as standby, Progress(heading, estimate) as progress:
        env = profile.environment() | (standby.environment() if standby else {})
        # Kill it with us: on a softer signal it would wait for its jobs and a reader of its output.
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
            # The terminal has interrupted Snakemake too: let it clean up.
            process.wait()
            raise
        code = process.wait()
    if code:
        _explain(root, log)
    return code, progress.done


def _lines(
    process: subprocess.Popen, progress: Progress, standby: Standby | None, env: dict[str, str]
) -> Iterator[str]:
    """Yield Snakemake's lines as they come, refreshing the progress in between.

    If a job asks for a warm process meanwhile, it is started.
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
        lines = own.read_text(encoding="utf-8").strip().splitlines() if own.is_file() else []
        if name in seen or (lines and FINISHED.match(lines[-1])):
            continue  # it was grouped with a job that failed, or succeeded when retried
        seen.add(name)
        if not lines:  # a cluster may kill a job before it can log anything
            lines = re.findall(r"message: (SLURM[^.]+\.)", about) or ["no message"]
        print(f"{rule} failed: {lines[-1]} ({name})", file=sys.stderr)
    if not seen:
        lines = [line for line in text.splitlines() if line.strip()]
        # Snakemake names the error of a Snakefile first and then shows where it was raised.
        first = next((n for n, line in enumerate(lines) if _RAISED.match(line)), len(lines) - 5)
        print("\n".join(lines[max(first, 0) :][:8]), file=sys.stderr)
    print(
        f"The workflow stopped; its output is in {log.relative_to(root)}. "
        "Rerun the same command to resume.",
        file=sys.stderr,
    )


# ---- resuming after whatever happened ----------------------------------------------------------


@contextlib.contextmanager
def _workspace():
    """Yield the project folder, writable and with no other process at work in it."""
    root = paths.root()
    _check_writable(root)
    with _only_one(root):
        cancel_left_over(root)
        _clear_stale_lock(root)
        yield root


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
                f"Another reproduction (process {handle.read().strip() or 'unknown'}) is running "
                f"in {root}: wait for it or stop it first."
            ) from None
        except OSError as error:  # a shared file system may not support locks
            print(f"cannot lock {root} ({error.strerror}): do not start a second run there")
        handle.truncate(0)
        handle.write(f"{os.getpid()} on {platform.node()}")
        handle.flush()
        yield


def _clear_stale_lock(root: Path) -> None:
    """Remove Snakemake's lock when no living Snakemake works in this folder."""
    locks = [path for path in (root / ".snakemake" / "locks").glob("*") if path.is_file()]
    if not locks:
        return
    for _ in range(10):  # one that was stopped a moment ago may still be cleaning up
        owner = _living_snakemake(root)
        if owner is None:
            break
        time.sleep(1.0)
    else:
        raise RecocoError(
            f"Snakemake (process {owner}) is running in {root}: wait for it or stop it first."
        )
    for path in locks:
        path.unlink(missing_ok=True)
    print("cleared the lock of an interrupted run; resuming", flush=True)


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


def _repair(root: Path, overrides: dict, profile: Profile) -> None:
    """Restore files that were damaged, and date back files from the future."""
    integrity.remove_temporary(root)
    if ahead := integrity.repair_mtimes(root):
        print(f"{len(ahead)} files are dated in the future (was the clock set back?): dated back")
    groups = [
        present
        for group in integrity.damaged(root)
        if (present := [entry for entry in group if (root / entry.path).parent.is_dir()])
    ]
    for entry in itertools.chain(*groups):
        print(f"{entry.path} has changed since it was written (its checksum differs): restoring it")
        (root / entry.path).unlink(missing_ok=True)
    # Stage by stage: a file restored to its old bytes leaves the next stage up to date.
    for group in groups:
        targets = [entry.path for entry in group]
        _snakemake(root, "restoring damaged files", targets, overrides, profile)
        for entry in group:
            integrity.settle(root, entry)


def _retry_unreachable(config: Config, root: Path, only_if_at_hand: bool = False) -> None:
    """Let fetch and prepare run again for datasets that were unreachable.

    With ``only_if_at_hand`` only for those whose files a mirror folder now has.
    """
    from recoco.datasets.mirrors import at_hand

    for name in plan.unreachable(root) & set(plan.datasets_of(config)):
        if at_hand(name) or not only_if_at_hand:
            stem = paths.prepared(name)
            (paths.raw(name) / "receipt.json").unlink(missing_ok=True)
            stem.with_suffix(".json").unlink(missing_ok=True)
            stem.with_suffix(".npz").unlink(missing_ok=True)


def fetch_again(papers: list[str] | None = None) -> int:
    """Retry every dataset that was unreachable, then prepare all data."""
    overrides = {"papers": papers} if papers else {}
    config = load_config(overrides)
    with _workspace() as root:
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
    with _workspace() as root:
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
