"""Receipts: which source provided which files, and whether they are unchanged."""

import hashlib
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.files import read_json

RECEIPT = "receipt.json"
PIECE = 1 << 20  # bytes that are read at once


def digest(path: Path) -> tuple[str, int]:
    """Return the SHA-256 hash and the size of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest(), path.stat().st_size


class Hashes:
    """The hashes of a file of known size, which is read piece by piece.

    Attributes
    ----------
    sha256 : of the bytes
    git_blob : of the bytes, as git names a file: SHA-1 of ``blob SIZE``, a zero byte and the bytes
    """

    def __init__(self, size: int):
        self.size = 0
        self._sha256 = hashlib.sha256()
        self._blob = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)

    def update(self, piece: bytes) -> None:
        self.size += len(piece)
        self._sha256.update(piece)
        self._blob.update(piece)

    @property
    def sha256(self) -> str:
        return self._sha256.hexdigest()

    @property
    def git_blob(self) -> str:
        return self._blob.hexdigest()


def hashes_of(path: Path) -> Hashes:
    """Return the hashes of a file."""
    hashes = Hashes(path.stat().st_size)
    with path.open("rb") as stream:
        while piece := stream.read(PIECE):
            hashes.update(piece)
    return hashes


def check_raw(name: str, raw_dir: Path) -> dict:
    """Return the receipt in ``raw_dir`` after checking that the fetched files are unchanged."""
    try:
        receipt = read_json(raw_dir / RECEIPT)
    except (OSError, ValueError):
        raise RecocoError(
            f"Dataset {name} has no readable receipt in {raw_dir}: fetch it first."
        ) from None
    for record in receipt["files"]:
        path = raw_dir / record["file"]
        if not path.is_file() or digest(path) != (record["sha256"], record["bytes"]):
            raise RecocoError(
                f"Dataset {name}: {record['file']} is not the file that was fetched; "
                f"delete {raw_dir} and fetch it again."
            )
    return receipt
