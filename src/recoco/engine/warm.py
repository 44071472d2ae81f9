"""Compile kernels once, so that no job of the workflow waits for a compiler."""

import multiprocessing
import signal
import sys
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait

import numpy as np

from recoco.core.errors import RecocoError
from recoco.core.imports import load_class
from recoco.core.processes import end_with_parent
from recoco.methods.base import label_dtype
from recoco.metrics import score_partitions
from recoco.metrics.coherence import count_windows
from recoco.metrics.cooccurrence import COUNTS, sppmi


def compile_kernels(variants: list[dict], words: bool = False) -> None:
    """Fit methods on a small block matrix: numba keeps what it compiles.

    A class may set ``warm_params``: parameters that make it use the same code on small data as on
    large data.

    Parameters
    ----------
    variants : classes (``import_path``) and those of their parameters that choose code (``params``)
    words : whether pairs of words are counted too
    """
    data = _data()
    for variant in variants:
        name = " ".join([variant["import_path"].partition(":")[2], *variant["params"].values()])
        try:
            kind = load_class(variant["import_path"])
            more = getattr(kind, "warm_params", {})
            method = kind(n_clusters=2, **variant["params"], **more)
            X = data @ data.T if getattr(method, "graphs_only", False) else data
            runs = method.fit_runs(X if method.views == "one" else [X, X], [1, 2])
        except RecocoError as error:  # an option that requires larger data: its runs compile it
            print(f"{name}: not compiled ({error})")
            continue
        score_partitions(np.repeat([0, 1], 6), runs.row_labels)
        # In one piece even if output is not buffered: two processes write into one log.
        print(f"{name}: compiled\n", end="", flush=True)
    if words:
        compile_words()


def compile_in_parallel(variants: list[dict], words: bool, processes: int) -> None:
    """Do the same as `compile_kernels` in several processes.

    Each function has a file that lists what was compiled of it, and numba does not lock these
    files. So two processes never work on methods that call the same kernel, which also means that
    nothing is compiled twice. What all methods call, the scores, is compiled first.
    """
    from recoco.plan.kernels import units_of

    if processes < 2 or sys.platform != "linux":  # elsewhere nothing ends a process with its parent
        return compile_kernels(variants, words)
    truth = np.repeat([0, 1], 6)
    score_partitions(truth, truth[None].astype(label_dtype(2)))
    waiting = units_of(variants, words)
    context = multiprocessing.get_context("fork")  # what is imported need not be imported again
    running: dict = {}
    with ProcessPoolExecutor(processes, context, _begin) as pool:
        while waiting or running:
            busy = set().union(*running.values())
            for unit in list(waiting):
                if len(running) < processes and not unit.kernels & busy:
                    work = pool.submit(compile_kernels, unit.variants, unit.words)
                    running[work] = unit.kernels
                    busy |= unit.kernels
                    waiting.remove(unit)
            for work in wait(running, return_when=FIRST_COMPLETED).done:
                work.result()
                del running[work]
    return None


def _begin() -> None:
    """Prepare a process that compiles: the compiler may swallow the exception of Ctrl-C."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def compile_words() -> None:
    """Count words in small data."""
    data = _data()
    for count in COUNTS:
        sppmi(data, count)
    count_windows(["a b"], ["a", "b"])
    print("words: compiled", flush=True)


def _data():
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    return csr_matrix(np.kron(np.eye(2), np.ones((6, 5))) + (rng.random((12, 10)) < 0.1))
