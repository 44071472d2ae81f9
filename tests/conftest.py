"""Small projects for the tests: the real workflow on a planted dataset and a made-up table."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[1]

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
    """Write a project that has the real workflow and source, and the mini paper."""
    folder.mkdir(parents=True)
    for name in ("Snakefile", "environment.yml", "requirements.lock", "pyproject.toml"):
        shutil.copy(CHECKOUT / name, folder / name)
    for name in ("workflow", "config", "src"):
        shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("*.egg-info"))
    for path in (folder / "config" / "papers").glob("*.yaml"):
        path.unlink()
    write_yaml(folder / "config" / "papers" / "mini.yaml", MINI_PAPER)
    (folder / "config" / "published" / "published.csv").write_text(MINI_PUBLISHED)
    write_yaml(
        folder / "config" / "config.yaml",
        {"papers": ["mini"], "master_seed": 7, "runs": {"first": 2, "best_of": 3}},
    )
    return folder


def write_yaml(path: Path, content: dict) -> None:
    path.write_text(yaml.safe_dump(content, sort_keys=False))


def environment_of(project: Path) -> dict[str, str]:
    """Return an environment in which the project's own copy of the source is used."""
    return {
        **os.environ,
        "RECOCO_ROOT": str(project),
        "PYTHONPATH": str(project / "src"),
        "RECOCO_MIRROR": "",
    }


def lend_kernels(source: Path, target: Path) -> None:
    """Give a project what numba compiled in another copy of the same files."""
    for path in source.glob("src/**/*.nb[ic]"):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(path, copy)


def recoco(
    project: Path, *arguments: str, check: bool = True, env=None, timeout: float = 600, **options
):
    """Run the command in a project, with that project's own copy of the source."""
    done = subprocess.run(
        [sys.executable, "-m", "recoco.cli", *arguments],
        cwd=project,
        env={**environment_of(project), **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        **options,
    )
    if check and done.returncode:
        raise AssertionError(f"recoco {' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
    return done


@pytest.fixture
def project(tmp_path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Path:
    """A project in which everything was computed on this machine; tests leave it as it is."""
    project = make_project(tmp_path_factory.mktemp("finished") / "project")
    done = recoco(project, "reproduce", "--cores", "2")
    assert "pass 3 of 3" in done.stdout
    return project
