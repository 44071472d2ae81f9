"""A prepared dataset in memory and on disk."""

import json
import os
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays, write_arrays


@dataclass
class Dataset:
    """Objects described by one or more matrices, with true classes.

    Attributes
    ----------
    name : str
        Name of the dataset.
    views : list of csr_matrix of float64
        Matrices of shape (n_objects, n_features of the view).
    labels : ndarray of int32
        Classes 0..K-1.
    class_names : list of str
        Names of the classes.
    terms : list of (list of str or None)
        Names of the features of each view, if known.
    permutation : ndarray of int64
        Row ``i`` of the dataset is row ``permutation[i]`` of the source.
    meta : dict
        What card and receipt say about the data.
    """

    name: str
    views: list[csr_matrix]
    labels: np.ndarray
    class_names: list[str]
    terms: list[list[str] | None]
    permutation: np.ndarray
    meta: dict = field(default_factory=dict)

    @property
    def X(self) -> csr_matrix:
        """The first view: the matrix of objects by features for methods with one view."""
        return self.views[0]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)


def write_prepared(path: str | os.PathLike, dataset: Dataset) -> None:
    """Write ``dataset`` as an ``.npz`` file whose bytes depend only on its content."""
    arrays = {
        "meta": np.array(
            json.dumps(dataset.meta | {"dataset": dataset.name}, sort_keys=True, ensure_ascii=False)
        ),
        "labels": np.asarray(dataset.labels, dtype=np.int32),
        "class_names": np.array(dataset.class_names, dtype=str),
        "permutation": np.asarray(dataset.permutation, dtype=np.int64),
        "n_views": np.array(len(dataset.views), dtype=np.int64),
    }
    for i, (view, terms) in enumerate(zip(dataset.views, dataset.terms, strict=True)):
        arrays[f"view{i}_data"] = np.asarray(view.data, dtype=np.float64)
        arrays[f"view{i}_indices"] = np.asarray(view.indices, dtype=np.int32)
        arrays[f"view{i}_indptr"] = np.asarray(view.indptr, dtype=np.int64)
        arrays[f"view{i}_shape"] = np.array(view.shape, dtype=np.int64)
        if terms is not None:
            arrays[f"view{i}_terms"] = np.array(terms, dtype=str)
    write_arrays(path, arrays)


def write_unreachable(path: str | os.PathLike, name: str, meta: dict) -> None:
    """Write the placeholder of a dataset that is not available: no arrays, only the reason."""
    content = meta | {"dataset": name, "status": "unreachable"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    write_arrays(path, {"meta": np.array(text)})


def load_prepared(path: str | os.PathLike) -> Dataset:
    """Read a dataset written by `prepare`.

    Parameters
    ----------
    path : path-like
        A file such as ``resources/prepared/classic3.npz``.

    Returns
    -------
    dataset : Dataset
    """
    path = Path(path)
    try:
        arrays = read_arrays(path)
        meta = json.loads(str(arrays["meta"]))
    except FileNotFoundError:
        raise RecocoError(
            f"There is no {path}: `recoco.datasets.load_dataset({path.stem!r})` prepares it."
        ) from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise RecocoError(
            f"{path} is not a prepared dataset ({error}): delete it and prepare it again."
        ) from None
    if meta.get("status") == "unreachable":
        raise RecocoError(f"Dataset {meta['dataset']} is unreachable: {meta.get('by_hand', '')}")
    views, terms = [], []
    for i in range(int(arrays["n_views"])):
        parts = (arrays[f"view{i}_data"], arrays[f"view{i}_indices"], arrays[f"view{i}_indptr"])
        view = csr_matrix(parts, shape=tuple(arrays[f"view{i}_shape"].tolist()))
        view.has_sorted_indices = True  # prepare sorted them
        views.append(view)
        names = arrays.get(f"view{i}_terms")
        terms.append(None if names is None else names.tolist())
    return Dataset(
        name=meta["dataset"],
        views=views,
        labels=arrays["labels"],
        class_names=arrays["class_names"].tolist(),
        terms=terms,
        permutation=arrays["permutation"],
        meta=meta,
    )
