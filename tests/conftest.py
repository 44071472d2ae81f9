"""Fixtures that any test may ask for."""

import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from recoco.archive.reference import again
from support.mini_project import mini_project
from support.projects import CHECKOUT, compile_checkout, locked, make_project, recoco

# The same examples each time, so that a run of the tests says what changed in the code; fresh
# ones with `pytest --hypothesis-profile=fresh`, which prints how to see a failing one again.
# No test fails because the machine is busy.
_BUSY = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, **_BUSY)
settings.register_profile("fresh", derandomize=False, print_blob=True, **_BUSY)
settings.load_profile("same")

# Workers get whole files, because a file's tests share its fixtures, but of these files single
# tests: they are many and share nothing.
SPLIT = {"tests/methods/test_contract.py", "tests/datasets/test_real.py"}
# One browser for all tests of the report in it.
GROUPS = {
    f"tests/report/test_{name}.py": "browser"
    for name in (
        "browser",
        "leaderboard_browser",
        "escaping_browser",
        "reference_browser",
        "overlay_browser",
    )
}


def pytest_sessionstart(session) -> None:
    """Compile the kernels before the workers start: each of them would do so by itself."""
    if hasattr(session.config, "workerinput") or session.config.option.collectonly:
        return
    if session.config.getoption("numprocesses", None):
        compile_checkout()


class WholeFiles(LoadScopeScheduling):
    """Gives a worker all tests that share fixtures.

    The marker ``xdist_group`` would do, but pytest-xdist 3.8 reads the groups from a name that
    pytest 9.2 no longer shows, and then hands out single tests without a word.
    """

    def _split_scope(self, nodeid: str) -> str:
        name = nodeid.partition("::")[0]
        return nodeid if name in SPLIT else GROUPS.get(name, name)


@pytest.hookimpl(optionalhook=True)  # with -p no:xdist nobody calls it
def pytest_xdist_make_scheduler(config, log) -> WholeFiles:
    return WholeFiles(config, log)


def pytest_collection_modifyitems(items) -> None:
    """Start with the longest files: those of the workflow."""
    slow = {item.path for item in items if item.get_closest_marker("workflow")}
    # Order within a file stays: sorting is stable.
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def compiled(request) -> None:
    """Compile the kernels before the first test of the workflow; projects take them along."""
    if any(item.get_closest_marker("workflow") for item in request.session.items):
        compile_checkout()


def pytest_terminal_summary(terminalreporter) -> None:
    """Say why tests were skipped and how many for each reason, in the last lines."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else "?"
        for report in terminalreporter.stats.get("skipped", [])
    )
    if reasons:
        terminalreporter.section(f"{sum(reasons.values())} tests were skipped")
        for reason, number in reasons.most_common():
            terminalreporter.line(f"{number:5} {reason}")


@pytest.fixture
def all_signals():
    """Let processes that a test starts hear the signals that nohup or & has the tests ignore."""
    heard = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in heard.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Make a folder once for all workers of this run of the tests: ``once(name, make)``."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base

    def made_once(name: str, make: Callable[[Path], object]) -> Path:
        folder = shared / f"once-{name}"
        with locked(shared / f"once-{name}.lock"):
            if not (folder / "done").is_file():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                (folder / "done").touch()
        return folder

    return made_once


@pytest.fixture(scope="session")
def mini() -> Path:
    """A finished project with items of every kind; tests leave it as it is."""
    return mini_project()


@pytest.fixture(scope="session")
def reference_again(once) -> tuple[list[str], Path]:
    """What differs when the committed reference is rendered again, and the whole report."""

    def check(folder: Path) -> None:
        (folder / "differs.json").write_text(json.dumps(again.check(CHECKOUT, folder / "site")))

    folder = once("reference", check)
    return json.loads((folder / "differs.json").read_text()), folder / "site"


@pytest.fixture
def project(tmp_path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture(scope="session")
def finished(once) -> Path:
    """A project in which everything was computed on this machine; tests leave it as it is."""

    def compute(folder: Path) -> None:
        project = make_project(folder / "project")
        done = recoco(project, "reproduce", "--cores", "2")
        assert "second pass" in done.stdout

    return once("finished", compute) / "project"


@pytest.fixture(scope="session")
def archived(once) -> Path:
    """A project whose first pass was archived; tests leave it as it is."""

    def pack(folder: Path) -> None:
        project = make_project(folder / "project")
        for name in ("CITATION.cff", "LICENSE", "README.md", "Makefile"):
            shutil.copy(CHECKOUT / name, project / name)
        recoco(project, "reproduce", "--quick", "--cores", "2")
        said = recoco(project, "archive", "--cores", "2").stdout
        assert "recoco-archive.zip" in said and "sha256" in said

    return once("archived", pack) / "project"


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
