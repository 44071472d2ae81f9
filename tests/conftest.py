"""Fixtures that any test may ask for."""

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from recoco.archive.reference import again
from support.mini_project import mini_project
from support.projects import CHECKOUT, compile_checkout, make_project, recoco

# The same examples each time, so that a run of the tests says what changed in the code; fresh
# ones with `pytest --hypothesis-profile=fresh`, which prints how to see a failing one again.
settings.register_profile("same", derandomize=True)
settings.register_profile("fresh", derandomize=False, print_blob=True)
settings.load_profile("same")


@pytest.fixture(scope="session", autouse=True)
def compiled(request) -> None:
    """Compile the kernels before the first test of the workflow; projects take them along."""
    if any(item.get_closest_marker("workflow") for item in request.session.items):
        compile_checkout()


@pytest.fixture(scope="session")
def mini() -> Path:
    """A finished project with items of every kind; tests leave it as it is."""
    return mini_project()


@pytest.fixture(scope="session")
def reference_again(tmp_path_factory) -> tuple[list[str], Path]:
    """What differs when the committed reference is rendered again, and the whole report."""
    site = tmp_path_factory.mktemp("reference") / "site"
    return again.check(CHECKOUT, site), site


@pytest.fixture
def project(tmp_path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Path:
    """A project in which everything was computed on this machine; tests leave it as it is."""
    project = make_project(tmp_path_factory.mktemp("finished") / "project")
    done = recoco(project, "reproduce", "--cores", "2")
    assert "second pass" in done.stdout
    return project


@pytest.fixture(scope="session")
def archived(tmp_path_factory) -> Path:
    """A project whose first pass was archived; tests leave it as it is."""
    project = make_project(tmp_path_factory.mktemp("archived") / "project")
    for name in ("CITATION.cff", "LICENSE", "README.md", "Makefile"):
        shutil.copy(CHECKOUT / name, project / name)
    recoco(project, "reproduce", "--quick", "--cores", "2")
    said = recoco(project, "archive", "--cores", "2").stdout
    assert "recoco-archive.zip" in said and "sha256" in said
    return project


@pytest.fixture(scope="session")
def archive(archived) -> Path:
    return archived / "dist" / "recoco-archive.zip"


@pytest.fixture(scope="session")
def elsewhere(archived, tmp_path_factory) -> Path:
    """A checkout on another machine: the program, no data and no results."""
    target = tmp_path_factory.mktemp("elsewhere") / "project"
    shutil.copytree(archived, target)
    for name in ("results", "resources", "reports", "logs", "dist", ".snakemake"):
        shutil.rmtree(target / name)
    return target
