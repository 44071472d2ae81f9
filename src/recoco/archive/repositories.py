"""Clients of Zenodo's deposit interface and of InvenioRDM's records."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from recoco.core.errors import RecocoError

_ATTEMPTS = 5
_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_LOCAL = {"localhost", "127.0.0.1", "::1"}


class Refused(RecocoError):
    """The server rejected a request."""


class Connection:
    """Requests to one server, retried if they fail; the token is sent to no other server."""

    def __init__(self, server: str, token: str, patience: float):
        parts = urlsplit(server)
        if parts.scheme != "https" and parts.hostname not in _LOCAL:
            raise RecocoError(f"{server} is not https: the token is not sent unencrypted.")
        self.server, self.token, self.patience = server.rstrip("/"), token, patience

    def call(self, method: str, address: str, missing_is_none: bool = False, **options):
        """Return the answer as an object; with ``missing_is_none``, None for status 404."""
        response = self._send(method, address, **options)
        if response.status_code == 404 and missing_is_none:
            return None
        if response.status_code >= 400:
            raise Refused(
                f"{method} {urlsplit(address).path} was refused ({response.status_code}: "
                f"{response.text[:200].strip()}): check the token and its rights."
            )
        return response.json() if response.content else {}

    def _send(self, method: str, address: str, body=None, **options):
        import requests

        address = urljoin(f"{self.server}/", address)
        headers = options.pop("headers", {})
        if urlsplit(address).netloc == urlsplit(self.server).netloc:
            headers = {**headers, "Authorization": f"Bearer {self.token}"}
        problem = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(self.patience * 2 ** (attempt - 1))
            try:
                data = body() if body else None  # a retry needs a new stream
                response = requests.request(
                    method, address, data=data, headers=headers, timeout=(30, 600), **options
                )
            except (requests.ConnectionError, requests.Timeout) as error:
                problem = type(error).__name__
                continue
            if response.status_code not in _AGAIN:
                return response
            problem = f"status {response.status_code}"
        raise RecocoError(
            f"{urlsplit(address).hostname} did not answer {_ATTEMPTS} times ({problem}): "
            "run the same command again later to resume."
        )

    def put(self, address: str, content: bytes | Path, start: int, size: int) -> dict:
        """Send bytes of a file."""

        def body():
            return _Slice(content, start, size)

        headers = {"Content-Type": "application/octet-stream"}
        return self.call("PUT", address, body=body, headers=headers)


class _Slice:
    """Part of a file as a stream of known length; the file is never in memory as a whole."""

    def __init__(self, content: bytes | Path, start: int, size: int):
        self.content, self.start, self.size = content, start, size

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        if isinstance(self.content, bytes):
            yield self.content[self.start : self.start + self.size]
            return
        left = self.size
        with self.content.open("rb") as stream:
            stream.seek(self.start)
            while left and (piece := stream.read(min(left, 1 << 20))):
                left -= len(piece)
                yield piece


@dataclass(frozen=True)
class Stored:
    """A file on the server; md5 is None if the server reports no such checksum."""

    size: int
    md5: str | None
    complete: bool = True


class Draft:
    """A deposit that is not public yet."""

    def __init__(self, connection: Connection, part_size: int):
        self.connection, self.part_size = connection, part_size
        self.record: dict = {}

    def open(self, state, about: dict) -> "Draft":
        """Continue the draft of an earlier call, or create one."""
        known = state.get("id")
        self.record = self._get(known) if known else None
        if self.record is None:
            self.record = self._create(self.metadata(about))
            state.note("parts", {})
            state.note("part_size", self.part_size)
            state.note("id", self.record["id"])
        self.part_size = state.get("part_size", self.part_size)
        return self

    @property
    def page(self) -> str:
        links = self.record.get("links", {})
        return links.get("html") or links.get("self_html") or str(self.record["id"])


class ZenodoDraft(Draft):
    """A draft through deposit/depositions; files go into its bucket."""

    _BASE = "api/deposit/depositions"

    @staticmethod
    def calls(name: str, publish: bool) -> list[str]:
        return [
            "POST /api/deposit/depositions",
            "PUT (bucket)/receipt.txt",
            f"PUT (bucket)/{name}",
            *(["POST /api/deposit/depositions/(id)/actions/publish"] if publish else []),
        ]

    @staticmethod
    def metadata(about: dict) -> dict:
        return {
            "metadata": {
                "upload_type": "dataset",
                "title": about["title"],
                "description": about["description"],
                "creators": [{"name": creator["name"]} for creator in about["creators"]],
                "publication_date": about["date"],
                "version": about["version"],
                "license": about["licence"],
                "access_right": "open",
                "related_identifiers": [
                    {"identifier": doi, "relation": "references"} for doi in about["papers"]
                ],
            }
        }

    def _get(self, key):
        record = self.connection.call("GET", f"{self._BASE}/{key}", missing_is_none=True)
        return None if record is None or record.get("submitted") else record

    def _create(self, metadata: dict) -> dict:
        return self.connection.call("POST", self._BASE, json=metadata)

    def _files(self) -> dict[str, dict]:
        listed = self.connection.call("GET", f"{self._BASE}/{self.record['id']}/files")
        return {entry["filename"]: entry for entry in listed}

    def file(self, name: str) -> Stored | None:
        entry = self._files().get(name)
        return entry and Stored(int(entry["filesize"]), _md5(entry.get("checksum")))

    def upload(self, name: str, content: bytes | Path, size: int, state) -> Stored:
        address = f"{self.record['links']['bucket']}/{quote(name)}"
        entry = self.connection.put(address, content, 0, size)
        return Stored(int(entry["size"]), _md5(entry.get("checksum")))

    def remove(self, name: str) -> None:
        entry = self._files().get(name)
        if entry:
            address = f"{self._BASE}/{self.record['id']}/files/{entry['id']}"
            self.connection.call("DELETE", address)

    def publish(self) -> str:
        done = self.connection.call("POST", f"{self._BASE}/{self.record['id']}/actions/publish")
        return done.get("doi_url") or done.get("doi") or self.page


class InvenioDraft(Draft):
    """A draft through records; files are created, sent (large ones in parts) and committed."""

    _BASE = "api/records"

    @staticmethod
    def calls(name: str, publish: bool) -> list[str]:
        files = "/api/records/(id)/draft/files"
        return [
            "POST /api/records",
            *(
                f"{verb} {files}{path}"
                for sent in ("receipt.txt", name)
                for verb, path in (
                    ("POST", f" [{sent}]"),
                    ("PUT", f"/{sent}/content, or its parts"),
                    ("POST", f"/{sent}/commit"),
                )
            ),
            *(["POST /api/records/(id)/draft/actions/publish"] if publish else []),
        ]

    @staticmethod
    def metadata(about: dict) -> dict:
        return {
            "access": {"record": "public", "files": "public"},
            "files": {"enabled": True},
            "metadata": {
                "resource_type": {"id": "dataset"},
                "title": about["title"],
                "description": about["description"],
                "publication_date": about["date"],
                "version": about["version"],
                "creators": [{"person_or_org": _person(c)} for c in about["creators"]],
                "rights": [{"id": about["licence"]}],
                "related_identifiers": [
                    {"identifier": doi, "scheme": "doi", "relation_type": {"id": "references"}}
                    for doi in about["papers"]
                ],
            },
        }

    @property
    def _draft(self) -> str:
        return f"{self._BASE}/{self.record['id']}/draft"

    def _get(self, key):
        return self.connection.call("GET", f"{self._BASE}/{key}/draft", missing_is_none=True)

    def _create(self, metadata: dict) -> dict:
        return self.connection.call("POST", self._BASE, json=metadata)

    def _entry(self, name: str) -> dict | None:
        listed = self.connection.call("GET", f"{self._draft}/files")
        return next((e for e in listed.get("entries", []) if e["key"] == name), None)

    def file(self, name: str) -> Stored | None:
        entry = self._entry(name)
        return entry and _stored(entry)

    def upload(self, name: str, content: bytes | Path, size: int, state) -> Stored:
        entry = self._entry(name)
        parts = self._parts(entry)
        done = state.get("parts", {}).get(name)
        if entry and not (parts and done is not None and entry.get("status") == "pending"):
            self.remove(name)
            entry, done = None, None
        if entry is None:
            entry = self._begin(name, size)
            parts, done = self._parts(entry), []
        try:
            self._send_parts(name, content, size, parts, done, state)
        except Refused:
            if done:
                raise
            # Some servers announce parts and then reject them.
            self.remove(name)
            entry, parts = self._begin(name, size, whole=True), []
        if not parts:
            self.connection.put(self._link(entry, "content", name), content, 0, size)
        return _stored(self.connection.call("POST", self._link(entry, "commit", name)))

    def _send_parts(self, name, content, size, parts, done, state) -> None:
        """Send the missing parts, recording each one."""
        for part in sorted(parts, key=lambda p: p["part"]):
            if part["part"] in done:
                continue
            start = (part["part"] - 1) * self.part_size
            self.connection.put(part["url"], content, start, min(self.part_size, size - start))
            done.append(part["part"])
            state.note("parts", {**state.get("parts", {}), name: done})

    def _begin(self, name: str, size: int, whole: bool = False) -> dict:
        """Create a file, in parts if it is large and the server supports that."""
        address = f"{self._draft}/files"
        plain = {"key": name}
        if size > self.part_size and not whole:
            count = -(-size // self.part_size)
            how = {"type": "M", "parts": count, "part_size": self.part_size}
            try:
                made = self.connection.call(
                    "POST", address, json=[{**plain, "size": size, "transfer": how}]
                )
                entry = next(e for e in made["entries"] if e["key"] == name)
                if self._parts(entry):
                    return entry
                self.remove(name)
            except Refused:  # the server does not support parts
                pass
        made = self.connection.call("POST", address, json=[plain])
        return next(e for e in made["entries"] if e["key"] == name)

    @staticmethod
    def _parts(entry: dict | None) -> list[dict]:
        return (entry or {}).get("links", {}).get("parts") or []

    def _link(self, entry: dict, kind: str, name: str) -> str:
        return entry.get("links", {}).get(kind) or f"{self._draft}/files/{quote(name)}/{kind}"

    def remove(self, name: str) -> None:
        address = f"{self._draft}/files/{quote(name)}"
        self.connection.call("DELETE", address, missing_is_none=True)

    def publish(self) -> str:
        done = self.connection.call("POST", f"{self._draft}/actions/publish")
        return done.get("links", {}).get("self_html") or self.page


def _md5(checksum: str | None) -> str | None:
    kind, _, value = (checksum or "").rpartition(":")
    return value if value and kind in ("", "md5") else None


def _stored(entry: dict) -> Stored:
    complete = entry.get("status") == "completed"
    return Stored(int(entry.get("size") or 0), _md5(entry.get("checksum")), complete)


def _person(creator: dict) -> dict:
    if "family" in creator:
        return {
            "type": "personal",
            "family_name": creator["family"],
            "given_name": creator["given"],
        }
    return {"type": "organizational", "name": creator["name"]}


CLIENTS = {"zenodo": ZenodoDraft, "invenio": InvenioDraft}
