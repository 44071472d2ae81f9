"""DCC: directional co-clustering with a conscience."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from recoco.methods.arrays import parts, safe_exponents, slot_dtype, slots
from recoco.methods.base import CoClusterer, Starts, finished, label_dtype
from recoco.methods.checks import check_choice, check_integer, check_labels
from recoco.methods.filled import Filled, without_empty


@dataclass
class _Problem:
    """Rows of unit length, by row and by column, of the matrix without empty rows and columns."""

    by_row: sparse.csr_matrix
    by_column: sparse.csr_matrix
    filled: Filled


@dataclass(eq=False, repr=False, kw_only=True)
class DCC(CoClusterer):
    """Diagonal co-clustering of directions, with a conscience that balances the cluster sizes.

    Rows are scaled to unit length. Row i is put in the co-cluster with the largest
    (X W)_ik / sqrt(w_.k z_.k), column j in the one with the largest (X' Z)_jk / sqrt(z_.k w_.k),
    where the sizes are those before the step. During the first iterations the label of a column is
    drawn with probabilities proportional to its scores instead, which avoids poor solutions.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of co-clusters g.
    stochastic : int, default=70
        Number of iterations in which column labels are drawn.
    start : {"random", "spherical"}, default="random"
        Random rows and columns; or rows by spherical k-means, and each column where its mean
        weight is largest.
    max_iter : int, default=100
        Maximum number of iterations, each a row and a column half-step.
    tol : float, default=1e-6
        After the stochastic iterations, a start ends when its criterion changes by no more than
        this fraction of itself.
    n_init, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    criterion_ : float
        Trace(Ztilde' X Wtilde).
    criterion_history_ : ndarray
        The criterion after each iteration, up to the iteration that was kept.
    n_iter_ : int
        The iteration that was kept.
    details_ : dict
        ``emptied`` is the number of clusters that became empty and were refilled.
    concentration_ : ndarray of shape (g,)
        Estimates of the von Mises-Fisher concentrations.
    log_likelihood_ : float
        Classification log-likelihood of the rows at these estimates.
    row_labels_, column_labels_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    Because the steps use old sizes, the criterion may decrease and a cluster may become empty: the
    best iterate is kept, and an empty cluster receives the row (column) with the lowest score.
    Empty rows and columns have no direction: they are labelled 0 and count in no size.
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).

    References
    ----------
    A. Salah, M. Nadif. Model-based von Mises-Fisher Co-clustering with a Conscience. SDM 2017,
    246-254; Directional Co-clustering. ADAC 13, 2019, 591-620.

    Examples
    --------
    >>> from recoco import DCC
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> model = DCC(n_clusters=2, n_init=5, random_state=0).fit(X)
    >>> model.row_labels_.tolist(), model.column_labels_.tolist()
    ([0, 0, 1, 1], [0, 0, 1, 1])
    """

    name = "dcc"
    title = "DCC"
    equation_notes = (
        "Rows by argmax of (X W)_ik / sqrt(w_.k z_.k), columns by argmax of "
        "(X' Z)_jk / sqrt(z_.k w_.k), drawn in proportion in the first iterations; criterion: "
        "Trace(Ztilde' X Wtilde)."
    )

    stochastic: int = 70
    start: str = "random"
    tol: float = 1e-6

    def _store(self, data, runs) -> None:
        super()._store(data, runs)
        problem = self._prepare(data)
        rows = self.row_labels_[problem.filled.rows]
        columns = self.column_labels_[problem.filled.columns]
        self.concentration_, self.log_likelihood_ = _mixture(
            problem.by_row, rows, columns, self.n_clusters
        )

    def _check_init(self, A, init):
        return check_labels(init, A.shape[0], self.n_clusters, "row")

    def _batch_size(self, A):
        # labels (2 bytes) and scores (8) must be small relative to the matrix
        per_start = 12 * sum(A.shape)
        return int(np.clip(A.nnz * 12 // per_start, 8, 32))

    def _prepare(self, A):
        check_integer(self.stochastic, "stochastic", 0)
        check_choice(self.start, "start", ("random", "spherical"))
        filled = without_empty(A, self.n_clusters)
        X = unit_rows(filled.A)
        return _Problem(X, X.T.tocsr(), filled)

    def _run(self, problem, generators, init):
        X, g = problem.by_row, self.n_clusters
        n, d = X.shape
        seeds = np.array([r.integers(2**64, dtype=np.uint64) for r in generators], np.uint64)
        if init is not None:
            rows: Any = [init[problem.filled.rows]]
        elif self.start == "random":
            rows = [r.integers(g, size=n) for r in generators]
        else:
            from recoco.methods.spherical import spherical_starts

            rows = spherical_starts(X, generators, g)
        if init is None and self.start == "random":
            columns = [r.integers(g, size=d) for r in generators]
        else:
            columns = [heaviest_columns(X, z, g) for z in rows]
        starts, emptied = _alternate(
            problem, rows, columns, seeds, g, self.max_iter, self.stochastic, self.tol
        )
        starts.row_labels, starts.column_labels = problem.filled.spread(
            starts.row_labels, starts.column_labels
        )
        starts.details["emptied"] = emptied
        return starts


def unit_rows(A: sparse.csr_matrix) -> sparse.csr_matrix:
    """Divide rows, none of which is empty, by their Euclidean norms."""
    counts = np.diff(A.indptr)
    # a row may be extreme although the matrix is not
    exponents = safe_exponents(np.maximum.reduceat(A.data, A.indptr[:-1]))
    data = np.ldexp(A.data, -np.repeat(exponents, counts)) if exponents.any() else A.data
    size = np.sqrt(np.add.reduceat(data**2, A.indptr[:-1]))
    data = data / np.repeat(size, counts)
    return sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


def heaviest_columns(A: sparse.csr_matrix, row_labels: Any, n_clusters: int) -> np.ndarray:
    """Put every column in the row cluster in which its mean weight is largest."""
    n = A.shape[0]
    labels = np.asarray(row_labels, np.int64)
    Z = sparse.csr_matrix((np.ones(n), labels, np.arange(n + 1)), shape=(n, n_clusters))
    sizes = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
    return ((A.T @ Z).toarray() / sizes).argmax(axis=1)


def _scale(row_sizes, column_sizes):
    # an empty cluster, possible only at the start, counts as size 1
    # eq. conscience
    return 1.0 / np.sqrt(np.maximum(row_sizes, 1).astype(float) * np.maximum(column_sizes, 1))


def _alternate(problem, row_labels, column_labels, seeds, g, max_iter, stochastic, tol):
    """Alternate from every given pair of partitions, and keep the best iterate of each start."""
    import numba

    from recoco.kernels import dcc as kernel

    X = problem.by_row
    (n, d), B = X.shape, len(row_labels)
    by_row, by_column = parts(X), parts(problem.by_column)
    # for less work than this, starting threads takes longer than they save
    threads = numba.get_num_threads() if X.nnz * B > 200_000 else 1
    assign = kernel.assign_parallel if threads > 1 else kernel.assign
    dtype = slot_dtype(g * B)
    none = np.uint64(0)

    Z = np.array(row_labels, label_dtype(g))
    W = np.array(column_labels, label_dtype(g))
    histories = np.full((B, max_iter), -np.inf)
    n_iter = np.ones(B, np.int32)  # of the best iterate
    emptied = np.zeros(B, np.int32)
    active = np.arange(B)
    rows, columns = slots(Z.T, dtype), slots(W.T, dtype)
    row_sizes = kernel.slot_sizes(rows, g * B)
    column_sizes = kernel.slot_sizes(columns, g * B)
    row_best, column_best = np.empty((n, B)), np.empty((d, B))
    for iteration in range(max_iter):
        width = active.size
        refills = np.zeros(width, np.int32)
        scale = _scale(row_sizes, column_sizes)
        row_sizes, inside, moves = assign(
            *by_row, columns, scale, False, seeds, none, rows, row_best
        )
        if not row_sizes.all():
            kernel.refill(*by_row, columns, rows, row_best, row_sizes, inside, refills)
        scale = _scale(row_sizes, column_sizes)
        drawing = iteration < stochastic
        column_sizes, inside, others = assign(
            *by_column,
            rows,
            scale,
            drawing,
            seeds,
            np.uint64(iteration) * np.uint64(d),
            columns,
            column_best,
        )
        if not column_sizes.all():
            kernel.refill(*by_column, rows, columns, column_best, column_sizes, inside, refills)
        emptied[active] += refills
        value = kernel.criteria(inside, row_sizes, column_sizes, width)
        histories[active, iteration] = value
        better = value > histories[active, n_iter[active] - 1]
        if iteration == 0:
            better[:] = True
        n_iter[active[better]] = iteration + 1
        Z[active[better]] = (rows[:, better] // width).T
        W[active[better]] = (columns[:, better] // width).T
        if iteration <= stochastic:
            continue
        change = np.abs(value - histories[active, iteration - 1])
        ended = (change <= tol * np.abs(value)) | ((moves == 0) & (others == 0) & (refills == 0))
        if not ended.any():
            continue
        stay = ~ended
        active, seeds = active[stay], seeds[stay]
        if active.size == 0:
            break
        rows = slots(rows[:, stay] // width, dtype)
        columns = slots(columns[:, stay] // width, dtype)
        row_sizes = row_sizes.reshape(g, width)[:, stay].ravel()
        column_sizes = column_sizes.reshape(g, width)[:, stay].ravel()
        row_best, column_best = np.empty((n, active.size)), np.empty((d, active.size))
    return Starts.from_histories(Z, W, finished(histories, n_iter)), emptied


def log_vmf_normaliser(dimension: int, concentration: Any) -> np.ndarray:
    """Return the logarithm of the von Mises-Fisher normaliser c_d(kappa) in any dimension.

    c_d(kappa) = kappa^(d/2 - 1) / ((2 pi)^(d/2) I_(d/2 - 1)(kappa)). The Bessel function is
    evaluated in scaled form; where even that is too small for a float, its uniform expansion for
    large orders (Debye) is used.

    Parameters
    ----------
    dimension : int
        The dimension d.
    concentration : float or array-like
        Values of kappa, at least 0.

    Returns
    -------
    values : ndarray of float64
    """
    from scipy.special import gammaln, ive

    kappa = np.atleast_1d(np.asarray(concentration, float))
    order = dimension / 2 - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = ive(order, kappa)
        log_bessel = np.log(scaled) + kappa
        small = ~(scaled > 1e-280)
        if small.any() and order > 0:
            z = kappa[small] / order
            root = np.hypot(1.0, z)
            t = 1.0 / root
            u1 = t * (3 - 5 * t**2) / 24
            u2 = t**2 * (81 - 462 * t**2 + 385 * t**4) / 1152
            u3 = t**3 * (30375 - 369603 * t**2 + 765765 * t**4 - 425425 * t**6) / 414720
            log_bessel[small] = (
                order * (root + np.log(z / (1 + root)))
                - 0.5 * np.log(2 * np.pi * order * root)
                + np.log1p(u1 / order + u2 / order**2 + u3 / order**3)
            )
        value = order * np.log(kappa) - (order + 1) * np.log(2 * np.pi) - log_bessel
    # a concentration of 0 is the uniform distribution on the sphere
    uniform = gammaln(order + 1) - np.log(2.0) - (order + 1) * np.log(np.pi)
    return np.where(kappa > 0, value, uniform)


def _mixture(X, rows, columns, g):
    """Return concentrations and classification log-likelihood of the mixture that DCC implies.

    Cluster k has the mean direction with 1 / sqrt(w_.k) at its columns; kappa is estimated
    from the mean cosine r by (r d - r^3) / (1 - r^2) (Banerjee et al. 2005).
    """
    n, d = X.shape
    row_sizes, column_sizes = np.bincount(rows, minlength=g), np.bincount(columns, minlength=g)
    entry_rows = np.repeat(rows, np.diff(X.indptr))
    same = entry_rows == columns[X.indices]
    inside = np.bincount(entry_rows[same], X.data[same], g)
    r = inside / (np.maximum(row_sizes, 1) * np.sqrt(np.maximum(column_sizes, 1)))
    r = np.minimum(r, 1 - 1e-12)
    kappa = (r * d - r**3) / (1 - r**2)
    used = row_sizes > 0
    terms = log_vmf_normaliser(d, kappa)[used] + kappa[used] * r[used]
    share = row_sizes[used] / n
    return kappa, float((row_sizes[used] * (terms + np.log(share))).sum())
