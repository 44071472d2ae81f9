"""Clients of Zenodo's deposit interface and of InvenioRDM's records."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from recoco.archive.answers import Answer
from recoco.archive.transport import Connection, Refused
from recoco.core.errors import RecocoError

_DIGITS = {"md5": 32, "sha256": 64, "sha512": 128}


@dataclass(frozen=True)
class Stored:
    """A file on the server.

    Parameters
    ----------
    checksum : name of an algorithm and the value, or None if the server reports none that is known
    complete : whether the server considers the file complete
    """

    size: int
    checksum: tuple[str, str] | None
    complete: bool = True


class Draft(ABC):
    """A deposit that is not public yet."""

    _BASE: str  # where deposits are
    _DRAFT: str  # what follows the key of one
    _PUBLIC: str  # what is true once it is published

    def __init__(self, connection: Connection, part_size: int):
        self.connection, self.part_size = connection, part_size
        self.key, self.page = "", ""
        self.record: Answer

    @staticmethod
    @abstractmethod
    def calls(name: str, publish: bool) -> list[str]:
        """Return the requests that deposit an archive, to be shown."""

    @staticmethod
    @abstractmethod
    def metadata(about: dict) -> dict:
        """Return the metadata as the interface wants them."""

    @abstractmethod
    def file(self, name: str) -> Stored | None:
        """Return what the server has under a name."""

    @abstractmethod
    def upload(self, name: str, content: bytes | Path, size: int, state) -> Stored:
        """Send a file and return what the server has got."""

    @abstractmethod
    def sha256(self, name: str, size: int) -> str:
        """Download a file of this size and return its checksum."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Delete a file if it is there."""

    @abstractmethod
    def publish(self) -> str:
        """Make the draft public and return its address or DOI."""

    def open(self, state, about: dict) -> "Draft":
        """Continue the draft of an earlier call, or create one."""
        known = state.get("id")
        record = self._known(str(known)) if known else None
        if record is None:
            record = self.connection.call("POST", self._BASE, json=self.metadata(about))
            known = None
        self.record, self.key = record, record.at("id").identifier()
        if known and self.key != str(known):
            raise record.at("id").wrong(f"the draft {known} that was asked for")
        if self.connection.show(self.key) != self.key:
            raise record.at("id").wrong("an identifier of a draft")  # it is the token
        if not known:
            state.note(id=self.key, parts={}, part_size=self.part_size)
        self.part_size = state.get("part_size", self.part_size)
        page = self._shown(record, ("links", "html"), ("links", "self_html"))
        self.page = page or f"{self.connection.server} (number {self.key})"
        return self

    def _shown(self, answer: Answer, *places: tuple[str, ...]) -> str | None:
        """Return the first address or DOI at some places of an answer, fit to be printed."""
        found = (answer.maybe(*place) for place in places)
        texts = (self.connection.show(one.text()) for one in found if one)
        return next((text for text in texts if re.fullmatch(r"(https?://|10\.)[!-~]+", text)), None)

    def _known(self, key: str) -> Answer | None:
        """Return an earlier draft, or None if it was deleted.

        The answer to a publication may have been lost, and a second one cannot be undone.
        """
        draft = self.connection.look(f"{self._BASE}/{key}{self._DRAFT}")
        public = draft or self.connection.look(f"api/records/{key}")
        if public and (draft is None or draft.at(self._PUBLIC).value):
            page = self._shown(public, ("links", "html"), ("links", "self_html"))
            raise RecocoError(
                f"This archive was published already ({page or key}): to deposit it again "
                "nevertheless, delete the file *.deposit.json next to it."
            )
        return draft

    def _publish(self) -> Answer:
        address = f"{self._BASE}/{self.key}{self._DRAFT}/actions/publish"
        done = self.connection.call("POST", address, once=True)
        if done.at(self._PUBLIC).value is not True:
            raise done.at(self._PUBLIC).wrong("a confirmation")
        return done


class ZenodoDraft(Draft):
    """A draft through deposit/depositions; files go into its bucket."""

    _BASE, _DRAFT, _PUBLIC = "api/deposit/depositions", "", "submitted"

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

    def _file(self, name: str) -> Answer | None:
        listed = self.connection.call("GET", f"{self._BASE}/{self.key}/files")
        return _named(listed, "filename", name)

    def file(self, name: str) -> Stored | None:
        entry = self._file(name)
        return Stored(entry.at("filesize").number(), _checksum(entry)) if entry else None

    def _address(self, name: str) -> str:
        return f"{self.record.at('links', 'bucket').text()}/{quote(name, safe='')}"

    def upload(self, name: str, content: bytes | Path, size: int, state) -> Stored:
        entry = self.connection.put(self._address(name), content, 0, size)
        return Stored(entry.at("size").number(), _checksum(entry))

    def sha256(self, name: str, size: int) -> str:
        return self.connection.sha256(self._address(name), size)

    def remove(self, name: str) -> None:
        entry = self._file(name)
        if entry:
            file = entry.at("id").identifier()
            self.connection.remove(f"{self._BASE}/{self.key}/files/{file}")

    def publish(self) -> str:
        return self._shown(self._publish(), ("doi_url",), ("doi",)) or self.page


class InvenioDraft(Draft):
    """A draft through records; files are created, sent (large ones in parts) and committed."""

    _BASE, _DRAFT, _PUBLIC = "api/records", "/draft", "is_published"

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
    def _files(self) -> str:
        return f"{self._BASE}/{self.key}/draft/files"

    def _entry(self, name: str) -> Answer | None:
        listed = self.connection.call("GET", self._files)
        entries = listed.maybe("entries")
        return _named(entries, "key", name) if entries else None

    def file(self, name: str) -> Stored | None:
        entry = self._entry(name)
        return _stored(entry) if entry else None

    def upload(self, name: str, content: bytes | Path, size: int, state) -> Stored:
        entry = self._entry(name)
        done = state.get("parts", {}).get(name)
        if entry and not (_has_parts(entry) and done is not None and _is_pending(entry)):
            self.remove(name)
            entry, done = None, None
        if entry is None:
            entry, done = self._begin(name, size), []
        parts = self._parts(entry, size)
        try:
            self._send_parts(name, content, size, parts, done, state)
        except Refused:
            if done:
                raise
            # Some servers announce parts and then reject them.
            self.remove(name)
            entry, parts = self._begin(name, size, whole=True), {}
        if not parts:
            self.connection.put(self._link(entry, "content", name), content, 0, size)
        return _stored(self.connection.call("POST", self._link(entry, "commit", name)))

    def _send_parts(self, name, content, size, parts: dict[int, str], done, state) -> None:
        """Send the missing parts, recording each one."""
        for number, address in sorted(parts.items()):
            if number in done:
                continue
            start = (number - 1) * self.part_size
            self.connection.put(address, content, start, min(self.part_size, size - start))
            done.append(number)
            state.note(parts={**state.get("parts", {}), name: done})

    def _begin(self, name: str, size: int, whole: bool = False) -> Answer:
        """Create a file, in parts if it is large and the server supports that."""
        plain = {"key": name}
        if size > self.part_size and not whole:
            count = -(-size // self.part_size)
            how = {"type": "M", "parts": count, "part_size": self.part_size}
            try:
                entry = self._new(name, {**plain, "size": size, "transfer": how})
                if _has_parts(entry):
                    return entry
                self.remove(name)
            except Refused:  # the server does not support parts
                pass
        return self._new(name, plain)

    def _new(self, name: str, asked: dict) -> Answer:
        made = self.connection.call("POST", self._files, json=[asked])
        entry = _named(made.at("entries"), "key", name)
        if entry is None:
            raise made.at("entries").wrong(f"a list with {name}")
        return entry

    def _parts(self, entry: Answer, size: int) -> dict[int, str]:
        """Return the address of every part, or nothing if the file goes whole."""
        if not _has_parts(entry):
            return {}
        parts = entry.at("links", "parts")
        count = -(-size // self.part_size)
        numbers = [part.at("part").number() for part in parts.items()]
        if sorted(numbers) != list(range(1, count + 1)):
            raise parts.wrong(f"a list of the parts 1 to {count}")
        addresses = [part.at("url").text() for part in parts.items()]
        return dict(zip(numbers, addresses, strict=True))

    def _link(self, entry: Answer, kind: str, name: str) -> str:
        link = entry.maybe("links", kind)
        return link.text() if link else f"{self._files}/{quote(name, safe='')}/{kind}"

    def sha256(self, name: str, size: int) -> str:
        return self.connection.sha256(f"{self._files}/{quote(name, safe='')}/content", size)

    def remove(self, name: str) -> None:
        self.connection.remove(f"{self._files}/{quote(name, safe='')}")

    def publish(self) -> str:
        return self._shown(self._publish(), ("links", "self_html")) or self.page


def _named(entries: Answer, key: str, name: str) -> Answer | None:
    """Return the entry of a file in a list of files."""
    found = [entry for entry in entries.items() if entry.at(key).text() == name]
    return found[0] if found else None


def _has_parts(entry: Answer) -> bool:
    parts = entry.maybe("links", "parts")
    return bool(parts and parts.items())


def _is_pending(entry: Answer) -> bool:
    return entry.at("status").value == "pending"


def _stored(entry: Answer) -> Stored:
    if entry.at("status").value != "completed":
        return Stored(0, None, complete=False)
    return Stored(entry.at("size").number(), _checksum(entry))


def _checksum(entry: Answer) -> tuple[str, str] | None:
    """Return algorithm and value of a checksum; one without an algorithm is an MD5."""
    told = entry.maybe("checksum")
    if told is None or told.value == "":
        return None
    kind, _, value = told.text().lower().rpartition(":")
    kind = kind or "md5"
    sound = len(value) == _DIGITS.get(kind) and re.fullmatch("[0-9a-f]+", value)
    return (kind, value) if sound else None


def _person(creator: dict) -> dict:
    if "family" in creator:
        return {
            "type": "personal",
            "family_name": creator["family"],
            "given_name": creator["given"],
        }
    return {"type": "organizational", "name": creator["name"]}


CLIENTS: dict[str, type[Draft]] = {"zenodo": ZenodoDraft, "invenio": InvenioDraft}
