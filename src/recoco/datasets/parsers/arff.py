"""Sparse ARFF: attributes are terms, the last attribute is the nominal class."""

import re
from pathlib import Path

import numpy as np

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, malformed, matrix, read_lines

_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)


def parse(folder: Path, options: dict) -> Parsed:
    """Read one file.

    Sparse rows omit zeros, and the first value of a nominal attribute counts as zero: a row
    without a class belongs to the first class.
    """
    path = folder / options["file"]
    lines = read_lines(path, "latin-1")
    attributes, start = _header(path, lines)
    terms = [name for name, _ in attributes[:-1]]
    classes = attributes[-1][1]
    if not classes:
        raise RecocoError(
            f"{path.name}: the last attribute is not a list of classes; correct its card."
        )
    last = len(terms)
    labels: list[str] = []
    row, column, data = [], [], []
    for number, line in enumerate(lines[start:], start + 1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if not (line.startswith("{") and line.endswith("}")):
            raise malformed(path, number, "not a sparse row in braces")
        label = classes[0]
        for pair in filter(None, (piece.strip() for piece in line[1:-1].split(","))):
            try:
                number_text, value = pair.split(None, 1)
                index = int(number_text)
                if index == last:
                    label = value.strip("'\"")
                else:
                    data.append(float(value))
                    row.append(len(labels))
                    column.append(index)
            except ValueError:
                raise malformed(path, number, f"{pair!r} is not an index and a value") from None
            if not 0 <= index <= last:
                raise malformed(path, number, f"there is no attribute {index}")
        if label not in classes:
            raise malformed(path, number, f"{label!r} is not a declared class")
        labels.append(label)
    view = matrix(data, row, column, (len(labels), last))
    return Parsed([view], np.array(labels), [terms], class_order=classes)


def _header(path: Path, lines: list[str]) -> tuple[list[tuple[str, list[str]]], int]:
    """Return (name, nominal values) of every attribute, and the line after @data."""
    attributes = []
    for number, line in enumerate(lines, 1):
        lowered = line.lower()
        if lowered.startswith("@attribute"):
            match = _ATTRIBUTE.match(line.strip())
            if not match:
                raise malformed(path, number, "not an attribute with a type")
            name, kind = match.group(1).strip("'\""), match.group(2).strip()
            values = []
            if kind.startswith("{"):
                values = [value.strip().strip("'\"") for value in kind.strip("{}").split(",")]
            attributes.append((name, values))
        elif lowered.startswith("@data"):
            if len(attributes) < 2:
                raise malformed(path, number, "fewer than two attributes before @data")
            return attributes, number
    raise RecocoError(f"{path.name} has no @data line; fetch it again.")
