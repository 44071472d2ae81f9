"""What the card of a dataset says of its size.

Planning asks for it thousands of times, and to read and check a card takes milliseconds.
"""

from functools import cache
from pathlib import Path

from recoco import paths


def expected_of(card: str) -> dict:
    """Return the rows, columns, non-zeros and classes that a card expects; not to be changed."""
    path = paths.config() / "datasets" / f"{card}.yaml"
    return _read(card, path, path.stat().st_mtime_ns if path.is_file() else 0)


@cache
def _read(card: str, path: Path, changed: int) -> dict:
    from recoco.datasets import load_card

    return load_card(card).get("expected") or {}
