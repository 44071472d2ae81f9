"""Deposit an archive at Zenodo or another InvenioRDM repository, as a draft for review.

Nothing is sent without --send, and nothing is published without --publish. A file next to the
archive records what was sent, so the same command resumes an interrupted deposit.
"""

import hashlib
import os
from pathlib import Path

from recoco.archive.opening import Opened, open_archive
from recoco.archive.repositories import CLIENTS, Connection, Draft
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
) -> int:
    """Make a draft with the archive and its receipt; return the exit code.

    Parameters
    ----------
    interface : "zenodo" (deposit/depositions) or "invenio" (records)
    send : send the files; otherwise only show what would be sent
    publish : publish the draft at the end, which cannot be undone
    part_size : bytes per request, if the server accepts a file in parts
    patience : seconds before the first retry of a failed request
    """
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
    token = os.environ.get(TOKEN)
    if not token:
        raise RecocoError(f"No token: set {TOKEN} to one that may write deposits.")
    state = _State(archive, server, interface)
    connection = Connection(server, token, patience)
    draft = client(connection, part_size).open(state, metadata)
    print(f"draft: {draft.page}")
    _send(draft, state, "receipt.txt", receipt)
    _send(draft, state, archive.name, archive)
    if publish:
        print(f"published: {draft.publish()}")
        state.forget()
    else:
        print("not published: look at the draft, then publish it there or with --publish")
    return 0


def _send(draft: Draft, state: "_State", name: str, content: bytes | Path) -> None:
    """Send a file unless the server has it; only the server's own checksum counts."""
    ours = md5_of(content)
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    have = draft.file(name)
    if have and have.complete and (have.size, have.md5) == (size, ours):
        print(f"{name}: already there, {ours}")
        return
    stored = draft.upload(name, content, size, state)
    if stored.size != size or stored.md5 not in (ours, None):
        draft.remove(name)
        raise RecocoError(
            f"{name} did not arrive whole ({stored.size} of {size} bytes, {stored.md5} for "
            f"{ours}) and was removed: run the same command again."
        )
    print(f"{name}: sent, {size} bytes, {stored.md5 or 'no MD5 from the server, size agrees'}")


def md5_of(content: bytes | Path) -> str:
    """Return the checksum that repositories use; the manifest protects against tampering."""
    if isinstance(content, bytes):
        return hashlib.md5(content, usedforsecurity=False).hexdigest()
    with content.open("rb") as stream:
        digest = hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False))
    return digest.hexdigest()


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
        known = read_json(self.path) if self.path.is_file() else {}
        same = all(known.get(key) == value for key, value in fresh.items())
        if known and not same:
            print("the archive or the server differs from last time: starting a new draft")
        self.content = known if known and same else fresh

    def get(self, key: str, default=None):
        return self.content.get(key, default)

    def note(self, key: str, value) -> None:
        self.content[key] = value
        write_json(self.path, self.content)

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)
