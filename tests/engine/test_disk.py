"""A disk without room is named, with what is left and what to do."""

import errno
import os
from pathlib import Path

import pytest

from recoco.cli.main import main
from recoco.core.errors import RecocoError
from recoco.engine import disk, ledger
from recoco.engine.workspace import check_writable


def failing(code: int, name: str | None = None):
    """Return a function that fails as the system does."""

    def fail(*_, **__):
        raise OSError(code, os.strerror(code), name)

    return fail


@pytest.mark.parametrize(
    ("code", "room", "said"),
    [
        (errno.ENOSPC, (0, 2 * 10**9, None), "is full (0 bytes of 2.0 GB free); free some space"),
        (errno.ENOSPC, (10**9, 10**9, 0), "can hold no more files; delete some"),
        (errno.ENOSPC, (10**8, 10**9, 5), "was full and now has 100 MB of 1.0 GB free"),
        (errno.EDQUOT, (10**9, 10**9, None), "your quota on the file system at / is used up"),
        (errno.EROFS, (10**9, 10**9, None), "the file system at / is read-only; make it writable"),
    ],
)
def test_each_reason_has_its_remedy(monkeypatch, code, room, said):
    monkeypatch.setattr(disk, "_room", lambda place: room)
    monkeypatch.setattr(disk, "_mount_of", lambda path: Path("/"))
    sentence = disk.sentence(OSError(code, os.strerror(code)), "results/a.npz")
    assert sentence.startswith("Cannot write results/a.npz: ") and said in sentence
    assert sentence.endswith("then rerun the same command to resume.")


def test_the_room_of_this_disk_is_measured(tmp_path):
    free, size, _ = disk._room(disk._mount_of(tmp_path / "not" / "there"))
    assert 0 < free <= size
    assert os.path.ismount(disk._mount_of(tmp_path))


def test_other_errors_stay_other_errors(tmp_path):
    with (
        pytest.raises(RecocoError, match=r"a\.log \(Permission denied\): make its folder writable"),
        disk.writing(tmp_path / "a.log"),
    ):
        failing(errno.EACCES)()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_ledger_that_cannot_be_written(tmp_path, monkeypatch, code):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.npz").write_bytes(b"a")
    monkeypatch.setattr(Path, "open", failing(code))
    entry = ledger.Entry("results/a.npz", "0" * 64, 1, 1)
    with pytest.raises(RecocoError, match=r"Cannot write .*recoco-ledger\.jsonl: .* file system"):
        ledger.append(tmp_path, [entry])


def test_a_full_disk_is_found_before_anything_begins(tmp_path, monkeypatch):
    check_writable(tmp_path)
    assert not list(tmp_path.rglob(".writable-*"))
    monkeypatch.setattr(Path, "write_bytes", failing(errno.ENOSPC))
    with pytest.raises(RecocoError, match=r"Cannot write .*results: the file system at"):
        check_writable(tmp_path)


def test_the_command_line_says_it_in_one_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").touch()
    monkeypatch.setenv("RECOCO_ROOT", str(tmp_path))
    monkeypatch.setattr("recoco.engine.checking._compare", failing(errno.ENOSPC, "some/file"))
    assert main(["check"]) == 2
    assert capsys.readouterr().err.startswith("recoco: Cannot write some/file: the file system at")
