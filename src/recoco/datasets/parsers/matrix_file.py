"""One matrix in a Matrix Market or NumPy file; classes and terms in the same or other files."""

import zipfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, read_in_subprocess, read_names, reading
from recoco.datasets.parsers.labels import as_classes, need_labels

_ENDINGS = (".mtx", ".mtx.gz", ".npz", ".npy")


def parse(folder: Path, options: dict) -> Parsed:
    path = folder / options["matrix"]
    ending = next((end for end in _ENDINGS if path.name.endswith(end)), None)
    if ending is None:
        raise RecocoError(
            f"{path.name} ends in none of {', '.join(_ENDINGS)}: use the parser of its format."
        )
    arrays = _Arrays(path) if ending == ".npz" else None
    if ending.startswith(".mtx"):
        view = read_market(path)
    else:
        with reading(path, "a NumPy file"):
            if arrays is not None:
                view = arrays.matrix(options.get("array"))
            else:
                view = _as_matrix(np.load(path, allow_pickle=False), path.name)
            # compiled code would follow an index outside the matrix
            view.check_format(full_check=True)
    if options.get("transpose", False):
        view = csr_matrix(view.T)
    if arrays is not None and "labels_array" in options:
        where = f"{options['labels_array']} of {path.name}"
        labels = as_classes(arrays.get(options["labels_array"]), view.shape[0], where)
    else:
        need_labels(options, "labels")
        names = read_names(folder / options["labels"], view.shape[0], "rows")
        labels = np.array(names)
    terms = None
    if arrays is not None and "terms_array" in options:
        terms = [str(term) for term in np.ravel(arrays.get(options["terms_array"]))]
        if len(terms) != view.shape[1]:
            raise RecocoError(
                f"{options['terms_array']} of {path.name} has {len(terms)} names for "
                f"{view.shape[1]} columns: give one for each."
            )
    elif "terms" in options:
        terms = read_names(folder / options["terms"], view.shape[1], "columns")
    return Parsed([view], labels, [terms])


def read_market(path: Path) -> csr_matrix:
    """Read a Matrix Market file."""
    from scipy.io import mmread

    def read() -> csr_matrix:
        return csr_matrix(mmread(path, spmatrix=True), dtype=np.float64)

    return read_in_subprocess(path, "a Matrix Market file", read)


class _Arrays:
    """The arrays of an .npz file: single ones, or the parts of a matrix saved by SciPy."""

    def __init__(self, path: Path):
        self.path = path
        with reading(path, "a NumPy file"):
            if not zipfile.is_zipfile(path):
                raise RecocoError(f"{path.name} is not an .npz file: use numpy.savez or save_npz.")
            with np.load(path, allow_pickle=False) as archive:
                self.names = list(archive.files)

    def get(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise RecocoError(
                f"{self.path.name} has no array {name!r}: {nearest(name, self.names)}"
            )
        with reading(self.path, "a NumPy file"), np.load(self.path, allow_pickle=False) as archive:
            return archive[name]

    def matrix(self, name: str | None) -> csr_matrix:
        if name is not None:
            return _as_matrix(self.get(name), f"{name} of {self.path.name}")
        if {"format", "data", "shape"} <= set(self.names):
            from scipy.sparse import load_npz

            return csr_matrix(load_npz(self.path), dtype=np.float64)
        raise RecocoError(
            f"{self.path.name} contains {', '.join(sorted(self.names))} and was not written by "
            "scipy.sparse.save_npz: name the array with the matrix as `array`."
        )


def _as_matrix(array: np.ndarray, where: str) -> csr_matrix:
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise RecocoError(
            f"{where} has {array.ndim} dimensions and type {array.dtype}: give a matrix of numbers."
        )
    return csr_matrix(array, dtype=np.float64)
