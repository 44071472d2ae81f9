"""Receipts: which source provided which files, and whether they are unchanged."""

import hashlib
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.files import read_json

RECEIPT = "receipt.json"


def digest(path: Path) -> tuple[str, int]:
    """Return the SHA-256 hash and the size of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest(), path.stat().st_size


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
