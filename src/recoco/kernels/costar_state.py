"""The arrays of CoStar's kernels: the data, the state of a start, and work arrays.

Features are numbered across all views: view k has the features ``first[k]`` to ``first[k + 1]``,
and its feature clusters have numbers from ``first[k]`` on. The tables T^k of all views are
therefore one array ``by_row`` (object clusters, feature clusters), with its transpose
``by_column``. Clusters that exist come first; when one vanishes, the last one takes its number.
"""

from typing import NamedTuple

import numpy as np


class Data(NamedTuple):
    """The matrix of all views, by objects and by features, with its margins."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    t_indptr: np.ndarray
    t_indices: np.ndarray
    t_values: np.ndarray
    first: np.ndarray  # (N + 1,) first feature of each view
    starts: np.ndarray  # (N + 1, n) where the features of view k begin in row u
    object_mass: np.ndarray  # (N, n)
    feature_mass: np.ndarray  # (F,)
    total: np.ndarray  # (N,)


class State(NamedTuple):
    """Labels, tables, and the margins and sums of squares that tau needs."""

    objects: np.ndarray
    features: np.ndarray
    by_row: np.ndarray
    by_column: np.ndarray
    row_mass: np.ndarray  # (N, n)
    column_mass: np.ndarray  # (F,)
    row_squares: np.ndarray  # (N, n)
    column_squares: np.ndarray  # (F,)
    sums: np.ndarray  # (4, N): of t_ij^2 / t_.j, of t_ij^2 / t_i., of t_i.^2 and of t_.j^2
    counts: np.ndarray  # (N + 1,) clusters of each view and, last, of objects
    row_entries: np.ndarray  # (N, n) non-zeros of each object cluster
    column_entries: np.ndarray  # (F,) non-zeros of each feature cluster


class Members(NamedTuple):
    """Lists of the members of clusters, see :mod:`recoco.kernels.members`.

    The lists of features contain one view after the other.
    """

    pool: np.ndarray
    where: np.ndarray
    room: np.ndarray
    size: np.ndarray
    at: np.ndarray
    ends: np.ndarray  # of each view and, last, of the objects


class Scratch(NamedTuple):
    """Work arrays of one step; ``moved`` is zero between steps."""

    moved: np.ndarray  # masses that move
    touched: np.ndarray  # their positions
    score: np.ndarray
    spread: np.ndarray
    tau: np.ndarray
    ties: np.ndarray  # candidates with the largest tau
    near: np.ndarray  # candidates that may have it
    reach: np.ndarray  # (N + 1,) what a move changes


class Bounds(NamedTuple):
    """Which elements certainly stay, see :mod:`recoco.kernels.costar_bounds`.

    The first three have an entry for each view, then one for the objects.
    """

    drift: np.ndarray
    known: np.ndarray  # tau, -1 if there is no bound
    highest: np.ndarray  # highest limit
    object_limit: np.ndarray  # drift up to which an object stays
    feature_limit: np.ndarray
    object_share: np.ndarray  # share of each object in the mass, summed over views
