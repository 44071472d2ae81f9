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
        words = csr_matrix(np.array(features, dtype=np.float64))
    place = {node: i for i, node in enumerate(ids)}
    try:
        row, column = [place[i] for i in source], [place[j] for j in target]
    except KeyError as error:
        raise RecocoError(
            f"{edges.name} cites node {error}, which {nodes.name} does not have; fetch both again."
        ) from None
    cites = matrix(np.ones(len(row)), row, column, (len(ids), len(ids)))
    names = [None, [str(node) for node in ids]]
    return Parsed([words, cites], np.array(labels), names, graph=True)


def columns(path: Path, names: tuple[str, ...]) -> list[list]:
    """Return some columns of a Parquet file."""
    import pyarrow.parquet

    with reading(path, "Parquet"):
        # ParquetFile instead of read_table, which tries to derive a file system from the name
        table = pyarrow.parquet.ParquetFile(path).read(columns=list(names))
        return [table.column(name).to_pylist() for name in names]
