"""How starts of the block models are run on any matrix, and with hard labels on a graph."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.methods.base import Starts, label_dtype
from recoco.methods.block_engine import SMALL, finished, multiply, one_hot


@dataclass
class Sides:
    """A matrix by rows and by columns, with its margins."""

    by_row: sparse.csr_matrix
    by_column: sparse.csr_matrix
    row_degree: np.ndarray
    column_degree: np.ndarray


def run_moves(problem, generators, init, g, shares, model) -> Starts:
    """Moves of single nodes from random labels; ``shares`` adds sum_k n_k log(n_k / n)."""
    import numba

    from recoco.kernels import block_sides as kernel

    A, degree = problem.rows, problem.degree[0]
    n, T = degree.size, len(generators)
    if init is None:
        labels = np.array([r.integers(g, size=n) for r in generators], np.int32)
        orders = np.array([r.permutation(n) for r in generators], np.int32)
    else:
        labels, orders = np.array([init], np.int32), np.arange(n, dtype=np.int32)[None]
    histories = np.full((T, model.max_iter), -np.inf)
    n_iter = np.zeros(T, np.int32)
    threads = numba.get_num_threads() > 1 and A.nnz * T > SMALL
    move = kernel.move_parallel if threads else kernel.move
    tol = float(model.tol)
    move(A.indptr, A.indices, A.data, degree, shares, g, orders, labels, tol, histories, n_iter)
    histories = finished(histories, n_iter)
    criterion = np.array([history[-1] for history in histories])
    return Starts(labels.astype(label_dtype(g)), None, criterion, n_iter, histories)


def run_sides(problem: Sides, rows, columns, widths, model, hard, settings):
    """EM with rows and columns in turn, from every given pair of partitions.

    Returns
    -------
    Starts, posteriors of the rows (T, n, g)
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
    histories = np.full((T, settings.max_iter), -np.inf)
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
    histories = finished(histories, n_iter)
    criterion = np.array([history[-1] for history in histories])
    return Starts(row_labels, column_labels, criterion, n_iter, histories), posteriors
