"""The ledger: whatever its lines say, only files that a job may have written are touched."""

import json
import os
from dataclasses import asdict

import pytest

from recoco.core.errors import RecocoError
from recoco.engine import integrity
from recoco.engine.ledger import LEDGER, Entry, covers, length, read

ZERO = "0" * 64


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    for name in (
        "results/a.npz",
        "reports/tables/t.csv",
        "reports/index.html",
        "reports/README.md",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / ".snakemake").mkdir()
    (tmp_path / "precious").write_text("keep me")
    return root


def line(path="results/a.npz", **other) -> str:
    return json.dumps({**asdict(Entry(path, ZERO, 1, 1, damaged=True)), **other})


def write(root, *lines: str | bytes) -> None:
    content = [each if isinstance(each, bytes) else each.encode() for each in lines]
    (root / LEDGER).write_bytes(b"\n".join(content) + b"\n")


OUTSIDE = [
    "/etc/passwd",
    "../precious",
    "results/../../precious",
    "results/../reports/README.md",
    "results//a.npz",
    "./results/a.npz",
    "results/",
    "results",
    "",
    ".",
    "config/config.yaml",
    "reports/README.md",
    "reports/reference/x.csv",
    "resources/raw/x",
    "results/a\nb",
    "results/a\0b",
    "results/\x1b[2J",
    "results/\ud800",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_path_that_leads_elsewhere_counts_for_nothing(project, name):
    assert not covers(name)
    write(project, line(name))
    ignored = []
    assert read(project, ignored) == {}
    (sentence,) = ignored
    assert sentence.startswith(f"line 1 of {LEDGER} is ignored: ") and sentence.isprintable()
    assert all(entry.path != name for group in integrity.damaged(project) for entry in group)


@pytest.mark.parametrize(
    "bad",
    [
        "nonsense",
        "[]",
        "{}",
        "null",
        "7",
        '{"path": "results/a.n',
        line(bytes="1"),
        line(bytes=-5),
        line(bytes=True),
        line(bytes=1.5),
        line(mtime_ns=-1),
        line(mtime_ns=2**70),
        line(sha256="xyz"),
        line(sha256=None),
        line(path=["results/a.npz"]),
        line(damaged="yes"),
        line(more=1),
        "[" * 20_000,
        b"\xff\xfe" + line().encode(),
        line().encode("utf-16"),
        "x" * 1_000_000,
        line(path="results/" + "x" * 100_000),
        b"\0" * 5000,
    ],
    ids=lambda bad: repr(bad)[:40],
)
def test_a_line_that_is_broken_counts_for_nothing(project, bad):
    write(project, bad, line("results/b.npz"))
    ignored = []
    assert list(read(project, ignored)) == ["results/b.npz"] and ignored
    assert integrity.tidy(project) == ignored
    assert integrity.tidy(project) == [] and list(read(project)) == ["results/b.npz"]


def test_a_link_or_a_folder_in_the_place_of_a_file_is_left_alone(project, tmp_path):
    (project / "results" / "link").symlink_to(tmp_path / "precious")
    (project / "results" / "away").symlink_to(tmp_path)
    (project / "results" / "folder").mkdir()
    names = ["results/link", "results/away/precious", "results/folder"]
    write(project, *map(line, names))
    assert integrity.damaged(project) == []
    assert sorted(integrity.replaced(project)) == sorted(names)
    assert not integrity.settle(project, Entry("results/away/precious", ZERO, 1, 1, True))
    assert (tmp_path / "precious").read_text() == "keep me"


def test_results_may_be_on_another_disk(project, tmp_path):
    (project / "results").rename(tmp_path / "scratch")
    (project / "results").symlink_to(tmp_path / "scratch")
    integrity.record(project, ["results/a.npz"])
    (tmp_path / "scratch" / "a.npz").write_text("changed")
    assert [entry.path for (entry,) in integrity.damaged(project)] == ["results/a.npz"]


def test_something_huge_or_strange_is_not_a_ledger(project):
    with (project / LEDGER).open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(RecocoError, match=r"not a ledger of this project \(1074 MB\): delete it"):
        read(project)
    (project / LEDGER).unlink()
    os.mkfifo(project / LEDGER)
    with pytest.raises(RecocoError, match="not a ledger of this project"):
        read(project)


# ---- the report ------------------------------------------------------------------------------

OUTPUTS = ["reports/index.html", "reports/tables"]


def damaged(project) -> list[str]:
    return [entry.path for group in integrity.damaged(project) for entry in group]


def test_the_files_of_a_report_are_recorded_and_those_of_others_are_not(project):
    integrity.record(project, OUTPUTS)
    assert set(read(project)) == {"reports/index.html", "reports/tables/t.csv"}
    assert damaged(project) == [] and set(read(project)) > set(OUTPUTS[:1])
    (project / "reports" / "tables" / "t.csv").write_text("reports/tables/u.csv")
    assert damaged(project) == ["reports/tables/t.csv"]


def test_a_file_missing_in_a_folder_is_missed(project):
    integrity.record(project, OUTPUTS)
    (project / "reports" / "tables" / "t.csv").unlink()
    assert damaged(project) == ["reports/tables/t.csv"]
    (project / "reports" / "tables").rmdir()  # which Snakemake notices
    integrity.record(project, ["reports/index.html"])
    (project / "reports" / "index.html").unlink()
    integrity.tidy(project, missing=True)
    assert "reports/index.html" not in read(project)


def test_a_file_that_a_new_report_does_not_have_is_forgotten(project):
    integrity.record(project, OUTPUTS)
    (project / "reports" / "tables" / "t.csv").rename(project / "reports" / "tables" / "u.csv")
    integrity.record(project, OUTPUTS)
    assert set(read(project)) == {"reports/index.html", "reports/tables/u.csv"}
    assert damaged(project) == []


def test_files_without_an_entry_are_told_and_marked(project):
    assert len(integrity.unlisted(project)) == 3
    assert "the ledger is missing" in integrity.about_unlisted(project, 3)
    assert damaged(project) == [] and integrity.unlisted(project) == []
    assert all(entry.adopted for entry in read(project).values())
    integrity.record(project, ["results/a.npz"])
    assert not read(project)["results/a.npz"].adopted
    (project / "results" / "b.npz").write_text("b")
    assert integrity.unlisted(project) == ["results/b.npz"]
    assert integrity.about_unlisted(project, 1).startswith("1 result has no checksum in the ledger")


def test_lines_that_no_longer_count_do_not_pile_up(project):
    for _ in range(20):
        integrity.record(project, ["results/a.npz", *OUTPUTS])
    before = read(project)
    integrity.tidy(project)
    assert length(project) == len(before) == 3 and read(project) == before
    integrity.record(project, ["results/a.npz"])
    integrity.tidy(project)
    assert length(project) == 4
