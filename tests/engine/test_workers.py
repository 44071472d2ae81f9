"""The warm process: its forks go on with a job's script, and end with whoever asked."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recoco.engine.workers import _NAME, _STARTS, VARIABLE, Standby

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a warm process")

SCRIPT = """
import os, sys
from recoco.engine.workers import hand_over
code = hand_over()
if code is not None:
    sys.exit(code)
print("done by", os.getpid(), "in", os.getcwd(), "sklearn" in sys.modules)
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".snakemake").mkdir()
    return tmp_path


@pytest.fixture
def standby(project):
    with Standby(project) as standby:
        yield standby


def begin(project: Path, standby: Standby, body: str = "", **env) -> subprocess.Popen:
    script = project / "script.py"
    script.write_text(SCRIPT + body)
    return subprocess.Popen(
        [sys.executable, script],
        cwd=project,
        env={**os.environ, **standby.environment(), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def serve(standby: Standby) -> None:
    standby.start({**os.environ, **standby.environment()})


def finish(job: subprocess.Popen) -> tuple[int, str, int]:
    said, _ = job.communicate(timeout=60)
    return job.returncode, said, job.pid


def test_a_fork_does_the_work_in_the_place_of_the_script(project, standby):
    job = begin(project, standby, "print(os.environ['TOLD'], sys.argv)\nsys.exit(7)", TOLD="yes")
    serve(standby)  # whoever asks before it is there waits
    code, said, pid = finish(job)
    assert code == 7
    assert f"in {project} True" in said and f"done by {pid}" not in said
    assert f"yes ['{project / 'script.py'}']" in said


COMPILE = """
import numba
from recoco.engine.job import _pin_threads
_pin_threads(1)
print("one thread:", numba.get_num_threads(), "compiled:", numba.njit(lambda x: x + 1)(1))
"""


def test_a_fork_of_one_thread_can_compile(project, standby):
    """numba refuses once the environment names another number of threads than it began with."""
    serve(standby)
    code, said, _ = finish(begin(project, standby, COMPILE))
    assert (code, "one thread: 1 compiled: 2" in said) == (0, True)


def test_output_that_no_python_writes_comes_too(project, standby):
    serve(standby)
    code, said, _ = finish(begin(project, standby, "os.system('echo from a shell')"))
    assert (code, "from a shell" in said) == (0, True)


def test_an_error_is_the_error_of_the_job(project, standby):
    serve(standby)
    code, said, _ = finish(begin(project, standby, "raise RuntimeError('no')"))
    assert code == 1 and "RuntimeError: no" in said


def test_a_fork_of_the_fork_does_not_answer_for_it(project, standby):
    serve(standby)
    body = "if os.fork() == 0: sys.exit(5)\nos.wait(); sys.exit(3)"
    assert finish(begin(project, standby, body))[0] == 3


def test_without_a_warm_process_the_script_does_its_work(project):
    with Standby(project) as standby:
        told = standby.environment()
    for env in (told, {}, {VARIABLE: f"/elsewhere{os.pathsep}.snakemake/recoco-standby.sock"}):
        (project / "script.py").write_text(SCRIPT)
        command = [sys.executable, "script.py"]
        job = subprocess.Popen(
            command, cwd=project, env={**os.environ, **env}, stdout=subprocess.PIPE, text=True
        )
        assert f"done by {job.pid} in {project} False" in finish(job)[1]


def test_of_a_fork_that_is_killed_its_job_is_told(project, standby):
    serve(standby)
    assert finish(begin(project, standby, "os.kill(os.getpid(), 9)"))[0] == 128 + 9
    assert finish(begin(project, standby))[0] == 0


WAIT = """
import time
open("begun", "w").close()
while not os.path.exists("go"):
    time.sleep(0.01)
print("undisturbed")
"""
LEAVE = """
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 3)
    open("pid", "w").write(str(os.getpid()))
    import time; time.sleep(60)
import time
while not (os.path.exists("pid") and os.path.getsize("pid")):
    time.sleep(0.01)
os.kill(os.getpid(), 9)
"""


def test_what_a_killed_fork_leaves_behind_is_killed_and_nothing_else(project, standby):
    serve(standby)
    other = begin(project, standby, WAIT)
    wait_for((project / "begun").exists)
    assert finish(begin(project, standby, LEAVE))[0] == 128 + 9
    assert not alive(int((project / "pid").read_text()))
    (project / "go").touch()
    assert "undisturbed" in finish(other)[1]


def test_a_fork_that_is_stopped_goes_on(project, standby):
    serve(standby)
    body = f"os.kill(os.getpid(), {signal.SIGSTOP}); print('goes on')"
    assert "goes on" in finish(begin(project, standby, body))[1]


def test_the_work_ends_with_the_script_that_asked(project, standby):
    serve(standby)
    body = """
from recoco.engine.job import _die_with_owner
_die_with_owner()
open("pid", "w").write(str(os.getpid()))
import time; time.sleep(60)
"""
    job = begin(project, standby, body)
    fork = int(wait_for(lambda: (project / "pid").is_file() and (project / "pid").read_text()))
    os.kill(job.pid, signal.SIGKILL)
    wait_for(lambda: not alive(fork))
    job.wait()


def test_the_work_ends_with_the_warm_process_which_is_started_again(project, standby):
    serve(standby)
    body = 'open("pid", "w").write(str(os.getpid()))\nimport time; time.sleep(60)'
    job = begin(project, standby, body)
    fork = int(wait_for(lambda: (project / "pid").is_file() and (project / "pid").read_text()))
    assert not standby.wanted()
    standby.process.kill()
    code, said, _ = finish(job)
    assert code == 1 and "The worker was killed from outside: rerun" in said
    wait_for(lambda: not alive(fork))
    wait_for(standby.wanted)
    serve(standby)
    code, said, pid = finish(begin(project, standby))
    assert code == 0 and f"done by {pid}" not in said


def test_one_that_ends_again_and_again_is_done_without(project, standby):
    waiting = begin(project, standby)
    for _ in range(_STARTS):
        assert wait_for(standby.wanted)
        standby.start({**os.environ, "PYTHONPATH": "", "PYTHONHOME": "/nowhere"})
        standby.process.wait()
    assert not standby.wanted() and standby.environment() == {}
    code, said, pid = finish(waiting)
    assert code == 0 and f"done by {pid}" in said


def test_a_terminal_does_not_reach_the_warm_process(project, standby):
    serve(standby)
    assert os.getpgid(standby.process.pid) == standby.process.pid != os.getpgrp()
    assert finish(begin(project, standby))[0] == 0


def test_a_folder_with_a_long_name_has_one_too(tmp_path):
    folder = tmp_path / ("long" * 50)
    (folder / ".snakemake").mkdir(parents=True)
    with Standby(folder) as standby:
        serve(standby)
        assert finish(begin(folder, standby))[0] == 0
        assert (folder / _NAME).stat().st_mode & 0o077 == 0
    assert not (folder / _NAME).exists()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition):
    for _ in range(600):
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("waited in vain")
