"""Download one file: from the public network only, and not more of it than expected.

An address comes from a card, and the server behind it answers what it likes. It could redirect to
a service of this machine or of the local network, which takes a request for the user's own, or
send without end. Or it answers slowly, breaks off and is busy, as servers do: a download goes on
where it stopped as long as it makes progress.
"""

import ipaddress
import os
import socket
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from recoco.core.steps import Steps
from recoco.datasets.raw_files import Unavailable

_TIMEOUT = (5, 30)  # seconds to connect, and seconds without data
_PIECE = 1 << 16
_BUSY = (429, 500, 502, 503, 504)  # answers that another attempt may improve
_ATTEMPTS = 3  # in a row that bring nothing
_PAUSE = 1.0  # seconds before another attempt
_LONGEST_PAUSE = 20.0  # seconds that a server may ask for
_SLOWEST = 4096  # bytes per second on average, after a time of grace
_GRACE = 60.0  # seconds


def get_url(url: str, to: Path, most: int) -> None:
    """Download ``url`` into the file ``to``; stop as soon as it is longer than ``most`` bytes.

    What was received stays if the server breaks off, and only the rest is asked for. A server that
    cannot be reached at all is not asked again, so a machine without a network loses only seconds.

    Raises
    ------
    Unavailable, requests.RequestException or urllib3.exceptions.HTTPError
    """
    import requests

    check_address(url)
    with requests.Session() as session, to.open("wb") as stream:
        transfer = _Transfer(url, stream, most)
        attempt = 0
        while True:
            before = stream.tell()
            pause = transfer.ask(session)
            if pause is None:
                transfer.steps.end()
                return
            attempt = 1 if stream.tell() > before else attempt + 1
            if attempt == _ATTEMPTS:
                raise Unavailable(
                    f"{transfer.host} {transfer.last} {_ATTEMPTS} times in a row after "
                    f"{stream.tell()} bytes of {transfer.name}; try again later"
                )
            time.sleep(pause)


class _Transfer:
    """A file on its way, which may take several answers."""

    def __init__(self, url: str, stream, most: int):
        parts = urlsplit(url)
        self.url, self.stream, self.most = url, stream, most
        self.host, self.name = parts.hostname, parts.path.rsplit("/", 1)[-1]
        self.last = "broke off"  # what went wrong
        self.version = ""  # the server's own name of what it sends
        self.began = time.monotonic()
        self.steps = Steps()

    def ask(self, session) -> float | None:
        """Ask for what is missing; return None at its end, or the seconds before the next try."""
        from requests import RequestException
        from urllib3.exceptions import HTTPError

        have = self.stream.tell()
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
            if self.version:
                headers["If-Range"] = self.version
        try:
            with session.get(
                self.url,
                headers=headers,
                stream=True,
                timeout=_TIMEOUT,
                hooks={"response": self._look},
            ) as answer:
                if answer.status_code in _BUSY:
                    self.last = f"answered {answer.status_code}"
                    return _pause_of(answer)
                partial = answer.status_code == 206
                if answer.status_code == 416 or (partial and not _begins_at(answer, have)):
                    self.last = "sent another part than asked for"
                    self._begin_again()
                    return _PAUSE
                answer.raise_for_status()
                if not partial:
                    self._begin_again()
                self._receive(answer)
                return None
        except (RequestException, HTTPError) as error:
            broke_off = getattr(error, "response", None) is None and self.stream.tell() > 0
            if not broke_off:
                raise
            self.last = "broke off"
            return _PAUSE

    def _receive(self, answer) -> None:
        self.version = "" if _is_packed(answer) else answer.headers.get("etag", "")
        if self.version.startswith("W/"):
            self.version = ""  # says that the content is much the same, not that the bytes are
        # read1 returns what has arrived; read would wait, however slow the server is
        while piece := answer.raw.read1(_PIECE, decode_content=True):
            if self.stream.tell() + len(piece) > self.most:
                raise self._too_long()
            self.stream.write(piece)
            self._watch()

    def _watch(self) -> None:
        got, seconds = self.stream.tell(), time.monotonic() - self.began
        if seconds > _GRACE + got / _SLOWEST:
            raise Unavailable(
                f"{self.host} sent only {got} bytes of {self.name} in {seconds:.0f} seconds; "
                "try again later"
            )
        self.steps(f"downloading {self.name}: {got / 1e6:.0f} MB")

    def _begin_again(self) -> None:
        self.stream.seek(0)
        self.stream.truncate()

    def _look(self, response, *_, **__) -> None:
        """Check what a server announces before its answer is read or its redirect followed."""
        if response.is_redirect:
            check_address(response.headers["location"], response.url)
        elif response.status_code == 200 and not _is_packed(response):
            length = response.headers.get("content-length", "")
            if length.isdecimal() and int(length) > self.most:
                raise self._too_long()

    def _too_long(self) -> Unavailable:
        return Unavailable(
            f"{self.host} sends more than the {self.most} bytes that the card expects; "
            "the file was not kept"
        )


def _begins_at(answer, start: int) -> bool:
    """Return whether a part of a file is the one from ``start`` on, as it is."""
    given = answer.headers.get("content-range", "")
    return given.startswith(f"bytes {start}-") and not _is_packed(answer)


def _is_packed(answer) -> bool:
    return answer.headers.get("content-encoding", "identity") != "identity"


def _pause_of(answer) -> float:
    """Return the seconds that a busy server asks for, within reason."""
    asked = answer.headers.get("retry-after", "")
    return min(float(asked), _LONGEST_PAUSE) if asked.isdecimal() else _PAUSE


def check_address(url: str, base: str = "") -> None:
    """Refuse an address that is not http(s), has a password, or leads to a private network.

    ``base`` is the address that redirected to it.
    """
    try:
        url = urljoin(base, url)
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:  # brackets that hold no address
        raise Unavailable("an address cannot be understood: correct it") from None
    if parts.scheme not in ("http", "https") or not host:
        raise Unavailable(f"an address begins with {parts.scheme[:20]!r} instead of http or https")
    if parts.username is not None or parts.password is not None:
        raise Unavailable(f"the address at {host} has a user name or a password: remove it")
    if host in os.environ.get("RECOCO_HOSTS", "").split():
        return
    if host.rstrip(".").endswith("localhost") or any(map(_is_private, _addresses(url, host))):
        raise Unavailable(
            f"{host} is this machine or in a private network, so the card may not ask it: "
            "if you trust the card, list the host in RECOCO_HOSTS"
        )


def _addresses(url: str, host: str) -> list[str]:
    """Return the addresses of a host; those of a name only if no proxy looks it up."""
    from requests.utils import get_environ_proxies

    proxied = bool(get_environ_proxies(url))
    flags = socket.AI_NUMERICHOST if proxied else 0
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):
        if proxied:
            return []
        raise Unavailable(f"{host} gave no answer (its name is not known here)") from None
    return [str(address[4][0]) for address in found]


def _is_private(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return any(address.version == net.version and address in net for net in _PRIVATE)


# Not `is_private`, which includes ranges that some proxies use for public names.
_PRIVATE = [
    ipaddress.ip_network(net)
    for net in (
        *("0.0.0.0/8", "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
        *("169.254.0.0/16", "::/128", "::1/128", "fe80::/10", "fc00::/7"),
    )
]
