"""An archive that somebody sent: what is wrong with it is found, and nothing gets out of it."""

import json
import stat
import zipfile

import pytest

from recoco.archive.crate import METADATA
from recoco.archive.opening import open_archive
from recoco.archive.pack import MANIFEST
from recoco.core.errors import RecocoError
from support.archive_fixture import members_of, rewrite, small_archive

RUNS = "results/runs/a.npz"


@pytest.fixture
def archive(tmp_path):
    return small_archive(tmp_path / "a.zip")


def problems(path):
    with open_archive(path) as opened:
        return opened.problems_of_files(), opened.problems_of_crate()


def test_a_whole_archive_has_no_problem(archive):
    assert problems(archive) == ([], [])


@pytest.mark.parametrize(
    "changes, said",
    [
        ({RUNS: b"tampered"}, f"changed: {RUNS}"),
        ({"Snakefile": b""}, "changed: Snakefile"),
        ({METADATA: b"{}"}, f"changed: {METADATA}"),
        ({RUNS: None}, f"missing: {RUNS}"),
        ({"results/more.csv": b"1"}, "not listed: results/more.csv"),
    ],
)
def test_a_changed_missing_or_extra_file_is_found(archive, tmp_path, changes, said):
    files, _ = problems(rewrite(archive, tmp_path / "b.zip", changes, mend=False))
    assert files == [said]


def test_a_flipped_byte_in_the_zip_is_found(archive):
    content = bytearray(archive.read_bytes())
    place = content.index(b"a receipt")
    content[place] ^= 1
    archive.write_bytes(content)
    assert problems(archive)[0] == ["changed: receipt.txt"]


def crate(archive, change) -> bytes:
    described = json.loads(members_of(archive)[METADATA])
    change({entity["@id"]: entity for entity in described["@graph"]}, described)
    return json.dumps(described).encode()


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda e, d: d.pop("@graph"), "is not an RO-Crate"),
        (lambda e, d: d["@graph"].remove(e["./"]), "does not describe"),
        (lambda e, d: e["./"].pop("mainEntity"), "main workflow"),
        (lambda e, d: e["./"]["hasPart"].append({"@id": "gone.csv"}), "gone.csv is named"),
        (lambda e, d: e["Snakefile"].update(sha256="0" * 64), "differs from the manifest"),
        (lambda e, d: e["./"].update(mentions={"@id": "#nobody"}), "'#nobody'"),
        (lambda e, d: e["results/runs/"].update({"@id": "results/no/"}), "results/runs/ is named"),
    ],
)
def test_a_broken_crate_is_found(archive, tmp_path, change, said):
    broken = {METADATA: crate(archive, change)}
    files, crates = problems(rewrite(archive, tmp_path / "b.zip", broken, mend=True))
    assert files == []
    assert any(said in line for line in crates), crates


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "a/../../outside",
        "/outside",
        "C:/outside",
        "a\\..\\outside",
        "a//b",
        "./a",
        ".snakemake/scripts/numpy.py",
        "src/.hidden",
        "line\nbreak",
    ],
)
def test_names_that_lead_out_or_hide_are_refused(archive, tmp_path, name):
    with zipfile.ZipFile(archive, "a") as opened:
        opened.writestr(zipfile.ZipInfo(name), b"x")
    with pytest.raises(RecocoError, match="is refused"), open_archive(archive):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zip"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR])
def test_only_plain_files(archive, kind):
    member = zipfile.ZipInfo("link")
    member.create_system, member.external_attr = 3, (kind | 0o777) << 16
    with zipfile.ZipFile(archive, "a") as opened:
        opened.writestr(member, b"/etc/passwd")
    with pytest.raises(RecocoError, match="not a plain file"), open_archive(archive):
        pass


def test_a_name_twice_or_below_a_file_is_refused(archive, tmp_path):
    other = small_archive(tmp_path / "b.zip")
    with zipfile.ZipFile(archive, "a") as opened, pytest.warns(UserWarning):
        opened.writestr(zipfile.ZipInfo("Snakefile"), b"another")
    with zipfile.ZipFile(other, "a") as opened:
        opened.writestr(zipfile.ZipInfo("Snakefile/inside"), b"x")
    for path, said in ((archive, "same name"), (other, "below a file")):
        with pytest.raises(RecocoError, match=said), open_archive(path):
            pass


def test_what_is_no_archive_is_said_in_a_sentence(tmp_path):
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    for name, said in (
        ("text", "not a readable zip"),
        ("empty", MANIFEST),
        ("none", "There is no"),
    ):
        with (
            pytest.raises(RecocoError, match=said),
            open_archive(tmp_path / f"{name}.zip") as opened,
        ):
            opened.problems_of_files()


def test_extraction_writes_the_members_and_nothing_else(archive, tmp_path):
    with open_archive(archive) as opened:
        opened.extract(tmp_path / "out")
    written = {
        path.relative_to(tmp_path / "out").as_posix(): path.read_bytes()
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }
    assert written == members_of(archive)
