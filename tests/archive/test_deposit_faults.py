"""Whatever a deposit server answers, the command ends with one sentence and keeps the token.

RECOCO_FAULTS=0.1 runs a tenth of the cases.
"""

import json
import shutil
import socket
import threading
import time

import pytest

from recoco.archive.answers import plain
from recoco.archive.deposit import TOKEN, deposit
from recoco.archive.transport import Connection, Limits
from recoco.cli import main
from recoco.core.errors import RecocoError
from support.archive_fixture import small_archive
from support.deposit_answers import LIMIT, endless, raw
from support.deposit_faults import CALLS, FAULTS, chosen, put
from support.deposit_server import SECRET, Bystander, Repository, Wrong, serve

QUICK = Limits(seconds=10, connect=5, answer=LIMIT, attempts=2)
INTERFACES = ("zenodo", "invenio")


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    return small_archive(tmp_path_factory.mktemp("packed") / "recoco-archive.zip", size=3000)


@pytest.fixture
def archive(packed, tmp_path):
    return shutil.copy(packed, tmp_path / packed.name)


@pytest.fixture(scope="module")
def bystander():
    with serve(Bystander()) as server:
        yield server


@pytest.fixture(scope="module")
def served(bystander):
    with serve(Repository()) as server:
        server.other = bystander.address
        yield server


@pytest.fixture
def repository(served, bystander, monkeypatch):
    monkeypatch.setenv(TOKEN, SECRET)
    bystander.heard.clear()
    served.forget()
    return served


@pytest.fixture
def send(repository, archive):
    def sending(interface: str, **options):
        options = {"send": True, "patience": 0.001, "limits": QUICK, **options}
        return deposit(archive, repository.address, interface, **options)

    return sending


def sentence(caught) -> str:
    """Return the message of an error after checking that a person would want to read it."""
    said = str(caught.value)
    assert caught.type is RecocoError
    assert said.isprintable() and said.endswith(".") and len(said) < 700
    assert SECRET not in said
    return said


def wrong(interface: str, call: str, **how) -> Wrong:
    return Wrong(*CALLS[interface][call], **how)


# ---- the battery --------------------------------------------------------------------------


@pytest.mark.parametrize("fault", chosen(), ids=str)
def test_a_wrong_answer_ends_in_one_sentence(fault, send, repository, bystander, archive, capsys):
    if fault.call == "get":
        send(fault.interface)
    options = {"publish": True}
    if fault.call == "part":
        repository.parts_allowed = True
        options["part_size"] = 1000
    if fault.call == "remove":
        repository.faults.append(("PUT", "receipt.txt", "damage"))
    if fault.call == "download":
        repository.checksums = None
    repository.wrong = fault.wrong
    for seconds in (0.1, 2) if fault.slow else (10,):
        attempts = 1 if fault.slow else 2
        options["limits"] = Limits(seconds, connect=5, answer=LIMIT, attempts=attempts)
        begun = time.monotonic()
        with pytest.raises(RecocoError, match=fault.says) as caught:
            send(fault.interface, **options)
        assert time.monotonic() - begun < 10
        sentence(caught)
        if repository.struck:
            break  # otherwise the machine was too busy for the calls that are right
    assert repository.struck
    assert not bystander.heard
    shown = capsys.readouterr()
    assert SECRET not in shown.out + shown.err and shown.err == ""
    assert all(line.isprintable() for line in shown.out.splitlines())
    for path in archive.parent.iterdir():
        assert SECRET.encode() not in path.read_bytes()


def test_a_share_of_the_battery(monkeypatch):
    everything = len(FAULTS)
    for share, count in (("0.25", everything // 4), ("0", 0), ("7", everything), ("", everything)):
        monkeypatch.setenv("RECOCO_FAULTS", share)
        assert len(chosen()) == count


# ---- the token ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ending", ["\r", "\n", "\r\nX-Other: 1", "\x1b[2J", " ", "\u00e9", "\u2028"]
)
def test_a_token_that_cannot_be_sent_is_not_shown(ending, repository, archive, monkeypatch, capsys):
    monkeypatch.setenv(TOKEN, SECRET + ending)
    assert main(["deposit", str(archive), "--send", "--server", repository.address]) == 2
    shown = capsys.readouterr()
    assert TOKEN in shown.err and shown.err.count("\n") == 1
    assert SECRET not in shown.out + shown.err
    assert repository.calls == []


@pytest.mark.parametrize(
    "server",
    [
        *("ftp://127.0.0.1", "file:///tmp", "zenodo.org", "", "https://", "https://[::1"),
        *("https://a:99999", "https://me:secret@zenodo.org", "https://a\\@b", "https://a/?b=c"),
        *("https://a\n.example", "http://zenodo.org", "http://127.0.0.1.example", "http://0.0.0.0"),
    ],
)
def test_no_token_for_an_address_that_is_not_safe(server, archive, monkeypatch):
    monkeypatch.setenv(TOKEN, SECRET)
    with pytest.raises(RecocoError, match="https") as caught:
        deposit(archive, server, send=True)
    assert "secret" not in sentence(caught)


def test_links_are_followed_only_on_the_same_server():
    connection = Connection("https://a.example/repository", SECRET, 0)
    for link, address in {
        "api/records": "https://a.example/repository/api/records",
        "/api/x?y=1#z": "https://a.example/api/x?y=1",
        "https://A.example:443/x": "https://a.example/x",
        "HTTPS://a.example": "https://a.example/",
    }.items():
        assert connection.own(link) == address
    for link in ("http://a.example/x", "https://a.example:444/x", "https://b.example/", "//b/x"):
        with pytest.raises(RecocoError, match=r"not on https://a\.example"):
            connection.own(link)


def test_neither_netrc_nor_a_proxy_comes_between(
    send, repository, bystander, tmp_path, monkeypatch
):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, bystander.address)
    assert send("zenodo") == 0
    assert not bystander.heard


def test_what_is_shown_of_a_text():
    assert plain("a\x1b[31mb\r\n\x00c\u202e\ud800 d", SECRET) == "ab c d"
    assert plain("x" * 99, SECRET, length=10) == "x" * 10
    token = 'a+"b\\c'
    for echo in (token, json.dumps(token), "A%2B%22B%5CC", "\\u0061+\\u0022b\\\\c", 'a+\n"b\\c'):
        assert plain(f"<{echo}>", token).replace('"', "") == "<(token)>"


# ---- time ---------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_does_not_read_is_given_up(scheme):
    """Not even the handshake of an encrypted connection may take for ever."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}"
        connection = Connection(address, SECRET, 0.001, Limits(seconds=0.2, attempts=1))
        with pytest.raises(RecocoError, match="took too long") as caught:
            connection.put("x", bytes(30 << 20), 0, 30 << 20)
        sentence(caught)


def test_a_handshake_in_single_bytes_is_given_up():
    over = threading.Event()

    def trickle(listener):
        line, _ = listener.accept()
        with line:
            line.sendall(b"\x16\x03\x03\x40\x00")  # a record of 16 KiB follows
            while not over.wait(0.01):
                try:
                    line.sendall(b"\0")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=trickle, args=(listener,), daemon=True).start()
        address = f"https://127.0.0.1:{listener.getsockname()[1]}"
        connection = Connection(address, SECRET, 0.001, Limits(seconds=0.2, attempts=1))
        with pytest.raises(RecocoError, match="took too long"):
            connection.call("GET", "x")
        over.set()


def test_a_slow_request_is_repeated_only_once(send, repository):
    repository.wrong = wrong("zenodo", "create", raw=endless(b"HTTP/1.1 200 ", b"O"))
    with pytest.raises(RecocoError, match="too long"):
        send("zenodo", limits=Limits(seconds=0.2, attempts=5))
    assert repository.struck == 2


# ---- checksums ----------------------------------------------------------------------------


def downloads(repository) -> list[str]:
    contents = ("/api/files", "/content")
    return [c for c in repository.calls if c.startswith("GET") and any(p in c for p in contents)]


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("kind", [None, "crc32", "etag"])
def test_without_a_checksum_the_files_are_downloaded(kind, interface, send, repository, capsys):
    repository.checksums = kind
    assert send(interface) == 0
    assert len(downloads(repository)) == 2
    assert capsys.readouterr().out.count("downloaded to compare") == 2
    repository.calls.clear()
    assert send(interface) == 0
    assert not [call for call in repository.calls if call.startswith("PUT")]
    assert len(downloads(repository)) == 2


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("kind", ["md5", "sha256", "sha512"])
def test_known_checksums_need_no_download(kind, interface, send, repository, capsys):
    repository.checksums = kind
    assert send(interface) == 0
    assert downloads(repository) == []
    assert f"bytes, {kind} " in capsys.readouterr().out


# ---- what was noted -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        *(b"", b"{", b"\xff\xfe", b"[" * 100_000, b" " * (2 << 20), b"null", b"[1]", b'"x"', b"7"),
        *({"id": "../../users"}, {"id": None}, {"id": True}, {"id": ["1"]}, {"id": "a b"}),
        *({"parts": []}, {"parts": {"receipt.txt": 5}}, {"parts": {"receipt.txt": ["1"]}}),
        *({"part_size": 0}, {"part_size": "1"}, {"part_size": None}),
    ],
)
def test_damaged_notes_begin_a_new_draft(change, send, repository, archive, capsys):
    send("invenio")
    notes = archive.with_name(f"{archive.name}.deposit.json")
    if isinstance(change, dict):
        change = json.dumps({**json.loads(notes.read_bytes()), **change}).encode()
    notes.write_bytes(change)
    assert send("invenio") == 0
    assert len(repository.records) == 2
    assert "starting a new draft" in capsys.readouterr().out
    assert json.loads(notes.read_bytes())["id"] == "r1"


@pytest.mark.parametrize("interface", INTERFACES)
def test_nothing_is_published_twice(interface, send, repository):
    """The answer to the publication is lost, and the same command is run again."""

    def lose(_content, server):
        server.wrong = wrong(interface, "publish", raw=raw())
        return b"{"

    repository.wrong = wrong(interface, "publish", change=lose)
    with pytest.raises(RecocoError, match="not known whether the draft was published"):
        send(interface, publish=True)
    with pytest.raises(RecocoError, match=r"published already \(http"):
        send(interface, publish=True)
    repository.wrong = wrong(interface, "get", raw=lambda call: call.answer(404))
    with pytest.raises(RecocoError, match=r"published already \(http"):
        send(interface, publish=True)
    assert len(repository.records) == 1


@pytest.mark.parametrize("page", ["\x1b[2Jhttps://a\x07/b", "javascript:alert(1)", f"x{SECRET}"])
def test_the_page_of_a_draft_is_shown_only_if_it_is_one(page, send, repository, capsys):
    repository.wrong = wrong("zenodo", "create", change=put(page, "links", "html"))
    assert send("zenodo") == 0
    shown = capsys.readouterr().out.splitlines()[0]
    assert shown == f"draft: {repository.address} (number 1)"
