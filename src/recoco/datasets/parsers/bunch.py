"""A bunch of scikit-learn, as `fetch` wrote it: texts or a matrix, and the classes."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.labels import as_classes
from recoco.datasets.parsers.tokens import counting, document_terms
from recoco.store import read_arrays


def parse(folder: Path, options: dict) -> Parsed:
    with reading(folder / "bunch.npz", "a bunch"):
        return _parse(_read(folder), options)


def _parse(arrays: dict[str, np.ndarray], options: dict) -> Parsed:
    terms, dropped = arrays.get("feature_names"), []
    if "texts" in arrays:
        view, terms, dropped = document_terms(arrays["texts"].tolist(), **counting(options))
    elif "dense" in arrays:
        view = csr_matrix(np.asarray(arrays["dense"], dtype=np.float64))
    else:
        parts = arrays["data"], arrays["indices"], arrays["indptr"]
        view = csr_matrix(parts, shape=tuple(arrays["shape"].tolist()))
        view.check_format(full_check=True)  # an index that leads out of the matrix
    labels = as_classes(arrays["target"], view.shape[0], "the target of the bunch")
    names = arrays.get("target_names")
    order = None
    numbered = names is not None and labels.dtype.kind in "iu"
    if numbered and labels.min() >= 0 and labels.max() < names.size:
        labels, order = names[labels], names.tolist()
    if terms is not None:
        terms = [str(term) for term in terms]
        terms = terms if len(terms) == view.shape[1] else None
    return Parsed([view], labels, [terms], class_order=order, dropped=dropped)


def texts(folder: Path, options: dict):
    """Yield the documents of a bunch of texts."""
    yield from _read(folder).get("texts", np.array([])).tolist()


def _read(folder: Path) -> dict[str, np.ndarray]:
    path = folder / "bunch.npz"
    with reading(path, "a bunch"):
        return read_arrays(path)
