"""Plain NumPy versions of the methods, written straight from the equations.

They form every matrix the papers write down and are meant to be read, not to be fast.
"""

from fractions import Fraction

import numpy as np


def one_hot(labels, g):
    return np.eye(g, dtype=int)[np.asarray(labels)]


def exact(A):
    """The same matrix in fractions, for which ties are ties."""
    return np.array([[Fraction(float(a)) for a in row] for row in A], dtype=object)


def modularity_matrix(A):
    """A - delta, delta_ij = a_i. a_.j / a_.. (CoClus, eq. 3)."""
    rows, columns, total = A.sum(axis=1), A.sum(axis=0), A.sum()
    return A - np.outer(rows, columns) / total


def modularity(A, z, w, g):
    """Q = (1 / a_..) Trace[(A - delta)^t Z W^t] (CoClus, eq. 3)."""
    C = one_hot(z, g) @ one_hot(w, g).T
    return (modularity_matrix(A) * C).sum() / A.sum()


def _half_step(scores, degrees):
    """Index of the largest score of each row, and the least lead of a largest over the next."""
    best = np.array([int(np.argmax(row)) for row in scores])
    leads = [
        np.sort(row)[-1] - np.sort(row)[-2]
        for row, degree in zip(scores, degrees, strict=True)
        if degree > 0 and len(row) > 1
    ]
    return best, min(leads, default=np.inf)


def coclus(A, w, g, max_iter=100, tol=1e-9):
    """Algorithm 1 of CoClus from column labels w.

    Yields (z, w, Q, lead) after every iteration; with a lead of nearly zero the labels hang on
    rounding, unless the entries are fractions.
    """
    B = modularity_matrix(A)
    old = None
    for _ in range(max_iter):
        before = w
        z, lead = _half_step(B @ one_hot(w, g), A.sum(axis=1))
        w, other = _half_step(B.T @ one_hot(z, g), A.sum(axis=0))
        Q = (B * (one_hot(z, g) @ one_hot(w, g).T)).sum() / A.sum()
        yield z, w, float(Q), float(min(lead, other))
        if (w == before).all() or (old is not None and Q - old <= tol * abs(Q)):
            return
        old = Q


def normalised_cut(A, z, w, g):
    """Sum over clusters of cut(V_k, rest) / weight(V_k) in the bipartite graph (Dhillon 2001)."""
    n, d = A.shape
    M = np.block([[np.zeros((n, n)), A], [A.T, np.zeros((d, d))]])
    labels = np.concatenate([z, w])
    value = 0.0
    for k in range(g):
        inside = labels == k
        weight = M[inside].sum()
        value += M[np.ix_(inside, ~inside)].sum() / weight if weight > 0 else 1.0
    return value


def singular_vectors(A, k):
    """Left and right singular vectors 2 to k + 1 of Dr^-1/2 A Dc^-1/2, and their values."""
    rows, columns = A.sum(axis=1), A.sum(axis=0)
    U, s, Vt = np.linalg.svd(A / np.sqrt(np.outer(rows, columns)))
    return U[:, 1 : k + 1], Vt[1 : k + 1].T, s[1 : k + 1]


def greedy_seeds(points, uniforms):
    """Greedy k-means++ with given random numbers; indices of the centres."""
    chosen = [int(uniforms[0, 0] * len(points))]
    closest = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    for draws in uniforms[1:]:
        cumulated = np.cumsum(closest)
        candidates = np.searchsorted(cumulated, draws * cumulated[-1], side="right")
        candidates = np.minimum(candidates, len(points) - 1)
        tried = [np.minimum(closest, ((points - points[c]) ** 2).sum(axis=1)) for c in candidates]
        best = int(np.argmin([t.sum() for t in tried]))
        chosen.append(int(candidates[best]))
        closest = tried[best]
    return chosen


def kmeans(points, centres, max_iter=300, tol=0.0):
    """Lloyd's algorithm from given centres (no cluster may become empty)."""
    k = len(centres)
    labels = None
    for _ in range(max_iter):
        old, labels = labels, ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        if old is not None and (old == labels).all():
            break
        moved = np.array([points[labels == m].mean(axis=0) for m in range(k)])
        shift = ((moved - centres) ** 2).sum()
        centres = moved
        if shift <= tol:
            labels = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
            break
    return labels, ((points - centres[labels]) ** 2).sum()


def planted(rng, sizes=((30, 20), (25, 30), (35, 25)), inside=3.0, outside=0.2):
    """Counts with blocks on the diagonal; returns the matrix and the labels of its rows."""
    rows = np.repeat(np.arange(len(sizes)), [n for n, _ in sizes])
    columns = np.repeat(np.arange(len(sizes)), [d for _, d in sizes])
    rates = np.where(rows[:, None] == columns, inside, outside)
    return rng.poisson(rates).astype(float), rows, columns


def random_sparse(rng, n, d, density=0.3):
    """A matrix without a row of zeros."""
    X = rng.random((n, d)) * (rng.random((n, d)) < density)
    X[np.arange(n), rng.integers(d, size=n)] += rng.random(n) + 0.1
    return X
