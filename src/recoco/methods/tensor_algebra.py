"""Decompositions of a tensor whose slices are sparse matrices.

The tensor is never built: all products with it are products of its slices.
"""

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from recoco.methods.arrays import signs
from recoco.methods.block_engine import multiply

# Below this many rows a dense decomposition is exact and as fast as an iterative one.
_DENSE = 600


def parafac(
    slices: list, transposed: list, norm: float, factors: Any, max_iter: int, stop: Any
) -> tuple[list[np.ndarray], np.ndarray]:
    """Alternating least squares from given factors.

    Parameters
    ----------
    slices, transposed : list of v sparse matrices of shape (n, n)
        The slices of the tensor, and their transposes.
    norm : float
        Norm of the tensor.
    factors : sequence of ndarray of shape (n, r), (n, r) and (v, r)
        Initial A, B and C.
    max_iter : int
        Maximum number of iterations.
    stop : callable
        Takes the list of errors; returns whether to stop.

    Returns
    -------
    factors : list of ndarray
        A, B and C.
    errors : ndarray of float64
        Relative error after each iteration.
    """
    A, B, C = factors
    XB = _products(slices, B)
    history: list[float] = []
    for _ in range(max_iter):
        A = _solve(_weighted(XB, C), (B.T @ B) * (C.T @ C))  # eq. update of A
        M = _weighted(_products(transposed, A), C)
        B = unit_columns(_solve(M, (A.T @ A) * (C.T @ C)))  # eq. update of B
        XB = _products(slices, B)  # used for C, and for A in the next iteration
        products = np.stack([(A * part).sum(axis=0) for part in XB])
        gram = (A.T @ A) * (B.T @ B)
        C = _solve(products, gram)  # eq. update of C
        # ||X - X^||^2 by its parts; rounding may make an exact fit negative
        square = norm**2 - 2.0 * (products * C).sum() + (gram * (C.T @ C)).sum()
        history.append(float(np.sqrt(max(square, 0.0)) / norm))
        if stop(history):
            break
    return [A, B, C], np.array(history)


def tucker(
    slices: list, transposed: list, norm: float, factors: Any, max_iter: int, stop: Any
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Higher-order orthogonal iteration from given factors; for the parameters see :func:`parafac`.

    Returns
    -------
    core : ndarray of shape (p, q, s)
    factors : list of ndarray
        A, B and C.
    errors : ndarray of float64
        Relative error after each iteration.
    """
    A, B, C = factors
    ranks = [factor.shape[1] for factor in factors]
    XB = _products(slices, B)
    history: list[float] = []
    for _ in range(max_iter):
        A = _leading(_project(XB, C), ranks[0])  # eq. update of A
        B = _leading(_project(_products(transposed, A), C), ranks[1])  # eq. update of B
        XB = _products(slices, B)  # used for C, and for A in the next iteration
        inner = np.stack([A.T @ part for part in XB])
        C = _leading(inner.reshape(len(slices), -1), ranks[2])  # eq. update of C
        core = np.einsum("bpq,bs->pqs", inner, C)
        square = norm**2 - float((core**2).sum())
        history.append(float(np.sqrt(max(square, 0.0)) / norm))
        if stop(history):
            break
    return core, [A, B, C], np.array(history)


def _products(slices, B) -> np.ndarray:
    """Return the products of the slices and B as an array of shape (v, n, r)."""
    out = np.empty((len(slices), slices[0].shape[0], B.shape[1]))
    for X, part in zip(slices, out, strict=True):
        multiply(X, B, False, part)
    return out


def _weighted(parts, weights) -> np.ndarray:
    """Sum parts (v, n, r), each with one weight, or with one per column."""
    total = parts[0] * weights[0]
    for part, weight in zip(parts[1:], weights[1:], strict=True):
        total += part * weight
    return total


def _project(parts, C) -> np.ndarray:
    """Return the unfolded tensor times B and C, given its slices times B: shape (n, q s)."""
    return np.hstack([_weighted(parts, weights) for weights in C.T])


def _solve(M, gram) -> np.ndarray:
    """Return M gram^+: the factor of least norm if the components are dependent."""
    values, vectors = np.linalg.eigh(gram)
    inverse = np.zeros_like(values)
    good = values > 1e-13 * max(values[-1], 0.0)
    inverse[good] = 1.0 / values[good]
    return ((M @ vectors) * inverse) @ vectors.T


def unit_columns(A: Any) -> np.ndarray:
    """Scale columns to unit length; columns of zeros stay."""
    lengths = np.sqrt((A**2).sum(axis=0))
    return A / np.where(lengths > 0, lengths, 1.0)


def _leading(P, k: int) -> np.ndarray:
    """Return the leading left singular vectors of P, and zeros beyond its rank."""
    if P.shape[0] <= P.shape[1]:
        squares, vectors = np.linalg.eigh(P @ P.T)
        U, squares = vectors[:, ::-1][:, :k], squares[::-1][:k]
    else:
        squares, vectors = np.linalg.eigh(P.T @ P)
        squares = squares[::-1][:k]
        # already orthogonal, up to rounding
        U = np.linalg.qr(P @ vectors[:, ::-1][:, :k])[0]
    found = squares > 1e-14 * max(squares[0], 0.0)
    U = U[:, : squares.size]
    return U * signs(U) * found


def unfolded_vectors(
    slices: list, transposed: list, r: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return left singular vectors of the three unfoldings: the leading ones above 0.

    Returns
    -------
    A, B, C : ndarray of shape (n, r), (n, r) and (v, r)
        With fewer columns if there are not as many.
    """
    A = _gram_vectors(slices, transposed, r)
    symmetric = all(X is Xt for X, Xt in zip(slices, transposed, strict=True))
    B = A if symmetric else _gram_vectors(transposed, slices, r)
    inner = np.array([[float(X.multiply(Y).sum()) for Y in slices] for X in slices])
    return A, B, _largest(*np.linalg.eigh(inner), r)


def _gram_vectors(slices, transposed, r: int) -> np.ndarray:
    """Return the leading eigenvectors of sum_b X_b X_b'."""
    n = slices[0].shape[0]
    pairs = list(zip(slices, transposed, strict=True))
    if n <= _DENSE or r >= n - 1:
        gram = sum((X @ Xt) for X, Xt in pairs).toarray()
        return _largest(*np.linalg.eigh(gram), r)
    start = np.random.Generator(np.random.PCG64(0)).standard_normal(n)
    operator = LinearOperator(
        (n, n), matvec=lambda x: sum(X @ (Xt @ x) for X, Xt in pairs), dtype=np.float64
    )
    return _largest(*eigsh(operator, k=r, which="LA", v0=start), r)  # type: ignore[call-arg]


def _largest(values, vectors, r: int) -> np.ndarray:
    """Return the eigenvectors of the r largest positive eigenvalues."""
    order = np.argsort(-values, kind="stable")[:r]
    order = order[values[order] > 1e-12 * values[order[0]]]
    return vectors[:, order] * signs(vectors[:, order])
