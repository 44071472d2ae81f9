"""Downloads stop at the size of the card, and stay in the public network."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

from recoco.datasets.downloads import check_address, get_url
from recoco.datasets.packages import _OWN_FILES, PackageError, download
from recoco.datasets.raw_files import Unavailable
from support.datasets_fixture import MATRIX, card, files, make_home

ENDLESS = 64 << 20  # bytes, far more than may be read


class Server(BaseHTTPRequestHandler):
    """Answers as its path asks, and records what it was asked for and how much it sent."""

    asked: list[str]
    sent = 0

    def do_GET(self):
        Server.asked.append(self.path)
        getattr(self, f"_{self.path.strip('/').split('/')[0]}")()

    def _good(self):
        self._answer(200, {"Content-Length": str(len(MATRIX))}, MATRIX)

    def _announced(self):
        self._answer(200, {"Content-Length": str(ENDLESS)}, bytes(1000))

    def _endless(self):
        self._answer(200, {}, b"")
        while Server.sent < ENDLESS:
            self._write(bytes(1 << 16))

    def _packed(self):
        self._answer(200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(ENDLESS)))

    def _secret(self):
        self._answer(200, {}, MATRIX)

    def _redirect(self):
        self._answer(302, {"Location": unquote(self.path.removeprefix("/redirect/"))}, b"")

    def _answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self._write(body)

    def _write(self, body):
        try:
            self.wfile.write(body)
            Server.sent += len(body)
        except OSError:
            Server.sent = ENDLESS  # the client has gone

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RECOCO_HOSTS", "127.0.0.1")
    Server.asked, Server.sent = [], 0
    opened = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=opened.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{opened.server_port}"
    opened.shutdown()
    opened.server_close()


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
