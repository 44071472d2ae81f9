"""Somebody's own method may do anything: its block says what, and nothing else is harmed."""

import atexit
import contextlib
import errno
import faulthandler
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from recoco.core.files import read_arrays
from recoco.core.processes import adopt_orphans, below
from recoco.datasets import fetch, prepare
from recoco.engine import integrity
from recoco.engine.isolation import Kept
from recoco.engine.workers import Standby
from recoco.runs.scoring import read_setting
from support import block_jobs, hostile_methods, hostile_results
from support.block_jobs import DATA, LABELS, LOG, SECONDS
from support.projects import CHECKOUT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and Linux's prctl")

# Seconds that a method may compute, if it should exceed them and if it should not. A busy machine
# may need so long for both.
SHORT, LONG = 1.0, 20.0


def methods() -> list[type[hostile_methods.Hostile]]:
    found = {
        value: None
        for module in (hostile_methods, hostile_results)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, hostile_methods.Hostile)
    }
    return list(found)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    fetch("planted-small", folder / "raw")
    prepare("planted-small", folder / "raw", folder / "data.npz", folder / "data.json")
    return folder / "data.npz"


@pytest.fixture
def project(tmp_path, data) -> Path:
    return make(tmp_path / "project", data)


def make(folder: Path, data: Path) -> Path:
    """Make the folders of a project, as Snakemake does before a job, and link the data."""
    for name in (LABELS, LOG, DATA, ".snakemake/x"):
        (folder / name).parent.mkdir(parents=True)
    os.link(data, folder / DATA)
    return folder


_THERE_BEFORE: set[int] = set()


@pytest.fixture(scope="module", autouse=True)
def nothing_escapes():
    """Whatever leaves its job becomes a child of this process, where it is seen.

    Children of other tests, such as a browser that is shared by many, do not count.
    """
    _THERE_BEFORE.update(below())
    adopt_orphans()
    yield
    adopt_orphans(False)


def started_here() -> list[int]:
    return below(_THERE_BEFORE)


def begin(project: Path, name: str, limit: float = LONG) -> int:
    """Start a job as Snakemake does, but as a fork, and with shorter times; return its process."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        faulthandler.disable()  # pytest's, which would tell of each crash at length
        atexit._clear()
        # These tests may run in the background or under nohup, where both are ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.chdir(project)
        os.environ["RECOCO_OWNER"] = str(os.getppid())
        with open("said.txt", "w") as said:
            sys.stdout = sys.stderr = said
            try:
                block_jobs.run(name, limit)
                code = 0
            except SystemExit as error:
                code = error.code
            # As at the end of any Python.
            threading._shutdown()
            atexit._run_exitfuncs()
    finally:
        os._exit(code)


def finish(pid: int) -> int:
    deadline = time.monotonic() + LONG
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise AssertionError("the job goes on")
        time.sleep(0.005)


def left_behind() -> list[int]:
    """Return what is still below this process after a moment to end."""
    deadline = time.monotonic() + LONG
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        found = started_here()
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)


def content(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def said_of(project: Path) -> tuple[str, str, str]:
    """Return the status and the reason of the block, as the next stage reads them, and the log."""
    runs = read_setting([project / LABELS], 2)
    ((status, reason),) = set(zip(runs.status, runs.errors, strict=True))
    return status, reason, (project / LOG).read_text()


@pytest.mark.parametrize("kind", methods(), ids=lambda kind: kind.__name__)
def test_a_method_harms_only_its_block(project, kind):
    around = {*os.listdir("/"), *os.listdir(project.parent), *os.listdir(os.getcwd())}
    limit = SHORT if kind.ends == "timeout" else LONG
    code = finish(begin(project, f"{kind.__module__}:{kind.__name__}", limit))
    assert left_behind() == []
    assert (code, (project / "said.txt").read_text()) == (0, "")
    status, reason, log = said_of(project)
    assert status == kind.ends and re.search(kind.says, reason) and "\n" not in reason
    assert re.search(kind.logs, log) and re.search(r"\nfinished in [\d.]+ s$", "\n" + log.strip())
    assert len(log) < 2e6
    if status == "ok":
        assert read_arrays(project / LABELS)["row_labels"].shape == (2, 300)
    assert around == {*os.listdir("/"), *os.listdir(project.parent), *os.listdir(os.getcwd())}
    expected = {LABELS, SECONDS, LOG, DATA, "said.txt", ".snakemake/recoco-ledger.jsonl"}
    assert content(project) - {"been-here"} == expected
    assert {path.stat().st_mode & 0o777 for path in (project / "results").rglob("*.*")} == {0o644}
    assert integrity.damaged(project) == [] and len(integrity.read(project)) == 3


def test_reports_that_are_none_are_ignored():
    lines = [
        b'{"shared": true, "peak": 7}',
        b"\xff\x00",
        b"[" * 60_000,
        b'["failed", "x"]',
        b'{"failed": 5, "error": null, "peak": "much", "other": 1}',
        b'{"failed": "why"}',
    ]
    kept = Kept(pid=0, output=0, reports=0, killed_for_memory=0, received=b"\n".join(lines))
    assert kept._reported() == {"shared": True, "peak": 7, "failed": "why"}


def test_there_are_enough_of_them():
    assert len(methods()) >= 80


# ---- what is not a method's fault ----------------------------------------------------------------


@hostile_methods.method("failed")
def finds_the_disk_full():
    def replace(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    os.replace = replace


def refused(project: Path, name: str) -> str:
    """Run a job that must fail; return what it says on the screen and in its log."""
    assert finish(begin(project, name)) == 1
    assert left_behind() == [] and not (project / LABELS).exists()
    said = (project / "said.txt").read_text().strip()
    log = project / LOG
    assert not log.is_file() or said.splitlines()[-1] == log.read_text().splitlines()[-1]
    return said


def test_a_full_disk_is_not(project):
    said = refused(project, f"{__name__}:finds_the_disk_full")
    assert said.endswith("No space left on device; make the folder writable or free some space.")


def test_a_mistake_in_the_configuration_is_not(project):
    assert "cannot be loaded" in refused(project, "support.hostile_methods:Missing")


def test_a_damaged_input_is_not(project):
    whole = (project / DATA).read_bytes()
    (project / DATA).unlink()  # it is linked to that of the other tests
    (project / DATA).write_bytes(whole)
    integrity.record(project, [DATA])
    (project / DATA).write_bytes(whole + b"x")
    said = refused(project, "support.hostile_methods:Hostile")
    assert said.startswith(f"{DATA} has changed since it was written")


def test_a_log_that_cannot_be_written_is_not(project):
    (project / "logs").rename(project / "elsewhere")
    said = refused(project, "support.hostile_methods:Hostile")
    assert said.startswith("Cannot write ") and "No such file or directory" in said


# ---- kills from outside --------------------------------------------------------------------------


def wait_for_processes(count: int) -> None:
    deadline = time.monotonic() + LONG
    while len(started_here()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_a_job_that_is_killed(project, number):
    job = begin(project, "support.hostile_methods:sleeps_with_daemons")
    wait_for_processes(8)  # the job, its keeper, the method's process and five daemons
    os.kill(job, number)
    finish(job)
    assert left_behind() == [] and not (project / LABELS).exists()


def test_nothing_outlives_the_leader(project):
    leader = os.fork()
    if leader == 0:
        begin(project, "support.hostile_methods:sleeps_with_daemons")
        signal.pause()
    wait_for_processes(9)
    os.kill(leader, signal.SIGKILL)
    assert left_behind() == [] and not (project / LABELS).exists()


@pytest.mark.parametrize("who", ["keeper", "method"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_one_kill_is_forgiven(project, who, number):
    job = begin(project, f"{__name__}:waits_for_permission")
    while not (project / "begun").exists():
        time.sleep(0.01)
    _, keeper, method = started_here()
    os.kill(keeper if who == "keeper" else method, number)
    (project / "go").touch()
    assert finish(job) == 0 and left_behind() == []
    status, _, log = said_of(project)
    assert status == "ok"
    assert f"its process was killed ({signal.Signals(number).name}): trying once more" in log


@hostile_methods.method("ok")
def waits_for_permission():
    Path("begun").touch()
    while not Path("go").exists():
        time.sleep(0.01)


# ---- real scripts, with and without the warm process ---------------------------------------------


def run_script(project: Path, kind: type[hostile_methods.Hostile], environment: dict) -> None:
    """Run a method in a script of its own, and see that it ends as it should."""
    limit = SHORT if kind.ends == "timeout" else LONG
    name = f"{kind.__module__}:{kind.__name__}"
    done = subprocess.run(
        [sys.executable, block_jobs.__file__],
        cwd=project,
        env={**environment, "TRIED_METHOD": name, "TRIED_SECONDS": str(limit)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    status, reason, log = said_of(project)
    assert status == kind.ends and re.search(kind.says, reason) and re.search(kind.logs, log)


def environment_of_scripts() -> dict[str, str]:
    paths = os.pathsep.join(str(CHECKOUT / name) for name in ("src", "tests"))
    return {**os.environ, "PYTHONPATH": paths}


@pytest.mark.parametrize("name", ["leaves_a_thread", "kills_its_parent"])
def test_a_script_without_a_warm_process_forks_itself(project, name):
    run_script(project, getattr(hostile_methods, name), environment_of_scripts())
    assert left_behind() == []


@pytest.fixture(scope="module")
def warm(tmp_path_factory, data):
    """A project with a warm process, and the environment of its jobs."""
    folder = make(tmp_path_factory.mktemp("warm"), data)
    with Standby(folder) as standby:
        environment = environment_of_scripts() | standby.environment()
        standby.start(environment)
        yield folder, environment, standby.process.pid


@pytest.mark.parametrize(
    "name",
    [
        *("Hostile", "exits_70", "kills_itself", "kills_its_parent", "interrupts_its_parent"),
        *("kills_the_group_of_its_parent", "loses_its_parent_once", "stops_its_parent"),
        *("leaves_daemons", "sleeps_with_daemons", "hangs_at_exit", "kills_itself_at_exit"),
    ],
)
def test_a_fork_of_the_warm_process_is_as_safe(warm, name):
    project, environment, server = warm
    for path in (LABELS, SECONDS, LOG, "been-here"):
        (project / path).unlink(missing_ok=True)
    run_script(project, getattr(hostile_methods, name), environment)
    deadline = time.monotonic() + LONG
    while started_here() != [server]:
        assert time.monotonic() < deadline, "something is left"
        time.sleep(0.02)
