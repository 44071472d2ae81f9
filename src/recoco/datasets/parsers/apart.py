"""Readers in compiled code: a broken file may crash them, and with them the whole process."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from recoco.datasets.parsers import reading
from recoco.errors import RecocoError
from recoco.limits import call_limited

Found = TypeVar("Found")
# Seconds for one file, more than the largest one takes by far.
_LONGEST = 3600


def read_apart(path: Path, kind: str, work: Callable[[], Found]) -> Found:
    """Return ``work()``, done in a process of its own; a crash there is a sentence here."""
    with reading(path, kind):
        ending = call_limited(work, _LONGEST)
        if ending.status != "ok":
            raise RecocoError(
                f"{path.name} cannot be read as {kind} ({ending.error}): "
                "fetch it again or correct its card."
            )
    return ending.value
