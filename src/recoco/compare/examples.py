"""The papers' worked examples, computed by the methods themselves."""

import json
from pathlib import Path

import numpy as np


def _coclus_5x4(example: dict) -> dict[str, float]:
    """Modularity before, after the row step and after the column step of Algorithm 1."""
    from scipy.sparse import csr_matrix

    from recoco.methods.coclus import CoClus
    from recoco.metrics.coclusters import modularity

    inputs = example["inputs"]
    matrix = csr_matrix(np.array(inputs["A"], dtype=float))
    columns = np.argmax(inputs["W_initial"], axis=1)
    rows = np.argmax(inputs["Z_initial"], axis=1)
    sweep = CoClus(n_clusters=2, max_iter=1).fit(matrix, init=columns)
    return {
        "initial": modularity(matrix, rows, columns),
        "after_Z": modularity(matrix, sweep.row_labels_, columns),
        "after_W": sweep.criterion_,
    }


def _costar(example: dict, **other_features) -> dict[str, float]:
    """tau_X|Y and every tau_Yk|X of two co-clusterings of one or two views."""
    from recoco.metrics.tau import taus

    inputs = example["inputs"]
    views = [np.array(inputs[key], dtype=float) for key in ("D", "D1", "D2") if key in inputs]
    found = {}
    for name in ("C1", "C2"):
        groups = {**inputs[name], **(other_features if name == "C2" else {})}
        features = [_labels(group) for key, group in groups.items() if key.startswith("features")]
        values = taus(views, _labels(groups["objects"]), features)
        of_views = ["y"] if len(views) == 1 else [f"y{k + 1}" for k in range(len(views))]
        names = ["tau_x_given_y", *(f"tau_{view}_given_x" for view in of_views)]
        found |= {f"{name}_{key}": float(v) for key, v in zip(names, values, strict=True)}
    return found


def _labels(groups: list[list[int]]) -> np.ndarray:
    labels = np.zeros(sum(map(len, groups)), dtype=int)
    for number, group in enumerate(groups):
        labels[np.array(group) - 1] = number
    return labels


def _costar_misread(example: dict) -> tuple[str, dict[str, float]]:
    """The same with the partition of view 1 that the printed values belong to."""
    used = example["alternative_that_reproduces_published"]["features_view1_used"]
    shown = ", ".join("{" + ", ".join(f"f{f}" for f in group) + "}" for group in used)
    return f"with the clusters {shown} in view 1", _costar(example, features_view1=used)


EXAMPLES = {
    "coclus_5x4": _coclus_5x4,
    "costar_example1": _costar,
    "costar_example2": _costar,
}
# What a paper computed in place of what it prints, with the words for it.
_MISREAD = {"costar_example2": _costar_misread}


def compute_example(key: str, published_dir: Path) -> dict[str, float]:
    """Return the values of a worked example by the name of the cell that prints them.

    A cell is named by the first word of its note, or as method_metric.
    """
    return EXAMPLES[key](_read(key, published_dir))


def misread_example(key: str, published_dir: Path) -> tuple[str, dict[str, float]]:
    """Return how an example must be misread to give the printed values, and what it then gives."""
    return _MISREAD[key](_read(key, published_dir)) if key in _MISREAD else ("", {})


def _read(key: str, published_dir: Path) -> dict:
    content = json.loads((published_dir / "worked_examples.json").read_text(encoding="utf-8"))
    return next(entry for entry in content["examples"] if entry["id"] == key)
