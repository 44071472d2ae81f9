"""Objects with features and links to other things, in Parquet files: features as first view, the
things that an object is linked to as second."""

from pathlib import Path

import numpy as np

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, keep_rows, matrix, reading
from recoco.datasets.parsers.parquet_graph import columns, described


def parse(folder: Path, options: dict) -> Parsed:
    """Read the objects with a class; links of other objects are left out.

    An object without a feature or without a link is left out as well, because methods for several
    views need each object in all of them.
    """
    path = folder / options["objects"]
    ids, labels, features = columns(path, ("nodeId", options["labels"], options["features"]))
    with reading(path, "objects with features"):
        first, classes = described(ids, labels, features)
        place = {node: i for i, node in enumerate(ids)}
    number: dict[int, int] = {}
    rows, others, total = [], [], 0
    for name in options["links"]:
        things, nodes = columns(folder / name, ("sourceNodeId", "targetNodeId"))
        with reading(folder / name, "links to objects"):
            for thing, node in zip(things, nodes, strict=True):
                total += 1
                if node in place:
                    rows.append(place[node])
                    others.append(number.setdefault(thing, len(number)))
    if not rows:
        raise RecocoError(
            f"{', '.join(options['links'])} have no link to an object of {path.name}; "
            "correct the card."
        )
    second = matrix(np.ones(len(rows)), rows, others, (len(ids), len(number)))
    second.data[:] = 1.0  # some links are given twice
    names = [f"feature {j + 1}" for j in range(first.shape[1])], [str(thing) for thing in number]
    full = np.flatnonzero((np.diff(first.indptr) > 0) & (np.diff(second.indptr) > 0))
    if not full.size:
        raise RecocoError(f"no object of {path.name} has a feature and a link; correct the card.")
    views, (_, linked) = keep_rows([first, second], list(names), full)
    parsed = Parsed(views, classes[full], [None, linked])
    if total > len(rows):
        parsed.dropped.append(
            f"{total - len(rows)} of {total} links are of objects without a class"
        )
    if full.size < len(ids):
        parsed.dropped.append(
            f"{len(ids) - full.size} of {len(ids)} objects have no feature or no link"
        )
    return parsed
