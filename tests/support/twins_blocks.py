"""Dense NumPy versions of the block models, written straight from the equations.

Graphs are arrays (v, n, n); every sum of the papers is taken over all its indices.
"""

import numpy as np


def log(values):
    """Logarithm with the value the kernels give to a rate of 0."""
    values = np.asarray(values, float)
    return np.maximum(np.log(np.where(values > 0, values, 1.0)), -700) - 700.0 * (values <= 0)


def entropy(Z):
    return -(Z[Z > 0] * np.log(Z[Z > 0])).sum()


def softmax(scores):
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def ratio(a, b):
    return np.divide(a, b, out=np.zeros(np.shape(a)), where=np.asarray(b) > 0)


def shares(Z):
    pi = Z.mean(axis=0)
    return np.where(pi > 0, np.log(np.where(pi > 0, pi, 1)), -1e200)


def poisson(x, rate):
    """log of the Poisson density without log x!, and with rate 0 only for x = 0."""
    return x * log(rate) - rate


def sparse_rates(X, Z):
    """gamma_kk (v, g) and gamma (v,) by eq. 6 of the TSPLBM paper."""
    degree, total = X.sum(axis=2), X.sum(axis=(1, 2))
    inside = np.einsum("ik,bij,jk->bk", Z, X, Z)
    mass = degree @ Z
    cells = total**2 - (mass**2).sum(axis=1)
    outside = total - inside.sum(axis=1)
    if Z.shape[1] == 1:
        outside, cells = np.zeros(len(X)), np.zeros(len(X))
    return ratio(inside, mass**2), ratio(outside, cells)


def tsplbm_criterion(X, Z, own, other):
    """Eq. 3, cell by cell: sum z log pi + 1/2 sum_b sum_ijkl z_ik z_jl log Poisson + H(Z).

    The terms x_ij log(x_i. x_j.), which do not depend on Z, are left out.
    """
    value = (Z * np.where(Z > 0, shares(Z), 0)).sum() + entropy(Z)
    g = Z.shape[1]
    for b, graph in enumerate(X):
        degrees = np.outer(graph.sum(axis=1), graph.sum(axis=1))
        for k in range(g):
            for m in range(g):
                gamma = own[b, k] if k == m else other[b]
                cells = graph * log(gamma) - degrees * gamma
                value += 0.5 * Z[:, k] @ cells @ Z[:, m]
    return value


def tsplbm_scores(X, Z, own, other, printed=False):
    degree = X.sum(axis=2)
    logs = log(own) - log(other)[:, None]
    gathered = np.einsum("bij,jk->bik", X, Z)
    if printed:
        return shares(Z) + 0.5 * np.einsum("bik,bk->ik", gathered, logs)
    pull = (degree @ Z) * (own - other[:, None])
    return (
        shares(Z) + np.einsum("bik,bk->ik", gathered, logs) - np.einsum("bi,bk->ik", degree, pull)
    )


def plbm_rates(X, Z):
    """gamma_kl of one symmetric graph."""
    mass = X.sum(axis=1) @ Z
    return ratio(Z.T @ X @ Z, np.outer(mass, mass))


def plbm_criterion(X, Z, gamma):
    degree = X.sum(axis=1)
    value = (Z * np.where(Z > 0, shares(Z), 0)).sum() + entropy(Z)
    for k in range(Z.shape[1]):
        for m in range(Z.shape[1]):
            cells = X * log(gamma[k, m]) - np.outer(degree, degree) * gamma[k, m]
            value += 0.5 * Z[:, k] @ cells @ Z[:, m]
    return value


def plbm_scores(X, Z, gamma):
    degree = X.sum(axis=1)
    return shares(Z) + X @ Z @ log(gamma).T - np.outer(degree, gamma @ (degree @ Z))


def psbm_rates(X, Z):
    off = ~np.eye(len(X), dtype=bool)
    return ratio(Z.T @ (X * off) @ Z, Z.T @ off @ Z)


def psbm_criterion(X, Z, gamma):
    off = ~np.eye(len(X), dtype=bool)
    value = (Z * np.where(Z > 0, shares(Z), 0)).sum() + entropy(Z)
    for k in range(Z.shape[1]):
        for m in range(Z.shape[1]):
            value += 0.5 * Z[:, k] @ (off * poisson(X, gamma[k, m])) @ Z[:, m]
    return value


def psbm_scores(X, Z, gamma):
    off = ~np.eye(len(X), dtype=bool)
    return shares(Z) + (X * off) @ Z @ log(gamma).T - off @ Z @ gamma.T


def em(Z, rates, criterion, scores, steps, damped=True):
    """Simultaneous variational EM with steps drawn back half-way while the criterion falls.

    ``rates(Z)`` returns the estimates that ``criterion`` and ``scores`` take after Z. Yields
    (Z, criterion) after each step.
    """
    value = criterion(Z, *rates(Z))
    for _ in range(steps):
        new = softmax(scores(Z, *rates(Z)))
        reached = criterion(new, *rates(new))
        while damped and reached < value - 1e-13 * abs(value):
            new = (new + Z) / 2
            reached = criterion(new, *rates(new))
        Z, value = new, reached
        yield Z, value


def tsplbm(X, Z, steps, printed=False):
    return em(
        Z,
        lambda Z: sparse_rates(X, Z),
        lambda Z, own, other: tsplbm_criterion(X, Z, own, other),
        lambda Z, own, other: tsplbm_scores(X, Z, own, other, printed),
        steps,
        not printed,
    )


def plbm(X, Z, steps):
    return em(
        Z,
        lambda Z: (plbm_rates(X, Z),),
        lambda Z, gamma: plbm_criterion(X, Z, gamma),
        lambda Z, gamma: plbm_scores(X, Z, gamma),
        steps,
    )


def psbm(X, Z, steps):
    return em(
        Z,
        lambda Z: (psbm_rates(X, Z),),
        lambda Z, gamma: psbm_criterion(X, Z, gamma),
        lambda Z, gamma: psbm_scores(X, Z, gamma),
        steps,
    )


def block_rates(X, Z, W, diagonal):
    """gamma_kl (g, m) of any matrix; one value off the diagonal for SPLBM."""
    table = Z.T @ X @ W
    weights = np.outer(X.sum(axis=1) @ Z, X.sum(axis=0) @ W)
    if not diagonal:
        return ratio(table, weights)
    own = np.eye(len(table), dtype=bool)
    off = ratio(table[~own].sum(), weights[~own].sum()) if len(table) > 1 else 0.0
    return np.where(own, ratio(table, weights), off)


def block_criterion(X, Z, W, gamma):
    degrees = np.outer(X.sum(axis=1), X.sum(axis=0))
    value = (Z * np.where(Z > 0, shares(Z), 0)).sum() + entropy(Z)
    value += (W * np.where(W > 0, shares(W), 0)).sum() + entropy(W)
    for k in range(Z.shape[1]):
        for m in range(W.shape[1]):
            value += Z[:, k] @ (X * log(gamma[k, m]) - degrees * gamma[k, m]) @ W[:, m]
    return value


def block_model(X, Z, W, steps, diagonal=False, hard=False):
    """Rows and columns in turn, gamma estimated anew after each (PLBM or SPLBM)."""

    def posteriors(X, Z, W, gamma):
        rows, columns = X.sum(axis=1), X.sum(axis=0)
        scores = shares(Z) + X @ W @ log(gamma).T - np.outer(rows, gamma @ (columns @ W))
        return np.eye(Z.shape[1])[scores.argmax(axis=1)] if hard else softmax(scores)

    for _ in range(steps):
        Z = posteriors(X, Z, W, block_rates(X, Z, W, diagonal))
        W = posteriors(X.T, W, Z, block_rates(X, Z, W, diagonal).T)
        yield Z, W, block_criterion(X, Z, W, block_rates(X, Z, W, diagonal))


def dcsbm_criterion(X, labels, g):
    """sum_kl m_kl log(m_kl / (m_k. m_l.)) (Karrer and Newman, eq. 22 up to constants)."""
    R = np.eye(g)[labels]
    table = R.T @ X @ R
    mass = table.sum(axis=1)
    expected = np.outer(mass, mass)
    filled = table > 0
    return (table[filled] * np.log(table[filled] / expected[filled])).sum()


def moves(X, labels, order, g, shares, passes):
    """Put each node in turn where the likelihood, computed anew, is largest."""

    def value(labels):
        counts = np.bincount(labels, minlength=g)
        counts = counts[counts > 0]
        return (
            dcsbm_criterion(X, labels, g) / 2
            + shares * (counts * np.log(counts / len(labels))).sum()
        )

    labels = np.array(labels)
    for _ in range(passes):
        before = labels.copy()
        for i in order:
            tried = []
            for k in range(g):
                labels_k = labels.copy()
                labels_k[i] = k
                tried.append(value(labels_k))
            best = int(np.argmax(tried))
            if tried[best] > tried[labels[i]] + 1e-9:
                labels[i] = best
        yield labels.copy(), value(labels)
        if (labels == before).all():
            return


def planted_graphs(rng, sizes=(12, 9, 14), graphs=2, inside=2.0, outside=0.3, diagonal=True):
    """Symmetric counts (v, n, n) with denser diagonal blocks, and the labels of the nodes."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rates = np.where(labels[:, None] == labels, inside, outside)
    X = np.triu(rng.poisson(rates, (graphs, len(labels), len(labels)))).astype(float)
    X = X + np.swapaxes(np.triu(X, 1), 1, 2)
    if diagonal:
        X[:, np.arange(len(labels)), np.arange(len(labels))] += 1.0
    return X, labels
