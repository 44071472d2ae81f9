"""Write files that are either complete or absent, and whose bytes depend on content only."""

import contextlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from recoco.core.errors import RecocoError

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip member, so no clock enters the bytes


@contextlib.contextmanager
def atomic(path: str | os.PathLike, mode: str = "wb"):
    """Open a temporary file next to ``path`` that replaces it once everything is written."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise RecocoError(
            f"Cannot write {path}: {error.strerror}; make the folder writable or free some space."
        ) from None
    try:
        encoding = None if "b" in mode else "utf-8"
        newline = None if "b" in mode else "\n"
        with os.fdopen(handle, mode, encoding=encoding, newline=newline) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise RecocoError(
                f"Cannot write {path}: {error.strerror or error}; "
                "make the folder writable or free some space."
            ) from None
        raise


def write_text(path: str | os.PathLike, text: str) -> None:
    with atomic(path, "w") as stream:
        stream.write(text)


def write_json(path: str | os.PathLike, content) -> None:
    write_text(path, json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path: str | os.PathLike):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def write_arrays(path: str | os.PathLike, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an ``.npz`` whose bytes are the same for the same arrays on any day."""
    with atomic(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            member = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asanyarray(arrays[name]), allow_pickle=False)
            archive.writestr(member, buffer.getvalue(), compresslevel=1)


def read_arrays(path: str | os.PathLike) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}
