"""Blocks of runs without the seconds that each would spend on imports.

A job is a process of its own, so that a method that crashes or eats all memory takes no other with
it. Most of what a short one does is to import scikit-learn and numba. Here one process imports them
once and then does nothing but fork: the script that Snakemake starts finds it (`hand_over`), and a
fork goes on with the script in its place, with its folder, environment and output.

The process that leads the reproduction listens (`Standby`) and starts the warm one when the first
job asks for it. Where there is none, a job does its work itself, as on a cluster.
"""

import array
import atexit
import contextlib
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import traceback
from pathlib import Path

from recoco.limits import end_with_parent

# Set for jobs: the Python of the warm process and the name of its socket in the project's folder.
VARIABLE = "RECOCO_STANDBY"
_NAME = ".snakemake/recoco-standby.sock"
_STARTS = 3  # a warm process that ends again and again is done without
_LOADED = ("scipy.sparse", "sklearn.base", "numba", "snakemake.script", "threadpoolctl")
_OURS = ("recoco.guard", "recoco.job", "recoco.methods.base", "recoco.run")
_BEGUN = b"b"


class Standby:
    """Listens for the jobs of one workflow; starts the warm process with the first of them."""

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
        """Return what jobs have to know."""
        return {VARIABLE: f"{sys.prefix}{os.pathsep}{_NAME}"} if self.listener else {}

    def wanted(self) -> bool:
        """Say whether a job that asks would have nobody to do it."""
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
            [sys.executable, "-m", "recoco.standby", str(number)],
            cwd=self.root,
            env=environment,
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=end_with_parent,
        )

    def _close(self) -> None:
        """Let jobs find nobody: they do their work themselves."""
        if self.listener is not None:
            (self.root / _NAME).unlink(missing_ok=True)
            self.listener.close()
            self.listener = None


def _listen(root: Path) -> socket.socket:
    """Return a socket in the project's folder, for its owner only."""
    place = root / _NAME
    place.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    # The name of a socket may be 107 bytes long, that of a folder much longer.
    folder = os.open(place.parent, os.O_RDONLY)
    before = os.umask(0o177)
    try:
        listener.bind(f"/proc/self/fd/{folder}/{place.name}")
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(before)
        os.close(folder)
    return listener


# ---- the script that Snakemake has started ------------------------------------------------------


def hand_over(log: str) -> None:
    """Let a warm process run this script, and end as it ends; return where there is none.

    ``log`` is the job's: it is written here only where nobody else is left to do it.
    """
    python, _, name = os.environ.get(VARIABLE, "").partition(os.pathsep)
    if not name or python != sys.prefix:  # a job may have a Python of its own
        return
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
            return
        told = connection.recv(1)
    if told:
        sys.exit(told[0])
    said = "The process at work was ended from outside: the same command goes on."
    Path(log).write_text(f"{said}\n", encoding="utf-8")
    print(said, file=sys.stderr)
    sys.exit(1)


def _send(connection: socket.socket, request: bytes) -> None:
    """Send a request and where its output goes."""
    places = array.array("i", [1, 2])
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, places)]
    connection.sendmsg([len(request).to_bytes(8, "big")], rights)
    connection.sendall(request)


# ---- the warm process --------------------------------------------------------------------------


def serve(listener: socket.socket) -> None:
    """Import what blocks of runs need, then fork for every job that asks."""
    for module in (*_LOADED, *_OURS):
        importlib.import_module(module)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the leader knows what to do
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a fork has ended
    own = os.getpid()
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            end_with_parent()
            if os.getppid() == own:
                _do(connection)
            os._exit(1)
        connection.close()


def _do(connection: socket.socket) -> None:
    """Run the script of a job in this process, and tell how it ended."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, places = _receive(connection)
    for place, number in zip(places, (1, 2), strict=True):
        os.dup2(place, number)
        os.close(place)
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
    # Forks of this process come here too: only the first has been asked.
    with contextlib.suppress(Exception):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        if os.getpid() == own:
            connection.sendall(bytes([code & 255]))
    os._exit(code & 255)


def _receive(connection: socket.socket) -> tuple[dict, list[int]]:
    head, places, _, _ = socket.recv_fds(connection, 8, 2, socket.MSG_WAITALL)
    left = int.from_bytes(head, "big")
    parts = []
    while left:
        part = connection.recv(left)
        if not part:
            os._exit(1)  # whoever asked is no more
        parts.append(part)
        left -= len(part)
    return json.loads(b"".join(parts)), places


if __name__ == "__main__":
    # By its name, so that modules that ask for recoco.standby find this one's functions.
    importlib.import_module("recoco.standby").serve(socket.socket(fileno=int(sys.argv[1])))
