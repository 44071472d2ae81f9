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


EXAMPLES = {"coclus_5x4": _coclus_5x4}


def compute_example(key: str, published_dir: Path) -> dict[str, float]:
    """Return the values of a worked example by the name of the cell that prints them."""
    content = json.loads((published_dir / "worked_examples.json").read_text(encoding="utf-8"))
    example = next(entry for entry in content["examples"] if entry["id"] == key)
    return EXAMPLES[key](example)
