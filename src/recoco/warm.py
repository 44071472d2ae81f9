"""Compile kernels once, so that no job of the workflow waits for a compiler."""

import numpy as np

from recoco.coherence import count_windows
from recoco.cooccurrence import COUNTS, sppmi
from recoco.errors import RecocoError
from recoco.methods.loading import load_class
from recoco.metrics import score_partitions


def compile_kernels(variants: list[dict], words: bool = False) -> None:
    """Fit methods on a small block matrix: numba keeps what it compiles.

    A class says as ``warm_params`` what makes it use on small data what it uses on large ones.

    Parameters
    ----------
    variants : classes (``place``) and those of their parameters that choose code (``params``)
    words : whether pairs of words are counted too
    """
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    data = csr_matrix(np.kron(np.eye(2), np.ones((6, 5))) + (rng.random((12, 10)) < 0.1))
    for variant in variants:
        name = " ".join([variant["place"].partition(":")[2], *variant["params"].values()])
        try:
            kind = load_class(variant["place"])
            more = getattr(kind, "warm_params", {})
            method = kind(n_clusters=2, **variant["params"], **more)
            given = data @ data.T if getattr(method, "graphs_only", False) else data
            runs = method.fit_runs(given if method.views == "one" else [given, given], [1, 2])
        except RecocoError as error:  # an option that asks for larger data: compiled by its runs
            print(f"{name}: not compiled ({error})")
            continue
        score_partitions(np.repeat([0, 1], 6), runs.row_labels)
        print(f"{name}: compiled")
    if words:
        for count in COUNTS:
            sppmi(data, count)
        count_windows(["a b"], ["a", "b"])
        print("words: compiled")
