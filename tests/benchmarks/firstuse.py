"""What the first use costs: imports, the command's help, compiled kernels, the environment."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import Target, child, environment
from recoco.core import paths

METHODS = (
    "recoco.methods.coclus:CoClus",
    "recoco.methods.spectral:Spec",
    "recoco.methods.spherical:SphericalKMeans",
    "recoco.methods.nmf:NMF",
    "recoco.methods.dcc:DCC",
    "recoco.methods.croinfo:CROINFO",
)
COMMANDS = {
    "python": ["-c", "pass"],
    "import": ["-c", "import recoco"],
    "help": ["-m", "recoco", "--help"],
}
BOUNDS = {"import": ("import recoco", 0.3), "help": ("recoco --help", 0.5)}
SETUP = 90


def measure(repetitions: int) -> dict:
    """Measure in processes of their own, the best of several in turn.

    Returns
    -------
    dict with ``seconds`` (by the clock) and ``processor`` (of the processor) of each command,
    ``kernels``: how many a second worker process loads and how many it compiles, and ``setup``:
    seconds of an environment from the lock, None where there is no installer or no cache
    """
    best = {name: [np.inf, np.inf] for name in COMMANDS}
    for _ in range(max(3, repetitions)):
        for name, command in COMMANDS.items():
            spent = _spent(command)
            best[name] = [min(pair) for pair in zip(best[name], spent, strict=True)]
    child("firstuse", "work")  # what is not compiled yet is compiled here
    return {
        "repetitions": repetitions,
        "seconds": {name: pair[0] for name, pair in best.items()},
        "processor": {name: pair[1] for name, pair in best.items()},
        "kernels": _second_worker(),
        "setup": _setup(),
    }


def _spent(command) -> tuple[float, float]:
    """Seconds of a process, by the clock and of the processor."""
    before, begin = os.times(), time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    seconds, after = time.perf_counter() - begin, os.times()
    children = after.children_user + after.children_system
    return seconds, children - before.children_user - before.children_system


def work() -> None:
    """Fit some methods on little data, and say how long that took."""
    from benchmarks.growth import planted
    from recoco.core.imports import load_class

    A = planted(2_000, 2)
    begin = time.perf_counter()
    for place in METHODS:
        load_class(place)(n_clusters=2).fit_runs(A, [0])
    print(json.dumps({"seconds": time.perf_counter() - begin}))


def _second_worker() -> dict:
    """What numba tells of its cache in a process that comes after another."""
    call = "from benchmarks import firstuse; firstuse.work()"
    done = subprocess.run(
        [sys.executable, "-c", call],
        env=environment(NUMBA_DEBUG_CACHE="1"),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    return {
        "loaded": sum("data loaded from" in line for line in lines),
        "compiled": sum("data saved to" in line for line in lines),
        "seconds": json.loads(lines[-1])["seconds"],
    }


def _setup() -> float | None:
    """Seconds of an environment from the lock, where all packages are in the installer's cache."""
    root = paths.root()
    own = root / ".cache" / "uv" / "bin" / "uv"
    uv, lock = (
        shutil.which("uv") or (str(own) if own.is_file() else None),
        root / "requirements.lock",
    )
    if uv is None or not lock.is_file():
        return None
    with tempfile.TemporaryDirectory(dir=root) as folder:  # where .venv would be: the same disk
        python = Path(folder) / "venv" / "bin" / "python"
        begin = time.perf_counter()
        for command in (
            ["venv", "-q", "--python", sys.executable, str(python.parents[1])],
            ["pip", "sync", "-q", "--offline", "--compile-bytecode", "--python", str(python),
             str(lock)],
        ):  # fmt: skip
            if subprocess.run([uv, *command], capture_output=True).returncode:
                return None
        return time.perf_counter() - begin


def targets(results: dict) -> list[Target]:
    rows = [
        Target(
            title,
            "a new process",
            results["seconds"][name],
            bound,
            most=True,
            unit=" s",
            note=f"Python alone: {results['seconds']['python']:.2f} s; seconds of the processor: "
            f"{results['processor'][name]:.2f}",
        )
        for name, (title, bound) in BOUNDS.items()
    ]
    kernels = results["kernels"]
    rows.append(
        Target(
            "kernels compiled by a second worker",
            "kernels it loads",
            kernels["compiled"],
            0,
            most=True,
            note=f"it loads {kernels['loaded']} from the project's cache",
        )
    )
    rows.append(
        Target(
            "environment from the lock",
            "a warm download cache",
            results["setup"],
            SETUP,
            most=True,
            unit=" s",
            note="" if results["setup"] else "no uv here, or its cache lacks a package",
        )
    )
    return rows


def markdown(results: dict) -> str:
    """The results as a table."""
    spent, busy, kernels = results["seconds"], results["processor"], results["kernels"]
    lines = [
        "## First use",
        "",
        "| what | seconds | of the processor | what it says |",
        "|---|---:|---:|---|",
        f"| Python alone | {spent['python']:.3f} | {busy['python']:.3f} | a process that does "
        "nothing |",
        f"| import recoco | {spent['import']:.3f} | {busy['import']:.3f} | heavy imports come on "
        "first use |",
        f"| recoco --help | {spent['help']:.3f} | {busy['help']:.3f} | the whole command |",
        f"| first fits of a worker | {kernels['seconds']:.3f} | - | {len(METHODS)} methods in a "
        f"new process: {kernels['loaded']} kernels loaded from the project's cache, "
        f"{kernels['compiled']} compiled |",
    ]
    if results["setup"]:
        lines.append(
            f"| environment | {results['setup']:.0f} | - | all packages of the lock from a warm "
            "download cache, with bytecode |"
        )
    return "\n".join(lines) + "\n"
