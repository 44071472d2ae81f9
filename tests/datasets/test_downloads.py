"""Downloads stop at the size of the card, stay in the public network, and outlive bad answers."""

import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import downloads
from recoco.datasets.downloads import check_address, get_url
from recoco.datasets.packages import _OWN_FILES, PackageError, download
from recoco.datasets.raw_files import Unavailable
from support.data_server import Server, serving
from support.datasets_fixture import CLASSES, MATRIX, card, files, make_home, sha
from support.hashes import blob


@pytest.fixture
def server(monkeypatch):
    with serving(monkeypatch) as address:
        Server.files = {"good": MATRIX, "tiny.mat": MATRIX, "tiny.rclass": CLASSES}
        yield address


def test_a_file_of_the_right_size_is_downloaded(server, tmp_path):
    get_url(f"{server}/good", tmp_path / "x", len(MATRIX))
    assert (tmp_path / "x").read_bytes() == MATRIX
    get_url(f"{server}/redirect/{server}/good", tmp_path / "y", len(MATRIX))
    assert (tmp_path / "y").read_bytes() == MATRIX


@pytest.mark.parametrize("path", ["announced", "endless", "packed", "good"])
def test_a_longer_one_is_stopped_at_once(server, tmp_path, path):
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1 sends more than the 40 bytes"):
        get_url(f"{server}/{path}", tmp_path / "x", 40)
    assert (tmp_path / "x").stat().st_size <= 40


@pytest.mark.parametrize(
    ("to", "word"),
    [
        ("http://localhost:{port}/secret", "RECOCO_HOSTS"),
        ("http://[::1]:{port}/secret", "RECOCO_HOSTS"),
        ("http://169.254.169.254/secret", "RECOCO_HOSTS"),
        ("//10.0.0.1/secret", "RECOCO_HOSTS"),
        ("http://me:hunter2@127.0.0.1:{port}/secret", "password"),
        ("file:///etc/passwd", "'file'"),
        ("ftp://example.org/x", "'ftp'"),
        ("http://[::1/secret", "address"),
    ],
)
def test_no_redirect_leads_to_what_a_card_may_not_ask(server, tmp_path, to, word):
    to = to.format(port=server.rpartition(":")[2])
    with pytest.raises(Unavailable, match=word) as caught:
        get_url(f"{server}/redirect/{to}", tmp_path / "x", 100)
    assert "hunter2" not in str(caught.value)
    assert len(Server.asked) == 1 and "/secret" not in Server.asked


def test_the_receipt_says_why(server, tmp_path, monkeypatch):
    home = make_home(tmp_path, monkeypatch)
    home.write_card(card(sources=[{"kind": "url", "files": files(f"{server}/announced/")}]))
    receipt = home.fetch(get_url=None)
    assert receipt["status"] == "unreachable"
    assert "sends more than the 41 bytes" in receipt["tried"][0]["error"]
    monkeypatch.delenv("RECOCO_HOSTS")
    assert "RECOCO_HOSTS" in home.fetch(get_url=None)["tried"][0]["error"]


# ---- what servers do -----------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch, server):
    monkeypatch.setattr(downloads, "_PAUSE", 0.01)
    return make_home(tmp_path, monkeypatch)


def fetch_from(home, server, *behaviour):
    """Fetch a dataset from a server that answers the request number i by ``behaviour[i]``."""
    home.write_card(card(sources=[{"kind": "url", "files": files(f"{server}/")}]))
    Server.behaviour = list(behaviour)
    receipt = home.fetch(get_url=None)
    kept = [path.name for path in (home.root / "resources" / "downloads").iterdir()]
    assert not any(name.endswith(".part") for name in kept)
    return receipt


def arrived(home, receipt) -> bool:
    assert receipt["status"] == "ok" and receipt["tried"] == []
    return (home.raw / "tiny.mat").read_bytes() == MATRIX


def refused(receipt) -> str:
    """Return why the dataset is unreachable, which must be one sentence."""
    assert receipt["status"] == "unreachable"
    error = receipt["tried"][0]["error"]
    assert "\n" not in error and error.startswith("dataset tiny: 127.0.0.1 ")
    return error


def test_redirects_are_followed(home, server):
    moves = [f"moved {code} /good" for code in (301, 302, 307, 308)]
    for move in moves:
        assert arrived(home, fetch_from(home, server, move))
        assert Server.asked[-2:-1] == ["/good"]
        for path in (home.root / "resources" / "downloads").glob("[!.]*"):
            path.unlink()


def test_redirects_in_a_circle_end(home, server):
    receipt = fetch_from(home, server, *["moved 302 /tiny.mat"] * 40)
    assert "answered 302 for tiny.mat" in refused(receipt)


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_refusal_is_final(home, server, status):
    assert f"answered {status} for tiny.mat" in refused(fetch_from(home, server, str(status)))
    assert len(Server.asked) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_a_few_times(home, server, status):
    assert arrived(home, fetch_from(home, server, str(status), f"{status} retry-after 0"))
    (home.root / "resources" / "downloads" / f"{sha(MATRIX)[:16]}-tiny.mat").unlink()
    Server.asked.clear()
    said = refused(fetch_from(home, server, *[str(status)] * 9))
    assert f"answered {status} 3 times in a row after 0 bytes of tiny.mat" in said
    assert len(Server.asked) == 3


def test_a_download_that_is_cut_goes_on_where_it_stopped(home, server):
    assert arrived(home, fetch_from(home, server, "cut 10", "cut 5", "cut 9"))
    assert Server.ranges[:4] == [None, "bytes=10-", "bytes=15-", "bytes=24-"]


def test_without_ranges_it_begins_again(home, server):
    assert arrived(home, fetch_from(home, server, "cut 10 whole", "whole"))


def test_a_file_that_changed_meanwhile_is_not_mixed(home, server):
    """The server has another version when asked for the rest, and sends all of that."""
    assert arrived(home, fetch_from(home, server, "cut 10 old", ""))


def test_the_wrong_part_is_not_appended(home, server):
    assert arrived(home, fetch_from(home, server, "cut 10", "shifted", ""))


def test_a_range_that_is_refused_begins_again(home, server):
    assert arrived(home, fetch_from(home, server, "cut 10", "416", ""))


def test_a_server_that_always_breaks_off_is_given_up(home, server):
    said = refused(fetch_from(home, server, *["cut 10 whole"] * 20))
    assert "broke off 3 times in a row after 10 bytes of tiny.mat" in said
    assert arrived(home, fetch_from(home, server))


def test_other_bytes_of_the_same_length_are_refused(home, server):
    receipt = fetch_from(home, server, "other")
    assert receipt["status"] == "unreachable"
    assert "tiny.mat has the wrong hash" in receipt["tried"][0]["error"]


def test_a_slow_server_is_waited_for_but_not_forever(home, server, monkeypatch):
    assert arrived(home, fetch_from(home, server, "slow"))
    (home.root / "resources" / "downloads" / f"{sha(MATRIX)[:16]}-tiny.mat").unlink()
    monkeypatch.setattr(downloads, "_GRACE", 0.0)
    said = refused(fetch_from(home, server, "slow"))
    assert "sent only" in said and "bytes of tiny.mat" in said


def test_a_server_that_says_nothing_is_left(home, server, monkeypatch):
    monkeypatch.setattr(downloads, "_TIMEOUT", (5, 0.2))
    assert "gave no answer (ReadTimeout) for tiny.mat" in refused(
        fetch_from(home, server, "silent")
    )
    assert len(Server.asked) == 1


def test_a_silence_in_the_middle_is_a_break(home, server, monkeypatch):
    monkeypatch.setattr(downloads, "_TIMEOUT", (5, 0.2))
    assert arrived(home, fetch_from(home, server, "stall 10"))
    assert Server.ranges[1] == "bytes=10-"


def test_a_file_known_by_the_hash_of_git(home, server):
    assert blob(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"  # as git prints it
    wanted = [{"at": f"{server}/tiny.mat", "git_blob": blob(MATRIX)}]
    wanted += [{"at": f"{server}/tiny.rclass", "git_blob": blob(CLASSES), "bytes": len(CLASSES)}]
    home.write_card(card(sources=[{"kind": "url", "files": wanted}]))
    receipt = home.fetch(get_url=None)
    assert arrived(home, receipt)
    assert [file["sha256"] for file in receipt["files"]] == [sha(MATRIX), sha(CLASSES)]
    home.fetch(get_url=None)
    assert len(Server.asked) == 2  # both were kept

    wanted[0]["git_blob"] = blob(MATRIX[:-1])
    home.write_card(card(sources=[{"kind": "url", "files": wanted}]))
    receipt = home.fetch(get_url=None)
    assert receipt["status"] == "unreachable"
    assert f"found git_blob {blob(MATRIX)}" in receipt["tried"][0]["error"]


def test_an_address_needs_a_hash(home, server):
    for entry in ({}, {"sha256": sha(MATRIX)}, {"bytes": 41}):
        content = card(sources=[{"kind": "url", "files": [{"at": f"{server}/x"} | entry]}])
        home.write_card(content)
        with pytest.raises(RecocoError, match=r"needs '(sha256|bytes)'"):
            home.fetch()


def test_a_proxy_looks_up_names_itself(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://proxy.invalid:3128")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    check_address("https://a-name-that-only-the-proxy-knows.invalid/x")
    with pytest.raises(Unavailable, match="private network"):
        check_address("https://127.0.0.1/x")


def test_a_client_cannot_write_without_end(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "to").mkdir()
    script = tmp_path / "bin" / "npm"
    script.write_text("#!/bin/sh\nhead -c 100000000 /dev/zero > p.tgz\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    with pytest.raises(PackageError, match="downloaded no archive"):
        download("npm", "p", "1", tmp_path / "to", most=10)
    assert (tmp_path / "to" / "p.tgz").stat().st_size <= _OWN_FILES + 10
