"""Plain versions of the rivals on several views and graphs, straight from the definitions."""

import numpy as np


def multinmf(views, g, rng, iterations, inner, lam):
    """MultiNMF with every entry of the updates written as a sum; V*, and the losses."""
    X = [view / view.sum() for view in views]
    n = len(views[0])

    def factors(X, U, V, lam, star):
        d = X.shape[1]
        new = np.empty_like(U)
        for i in range(d):
            for k in range(g):
                above = X[:, i] @ V[:, k] + lam * (V[:, k] @ star[:, k])
                below = (U @ V.T @ V)[i, k] + lam * U[:, k].sum() * (V[:, k] ** 2).sum()
                new[i, k] = U[i, k] * above / below
        Q = np.diag(new.sum(axis=0))
        U, V = new @ np.linalg.inv(Q), V @ Q
        return U, V * (X @ U + lam * star) / (V @ U.T @ U + lam * V)

    memberships = rng.random((n, g))
    U, V = [], []
    for view in X:
        u, v = rng.random((view.shape[1], g)), memberships
        for _ in range(inner):
            u, v = factors(view, u, v, 0.0, v)
        U.append(u)
        V.append(v)
        memberships = v
    star = sum(weight * v for weight, v in zip(lam, V, strict=True)) / sum(lam)
    losses = []
    for _ in range(iterations):
        for b, view in enumerate(X):
            for _ in range(inner):
                U[b], V[b] = factors(view, U[b], V[b], lam[b], star)
        star = sum(weight * v for weight, v in zip(lam, V, strict=True)) / sum(lam)
        loss = 0.0
        for view, u, v, weight in zip(X, U, V, lam, strict=True):
            Q = np.diag(u.sum(axis=0))
            loss += ((view - v @ u.T) ** 2).sum() + weight * ((v @ Q - star) ** 2).sum()
        losses.append(loss)
    return star, losses


def simplex(x):
    """Projection on the simplex by sorting."""
    ordered = np.sort(x)[::-1]
    sums = (np.cumsum(ordered) - 1) / np.arange(1, x.size + 1)
    last = np.flatnonzero(ordered > sums)[-1]
    return np.maximum(x - sums[last], 0)


def swmv_step(A, w, F, lam):
    """One update of S: every row by itself."""
    n = len(F)
    S = np.empty((n, n))
    for i in range(n):
        distance = ((F[i] - F) ** 2).sum(axis=1)
        row = sum(w_v * A_v[i] for w_v, A_v in zip(w, A, strict=True)) - lam / 2 * distance
        S[i] = simplex(row / sum(w))
    return S


def components(S):
    """Number of connected components, by the powers of the graph."""
    reach = (S + S.T + np.eye(len(S))) > 0
    for _ in range(len(S).bit_length()):
        reach = (reach.astype(int) @ reach) > 0
    return len({row.tobytes() for row in reach})


def swmv(graphs, g, lam, iterations):
    """The whole of SwMV; losses, numbers of components and lam of every update."""
    A = []
    for graph in graphs:
        graph = graph - np.diag(np.diag(graph))
        A.append(graph / graph.sum(axis=1, keepdims=True))

    def smooth(S):
        S = (S + S.T) / 2
        return np.linalg.eigh(np.diag(S.sum(axis=1)) - S)[1][:, :g]

    w = [1.0 / len(A)] * len(A)
    F = smooth(sum(A) / len(A))
    trace = []
    for _ in range(iterations):
        S = swmv_step(A, w, F, lam)
        norms = [np.linalg.norm(S - A_v) for A_v in A]
        trace.append((sum(norms), components(S), lam))
        w = [1 / (2 * norm) for norm in norms]
        w = [w_v / sum(w) for w_v in w]
        if trace[-1][1] > g:
            lam /= 2
            continue
        F = smooth(S)
        if trace[-1][1] < g:
            lam *= 2
    return trace


def planted_graphs(rng, sizes=(14, 18, 16), inside=0.6, outside=0.05, v=3):
    """Symmetric binary graphs with a common partition and a full diagonal."""
    rows = np.repeat(np.arange(len(sizes)), sizes)
    graphs = []
    for _ in range(v):
        chance = np.where(rows[:, None] == rows, inside, outside)
        A = np.triu(rng.random(chance.shape) < chance, 1).astype(float)
        A += A.T
        np.fill_diagonal(A, 1.0)
        graphs.append(A)
    return graphs, rows
