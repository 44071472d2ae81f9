"""Cells as lines of a CSV file with a header (row, column, value, from 0), and a class per line."""

import csv
from pathlib import Path

import numpy as np

from recoco.datasets.parsers import Parsed, malformed, matrix, read_lines


def parse(folder: Path, options: dict) -> Parsed:
    """Read a matrix.

    Options
    -------
    matrix : name of the file with the cells
    classes : name of the file with a class per line
    row, column, value : names of the columns of the file
    """
    classes = [line.strip() for line in read_lines(folder / options["classes"])]
    path = folder / options["matrix"]
    lines = csv.reader(read_lines(path))
    head = next(lines, [])
    names = [options.get("row", "row"), options.get("column", "column")]
    names.append(options.get("value", "value"))
    if missing := [name for name in names if name not in head]:
        raise malformed(path, 1, f"no column {missing[0]!r} among {', '.join(head) or 'none'}")
    places = [head.index(name) for name in names]
    cells: list[list[float]] = []
    for number, line in enumerate(lines, 2):
        try:
            row, column, value = (float(line[place]) for place in places)
        except (IndexError, ValueError):
            raise malformed(path, number, "not a row, a column and a value") from None
        if not (0 <= row < len(classes) and row.is_integer() and _is_index(column)):
            raise malformed(path, number, f"no cell of a matrix of {len(classes)} rows")
        cells.append([row, column, value])
    if not cells:
        raise malformed(path, 1, "no cell follows")
    rows, columns, values = np.array(cells).T
    shape = (len(classes), int(columns.max()) + 1)
    view = matrix(values, rows.astype(np.int64), columns.astype(np.int64), shape)
    return Parsed([view], np.array(classes), [None])


def _is_index(value: float) -> bool:
    # A matrix has as many columns as its largest index says: a damaged one could fill the memory.
    return value.is_integer() and 0 <= value < 10**7
