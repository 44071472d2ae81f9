"""Analysis of co-clusters: the labels of a run as a picture, as classes, and as words."""

from pathlib import Path

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.core.files import write_arrays
from recoco.core.imports import load_class
from recoco.datasets.dataset import load_prepared
from recoco.report.figures.raster import rasterise
from recoco.runs.scoring import best_run, read_setting

BINS = 200


def write_coclusters(inputs: dict, task: dict, out: Path) -> None:
    """Write the picture, classes and words of the co-clusters of the best run of a setting.

    The task has the number of ``runs`` to choose from by their criterion, the ``import_path`` of
    the method and the number of words per co-cluster (``top``).
    """
    runs = read_setting(inputs["blocks"], task["runs"])
    if "column_labels" not in runs.arrays:
        why = next((error for error in runs.errors if error), "its method has no column clusters")
        write_arrays(out, {"status": np.array(f"no co-clusters: {why}")})
        return
    dataset = load_prepared(Path(inputs["data"][0]))
    best = best_run(runs, load_class(task["import_path"]).larger_is_better)
    rows, columns = (best[f"{side}_labels"].astype(np.int64) for side in ("row", "column"))
    density, row_borders, column_borders = picture(dataset.X, rows, columns)
    g = max(len(row_borders), len(column_borders)) - 1
    tops, frequency = frequent_words(dataset.X, columns, g, task["top"])
    arrays = {
        "status": np.array("ok"),
        "run": np.array(best["run"]),
        "criterion": np.array(best["criterion"]),
        "picture": density,
        "row_borders": row_borders,
        "column_borders": column_borders,
        "classes": class_table(rows, dataset.labels, g),
        "class_names": np.array([str(name) for name in dataset.class_names], dtype=str),
    }
    if dataset.terms[0] is not None:
        used = np.unique(tops[tops >= 0])
        places = np.searchsorted(used, tops)
        arrays["top_words"] = np.where(tops >= 0, places, -1).astype(np.int32)
        arrays["frequency"] = frequency
        arrays["vocabulary"] = np.array([dataset.terms[0][j] for j in used], dtype=str)
    write_arrays(out, arrays)


def picture(X, row_labels, column_labels, bins: int = BINS):
    """Return the density of a matrix ordered by co-cluster, in at most ``bins`` x ``bins`` tiles.

    Returns
    -------
    density : float32 (b, c), share of the entries of each tile that are not zero
    row_borders, column_borders : int64 (g + 1,), where each co-cluster begins and ends
    """
    g = int(max(np.max(row_labels), np.max(column_labels))) + 1
    orders, borders = [], []
    for labels, size in zip((row_labels, column_labels), X.shape, strict=True):
        labels = np.asarray(labels)
        if labels.shape != (size,):
            raise RecocoError(
                f"There are {labels.size} labels for {size} lines of the matrix: give one for each."
            )
        orders.append(np.argsort(labels, kind="stable"))
        borders.append(np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=g))]))
    return rasterise(X, *orders, bins, bins).shares.astype(np.float32), *borders


def class_table(row_labels, classes, n_clusters: int) -> np.ndarray:
    """Return int64 (g, K): how many documents of each class are in each co-cluster."""
    K = int(np.max(classes)) + 1
    flat = np.asarray(row_labels, np.int64) * K + np.asarray(classes, np.int64)
    return np.bincount(flat, minlength=n_clusters * K).reshape(n_clusters, K)


def frequent_words(X, column_labels, n_clusters: int, top: int):
    """Return the words of largest column sums of each co-cluster, and those sums.

    Returns
    -------
    words : int64 (g, top), -1 where a co-cluster has fewer; of equal sums the first word
    sums : float64 (g, top), 0 there
    """
    total = np.asarray(sparse.csr_matrix(X).sum(axis=0)).ravel()
    words = np.full((n_clusters, top), -1, np.int64)
    sums = np.zeros((n_clusters, top))
    for k in range(n_clusters):
        inside = np.flatnonzero(np.asarray(column_labels) == k)
        first = inside[np.argsort(-total[inside], kind="stable")[:top]]
        words[k, : first.size] = first
        sums[k, : first.size] = total[first]
    return words, sums
