"""Faults that really happen: whatever it was, the same command goes on to the same bytes."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from recoco.core.errors import RecocoError
from recoco.core.files import write_text
from recoco.core.limits import call_limited
from recoco.engine import integrity
from recoco.engine.workspace import check_writable
from support.kills import start, victims
from support.projects import recoco
from workflow.test_workflow import blocks, changed, content

pytestmark = pytest.mark.workflow

BLOCK = "results/runs/planted-small/binary/coclus/0-2.npz"
PREPARED = "resources/prepared/planted-small.npz"
SCORES = "results/scores/planted-small.parquet"


@pytest.fixture
def copy_of(finished, tmp_path):
    target = tmp_path / "copy"
    shutil.copytree(finished, target, symlinks=True)
    return target


def done(project: Path) -> dict[str, int]:
    """Return the blocks that are finished, by their time stamps."""
    unfinished = integrity._unfinished(project)
    return {
        name: stamp
        for name, (stamp, _) in blocks(project).items()
        if f"results/runs/{name}" not in unfinished
    }


def test_what_a_kill_left_half_written_is_swept_up(tmp_path):
    (tmp_path / "results").mkdir()
    stale, young, other = (
        tmp_path / "results" / name for name in (".a.npz.abcd_123", ".b.npz.abcd_123", ".hidden")
    )
    for path in (stale, young, other):
        path.write_bytes(b"half")
    for path in (stale, other):
        os.utime(path, (1, 1))
    assert integrity.remove_temporary(tmp_path) == 1
    assert not stale.exists() and young.exists() and other.exists()


# ---- damaged files ---------------------------------------------------------------------------


def damage(path: Path, cut: bool = False) -> None:
    """Flip a byte, or cut the file in half; no time stamp tells of it."""
    stamp, whole = path.stat().st_mtime_ns, path.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    path.write_bytes(whole[:middle] if cut else flipped)
    os.utime(path, ns=(stamp, stamp))


def test_damaged_files_are_found_and_made_again(finished, copy_of):
    before = blocks(copy_of)
    damage(copy_of / PREPARED)
    damage(copy_of / BLOCK, cut=True)
    damage(copy_of / SCORES)
    said = recoco(copy_of, "reproduce", "--cores", "2").stdout
    for name in (PREPARED, BLOCK, SCORES):
        assert (
            f"{name} has changed since it was written (its checksum differs): restoring it" in said
        )
    assert said.count("nothing to do") == 2  # and nothing that stands on them
    assert content(copy_of) == content(finished)
    assert changed(before, blocks(copy_of)) <= {BLOCK.removeprefix("results/runs/")}
    assert "checksum" not in recoco(copy_of, "reproduce", "--cores", "2").stdout


def test_no_job_reads_a_damaged_file(tmp_path):
    (tmp_path / "results").mkdir()
    for name in ("a.npz", "b.npz"):
        (tmp_path / "results" / name).write_bytes(b"content of it")
    integrity.record(tmp_path, ["results/a.npz", "results/b.npz", "logs/x.log"])
    integrity.check(tmp_path, ["results/a.npz", "results/b.npz", "results/unknown.npz"])
    damage(tmp_path / "results" / "a.npz")
    with pytest.raises(RecocoError, match=r"results/a\.npz has changed since it was written"):
        integrity.check(tmp_path, ["results/b.npz", "results/a.npz"])
    ((found,),) = integrity.damaged(tmp_path)
    assert found.path == "results/a.npz"
    (tmp_path / "results" / "a.npz").write_bytes(b"content of it")
    assert integrity.settle(tmp_path, found) and integrity.damaged(tmp_path) == []


def test_a_cut_line_of_the_ledger_counts_for_nothing(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.npz").write_bytes(b"a")
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / ".snakemake" / "recoco-ledger.jsonl").write_text('{"path": "results/a.n')
    integrity.record(tmp_path, ["results/a.npz"])
    assert list(integrity.read(tmp_path)) == ["results/a.npz"]


# ---- disks -----------------------------------------------------------------------------------


@contextlib.contextmanager
def small_disk(folder: Path, size: str):
    """Mount a file system of some size at a folder, where this is allowed."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system may be mounted here: root and its rights are needed")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("folder", ["logs", ".snakemake/metadata"])
def test_a_full_disk_for_logs_or_for_snakemake(copy_of, folder):
    (copy_of / "reports" / "index.html").unlink()
    (copy_of / SCORES).unlink()
    place = copy_of / folder
    shutil.rmtree(place)
    with small_disk(place, "1m"):
        room = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
        (place / "filler").write_bytes(b"x" * (room - 8192))  # too much for the probe to notice
        full = recoco(copy_of, "reproduce", "--cores", "2", check=False)
        assert full.returncode in (1, 2)
        assert f"the file system at {place}" in full.stderr.replace("The file", "the file")
        assert "free some space" in full.stderr and "rerun the same command" in full.stderr.lower()
        assert "Traceback" not in full.stderr
        (place / "filler").unlink()
        assert "reports/index.html" in recoco(copy_of, "reproduce", "--cores", "2").stdout


def test_a_full_disk_and_a_read_only_one(finished, copy_of):
    results = copy_of / "results"
    (copy_of / "reports" / "index.html").unlink()
    with small_disk(results, "40k"):  # over what is there: all of it is to be computed again
        full = recoco(copy_of, "reproduce", "--cores", "2", check=False)
        assert full.returncode == 1
        assert "No space left on device" in full.stderr and "free some space" in full.stderr
        assert "Traceback" not in full.stderr
        subprocess.run(["mount", "-o", "remount,ro", str(results)], check=True)
        locked = recoco(copy_of, "reproduce", "--cores", "2", check=False)
        assert locked.returncode == 2
        assert f"{results} is read-only; make it writable" in locked.stderr
        subprocess.run(["mount", "-o", "remount,rw,size=100m", str(results)], check=True)
        kept = done(copy_of)
        recoco(copy_of, "reproduce", "--cores", "2")
        assert content(copy_of) == content(finished)
        assert {name: blocks(copy_of)[name][0] for name in kept} == kept


def test_a_folder_of_somebody_else():
    """Root may write everywhere, so it steps down in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="recoco-locked-", dir="/tmp") as folder:
        root = Path(folder)
        (root / "results").mkdir()

        def try_to_write():
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            said = []
            for work in (lambda: check_writable(root), lambda: write_text(root / "a.txt", "a")):
                with pytest.raises(RecocoError) as caught:
                    work()
                said.append(str(caught.value))
            return said

        for path in (root, root / "results"):
            path.chmod(0o555)
        said = call_limited(try_to_write, seconds=60).value
        root.chmod(0o755)
        assert len(said) == 2 and all("Permission denied" in sentence for sentence in said)
        assert said[0].startswith("Cannot write in ") and "make it writable" in said[0]
        assert [path.name for path in root.rglob("*")] == ["results"]


# ---- clocks and neighbours -------------------------------------------------------------------


def shift(project: Path, seconds: int) -> None:
    """Make a project as if all of it had been computed while the clock was ahead."""
    for folder in ("resources", "results", "reports"):
        for path in (project / folder).rglob("*"):
            if path.is_file():
                stamp = path.stat().st_mtime_ns + seconds * 10**9
                os.utime(path, ns=(stamp, stamp))
    path = project / ".snakemake" / "recoco-ledger.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines() if line]
    for line in lines:
        line["mtime_ns"] += seconds * 10**9
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_clock_that_was_set_back(copy_of):
    before = blocks(copy_of)
    shift(copy_of, 86_400)
    said = recoco(copy_of, "reproduce", "--cores", "2").stdout
    assert "dated in the future" in said and said.count("nothing to do") == 2
    assert {name: digest for name, (_, digest) in blocks(copy_of).items()} == {
        name: digest for name, (_, digest) in before.items()
    }
    stamp = time.time_ns() + 10**12
    os.utime(copy_of / PREPARED, ns=(stamp, stamp))  # one file of another machine
    said = recoco(copy_of, "reproduce", "--cores", "2").stdout
    assert "1 files are dated in the future" in said and said.count("nothing to do") == 2
    assert "future" not in recoco(copy_of, "reproduce", "--quick").stdout


def test_two_at_once_the_second_says_so(copy_of):
    (copy_of / "reports" / "index.html").unlink()
    first = start(copy_of, "reproduce", "--cores", "2")
    deadline = time.monotonic() + 120
    while not victims(first, "-m snakemake"):
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    second = recoco(copy_of, "reproduce", "--cores", "2", check=False)
    assert second.returncode == 2
    assert f"Another reproduction (process {first.pid}" in second.stderr
    assert first.wait(timeout=300) == 0


def test_prepared_again_to_the_same_bytes_computes_no_run(copy_of):
    before = blocks(copy_of)
    parser = copy_of / "src" / "recoco" / "datasets" / "parsers" / "planted.py"
    signature = "def parse(folder: Path, options: dict) -> Parsed:\n"
    edited = parser.read_text().replace(signature, signature + "    options = dict(options)\n")
    assert edited != parser.read_text()
    parser.write_text(edited)
    log = copy_of / "logs" / "prepare" / "planted-small.log"
    stamp = log.stat().st_mtime_ns
    recoco(copy_of, "reproduce", "--cores", "2")
    assert log.stat().st_mtime_ns > stamp and changed(before, blocks(copy_of)) == set()
