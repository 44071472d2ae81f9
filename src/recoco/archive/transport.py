"""Requests to one deposit server: the token goes nowhere else, and no answer takes for ever."""

import hashlib
import ipaddress
import os
import re
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.parse import SplitResult, urljoin, urlsplit

import requests
from requests.utils import get_environ_proxies
from urllib3.exceptions import HTTPError
from urllib3.exceptions import TimeoutError as SlowAnswer

from recoco import __version__
from recoco.archive.answers import Answer, parse, plain
from recoco.archive.watch import PIECE, Adapter, Slice, Watch
from recoco.core.errors import RecocoError

_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_GONE = {404, 410}
_PORTS = {"http": 80, "https": 443}
# What the libraries raise if a line breaks or an answer is malformed.
_BROKEN = (OSError, ValueError, HTTPException, HTTPError)
_SLOW = "it took too long"


class Refused(RecocoError):
    """The server rejected a request."""


class _Again(Exception):
    """A request failed in a way that may pass."""


@dataclass(frozen=True)
class Limits:
    """How much an answer may take; tests use less.

    Parameters
    ----------
    seconds : for a whole answer, and for every MiB of a file on its way
    connect : seconds for a connection
    answer : bytes of an answer in JSON, unpacked
    attempts : for every request; one that was too slow is repeated only once
    """

    seconds: float = 300
    connect: float = 30
    answer: int = 4 << 20
    attempts: int = 5


def checked_token(token: str | None, variable: str) -> str:
    """Return a token that can be sent; messages never contain it."""
    if not token:
        raise RecocoError(f"No token: set {variable} to one that may write deposits.")
    if len(token) > 1000 or not re.fullmatch(r"[!-~]+", token):
        raise RecocoError(
            f"The token in {variable} contains spaces, line breaks or other characters that no "
            "token has, or is too long: copy it again."
        )
    return token


def checked_server(server: str) -> str:
    """Return the address of a server to which a token may be sent."""
    try:
        parts = urlsplit(server)
        scheme, host, _ = _origin(parts)
        sound = _is_link(server) and not (parts.query or parts.fragment)
    except ValueError:
        sound, scheme, host = False, "", ""
    if not sound or scheme not in _PORTS:
        raise RecocoError(  # without the address, because it may contain a password
            "--server is not the address of a server: write it as https://HOST, "
            "without a user name, a query or a fragment."
        )
    if scheme != "https" and not _is_loopback(host):
        raise RecocoError(
            f"{server} is not https: the token is not sent unencrypted; pass an https address."
        )
    return server.rstrip("/")


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    if not parts.hostname or parts.username is not None or parts.password is not None:
        raise ValueError("no host, or a user name")
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme, 0)


def _is_link(link: str) -> bool:
    # Libraries disagree about what a backslash or an invisible character in a URL means.
    return link.isprintable() and "\\" not in link


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Connection:
    """Requests to one server, repeated if they fail; no other server gets any of them."""

    def __init__(self, server: str, token: str, patience: float, limits: Limits | None = None):
        self.server, self.token, self.patience = checked_server(server), token, patience
        self.limits = limits or Limits()
        parts = urlsplit(self.server)
        self.origin, self.host = _origin(parts), parts.netloc
        self._root = f"{parts.scheme}://{parts.netloc}"

    def show(self, text: str, length: int = 200) -> str:
        """Return a text of the server as it may be printed."""
        return plain(text, self.token, length)

    def own(self, link: str) -> str:
        """Return the full address of a path or link if it is on this server.

        It is put together from the server's own address, so that the token stays there however
        the libraries read the link.
        """
        try:
            parts = urlsplit(urljoin(f"{self.server}/", link))
            same = _is_link(link) and _origin(parts) == self.origin
        except ValueError:
            same = False
        if not same:
            raise RecocoError(
                f"{self.host} refers to {self.show(link, 100)!r}, which is not on {self._root}: "
                "nothing was sent there; check --server, or upload the files on its web page."
            )
        query = f"?{parts.query}" if parts.query else ""
        return f"{self._root}{parts.path or '/'}{query}"

    # ---- requests -------------------------------------------------------------------------

    def call(self, method: str, link: str, *, json=None, body=None, once: bool = False) -> Answer:
        """Return the answer to a request; ``once`` if it must not be repeated."""
        address = self.own(link)
        status, content = self._send(method, address, self._content, json, body, once)
        if status >= 400:
            raise self._refused(method, address, status, content)
        return parse(content, self._place(method, address), self.show)

    def look(self, link: str) -> Answer | None:
        """Return what is at an address, or None if there is nothing."""
        address = self.own(link)
        status, content = self._send("GET", address, self._content)
        if status in _GONE:
            return None
        if status >= 400:
            raise self._refused("GET", address, status, content)
        return parse(content, self._place("GET", address), self.show)

    def remove(self, link: str) -> None:
        """Delete something, unless it is gone."""
        address = self.own(link)
        status, content = self._send("DELETE", address, self._content)
        if status >= 400 and status not in _GONE:
            raise self._refused("DELETE", address, status, content)

    def put(self, link: str, content: bytes | Path, start: int, size: int) -> Answer:
        """Send bytes of a file."""

        def body(watch: Watch) -> Slice:
            return Slice(content, start, size, watch)

        return self.call("PUT", link, body=body)

    def sha256(self, link: str, size: int) -> str:
        """Download a file and return its checksum, reading no more than ``size`` bytes."""
        address = self.own(link)
        place = self._place("GET", address)

        def read(response: requests.Response, watch: Watch) -> str:
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise RecocoError(f"{place} answered in an encoding that was not asked for.")
            digest, left = hashlib.sha256(), size
            while piece := _piece(response, min(PIECE, left + 1)):
                watch.again()
                left -= len(piece)
                if left < 0:
                    raise RecocoError(f"{place} answered more than {size} bytes.")
                digest.update(piece)
            return digest.hexdigest()

        status, result = self._send("GET", address, read)
        if status >= 400:
            raise self._refused("GET", address, status, result)
        return result

    def _place(self, method: str, address: str) -> str:
        return f"{self.host} ({method} {self.show(urlsplit(address).path, 100)})"

    def _refused(self, method: str, address: str, status: int, content: bytes) -> Refused:
        said = self.show(content.decode("utf-8", "replace")) or "without a reason"
        what = "the token and its rights" if status in (401, 403) else "--server and --interface"
        return Refused(
            f"{self._place(method, address)} refused the request ({status}: {said}): check {what}."
        )

    def _send(self, method: str, address: str, read: Callable, json=None, body=None, once=False):
        """Return status and content of an answer, after several attempts if need be."""
        problem, slow = "", 0
        for attempt in range(1 if once else self.limits.attempts):
            if attempt:
                print(f"{self.host}: {problem}; trying again")
                time.sleep(self.patience * 2 ** (attempt - 1))
            try:
                return self._exchange(method, address, read, json, body)
            except _Again as error:
                problem = str(error)
            slow += problem == _SLOW
            if slow > 1:
                break
        raise RecocoError(
            f"{self._place(method, address)} gave no usable answer ({problem}): "
            "run the same command again later to resume."
        )

    def _exchange(self, method: str, address: str, read: Callable, json, body):
        """Make one request and read its answer within the limits."""
        headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "Authorization": f"Bearer {self.token}",
            "User-Agent": f"recoco/{__version__}",
        }
        if body:
            headers["Content-Type"] = "application/octet-stream"
        # Not a session: it would add what .netrc says, and read a redirect to its end even if it
        # does not follow it.
        with Watch(self.limits.seconds) as watch, Adapter(watch) as adapter:
            try:
                data = body(watch) if body else None
                request = requests.Request(method, address, headers, data=data, json=json)
                response = adapter.send(
                    request.prepare(),
                    stream=True,
                    timeout=(self.limits.connect, self.limits.seconds),
                    **self._environment(address),
                )
                with response:
                    status = response.status_code
                    self._check_status(method, address, response)
                    result = (self._content if status >= 400 else read)(response, watch)
            except RecocoError:
                raise
            except _BROKEN as error:
                raise _Again(_SLOW if watch.late else _reason(error)) from None
            if watch.late:  # the cut may look like the end of the answer
                raise _Again(_SLOW)
        return status, result

    def _environment(self, address: str) -> dict:
        """Return proxy and certificates; a proxy never sees a request that is not encrypted."""
        if self.origin[0] != "https":
            return {"proxies": {}}
        bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
        return {"proxies": get_environ_proxies(address), "verify": bundle or True}

    def _check_status(self, method: str, address: str, response: requests.Response) -> None:
        status = response.status_code
        if status in _AGAIN:
            raise _Again(f"status {status}")
        if 300 <= status < 400 and response.headers.get("Location"):
            raise RecocoError(
                f"{self._place(method, address)} redirects to "
                f"{self.show(response.headers['Location'], 100)!r}, where the token is not sent: "
                "if you trust that server, pass it as --server."
            )
        if status < 200 or 300 <= status < 400:
            raise RecocoError(
                f"{self._place(method, address)} answered with status {status}, which is neither "
                "yes nor no: check --server and --interface."
            )

    def _content(self, response: requests.Response, _watch: Watch) -> bytes:
        """Return the body of an answer, unpacked, if it is not too large."""
        place = self._place(response.request.method or "", response.request.url or "")
        limit, content = self.limits.answer, b""
        while len(content) <= limit and (piece := _piece(response, 1 << 16)):
            content += piece
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if content and encoding not in ("", "identity"):
            try:
                if encoding not in ("gzip", "x-gzip", "deflate"):
                    raise zlib.error
                content = zlib.decompressobj(wbits=47).decompress(content, limit + 1)
            except zlib.error:
                raise RecocoError(
                    f"{place} answered in a compression that cannot be read "
                    f"({self.show(encoding, 40)}): check --server."
                ) from None
        if len(content) > limit:
            raise RecocoError(f"{place} answered more than {limit} bytes: check --server.")
        return content


def _piece(response: requests.Response, size: int) -> bytes:
    """Read some bytes as they were sent, because unpacking them could fill the memory."""
    return response.raw.read(size, decode_content=False)


def _reason(error: Exception) -> str:
    if isinstance(error, requests.exceptions.SSLError):
        return "no secure connection"
    if isinstance(error, requests.Timeout | SlowAnswer | TimeoutError):
        return _SLOW
    return "the connection failed, or the answer was cut off or malformed"
