"""A bunch of scikit-learn, as written by `fetch`: texts or a matrix, and the classes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.files import read_arrays
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.labels import as_classes
from recoco.datasets.parsers.tokens import counting, document_terms


def parse(folder: Path, options: dict) -> Parsed:
    with reading(folder / "bunch.npz", "a bunch"):
        return _parse(_read(folder), options)


def _parse(arrays: dict[str, Any], options: dict) -> Parsed:
    terms = arrays.get("feature_names")
    dropped: list[str] = []
    if "texts" in arrays:
        view, terms, dropped = document_terms(arrays["texts"].tolist(), **counting(options))
    elif "dense" in arrays:
        view = csr_matrix(np.asarray(arrays["dense"], dtype=np.float64))
    else:
        parts = arrays["data"], arrays["indices"], arrays["indptr"]
        view = csr_matrix(parts, shape=tuple(arrays["shape"].tolist()))
        view.check_format(full_check=True)  # compiled code would follow an index outside the matrix
    labels = as_classes(arrays["target"], view.shape[0], "the target of the bunch")
    names: Any = arrays.get("target_names")
    order = None
    numbered = names is not None and labels.dtype.kind in "iu"
    if numbered and labels.min() >= 0 and labels.max() < len(names):
        labels, order = names[labels], names.tolist()
    if terms is not None:
        terms = [str(term) for term in terms]
        terms = terms if len(terms) == view.shape[1] else None
    return Parsed([view], labels, [terms], class_order=order, dropped=dropped)


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the documents of a bunch of texts."""
    yield from _read(folder).get("texts", np.array([])).tolist()


def _read(folder: Path) -> dict[str, Any]:
    path = folder / "bunch.npz"
    with reading(path, "a bunch"):
        return read_arrays(path)
