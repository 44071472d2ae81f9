"""Small projects for the tests: the real workflow on a planted dataset and a made-up table."""

import contextlib
import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
COPIED = (
    *("Snakefile", "environment.yml", "requirements.lock", "pyproject.toml"),
    *("workflow", "profiles", "config", "src"),
)

MINI_PAPER = {
    "key": "mini",
    "title": "A paper made for the tests",
    "authors": "nobody",
    "venue": "none",
    "year": 2000,
    "runs": 6,
    "items": {
        "table1": {
            "kind": "characteristics",
            "title": "Table 1",
            "datasets": {"PLANTED": "planted-small", "GONE": "sports"},
        },
        "table2": {
            "kind": "scores",
            "title": "Table 2",
            "published": "table2",
            "datasets": {"PLANTED": "planted-small", "GONE": "sports"},
            "weightings": {"binary": "binary"},
            "methods": {"Coclus": "coclus", "SpecCo": "specco"},
            "metrics": ["acc"],
            "test": {"kind": "welch", "methods": ["SpecCo", "Coclus"]},
            "nulls": ["null"],
            "choices": {
                "selection": {
                    "text": "What is averaged?",
                    "options": {
                        "single": {"text": "single starts", "printed": True, "select": "mean"},
                        "best-of-n": {
                            "text": "best of n",
                            "select": "mean",
                            "params": {"*": {"n_init": "best_of"}},
                        },
                        "oracle": {"text": "oracle", "select": "best"},
                    },
                }
            },
        },
    },
}

MINI_PUBLISHED = """paper,item,dataset,weighting,method,metric,value,sd,best,note
mini,table2,PLANTED,binary,Coclus,acc,0.99,0.5,,
mini,table2,PLANTED,binary,SpecCo,acc,0.10,0.001,,
mini,table2,PLANTED,binary,SpecCo vs Coclus,pvalue_acc,0.001,,,<
mini,table2,GONE,binary,Coclus,acc,0.50,0.01,,
"""


def make_project(folder: Path) -> Path:
    """Write a project that has the real workflow and source, and the mini paper.

    What is compiled in the checkout comes along: numba and Python go by the time and size of a
    source file, which a copy keeps.
    """
    folder.mkdir(parents=True)
    for name in COPIED:
        if (CHECKOUT / name).is_dir():
            others = shutil.ignore_patterns("*.egg-info")
            shutil.copytree(CHECKOUT / name, folder / name, ignore=others)
        else:
            shutil.copy(CHECKOUT / name, folder / name)
    shutil.rmtree(folder / "config" / "papers")
    write_paper(folder, MINI_PAPER, MINI_PUBLISHED)
    write_yaml(
        folder / "config" / "config.yaml",
        {"papers": ["mini"], "master_seed": 7, "runs": {"first": 2, "best_of": 3}},
    )
    return folder


def write_paper(project: Path, paper: dict, published: str | None = None) -> Path:
    """Write a paper's folder, or what is given of it, into a project; return the folder."""
    folder = project / "config" / "papers" / paper["key"]
    folder.mkdir(parents=True, exist_ok=True)
    write_yaml(folder / "paper.yaml", paper)
    if published is not None:
        (folder / "published.csv").write_text(published)
    return folder


def write_yaml(path: Path, content: dict) -> None:
    path.write_text(yaml.safe_dump(content, sort_keys=False))


def environment_of(project: Path) -> dict[str, str]:
    """Return an environment in which the project's own copy of the source is used."""
    # Each job is a new process: bytecode that is never kept would be compiled a hundred times.
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {
        **inherited,
        "RECOCO_ROOT": str(project),
        "PYTHONPATH": str(project / "src"),
        "RECOCO_MIRROR": "",
    }


@contextlib.contextmanager
def locked(path: Path):
    """Let one process at a time through, of all test processes of this checkout."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


_COMPILE = """
import os, pathlib, sys
from recoco.config import load_config
from recoco.engine.warm import compile_in_parallel
from recoco.plan.kernels import STAMP, compiled, digest_of, variants_of

root = pathlib.Path(sys.argv[1])
config = load_config({"papers": [*load_config().papers, "benchmark"]})
if not compiled(config, root):
    compile_in_parallel(variants_of(config), True, len(os.sched_getaffinity(0)))
    (root / STAMP).parent.mkdir(exist_ok=True)
    (root / STAMP).write_text(digest_of(variants_of(config), True))
"""


@functools.cache
def compile_checkout() -> None:
    """Compile the checkout's bytecode and kernels, once for all projects that are made from it."""
    store = CHECKOUT / ".cache"
    with locked(store / "compiled.lock"):
        for command in (["-m", "compileall", "-q", "src"], ["-c", _COMPILE, str(store)]):
            subprocess.run(
                [sys.executable, *command],
                cwd=CHECKOUT,
                env=environment_of(CHECKOUT),
                check=True,
                capture_output=True,
            )


def recoco(
    project: Path, *arguments: str, check: bool = True, env=None, timeout: float = 600, **options
):
    """Run the command in a project, with that project's own copy of the source."""
    done = subprocess.run(
        [sys.executable, "-m", "recoco", *arguments],
        env={**environment_of(project), **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        **{"cwd": project, **options},
    )
    if check and done.returncode:
        raise AssertionError(f"recoco {' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
    return done


def content(project: Path) -> dict[str, str]:
    """Return the hash of every result that must not depend on how it was computed."""
    files = [
        *(project / "results").rglob("*.npz"),
        *(project / "results").rglob("*.parquet"),
        *(project / "results" / "compare").rglob("*.csv"),
        *(project / "resources" / "prepared").glob("*"),
        *(project / "reports" / "tables").rglob("*"),
        *(project / "reports" / "figures").rglob("*"),
    ]
    return {
        str(path.relative_to(project)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
