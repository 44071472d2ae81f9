"""Methods that fail in the ways that methods fail."""

import time

import numpy as np

from recoco.methods.base import Runs


class _Fake:
    views = "one"

    def __init__(self, n_clusters=2, max_iter=1):
        self.n_clusters = n_clusters
        self.max_iter = max_iter


class Slow(_Fake):
    def fit_runs(self, X, seeds):
        time.sleep(30)


class Failing(_Fake):
    def fit_runs(self, X, seeds):
        raise np.linalg.LinAlgError("no convergence")


class OneCluster(_Fake):
    def fit_runs(self, X, seeds):
        shape = (len(seeds), X.shape[0])
        return Runs(
            row_labels=np.full(shape, 1, dtype=np.int16),
            column_labels=None,
            criterion=np.zeros(len(seeds)),
            n_iter=np.ones(len(seeds), np.int32),
            details={},
            histories=[],
        )
