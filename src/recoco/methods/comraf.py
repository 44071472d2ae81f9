"""Comraf: multi-view clustering by the sum of mutual informations."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.methods.base import Starts, check_integer
from recoco.methods.multiview import MultiViewClusterer, Views


@dataclass
class _Problem:
    """The matrix of all views by objects, each view by features, masses and numbers."""

    views: Views
    by_object: sparse.csr_matrix
    totals: np.ndarray
    widths: list[int]


class Comraf(MultiViewClusterer):
    """Maximise the sum over views of the information of the object about the feature clusters.

    The combinatorial Markov random field of a star: the partition of the objects is a node
    with an edge to the partition of the features of every view, and the potential of an edge is
    the mutual information of the two. It is maximised node by node (iterated conditional
    modes): all objects in random order are put where the sum is largest, then the features of
    each view in turn, until nothing moves. Partitions start at random with equal sizes.

    Parameters
    ----------
    n_clusters : int
        Number of object clusters.
    n_column_clusters : int, list of int or None
        Number of feature clusters, of all views or of each. None, the default, is n_clusters
        (or the number of features, if smaller); the CoStar paper does not say what it took.
    n_init : int
        Starts per run; the one with the largest sum is kept.
    max_iter : int
        Largest number of rounds (objects and all views once each).
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_, view_labels_ : arrays of int
    criterion_ : float, the sum of mutual informations in nats
    criterion_history_ : array, the same after each round, never decreasing
    n_iter_ : int

    References
    ----------
    R. Bekkerman, J. Jeon. Multi-modal clustering for multimedia collections. CVPR 2007.
    R. Bekkerman, M. Sahami, E. Learned-Miller. Combinatorial Markov random fields. ECML 2006.
    """

    name = "comraf"
    title = "Comraf"
    reference = (
        "R. Bekkerman, J. Jeon. Multi-modal clustering for multimedia collections. CVPR 2007."
    )
    equation_notes = (
        "argmax of sum_k I(X~; Y~_k) over partitions of the objects and of the features of each "
        "view, by iterated conditional modes from random partitions of equal sizes."
    )
    monotone = True

    def __init__(
        self, n_clusters=2, n_column_clusters=None, n_init=1, max_iter=100, random_state=None
    ):
        self.n_clusters = n_clusters
        self.n_column_clusters = n_column_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return n_init * 20 * (1e-8 * nnz + 4e-8 * (n + d) * n_clusters**2)

    def _check_clusters(self, views):
        super()._check_clusters(views)
        check_integer(self.max_iter, "max_iter", 1)

    def _prepare(self, views: Views) -> _Problem:
        stacked = sparse.hstack(views.matrices, format="csr")
        stacked.sort_indices()
        totals = np.array([matrix.data.sum() for matrix in views.matrices])
        return _Problem(views, stacked, totals, self._widths(views))

    def _run(self, problem, generators, init):
        parts = [self._one(problem, rng) for rng in generators]
        rows, columns, histories = zip(*parts, strict=True)
        return Starts(
            np.array(rows),
            np.array(columns),
            np.array([history[-1] for history in histories]),
            np.array([len(history) for history in histories], np.int32),
            list(histories),
        )

    def _one(self, problem: _Problem, rng):
        from recoco.kernels import comraf as kernel

        views, g, widths = problem.views, self.n_clusters, problem.widths
        n, first, N = views.shape[0], views.first, len(widths)
        rows = _even(rng, n, g)
        columns = np.concatenate(
            [_even(rng, d, m) for d, m in zip(views.widths, widths, strict=True)]
        )
        row_sizes = np.bincount(rows, minlength=g)
        parts = views.split(columns)
        column_sizes = [np.bincount(c, minlength=m) for c, m in zip(parts, widths, strict=True)]
        tables = np.zeros((N, g, max(widths)))
        A, numbers = problem.by_object, np.array(widths)
        history = []
        for _ in range(self.max_iter):
            for k, matrix in enumerate(views.matrices):
                kernel.fill(matrix.indptr, matrix.indices, matrix.data, rows, parts[k], tables[k])
            moves = kernel.sweep(
                rng.permutation(n),
                A.indptr,
                A.indices,
                A.data,
                rows,
                row_sizes,
                columns,
                first,
                tables,
                numbers,
                problem.totals,
            )
            for k, matrix in enumerate(views.transposed):
                table = np.zeros((1, widths[k], g))
                kernel.fill(matrix.indptr, matrix.indices, matrix.data, parts[k], rows, table[0])
                moves += kernel.sweep(
                    rng.permutation(views.widths[k]),
                    matrix.indptr,
                    matrix.indices,
                    matrix.data,
                    parts[k],
                    column_sizes[k],
                    rows,
                    np.array([0, n]),
                    table,
                    np.array([g]),
                    problem.totals[k : k + 1],
                )
                tables[k, :, : widths[k]] = table[0].T
            history.append(
                sum(kernel.information(tables[k, :, : widths[k]].copy()) for k in range(N))
            )
            if not moves:
                break
        return rows, columns, np.array(history)


def _even(rng, size: int, clusters: int) -> np.ndarray:
    """A random partition into clusters of equal sizes, but for the remainder."""
    return rng.permutation(np.arange(size) % clusters)
