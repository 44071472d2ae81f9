"""Comraf: multi-view clustering by the sum of mutual informations."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.methods.multiview import MultiViewClusterer, Views


@dataclass
class _Problem:
    """The views side by side and one by one, their totals and numbers of feature clusters."""

    views: Views
    by_object: sparse.csr_matrix
    totals: np.ndarray
    widths: list[int]


@dataclass(eq=False, repr=False, kw_only=True)
class Comraf(MultiViewClusterer):
    """Maximise the sum over views of the mutual information of object and feature clusters.

    This is the combinatorial Markov random field of a star: the partition of the objects is a
    node with an edge to the partition of the features of every view, and the potential of an edge
    is the mutual information of the two. It is maximised node by node (iterated conditional
    modes): all objects, in random order, are put where the sum is largest, then the features of
    each view in turn, until nothing moves. Starts are random partitions into clusters of equal
    size.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of object clusters.
    n_column_clusters : int, list of int or None, default=None
        Number of feature clusters, for all views or for each. None means n_clusters (or the
        number of features, if smaller); the CoStar paper does not say which number it used.
    max_iter : int, default=100
        Maximum number of rounds, each through the objects and all views.
    n_init, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        The sum of mutual informations in nats.
    criterion_history_ : ndarray
        The sum after each round; it never decreases.
    n_iter_ : int
        Number of rounds of the start that was kept.
    row_labels_, column_labels_, view_labels_
        See :class:`~recoco.methods.multiview.MultiViewClusterer`.

    References
    ----------
    R. Bekkerman, J. Jeon. Multi-modal clustering for multimedia collections. CVPR 2007.
    R. Bekkerman, M. Sahami, E. Learned-Miller. Combinatorial Markov random fields. ECML 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import Comraf
    >>> X = np.kron(np.eye(2), np.full((3, 3), 9)) + 1
    >>> Comraf(n_clusters=2, n_init=5, random_state=0).fit([X, X]).labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    """

    name = "comraf"
    title = "Comraf"
    equation_notes = (
        "argmax of sum_k I(X~; Y~_k) over partitions of the objects and of the features of each "
        "view, by iterated conditional modes from random partitions of equal sizes."
    )
    monotone = True

    n_column_clusters: int | list[int] | None = None

    def _prepare(self, views: Views) -> _Problem:
        stacked = sparse.hstack(views.matrices, format="csr")
        stacked.sort_indices()
        totals = np.array([matrix.data.sum() for matrix in views.matrices])
        return _Problem(views, stacked, totals, self._widths(views))

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
    """Return a random partition into clusters of equal size, up to the remainder."""
    return rng.permutation(np.arange(size) % clusters)
