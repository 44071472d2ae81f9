"""A small project that is really run: six papers with items of every kind on planted data.

The papers are in `tests/support/mini`. The finished project is kept in `.cache` under a hash of
everything that its results were made from, for all test processes of this checkout. Tests of the
report render these results themselves, so an edit in `recoco.report` makes no project old.
"""

import hashlib
import shutil
import sys
from functools import cache
from pathlib import Path

import yaml

from support.projects import (
    CHECKOUT,
    COPIED,
    compile_checkout,
    locked,
    make_project,
    recoco,
    write_yaml,
)

MINI = CHECKOUT / "tests" / "support" / "mini"
TEXTS = CHECKOUT / "docs" / "examples" / "texts"
STORE = CHECKOUT / ".cache" / "mini"
KEPT = 2  # finished projects of other states of the checkout


@cache
def mini_project() -> Path:
    """Return the finished project, which tests leave as it is; make it if nobody did."""
    folder = STORE / _digest()
    with locked(STORE.with_suffix(".lock")):
        done = folder / "done"
        if not done.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            _run(folder / "project")
            done.touch()
            _remove_old()
    return folder / "project"


def first_pass(project: Path) -> Path:
    """Return the comparisons as they were after the first pass of the finished project."""
    return project.parent / "first"


def _run(project: Path) -> None:
    compile_checkout()
    make_project(project)
    shutil.rmtree(project / "config" / "papers")
    shutil.copytree(MINI, project / "config", dirs_exist_ok=True)
    shutil.copytree(TEXTS, project / "texts")
    shutil.copy(CHECKOUT / "tests" / "support" / "broken_methods.py", project)
    path = project / "config" / "methods.yaml"
    methods = yaml.safe_load(path.read_text())
    write_yaml(path, {**methods, "never": {"class": "broken_methods:Raising"}})
    recoco(project, "reproduce", "--quick", "--cores", "2", timeout=1800)
    shutil.copytree(project / "results" / "compare", first_pass(project))
    recoco(project, "reproduce", "--cores", "2", timeout=1800)


def _digest() -> str:
    """Hash everything that the results of the project are made from."""
    support = CHECKOUT / "tests" / "support"
    scripts = [support / name for name in ("mini_project.py", "projects.py", "broken_methods.py")]
    digest, unused = hashlib.sha256(sys.version.encode()), CHECKOUT / "src" / "recoco" / "report"
    for top in (*(CHECKOUT / name for name in COPIED), MINI, TEXTS, *scripts):
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if unused in path.parents or "__pycache__" in path.parts:
                continue
            if path.is_file():
                digest.update(str(path.relative_to(CHECKOUT)).encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _remove_old() -> None:
    folders = sorted(STORE.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in folders[1 + KEPT :]:
        shutil.rmtree(folder)
