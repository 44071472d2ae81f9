"""What a card may read here: the project, what RECOCO_DATA lists, and what the user named."""

import os

import pytest

from recoco.cli.show import _state
from recoco.core.bounded import MOST_BYTES, read_regular
from recoco.core.errors import RecocoError
from recoco.datasets import load_card
from recoco.datasets.local import OWN_DATA
from recoco.datasets.writing import write_card
from support.datasets_fixture import CHECKOUT, card, make_home


@pytest.fixture
def home(tmp_path, monkeypatch):
    (tmp_path / "project").mkdir()
    monkeypatch.delenv("RECOCO_DATA", raising=False)
    return make_home(tmp_path / "project", monkeypatch)


@pytest.fixture
def table(home):
    folder = home.root.parent / "my data"
    folder.mkdir()
    (folder / "my table.csv").write_text("y,a,b\nu,1,0\nv,0,2\n")
    (folder / "other.csv").write_text("y,a,b\nu,1,0\nv,0,2\n")
    return folder / "my table.csv"


def by_hand(home, at) -> None:
    home.write_card(
        card(
            printed_as={},
            parser={"name": "csv", "file": "x.csv", "labels": "y"},
            expected={"rows": 2, "columns": [2], "classes": 2},
            sources=[{"kind": "local", "files": [{"at": str(at), "name": "x.csv"}]}],
        )
    )


def error(home) -> str:
    receipt = home.fetch()
    assert receipt["status"] == "unreachable"
    return receipt["tried"][0]["error"]


def test_a_path_on_the_command_line_is_enough(home, table):
    write_card(str(table), "mine", {"labels": "y"})
    assert load_card("mine")["sources"][0]["files"][0]["at"] == str(table)
    assert _state(load_card("mine"), False) == "available"
    assert home.fetch("mine")["status"] == "ok"
    home.prepare("mine")
    remembered = (home.root / OWN_DATA).read_text().splitlines()
    assert remembered[0].startswith("#") and remembered[1:] == [str(table)]
    by_hand(home, table.with_name("other.csv"))  # only this file was named
    assert "RECOCO_DATA" in error(home) and _state(load_card("tiny"), False) == "get by hand"
    write_card(str(table.with_name("other.csv")), "also", {"labels": "y"})
    assert home.fetch("also")["status"] == home.fetch("mine")["status"] == "ok"


def test_a_folder_and_a_link_on_the_command_line(home, table):
    for name in ("a/1.txt", "b/2.txt"):
        (table.parent / "texts" / name).parent.mkdir(parents=True)
        (table.parent / "texts" / name).write_text("bread and stars")
    (home.root / "linked").symlink_to(table.parent / "texts")
    write_card(str(home.root / "linked"), "mine", {})
    assert home.fetch("mine")["status"] == "ok"
    (table.parent / "texts" / "a" / "3.txt").symlink_to(table)
    assert "texts/a/3.txt is hidden or not in the project" in error_of(home, "mine")


def error_of(home, name: str) -> str:
    return home.fetch(name)["tried"][0]["error"]


def test_a_hidden_file_that_the_user_named(home, table):
    (home.root / ".data").mkdir()
    (home.root / ".data" / "x.csv").write_text(table.read_text())
    by_hand(home, ".data/x.csv")
    assert "hidden" in error(home)
    write_card(str(home.root / ".data" / "x.csv"), "mine", {"labels": "y"})
    assert home.fetch("mine")["status"] == "ok"


def test_a_card_that_was_not_written_leaves_nothing(home, table):
    with pytest.raises(RecocoError, match="no column"):
        write_card(str(table), "mine", {"labels": "why"})
    assert not (home.root / OWN_DATA).exists()


def test_files_of_the_project_need_no_permission(home, table):
    (home.root / "x.csv").write_text(table.read_text())
    write_card(str(home.root / "x.csv"), "mine", {"labels": "y"})
    assert not (home.root / OWN_DATA).exists() and home.fetch("mine")["status"] == "ok"
    (home.root / "y.csv").symlink_to("x.csv")
    by_hand(home, "y.csv")
    assert home.fetch()["status"] == "ok"


@pytest.mark.parametrize("shown", ["{folder}", "/nowhere{sep}{folder}", "~", "../my data"])
def test_folders_of_the_environment(home, table, monkeypatch, shown):
    by_hand(home, table)
    assert "list the folder in RECOCO_DATA" in error(home)
    monkeypatch.setenv("HOME", str(table.parent))
    monkeypatch.setenv("RECOCO_DATA", shown.format(folder=table.parent, sep=os.pathsep))
    assert home.fetch()["status"] == "ok"
    by_hand(home, f"~/{table.name}")
    assert home.fetch()["status"] == "ok"
    monkeypatch.setenv("RECOCO_DATA", "~nobody-at-all")
    with pytest.raises(RecocoError, match="RECOCO_DATA cannot be used"):
        home.fetch()


def test_the_list_of_paths_is_not_committed():
    assert f"/{OWN_DATA}" in (CHECKOUT / ".gitignore").read_text().splitlines()


def test_the_largest_file_is_the_same_everywhere():
    from recoco.config.schema import read_yaml

    schema = read_yaml(CHECKOUT / "workflow" / "schemas" / "dataset.schema.yaml")
    assert schema["$defs"]["bytes"]["maximum"] == MOST_BYTES


@pytest.mark.parametrize("size", [0, 1, 1 << 20, (1 << 20) + 1])
def test_regular_files_are_read_up_to_a_limit(tmp_path, size):
    (tmp_path / "x").write_bytes(bytes(size))
    assert read_regular(tmp_path / "x", size) == bytes(size)
    if size:
        with pytest.raises(OSError, match=f"more than {size - 1} bytes"):
            read_regular(tmp_path / "x", size - 1)


def test_a_file_that_grows_is_read_up_to_a_limit():
    assert b"Name" in read_regular("/proc/self/status", 1 << 20), "its size is said to be 0"
    with pytest.raises(OSError, match="more than 10 bytes"):
        read_regular("/proc/self/status", 10)


def test_a_link_is_followed_only_if_asked(tmp_path):
    (tmp_path / "x").write_bytes(b"x")
    (tmp_path / "link").symlink_to("x")
    assert read_regular(tmp_path / "link") == b"x"
    with pytest.raises(OSError, match="a link"):
        read_regular(tmp_path / "link", follow=False)
