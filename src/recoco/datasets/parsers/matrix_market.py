"""Matrix Market files of terms x documents with their .classes and .terms."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.datasets.parsers import Parsed, malformed, read_lines
from recoco.datasets.parsers.apart import read_apart
from recoco.errors import RecocoError


def parse(folder: Path, options: dict) -> Parsed:
    from scipy.io import mmread

    path = folder / options["matrix"]
    view = read_apart(
        path,
        "a Matrix Market file",
        lambda: csr_matrix(mmread(path, spmatrix=True).T, dtype=np.float64),
    )
    terms = [line.strip() for line in read_lines(folder / options["terms"])]
    if len(terms) != view.shape[1]:
        raise RecocoError(
            f"{options['terms']} has {len(terms)} terms for the {view.shape[1]} rows of "
            f"{path.name}; fetch both again."
        )
    labels, names = _classes(folder / options["classes"], view.shape[0])
    return Parsed([view], np.array(names)[labels], [terms], class_order=names)


def _classes(path: Path, n: int) -> tuple[np.ndarray, list[str]]:
    """Read lines of ``document class`` after a header that names the classes."""
    names: list[str] = []
    labels = np.full(n, -1)
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith("%Clusters"):
            fields = line.split(maxsplit=2)
            if len(fields) < 3:
                raise malformed(path, number, "no names of classes")
            names = fields[2].split(",")
        elif line.strip() and not line.startswith("%"):
            try:
                document, label = (int(field) for field in line.split())
            except ValueError:
                raise malformed(path, number, "not a document and a class") from None
            if not (0 <= document < n and 0 <= label < len(names)):
                raise malformed(path, number, f"no document {document} or no class {label}")
            labels[document] = label
    if (labels < 0).any():
        raise RecocoError(
            f"{path.name} gives no class to {int((labels < 0).sum())} of {n} documents; "
            "fetch it again."
        )
    return labels, names
