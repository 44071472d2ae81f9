"""MATLAB files: one matrix, a cell array of views, or several files stacked."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, read_in_subprocess, read_lines, reading


def parse(folder: Path, options: dict) -> Parsed:
    """Read ``matrix`` and ``labels`` of each file in ``files`` and stack the files.

    A cell array contains one matrix per view and, in the usual files, a copy of the labels for
    every view; the copies must agree.
    """
    parts = [_read(folder / name, options) for name in options["files"]]
    widths = {tuple(view.shape[1] for view in views) for views, _, _ in parts}
    if len(widths) > 1:
        raise RecocoError(
            f"{', '.join(options['files'])} cannot be stacked: their numbers of columns differ; "
            "correct the card."
        )
    views = [
        vstack(stack, format="csr") for stack in zip(*(part[0] for part in parts), strict=True)
    ]
    labels = np.concatenate([part[1] for part in parts])
    terms = parts[0][2]
    if "terms_file" in options:
        terms = [line.strip() for line in read_lines(folder / options["terms_file"])]
    if terms is not None and len(terms) != views[0].shape[1]:
        raise RecocoError(
            f"{options['files'][0]}: {len(terms)} terms for {views[0].shape[1]} columns; "
            "correct the card."
        )
    transform = _VALUES[options.get("values", "as-given")]
    views = [transform(view, options["files"][0]) for view in views]
    return Parsed(views, labels, [terms] + [None] * (len(views) - 1))


def _read(path: Path, options: dict):
    from scipy.io import loadmat

    content = read_in_subprocess(path, "a MATLAB file", lambda: _checked(loadmat(path)))
    variables = {name: value for name, value in content.items() if not name.startswith("__")}
    for name in (options["matrix"], options["labels"], options.get("terms")):
        if name is not None and name not in variables:
            known = ", ".join(sorted(variables)) or "none"
            raise RecocoError(
                f"{path.name} has no variable {name!r}, only {known}: correct its card."
            )
    with reading(path, "a MATLAB file"):
        transpose = options.get("transpose", False)
        views = [_csr(view, transpose) for view in _cells(variables[options["matrix"]])]
        copies = [np.ravel(values) for values in _cells(variables[options["labels"]])]
        terms = None
        if "terms" in options:
            terms = [str(_first(term)).strip() for term in np.ravel(variables[options["terms"]])]
    if any(not np.array_equal(copies[0], copy) for copy in copies[1:]):
        raise RecocoError(f"{path.name}: the views disagree about the classes; fetch it again.")
    if {view.shape[0] for view in views} != {copies[0].size}:
        shapes = ", ".join(f"{view.shape[0]} x {view.shape[1]}" for view in views)
        raise RecocoError(
            f"{path.name}: {copies[0].size} labels do not fit {shapes}; "
            "correct `transpose` in its card."
        )
    return views, copies[0], terms


def _checked(content: dict) -> dict:
    """Reject sparse matrices with invalid indices, which would crash compiled code later."""
    for value in content.values():
        cells = isinstance(value, np.ndarray) and value.dtype.kind == "O"
        for cell in value.ravel() if cells else [value]:
            if hasattr(cell, "check_format"):
                cell.check_format(full_check=True)
    return content


def _cells(value) -> list:
    return list(value.ravel()) if value.dtype.kind == "O" else [value]


def _first(term):
    return term.ravel()[0] if isinstance(term, np.ndarray) else term


def _csr(view, transpose: bool) -> csr_matrix:
    # cast before summing, because MATLAB stores small integers in one byte
    view = view.astype(np.float64) if issparse(view) else np.asarray(view, dtype=np.float64)
    return csr_matrix(view.T if transpose else view)


def _inverse_document_frequency(view: csr_matrix) -> np.ndarray:
    """Return ln(n / df) of every column; it is 0 for a term in all documents."""
    frequency = np.bincount(view.indices, minlength=view.shape[1])
    with np.errstate(divide="ignore"):
        return np.log(view.shape[0] / frequency)


def _counts_from_idf(view: csr_matrix, file: str) -> csr_matrix:
    """Undo x = count * ln(n / df), from which the counts can be recovered exactly."""
    view = view.copy()
    view.eliminate_zeros()
    ratio = view.data / _inverse_document_frequency(view)[view.indices]
    counts = np.round(ratio)
    if view.nnz and (np.abs(ratio - counts).max() > 1e-9 or counts.min() < 1):
        raise RecocoError(
            f"{file}: the values are not counts times ln(n/df), so the counts cannot be "
            "recovered; correct `values` in its card."
        )
    view.data = counts
    return view


def _binary(view: csr_matrix, file: str) -> csr_matrix:
    """Replace non-zeros by 1, for files whose counts are lost."""
    view = view.copy()
    view.eliminate_zeros()
    view.data = np.ones(view.nnz)
    return view


_VALUES = {
    "as-given": lambda view, file: view,
    "counts-from-idf": _counts_from_idf,
    "binary": _binary,
}
