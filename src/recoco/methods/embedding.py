"""Singular vectors of the normalised matrix, which all spectral methods use."""

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from recoco.methods.arrays import inverse_root, signs

# Below this many entries a dense decomposition is exact and as fast as an iterative one.
_DENSE = 250_000


def normalised_singular_vectors(
    A: sparse.csr_matrix, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return leading singular vectors of Dr^-1/2 (A - delta) Dc^-1/2, delta_ij = a_i. a_.j / a_..

    Subtracting delta removes exactly the trivial pair (singular value 1, vectors proportional to
    the square roots of the degrees) from Dr^-1/2 A Dc^-1/2 and leaves the others unchanged, even
    if the graph is disconnected and the singular value 1 is not simple. The product is computed as
    a sparse part minus a rank-one part.

    Parameters
    ----------
    A : csr_matrix of shape (n, d)
        Non-negative matrix.
    k : int
        Number of singular pairs.

    Returns
    -------
    U : ndarray of float64, shape (n, k)
        Left singular vectors, rows scaled by Dr^-1/2.
    V : ndarray of float64, shape (d, k)
        Right singular vectors, rows scaled by Dc^-1/2.
    values : ndarray of float64, shape (k,)
        Singular values in descending order. If the matrix has fewer than k pairs, the rest of
        all three is zero.
    """
    row_degree = np.asarray(A.sum(axis=1)).ravel()
    column_degree = np.asarray(A.sum(axis=0)).ravel()
    row_scale, column_scale = inverse_root(row_degree), inverse_root(column_degree)
    data = np.repeat(row_scale, np.diff(A.indptr)) * A.data * column_scale[A.indices]
    N = sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)
    u = np.sqrt(row_degree / row_degree.sum())
    v = np.sqrt(column_degree / row_degree.sum())
    # one thread: sums by a threaded BLAS depend on the number of threads
    with threadpool_limits(1):
        U, s, V = _truncated_svd(N, u, v, min(k, min(A.shape)))
    sign = signs(U)
    # vectors of the null space contain only rounding errors
    sign[s < 1e-10] = 0.0
    missing = ((0, 0), (0, k - s.size))
    U = np.pad(U * sign * row_scale[:, None], missing)  # eq. scaling
    V = np.pad(V * sign * column_scale[:, None], missing)
    return U, V, np.pad(s, missing[1])


def _truncated_svd(N, u, v, k):
    n, d = N.shape
    if n * d <= _DENSE or k >= min(n, d) - 1:
        U, s, Vt = np.linalg.svd(N.toarray() - np.outer(u, v), full_matrices=False)
        return U[:, :k], s[:k], Vt[:k].T
    from scipy.sparse.linalg import LinearOperator, svds

    Nt = N.T.tocsr()
    operator = LinearOperator(
        shape=(n, d),
        dtype=np.float64,
        matvec=lambda x: N @ x.ravel() - u * (v @ x.ravel()),  # eq. embedding
        rmatvec=lambda y: Nt @ y.ravel() - v * (u @ y.ravel()),
        matmat=lambda X: N @ X - np.outer(u, v @ X),
        rmatmat=lambda Y: Nt @ Y - np.outer(v, u @ Y),
    )
    start = np.random.Generator(np.random.PCG64(0)).standard_normal(min(n, d))
    U, s, Vt = svds(operator, k=k, v0=start, solver="arpack")
    order = np.argsort(-s, kind="stable")
    return U[:, order], s[order], Vt[order].T
