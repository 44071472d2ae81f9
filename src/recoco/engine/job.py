"""What every workflow job does around its work: log, limits, threads, exit with its owner.

Little is imported here: a warm worker, to which a block of runs is handed, has imported the rest.
"""

import contextlib
import os
import re
import select
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.limits import EndedFromOutside, Ending, fork_limited, wait_limited
from recoco.engine.workers import hand_over

# The last line of a job's log; the provenance page adds these up.
FINISHED = re.compile(r"^finished in ([\d.]+) s$", re.MULTILINE)
# The line before it, for `recoco needs`.
USED = re.compile(r"^peak memory (\d+) MiB, read (\d+) kB, wrote (\d+) kB$", re.MULTILINE)
# Exit codes of an isolated process that has reported its error itself, or has run out of memory.
_REPORTED, _NO_MEMORY = 70, 71
# Seconds beyond the time limit to load data and to stop by itself, before the process is killed.
_GRACE = 60.0


class FinishedJob(NamedTuple):
    """What the log of a finished job says.

    ``path`` is that of the log in ``logs`` without its ending; ``used`` is peak memory in MiB and
    kilobytes read and written, None where they were not measured.
    """

    path: Path
    seconds: float
    used: tuple[int, int, int] | None


def finished_jobs(root: Path) -> Iterator[FinishedJob]:
    """Yield every job of the workflow that finished, in the order of their names."""
    for path in sorted((root / "logs").rglob("*.log")):
        text = path.read_text(encoding="utf-8", errors="replace")
        seconds, used = FINISHED.search(text), USED.search(text)
        if seconds:
            inside = path.relative_to(root / "logs").with_suffix("")
            needs = tuple(map(int, used.groups())) if used else None
            yield FinishedJob(inside, float(seconds[1]), needs)


@contextlib.contextmanager
def job(snakemake):
    """Run a script's body: output to the job's log, errors in one sentence where possible."""
    began = time.perf_counter()
    isolated = snakemake.rule == "run"
    if isolated:
        hand_over(snakemake.log[0])
        _isolate(snakemake, began)
    _die_with_owner()
    from recoco.engine import integrity

    _pin_threads(snakemake.threads)
    log = open(snakemake.log[0], "w", buffering=1, encoding="utf-8")  # noqa: SIM115
    with log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        try:
            integrity.check(Path.cwd(), snakemake.input)
            yield
            integrity.record(Path.cwd(), snakemake.output)
            read, wrote = (_kilobytes(files) for files in (snakemake.input, snakemake.output))
            print(f"peak memory {_peak_memory()} MiB, read {read} kB, wrote {wrote} kB")
            print(f"finished in {time.perf_counter() - began:.3f} s")
        except RecocoError as error:
            print(error, file=sys.__stderr__)
            print(error)
            sys.exit(_REPORTED if isolated else 1)
        except MemoryError:
            traceback.print_exc()
            print("MemoryError: memory ran out", file=sys.__stderr__)
            sys.exit(_NO_MEMORY if isolated else 1)
        except Exception:
            traceback.print_exc()
            traceback.print_exc(file=sys.__stderr__)
            sys.exit(_REPORTED if isolated else 1)


def block_of(snakemake):
    """Return the block of runs that a job of the rule ``run`` computes."""
    from recoco.runs.block import Block

    names, params = snakemake.wildcards, snakemake.params
    keys = ("identity", "method", "import_path", "params", "master_seed", "time_limit")
    return Block(
        weighting=names.weighting,
        start=int(names.start),
        stop=int(names.stop),
        **{key: params[key] for key in keys},
    )


def _isolate(snakemake, began: float) -> None:
    """Continue in a child process with limits; the parent waits and exits as the child does.

    If the child exceeds a limit or crashes, the parent writes the block without labels and with
    the reason, which the cells that depend on it show.
    """
    outputs = [Path(path) for path in snakemake.output]
    for path in outputs:
        path.unlink(missing_ok=True)
    # The configuration as it was written: a key that is left out has its default, none.
    pid = fork_limited(snakemake.config.get("memory_limit"))
    if pid == 0:
        return
    _die_with_owner()
    limit = snakemake.params.time_limit
    try:
        ending = wait_limited(pid, limit + min(_GRACE, 10 + limit))
    except EndedFromOutside as error:
        print(error, file=sys.stderr)
        Path(snakemake.log[0]).write_text(f"{error}\n", encoding="utf-8")
        sys.exit(1)
    if ending.code == _REPORTED:
        sys.exit(1)
    if ending.status == "timeout":
        ending = Ending("timeout", f"no result within {limit:g} s")
    elif ending.code == _NO_MEMORY:
        ending = Ending("failed", "MemoryError: more memory was asked for than the limit")
    elif ending.status == "ok" and not all(path.is_file() for path in outputs):
        ending = Ending("failed", "its process ended without a result")
    if ending.status != "ok":
        _write_failed(snakemake, ending, time.perf_counter() - began)
    sys.exit(0)


def _write_failed(snakemake, ending: Ending, seconds: float) -> None:
    from recoco.engine import integrity

    out = snakemake.output
    outcome = {"status": ending.status, "error": ending.error, "n_clusters": None}
    block_of(snakemake).write(Path(out.labels), Path(out.seconds), seconds, {}, **outcome)
    integrity.record(Path.cwd(), out)
    with open(snakemake.log[0], "a", encoding="utf-8") as log:
        print(f"{ending.status}: {ending.error}\nfinished in {seconds:.3f} s", file=log)


def share_source() -> None:
    """Let jobs import recoco and, last, the user's own modules in the project folder.

    With --software-deployment conda, jobs have another Python. While an archive is verified, the
    archive is the project folder, and RECOCO_CODE names the verifier's own, because no code of an
    archive may run.
    """
    source = str(Path(__file__).resolve().parents[2])
    known = os.environ.get("PYTHONPATH")
    own = os.environ.get("RECOCO_CODE") or str(paths.root())
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [source, known, own]))


def _pin_threads(threads: int) -> None:
    """Leave parallelism to the workflow: limit numba and BLAS to the threads of the job."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    from threadpoolctl import threadpool_limits

    threadpool_limits(threads)
    if "numba" in sys.modules:
        # Once imported, it refuses to compile if the number in the environment has changed.
        numba = sys.modules["numba"]
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    else:
        os.environ.setdefault("NUMBA_NUM_THREADS", str(threads))


def _kilobytes(files) -> int:
    return round(sum(os.path.getsize(path) for path in files if os.path.isfile(path)) / 1000)


def _peak_memory() -> int:
    """Return the peak memory of this process in MiB.

    Linux's own figure is preferred, because that of getrusage includes the parent's memory.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return round(int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)[1]) / 1024)
    except (OSError, TypeError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return round(most / (2**20 if sys.platform == "darwin" else 1024))


def _die_with_owner() -> None:
    """End this job when the process that leads the reproduction is gone.

    After kill -9 of the leader its jobs would otherwise run on and interfere with those of the
    next start.
    """
    owner = int(os.environ.get("RECOCO_OWNER", "0"))
    if owner:
        threading.Thread(target=_exit_after, args=(owner,), daemon=True).start()


def _exit_after(owner: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        try:
            select.select([os.pidfd_open(owner)], [], [])
        except AttributeError:  # only Linux notifies
            while True:
                os.kill(owner, 0)
                time.sleep(1.0)
    os._exit(3)
