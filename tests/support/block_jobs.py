"""Jobs of the rule `run` without Snakemake: one block of two runs of any method.

This file is also the script that Snakemake would start. It takes the method and its seconds from
the environment, because a fork of the warm process has no arguments.
"""

import os
import re
from pathlib import Path
from types import SimpleNamespace

from snakemake.iocontainers import Namedlist

from recoco.engine import isolation
from recoco.engine import job as engine

DATA = "resources/prepared/planted-small.npz"
STEM = "results/runs/planted-small/binary/some/0-2"
LABELS, SECONDS, LOG = f"{STEM}.npz", f"{STEM}.seconds.json", f"logs/{STEM}.log"
MEMORY = 1500  # MiB beyond what this process has, which forks inherit
RUN = Path(__file__).resolve().parents[2] / "workflow" / "scripts" / "run.py"


def script_of(name: str, limit: float) -> SimpleNamespace:
    """Return what Snakemake gives to the script."""
    params = {
        "identity": "planted-small/binary/some",
        "method": "some",
        "import_path": name,
        "params": {},
        "master_seed": 1,
        "time_limit": limit,
    }
    return SimpleNamespace(
        rule="run",
        threads=1,
        config={"memory_limit": MEMORY + _data_of_this_process()},
        input=Namedlist(fromdict={"data": DATA}),
        output=Namedlist(fromdict={"labels": LABELS, "seconds": SECONDS}),
        log=Namedlist([LOG]),
        params=Namedlist(fromdict=params),
        wildcards=Namedlist(fromdict={"weighting": "binary", "start": "0", "stop": "2"}),
    )


def _data_of_this_process() -> int:
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"^VmData:\s+(\d+) kB", status, re.MULTILINE)[1]) >> 10


def run(name: str, limit: float) -> None:
    """Run the script in the present folder, with shorter times than people are given."""
    engine._GRACE, isolation.MOST_OUTPUT = 1.0, 1
    isolation.LEAVING = isolation.STRAGGLING = 0.3
    exec(compile(RUN.read_text(), RUN, "exec"), {"snakemake": script_of(name, limit)})


if __name__ == "__main__":
    run(os.environ["TRIED_METHOD"], float(os.environ["TRIED_SECONDS"]))
