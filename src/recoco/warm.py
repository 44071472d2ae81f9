"""Compile every kernel once, so that no job of the workflow waits for a compiler."""

import numpy as np

from recoco.coherence import count_windows
from recoco.cooccurrence import COUNTS, sppmi
from recoco.methods import METHODS, get_method
from recoco.metrics import score_partitions


def compile_kernels() -> None:
    """Fit every registered method on a small block matrix: numba keeps what it compiles."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    block = np.kron(np.eye(2), np.ones((6, 5))) + (rng.random((12, 10)) < 0.1)
    for name in METHODS:
        method = get_method(name)(n_clusters=2)
        data = csr_matrix(block)
        given = data @ data.T if getattr(method, "graphs_only", False) else data
        runs = method.fit_runs(given if method.views == "one" else [given, given], [1, 2])
        score_partitions(np.repeat([0, 1], 6), runs.row_labels)
        print(f"{name}: compiled")
    for count in COUNTS:
        sppmi(data, count)
    count_windows(["a b"], ["a", "b"])
    print("words: compiled")
