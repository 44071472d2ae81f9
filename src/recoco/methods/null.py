"""Null models: what a method would score that does not look at the data."""

import numpy as np

from recoco.methods.base import Clusterer, Starts


class Null(Clusterer):
    """Uniform random labels.

    Parameters
    ----------
    n_clusters : int
    n_init, max_iter, tol : taken for the sake of the common interface; all starts are equal.
    random_state : int, Generator, RandomState or None
    """

    name = "null"
    title = "Random labels"
    reference = "Null model: every row is put in one of g clusters with equal probability."
    equation_notes = "Labels are independent and uniform on 0..g-1; the criterion is 0."
    two_sided = False

    def __init__(self, n_clusters=2, n_init=1, max_iter=1, tol=0.0, random_state=None):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return 1e-8 * n * n_init

    def _prepare(self, A):
        return A.shape[0]

    def _run(self, problem, generators, init):
        labels = np.stack([rng.integers(self.n_clusters, size=problem) for rng in generators])
        B = len(generators)
        return Starts(labels, None, np.zeros(B), np.ones(B, np.int32), [np.zeros(1)] * B)


class NullSorted(Null):
    """Uniform random labels, sorted: the score of a wrong evaluation on class-ordered data."""

    name = "null-sorted"
    title = "Random labels, sorted"
    reference = "Null model: random labels, then sorted, as a faulty evaluation would do."
    equation_notes = "As the null model, then sorted; the criterion is 0."

    def _run(self, problem, generators, init):
        starts = super()._run(problem, generators, init)
        starts.row_labels.sort(axis=1)
        return starts
