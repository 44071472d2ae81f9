"""Answers that are wrong whatever was asked, byte by byte."""

import gzip
import json
import random
import time
from collections.abc import Callable
from urllib.parse import quote

from support.deposit_server import SECRET, Calls

LIMIT = 1 << 16  # bytes that the tests allow in an answer


def raw(*pieces: bytes) -> Callable[[Calls], None]:
    def answer(call: Calls) -> None:
        for piece in pieces:
            call.wfile.write(piece)

    return answer


def reply(status: int, body: bytes | str = b"", **headers: str) -> Callable[[Calls], None]:
    """Return a well-formed answer; ``SELF`` and ``OTHER`` in headers stand for addresses."""
    body = body.encode() if isinstance(body, str) else body

    def answer(call: Calls) -> None:
        lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(body)}"]
        for name, value in headers.items():
            value = value.replace("SELF", call.server.address + call.path)
            lines.append(f"{name.replace('_', '-')}: {value.replace('OTHER', call.server.other)}")
        call.wfile.write("\r\n".join([*lines, "", ""]).encode() + body)

    return answer


def endless(start: bytes, piece: bytes, pause: float = 0.01) -> Callable[[Calls], None]:
    """Return an answer that goes on until the other side hangs up."""

    def answer(call: Calls) -> None:
        call.wfile.write(start)
        while not call.server.over.is_set():
            call.wfile.write(piece)
            time.sleep(pause)

    return answer


def _silence(call: Calls) -> None:
    call.server.over.wait(5)


def _numbers(count: int) -> bytes:
    drawn = random.Random(1)
    return json.dumps([drawn.random() for _ in range(count)]).encode()


OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
_HTML = "<html><body>Please log in</body></html>"
_SPLIT = "\x1b[1m".join(SECRET[:8]) + "\x00\u200b\n" + SECRET[8:]
CUT = "cut off or malformed"

# name, answer, what the message says; wrong for every call
BROKEN = [
    ("HTML", reply(200, _HTML, Content_Type="text/html"), "in JSON .<html>"),
    ("JSON cut short", reply(200, '{"id": 1'), "in JSON"),
    ("less than promised", raw(OK, b'Content-Length: 999\r\n\r\n{"id": 1}'), CUT),
    ("not UTF-8", reply(200, b'{"id": "\xff\xfe"}'), "in JSON"),
    ("UTF-16", reply(200, '{"id": 1}'.encode("utf-16")), "in JSON"),
    ("byte order mark", reply(200, '{"id": 1}'.encode("utf-8-sig")), "in JSON"),
    ("nested too deeply", reply(200, b"[" * 50000), "in JSON"),
    ("not a number", reply(200, '{"id": NaN}'), "in JSON"),
    ("number without end", reply(200, '{"id": ' + "1" * 9000 + "}"), "in JSON"),
    ("two values", reply(200, '{"id": 1} {"id": 2}'), "in JSON"),
    ("null bytes", reply(200, b"\0" * 100), "in JSON"),
    (
        "terminal codes",
        reply(200, "\x1b]0;owned\x07\x1b[2J\x1b[31m{oops\x07\x9b1m"),
        "in JSON .{oops",
    ),
    ("bomb", reply(200, gzip.compress(b"0" * 9_000_000), Content_Encoding="gzip"), "more than"),
    ("bomb in a bomb", reply(200, b"x", Content_Encoding="gzip, gzip"), "compression"),
    ("broken gzip", reply(200, '{"id": 1}', Content_Encoding="gzip"), "compression"),
    (
        "gzip cut short",
        reply(200, gzip.compress(_numbers(2000))[:9000], Content_Encoding="gzip"),
        "in JSON",
    ),
    ("unknown compression", reply(200, '{"id": 1}', Content_Encoding="br"), "compression"),
    ("token as compression", reply(200, "{}", Content_Encoding=SECRET), r"compression.*\(token\)"),
    ("too large", reply(200, b" " * (LIMIT + 1)), "more than"),
    ("too large in chunks", endless(_CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n", 0), "more than"),
    ("too large without length", endless(OK + b"\r\n", b" " * 4096, 0), "more than"),
    ("bad chunk", raw(_CHUNKED, b"zz\r\n{}\r\n"), CUT),
    ("chunk cut short", raw(_CHUNKED, b"50\r\n{}"), CUT),
    ("size of chunk without end", raw(_CHUNKED, b"1" * 99999), CUT),
    ("negative chunk", raw(_CHUNKED, b"-5\r\n{}\r\n0\r\n\r\n"), CUT),
    ("nothing", raw(), CUT),
    ("no HTTP", raw(b"220 mail.example ESMTP\r\n"), CUT),
    ("noise", raw(random.Random(2).randbytes(500)), CUT),
    ("status is a word", raw(b"HTTP/1.1 yes OK\r\n\r\n{}"), CUT),
    ("status 99", raw(b"HTTP/1.1 99 Low\r\n\r\n{}"), CUT),
    ("status 999", reply(999), "999: without a reason"),
    ("status line without end", raw(b"HTTP/1.1 200 " + b"O" * 99999), CUT),
    ("many headers", raw(OK, b"A: b\r\n" * 200, b"\r\n{}"), CUT),
    ("long header", raw(OK, b"A: " + b"b" * 99999 + b"\r\n\r\n{}"), CUT),
    ("two lengths", raw(OK, b"Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}"), CUT),
    ("negative length", raw(OK, b"Content-Length: -2\r\n\r\n{"), "in JSON"),
    ("length is a word", raw(OK, b"Content-Length: many\r\n\r\n{"), "in JSON"),
    ("odd cookies", reply(200, "{", Set_Cookie="=;;=\x01; expires=never; path"), "in JSON"),
    ("redirect to itself", reply(302, Location="SELF"), "redirects to 'http://127"),
    ("redirect elsewhere", reply(307, Location="OTHER/api"), "redirects to 'http://127"),
    ("redirect for good", reply(308, Location="//OTHER/api"), "redirects to"),
    ("redirect to a file", reply(301, Location="file:///etc/passwd"), "redirects to 'file"),
    ("redirect to nonsense", reply(303, Location="http://[::1"), "redirects to"),
    ("redirect with token", reply(302, Location=f"OTHER?t={SECRET}"), r"redirects to.*\(token\)"),
    ("redirect without address", reply(302, "{}"), "status 302"),
    (
        "redirect without end",
        endless(b"HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", b" " * 4096, 0),
        "redirects to '/x'",
    ),
    ("not modified", raw(b"HTTP/1.1 304 Not Modified\r\n\r\n"), "status 304"),
    ("other protocol", raw(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), "status 101"),
    ("wrong token", reply(401, '{"message": "no"}'), "401.*check the token"),
    ("echo", reply(403, f"Bearer {SECRET} has no rights"), r"Bearer \(token\) has no rights"),
    ("echo in capitals", reply(400, SECRET.upper()), r"\(token\)"),
    ("quoted echo", reply(400, quote(SECRET).replace("-", "%2D")), r"400: \(token\)"),
    ("echo broken up", reply(400, _SPLIT), r"400: \(token\)"),
    ("error in colour", reply(400, "\x1b[31mred\x1b[0m\r\n\x07bell\u202edne"), "400: red bell dne"),
    ("error as traceback", reply(400, "Traceback:\n  File x\nKeyError\n"), "Traceback: File x Key"),
    ("error not UTF-8", reply(400, b"\xff\xfe\xfd"), "400: "),
    ("error too large", reply(400, b"x" * (LIMIT + 1)), "more than"),
    ("busy for ever", reply(429, Retry_After="999999999"), "status 429"),
    ("down for ever", reply(503, _HTML), "status 503"),
]

# the same, for answers that never end
SLOW = [
    ("silence", _silence),
    ("slow status", endless(b"HTTP/1.1 200 ", b"O")),
    ("slow headers", endless(OK, b"A: b\r\n", 0.02)),
    ("slow body", endless(OK + b"Content-Length: 5000\r\n\r\n", b" ")),
    ("slow body without length", endless(OK + b"\r\n{}", b" ")),
    ("slow chunks", endless(_CHUNKED, b"1\r\n \r\n")),
    ("slow size of chunk", endless(_CHUNKED, b"0")),
    ("trailers without end", endless(_CHUNKED + b"2\r\n{}\r\n0\r\n", b"A: b\r\n")),
    ("continue for ever", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n")),
    ("slow error", endless(b"HTTP/1.1 400 Bad\r\n\r\n", b"x")),
]

# whole answers of the wrong type; an upload to InvenioRDM need not say anything
SHAPES = [
    ("nothing at all", b""),
    ("null", b"null"),
    ("true", b"true"),
    ("a number", b"17"),
    ("a text", b'"ok"'),
    ("the token", json.dumps(SECRET).encode()),
    ("a list of lists", b"[[1], [2]]"),
    ("an object of nothing", b"{}"),
]
