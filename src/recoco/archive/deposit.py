"""Deposit an archive at Zenodo or another InvenioRDM repository, as a draft for review.

Nothing is sent without --send, and nothing is published without --publish. A file next to the
archive records what was sent, so the same command resumes an interrupted deposit.
"""

import hashlib
import os
from pathlib import Path

from recoco.archive.answers import is_identifier, plain
from recoco.archive.opening import Opened, open_archive
from recoco.archive.repositories import CLIENTS, Draft, Stored
from recoco.archive.transport import Connection, Limits, Refused, checked_server, checked_token
from recoco.config.schema import nearest
from recoco.core.checksums import sha256_of
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json

TOKEN = "RECOCO_DEPOSIT_TOKEN"


def deposit(
    archive: Path,
    server: str = "https://zenodo.org",
    interface: str = "zenodo",
    send: bool = False,
    publish: bool = False,
    part_size: int = 64 << 20,
    patience: float = 2.0,
    limits: Limits | None = None,
) -> int:
    """Make a draft with the archive and its receipt; return the exit code.

    Parameters
    ----------
    interface : "zenodo" (deposit/depositions) or "invenio" (records)
    send : send the files; otherwise only show what would be sent
    publish : publish the draft at the end, which cannot be undone
    part_size : bytes per request, if the server accepts a file in parts
    patience : seconds before the first retry of a failed request
    limits : how long and large an answer of the server may be
    """
    server = checked_server(server)
    if interface not in CLIENTS:
        raise RecocoError(f"Unknown interface {interface!r}: {nearest(interface, list(CLIENTS))}")
    with open_archive(archive) as opened:
        problems = opened.problems_of_files() + opened.problems_of_crate()
        if problems:
            raise RecocoError(
                f"{archive.name} has been changed or damaged ({problems[0]}): pack it again."
            )
        metadata = about(opened)
        receipt = opened.read("receipt.txt")
    client = CLIENTS[interface]
    if not send:
        print(f"dry run: nothing is sent; --send would make a draft at {server}")
        for line in client.calls(archive.name, publish):
            print(f"  {line}")
        for key, value in metadata.items():
            print(f"  {key}: {value}")
        return 0
    token = checked_token(os.environ.get(TOKEN), TOKEN)
    connection = Connection(server, token, patience, limits)
    try:
        state = _State(archive, server, interface)
        draft = client(connection, part_size).open(state, metadata)
        print(f"draft: {draft.page}")
        _send(draft, state, "receipt.txt", receipt)
        _send(draft, state, archive.name, archive)
        if publish:
            print(f"published: {_publish(draft)}")
            state.forget()
        else:
            print("not published: look at the draft, then publish it there or with --publish")
    except RecocoError as error:  # it may quote the server, which may quote the token
        raise RecocoError(plain(str(error), token)) from None
    return 0


def _publish(draft: Draft) -> str:
    try:
        return draft.publish()
    except Refused:
        raise
    except RecocoError as error:
        raise RecocoError(
            f"It is not known whether the draft was published ({str(error).rstrip('.')}): "
            f"look at {draft.page} before you run the command again."
        ) from None


def _send(draft: Draft, state: "_State", name: str, content: bytes | Path) -> None:
    """Send a file unless the server has it; it counts as sent only if a checksum agrees."""
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    have = draft.file(name)
    if have and (agreed := _compare(draft, name, content, size, have)):
        print(f"{name}: already there, {agreed}")
        return
    stored = draft.upload(name, content, size, state)
    agreed = _compare(draft, name, content, size, stored)
    if not agreed:
        found = f"{stored.size} of {size} bytes" if stored.size != size else "another checksum"
        if not stored.complete:
            found = "not completed"
        raise RecocoError(
            f"{name} did not arrive whole ({found}) and {_removed(draft, name)}: "
            "run the same command again."
        )
    print(f"{name}: sent, {size} bytes, {agreed}")


def _compare(
    draft: Draft, name: str, content: bytes | Path, size: int, stored: Stored
) -> str | None:
    """Return the checksum of a file on the server, or None if it differs from our file."""
    if not stored.complete or stored.size != size:
        return None
    if stored.checksum:
        kind, theirs = stored.checksum
        return f"{kind} {theirs}" if checksum(content, kind) == theirs else None
    ours = checksum(content, "sha256")
    try:
        theirs = draft.sha256(name, size)
    except RecocoError as error:
        raise RecocoError(
            f"{name} is on the server, but it reports no checksum and the file cannot be "
            f"downloaded to compare it ({str(error).rstrip('.')}): run the same command again, or "
            f"compare the file by hand at {draft.page}."
        ) from None
    return f"sha256 {ours}, downloaded to compare" if theirs == ours else None


def _removed(draft: Draft, name: str) -> str:
    try:
        draft.remove(name)
    except RecocoError:
        return "could not be removed"
    return "was removed"


def checksum(content: bytes | Path, kind: str) -> str:
    """Return a checksum as repositories report it; the manifest protects against tampering."""

    def empty():
        return hashlib.new(kind, usedforsecurity=False)

    if isinstance(content, bytes):
        digest = empty()
        digest.update(content)
        return digest.hexdigest()
    with content.open("rb") as stream:
        return hashlib.file_digest(stream, empty).hexdigest()


def about(opened: Opened) -> dict:
    """Return the metadata of the deposit, from the archive itself."""
    import json

    import yaml

    entities = {e["@id"]: e for e in json.loads(opened.read("ro-crate-metadata.json"))["@graph"]}
    root = entities["./"]
    cited = {}
    if "CITATION.cff" in opened.members:
        cited = yaml.safe_load(opened.read("CITATION.cff"))
    return {
        "title": root["name"],
        "description": root["description"],
        "creators": [_creator(author) for author in cited.get("authors", [])]
        or [{"name": entities["#developers"]["name"]}],
        "version": entities[root["mainEntity"]["@id"]]["version"],
        "date": root["datePublished"][:10],
        "licence": "bsd-3-clause",
        "papers": [
            entity["@id"].removeprefix("https://doi.org/")
            for entity in entities.values()
            if entity["@type"] == "ScholarlyArticle" and "doi.org" in entity["@id"]
        ],
    }


def _creator(author: dict) -> dict:
    if "family-names" not in author:
        return {"name": author.get("name", author.get("alias", "unknown"))}
    names = {"family": author["family-names"], "given": author.get("given-names", "")}
    return {"name": f"{names['family']}, {names['given']}".strip(", "), **names}


class _State:
    """Progress of a deposit, in a file next to the archive."""

    def __init__(self, archive: Path, server: str, interface: str):
        self.path = archive.with_name(f"{archive.name}.deposit.json")
        fresh = {"server": server, "interface": interface, "sha256": sha256_of(archive)}
        known = self._read()
        same = all(known.get(key) == value for key, value in fresh.items())
        if known and not same:
            print("the archive or the server differs from last time: starting a new draft")
        self.content = known if known and same else fresh

    def _read(self) -> dict:
        """Return what the file says, or nothing if it is absent or damaged."""
        if not self.path.is_file():
            return {}
        try:
            if self.path.stat().st_size > 1 << 20:
                raise ValueError("too large")
            known = read_json(self.path)
        except (OSError, ValueError, RecursionError):
            known = None
        if not _is_state(known):
            print(f"{self.path.name} is damaged or cannot be read: starting a new draft")
            return {}
        return known

    def get(self, key: str, default=None):
        return self.content.get(key, default)

    def note(self, **values) -> None:
        self.content |= values
        write_json(self.path, self.content)

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def _is_state(known: object) -> bool:
    """Whether the content of a state file has the form in which it is written."""
    if not isinstance(known, dict):
        return False
    part_size, parts = known.get("part_size", 1), known.get("parts", {})
    return (
        ("id" not in known or is_identifier(known["id"]))
        and isinstance(part_size, int)
        and part_size > 0
        and isinstance(parts, dict)
        and all(isinstance(done, list) for done in parts.values())
        and all(isinstance(number, int) for done in parts.values() for number in done)
    )
