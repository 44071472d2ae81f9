"""From the web to a mirror, and from the mirror alone to the same prepared data."""

import csv
import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from recoco.cli.main import main
from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays
from recoco.datasets import fetch, prepare
from recoco.datasets.mirror_folder import check_mirror, write_mirror
from support.data_server import Server, serving
from support.datasets_fixture import (
    CHECKOUT,
    CLASSES,
    MATRIX,
    Home,
    card,
    files,
    no_package,
    no_url,
    sha,
)
from support.hashes import blob

NAMES = ("tiny", "by-blob", "packed", "own")
OWN = b"4 3 5\n1 2 3 1\n2 3\n1 1\n3 9\n"


def make_wheel(folder: Path) -> Path:
    wheel = folder / "corpus-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in (("tiny.mat", MATRIX), ("tiny.rclass", CLASSES)):
            archive.writestr(zipfile.ZipInfo(f"corpus/{name}"), content)
    return wheel


def project(folder: Path, address: str, wheel: Path, monkeypatch) -> Home:
    """Make a project whose datasets come from the web, a registry and this machine."""
    folder.mkdir()
    monkeypatch.setenv("RECOCO_ROOT", str(folder))
    home = Home(folder)
    shutil.rmtree(home.mirror)
    web = {"kind": "url", "files": files(f"{address}/")}
    home.write_card(card(sources=[{"kind": "mirror", "files": files("tiny/")}, web]))
    known = [{"at": f"{address}/tiny.mat", "git_blob": blob(MATRIX)}, files(f"{address}/")[1]]
    home.write_card(card(sources=[{"kind": "url", "files": known}]), "by-blob")
    archive = {"registry": "pypi", "package": "corpus", "version": "1.0", "file": wheel.name}
    archive |= {"sha256": sha(wheel.read_bytes()), "bytes": wheel.stat().st_size}
    packed = {"kind": "package", "archive": archive, "files": files("corpus/")}
    home.write_card(card(sources=[packed]), "packed")
    (folder / "tiny.mat").write_bytes(OWN)
    (folder / "tiny.rclass").write_bytes(CLASSES)
    mine = {"kind": "local", "files": [{"at": "tiny.mat"}, {"at": "tiny.rclass"}]}
    home.write_card(card(sources=[mine]), "own")
    return home


def fetch_and_prepare(name: str, **options) -> tuple[dict, bytes, dict]:
    receipt = fetch(name, paths.raw(name), **options)
    stem = paths.prepared(name)
    prepare(name, paths.raw(name), f"{stem}.npz", f"{stem}.json")
    written = stem.with_suffix(".json").read_bytes()
    return receipt, stem.with_suffix(".npz").read_bytes() + written, read_arrays(f"{stem}.npz")


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """Return a mirror written by a project with the web, and what that project prepared."""
    monkeypatch.setenv("RECOCO_MIRROR", "")
    wheel = make_wheel(tmp_path)

    def bring(registry, package, version, folder):
        return Path(shutil.copy(wheel, folder))

    with serving(monkeypatch) as address:
        Server.files = {"tiny.mat": MATRIX, "tiny.rclass": CLASSES}
        project(tmp_path / "web", address, wheel, monkeypatch)
        made = {name: fetch_and_prepare(name, get_package=bring) for name in NAMES}
    mirror = tmp_path / "mirror"
    assert main(["mirror", str(mirror)]) == 0
    return mirror, made, lambda folder: project(folder, address, wheel, monkeypatch)


def offline(name: str, **options):
    return fetch_and_prepare(name, get_url=no_url, get_package=no_package, **options)


def test_a_fresh_project_needs_only_the_mirror(lab, tmp_path, monkeypatch):
    mirror, made, fresh = lab
    fresh(tmp_path / "fresh")
    monkeypatch.setenv("RECOCO_MIRROR", str(mirror))
    for name in ("by-blob", "packed"):  # the receipt names the web, as it does there
        receipt, content, _ = offline(name)
        assert receipt == made[name][0] and content == made[name][1]
    receipt, content, arrays = offline("tiny")
    assert receipt["source"] == {"kind": "mirror", "where": "the folder mirror of RECOCO_MIRROR"}
    assert receipt["files"] == made["tiny"][0]["files"]
    for key, array in made["tiny"][2].items():
        if key != "meta":  # it contains the source
            np.testing.assert_array_equal(arrays[key], array)
    ours, theirs = (json.loads(str(found["meta"])) for found in (arrays, made["tiny"][2]))
    assert ours | {"source": None} == theirs | {"source": None}

    # a mirror of that project is the same, and so are the bytes that are prepared from it
    again = tmp_path / "again" / "mirror"
    assert main(["mirror", str(again)]) == 0
    assert (again / "SOURCES.csv").read_bytes() == (mirror / "SOURCES.csv").read_bytes()
    fresh(tmp_path / "freshest")
    monkeypatch.setenv("RECOCO_MIRROR", str(again))
    assert offline("tiny")[1] == content


def test_the_layout_and_the_list(lab):
    mirror, _, _ = lab
    with (mirror / "SOURCES.csv").open() as stream:
        rows = {row["file"]: row for row in csv.DictReader(stream)}
    found = {path.relative_to(mirror).as_posix() for path in mirror.rglob("*") if path.is_file()}
    assert found == {*rows, "SOURCES.csv"}
    assert {"tiny/tiny.mat", "tiny/tiny.rclass"} <= found
    assert f"downloads/{blob(MATRIX)[:16]}-tiny.mat" in found
    for file, row in rows.items():
        content = (mirror / file).read_bytes()
        assert (row["sha256"], row["bytes"]) == (sha(content), str(len(content)))
        assert content != OWN  # what was read from this machine is not for others
    assert rows["tiny/tiny.mat"]["upstream"].endswith("/tiny.mat")
    wheel = next(file for file in rows if file.endswith(".whl"))
    assert rows[wheel]["upstream"] == "pypi: corpus 1.0"


def test_a_mirror_grows_and_is_not_copied_twice(lab, capsys):
    mirror, _, _ = lab
    kept = mirror / "kept" / "x"
    kept.parent.mkdir()
    kept.write_bytes(b"x")
    with (mirror / "SOURCES.csv").open("a") as stream:
        stream.write(f"kept,kept/x,1,{sha(b'x')},nowhere\n")
    (mirror / "tiny" / "tiny.mat").unlink()
    done = write_mirror(mirror)
    assert done.copied == 1 and not done.problems
    assert "kept,kept/x" in (mirror / "SOURCES.csv").read_text()
    assert main(["mirror", "--check", str(mirror)]) == 0
    assert "0 are not; it has 3 datasets" in capsys.readouterr().out


def test_another_file_in_its_place_is_not_replaced(lab):
    mirror, _, _ = lab
    (mirror / "tiny" / "tiny.mat").write_bytes(b"mine")
    with pytest.raises(RecocoError, match=r"tiny\.mat is another file"):
        write_mirror(mirror)
    assert (mirror / "tiny" / "tiny.mat").read_bytes() == b"mine"


def test_a_dataset_whose_archive_is_gone_is_named(lab, tmp_path, capsys):
    shutil.rmtree(paths.downloads())
    assert main(["mirror", str(tmp_path / "second")]) == 1
    printed = capsys.readouterr().out
    assert "left out: Dataset packed: corpus-1.0-py3-none-any.whl is no longer in" in printed
    assert check_mirror(tmp_path / "second").datasets == ["by-blob", "tiny"]


def test_raw_files_that_were_changed_are_not_passed_on(lab, tmp_path):
    (paths.raw("tiny") / "tiny.mat").write_bytes(MATRIX[::-1])
    done = write_mirror(tmp_path / "second")
    assert len(done.problems) == 1 and "not the file that was fetched" in done.problems[0]
    assert not (tmp_path / "second" / "tiny").exists()


def test_nothing_fetched(tmp_path, monkeypatch, capsys):
    project(tmp_path / "new", "http://127.0.0.1:1", make_wheel(tmp_path), monkeypatch)
    assert main(["mirror", str(tmp_path / "mirror")]) == 2
    assert "There is nothing to mirror" in capsys.readouterr().err
    assert not (tmp_path / "mirror").exists()


def test_a_folder_that_cannot_be_written(lab, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["mirror", str(tmp_path / "file" / "mirror")]) == 2
    assert "Cannot write in" in capsys.readouterr().err


def test_too_little_space(lab, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
    with pytest.raises(RecocoError, match="has 0 MB left"):
        write_mirror(tmp_path / "second")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda path: path.unlink(), "tiny/tiny.mat is missing"),
        (lambda path: path.write_bytes(MATRIX[:-1]), "has 40 bytes instead of 41"),
        (lambda path: path.write_bytes(MATRIX[::-1]), "has the wrong hash"),
        (lambda path: (path.unlink(), path.mkdir()), "it is a folder"),
    ],
)
def test_check_finds_what_is_wrong(lab, change, words, capsys):
    mirror, _, _ = lab
    change(mirror / "tiny" / "tiny.mat")
    assert main(["mirror", "--check", str(mirror)]) == 1
    printed = capsys.readouterr().out
    assert words in printed and ", 1 are not" in printed


def test_check_knows_what_the_cards_expect(lab):
    """A list that agrees with its files says nothing about where they come from."""
    mirror, _, _ = lab
    (mirror / "tiny" / "tiny.mat").write_bytes(MATRIX[::-1])
    listed = (mirror / "SOURCES.csv").read_text()
    lines = [
        line.replace(sha(MATRIX), sha(MATRIX[::-1])) if "tiny/tiny.mat" in line else line
        for line in listed.splitlines(keepends=True)
    ]
    (mirror / "SOURCES.csv").write_text("".join(lines))
    problems = check_mirror(mirror).problems
    assert problems == [
        "tiny/tiny.mat is not the file that its card expects, so `fetch` will refuse it."
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "is not a mirror"),
        (b"\xff\xfe", "not a CSV"),
        (b"a,b\n1,2\n", "line 2: it needs"),
        (b"dataset,file,bytes,sha256,upstream\nx,../y,1," + b"0" * 64 + b",\n", "line 2"),
        (b"dataset,file,bytes,sha256,upstream\nx,/etc/passwd,1," + b"0" * 64 + b",\n", "line 2"),
        (b"dataset,file,bytes,sha256,upstream\nx,y,many," + b"0" * 64 + b",\n", "no size"),
        (b"dataset,file,bytes,sha256,upstream\nx,y\x1b[2J,1," + b"0" * 64 + b",\n", "line 2"),
    ],
)
def test_a_broken_list_is_one_sentence(lab, content, words, capsys):
    mirror, _, _ = lab
    (mirror / "SOURCES.csv").unlink()
    if content is not None:
        (mirror / "SOURCES.csv").write_bytes(content)
    assert main(["mirror", "--check", str(mirror)]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and "\x1b" not in said


def test_a_wrong_file_among_the_downloads_is_not_used(lab, tmp_path, monkeypatch):
    mirror, _, fresh = lab
    for path in (mirror / "downloads").iterdir():
        path.write_bytes(b"x" * path.stat().st_size)
    fresh(tmp_path / "fresh")
    monkeypatch.setenv("RECOCO_MIRROR", str(mirror))
    for name in ("by-blob", "packed"):
        receipt = fetch(name, paths.raw(name), get_url=no_url, get_package=no_package)
        assert receipt["status"] == "unreachable"


def test_the_list_of_a_mirror_beside_the_checkout_is_read():
    """It was not written by this command."""
    shared = CHECKOUT.parent / "shared" / "datasets" / "SOURCES.csv"
    if not shared.is_file():
        pytest.skip("no mirror beside the checkout")
    from recoco.datasets.mirror_folder import read_list

    assert read_list(shared.parent)
