"""What the sections of the benchmark share: clocks, threads, repetitions in turn, pictures."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from recoco.core.errors import RecocoError
from recoco.core.files import atomic


@dataclass
class Target:
    """A bound that a measured figure is held against.

    Attributes
    ----------
    what, against : str, the two sides of the ratio
    value : float or None, as measured; None: not measured
    bound : float
    most : bool, whether the bound is the largest allowed value, not the smallest
    unit : str, put behind both numbers
    note : str, what has to be said about it
    """

    what: str
    against: str
    value: float | None
    bound: float
    most: bool = False
    unit: str = ""
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.value is None:
            return None
        return self.value <= self.bound if self.most else self.value >= self.bound

    def as_dict(self) -> dict:
        return {**asdict(self), "met": self.met}


def target_table(targets: list[Target]) -> str:
    """All bounds and what was measured, as a table."""
    lines = [
        "## Targets",
        "",
        "| what | against | asked | measured | met | |",
        "|---|---|---:|---:|---|---|",
    ]
    for t in targets:
        asked = f"{'≤' if t.most else '≥'} {t.bound:g}{t.unit}"
        value = "-" if t.value is None else f"{_short(t.value)}{t.unit}"
        met = {True: "yes", False: "**no**", None: "not measured"}[t.met]
        lines.append(f"| {t.what} | {t.against} | {asked} | {value} | {met} | {t.note} |")
    return "\n".join(lines) + "\n"


def target_chart(targets: list[Target], path: Path) -> None:
    """How much better than asked each measured figure is; left of the line it falls short."""
    shown = [t for t in targets if t.value is not None and t.bound > 0]
    names = [f"{t.what} / {t.against}" for t in shown]
    margins = [t.bound / max(t.value, 1e-9) if t.most else t.value / t.bound for t in shown]
    with svg(path, (9, 0.8 + 0.26 * len(shown))) as axes:
        colours = ["#1f5fa8" if t.met else "#c2571a" for t in shown]
        widths = [margin - 1.0 for margin in margins]
        axes.barh(range(len(shown)), widths, left=1.0, color=colours, log=True)
        axes.set_yticks(range(len(shown)), names, fontsize=7)
        axes.axvline(1.0, color="#333333", linewidth=1)
        axes.invert_yaxis()
        axes.set_xlabel("times better than asked")


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def clock_of(threads: int) -> Callable[[], float]:
    """The time of the thread itself where there is one: other programs do not count then."""
    return time.thread_time if threads == 1 else time.perf_counter


def in_turn(repetitions: int, runs: dict[str, Callable], threads: int = 1):
    """Run everything in turn, several times.

    Returns
    -------
    seconds : dict, the best time of each
    values : dict, what each returned last
    """
    clock = clock_of(threads)
    seconds, values = dict.fromkeys(runs, np.inf), {}
    for _ in range(repetitions):
        for name, run in runs.items():
            begin = clock()
            values[name] = run()
            seconds[name] = min(seconds[name], clock() - begin)
    return seconds, values


@contextlib.contextmanager
def threads(number: int):
    """Give numba, BLAS and OpenMP as many threads."""
    import numba
    from threadpoolctl import threadpool_limits

    before = numba.get_num_threads()
    numba.set_num_threads(number)
    try:
        with threadpool_limits(number):
            yield
    finally:
        numba.set_num_threads(before)


def thread_counts() -> list[int]:
    """One, and two where there are two."""
    import numba

    return [1, 2] if numba.config.NUMBA_NUM_THREADS > 1 else [1]


def environment(**variables: str) -> dict[str, str]:
    """Return an environment in which a child process can import the benchmarks."""
    folder = str(Path(__file__).resolve().parents[1])
    known = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([folder, known] if known else [folder]),
        **variables,
    }


def child(module: str, task: str, *arguments, env=None) -> dict:
    """Do a task of a section in a process of its own, which prints JSON in its last line."""
    call = f"from benchmarks import {module}; {module}.{task}(*{arguments!r})"
    done = subprocess.run(
        [sys.executable, "-c", call],
        capture_output=True,
        text=True,
        env=environment(**(env or {})),
    )
    if done.returncode:
        raise RecocoError(f"{module}.{task} of {arguments} failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def slope(x, y) -> float:
    """Slope of log y against log x: 1 is linear, 0 is constant."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


@contextlib.contextmanager
def svg(path: Path, size, rows: int = 1, columns: int = 1):
    """Axes of a figure that is written, the same bytes for the same numbers."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "recoco"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(rows, columns, figsize=size, layout="constrained")
    for each in np.ravel(axes):
        each.spines[["top", "right"]].set_visible(False)
    yield axes
    with atomic(path) as stream:
        figure.savefig(stream, format="svg", metadata={"Date": None})
    plt.close(figure)
