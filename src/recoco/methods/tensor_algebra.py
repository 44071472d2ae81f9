"""Decompositions of a tensor whose slices are sparse matrices.

The tensor is never built: all products with it are products of its slices.
"""

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from recoco.methods.block_engine import multiply

# Below this many rows a dense decomposition is exact and as quick as an iterative one.
_DENSE = 600


def parafac(slices, transposed, norm: float, factors, max_iter: int, stop):
    """Alternating least squares from given factors.

    Parameters
    ----------
    slices, transposed : lists of v sparse matrices (n, n)
    norm : float, of the tensor
    factors : A (n, r), B (n, r), C (v, r)
    stop : function of the list of errors

    Returns
    -------
    [A, B, C], float64 array of relative errors
    """
    A, B, C = factors
    XB = _products(slices, B)
    history: list[float] = []
    for _ in range(max_iter):
        A = _solve(_weighted(XB, C), (B.T @ B) * (C.T @ C))
        M = _weighted(_products(transposed, A), C)
        B = unit_columns(_solve(M, (A.T @ A) * (C.T @ C)))
        XB = _products(slices, B)  # for C, and for A in the next iteration
        products = np.stack([(A * part).sum(axis=0) for part in XB])
        gram = (A.T @ A) * (B.T @ B)
        C = _solve(products, gram)
        # ||X - X^||^2 by its parts, where rounding may bring an exact fit below 0
        square = norm**2 - 2.0 * (products * C).sum() + (gram * (C.T @ C)).sum()
        history.append(float(np.sqrt(max(square, 0.0)) / norm))
        if stop(history):
            break
    return [A, B, C], np.array(history)


def tucker(slices, transposed, norm: float, factors, max_iter: int, stop):
    """Higher-order orthogonal iteration from given factors, see :func:`parafac`.

    Returns
    -------
    core (p, q, s), [A, B, C], float64 array of relative errors
    """
    A, B, C = factors
    ranks = [factor.shape[1] for factor in factors]
    XB = _products(slices, B)
    history: list[float] = []
    for _ in range(max_iter):
        A = _leading(_project(XB, C), ranks[0])
        B = _leading(_project(_products(transposed, A), C), ranks[1])
        XB = _products(slices, B)  # for C, and for A in the next iteration
        inner = np.stack([A.T @ part for part in XB])
        C = _leading(inner.reshape(len(slices), -1), ranks[2])
        core = np.einsum("bpq,bs->pqs", inner, C)
        square = norm**2 - float((core**2).sum())
        history.append(float(np.sqrt(max(square, 0.0)) / norm))
        if stop(history):
            break
    return core, [A, B, C], np.array(history)


def _products(slices, B) -> np.ndarray:
    """The slices times B: (v, n, r)."""
    out = np.empty((len(slices), slices[0].shape[0], B.shape[1]))
    for X, part in zip(slices, out, strict=True):
        multiply(X, B, False, part)
    return out


def _weighted(parts, weights) -> np.ndarray:
    """Sum of parts (v, n, r), each with its weight or one for every column."""
    total = parts[0] * weights[0]
    for part, weight in zip(parts[1:], weights[1:], strict=True):
        total += part * weight
    return total


def _project(parts, C) -> np.ndarray:
    """The unfolded tensor times B and C, from its slices times B: (n, q s)."""
    return np.hstack([_weighted(parts, weights) for weights in C.T])


def _solve(M, gram) -> np.ndarray:
    """M gram^+: the factor of least norm if the components are not independent."""
    values, vectors = np.linalg.eigh(gram)
    inverse = np.zeros_like(values)
    good = values > 1e-13 * max(values[-1], 0.0)
    inverse[good] = 1.0 / values[good]
    return ((M @ vectors) * inverse) @ vectors.T


def unit_columns(A) -> np.ndarray:
    lengths = np.sqrt((A**2).sum(axis=0))
    return A / np.where(lengths > 0, lengths, 1.0)


def _leading(P, k: int) -> np.ndarray:
    """Leading left singular vectors of P; zeros beyond its rank."""
    if P.shape[0] <= P.shape[1]:
        squares, vectors = np.linalg.eigh(P @ P.T)
        U, squares = vectors[:, ::-1][:, :k], squares[::-1][:k]
    else:
        squares, vectors = np.linalg.eigh(P.T @ P)
        squares = squares[::-1][:k]
        # orthogonal already, up to rounding
        U = np.linalg.qr(P @ vectors[:, ::-1][:, :k])[0]
    found = squares > 1e-14 * max(squares[0], 0.0)
    return _signed(U[:, : squares.size]) * found


def _signed(U) -> np.ndarray:
    """The sign of a vector is free: its largest entry is made positive."""
    return U * np.where(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])] < 0, -1.0, 1.0)


def unfolded_vectors(slices, transposed, r: int):
    """Leading left singular vectors of the three unfolded tensors, of singular values above 0.

    Returns
    -------
    A (n, r), B (n, r), C (v, r), each with fewer columns if there are no more
    """
    A = _gram_vectors(slices, transposed, r)
    symmetric = all(X is Xt for X, Xt in zip(slices, transposed, strict=True))
    B = A if symmetric else _gram_vectors(transposed, slices, r)
    inner = np.array([[float(X.multiply(Y).sum()) for Y in slices] for X in slices])
    return A, B, _largest(*np.linalg.eigh(inner), r)


def _gram_vectors(slices, transposed, r: int) -> np.ndarray:
    """Leading eigenvectors of sum_b X_b X_b'."""
    n = slices[0].shape[0]
    pairs = list(zip(slices, transposed, strict=True))
    if n <= _DENSE or r >= n - 1:
        gram = sum((X @ Xt) for X, Xt in pairs).toarray()
        return _largest(*np.linalg.eigh(gram), r)
    start = np.random.Generator(np.random.PCG64(0)).standard_normal(n)
    operator = LinearOperator(
        (n, n), matvec=lambda x: sum(X @ (Xt @ x) for X, Xt in pairs), dtype=np.float64
    )
    return _largest(*eigsh(operator, k=r, which="LA", v0=start), r)


def _largest(values, vectors, r: int) -> np.ndarray:
    """Eigenvectors of the r largest eigenvalues; those of 0 are left out."""
    order = np.argsort(-values, kind="stable")[:r]
    order = order[values[order] > 1e-12 * values[order[0]]]
    return _signed(vectors[:, order])
