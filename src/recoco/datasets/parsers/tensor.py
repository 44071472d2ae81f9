"""A tensor of graphs: an .npz archive with objects x objects x graphs, classes, names of graphs.

The tensor may be larger than the memory, so it is read as a stream, some rows of all graphs (or
some cells of one, if it was written column by column) at a time; only non-zero cells are kept.
"""

import math
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from recoco.core.bounded import MOST_BYTES
from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, read_in_subprocess, reading
from recoco.datasets.parsers.labels import as_classes

_PIECE = 64 << 20  # bytes of the tensor that are in memory at a time
_SMALL = 64 << 20  # bytes of another array


def parse(folder: Path, options: dict) -> Parsed:
    """Read the graphs of a tensor.

    Options
    -------
    file : name of the archive
    tensor, labels, slices : its arrays, by default arr_0, arr_1, arr_2
    leave_out : graphs whose name contains one of these, in upper or lower case
    """
    path = folder / options["file"]
    views, labels, names, dropped = read_in_subprocess(
        path, "a tensor of graphs", lambda: _read(path, options)
    )
    meta = {"graphs": "given", "graph_names": names}
    terms = [None] * len(views)
    return Parsed(views, labels, terms, dropped=dropped, meta=meta, graph=True)


def _read(path: Path, options: dict):
    with reading(path, "a tensor of graphs"), zipfile.ZipFile(path) as archive:
        labels = _array(archive, options.get("labels", "arr_1"))
        names = [str(name) for name in _array(archive, options.get("slices", "arr_2")).ravel()]
        left_out = _left_out(path, names, options.get("leave_out", []))
        n, parts = _parts(archive, options.get("tensor", "arr_0"), names, left_out)
        labels = as_classes(labels, n, f"{path.name}, its classes,")
        kept = [g for g in range(len(names)) if g not in left_out]
        views = [sparse.vstack(parts[g], format="csr") for g in kept]
    dropped = [f"the graph {names[g]}" for g in left_out]
    return views, labels, [names[g] for g in kept], dropped


def _left_out(path: Path, names: list[str], words: list[str]) -> list[int]:
    found = set()
    for word in words:
        of_word = {g for g, name in enumerate(names) if word.casefold() in name.casefold()}
        if not of_word:
            raise RecocoError(
                f"{path.name} has no graph called {word!r}, only {', '.join(names)}: correct "
                "`leave_out` in its card."
            )
        found |= of_word
    if len(found) == len(names):
        raise RecocoError(f"no graph of {path.name} is left: correct `leave_out` in its card.")
    return sorted(found)


def _array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Return a small array of the archive."""
    with archive.open(f"{name}.npy") as stream:
        shape, _, dtype = _header(stream, name)
        if math.prod(shape) * dtype.itemsize > _SMALL:
            raise RecocoError(f"the array {name} is too large: correct the card.")
    with archive.open(f"{name}.npy") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _header(stream, name: str):
    """Return shape, order and type of an array, and stop before its first value."""
    version = np.lib.format.read_magic(stream)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in read:
        raise RecocoError(f"the array {name} has an unknown format: fetch it again.")
    shape, by_columns, dtype = read[version](stream)
    if dtype.hasobject:
        raise RecocoError(f"the array {name} holds Python objects, which are not read: fetch it.")
    return shape, by_columns, dtype


def _parts(archive: zipfile.ZipFile, name: str, names: list[str], left_out: list[int]):
    """Return the number of objects, and the parts of each graph from top to bottom."""
    with archive.open(f"{name}.npy") as stream:
        shape, by_columns, dtype = _header(stream, name)
        if len(shape) != 3 or shape[0] != shape[1] or 0 in shape:
            raise RecocoError(f"{name} has shape {shape}, not objects x objects x graphs.")
        if len(names) != shape[2]:
            raise RecocoError(f"it has {len(names)} names for {shape[2]} graphs: fetch it again.")
        if dtype.kind not in "fiub":
            raise RecocoError(f"{name} is of type {dtype}, not of numbers: fetch it again.")
        if math.prod(shape) * dtype.itemsize > MOST_BYTES:
            raise RecocoError(f"{name} has more than {MOST_BYTES >> 30} GiB: correct the card.")
        cut = _slices_by_columns if by_columns else _slices_by_rows
        parts: list[list] = [[] for _ in names]
        for graph, part in cut(stream, shape, dtype, left_out):
            parts[graph].append(part)
    return shape[0], parts


def _slices_by_rows(stream, shape, dtype, left_out) -> Iterator[tuple[int, sparse.csr_matrix]]:
    n, _, v = shape
    step = max(1, _PIECE // (n * v * dtype.itemsize))
    for start in range(0, n, step):
        rows = min(step, n - start)
        block = _values(stream, rows * n * v, dtype).reshape(rows, n, v)
        for graph in range(v):
            if graph not in left_out:
                yield graph, sparse.csr_matrix(block[:, :, graph], dtype=np.float64)


def _slices_by_columns(stream, shape, dtype, left_out) -> Iterator[tuple[int, sparse.csr_matrix]]:
    """The last index varies slowest, and of each graph the columns come one after the other."""
    n, _, v = shape
    step = max(1, _PIECE // (n * dtype.itemsize))
    for graph in range(v):
        columns = []
        for start in range(0, n, step):
            width = min(step, n - start)
            block = _values(stream, width * n, dtype).reshape(width, n)
            columns.append(sparse.csr_matrix(block, dtype=np.float64))
        if graph not in left_out:
            yield graph, sparse.csr_matrix(sparse.vstack(columns).T)


def _values(stream, count: int, dtype) -> np.ndarray:
    content = stream.read(count * dtype.itemsize)
    if len(content) != count * dtype.itemsize:
        raise ValueError("the tensor ends too early")
    return np.frombuffer(content, dtype)
