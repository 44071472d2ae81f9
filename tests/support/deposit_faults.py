"""Answers that a deposit server should never give, and the calls to which it gives them.

`FAULTS` is the whole list. To add a case, add a line to one of the tables here or in
`deposit_answers`.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from support.deposit_answers import BROKEN, CUT, OK, SHAPES, SLOW, endless, raw, reply
from support.deposit_server import SECRET, Calls, Repository, Wrong

_ANY = r"/api/deposit/depositions/\w+"
_DRAFT = r"/api/records/\w+/draft"
CALLS = {
    "zenodo": {
        "create": ("POST", "/api/deposit/depositions"),
        "get": ("GET", _ANY),
        "list": ("GET", f"{_ANY}/files"),
        "upload": ("PUT", "/api/files/.*"),
        "download": ("GET", "/api/files/.*"),
        "remove": ("DELETE", ".*"),
        "publish": ("POST", f"{_ANY}/actions/publish"),
    },
    "invenio": {
        "create": ("POST", "/api/records"),
        "get": ("GET", _DRAFT),
        "list": ("GET", f"{_DRAFT}/files"),
        "begin": ("POST", f"{_DRAFT}/files"),
        "upload": ("PUT", f"{_DRAFT}/files/.*/content"),
        "part": ("PUT", f"{_DRAFT}/files/.*/parts/.*"),
        "commit": ("POST", f"{_DRAFT}/files/.*/commit"),
        "download": ("GET", f"{_DRAFT}/files/.*/content"),
        "remove": ("DELETE", ".*"),
        "publish": ("POST", f"{_DRAFT}/actions/publish"),
    },
}


@dataclass(frozen=True)
class Fault:
    """One case.

    Parameters
    ----------
    says : a pattern for the message that is expected
    slow : the answer never ends, so the time limit of the test is short
    """

    name: str
    interface: str
    call: str
    says: str
    raw: Callable[[Calls], None] | None = None
    change: Callable[[object, Repository], object] | None = None
    slow: bool = False

    def __str__(self) -> str:
        return f"{self.interface}-{self.call}-{re.sub(r'[^a-z0-9]+', '-', self.name.lower())}"

    @property
    def wrong(self) -> Wrong:
        return Wrong(*CALLS[self.interface][self.call], self.raw, self.change)


# ---- answers with one wrong value ---------------------------------------------------------

MISSING = object()


class Json(bytes):
    """A value that only a text in JSON can have."""


def put(value, *keys: str | int) -> Callable[[object, Repository], object]:
    """Return a change of one value in an answer; keys lead to it, the last one in an object."""

    def change(content, server: Repository):
        where = content = json.loads(json.dumps(content))
        for key in keys[:-1]:
            where = where[key]
        if value is MISSING:
            where.pop(keys[-1], None)
        else:
            where[keys[-1]] = _filled(value, server)
        text = json.dumps(content).encode()
        return text.replace(b'"JSON"', value) if isinstance(value, Json) else text

    return change


def _filled(value, server: Repository):
    """Return a value with addresses and the type that JSON has."""
    if isinstance(value, Json):
        return "JSON"
    if isinstance(value, str):
        for name, filled in (("SELF", server.address), ("OTHER", server.other)):
            value = value.replace(name, filled).replace(f"{name[0]}HOST", filled[7:])
    if isinstance(value, list):
        return [_filled(one, server) for one in value]
    if isinstance(value, dict):
        return {key: _filled(one, server) for key, one in value.items()}
    return value


def whole(value) -> Callable[[object, Repository], object]:
    return lambda _content, server: _filled(value, server)


_NO_KEY = [MISSING, None, True, 1.5, -1, 10**30, "", ".", "../../users", "a/b", "a b?c#d"]
_NO_KEY += ["a\nb", "\u00e9", "x" * 200, ["1"], {"1": 2}, SECRET]
_NO_TEXT = [None, 5, ["x"], {}, "", False]
_NO_SIZE = [None, "10", "", -1, True, 1.5, 10**30, Json(b"1e400"), [10], {}]
_NO_CHECKSUM = [5, ["md5"], {"md5": "0"}, True]
_FOREIGN = [
    "OTHER/api/files/1",
    "//OHOST/api/files/1",
    "https://SHOST/api/files/1",  # another scheme, although host and port are the same
    "http://127.0.0.1/api/files/1",
    "http://user@SHOST/api",
    "http://SHOST@OHOST/api",
    "http://SHOST\\@OHOST/api",
    "http://OHOST#@SHOST/api",
    "http://localhost.example/api",
    "http://[::1/api",
    "http://127.0.0.1:99999/api",
    "http://127.0.0.1:http/api",
    "SELF/api\r\nX-Header: 1",
    "file:///etc/passwd",
    "ftp://127.0.0.1/api",
    "javascript:alert(1)",
    f"OTHER/{SECRET}",
]
_MD5 = "md5:" + 32 * "0"
_FILE = {"id": "1", "filename": "receipt.txt", "filesize": 10, "checksum": _MD5}
_ENTRY = {"key": "receipt.txt", "status": "completed", "size": 10, "checksum": _MD5}


def _part(number=1, url="/api/x") -> dict:
    return {"part": number, "url": url}


# interface, call, keys of the value, what the message says, values
VALUES: list[tuple[str, str, tuple, str, list]] = [
    ("zenodo", "create", ("id",), "identifier", _NO_KEY),
    ("zenodo", "create", ("links",), "an object|a text", [MISSING, [], "x", 3]),
    ("zenodo", "create", ("links", "bucket"), "a text", [MISSING, *_NO_TEXT]),
    ("zenodo", "create", ("links", "bucket"), "is not on http", _FOREIGN),
    ("zenodo", "create", ("links", "html"), "a text", [5, ["x"]]),
    ("zenodo", "get", ("id",), "asked for", [99, "other"]),
    ("zenodo", "get", ("submitted",), "published already", [True]),
    ("zenodo", "upload", ("size",), "natural number", [MISSING, *_NO_SIZE]),
    ("zenodo", "upload", ("size",), "did not arrive whole", [0, 3, 2**40]),
    ("zenodo", "upload", ("checksum",), "a text", _NO_CHECKSUM),
    ("zenodo", "upload", ("checksum",), "another checksum. and was removed", [_MD5, _MD5[4:]]),
    ("zenodo", "publish", ("submitted",), "not known.*confirmation", [MISSING, False, "yes", 1]),
    ("invenio", "create", ("id",), "identifier", _NO_KEY[::3]),
    ("invenio", "create", ("links",), "an object", ["x", [1]]),
    ("invenio", "get", ("is_published",), "published already", [True]),
    ("invenio", "list", ("entries",), "a list", [{"a": 1}, "x", 5, True]),
    ("invenio", "list", ("entries",), "an object", [[7], [None], [[]]]),
    ("invenio", "begin", ("entries",), "a list", [MISSING, None, {}, [], "x"]),
    ("invenio", "begin", ("entries", 0, "key"), "a text|with receipt", [*_NO_TEXT, "other"]),
    ("invenio", "begin", ("entries", 0, "links"), "an object", [5, [1], "x"]),
    ("invenio", "begin", ("entries", 0, "links", "content"), "a text", [5, [], ""]),
    ("invenio", "begin", ("entries", 0, "links", "content"), "is not on", _FOREIGN[::3]),
    ("invenio", "begin", ("entries", 0, "links", "commit"), "is not on", _FOREIGN[1::3]),
    ("invenio", "begin", ("entries", 0, "links", "parts"), "a list", [{"1": "/x"}, "x", 5]),
    ("invenio", "begin", ("entries", 0, "links", "parts"), "an object", [[5], [None]]),
    (
        "invenio",
        "begin",
        ("entries", 0, "links", "parts"),
        "natural number|the parts 1 to|a text|is not on",
        [
            [_part("1")],
            [_part(0)],
            [_part(-1)],
            [_part(2)],
            [_part(), _part()],
            [_part(n) for n in range(1, 500)],
            [_part(url=None)],
            [_part(url=7)],
            [_part(url="OTHER/x")],
            [{}],
        ],
    ),
    ("invenio", "commit", ("status",), "not completed", [MISSING, None, "pending", 5, ["done"]]),
    ("invenio", "commit", ("size",), "natural number", _NO_SIZE[::3]),
    ("invenio", "commit", ("size",), "did not arrive whole", [0, 3.0, 2**40]),
    ("invenio", "commit", ("checksum",), "a text", _NO_CHECKSUM),
    ("invenio", "commit", ("checksum",), "another checksum. and was removed", [_MD5]),
    ("invenio", "publish", ("is_published",), "not known.*confirmation", [MISSING, False, "yes"]),
]

# interface, call, what the message says, whole answers
WHOLE: list[tuple[str, str, str, list]] = [
    ("zenodo", "list", "a list", [{"receipt.txt": _FILE}, {}]),
    ("zenodo", "list", "an object", [[1], [None], [[_FILE]]]),
    ("zenodo", "list", "a text", [[{**_FILE, "filename": name}] for name in _NO_TEXT]),
    ("zenodo", "list", "natural", [[{**_FILE, "filesize": n}] for n in ("10", -1, None, True)]),
    ("zenodo", "list", "a text", [[{**_FILE, "checksum": one}] for one in _NO_CHECKSUM]),
    ("invenio", "list", "natural", [{"entries": [{**_ENTRY, "size": n}]} for n in ("9", -1, None)]),
    ("invenio", "list", "a text", [{"entries": [{**_ENTRY, "key": one}]} for one in _NO_TEXT]),
    ("invenio", "list", "a text", [{"entries": [{**_ENTRY, "checksum": 5}]}]),
]

# what happens if the file is asked for again, because the server reports no checksum
DOWNLOADS = [
    ("another file", None, lambda content, _: bytes(len(content)), "another checksum"),
    ("less", None, lambda content, _: content[:-1], "another checksum"),
    ("more", None, lambda content, _: content + b"!", "no checksum.*more than"),
    ("refused", reply(403, "no"), None, "no checksum.*403: no"),
    ("gone", reply(404), None, "no checksum.*404"),
    ("elsewhere", reply(302, Location="OTHER/x"), None, "no checksum.*redirects to"),
    ("packed", reply(200, b"x", Content_Encoding="gzip"), None, "no checksum.*not asked for"),
    ("cut", raw(OK, b"Content-Length: 10\r\n\r\na rec"), None, f"no checksum.*{CUT}"),
    ("slow", endless(OK + b"Content-Length: 10\r\n\r\n", b""), None, "no checksum.*too long"),
]


def _listed() -> list[Fault]:
    rounds = {
        "zenodo": ["create", "get", "list", "upload", "publish"],
        "invenio": ["create", "get", "list", "begin", "upload", "commit", "publish"],
    }
    faults = []
    for interface, calls in rounds.items():
        for i, (name, answer, says) in enumerate(BROKEN):
            faults.append(Fault(name, interface, calls[i % len(calls)], says, raw=answer))
        for i, (name, answer) in enumerate(SLOW):
            call = calls[i % len(calls)]
            faults.append(Fault(name, interface, call, "too long", raw=answer, slow=True))
        calls = [call for call in calls if (interface, call) != ("invenio", "upload")]
        for i, (name, body) in enumerate(SHAPES):
            call = "create" if calls[i % len(calls)] == "list" else calls[i % len(calls)]
            faults.append(Fault(name, interface, call, "which is not", raw=reply(200, body)))
        for name, answer, change, says in DOWNLOADS:
            slow = name == "slow"
            faults.append(Fault(name, interface, "download", says, answer, change, slow))
        faults.append(
            Fault("not allowed", interface, "remove", "could not be removed", reply(403, "no"))
        )
    for interface, call, keys, says, values in VALUES:
        for i, value in enumerate(values):
            name = f"{'.'.join(map(str, keys))} {says[:9]} {i}"
            faults.append(Fault(name, interface, call, says, change=put(value, *keys)))
    for line, (interface, call, says, values) in enumerate(WHOLE):
        for i, value in enumerate(values):
            name = f"whole {line} {says} {i}"
            faults.append(Fault(name, interface, call, says, change=whole(value)))
    for name, answer, says in BROKEN[:2] + BROKEN[-1:]:
        faults.append(Fault(name, "invenio", "part", says, raw=answer))
    return faults


def chosen() -> list[Fault]:
    """Return an even share of the cases: RECOCO_FAULTS, or all, because they are quick."""
    share = min(1.0, float(os.environ.get("RECOCO_FAULTS") or 1))
    return [f for i, f in enumerate(FAULTS) if int((i + 1) * share) > int(i * share)]


FAULTS = _listed()
