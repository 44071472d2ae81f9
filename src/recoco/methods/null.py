"""Null models: the scores of a method that ignores the data."""

from dataclasses import dataclass

import numpy as np

from recoco.methods.base import Clusterer, Starts


@dataclass(eq=False, repr=False, kw_only=True)
class Null(Clusterer):
    """Uniform random labels.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    n_init, max_iter, tol : int, int and float, default=1, 1 and 0.0
        Ignored; present because all methods have them.
    random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Examples
    --------
    >>> from recoco import Null
    >>> Null(n_clusters=2, random_state=0).fit([[1, 2], [3, 4], [5, 6]]).labels_.tolist()
    [1, 1, 0]
    """

    name = "null"
    title = "Random labels"
    reference = "Null model: every row is put in one of g clusters with equal probability."
    equation_notes = "Labels are independent and uniform on 0..g-1; the criterion is 0."
    two_sided = False

    max_iter: int = 1
    tol: float = 0.0

    def _prepare(self, A):
        return A.shape[0]

    def _run(self, problem, generators, init):
        # eq. labels
        labels = np.stack([rng.integers(self.n_clusters, size=problem) for rng in generators])
        return Starts.from_histories(labels, None, [np.zeros(1)] * len(generators))


class NullSorted(Null):
    """Uniform random labels, sorted: the score of a flawed evaluation on data ordered by class.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    n_init, max_iter, tol, random_state
        See :class:`Null`.

    Examples
    --------
    >>> from recoco import NullSorted
    >>> NullSorted(n_clusters=2, random_state=0).fit([[1, 2], [3, 4], [5, 6]]).labels_.tolist()
    [0, 1, 1]
    """

    name = "null-sorted"
    title = "Random labels, sorted"
    reference = "Null model: random labels, then sorted, as a faulty evaluation would do."
    equation_notes = "As the null model, then sorted; the criterion is 0."

    def _run(self, problem, generators, init):
        starts = super()._run(problem, generators, init)
        starts.row_labels.sort(axis=1)  # eq. labels
        return starts
