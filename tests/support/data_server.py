"""A web server of data files that answers as badly as it is asked to."""

import contextlib
import gzip
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

ENDLESS = 64 << 20  # bytes, far more than may be read
_OLD, _NEW = '"old"', '"new"'


class Server(BaseHTTPRequestHandler):
    """Serves ``files``, or answers as its path or the next entry of ``behaviour`` says.

    Behaviour is a status, "moved STATUS PATH", "cut N" or "stall N" (after N bytes), "slow",
    "silent", "other" (bytes), "shifted" (the wrong part), "whole" (ignores ranges), "old" (has
    another version than later), or several of them.
    """

    files: dict[str, bytes]
    behaviour: list[str]
    asked: list[str]
    ranges: list[str | None]
    sent = 0

    def do_GET(self):
        Server.asked.append(self.path)
        Server.ranges.append(self.headers.get("Range"))
        special = getattr(self, f"_{self.path.strip('/').split('/')[0]}", None)
        if special:
            special()
        else:
            words = Server.behaviour.pop(0).split() if Server.behaviour else []
            self._serve(words)

    def _serve(self, words):
        if words and words[0] == "moved":
            self._answer(int(words[1]), {"Location": words[2]}, b"")
        elif words and words[0].isdecimal():
            headers = {"Retry-After": words[2]} if "retry-after" in words else {}
            self._answer(int(words[0]), headers | {"Content-Length": "0"}, b"")
        elif "silent" in words:
            time.sleep(1)
        elif (content := Server.files.get(unquote(self.path.strip("/")))) is None:
            self._answer(404, {"Content-Length": "0"}, b"")
        else:
            self._send(content, words)

    def _send(self, content, words):
        version = _OLD if "old" in words else _NEW
        status, headers, start = 200, {"ETag": version, "Content-Length": str(len(content))}, 0
        if "other" in words:
            content = content[::-1]
        asked = self.headers.get("Range")
        same = self.headers.get("If-Range", version) == version
        if asked and same and "whole" not in words:
            start = int(asked.removeprefix("bytes=").rstrip("-")) - ("shifted" in words)
            status, total = 206, len(content)
            headers["Content-Range"] = f"bytes {start}-{total - 1}/{total}"
            headers["Content-Length"] = str(total - start)
        body = content[start:]
        for word in ("cut", "stall"):
            if word in words:
                body = body[: int(words[words.index(word) + 1])]
        if "slow" not in words:
            self._answer(status, headers, body)
        else:
            self._answer(status, headers, b"")
            for i in range(len(body)):
                time.sleep(0.005)
                self._write(body[i : i + 1])
        if "stall" in words:
            time.sleep(1)

    def _announced(self):
        self._answer(200, {"Content-Length": str(ENDLESS)}, bytes(1000))

    def _endless(self):
        self._answer(200, {}, b"")
        while Server.sent < ENDLESS:
            self._write(bytes(1 << 16))

    def _packed(self):
        self._answer(200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(ENDLESS)))

    def _secret(self):
        self._answer(200, {}, b"secret")

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


@contextlib.contextmanager
def serving(monkeypatch):
    """Run the server, allow cards to ask it, and provide its address."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RECOCO_HOSTS", "127.0.0.1")
    Server.files, Server.behaviour, Server.asked, Server.ranges = {}, [], [], []
    Server.sent = 0
    opened = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=opened.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{opened.server_port}"
    finally:
        opened.shutdown()
        opened.server_close()
