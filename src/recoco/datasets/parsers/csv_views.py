"""One CSV per view: a header line, the class in the last column."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, reading


def parse(folder: Path, options: dict) -> Parsed:
    views: list[csr_matrix] = []
    labels = np.empty(0, np.int64)
    for name in options["files"]:
        path = folder / name
        with reading(path, "CSV"):
            table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
            classes = table[:, -1].astype(np.int64)
        if views and not np.array_equal(labels, classes):
            raise RecocoError(
                f"{name} disagrees with {options['files'][0]} about the classes; fetch both again."
            )
        labels = classes
        views.append(csr_matrix(table[:, :-1]))
    return Parsed(views, labels, [None] * len(views))
