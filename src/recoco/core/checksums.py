"""Hashes of files, of arrays regardless of their compression, and of cells."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from recoco.core.files import read_arrays

# Where an archive keeps the hash of every prepared dataset.
DIGESTS = "resources/digests.json"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest_of_lines(lines: Iterable[str]) -> str:
    """Return one hash of many lines, regardless of their order."""
    return sha256("\n".join(sorted(lines)).encode())


def digest_of_arrays(path: Path) -> str:
    """Return a hash of the arrays in an ``.npz``.

    The bytes of the file depend on the zlib that packed it; those of its arrays do not.
    """
    digest = hashlib.sha256()
    for name, values in sorted(read_arrays(path).items()):
        digest.update(f"{name} {values.dtype.str} {values.shape}\n".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def digest_of_cells(folder: Path) -> dict[str, str]:
    """Return a hash of the cells of every paper under ``results/compare``."""
    return {path.parent.name: sha256_of(path) for path in sorted(folder.glob("*/cells.csv"))}
