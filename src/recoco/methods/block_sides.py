"""Block models of any matrix: their base class, and starts on both sides or with hard labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.similarity_graphs import Cooccurrence
from recoco.methods.base import Starts, finished, label_dtype
from recoco.methods.biclusters import Biclusters
from recoco.methods.block_engine import SMALL, VariationalModel, multiply, one_hot, stack
from recoco.methods.checks import check_labels, check_matrix
from recoco.methods.graph_clusterer import Graphs, asymmetry, check_graphs, likeness

# with a larger correlation of entries (i, j) and (j, i), a matrix may have been meant as a graph
NEARLY = 0.9


@dataclass
class Sides:
    """A matrix by rows and by columns, with its margins."""

    by_row: sparse.csr_matrix
    by_column: sparse.csr_matrix
    row_degree: np.ndarray
    column_degree: np.ndarray


@dataclass(eq=False, repr=False, kw_only=True)
class _LatentBlockModel(Biclusters, VariationalModel):
    """Base class of the models with degrees, for symmetric graphs and for any matrix."""

    graphs_only = False

    symmetric: bool | None = None

    def _check_data(self, X):
        if self.symmetric not in (None, True, False):
            raise RecocoError(f"symmetric is {self.symmetric!r}: give True, False or None.")
        held = isinstance(X, Graphs | Cooccurrence)
        if not held:
            A = X = check_matrix(X)
        like_graph = held or (A.shape[0] == A.shape[1] and asymmetry(A) is None)
        if self.symmetric or (self.symmetric is None and like_graph and self._one_partition()):
            return X if isinstance(X, Graphs) else check_graphs(X)
        if held:
            A = X.graphs[0] if isinstance(X, Graphs) else X.matrix()
        return A

    def _warnings(self, data):
        yield from super()._warnings(data)
        n, d = data.shape
        undecided = self.symmetric is None and n == d and self._one_partition()
        if isinstance(data, Graphs) or not undecided:
            return
        place = asymmetry(data)
        if place is None or likeness(data) < NEARLY:
            return
        i, j = place
        yield (
            f"The matrix is nearly symmetric, but entry ({i}, {j}) is "
            f"{self.scale_ * data[i, j]:g} and ({j}, {i}) is {self.scale_ * data[j, i]:g}, so "
            f"{self.title} took rows and columns for different things: make it symmetric if it is "
            "a graph, or set symmetric=False if it is not.",
            UserWarning,
        )

    def _one_partition(self) -> bool:
        return self._m == self.n_clusters

    def _check_init(self, A, init):
        return check_labels(init, A.shape[1], self._m, "column")

    def _prepare(self, A):
        if isinstance(A, Graphs):
            return stack(A)
        by_column = A.T.tocsr()
        rows, columns = (np.asarray(A.sum(axis=axis)).ravel() for axis in (1, 0))
        return Sides(A, by_column, rows, columns)

    def _random(self, problem, generators, init):
        """Return the labels of rows and columns that each start begins with."""
        n, d = problem.by_row.shape
        g, m = self.n_clusters, self._m
        if init is None:
            rows = [r.integers(g, size=n) for r in generators]
            return rows, [r.integers(m, size=d) for r in generators]
        W = np.eye(max(g, m))[init][:, :g]
        return [(problem.by_row @ W).argmax(axis=1)], [init]

    def _run_em(self, problem, generators, init, model, derived=True, hard=False) -> Starts:
        if isinstance(problem, Sides):
            labels, widths = self._random(problem, generators, init), (self.n_clusters, self._m)
            starts, Z = run_sides(problem, *labels, widths, model, hard, self)  # type: ignore[call-arg]
            self._keep(starts.criterion, Z)
        else:
            starts = super()._run_em(problem, generators, init, model, derived)
            starts.column_labels = starts.row_labels
        return starts


def run_moves(
    problem: Any, generators: Any, init: Any, shares: bool, model: Any, value: Any
) -> Starts:
    """Move single nodes, starting from random labels.

    With ``shares`` the criterion includes sum_k n_k log(n_k / n). ``value`` turns a history of it
    into that of the model.
    """
    import numba

    from recoco.kernels import block_sides as kernel

    A, degree, g = problem.rows, problem.degree[0], model.n_clusters
    n, T = degree.size, len(generators)
    if init is None:
        labels = np.array([r.integers(g, size=n) for r in generators], np.int32)
        orders = np.array([r.permutation(n) for r in generators], np.int32)
    else:
        labels, orders = np.array([init], np.int32), np.arange(n, dtype=np.int32)[None]
    histories: Any = np.full((T, model.max_iter), -np.inf)
    n_iter = np.zeros(T, np.int32)
    threads = numba.get_num_threads() > 1 and A.nnz * T > SMALL
    move = kernel.move_parallel if threads else kernel.move
    tol = float(model.tol)
    move(A.indptr, A.indices, A.data, degree, shares, g, orders, labels, tol, histories, n_iter)
    histories = [value(history) for history in finished(histories, n_iter)]
    starts = Starts.from_histories(labels.astype(label_dtype(g)), None, histories)
    model._keep(starts.criterion, np.eye(g)[starts.row_labels])
    return starts


def run_sides(
    problem: Sides, rows: Any, columns: Any, widths: Any, model: int, hard: bool, settings: Any
) -> tuple[Starts, np.ndarray]:
    """Run EM, alternating between rows and columns, from every given pair of partitions.

    Returns
    -------
    starts : Starts
    posteriors : ndarray of shape (T, n, g)
        Those of the rows.
    """
    import numba

    from recoco.kernels import block_models, block_sides
    from recoco.methods.croinfo import paired

    A, At = problem.by_row, problem.by_column
    (g, m), T, (n, d) = widths, len(rows), A.shape
    threads = numba.get_num_threads() > 1 and A.nnz * max(g, m) * T > SMALL
    side = block_sides.side_parallel if threads else block_sides.side
    full = model == block_models.PLBM

    Z, W = one_hot(rows, g), one_hot(columns, m)
    shares = [np.empty((T, g)), np.empty((T, m))]
    logs = [np.empty((T, g if full else 1, m)), np.empty((T, m if full else 1, g))]
    pulls = [np.zeros((T, g)), np.zeros((T, m))]
    masses = np.zeros((T, 2, max(g, m)))
    masses[:, 1, :m] = np.einsum("jtm,j->tm", W, problem.column_degree)
    parts = np.zeros((T, 2, 2))

    def half(which, expect):
        own, other = (Z, W) if which == 0 else (W, Z)
        degree = problem.row_degree if which == 0 else problem.column_degree
        P = multiply(A if which == 0 else At, other.reshape(len(other), -1), threads)
        turned = masses if which == 0 else np.ascontiguousarray(masses[:, ::-1])
        found = np.empty((Z.shape[1], 2))
        side(model, hard, expect, own, P.reshape(len(own), *other.shape[1:]), degree,
             shares[which], logs[which], pulls[which], logs[1 - which], pulls[1 - which],
             turned, found)  # fmt: skip
        masses[:] = turned if which == 0 else turned[:, ::-1]
        parts[:, which] = found

    half(0, False)
    half(1, False)
    posteriors = np.empty((T, n, g))
    column_labels = np.empty((T, d), label_dtype(max(g, m)))
    histories: Any = np.full((T, settings.max_iter), -np.inf)
    n_iter = np.zeros(T, np.int32)
    active, bound = np.arange(T), np.full(T, -np.inf)
    if not hard:
        hard = True
        for _ in range(settings.hard_steps):
            half(0, True)
            half(1, True)
        hard = False
    for iteration in range(settings.max_iter):
        half(0, True)
        half(1, True)
        old, bound = bound, parts[:, 0, 0] + parts[:, 1, 0] + parts[:, 1, 1]
        histories[active, iteration] = bound
        n_iter[active] = iteration + 1
        ended = (bound - old <= settings.tol * np.abs(bound)) | (iteration + 1 == settings.max_iter)
        if not ended.any():
            continue
        posteriors[active[ended]] = np.moveaxis(Z[:, ended], 1, 0)
        column_labels[active[ended]] = W[:, ended].argmax(axis=2).T
        active = active[~ended]
        if active.size == 0:
            break
        Z, W = (np.ascontiguousarray(part[:, ~ended]) for part in (Z, W))
        shares, logs, pulls = ([p[~ended] for p in group] for group in (shares, logs, pulls))
        masses, parts, bound = masses[~ended], parts[~ended], bound[~ended]
    row_labels = posteriors.argmax(axis=2).astype(label_dtype(max(g, m)))
    if full and g == m:
        for t in range(T):
            R, C = np.eye(g)[row_labels[t]], np.eye(m)[column_labels[t]]
            table = R.T @ (A @ C)
            column_labels[t] = paired(table / table.sum())[column_labels[t]]
    starts = Starts.from_histories(row_labels, column_labels, finished(histories, n_iter))
    return starts, posteriors
