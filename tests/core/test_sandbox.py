"""A confined process: nothing can be written but one folder, and there is no network."""

import subprocess
import sys
from pathlib import Path

import pytest

import recoco

SOURCE = str(Path(recoco.__file__).parents[1])
TRIES = """
import os, socket, subprocess, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from recoco.core.sandbox import NoSandbox, confine

inside, outside, copy, replaced = map(Path, sys.argv[2:])
try:
    confine([inside], {replaced: copy})
except NoSandbox as error:
    sys.exit(f"no sandbox: {error}")

def tried(work):
    try:
        work()
    except OSError as error:
        return error.errno
    return 0

print(tried(lambda: (inside / "file").write_text("x")))
print(tried(lambda: (replaced / "file").write_text("x")))
print(tried(lambda: (outside / "file").write_text("x")))
print(tried(lambda: (outside / "kept").unlink()))
print(tried(lambda: socket.create_connection(("127.0.0.1", int(os.environ["PORT"])), 5)))
touch = ["touch", str(outside / "touched")]
again = ["mount", "-o", "remount,bind,rw", str(outside)]
nested = ["unshare", "--user", "--map-root-user", "--mount"]
for command in (touch, again, [*nested, *again], [*nested, *touch]):
    print(subprocess.run(command, capture_output=True).returncode != 0)
"""


def test_there_is_no_way_out(tmp_path, monkeypatch):
    import errno
    import socket

    folders = [tmp_path / name for name in ("inside", "outside", "copy", "replaced")]
    for folder in folders:
        folder.mkdir()
        (folder / "kept").touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("PORT", str(server.getsockname()[1]))
        command = [sys.executable, "-I", "-c", TRIES, SOURCE, *map(str, folders)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if "no sandbox" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    read_only, unreachable = str(errno.EROFS), str(errno.ENETUNREACH)
    assert done.stdout.split() == ["0", "0", read_only, read_only, unreachable, *["True"] * 4]
    names = [sorted(path.name for path in folder.iterdir()) for folder in folders]
    assert names == [["file", "kept"], ["kept"], ["file", "kept"], ["kept"]]
