"""Who works in a folder: another reproduction, or a Snakemake that nobody asked recoco about."""

import fcntl
import os
import platform
import subprocess
import sys
import time

import pytest

from recoco.core.errors import RecocoError
from recoco.engine import workspace
from recoco.engine.workspace import _is_snakemake, held_by_another, living_snakemake, undisturbed


@pytest.mark.parametrize(
    ("command", "is_one"),
    [
        ("snakemake --cores 2", True),
        ("/opt/env/bin/snakemake", True),
        ("/opt/env/bin/python3.12 /opt/env/bin/snakemake --cores 2", True),
        ("python -m snakemake -- all", True),
        ("python -X dev -W ignore -P -I -u -m snakemake", True),
        ("pypy3 -m snakemake", True),
        ("python -m recoco reproduce snakemake", False),
        ("python -c snakemake.py", False),
        ("python script.py snakemake", False),
        ("less snakemake", False),
        ("vim /opt/env/bin/snakemake", False),
        ("python", False),
        ("", False),
    ],
)
def test_command_lines_of_snakemake(command, is_one):
    assert _is_snakemake(command.encode().split(b" ")) is is_one


@pytest.fixture(params=["script", "module"])
def neighbour(request, tmp_path):
    """A process that looks like a Snakemake at work in a folder, after one elsewhere."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "bin" / "snakemake.py").write_text("import time\ntime.sleep(60)\n")
    os.link(tmp_path / "bin" / "snakemake.py", tmp_path / "bin" / "snakemake")
    command = [sys.executable, str(tmp_path / "bin" / "snakemake"), "--cores", "2"]
    if request.param == "module":
        command = [sys.executable, "-m", "snakemake"]
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "bin")}
    both = [subprocess.Popen(command, cwd=folder, env=env) for folder in ("/", tmp_path / "work")]
    yield both[1], tmp_path / "work"
    for process in both:
        process.kill()
        process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are read in /proc")
def test_the_holder_of_a_lock_is_named(neighbour, monkeypatch):
    process, folder = neighbour
    deadline = time.monotonic() + 20
    while living_snakemake(folder) is None and time.monotonic() < deadline:
        time.sleep(0.05)  # until it has become Python
    assert living_snakemake(folder) == process.pid
    expected = f"Snakemake (process {process.pid}) is running in {folder}: wait for it or stop it"
    assert held_by_another(folder).startswith(expected)
    locks = folder / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.input.lock").touch()
    monkeypatch.setattr(workspace.time, "sleep", lambda seconds: None)
    with pytest.raises(RecocoError, match=rf"Snakemake \(process {process.pid}\) is running"):
        workspace._clear_stale_lock(folder)
    process.kill()
    process.wait()
    workspace._clear_stale_lock(folder)
    assert not list(locks.iterdir())


def test_looking_needs_no_lock_file_but_respects_one(tmp_path):
    with undisturbed(tmp_path):
        assert not (tmp_path / ".snakemake").exists()
    (tmp_path / ".snakemake").mkdir()
    with (tmp_path / ".snakemake" / "recoco.lock").open("w") as handle:
        handle.write("123 on here")
        handle.flush()
        fcntl.flock(handle, fcntl.LOCK_EX)
        with (
            pytest.raises(RecocoError, match=r"Another reproduction \(process 123 on here\)"),
            undisturbed(tmp_path),
        ):
            pass


def test_a_check_is_not_taken_for_the_reproduction_before_it(tmp_path):
    past = subprocess.Popen(["true"])
    past.wait()
    (tmp_path / ".snakemake").mkdir()
    lock = tmp_path / ".snakemake" / "recoco.lock"
    lock.write_text(f"{past.pid} on {platform.node()}")
    with (
        undisturbed(tmp_path),
        pytest.raises(RecocoError, match="`recoco check` is reading the results"),
        workspace._only_one(tmp_path),
    ):
        pass
    assert lock.read_text().startswith(f"{past.pid} on")
