"""Goodman and Kruskal's tau of a co-clustering of one or several views (CoStar, eqs. 1 to 6).

Computed from the definition; the methods update tau move by move instead.
"""

from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.metrics.labels import codes_of


def contingency_table(view: Any, row_labels: Any, column_labels: Any) -> np.ndarray:
    """Return T, where t_ij is the sum of the view over object cluster i and feature cluster j.

    Empty clusters are left out, so the table does not depend on their names.
    """
    rows = _indicator(row_labels, "The partition of the objects")
    columns = _indicator(column_labels, "The partition of the features")
    view = sparse.csr_matrix(view, dtype=np.float64)
    if view.shape != (rows.shape[0], columns.shape[0]):
        raise RecocoError(
            f"A view of shape {view.shape} has labels for {rows.shape[0]} objects and "
            f"{columns.shape[0]} features: give one for each."
        )
    return (rows.T @ view @ columns).toarray()


def tau_objects(tables: Any) -> float:
    """Return tau_X|Y (eq. 4; eq. 1 for one table): how well features predict object clusters.

    Parameters
    ----------
    tables : list of array-like
        Tables T^k of the views, object clusters by feature clusters.

    Returns
    -------
    tau : float
        In [0, 1]; 0 for a single object cluster, which leaves nothing to predict.
    """
    tables = [_table(table) for table in tables]
    if not tables or len({len(table) for table in tables}) != 1:
        raise RecocoError(
            "The tables differ in their numbers of rows: give views of one partition."
        )
    if len(tables[0]) < 2:
        return 0.0
    explained = sum(_explained(table) for table in tables)
    concentration = sum(float((table.sum(axis=1) ** 2).sum()) for table in tables)
    return (explained - concentration) / (len(tables) - concentration)


def tau_features(table: Any) -> float:
    """Return tau_Y|X of one view (eqs. 2 and 5); 0 if all mass is in a single feature cluster."""
    table = _table(table)
    concentration = float((table.sum(axis=0) ** 2).sum())
    if np.count_nonzero(table.sum(axis=0)) < 2:
        return 0.0
    return (_explained(table.T) - concentration) / (1.0 - concentration)


def taus(views: Any, row_labels: Any, column_labels: Any) -> np.ndarray:
    """Return (tau_X|Y, tau_Y1|X, ..., tau_YN|X) of a co-clustering.

    Parameters
    ----------
    views : list of array-like or sparse matrices of shape (n, d_k)
        The views.
    row_labels : array-like of shape (n,)
        Labels of the objects.
    column_labels : list of array-like of shape (d_k,)
        Labels of the features of each view.

    Returns
    -------
    taus : ndarray of float64, shape (N + 1,)

    Examples
    --------
    >>> from recoco.metrics.tau import taus
    >>> taus([[[3, 0], [2, 0], [0, 4]]], [0, 0, 1], [[0, 1]]).tolist()
    [1.0, 1.0]
    """
    if len(views) != len(column_labels):
        raise RecocoError(
            f"column_labels has {len(column_labels)} lists of labels for {len(views)} views: "
            "give one list for each view."
        )
    tables = [
        contingency_table(view, row_labels, columns)
        for view, columns in zip(views, column_labels, strict=True)
    ]
    return np.array([tau_objects(tables), *(tau_features(table) for table in tables)])


def feature_losses(view: Any, row_labels: Any, column_labels: Any) -> np.ndarray:
    """Return the largest decrease of tau_Y|X if a feature is moved to another cluster.

    Section 5.3.4 ranks the words of a cluster by it: a word that would be costly to move represents
    its cluster. A cluster that loses its only feature vanishes.

    Returns
    -------
    losses : ndarray of float64, shape (d,)
        Larger for better representatives; 0 if there is no other cluster.
    """
    view = sparse.csr_matrix(view, dtype=np.float64)
    codes = _numbers(column_labels, "The partition of the features")[1]
    T = contingency_table(view, row_labels, codes)
    if T.shape[1] < 2:
        return np.zeros(codes.size)
    total, rows, columns = T.sum(), T.sum(axis=1), T.sum(axis=0)
    objects = _indicator(row_labels, "The partition of the objects")
    lam = (objects.T @ view).toarray()  # lambda_i of every feature
    mass = lam.sum(axis=0)
    scaled = np.divide(2 * lam, rows[:, None] * total, out=np.zeros_like(lam), where=lam > 0)
    before = tau_features(T)
    explained = (T**2 / np.where(rows > 0, rows, 1)[:, None]).sum() / total
    concentration = (columns**2).sum() / total**2
    # changes of the two sums, for every feature and every other cluster
    gain = scaled.T @ T + (scaled * (lam - T[:, codes])).sum(axis=0)[:, None]
    spread = 2 * mass[:, None] * (columns - columns[codes][:, None] + mass[:, None]) / total**2
    free = 1 - concentration - spread
    single = free <= 1e-13  # all mass in one cluster
    after = (explained + gain - concentration - spread) / np.where(single, 1, free)
    after[single] = 0.0
    after[np.arange(codes.size), codes] = before
    return before - after.min(axis=1)


def _table(table) -> np.ndarray:
    table = np.asarray(table, dtype=np.float64)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all() or table.min() < 0:
        raise RecocoError("A contingency table must be a matrix of numbers that are not negative.")
    if not table.sum() > 0:
        raise RecocoError("A contingency table is all zero: there is nothing to measure.")
    return table / table.sum()


def _explained(table) -> float:
    """Return sum_ij r_ij^2 / q_j over the non-empty columns."""
    q = table.sum(axis=0)
    return float(((table**2).sum(axis=0)[q > 0] / q[q > 0]).sum())


def _numbers(labels, what: str) -> tuple[np.ndarray, np.ndarray]:
    return np.unique(codes_of(labels, what), return_inverse=True)


def _indicator(labels, what: str) -> sparse.csr_matrix:
    values, codes = _numbers(labels, what)
    shape = (codes.size, values.size)
    return sparse.csr_matrix((np.ones(codes.size), (np.arange(codes.size), codes)), shape=shape)
