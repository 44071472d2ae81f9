"""Growth of time and memory with non-zeros, clusters, starts and threads, as log-log slopes.

Every point is measured in a process of its own on a planted matrix, so that its peak of memory
is its own; while one number grows the others stay. Time is that of an iteration of all starts.
"""

import contextlib
import ctypes
import gc
import json
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.timing import child, slope, svg, thread_counts

PER_ROW, NOISE, ITERATIONS = 50, 0.3, 5
BASE = {"nonzeros": 1_000_000, "clusters": 8, "starts": 8, "threads": 1}
GROWING = {
    "nonzeros": (62_500, 250_000, 1_000_000, 4_000_000),
    "clusters": (4, 8, 16, 32),
    "starts": (1, 2, 8, 32),
}
METHODS = {
    "coclus": ("CoClus", "recoco.methods.coclus:CoClus"),
    "skmeans": ("spherical k-means", "recoco.methods.spherical:SphericalKMeans"),
    "nmf": ("NMF", "recoco.methods.nmf:NMF"),
}


def measure(repetitions: int) -> dict:
    """Measure all points.

    Returns
    -------
    dict with ``points`` (by method, then what grows: values, seconds, bytes) and ``slopes`` (by
    method, then what grows: of time and of memory)
    """
    growing = {**GROWING, "threads": tuple(thread_counts())}
    results = {"base": BASE, "repetitions": repetitions, "points": {}, "slopes": {}}
    known = {}
    for method in METHODS:
        results["points"][method], results["slopes"][method] = {}, {}
        for what, values in growing.items():
            found = []
            for value in values:
                size = {**BASE, what: value}
                key = (method, *size.values())
                if key not in known:
                    known[key] = _point(method, size, repetitions)
                found.append(known[key])
            seconds, peaks = ([each[name] for each in found] for name in ("seconds", "bytes"))
            points = {"values": list(values), "seconds": seconds, "bytes": peaks}
            results["points"][method][what] = points
            if len(values) > 1:
                slopes = {"time": slope(values, seconds)}
                if what != "threads":  # a thread's stack is not the method's
                    slopes["memory"] = slope(values, peaks)
                results["slopes"][method][what] = slopes
    return results


def _point(method: str, size: dict, repetitions: int) -> dict:
    threads = str(size["threads"])
    env = {"NUMBA_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    return child("growth", "probe", method, *size.values(), min(repetitions, 3), env=env)


def planted(nonzeros: int, clusters: int) -> sparse.csr_matrix:
    """Counts with a diagonal of blocks, twice as many rows as columns."""
    rng = np.random.Generator(np.random.PCG64(0))
    n = nonzeros // PER_ROW
    d = max(n // 2, 4 * PER_ROW)
    rows = np.repeat(np.arange(n), PER_ROW)
    columns = rng.integers(d, size=rows.size)
    inside = rng.random(rows.size) >= NOISE
    columns[inside] += (rows[inside] - columns[inside]) % clusters
    columns %= d
    return sparse.csr_matrix((np.ones(rows.size), (rows, columns)), shape=(n, d))


def probe(method: str, nonzeros, clusters, starts, threads, repetitions) -> None:
    """Fit in this process; print seconds per iteration and the growth of its peak memory."""
    from recoco.core.imports import load_class
    from recoco.methods.base import check_matrix, start_generator

    model = load_class(METHODS[method][1])(clusters, max_iter=ITERATIONS, tol=0.0)
    A = check_matrix(planted(nonzeros, clusters))

    def run(problem):
        generators = [start_generator(b, 0) for b in range(starts)]
        if not hasattr(model, "_descend"):
            return model._run(problem, generators, None)
        # the factors alone: their first labels are those of spherical k-means, measured apart
        labels = np.array([r.integers(clusters, size=problem.A.shape[0]) for r in generators])
        tile = model._tile()
        parts = [
            model._descend(problem, labels[b : b + tile], generators[b : b + tile])
            for b in range(0, starts, tile)
        ]
        return parts[0]

    run(model._prepare(check_matrix(planted(20_000, clusters))))  # compiled code does not count
    _forget_peak()
    seconds, before = np.inf, _memory("VmRSS")
    for _ in range(repetitions):
        problem = model._prepare(A)
        begin = time.perf_counter() if threads > 1 else time.thread_time()
        found = run(problem)
        spent = (time.perf_counter() if threads > 1 else time.thread_time()) - begin
        seconds = min(seconds, spent / float(np.mean(found.n_iter)))
        del problem
    grown = max(_memory("VmHWM") - before, 1)
    print(json.dumps({"seconds": seconds, "bytes": grown}))


def _memory(field: str) -> int:
    status = Path("/proc/self/status")
    if not status.is_file():
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return used if sys.platform == "darwin" else 1024 * used
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines[field].split()[0]) * 1024


def _forget_peak() -> None:
    """Give back what is free, or it would be used again unseen; begin the peak anew."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def targets(results: dict) -> list:
    return []  # growth is shown, nothing is asked of it


def markdown(results: dict) -> str:
    """The slopes as a table."""
    base = results["base"]
    lines = [
        "## Growth",
        "",
        f"Planted counts; while one number grows the others stay at {base['nonzeros']} non-zeros, "
        f"{base['clusters']} clusters, {base['starts']} starts, {base['threads']} thread. Slopes "
        "of the logarithms: 1 is linear, 0 is constant, and -1 would be half the time with twice "
        "the threads. Memory is the growth of the process besides the given matrix.",
        "",
        "| method | what grows | from | to | time | memory |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for method, (title, _) in METHODS.items():
        for what, slopes in results["slopes"][method].items():
            values = results["points"][method][what]["values"]
            memory = f"{slopes['memory']:.2f}" if "memory" in slopes else "-"
            lines.append(
                f"| {title} | {what} | {values[0]} | {values[-1]} | {slopes['time']:.2f} | "
                f"{memory} |"
            )
    return "\n".join(lines) + "\n"


def chart(results: dict, path) -> None:
    """Seconds of an iteration and bytes against what grows, all logarithmic."""
    what = [name for name in GROWING if any(results["slopes"][m].get(name) for m in METHODS)]
    rows = (("seconds", "seconds per iteration"), ("bytes", "bytes"))
    with svg(path, (3.2 * len(what), 5.2), 2, len(what)) as axes:
        for row, (key, label) in enumerate(rows):
            for column, name in enumerate(what):
                each = np.reshape(axes, (2, -1))[row, column]
                for (method, (title, _)), colour, mark in zip(
                    METHODS.items(), ("#1f5fa8", "#c2571a", "#3d8b57"), "os^", strict=False
                ):
                    points = results["points"][method][name]
                    each.loglog(
                        points["values"], points[key], color=colour, marker=mark, label=title
                    )
                ticks = results["points"][method][name]["values"]
                each.set_xticks(ticks, [f"{value:.3g}" for value in ticks])
                each.minorticks_off()
                each.set_xlabel(name)
                each.set_ylabel(label if column == 0 else "")
        np.ravel(axes)[0].legend(frameon=False)
