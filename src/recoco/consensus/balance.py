"""Clusters of bounded size from a cut of distinct objects, each with a weight.

A cut of distinct objects can only move all objects that are equal together. Where this breaks the
balance or leaves clusters empty, heavy vertices are divided into pieces before the cut, and single
objects are moved after it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# a piece is at most this fraction of a cluster, however large the imbalance may be
_LARGEST_PIECE = 0.5


def balanced_cut(cut: Callable, ensemble: Any, imbalance: float) -> np.ndarray:
    """Return labels of all objects by cuts of distinct ones.

    Parameters
    ----------
    cut : callable
        Gets the vertex and the weight of each piece, and returns the cluster of each.
    ensemble : _Ensemble
        The distinct objects, more than clusters.
    imbalance : float
        Fraction by which a cluster may be larger than n / k.
    """
    weights, of_object, k = ensemble.weights, ensemble.of_object, ensemble.k
    most = largest_cluster(of_object.size, k, imbalance)
    counts = _counts(cut, np.arange(weights.size), weights, k)
    sizes = counts.sum(axis=0)
    if sizes.min() == 0 or sizes.max() > most:
        owner, weight = pieces(weights, k, imbalance)
        if owner.size > weights.size:
            counts = _counts(cut, owner, weight, k)
        counts = rebalance(counts, ensemble.clusters, ensemble.K, most)
    # equal objects in different clusters are distributed in their order
    labels = np.empty(of_object.size, np.int64)
    clusters = np.tile(np.arange(k), len(counts))
    labels[np.argsort(of_object, kind="stable")] = np.repeat(clusters, counts.ravel())
    return labels


def _counts(cut: Callable, owner: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """Return how many objects of each vertex are in each cluster, shape (N, k)."""
    counts = np.zeros((owner[-1] + 1, k), np.int64)
    np.add.at(counts, (owner, cut(owner, weight)), weight)
    return counts


def largest_cluster(n: int, k: int, imbalance: float) -> int:
    """Return how many of n objects a cluster may have: (1 + imbalance) n / k, or n / k rounded up.

    The latter is more if there are only a few objects per cluster.
    """
    return max(-(-n // k), int(min((1.0 + imbalance) * n / k, n)))


def pieces(weights: np.ndarray, k: int, imbalance: float) -> tuple[np.ndarray, np.ndarray]:
    """Divide vertices such that a piece fits into the imbalance.

    All vertices together get at most about k / imbalance additional pieces.

    Parameters
    ----------
    weights : ndarray of int, shape (N,)

    Returns
    -------
    owner : ndarray of int, shape (P,)
        The vertex of each piece.
    sizes : ndarray of int64, shape (P,)
        The weight of each piece; those of one vertex differ by at most 1.
    """
    most = max(1, int(min(imbalance, _LARGEST_PIECE) * weights.sum() / k))
    parts = -(-weights // most)
    owner = np.repeat(np.arange(weights.size), parts)
    place = np.arange(owner.size) - np.repeat(np.cumsum(parts) - parts, parts)
    return owner, (weights[owner] + place) // parts[owner]


def rebalance(counts: np.ndarray, clusters: np.ndarray, K: int, most: int) -> np.ndarray:
    """Move objects until no cluster has more than ``most`` of them, then until none is empty.

    Every move is the one that loses least similarity, which is the number of base clusters that
    two objects share.

    Parameters
    ----------
    counts : ndarray of int, shape (N, k)
        Objects of each vertex in each cluster; k * most is at least their number, and N at least k.
    clusters : ndarray of int, shape (N, R)
        Numbers of the base clusters of each vertex, 0..K-1.

    Returns
    -------
    counts : ndarray of int64, shape (N, k)
    """
    state = _State.of(counts, clusters, K)
    while state.sizes.max() > most:
        _relieve(state, int(state.sizes.argmax()), most)
    while state.sizes.min() == 0:
        _fill(state, int(state.sizes.argmin()))
    return state.counts


@dataclass
class _State:
    """Objects by vertex and cluster, their sums, and those of base cluster and cluster."""

    counts: np.ndarray  # (N, k)
    sizes: np.ndarray  # (k,)
    clusters: np.ndarray  # (N, R)
    shared: np.ndarray  # (K, k)

    @classmethod
    def of(cls, counts, clusters, K) -> "_State":
        shared = np.zeros((K, counts.shape[1]), np.int64)
        for column in clusters.T:
            np.add.at(shared, column, counts)
        return cls(counts.copy(), counts.sum(axis=0), clusters, shared)

    def similarity(self, vertices: np.ndarray) -> np.ndarray:
        """Return the similarity of an object of each vertex with each cluster, summed."""
        return self.shared[self.clusters[vertices]].sum(axis=1)

    def move(self, vertex: int, source: int, target: int, number: int) -> None:
        for table, place in ((self.counts, vertex), (self.shared, self.clusters[vertex])):
            table[place, source] -= number
            table[place, target] += number
        self.sizes[source] -= number
        self.sizes[target] += number


def _relieve(state: _State, full: int, most: int) -> None:
    """Move the objects of one vertex from a cluster that is too large to one with room."""
    vertices = np.flatnonzero(state.counts[:, full])
    free = np.flatnonzero(state.sizes < most)
    similarity = state.similarity(vertices)
    gain = similarity[:, free] - similarity[:, [full]]
    place, column = np.unravel_index(gain.argmax(), gain.shape)
    vertex, target = int(vertices[place]), int(free[column])
    excess, room = state.sizes[full] - most, most - state.sizes[target]
    state.move(vertex, full, target, min(int(state.counts[vertex, full]), int(excess), int(room)))


def _fill(state: _State, empty: int) -> None:
    """Move the objects of the least similar vertex of a cluster of several to an empty one."""
    inside = state.counts > 0
    inside[:, inside.sum(axis=0) == 1] = False  # a cluster of one vertex would be empty after it
    vertices, sources = np.nonzero(inside)
    similarity = state.similarity(vertices)[np.arange(vertices.size), sources]
    vertex, source = (int(numbers[similarity.argmin()]) for numbers in (vertices, sources))
    state.move(vertex, source, empty, int(state.counts[vertex, source]))
