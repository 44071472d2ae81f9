"""Warm workers: blocks of runs without the seconds that each would spend on imports.

Each job is a process of its own, so a method that crashes or exhausts memory harms no other. But a
short job would spend most of its time importing scikit-learn and numba. Here one process imports
them once and then only forks: the script that Snakemake starts hands itself over (`hand_over`), and
a fork runs it instead, with the same folder, environment and output.

`recoco reproduce` listens (`Standby`) and starts the warm process when the first job asks for it.
Without a warm process, as on a cluster or under a bare Snakemake, a job does its own work.
"""

import array
import atexit
import contextlib
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import traceback
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.processes import adopt_orphans, end_strays, end_with_parent, reaped
from recoco.engine.isolation import KILLED

# Environment variable of jobs: Python prefix of the warm process, and its socket in the project.
VARIABLE = "RECOCO_STANDBY"
_NAME = ".snakemake/recoco-standby.sock"
_STARTS = 3  # a warm process that keeps dying is not started again
_LOADED = ("scipy.sparse", "sklearn.base", "numba", "snakemake.script", "threadpoolctl")
_OURS = ("recoco.engine.job", "recoco.methods.base", "recoco.runs.block")
_BEGUN = b"b"

# Whether this process is a fork of the warm process that runs the script of a job.
inside = False


class Standby:
    """Listens for the jobs of one workflow and starts the warm process for the first of them."""

    def __init__(self, root: Path):
        self.root = root
        self.listener: socket.socket | None = None
        self.process: subprocess.Popen | None = None
        self._left = _STARTS

    def __enter__(self):
        if sys.platform == "linux":  # elsewhere nothing ends a process with its parent
            with contextlib.suppress(OSError):
                self.listener = _listen(self.root)
        return self

    def __exit__(self, *_):
        self._close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def environment(self) -> dict[str, str]:
        """Return the variables that jobs need to find the warm process."""
        return {VARIABLE: f"{sys.prefix}{os.pathsep}{_NAME}"} if self.listener else {}

    def wanted(self) -> bool:
        """Return whether jobs may ask for a warm process and none is running."""
        if self.process is not None and self.process.poll() is not None:
            self.process = None
            if self._left == 0:
                self._close()
        return self.process is None and self.listener is not None

    def start(self, environment: dict[str, str]) -> None:
        """Start the warm process; jobs wait until it is ready."""
        self._left -= 1
        number = self.listener.fileno()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "recoco.engine.workers", str(number)],
            cwd=self.root,
            env=environment,
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-Z would stop it, and nobody might let it go on
            preexec_fn=end_with_parent,
        )

    def _close(self) -> None:
        """Stop listening, so that jobs do their own work."""
        if self.listener is not None:
            (self.root / _NAME).unlink(missing_ok=True)
            self.listener.close()
            self.listener = None


def _listen(root: Path) -> socket.socket:
    """Return a socket in the project's folder that only its owner may use."""
    path = root / _NAME
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    # The path of a socket is limited to 107 bytes; that of the folder may be longer.
    folder = os.open(path.parent, os.O_RDONLY)
    before = os.umask(0o177)
    try:
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(before)
        os.close(folder)
    return listener


# ---- the script that Snakemake has started ------------------------------------------------------


def hand_over() -> int | None:
    """Let a fork of the warm process run this script; return its exit status, as a shell does.

    None stands for no warm process, and a number above 128 for a fork that was killed.
    """
    python, _, name = os.environ.get(VARIABLE, "").partition(os.pathsep)
    if not name or python != sys.prefix:  # a job may have a Python of its own
        return None
    connection = socket.socket(socket.AF_UNIX)
    request = {
        "script": os.path.abspath(sys.argv[0]),
        "folder": os.getcwd(),
        "path": sys.path,
        "environment": {key: value for key, value in os.environ.items() if key != VARIABLE},
        "owner": os.getpid(),
    }
    with connection:
        try:
            connection.connect(name)
            _send(connection, json.dumps(request).encode())
            begun = connection.recv(1)
        except OSError:
            begun = b""
        if begun != _BEGUN:
            return None
        code = connection.recv(1)
    if not code:
        raise RecocoError("The worker was killed from outside: rerun the same command to resume.")
    return code[0]


def _send(connection: socket.socket, request: bytes) -> None:
    """Send a request together with this process's standard output and error."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1, 2]))]
    connection.sendmsg([len(request).to_bytes(8, "big")], rights)
    connection.sendall(request)


# ---- the warm process --------------------------------------------------------------------------


def serve(listener: socket.socket) -> None:
    """Import what blocks of runs need, then fork for every job that asks."""
    for module in (*_LOADED, *_OURS):
        importlib.import_module(module)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the leader handles it
    adopt_orphans()
    wake, ended = socket.socketpair()
    for end in (wake, ended):
        end.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # only to be woken
    own, jobs = os.getpid(), {}
    while True:
        ready, _, _ = select.select([listener, ended], [], [])
        if ended in ready:
            ended.recv(4096)
            _attend(jobs)
        if listener not in ready:
            continue
        connection, _ = listener.accept()
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            for other in (listener, wake, ended, *jobs.values()):
                other.close()
            end_with_parent()
            if os.getppid() == own:
                _do(connection)
            os._exit(1)
        jobs[pid] = connection


def _attend(jobs: dict[int, socket.socket]) -> None:
    """Forget the forks that have ended, and say of those that were killed that they were.

    Killed forks leave behind what their methods have started. These processes are children of this
    one now, and nobody's.
    """
    for pid, status in reaped():
        if os.WIFSTOPPED(status):  # a method may stop its parent
            os.kill(pid, signal.SIGCONT)
            continue
        connection = jobs.pop(pid, None)
        if connection is None:
            continue
        with connection, contextlib.suppress(OSError):  # the job may be gone too
            if os.WIFSIGNALED(status):
                end_strays(jobs)
                connection.sendall(bytes([KILLED + os.WTERMSIG(status)]))


def _do(connection: socket.socket) -> None:
    """Run the script of a job in this process and send back its exit code."""
    global inside
    inside = True
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, streams = _receive(connection)
    for stream, number in zip(streams, (1, 2), strict=True):
        os.dup2(stream, number)
        os.close(stream)
    # A fork that lives on must not look as if the job did: the script would wait for it.
    os.register_at_fork(after_in_child=connection.close)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"], RECOCO_OWNER=str(request["owner"]))
    sys.argv[:] = [request["script"]]
    sys.path[:] = request["path"]
    importlib.invalidate_caches()
    connection.sendall(_BEGUN)
    own, code = os.getpid(), 0
    try:
        runpy.run_path(request["script"], run_name="__main__")
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    # Forks of this process come here too, but only the first one answers.
    with contextlib.suppress(Exception):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        if os.getpid() == own:
            connection.sendall(bytes([code & 255]))
    os._exit(code & 255)


def _receive(connection: socket.socket) -> tuple[dict, list[int]]:
    head, streams, _, _ = socket.recv_fds(connection, 8, 2, socket.MSG_WAITALL)
    left = int.from_bytes(head, "big")
    parts = []
    while left:
        part = connection.recv(left)
        if not part:
            os._exit(1)  # the job that asked is gone
        parts.append(part)
        left -= len(part)
    return json.loads(b"".join(parts)), streams


if __name__ == "__main__":
    # By its name, so that modules that ask for recoco.engine.workers find this one's functions.
    importlib.import_module("recoco.engine.workers").serve(socket.socket(fileno=int(sys.argv[1])))
