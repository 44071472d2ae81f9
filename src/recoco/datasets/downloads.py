"""Download one file: from the public network only, and not more of it than expected.

An address comes from a card, and the server behind it answers what it likes. It could redirect to
a service of this machine or of the local network, which takes a request for the user's own, or
send without end.
"""

import ipaddress
import os
import socket
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from recoco.datasets.raw_files import Unavailable

_TIMEOUT = (5, 30)  # seconds to connect, and seconds without data


def get_url(url: str, to: Path, most: int) -> None:
    """Download ``url`` into the file ``to``; stop as soon as it is longer than ``most`` bytes."""
    import pooch

    check_address(url)
    too_long = Unavailable(
        f"{urlsplit(url).hostname} sends more than the {most} bytes that the card expects; "
        "the file was not kept"
    )

    def look(response, *_, **__) -> None:
        """Check what a server announces before its answer is read or its redirect followed."""
        if response.is_redirect:
            check_address(response.headers["location"], response.url)
        elif response.headers.get("content-encoding", "identity") == "identity":
            length = response.headers.get("content-length", "")
            if response.ok and length.isdecimal() and int(length) > most:
                raise too_long

    with to.open("wb") as stream:
        # no retries and short timeouts, so an unreachable network costs only seconds
        download = pooch.HTTPDownloader(
            progressbar=False, timeout=_TIMEOUT, hooks={"response": look}
        )
        download(url, _Limited(stream, most, too_long), None)


class _Limited:
    """A file that accepts only so many bytes."""

    def __init__(self, stream, most: int, too_long: Unavailable):
        self.stream, self.left, self.too_long = stream, most, too_long

    def write(self, piece: bytes) -> None:
        self.left -= len(piece)
        if self.left < 0:
            raise self.too_long
        self.stream.write(piece)

    def flush(self) -> None:
        self.stream.flush()


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
