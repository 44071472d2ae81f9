"""scikit-learn's k-means, bit for bit, without its repeated iterations.

Points of spectral clustering may coincide up to rounding while their coordinates are huge. An
empty cluster is then filled, emptied and filled again until the last of 300 iterations. Since
an iteration depends on the centres alone, the rest is known as soon as centres recur.
"""

from typing import Any

import numpy as np

MAX_ITER, TOL = 300, 1e-4


def kmeans_labels(points: Any, k: int, n_init: int, seed: int) -> np.ndarray:
    """Return ``KMeans(k, n_init=n_init, random_state=seed).fit_predict(points)``.

    Call it with a single thread of OpenMP and BLAS.

    Parameters
    ----------
    points : ndarray of float64, shape (n, p)
        The points.
    k : int
        Number of clusters.
    n_init : int
        Number of seedings.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    labels : ndarray of int32, shape (n,)
    """
    from sklearn.cluster._k_means_common import _is_same_clustering

    random = np.random.RandomState(seed)
    tol = np.mean(np.var(points, axis=0)) * TOL
    X = np.array(points, order="C")
    X -= X.mean(axis=0)
    squares = np.einsum("ij,ij->i", X, X)
    best: Any
    best, least = None, np.inf
    for _ in range(n_init):
        labels, inertia = lloyd(X, _seed_centres(X, squares, k, random), tol)
        if best is None or (inertia < least and not _is_same_clustering(labels, best, k)):
            best, least = labels, inertia
    return best


def _seed_centres(X, squares, k: int, random) -> np.ndarray:
    """Greedy k-means++: each centre is the best of several points drawn by distance."""
    n = len(X)
    weights = np.ones(n)
    trials = 2 + int(np.log(k))
    chosen = [random.choice(n, p=weights / n)]
    closest = _distances(X[chosen], X, squares)
    potential = closest @ weights
    for _ in range(1, k):
        drawn = np.searchsorted(closest.cumsum(), random.uniform(size=trials) * potential)
        drawn = np.minimum(drawn, n - 1)
        distances = _distances(X[drawn], X, squares)
        np.minimum(closest, distances, out=distances)
        potentials = distances @ weights[:, None]
        best = np.argmin(potentials)
        potential, closest = potentials[best], distances[best]
        chosen.append(drawn[best])
    return X[chosen]


def _distances(some, X, squares) -> np.ndarray:
    """Return the squared distances of some points to all points, from their products."""
    distances = some @ X.T
    distances *= -2
    distances += np.einsum("ij,ij->i", some, some)[:, None]
    distances += squares
    return np.maximum(distances, 0.0, out=distances)


def lloyd(X: Any, centres: np.ndarray, tol: float) -> tuple[np.ndarray, float]:
    """Run Lloyd's iterations as scikit-learn does; stop when centres recur.

    Parameters
    ----------
    X : ndarray of float64, shape (n, p)
        C-contiguous points.
    centres : ndarray of float64, shape (k, p)
        Initial centres; overwritten.
    tol : float
        Tolerance of the sum of squared shifts.

    Returns
    -------
    labels : ndarray of int32, shape (n,)
    inertia : float
    """
    from sklearn.cluster._k_means_common import _inertia_dense
    from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense

    k = len(centres)
    weights = np.ones(len(X))
    moved = np.zeros_like(centres)
    labels = np.full(len(X), -1, np.int32)
    before = labels.copy()
    counts, shift = np.zeros(k), np.zeros(k)

    # centres of an earlier iteration, whose number is a power of two (Brent's cycle detection)
    mark, mark_labels, marked = centres.copy(), labels.copy(), 0
    done, last, settled = 0, MAX_ITER, False
    while done < last:
        lloyd_iter_chunked_dense(X, weights, centres, moved, counts, labels, shift, 1)
        centres, moved = moved, centres
        done += 1
        settled = np.array_equal(labels, before)
        if settled or (shift**2).sum() <= tol:
            break
        before[:] = labels
        if last < MAX_ITER:
            continue
        if np.array_equal(labels, mark_labels) and np.array_equal(centres, mark):
            last = done + (MAX_ITER - done) % (done - marked)
        elif done == max(1, 2 * marked):
            mark[:], mark_labels[:], marked = centres, labels, done
    if not settled:  # the labels belong to the previous centres
        lloyd_iter_chunked_dense(
            X, weights, centres, centres, counts, labels, shift, 1, update_centers=False
        )
    return labels, _inertia_dense(X, weights, centres, labels, 1)
