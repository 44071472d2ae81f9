"""CLUTO's text format: a header, then one line of (column, value) pairs per document."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.datasets.parsers import Parsed, malformed, read_lines, read_names


def parse(folder: Path, options: dict) -> Parsed:
    view = _matrix(folder / options["matrix"])
    labels = read_names(folder / options["classes"], view.shape[0], "documents")
    terms = None
    if "terms" in options:
        terms = read_names(folder / options["terms"], view.shape[1], "columns")
    return Parsed([view], np.array(labels), [terms])


def _matrix(path: Path) -> csr_matrix:
    lines = read_lines(path)
    try:
        rows, columns, nonzeros = (int(field) for field in lines[0].split())
    except (IndexError, ValueError):
        raise malformed(path, 1, "not the header `rows columns nonzeros`") from None
    # an empty line may be an empty document, so no line before the last document can be missing
    body = lines[1 : rows + 1]
    if len(body) != rows or any(line.strip() for line in lines[rows + 1 :]):
        raise malformed(path, len(lines), f"the header promises {rows} documents")
    pieces, lengths = [], []
    for number, line in enumerate(body, 2):
        try:
            values = np.array(line.split(), dtype=np.float64)
        except ValueError:
            raise malformed(path, number, "a value is not a number") from None
        if values.size % 2:
            raise malformed(path, number, "an odd number of values, expected column-value pairs")
        pieces.append(values)
        lengths.append(values.size // 2)
    pairs = np.concatenate(pieces).reshape(-1, 2) if pieces else np.empty((0, 2))
    indices = pairs[:, 0].astype(np.int64) - 1
    if pairs.shape[0] != nonzeros:
        raise malformed(path, 1, f"{nonzeros} values promised, {pairs.shape[0]} found")
    if nonzeros and (indices.min() < 0 or indices.max() >= columns):
        raise malformed(path, 1, f"{columns} columns promised, column {indices.max() + 1} found")
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    return csr_matrix((pairs[:, 1].copy(), indices, indptr), shape=(rows, columns))
