"""Hashes of contents, computed apart from the program."""

import hashlib


def blob(content: bytes) -> str:
    """Return what `git hash-object` prints."""
    return hashlib.sha1(f"blob {len(content)}".encode() + bytes(1) + content).hexdigest()
