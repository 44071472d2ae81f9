"""Matrices larger than memory: time per iteration from 10^6 to 10^8 non-zeros, memory, recovery.

Planted counts are written to disk in blocks, then CoClus and spherical k-means read them from
there. Each size and method has a process of its own, whose address space the system limits: it
cannot hold more than the limit. :func:`measure` returns the figures, :func:`markdown` a table.
"""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.timing import environment, svg
from recoco.core.errors import RecocoError
from recoco.datasets.disk_matrix import BigCsr, Writer
from recoco.methods.base import start_generator
from recoco.methods.streamed import STREAMED

CLUSTERS = 10
NOISE = 0.3  # share of the entries outside of the planted blocks
PER_ROW = 100  # non-zeros
ROWS = (10_000, 31_623, 100_000, 316_228, 1_000_000)  # ten times as many rows as columns
ITERATIONS = 3
# The iterations that are timed begin with centroids of many rows. One row alone shares no term with
# most rows of a large matrix and some with all of a small one: no iterations to be compared.
TIMED = {"coclus": {}, "skmeans": {"seeding": "labels"}}
STARTS = {"coclus": 8, "skmeans": 4}  # of the complete runs; the best by the criterion is kept
LIMIT = 3 << 30  # bytes of address space of a measured process
_ROWS_AT_ONCE = 10_000


def draws_of(columns: int) -> int:
    """Return how many columns a row draws so that as many as wanted are distinct, on average."""
    if columns < 4 * PER_ROW:
        raise RecocoError(f"{columns} columns are too few for {PER_ROW} non-zeros a row.")
    own = columns / CLUSTERS
    draws = PER_ROW
    while True:
        inside = own * -np.expm1(-draws * ((1 - NOISE) / own + NOISE / columns))
        outside = (columns - own) * -np.expm1(-draws * NOISE / columns)
        if inside + outside >= PER_ROW:
            return draws
        draws += 1


def write_planted(folder: Path, rows: int, columns: int, seed: int = 0) -> None:
    """Write planted counts and their labels; a block of rows is in memory at a time.

    A row draws its columns with probability ``1 - NOISE`` from those of its cluster, else from
    all; one that is drawn twice is a count of 2. Clusters of rows and columns are drawn too, so
    they lie in no order.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    column_labels = rng.integers(CLUSTERS, size=columns)
    members = np.argsort(column_labels, kind="stable")
    sizes = np.bincount(column_labels, minlength=CLUSTERS)
    starts = np.cumsum(sizes) - sizes
    row_labels = rng.integers(CLUSTERS, size=rows)
    draws = draws_of(columns)
    with Writer(folder / "planted.csr", columns) as out:
        for first in range(0, rows, _ROWS_AT_ONCE):
            own = row_labels[first : first + _ROWS_AT_ONCE, None]
            shape = (own.shape[0], draws)
            drawn = members[starts[own] + (rng.random(shape) * sizes[own]).astype(np.int64)]
            drawn = np.where(rng.random(shape) < NOISE, rng.integers(columns, size=shape), drawn)
            drawn.sort(axis=1)
            indptr = np.arange(0, drawn.size + 1, draws)
            parts = (np.ones(drawn.size), drawn.ravel().astype(np.int32), indptr)
            out.add(sparse.csr_matrix(parts, shape=(shape[0], columns)))
    np.savez(folder / "labels.npz", rows=row_labels, columns=column_labels)


def measure(repetitions: int) -> dict:
    """Measure all sizes, then co-cluster the largest to the end.

    Times are seconds of processor time per iteration, the best of the repetitions.
    """
    largest = 12.2 * PER_ROW * max(ROWS)
    with tempfile.TemporaryDirectory(prefix="recoco-scale-") as name:
        if shutil.disk_usage(name).free < 1.5 * largest:
            raise RecocoError(
                f"{name} has no room for {largest / 1e9:.1f} GB: name a larger place in TMPDIR."
            )
        folder = Path(name)
        results = {"limit_gib": LIMIT / 2**30, "clusters": CLUSTERS, "sizes": []}
        for rows in ROWS:
            write = _child("_write", str(folder), rows, rows // 10)
            found = {"shape": [rows, rows // 10], **write}
            for method in STREAMED:
                # small ones are over in no time, and are measured more often
                often = int(np.clip(repetitions * max(ROWS) / 10 / rows, 3, 3 * repetitions))
                found[method] = _child("_iterations", str(folder), method, often)
            results["sizes"].append(found)
            print(f"  {found['nonzeros']} non-zeros measured", flush=True)
        results["whole"] = {method: _child("_whole", str(folder), method) for method in STREAMED}
    x = np.log10([found["nonzeros"] for found in results["sizes"]])
    results["slopes"] = {
        method: float(
            np.polyfit(x, np.log10([found[method]["seconds"] for found in results["sizes"]]), 1)[0]
        )
        for method in STREAMED
    }
    return results


def _child(task: str, *arguments) -> dict:
    """Do a task in a process of its own."""
    call = f"from benchmarks import scale; scale.{task}(*{arguments!r})"
    env = environment(NUMBA_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, env=env)
    if done.returncode:
        raise RecocoError(f"{task} of {arguments} failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def _limit() -> None:
    """Let the system refuse memory beyond the limit."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def _say(**figures) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures["peak_gib"] = used / 2**30 if sys.platform == "darwin" else used / 2**20
    print(json.dumps(figures))


def _write(folder: str, rows: int, columns: int) -> None:
    _limit()
    write_planted(Path(folder), rows, columns)
    size = sum(path.stat().st_size for path in (Path(folder) / "planted.csr").iterdir())
    _say(nonzeros=BigCsr(Path(folder) / "planted.csr").nnz, bytes=size)


def _iterations(folder: str, method: str, repetitions: int) -> None:
    _limit()
    X = BigCsr(Path(folder) / "planted.csr")
    model = STREAMED[method](CLUSTERS, max_iter=ITERATIONS, tol=0.0, **TIMED[method])
    problem = model._prepare(X)
    model._run(problem, [start_generator(1, 0)], None)  # compiled, and the file is at hand
    seconds, wall = np.inf, np.inf
    for _ in range(repetitions):
        begin, begin_wall = time.process_time(), time.perf_counter()
        runs = model._run(problem, [start_generator(0, 0)], None)
        seconds = min(seconds, (time.process_time() - begin) / int(runs.n_iter[0]))
        wall = min(wall, (time.perf_counter() - begin_wall) / int(runs.n_iter[0]))
    _say(seconds=seconds, wall_seconds=wall, iterations=int(runs.n_iter[0]))


def _whole(folder: str, method: str) -> None:
    from sklearn.metrics import normalized_mutual_info_score as nmi

    _limit()
    X = BigCsr(Path(folder) / "planted.csr")
    model = STREAMED[method](CLUSTERS, n_init=STARTS[method], random_state=0)
    begin, begin_wall = time.process_time(), time.perf_counter()
    model.fit(X)
    spent, wall = time.process_time() - begin, time.perf_counter() - begin_wall
    with np.load(Path(folder) / "labels.npz") as planted:
        found = {"rows_nmi": float(nmi(planted["rows"], model.row_labels_))}
        if model.column_labels_ is not None:
            found["columns_nmi"] = float(nmi(planted["columns"], model.column_labels_))
    _say(
        seconds=spent,
        wall_seconds=wall,
        starts=STARTS[method],
        iterations=model.n_iter_,
        criterion=model.criterion_,
        **found,
    )


def markdown(results: dict) -> str:
    """The figures as tables."""
    names = {method: STREAMED[method].title for method in STREAMED}
    lines = [
        "## Matrices larger than memory",
        "",
        f"Planted counts, {results['clusters']} co-clusters, read from disk by blocks of rows; one "
        "start, one thread, processor time. Every process may use at most "
        f"{results['limit_gib']:.0f} GiB of address space.",
        "",
        "| non-zeros | shape | on disk, MB | "
        + " | ".join(f"{name}, s per iteration | GiB" for name in names.values())
        + " |",
        "|---:|---|---:|" + "---:|" * (2 * len(names)),
    ]
    for found in results["sizes"]:
        cells = [
            f"{found[method]['seconds']:.3g} | {found[method]['peak_gib']:.2f}" for method in names
        ]
        lines.append(
            f"| {found['nonzeros']} | {found['shape'][0]} x {found['shape'][1]} | "
            f"{found['bytes'] / 1e6:.0f} | {' | '.join(cells)} |"
        )
    lines += ["", "| | " + " | ".join(names.values()) + " |", "|---|" + "---:|" * len(names)]
    slopes = " | ".join(f"{results['slopes'][method]:.3f}" for method in names)
    lines.append(f"| slope of log time against log non-zeros (1: linear) | {slopes} |")
    whole = results["whole"]
    rows = [
        ("whole co-clustering of the largest: starts", "starts", "{}"),
        ("iterations of the start that was kept", "iterations", "{}"),
        ("processor time, s", "seconds", "{:.0f}"),
        ("peak memory, GiB", "peak_gib", "{:.2f}"),
        ("NMI of rows to the planted", "rows_nmi", "{:.4f}"),
        ("NMI of columns to the planted", "columns_nmi", "{:.4f}"),
    ]
    for title, key, form in rows:
        cells = [form.format(whole[m][key]) if key in whole[m] else "-" for m in names]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def chart(results: dict, path: Path) -> None:
    """Time per iteration against non-zeros, both logarithmic."""
    x = [found["nonzeros"] for found in results["sizes"]]
    with svg(path, (6, 3.4)) as axes:
        for (method, kind), colour, mark in zip(
            STREAMED.items(), ("#1f5fa8", "#c2571a"), "os", strict=True
        ):
            y = [found[method]["seconds"] for found in results["sizes"]]
            label = f"{kind.title}, slope {results['slopes'][method]:.2f}"
            axes.loglog(x, y, color=colour, marker=mark, label=label)
        axes.set_xlabel("non-zeros")
        axes.set_ylabel("seconds per iteration")
        axes.legend(frameon=False)
