"""GML graphs: the view is the directed adjacency matrix, the class is the node's ``value``."""

import re
from pathlib import Path

import numpy as np

from recoco.datasets.parsers import Parsed, malformed, matrix, read_lines
from recoco.errors import RecocoError

_PAIR = re.compile(r'(\w+)\s+("(?:[^"]*)"|[-+.\w]+)\s*$')


def parse(folder: Path, options: dict) -> Parsed:
    path = folder / options["file"]
    nodes, edges = _records(path)
    try:
        place = {node["id"]: i for i, node in enumerate(nodes)}
        labels = [int(node["value"]) for node in nodes]
        names = [node.get("label", node["id"]) for node in nodes]
        source = [place[edge["source"]] for edge in edges]
        target = [place[edge["target"]] for edge in edges]
    except KeyError as error:
        raise RecocoError(
            f"{path.name}: a node or edge lacks {error} or points to a node that is not there; "
            "fetch it again."
        ) from None
    except ValueError:
        raise RecocoError(
            f"{path.name}: the value of a node is not a class number; fetch it again."
        ) from None
    return graph(source, target, labels, names)


def graph(source, target, labels, names: list[str]) -> Parsed:
    """Build the adjacency matrix; an edge given twice counts twice."""
    n = len(names)
    view = matrix(np.ones(len(source)), source, target, (n, n))
    loops = int(np.count_nonzero(view.diagonal()))
    meta = {"edges": len(source), "repeated_edges": len(source) - view.nnz, "loops": loops}
    return Parsed([view], np.array(labels), [names], meta=meta)


def _records(path: Path) -> tuple[list[dict], list[dict]]:
    """Return the attributes of all nodes and edges, which this flat dialect keeps on own lines."""
    records: dict[str, list[dict]] = {"node": [], "edge": []}
    current: dict | None = None
    for number, line in enumerate(read_lines(path), 1):
        line = line.strip()
        opened = line.removesuffix("[").strip() if line.endswith("[") else None
        if opened in records:
            if current is not None:
                raise malformed(path, number, f"a {opened} begins inside another")
            current = {}
            records[opened].append(current)
        elif line == "]":
            current = None
        elif current is not None and line:
            found = _PAIR.fullmatch(line)
            if not found:
                raise malformed(path, number, f"{line!r} is not a key and a value")
            current[found.group(1)] = found.group(2).strip('"')
    if current is not None:
        raise RecocoError(f"{path.name} ends inside a node or edge; fetch it again.")
    if not records["node"]:
        raise RecocoError(f"{path.name} has no nodes; fetch it again.")
    return records["node"], records["edge"]
