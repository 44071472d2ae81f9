"""``recoco fit --matrix``: co-cluster matrix files, a single one also if larger than memory."""

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.core.files import write_json, write_text
from recoco.datasets.dataset import Dataset
from recoco.datasets.disk_convert import convert
from recoco.datasets.disk_matrix import BigCsr, write_weighted
from recoco.methods.streamed import STREAMED


def show_big_fit(
    method: str,
    matrix: str,
    clusters: int | None,
    weighting: str,
    seed: int,
    starts: int,
    transpose: bool,
    out: str | None,
) -> int:
    """Store a matrix on disk by rows, cluster it from there and write the labels."""
    if clusters is None:
        raise RecocoError("The number of clusters is unknown: give --clusters.")
    folder = folder_of([matrix], out)
    X = _on_disk(Path(matrix), folder, weighting, transpose)
    print(f"{X.shape[0]} x {X.shape[1]}, {X.nnz} non-zeros, read in {len(X.bounds()) - 1} blocks")
    model = STREAMED[method](n_clusters=clusters, n_init=starts, random_state=seed)
    began = time.perf_counter()
    model.fit(X)
    print(f"{model.title} ({weighting}): criterion {model.criterion_:.6f} after ", end="")
    print(f"{model.n_iter_} iterations, {time.perf_counter() - began:.1f} s")
    sizes = write_result(folder, model, method, [(matrix, X)], weighting, seed, starts)
    for k in range(clusters):
        print(f"cluster {k}: " + ", ".join(f"{size[k]} {side}" for side, size in sizes.items()))
    return 0


def folder_of(matrices: list[str], out: str | None) -> Path:
    """Return the folder for the labels, by default one named after the first file."""
    return Path(out or f"{Path(matrices[0]).name.split('.')[0] or 'matrix'}-fit")


def write_result(
    folder: Path,
    model: Any,
    method: str,
    sources: list[tuple[str, Any]],
    weighting: str,
    seed: int,
    starts: int,
) -> dict[str, list[int]]:
    """Write the labels and a summary; return the sizes of the clusters of each side."""
    labels, columns = {"rows": model.row_labels_}, getattr(model, "column_labels_", None)
    if columns is not None:
        ends = np.cumsum([X.shape[1] for _, X in sources])
        # a method on graphs has one label per node for all of them
        several = len(sources) > 1 and len(columns) == ends[-1]
        parts = np.split(columns, ends[:-1]) if several else [columns]
        for number, part in enumerate(parts, 1):
            labels[f"columns-{number}" if several else "columns"] = part
    clusters = model.n_clusters or 0
    sizes = {}
    for name, values in labels.items():
        write_text(folder / f"{name}.txt", "\n".join(map(str, values.tolist())) + "\n")
        sizes[name] = np.bincount(values, minlength=clusters).tolist()
    write_json(
        folder / "summary.json",
        {
            "matrices": [
                {"file": Path(name).name, "shape": list(X.shape), "nonzeros": X.nnz}
                for name, X in sources
            ],
            **{"method": method, "clusters": len(sizes["rows"]), "weighting": weighting},
            **{"seed": seed, "starts": starts, "sizes": sizes},
            **{"criterion": model.criterion_, "iterations": model.n_iter_},
        },
    )
    files = ", ".join(f"{name}.txt" for name in labels)
    print(f"labels: {folder} ({files}), one per line")
    return sizes


def read_matrices(sources: list[str], transpose: bool) -> Dataset:
    """Return matrix files as the views of a dataset without classes and names of features."""
    views = [_in_memory(Path(source), transpose) for source in sources]
    if len({view.shape[0] for view in views}) > 1:
        sizes = (f"{s} has {view.shape[0]}" for s, view in zip(sources, views, strict=True))
        raise RecocoError(
            f"The views differ in their numbers of objects ({', '.join(sizes)}): give files with "
            "the same objects in the same order."
        )
    n, names = views[0].shape[0], ", ".join(Path(source).name for source in sources)
    terms: list = [None] * len(views)
    return Dataset(names, views, np.empty(0, np.int32), [], terms, np.arange(n))


def _in_memory(source: Path, transpose: bool) -> sparse.csr_matrix:
    with tempfile.TemporaryDirectory() as work:
        mapped = _stored(source, Path(work) / "matrix.csr", transpose).mapped()
        parts = (np.array(mapped.data), np.array(mapped.indices), mapped.indptr)
        return sparse.csr_matrix(parts, shape=mapped.shape)


def _on_disk(source: Path, folder: Path, weighting: str, transpose: bool) -> BigCsr:
    """Return the weighted matrix on disk."""
    if not source.is_dir():
        print(f"storing {source.name} on disk by rows: {folder / 'matrix.csr'}", flush=True)
    X = _stored(source, folder / "matrix.csr", transpose)
    if weighting == "count":
        return X
    copy = folder / f"{weighting}.csr"
    if copy.resolve() == source.resolve():
        raise RecocoError(f"{source} is already weighted: give --weighting count.")
    print(f"weighting it: {copy}", flush=True)
    return write_weighted(X, copy, weighting)


def _stored(source: Path, folder: Path, transpose: bool) -> BigCsr:
    """Return a matrix on disk, converted into a folder unless it is one already."""
    if not source.is_dir():
        return convert(source, folder, transpose)
    if transpose:
        raise RecocoError(
            f"{source} is already stored by rows: give the original file with --transpose."
        )
    return BigCsr(source)
