"""Whatever ends the leading process ends Snakemake and all that it started, in bounded time."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recoco.core.processes import below
from recoco.engine.leading import Child

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are read in /proc")

LEADER = """
import os, signal, sys
from pathlib import Path
from recoco.core.errors import RecocoError
from recoco.engine import leading
patience, log = float(sys.argv[1]), Path(sys.argv[2])
leading._STEPS = tuple((number, patience) for number, _ in leading._STEPS)
try:
    with leading.listening():
        child = [sys.executable, "-u", "child.py"]
        with leading.Child(child, Path.cwd(), dict(os.environ), log) as led:
            while (lines := led.read()) is not None:
                print("".join(lines), end="", flush=True)
            led.wait()
except leading.Stopped as error:
    print(error)
    sys.exit(error.code)
except RecocoError as error:
    sys.exit(str(error))
"""
POLITE = """
import time
try:
    print("ready")
    time.sleep(60)
except KeyboardInterrupt:
    print("cleaned up")
"""
STUBBORN = """
import signal, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print("ready")
time.sleep(60)
"""
TALKATIVE = POLITE.replace('"cleaned up"', '"cleaned up\\n" * 100_000')
ENDLESS = STUBBORN.replace("time.sleep(60)", "while True: print('more ' * 10_000)")
# A shell in a session of its own, whose child in turn has nobody who would end it.
PARENT = """
import subprocess
subprocess.Popen(["sh", "-c", "sleep 60 & sleep 60"], start_new_session=True)
"""


@pytest.fixture
def start(all_signals, tmp_path):
    begun = []

    def start(child: str, patience=20.0, log="child.log", **options) -> subprocess.Popen:
        (tmp_path / "child.py").write_text(child)
        (tmp_path / "leader.py").write_text(LEADER)
        leader = subprocess.Popen(
            [sys.executable, "-u", "leader.py", str(patience), log],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )
        begun.append(leader)
        if log == "child.log":
            assert leader.stdout.readline() == "ready\n"
        return leader

    yield start
    for leader in begun:
        leader.kill()
        leader.wait()


def finish(leader: subprocess.Popen, seconds: float = 30) -> tuple[int, str]:
    """Return how it ended; everything below it must have ended with it."""
    family = below(top=leader.pid)
    said, _ = leader.communicate(timeout=seconds)
    assert not {pid for pid in family if state(pid) not in ("", "Z")}
    return leader.returncode, said


def state(pid: int) -> str:
    with contextlib.suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGINT, "stopped\n"),
        (signal.SIGTERM, "stopped by SIGTERM\n"),
        (signal.SIGHUP, "stopped by SIGHUP\n"),
    ],
)
def test_a_signal_to_the_leader_alone_is_passed_on(start, tmp_path, number, said):
    leader = start(POLITE)
    leader.send_signal(number)
    assert finish(leader) == (128 + number, said)
    assert (tmp_path / "child.log").read_text() == "ready\ncleaned up\n"


def test_ctrl_c_interrupts_once(start, tmp_path):
    """A terminal signals the whole group, in which the child is not."""
    leader = start(POLITE, start_new_session=True)
    os.killpg(leader.pid, signal.SIGINT)
    assert finish(leader)[0] == 130
    assert (tmp_path / "child.log").read_text() == "ready\ncleaned up\n"


@pytest.mark.parametrize("child", [STUBBORN, ENDLESS])
def test_one_that_does_not_listen_is_killed(start, child):
    leader = start(child, patience=1.0)
    leader.send_signal(signal.SIGTERM)
    assert finish(leader)[0] == 143


def test_a_second_signal_hurries(start):
    leader, began = start(STUBBORN, patience=50.0), time.monotonic()
    leader.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert leader.poll() is None
    leader.send_signal(signal.SIGINT)
    assert finish(leader)[0] == 130 and time.monotonic() - began < 20


def test_two_signals_at_once_are_not_too_many(start):
    leader = start(STUBBORN, patience=50.0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        leader.send_signal(number)
    assert finish(leader)[0] in (129, 130, 143)


def test_much_output_at_the_end_does_not_block_it(start, tmp_path):
    leader = start(TALKATIVE, patience=20.0)
    leader.send_signal(signal.SIGINT)
    assert finish(leader)[0] == 130
    assert (tmp_path / "child.log").read_text().count("cleaned up") == 100_000


@pytest.mark.parametrize("child", [POLITE, STUBBORN])
def test_no_orphan_stays(start, child):
    leader = start(PARENT + child, patience=1.0)
    for _ in range(100):
        if len(below(top=leader.pid)) == 4:  # the child, the shell and both that sleep
            break
        time.sleep(0.1)
    assert len(below(top=leader.pid)) == 4
    leader.send_signal(signal.SIGINT)
    assert finish(leader)[0] == 130


def test_ctrl_z_pauses_the_child_too(start):
    leader = start(POLITE)
    (child,) = below(top=leader.pid)

    def wait_for(letters: str) -> None:
        for _ in range(100):
            if state(leader.pid) in letters and state(child) in letters:
                return
            time.sleep(0.1)
        raise AssertionError((state(leader.pid), state(child)))

    leader.send_signal(signal.SIGTSTP)
    wait_for("T")
    leader.send_signal(signal.SIGCONT)
    wait_for("SR")
    leader.send_signal(signal.SIGINT)
    assert finish(leader)[0] == 130


# ---- signals that were ignored from the start --------------------------------------------------


def ignore(number: int, terminal: int | None = None):
    """Return what prepares a process that ignores a signal, with a terminal or without."""

    def prepare() -> None:
        signal.signal(number, signal.SIG_IGN)
        os.setsid()
        if terminal is not None:  # the first that a session opens becomes its own
            os.close(os.open(os.ttyname(terminal), os.O_RDWR))

    return prepare


def test_a_background_process_of_a_script_does_not_notice_ctrl_c(start):
    ours, theirs = pty.openpty()
    leader = start(POLITE, preexec_fn=ignore(signal.SIGINT, theirs))
    leader.send_signal(signal.SIGINT)
    time.sleep(1.0)
    assert leader.poll() is None
    leader.send_signal(signal.SIGTERM)
    assert finish(leader)[0] == 143
    os.close(ours)
    os.close(theirs)


def test_without_a_terminal_it_is_meant(start):
    leader = start(POLITE, preexec_fn=ignore(signal.SIGINT))
    leader.send_signal(signal.SIGINT)
    assert finish(leader)[0] == 130


def test_nohup_stays_nohup(start):
    leader = start(POLITE, preexec_fn=ignore(signal.SIGHUP))
    leader.send_signal(signal.SIGHUP)
    time.sleep(1.0)
    assert leader.poll() is None
    leader.send_signal(signal.SIGTERM)
    assert finish(leader)[0] == 143


# ---- output ------------------------------------------------------------------------------------


def lines_of(code: str, folder: Path) -> list[str]:
    with Child([sys.executable, "-c", code], folder, dict(os.environ), folder / "log") as child:
        found = []
        while (lines := child.read()) is not None:
            found += lines
        assert child.wait() == 0
    return found


def test_lines_come_whole_whatever_they_contain(tmp_path):
    code = r"import os; os.write(1, b'one\ntw'); os.write(1, b'o\n\n\xff\r\nlast')"
    assert lines_of(code, tmp_path) == ["one\n", "two\n", "\n", "\ufffd\r\n", "last\n"]
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n\n\xff\r\nlast"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_log_that_does_not_fit_ends_it_in_one_sentence(start):
    leader = start(POLITE, log="/dev/full", stderr=subprocess.PIPE)
    _, said = leader.communicate(timeout=30)
    assert leader.returncode == 1
    assert said.startswith("Cannot write /dev/full: the file system at /") and said.count("\n") == 1
