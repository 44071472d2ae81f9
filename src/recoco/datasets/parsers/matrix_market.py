"""Matrix Market files of terms x documents with .classes and .terms files."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, malformed, read_lines, read_names
from recoco.datasets.parsers.matrix_file import read_market


def parse(folder: Path, options: dict) -> Parsed:
    view = csr_matrix(read_market(folder / options["matrix"]).T)
    terms = read_names(folder / options["terms"], view.shape[1], "terms")
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
                raise malformed(path, number, "the names of the classes are missing")
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
