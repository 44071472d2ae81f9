"""A graph of documents in two Parquet files: words as first view, citations as second."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, matrix, reading


def parse(folder: Path, options: dict) -> Parsed:
    nodes, edges = folder / options["nodes"], folder / options["edges"]
    ids, labels, features = columns(nodes, ("nodeId", "subject", "features"))
    source, target = columns(edges, ("sourceNodeId", "targetNodeId"))
    with reading(nodes, "nodes with features"):
        words, classes = described(ids, labels, features)
        place = {node: i for i, node in enumerate(ids)}
    with reading(edges, "links between nodes"):
        unknown = [node for node in [*source, *target] if node not in place]
        if unknown:
            raise RecocoError(
                f"{edges.name} cites node {unknown[0]!r}, which {nodes.name} does not have; "
                "fetch both again."
            )
        row, column = [place[i] for i in source], [place[j] for j in target]
    cites = matrix(np.ones(len(row)), row, column, (len(ids), len(ids)))
    names = [None, [str(node) for node in ids]]
    return Parsed([words, cites], classes, names, graph=True)


def described(ids: list, labels: list, features: list) -> tuple[csr_matrix, np.ndarray]:
    """Return the features of objects as a matrix, and their classes."""
    words, classes = csr_matrix(np.array(features, dtype=np.float64)), np.array(labels)
    if words.shape[0] != len(ids):
        raise ValueError("its features are no lists of numbers")
    if classes.shape != (len(ids),) or classes.dtype.kind not in "biufU":
        raise ValueError("its classes are neither numbers nor texts")
    return words, classes


def columns(path: Path, names: tuple[str, ...]) -> list[list]:
    """Return some columns of a Parquet file."""
    import pyarrow.parquet

    with reading(path, "Parquet"):
        # ParquetFile instead of read_table, which tries to derive a file system from the name
        table = pyarrow.parquet.ParquetFile(path).read(columns=list(names))
        return [table.column(name).to_pylist() for name in names]
