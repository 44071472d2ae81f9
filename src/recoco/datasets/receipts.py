"""Receipts: which source gave which files, and whether they are still the same."""

import hashlib
from pathlib import Path

from recoco import store
from recoco.errors import RecocoError

RECEIPT = "receipt.json"


def digest(path: Path) -> tuple[str, int]:
    """Return sha256 and size of a file."""
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    return found, path.stat().st_size


def check_raw(name: str, raw_dir: Path) -> dict:
    """Return the receipt of ``raw_dir`` after checking that its files are still those fetched."""
    try:
        receipt = store.read_json(raw_dir / RECEIPT)
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
