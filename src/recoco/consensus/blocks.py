"""Ensemble block co-clustering (EBCO): one co-clustering from many, and its one-sided case."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recoco.consensus.bases import (
    Bases,
    check_bases,
    check_number,
    check_partitions,
    number_clusters,
)
from recoco.core.errors import RecocoError
from recoco.methods.base import RandomState, label_dtype
from recoco.methods.checks import check_choice, check_integer, check_matrix


@dataclass
class BlockConsensus:
    """The result of :func:`block_consensus`.

    Attributes
    ----------
    row_labels, column_labels : ndarray of int32, shape (n,) and (d,)
        The consensus.
    n_clusters : int
        Number of co-clusters, chosen or given.
    criterion : float
        Trace(Ztilde' M Wtilde).
    history : ndarray of float64
        The criterion after each iteration, up to the iteration that was kept.
    modularity : float
        Modularity on M (eq. 11).
    start : int
        Number of the start that was kept.
    emptied : int
        Number of clusters that became empty and were refilled, over all starts.
    kept : ndarray of int
        Numbers of the bases that were used.
    base_modularity : ndarray of float64, shape (s,), or None
        Modularity of all bases, if a threshold was given.
    tried : dict of {int: float}
        Modularity by number of co-clusters.
    """

    row_labels: np.ndarray
    column_labels: np.ndarray
    n_clusters: int
    criterion: float
    history: np.ndarray
    modularity: float
    start: int
    emptied: int
    kept: np.ndarray
    base_modularity: np.ndarray | None = None
    tried: dict[int, float] = field(default_factory=dict)


def block_consensus(
    row_labels: Sequence[ArrayLike],
    column_labels: Sequence[ArrayLike],
    n_clusters: int | str = "auto",
    n_init: int = 10,
    max_iter: int = 100,
    stochastic: int = 70,
    tol: float = 1e-6,
    threshold: float | None = None,
    modularity_of: str = "X",
    choose: str = "M",
    X: ArrayLike | None = None,
    largest: int | None = None,
    empty: str = "refuse",
    random_state: RandomState = None,
) -> BlockConsensus:
    """Fuse co-clusterings of one matrix into one (EBCO, Algorithm 1).

    Parameters
    ----------
    row_labels, column_labels : array-like of shape (s, n) and (s, d)
        The base co-clusterings, or sequences of s label arrays. Rows and columns with the same
        label form a co-cluster.
    n_clusters : int or "auto", default="auto"
        Number of co-clusters; "auto" is the one of 2..``largest`` with the largest modularity, see
        ``choose``.
    n_init : int, default=10
        Number of starts.
    max_iter : int, default=100
        Maximum number of iterations of each start.
    stochastic : int, default=70
        Number of iterations in which columns are drawn in proportion to their scores.
    tol : float, default=1e-6
        After that, a start ends when its criterion changes by no more than this fraction.
    threshold : float or None, default=None
        Option 1: use only bases whose modularity is at least this fraction of the largest one.
    modularity_of : {"X", "M"}, default="X"
        Matrix on which option 1 computes the modularity of the bases: the data or the consensus
        matrix, as in :class:`~recoco.methods.ebco.EBCO`.
    choose : {"M", "X"}, default="M"
        Option 2: matrix on which "auto" compares the modularities of the numbers of co-clusters,
        as in :class:`~recoco.methods.ebco.EBCO`.
    X : array-like or sparse matrix of shape (n, d), default=None
        The data, required where one of the two is "X".
    largest : int or None, default=None
        Largest number tried. None means the largest number of co-clusters of a base.
    empty : {"refuse", "allow"}, default="refuse"
        What to do with base co-clusters that have only rows or only columns.
    random_state : int, Generator or None, default=None
        Seed or generator of the random numbers.

    Returns
    -------
    consensus : BlockConsensus

    Examples
    --------
    >>> from recoco import block_consensus
    >>> rows, columns = [[0, 0, 1, 1], [1, 1, 0, 0]], [[0, 1, 1], [1, 0, 0]]
    >>> block_consensus(rows, columns, n_clusters=2, random_state=0).row_labels.tolist()
    [0, 0, 1, 1]
    """
    bases = check_bases(row_labels, column_labels, empty)
    check_choice(modularity_of, "modularity_of", ("X", "M"))
    check_choice(choose, "choose", ("M", "X"))
    on_data = None if X is None else _modularity_on(X, bases)
    if on_data is None:
        for name, matrix, used in (
            ("modularity_of", modularity_of, threshold is not None),
            ("choose", choose, n_clusters == "auto"),
        ):
            if used and matrix == "X":
                raise RecocoError(f"{name} is 'X' but no matrix was given: pass X, or {name}='M'.")
    most = int(bases.n_clusters.max())
    if isinstance(n_clusters, str):
        if n_clusters != "auto":
            raise RecocoError(f"n_clusters is {n_clusters!r}: give a whole number or auto.")
        top = most if largest is None else check_integer(largest, "largest", 2)
        numbers = list(range(min(2, top), top + 1))
    else:
        top = check_integer(n_clusters, "n_clusters", 1)
        numbers = [top]
    if top > most:
        raise RecocoError(
            f"{top} co-clusters were asked, but no base co-clustering has more than {most}: "
            f"ask for at most {most} or give larger bases."
        )
    base_modularity, kept = None, np.arange(bases.by_row.shape[1])
    if threshold is not None:
        base_modularity = base_modularities(bases, on_data if modularity_of == "X" else None)
        kept = above(base_modularity, threshold)
        bases = bases.select(kept)
    rng = np.random.default_rng(random_state)
    chosen_on = on_data if choose == "X" else None
    result = fuse(bases, rng, numbers, n_init, max_iter, stochastic, tol, chosen_on)
    result.kept, result.base_modularity = kept, base_modularity
    result.row_labels = result.row_labels.astype(np.int32)
    result.column_labels = result.column_labels.astype(np.int32)
    return result


def fuse(
    bases: Bases,
    rng: np.random.Generator,
    numbers: Any,
    n_init: int = 10,
    max_iter: int = 100,
    stochastic: int = 70,
    tol: float = 1e-6,
    modularity_on: Any = None,
) -> BlockConsensus:
    """Run Algorithm 1 on checked bases, for the number of co-clusters with the largest modularity.

    ``modularity_on(row_labels, column_labels)`` returns modularities on the data; without it they
    are computed on M. The smallest number wins a tie.
    """
    tried: dict[int, float] = {}
    result: BlockConsensus | None = None
    for g in numbers:
        found = _consensus(bases, rng, g, n_init, max_iter, stochastic, tol)
        tried[g] = found.modularity
        if modularity_on is not None:
            tried[g] = float(modularity_on(found.row_labels, found.column_labels))
        if result is None or tried[g] > tried[result.n_clusters]:  # eq. option 2
            result = found
    if result is None:
        raise ValueError("numbers is empty: give at least one number of co-clusters")
    result.tried = tried
    return result


def above(modularities: np.ndarray, threshold: float) -> np.ndarray:
    """Return the bases whose modularity is at least a fraction of the largest one (option 1)."""
    if not isinstance(threshold, Real) or not np.isfinite(threshold):
        raise RecocoError(f"threshold is {threshold!r}: give a share between 0 and 1, or none.")
    limit = threshold * modularities.max()
    kept = np.flatnonzero(modularities >= limit)  # eq. option 1
    if kept.size == 0:
        raise RecocoError(
            f"The threshold {threshold} keeps no base co-clustering: their modularities are "
            f"{modularities.min():.4g} to {modularities.max():.4g} and {limit:.4g} is asked; "
            "give a share between 0 and 1, or none."
        )
    return kept


def base_modularities(bases: Bases, modularity_on: Any = None) -> np.ndarray:
    """Return the modularity of every base co-clustering, on the data or on M of all of them."""
    pairs = [bases.labels(number) for number in range(bases.by_row.shape[1])]
    if modularity_on is None:
        return np.array([consensus_modularity(bases, z, w) for z, w in pairs])
    return np.array([modularity_on(z, w) for z, w in pairs])


def consensus_modularity(bases: Bases, row_labels: Any, column_labels: Any) -> float:
    """Return the modularity of a co-clustering on the consensus matrix of the bases (eq. 11)."""
    from recoco.kernels.ebco import modularity

    g = int(max(row_labels.max(), column_labels.max())) + 1
    counts = bases.shared(row_labels, column_labels, g)
    return modularity(*counts, bases.weights, bases.row_sizes, bases.column_sizes)


def consensus_matrix(bases: Bases) -> np.ndarray:
    """Return the dense matrix M, for small data and figures only."""
    M = np.zeros((len(bases.by_row), len(bases.by_column)))
    for number in range(bases.by_row.shape[1]):
        z, w = bases.by_row[:, number], bases.by_column[:, number]
        M += np.where(z[:, None] == w, bases.weights[z][:, None], 0.0)  # eq. Section 3.2
    return M


def _modularity_on(X, bases):
    """Return a function that computes the modularity of a co-clustering on the data."""
    from recoco.metrics.coclusters import modularity

    A = check_matrix(X)
    expected = (len(bases.by_row), len(bases.by_column))
    if A.shape != expected:
        raise RecocoError(
            f"The matrix has shape {A.shape}, the partitions are of {expected[0]} rows and "
            f"{expected[1]} columns: give the matrix that was co-clustered."
        )
    return lambda z, w: modularity(A, z, w)


def _consensus(bases, rng, g, n_init, max_iter, stochastic, tol) -> BlockConsensus:
    """Return the (first) best of ``n_init`` random starts by the criterion."""
    import numba

    from recoco.kernels import ebco as kernel

    n, d = len(bases.by_row), len(bases.by_column)
    seeds = rng.integers(2**64, size=n_init, dtype=np.uint64)
    rows = rng.integers(g, size=(n_init, n)).astype(label_dtype(g))
    columns = rng.integers(g, size=(n_init, d)).astype(label_dtype(g))
    histories = np.full((n_init, max_iter), -np.inf)
    parallel = numba.get_num_threads() > 1 and bases.by_row.size * n_init > 20_000
    run = kernel.consensus_parallel if parallel else kernel.consensus
    settings = (g, max_iter, stochastic)
    n_iter, emptied = run(
        bases.by_row,
        bases.by_column,
        bases.weights,
        seeds,
        settings,
        float(tol),
        rows,
        columns,
        histories,
    )
    final = histories[np.arange(n_init), n_iter - 1]
    best = int(np.argmax(final))
    return BlockConsensus(
        row_labels=rows[best],
        column_labels=columns[best],
        n_clusters=g,
        criterion=float(final[best]),
        history=histories[best, : n_iter[best]].copy(),
        modularity=consensus_modularity(bases, rows[best], columns[best]),
        start=best,
        emptied=int(emptied.sum()),
        kept=np.arange(bases.by_row.shape[1]),
    )


def ensemble_clustering(
    partitions: Any,
    n_clusters: int,
    n_init: int = 10,
    max_iter: int = 100,
    update: str = "average",
    tol: float = 1e-6,
    random_state: Any = None,
) -> tuple[np.ndarray, float]:
    """One-sided ensemble clustering, the case of equal rows and columns (section 4.1).

    Maximises Trace(Ztilde' S Ztilde), where S is the mean of Ztilde_l Ztilde_l', by putting every
    object in the cluster with the largest mean similarity S.

    Parameters
    ----------
    partitions : array-like of shape (s, n)
        Partitions by any methods.
    n_clusters : int
        Number of clusters.
    n_init : int, default=10
        Number of random starts.
    max_iter : int, default=100
        Maximum number of iterations of each start.
    update : {"average", "kmeans"}, default="average"
        The update (9) of the paper, which may decrease the criterion (the best iterate is kept),
        or the step of k-means in the feature space of S, which never does.
    tol : float, default=1e-6
        A start ends when its criterion changes by no more than this fraction.
    random_state : int, Generator or None, default=None
        Seed or generator of the random numbers.

    Returns
    -------
    labels : ndarray of int32, shape (n,)
    criterion : float
    """
    from recoco.kernels import ebco as kernel

    check_choice(update, "update", ("average", "kmeans"))
    checked = check_partitions(partitions)
    bases = number_clusters(checked, checked)
    check_number(n_clusters, checked[0].size)
    rng = np.random.default_rng(random_state)
    kept: Any
    best, kept = -np.inf, None
    for _ in range(n_init):
        labels = rng.integers(n_clusters, size=checked[0].size).astype(label_dtype(n_clusters))
        history = np.full(max_iter, -np.inf)
        n_iter, _ = kernel.one_sided(
            bases.by_row,
            bases.weights,
            (n_clusters, max_iter),
            update == "kmeans",
            float(tol),
            labels,
            history,
        )
        if kept is None or history[n_iter - 1] > best:
            best, kept = float(history[n_iter - 1]), labels
    return kept.astype(np.int32), best
