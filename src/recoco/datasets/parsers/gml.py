"""GML graphs: the view is the directed adjacency matrix, the class a node's ``value``."""

import re
from pathlib import Path

import numpy as np

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, malformed, matrix, read_lines

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
            f"{path.name}: a node or edge lacks {error} or refers to a missing node; "
            "fetch it again."
        ) from None
    except ValueError:
        raise RecocoError(
            f"{path.name}: the value of a node is not a class number; fetch it again."
        ) from None
    return graph(source, target, labels, names, options.get("linked", False))


def graph(
    source: list[int], target: list[int], labels: list[int], names: list[str], linked: bool = False
) -> Parsed:
    """Build the adjacency matrix; an edge that occurs twice counts twice.

    With ``linked``, nodes without an edge are dropped from rows and columns.
    """
    n = len(names)
    view = matrix(np.ones(len(source)), source, target, (n, n))
    loops = int(np.count_nonzero(view.diagonal()))
    meta = {"edges": len(source), "repeated_edges": len(source) - view.nnz, "loops": loops}
    parsed = Parsed([view], np.array(labels), [names], meta=meta, graph=True)
    return _linked(parsed) if linked else parsed


def _linked(parsed: Parsed) -> Parsed:
    """Drop the nodes without an edge, and record the size of the largest component."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    view, names = parsed.views[0], parsed.terms[0]
    filled = np.diff(view.indptr) + np.bincount(view.indices, minlength=view.shape[1]) > 0
    kept = np.flatnonzero(filled)
    if not kept.size:
        raise RecocoError("no node has an edge; remove `linked` from the card.")
    view = csr_matrix(view[kept][:, kept])
    _, component = connected_components(view, directed=False)
    largest = int(np.bincount(component).max())
    return Parsed(
        [view],
        parsed.labels[kept],
        [[names[i] for i in kept]],
        dropped=[f"{filled.size - kept.size} of {filled.size} nodes have no edge"],
        meta=parsed.meta | {"largest_component": largest},
        graph=True,
    )


def _records(path: Path) -> tuple[list[dict], list[dict]]:
    """Return the attributes of all nodes and edges, which must be on separate lines."""
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
            pair = _PAIR.fullmatch(line)
            if not pair:
                raise malformed(path, number, f"{line!r} is not a key and a value")
            current[pair.group(1)] = pair.group(2).strip('"')
    if current is not None:
        raise RecocoError(f"{path.name} ends inside a node or edge; fetch it again.")
    if not records["node"]:
        raise RecocoError(f"{path.name} has no nodes; fetch it again.")
    return records["node"], records["edge"]
