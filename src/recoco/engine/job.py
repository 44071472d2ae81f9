"""What every workflow job does around its work: log, limits, threads, exit with its owner.

Little is imported here: a warm worker, to which a block of runs is handed, has imported the rest.
"""

import contextlib
import errno
import glob
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.limits import Ending, reason_of
from recoco.core.processes import below, name_of_signal, wait_for_end
from recoco.core.texts import printable
from recoco.engine import workers
from recoco.engine.isolation import (
    KILLED,
    Log,
    Outcome,
    OwnerGone,
    Reporter,
    become_keeper,
    fork_keeper,
    fork_method,
)

# The last line of a job's log; the provenance page adds these up.
FINISHED = re.compile(r"^finished in (\d+\.\d+) s$", re.MULTILINE)
# The line before it, for `recoco needs`.
USED = re.compile(r"^peak memory (\d+) MiB, read (\d+) kB, wrote (\d+) kB$", re.MULTILINE)
# Both at the end: a method may print the same further up.
_END = re.compile(rf"(?:{USED.pattern}\n)?{FINISHED.pattern}\s*\Z", re.MULTILINE)
# A line of a block that was computed once more.
AGAIN = re.compile(r"^its process was killed \([\w ]+\): trying once more$", re.MULTILINE)
# Errors that a job must not blame on a method: they pass, and then the block can be computed.
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
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
        if end := _END.search(text):
            inside = path.relative_to(root / "logs").with_suffix("")
            *used, seconds = end.groups()
            needs = tuple(map(int, used)) if used[0] else None
            yield FinishedJob(inside, float(seconds), needs)


@contextlib.contextmanager
def job(snakemake):
    """Run a script's body: output to the job's log, errors in one sentence where possible."""
    began = time.perf_counter()
    if snakemake.rule == "run":
        with _reporting(snakemake, _isolate(snakemake, began)):
            yield
        return
    _die_with_owner()
    from recoco.engine import integrity

    _pin_threads(snakemake.threads)
    log = open(snakemake.log[0], "w", buffering=1, encoding="utf-8")  # noqa: SIM115
    with log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        try:
            integrity.check(Path.cwd(), snakemake.input)
            yield
            integrity.record(Path.cwd(), snakemake.output)
            print(_needs(snakemake, _peak_memory()))
            print(f"finished in {time.perf_counter() - began:.3f} s")
        except RecocoError as error:
            print(error, file=sys.__stderr__)
            print(error)
            sys.exit(1)
        except MemoryError:
            traceback.print_exc()
            print("MemoryError: memory ran out", file=sys.__stderr__)
            sys.exit(1)
        except Exception:
            traceback.print_exc()
            traceback.print_exc(file=sys.__stderr__)
            sys.exit(1)


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


# ---- blocks of runs: somebody's own method may do anything ---------------------------------------


def _isolate(snakemake, began: float) -> Reporter:
    """Continue in a process for the method and return what it reports through.

    The script that Snakemake started, and the keeper of the method's process, exit here. If that
    process exceeds a limit, crashes or is killed, the block is written without labels and with the
    reason, which the cells that depend on it show.
    """
    # A method may change the working folder. Inputs are read before that, and errors name them.
    for files in (snakemake.output, snakemake.log):
        files[:] = map(os.path.abspath, files)
        for name in list(files.keys()):
            setattr(files, name, os.path.abspath(getattr(files, name)))
    log, code = None, 1
    try:
        if not workers.inside:
            Path(snakemake.log[0]).unlink(missing_ok=True)
        log = Log(Path(snakemake.log[0]))
        outcome = _lead(log) or _keep(snakemake, log)
        if isinstance(outcome, Reporter):
            log.close()
            return outcome
        _finish(snakemake, outcome, log, began)
        code = 0
    except RecocoError as error:
        _complain(log, str(error))
    except OwnerGone:
        os._exit(3)
    except Exception:
        _complain(log, traceback.format_exc().strip())
    sys.exit(code)


def _complain(log: Log | None, text: str) -> None:
    print(text, file=sys.stderr)
    if log:
        with contextlib.suppress(RecocoError):  # perhaps this is what the text is about
            log.say(text)


def _lead(log: Log) -> Outcome | None:
    """Let a keeper do the job and exit as it does; return None in the keeper.

    If the method's process or the keeper is killed, another keeper tries once more. The reason is
    returned if that one is killed too.
    """
    if workers.inside:  # the warm process has forked this keeper
        become_keeper()
        return None
    names: list[str] = []
    while len(names) < 2:
        code = workers.hand_over()
        if code is None:
            code = fork_keeper(int(os.environ.get("RECOCO_OWNER", "0")))
        if code is None:
            return None
        if code < KILLED:
            sys.exit(code)
        names.append(name_of_signal(code - KILLED))
        if len(names) == 1:
            log.say(f"its process was killed ({names[0]}): trying once more")
    shown = " and ".join(dict.fromkeys(names))
    reason = f"its process was killed twice ({shown}): by the method itself, or from outside"
    return Outcome(Ending("failed", reason))


def _keep(snakemake, log: Log) -> Reporter | Outcome:
    """Fork the method's process and wait for its end; exit if it is killed."""
    from recoco.engine import integrity

    integrity.check(Path.cwd(), snakemake.input)
    outputs = [Path(path) for path in snakemake.output]
    for path in outputs:
        path.unlink(missing_ok=True)
    # The configuration as it was written: a key that is left out has its default, none.
    kept = fork_method(snakemake.config.get("memory_limit"))
    if isinstance(kept, Reporter):
        return kept

    def written() -> bool:
        return all(path.is_file() for path in outputs)

    limit, owner = snakemake.params.time_limit, int(os.environ["RECOCO_OWNER"])
    seconds = limit + min(_GRACE, 10 + limit)
    outcome = kept.follow(seconds, log, written, {owner, os.getppid()})
    if outcome.left:
        what = "process" if outcome.left == 1 else "processes"
        log.say(f"killed {outcome.left} {what} that the method left behind")
    if outcome.ending.killed and not written():
        sys.exit(KILLED + outcome.ending.killed)
    return outcome


def _finish(snakemake, outcome: Outcome, log: Log, began: float) -> None:
    """Keep the results of a method if they can be used; else write down why there are none."""
    from recoco.engine import integrity
    from recoco.runs.acceptance import KnownBlock, check_block

    reported, out, ending = outcome.reported, snakemake.output, outcome.ending
    for path in map(Path, out):  # all who could complete it are dead
        for half in path.parent.glob(f".{glob.escape(path.name)}.*"):
            half.unlink()
    if "error" in reported:
        raise RecocoError(reported["error"])
    block = KnownBlock(**vars(block_of(snakemake)), shared=bool(reported.get("shared")))
    spent = time.perf_counter() - began
    # The alarm at the time limit kills a program that has taken the place of Python.
    alarmed = "(SIGALRM)" in ending.error and spent >= block.time_limit
    if ending.status == "timeout" or alarmed:
        ending = Ending("timeout", f"no result within {block.time_limit:g} s")
    elif "failed" in reported:
        ending = Ending("failed", reported["failed"])
    accepted = False
    if all(map(os.path.isfile, out)):
        try:
            check_block(block, Path(out.labels), Path(out.seconds))
            accepted = True
        except RecocoError as error:
            ending = Ending("failed", str(error)) if ending.status == "ok" else ending
    elif ending.status == "ok":
        ending = Ending("failed", "its process ended without a result")
    if not accepted:
        reason = printable(ending.error)
        shown = {"status": ending.status, "error": reason, "n_clusters": None}
        block.write(Path(out.labels), Path(out.seconds), spent, {}, **shown)
        log.say(f"{ending.status}: {reason}")
    elif ending.status != "ok":
        log.say(f"after its results were written: {ending.error}")
    integrity.record(Path.cwd(), out)
    if accepted and "peak" in reported:
        log.say(_needs(snakemake, reported["peak"]))
    log.say(f"finished in {time.perf_counter() - began:.3f} s")


@contextlib.contextmanager
def _reporting(snakemake, reporter: Reporter):
    """Report what becomes of the method; this is the process that belongs to it."""
    from recoco.core.imports import load_class

    root = os.getcwd()
    try:
        _pin_threads(snakemake.threads)
        # The job itself never loads a method, because already that may go wrong.
        kind = load_class(snakemake.params.import_path)
        reporter.send(shared=bool(getattr(kind, "shared_starts", False)))
        os.chdir(root)
        yield
        reporter.send(peak=_peak_memory())
    except RecocoError as error:
        cause = error.__context__
        if isinstance(cause, OSError) and cause.errno not in _NO_SPACE:
            # Limits of its own, closed files: the job can write. If not, it says so.
            reporter.send(failed=f"its results could not be written ({cause.strerror or cause})")
        else:
            reporter.send(error=str(error))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException as error:
        reporter.send(failed=_reason_of(error))
        with contextlib.suppress(Exception):
            traceback.print_exc()


def _reason_of(error: BaseException) -> str:
    try:
        return reason_of(error)
    except Exception:  # that of a class of the method's own may not even have a text
        return type(error).__name__


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


def _needs(snakemake, peak: int) -> str:
    """Return the line of a log that says what the job used."""
    read, wrote = (_kilobytes(files) for files in (snakemake.input, snakemake.output))
    return f"peak memory {peak} MiB, read {read} kB, wrote {wrote} kB"


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
    wait_for_end(owner)
    # What downloads, for example. It all happens at once, before the job can notice the ends.
    for pid in below():
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    os._exit(3)
