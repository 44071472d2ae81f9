"""``recoco fit --matrix``: co-cluster a matrix file that may be larger than memory."""

import time
from pathlib import Path

import numpy as np

from recoco.core.errors import RecocoError
from recoco.core.files import write_json, write_text
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
    if method not in STREAMED:
        raise RecocoError(
            f"{method} cannot read a matrix from disk: use one of {', '.join(STREAMED)}, or "
            "write a card for the matrix (`recoco card`)."
        )
    if clusters is None:
        raise RecocoError("The number of clusters is unknown: give --clusters.")
    source = Path(matrix)
    folder = Path(out) if out else Path(f"{source.name.split('.')[0] or 'matrix'}-fit")
    X = _on_disk(source, folder, weighting, transpose)
    print(f"{X.shape[0]} x {X.shape[1]}, {X.nnz} non-zeros, read in {len(X.bounds()) - 1} blocks")
    model = STREAMED[method](n_clusters=clusters, n_init=starts, random_state=seed)
    began = time.perf_counter()
    model.fit(X)
    print(f"{model.title} ({weighting}): criterion {model.criterion_:.6f} after ", end="")
    print(f"{model.n_iter_} iterations, {time.perf_counter() - began:.1f} s")
    write_text(folder / "rows.txt", _lines(model.row_labels_))
    sizes = {"rows": _sizes(model.row_labels_, clusters)}
    if model.column_labels_ is not None:
        write_text(folder / "columns.txt", _lines(model.column_labels_))
        sizes["columns"] = _sizes(model.column_labels_, clusters)
    for k in range(clusters):
        print(f"cluster {k}: " + ", ".join(f"{size[k]} {side}" for side, size in sizes.items()))
    write_json(
        folder / "summary.json",
        {
            **{"matrix": source.name, "shape": list(X.shape), "nonzeros": X.nnz},
            **{"method": method, "clusters": clusters, "weighting": weighting},
            **{"seed": seed, "starts": starts, "sizes": sizes},
            **{"criterion": model.criterion_, "iterations": model.n_iter_},
        },
    )
    print(f"labels: {folder}, one line per row{' and column' * (len(sizes) > 1)}")
    return 0


def _on_disk(source: Path, folder: Path, weighting: str, transpose: bool) -> BigCsr:
    """Return the weighted matrix on disk."""
    if source.is_dir():
        if transpose:
            raise RecocoError(
                f"{source} is already stored by rows: give the original file with --transpose."
            )
        X = BigCsr(source)
    else:
        print(f"storing {source.name} on disk by rows: {folder / 'matrix.csr'}", flush=True)
        X = convert(source, folder / "matrix.csr", transpose)
    if weighting == "count":
        return X
    copy = folder / f"{weighting}.csr"
    if copy.resolve() == source.resolve():
        raise RecocoError(f"{source} is already weighted: give --weighting count.")
    print(f"weighting it: {copy}", flush=True)
    return write_weighted(X, copy, weighting)


def _lines(labels) -> str:
    return "\n".join(map(str, labels.tolist())) + "\n"


def _sizes(labels, clusters: int) -> list[int]:
    return np.bincount(labels, minlength=clusters).tolist()
