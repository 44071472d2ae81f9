"""Citation graphs in the files of Planetoid: words as first view, citations as second.

Most of the files are pickles. They are read in a process of their own, by an unpickler that knows
the few classes that such files need and makes plain arrays of them; any other name is an error.
"""

import io
import itertools
import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, vstack

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, matrix, read_in_subprocess, read_lines, reading


class _Parts:
    """Stands for an array, its type or a sparse matrix: keeps what the file says about it."""

    def __init__(self, *given: Any):
        self.given = given
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


_KNOWN: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): _Parts,
    ("numpy", "dtype"): _Parts,
    ("numpy.core.multiarray", "_reconstruct"): _Parts,
    ("scipy.sparse.csr", "csr_matrix"): _Parts,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _KNOWN:
            raise ValueError(f"it asks for {module}.{name}, which is not allowed")
        return _KNOWN[module, name]


def _load(path: Path) -> Any:
    """Return the content of one pickle: a graph, or plain arrays."""
    content = _Unpickler(io.BytesIO(path.read_bytes()), encoding="latin1").load()
    if isinstance(content, dict):
        return {int(node): [int(other) for other in others] for node, others in content.items()}
    if isinstance(content.state, dict):
        parts = content.state
        arrays = [_array(parts[key]) for key in ("data", "indices", "indptr")]
        rows, columns = parts["_shape"]
        return arrays, (int(rows), int(columns))
    return _array(content)


def _array(parts: _Parts) -> np.ndarray:
    state: tuple[Any, ...] = parts.state
    _, shape, kind, by_columns, content = state
    numbers = np.dtype(f"{kind.state[1].replace('|', '=')}{kind.given[0]}")
    if numbers.hasobject or (by_columns and len(shape) > 1):
        raise ValueError("an array is not of plain numbers, row by row")
    return np.frombuffer(content.encode("latin1"), numbers).reshape(shape)


def parse(folder: Path, options: dict) -> Parsed:
    """Put the words and classes of training and test nodes together, and read the graph.

    A link counts once in each direction, because the files do not tell which paper cites. Nodes
    without a class, which the files do not describe, are left out, and with ``linked`` those
    without a link to another one.
    """
    name = options["prefix"]

    def read(part: str) -> Any:
        path = folder / f"{name}.{part}"
        return read_in_subprocess(path, "a file of Planetoid", lambda: _load(path))

    tests = folder / f"{name}.test.index"
    with reading(folder / f"{name}.graph", "a graph of Planetoid"):
        order = np.array([int(line) for line in read_lines(tests)])
        words, more = _sparse(read("allx")), _sparse(read("tx"))
        classes, further = read("ally"), read("ty")
        graph = read("graph")
        size = max(len(graph), int(order.max()) + 1)
        if words.shape[0] != len(classes) or not more.shape[0] == len(order) == len(further):
            raise ValueError("its files disagree about the number of nodes")
        nodes = np.concatenate([np.arange(len(classes)), order])
        marks = np.concatenate([classes, further])
        if min(itertools.chain(order, graph, *graph.values())) < 0:
            raise ValueError("the number of a node is negative")
        known = np.flatnonzero(marks.sum(axis=1) > 0)
        place = np.full(size, -1)
        place[nodes[known]] = np.arange(known.size)
        described = csr_matrix(vstack([words, more], format="csr")[known])
        pairs = {
            (int(place[i]), int(place[j])) for i, others in graph.items() for j in others if i != j
        }
        links = np.array(sorted(pair for pair in pairs if min(pair) >= 0), dtype=np.int64)
    if not links.size:
        raise RecocoError(f"{name}.graph has no link between nodes with a class; fetch it again.")
    cites = matrix(np.ones(len(links)), links[:, 0], links[:, 1], (known.size, known.size))
    parsed = Parsed([described, cites], marks[known].argmax(axis=1), [None, None], graph=True)
    if size > known.size:
        parsed.dropped.append(f"{size - known.size} of {size} nodes have no class")
    if options.get("linked", False):
        _drop_unlinked(parsed)
    return parsed


def _drop_unlinked(parsed: Parsed) -> None:
    words, cites = parsed.views
    linked = np.flatnonzero(np.diff(cites.indptr))
    if linked.size < cites.shape[0]:
        left_out = f"{cites.shape[0] - linked.size} of {cites.shape[0]} nodes"
        parsed.dropped.append(f"{left_out} with a class have no link to another one")
    parsed.views = [csr_matrix(words[linked]), csr_matrix(cites[linked][:, linked])]
    parsed.labels = parsed.labels[linked]


def _sparse(read: tuple) -> csr_matrix:
    (data, indices, indptr), shape = read
    built = csr_matrix((data.astype(np.float64), indices, indptr), shape=shape)
    built.check_format(full_check=True)
    return built
