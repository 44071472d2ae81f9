"""Plain dense NumPy versions of the factorisations, written from their equations.

Every function takes copies of the starting factors, does the given number of iterations and
returns the factors and the list of the criterion after each iteration.
"""

import numpy as np


def one_hot(labels, k):
    return np.eye(k)[np.asarray(labels)]


def start(X, labels, g, smoothing=0.2):
    """Starting Z, S, W of row labels, with as many column clusters as row clusters."""
    H = one_hot(labels, g)
    means = np.array(
        [X[labels == k].mean(axis=0) if (labels == k).any() else 0 * X[0] for k in range(g)]
    )
    columns = means.argmax(axis=0)
    K = one_hot(columns, g)
    S = np.zeros((g, g))
    for k in range(g):
        for m in range(g):
            block = X[labels == k][:, columns == m]
            S[k, m] = block.mean() if block.size else 0.0
    return H + smoothing, np.maximum(S, 1e-3 * X.mean()), K + smoothing, columns


def start_Q(M, columns, m):
    """Means of the rows of M over the clusters of columns, none of them 0."""
    means = np.array(
        [M[:, columns == k].mean(axis=1) if (columns == k).any() else 0 * M[0] for k in range(m)]
    ).T
    return np.maximum(means, 1e-3 * M.mean())


def quotient(above, below):
    """Return above / below, and 1 where below is 0."""
    return np.divide(above, below, out=np.ones_like(above), where=below > 0)


def residual(X, product):
    return 0.5 * ((X - product) ** 2).sum()


def nmf(X, Z, W, iterations):
    Z, W, F = Z.copy(), W.copy(), []
    for _ in range(iterations):
        Z *= quotient(X @ W, Z @ W.T @ W)
        W *= quotient(X.T @ Z, W @ Z.T @ Z)
        F.append(residual(X, Z @ W.T))
    return Z, W, F


def unit_columns(Z, W):
    """Columns of Z of unit length, and W with the same product."""
    lengths = np.linalg.norm(Z, axis=0)
    return Z / lengths, W * lengths


def onmf(X, Z, W, iterations):
    Z, W = unit_columns(Z, W)
    F = []
    for _ in range(iterations):
        Z, W = unit_columns(Z * quotient(X @ W, Z @ W.T @ X.T @ Z), W)
        W *= quotient(X.T @ Z, W @ Z.T @ Z)
        F.append(residual(X, Z @ W.T))
    return Z, W, F


def pnmf(X, Z, iterations):
    Z, F = Z / np.linalg.norm(Z, 2), []
    K = X @ X.T
    for _ in range(iterations):
        Z = Z * quotient(2 * K @ Z, Z @ Z.T @ K @ Z + K @ Z @ Z.T @ Z)
        Z /= np.linalg.norm(Z, 2)
        F.append(residual(X, Z @ Z.T @ X))
    return Z, X.T @ Z, F


def nmtf(X, Z, S, W, iterations):
    Z, S, W, F = Z.copy(), S.copy(), W.copy(), []
    for _ in range(iterations):
        Z *= quotient(X @ W @ S.T, Z @ S @ W.T @ W @ S.T)
        W *= quotient(X.T @ Z @ S, W @ S.T @ Z.T @ Z @ S)
        S *= quotient(Z.T @ X @ W, Z.T @ Z @ S @ W.T @ W)
        F.append(residual(X, Z @ S @ W.T))
    return Z, S, W, F


def onmtf(X, Z, S, W, iterations):
    Z, S, W, F = Z.copy(), S.copy(), W.copy(), []
    for _ in range(iterations):
        Z *= np.sqrt(quotient(X @ W @ S.T, Z @ Z.T @ X @ W @ S.T))
        W *= np.sqrt(quotient(X.T @ Z @ S, W @ W.T @ X.T @ Z @ S))
        S *= np.sqrt(quotient(Z.T @ X @ W, Z.T @ Z @ S @ W.T @ W))
        F.append(residual(X, Z @ S @ W.T))
    return Z, S, W, F


def wcnmtf_steps(X, M, Z, S, W, Q, lam):
    """One iteration, yielding the factors after each of the updates 7a, 7b, 7d and 7c."""
    Z = Z * quotient(X @ W @ S.T, Z @ S @ W.T @ W @ S.T)
    yield "7a", (Z, S, W, Q)
    Zt = Z @ S
    W = W * quotient(X.T @ Zt + lam * M @ Q, W @ (Zt.T @ Zt + lam * Q.T @ Q))
    yield "7b", (Z, S, W, Q)
    Q = Q * quotient(M.T @ W, Q @ W.T @ W)
    yield "7d", (Z, S, W, Q)
    S = S * quotient(Z.T @ X @ W, Z.T @ Z @ S @ W.T @ W)
    yield "7c", (Z, S, W, Q)


def wcnmtf_criterion(X, M, Z, S, W, Q, lam):
    return residual(X, Z @ S @ W.T) + lam * residual(M, W @ Q.T)


def wcnmtf(X, M, Z, S, W, Q, lam, iterations):
    F = []
    for _ in range(iterations):
        *_, (_, (Z, S, W, Q)) = wcnmtf_steps(X, M, Z, S, W, Q, lam)
        F.append(wcnmtf_criterion(X, M, Z, S, W, Q, lam))
    return Z, S, W, Q, F


def laplacian(A):
    return np.diag(A.sum(axis=1)) - A


def gnmf(X, A, Z, W, lam, iterations):
    """Graph A (n, n) over the rows: 1/2 ||X - ZW'||^2 + lam/2 Tr(Z' (D - A) Z)."""
    Z, W, F = Z.copy(), W.copy(), []
    D = np.diag(A.sum(axis=1))
    for _ in range(iterations):
        Z *= quotient(X @ W + lam * A @ Z, Z @ W.T @ W + lam * D @ Z)
        W *= quotient(X.T @ Z, W @ Z.T @ Z)
        F.append(residual(X, Z @ W.T) + 0.5 * lam * np.trace(Z.T @ laplacian(A) @ Z))
    return Z, W, F


def gnmtf(X, A, B, Z, S, W, lam, mu, iterations):
    """Graphs A over the rows (weight lam) and B over the columns (weight mu)."""
    Z, S, W, F = Z.copy(), S.copy(), W.copy(), []
    D, E = np.diag(A.sum(axis=1)), np.diag(B.sum(axis=1))
    for _ in range(iterations):
        Z *= quotient(X @ W @ S.T + lam * A @ Z, Z @ S @ W.T @ W @ S.T + lam * D @ Z)
        W *= quotient(X.T @ Z @ S + mu * B @ W, W @ S.T @ Z.T @ Z @ S + mu * E @ W)
        S *= quotient(Z.T @ X @ W, Z.T @ Z @ S @ W.T @ W)
        smooth = lam * np.trace(Z.T @ laplacian(A) @ Z) + mu * np.trace(W.T @ laplacian(B) @ W)
        F.append(residual(X, Z @ S @ W.T) + 0.5 * smooth)
    return Z, S, W, F


def cooccurrence(X, count, diagonal):
    X = np.asarray(X, float)
    if count == "binary":
        X = (X > 0).astype(float)
    C = np.minimum(X[:, :, None], X[:, None, :]).sum(axis=0) if count == "min" else X.T @ X
    return C if diagonal else C - np.diag(np.diag(C))


def sppmi(X, count, shift, diagonal):
    C = cooccurrence(X, count, diagonal)
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(C * C.sum() / np.outer(C.sum(axis=1), C.sum(axis=0)))
    return np.where(C > 0, np.maximum(pmi - np.log(shift), 0.0), 0.0)
