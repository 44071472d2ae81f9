"""What every workflow job does around its work: log, pin threads, die with its owner."""

import contextlib
import os
import re
import select
import sys
import threading
import time
import traceback
from pathlib import Path

from recoco import ledger, paths
from recoco.errors import RecocoError
from recoco.limits import NO_MEMORY, SAID
from recoco.standby import hand_over

# The last line of a job's log; the provenance page adds these up.
FINISHED = re.compile(r"^finished in ([\d.]+) s$", re.MULTILINE)
# The line before it; `recoco needs` turns these into what a cluster is asked for.
PEAK = re.compile(r"^peak memory (\d+) MiB$", re.MULTILINE)


@contextlib.contextmanager
def job(snakemake):
    """Run a script's body: output to the job's log, errors in one sentence where they can be."""
    began = time.perf_counter()
    guarded = snakemake.rule == "run"
    if guarded:  # whatever its method does, the block says it
        hand_over(snakemake.log[0])
        from recoco.guard import guard_block

        guard_block(snakemake, _die_with_owner)
    else:
        _die_with_owner()
    said, no_memory = (SAID, NO_MEMORY) if guarded else (1, 1)
    _pin_threads(snakemake.threads)
    log = open(snakemake.log[0], "w", buffering=1, encoding="utf-8")  # noqa: SIM115
    with log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        try:
            ledger.check(Path.cwd(), snakemake.input)
            yield
            ledger.enter(Path.cwd(), snakemake.output)
            print(f"peak memory {_peak_memory()} MiB")
            print(f"finished in {time.perf_counter() - began:.3f} s")
        except RecocoError as error:
            print(error, file=sys.__stderr__)
            print(error)
            sys.exit(said)
        except MemoryError:
            traceback.print_exc()
            print("MemoryError: memory ran out", file=sys.__stderr__)
            sys.exit(no_memory)
        except Exception:
            traceback.print_exc()
            traceback.print_exc(file=sys.__stderr__)
            sys.exit(said)


def share_source() -> None:
    """Let jobs find recoco and, last, modules of one's own that lie in the project folder.

    With --software-deployment conda they have a Python of their own.
    """
    source = str(Path(__file__).resolve().parents[1])
    known = os.environ.get("PYTHONPATH")
    places = [source, *([known] if known else []), str(paths.root())]
    os.environ["PYTHONPATH"] = os.pathsep.join(places)


def _pin_threads(threads: int) -> None:
    """Leave parallelism to the workflow: a job has the threads it was given, BLAS too."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    from threadpoolctl import threadpool_limits

    threadpool_limits(threads)
    if "numba" in sys.modules:
        # It has made its choice; with another number in the environment it compiles no more.
        numba = sys.modules["numba"]
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    else:
        os.environ.setdefault("NUMBA_NUM_THREADS", str(threads))


def _peak_memory() -> int:
    """Return the most memory that this process held, in MiB.

    Linux's own figure comes first: that of getrusage counts the parent's memory too.
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

    After kill -9 of the leader its jobs would go on as orphans and write beside the jobs of
    the next start.
    """
    owner = int(os.environ.get("RECOCO_OWNER", "0"))
    if not owner:
        return

    def watch():
        try:
            select.select([os.pidfd_open(owner)], [], [])  # Linux tells at once
        except (AttributeError, OSError):  # others are asked
            while _alive(owner):
                time.sleep(1.0)
        os._exit(3)

    threading.Thread(target=watch, daemon=True).start()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
