"""A card is data, whoever wrote it: every hostile one ends in a sentence, and nothing happens."""

import shutil
import time
import tracemalloc
from pathlib import Path

import pytest
import requests  # noqa: F401 - it tries the network card when it is imported, so not in a test

from recoco.core.errors import RecocoError
from recoco.datasets import load_card
from recoco.datasets.archives import iter_members, read_member
from support.datasets_fixture import Home, card, make_home
from support.hostile_cards import PASSWORD, all_cards
from support.hostile_files import CASES, SECRET, lying_zip, outside, swollen
from support.watching import watched

CARDS = all_cards()
SECONDS = 10  # for one card, on a busy machine


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """One folder for all projects: what is read of the schemas is remembered by their path."""
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture
def home(place, monkeypatch) -> Home:
    shutil.rmtree(place)
    (place / "project").mkdir(parents=True)
    home = make_home(place / "project", monkeypatch)
    for name in ("RECOCO_DATA", "RECOCO_HOSTS", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("HOME", str(outside(home)))
    monkeypatch.chdir(home.root)
    home.write_card(card() | {"based_on": "tiny"}, "circle")
    return home


def told(home: Home, **options) -> str:
    """Load, fetch and prepare the dataset; return the sentence in which that ends.

    Everything is the real thing, also the downloader, which must not get as far as the network.
    """
    before = {path for path in home.root.parent.rglob("*") if home.root not in path.parents}
    with watched(home.root, SECONDS) as seen:
        try:
            load_card("tiny")
            receipt = home.fetch("tiny", **{"get_url": None} | options)
            said = "; ".join(entry["error"] for entry in receipt["tried"])
            if receipt["status"] == "ok":
                home.prepare("tiny")
                said = "ACCEPTED"
        except RecocoError as error:
            said = str(error)
    assert not seen
    assert said != "ACCEPTED"
    after = {path for path in home.root.parent.rglob("*") if home.root not in path.parents}
    assert after == before and not (home.root / "ran").exists()
    assert said.isprintable() and 10 < len(said) < 1000, said[:2000]
    assert PASSWORD not in said and SECRET not in said
    return said


@pytest.mark.parametrize("name", CARDS)
def test_a_hostile_card_ends_in_a_sentence(home, name):
    content, word = CARDS[name]
    path = home.root / "config" / "datasets" / "tiny.yaml"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        home.write_card(content)
    assert word in told(home)


@pytest.mark.parametrize("name", CASES)
def test_a_card_reads_nothing_that_it_should_not(home, name):
    place, word = CASES[name]
    content = place(home)
    if content is not None:
        home.write_card(content)
    assert word in told(home)


def test_what_is_longer_than_the_card_says_is_not_kept(home):
    home.write_card(swollen(home))

    def get_url(url, to):
        to.write_bytes(bytes(10_000))

    def get_package(registry, package, version, folder):
        (folder / "p.whl").write_bytes(bytes(10_000))
        return folder / "p.whl"

    said = told(home, get_url=get_url, get_package=get_package)
    assert said.count("more than the 41 bytes that the card expects") == 2
    downloads = home.root / "resources" / "downloads"
    assert all(path.name.endswith(".lock") for path in downloads.iterdir())


def test_no_more_is_unpacked_than_an_archive_says(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(lying_zip(5))
    tracemalloc.start()
    try:
        assert read_member(path, "a/1.txt") == bytes(5)
        assert list(iter_members(path)) == [("a/1.txt", bytes(5))]
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("file", [".yaml", "..yaml", "a b.yaml", "-x.yaml", "x\ny.yaml"])
def test_a_card_has_a_plain_name(home, file):
    (home.root / "config" / "datasets" / file).write_text("{}")
    with pytest.raises(RecocoError, match=r"No dataset is called|rename its file"):
        load_card(file.removesuffix(".yaml"))
    assert load_card("tiny")


def test_there_are_hundreds_of_them():
    assert len(CARDS) + len(CASES) >= 250


def test_watching_sees_what_must_not_happen(home):
    import os
    import pickle
    import socket
    import subprocess

    with watched(home.root, SECONDS) as seen:
        (home.root / "inside").write_text("x")
        assert not seen
        (outside(home) / "written").write_text("x")
        os.rename(outside(home) / "written", outside(home) / "renamed")
        subprocess.run(["true"], check=True)
        pickle.loads(pickle.dumps(time.sleep))
        with socket.socket(socket.AF_UNIX) as made, pytest.raises(OSError):
            made.connect("nowhere")
        kinds = [line.split()[0] for line in seen]
    for kind in ("writes", "os.rename", "subprocess.Popen", "pickle.find_class", "socket.connect"):
        assert kind in kinds
    with pytest.raises(TimeoutError), watched(home.root, 0.1):
        time.sleep(5)
