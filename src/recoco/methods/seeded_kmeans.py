"""scikit-learn's k-means, bit for bit, without what it repeats.

Points of spectral clustering may coincide up to rounding while their coordinates are huge. An
empty cluster is then filled, emptied and filled again until the last of 300 iterations. An
iteration depends on the centres alone: once they come back, the rest is known.
"""

import numpy as np

MAX_ITER, TOL = 300, 1e-4


def kmeans_labels(points, k: int, n_init: int, seed: int) -> np.ndarray:
    """Return ``KMeans(k, n_init=n_init, random_state=seed).fit_predict(points)``.

    To be called with one thread of OpenMP and BLAS.

    Parameters
    ----------
    points : float64 (n, p)
    """
    from sklearn.cluster._k_means_common import _is_same_clustering

    random = np.random.RandomState(seed)
    tol = np.mean(np.var(points, axis=0)) * TOL
    X = np.array(points, order="C")
    X -= X.mean(axis=0)
    squares = np.einsum("ij,ij->i", X, X)
    best, least = None, np.inf
    for _ in range(n_init):
        labels, inertia = lloyd(X, _seed_centres(X, squares, k, random), tol)
        if best is None or (inertia < least and not _is_same_clustering(labels, best, k)):
            best, least = labels, inertia
    return best


def _seed_centres(X, squares, k: int, random) -> np.ndarray:
    """Greedy k-means++: each next centre is the best of several points drawn by distance."""
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
    """Squared distances of some points to all, by their products."""
    distances = some @ X.T
    distances *= -2
    distances += np.einsum("ij,ij->i", some, some)[:, None]
    distances += squares
    return np.maximum(distances, 0.0, out=distances)


def lloyd(X, centres, tol: float):
    """Lloyd's iterations as scikit-learn does them; centres that come back end them.

    Parameters
    ----------
    X : float64 (n, p), in one piece
    centres : float64 (k, p), overwritten
    tol : float, of the sum of squared shifts

    Returns
    -------
    labels : int32 (n,), inertia : float
    """
    from sklearn.cluster._k_means_common import _inertia_dense
    from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense

    k = len(centres)
    weights = np.ones(len(X))
    moved = np.zeros_like(centres)
    labels = np.full(len(X), -1, np.int32)
    before = labels.copy()
    counts, shift = np.zeros(k), np.zeros(k)

    # an earlier iteration, its number a power of two (Brent): what follows it is known
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
    if not settled:  # the labels are those of the centres before
        lloyd_iter_chunked_dense(
            X, weights, centres, centres, counts, labels, shift, 1, update_centers=False
        )
    return labels, _inertia_dense(X, weights, centres, labels, 1)
