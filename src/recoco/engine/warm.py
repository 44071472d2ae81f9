"""Compile kernels once, so that no job of the workflow waits for a compiler."""

import numpy as np

from recoco.core.errors import RecocoError
from recoco.core.imports import load_class
from recoco.metrics import score_partitions
from recoco.metrics.coherence import count_windows
from recoco.metrics.cooccurrence import COUNTS, sppmi


def compile_kernels(variants: list[dict], words: bool = False) -> None:
    """Fit methods on a small block matrix: numba keeps what it compiles.

    A class may set ``warm_params``: parameters that make it use the same code on small data as on
    large data.

    Parameters
    ----------
    variants : classes (``import_path``) and those of their parameters that choose code (``params``)
    words : whether pairs of words are counted too
    """
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    data = csr_matrix(np.kron(np.eye(2), np.ones((6, 5))) + (rng.random((12, 10)) < 0.1))
    for variant in variants:
        name = " ".join([variant["import_path"].partition(":")[2], *variant["params"].values()])
        try:
            kind = load_class(variant["import_path"])
            more = getattr(kind, "warm_params", {})
            method = kind(n_clusters=2, **variant["params"], **more)
            X = data @ data.T if getattr(method, "graphs_only", False) else data
            runs = method.fit_runs(X if method.views == "one" else [X, X], [1, 2])
        except RecocoError as error:  # an option that requires larger data: its runs compile it
            print(f"{name}: not compiled ({error})")
            continue
        score_partitions(np.repeat([0, 1], 6), runs.row_labels)
        print(f"{name}: compiled")
    if words:
        for count in COUNTS:
            sppmi(data, count)
        count_windows(["a b"], ["a", "b"])
        print("words: compiled")
