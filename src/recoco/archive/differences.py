"""Describe where two results differ, cell by cell."""

import csv
import io
import re
from pathlib import Path

# Columns that name a row: the first that exist and are unique are used.
_NAMES = (("cell",), ("cell", "combination"), ("id",))


def differences(stored: Path, again: Path, name: str) -> list[str]:
    """Return a line for each difference between two files of one name."""
    if not again.is_file():
        return [f"{name}: not recomputed"]
    if not stored.is_file():
        return [f"{name}: made now, not in the archive"]
    if stored.suffix == ".parquet":
        return [f"{name}: {line}" for line in _of_frames(stored, again)]
    if stored.suffix == ".npz":
        return [f"{name}: {line}" for line in _of_arrays(stored, again)]
    before, now = stored.read_bytes(), again.read_bytes()
    if before == now or (stored.suffix == ".svg" and _drawn(before) == _drawn(now)):
        return []
    if stored.suffix == ".csv":
        return [f"{name}: {line}" for line in of_csv(before.decode(), now.decode())]
    if stored.suffix in {".md", ".tex"}:
        return [f"{name}: {line}" for line in _of_lines(before.decode(), now.decode())]
    return [f"{name}: other bytes"]


def _drawn(content: bytes) -> bytes:
    """Return a drawing with the names of its parts numbered in the order of their appearance.

    Matplotlib makes them from coordinates in full precision, whose last bit depends on the
    processor; the coordinates that are drawn have fewer digits.
    """
    names = dict.fromkeys(re.findall(rb'(?<=id=")[mp][0-9a-f]{10}(?=")', content))
    numbers = {name: b"part%d" % number for number, name in enumerate(names)}
    return re.sub(rb"\b[mp][0-9a-f]{10}\b", lambda m: numbers.get(m[0], m[0]), content)


def of_csv(before: str, now: str) -> list[str]:
    """Return a line for each cell of a table that differs."""
    old, new = (list(csv.reader(io.StringIO(text))) for text in (before, now))
    if not old or not new or old[0] != new[0]:
        return ["other columns"]
    head = old[0]
    if len(old) != len(new):
        return [f"{len(old) - 1} rows in the archive, {len(new) - 1} now"]
    names = _row_names(head, old[1:])
    lines = []
    for row_name, one, other in zip(names, old[1:], new[1:], strict=True):
        for column, left, right in zip(head, one, other, strict=False):
            if left != right:
                lines.append(f"{row_name}, {column}: {_shown(left)} archived, {_shown(right)} now")
    return lines or ["other bytes"]


def _row_names(head: list[str], rows: list[list[str]]) -> list[str]:
    for columns in _NAMES:
        if set(columns) <= set(head):
            positions = [head.index(column) for column in columns]
            names = [" under ".join(row[i] for i in positions) for row in rows]
            if len(set(names)) == len(names):
                return names
    first = [f" ({row[0]})" if row and row[0] else "" for row in rows]
    return [f"row {number}{text}" for number, text in enumerate(first, 1)]


def _shown(text: str) -> str:
    return text or "nothing"


def _of_lines(before: str, now: str) -> list[str]:
    old, new = before.splitlines(), now.splitlines()
    if len(old) != len(new):
        return [f"{len(old)} lines in the archive, {len(new)} now"]
    pairs = enumerate(zip(old, new, strict=True), 1)
    return [f"line {number}: {a!r} archived, {b!r} now" for number, (a, b) in pairs if a != b]


def _of_frames(stored: Path, again: Path) -> list[str]:
    """Compare two score tables by value: their bytes depend on the writer's version."""
    import pandas as pd

    old, new = pd.read_parquet(stored), pd.read_parquet(again)
    if list(old.columns) != list(new.columns) or len(old) != len(new):
        return [f"{old.shape} rows and columns in the archive, {new.shape} now"]
    lines = []
    for column in old.columns:
        left, right = old[column], new[column]
        differs = ~((left == right) | (left.isna() & right.isna()))
        for label in old.index[differs.fillna(True).astype(bool)]:
            row = old.loc[label]
            where = f"{row['weighting']}/{row['slug']} {row['kind']} {row['run']}"
            lines.append(f"{where}, {column}: {left[label]} archived, {right[label]} now")
    return lines


def _of_arrays(stored: Path, again: Path) -> list[str]:
    import numpy as np

    from recoco.core.files import read_arrays

    old, new = read_arrays(stored), read_arrays(again)
    if sorted(old) != sorted(new):
        return ["other arrays"]
    return [
        f"{name} differs"
        for name in sorted(old)
        if old[name].dtype != new[name].dtype or not np.array_equal(old[name], new[name])
    ]
