"""Consensus by a graph of rows with rows, columns with columns, and rows with columns.

After CoCE (Yu et al. 2019), whose paper was not available. What is known of it, from its abstract
and from the description in the EBCO paper, is implemented:

- the quality of every base co-cluster is measured, and weights the relevance of columns to rows;
- this and the relevances of rows to rows and of columns to columns form one hybrid graph;
- the consensus is a trace problem, solved by ceil(log2 g) leading vectors;
- rows and columns are then clustered separately by k-means.

Choices of this implementation, because the formulas are not known:

- quality: the weight inside the co-cluster over the geometric mean of the weights of its rows
  and of its columns, between 0 and 1;
- relevance of rows to rows (columns to columns): fraction of the bases that put them together;
- each of the three matrices is divided by the square roots of its row and column sums, so none
  dominates by its scale; the resulting graph is cut by its normalised Laplacian.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import threadpool_limits

from recoco.consensus.bases import Bases
from recoco.consensus.spectral import indicator
from recoco.methods.arrays import inverse_root, signs

# Below this many objects a dense decomposition is exact and as fast as an iterative one.
_DENSE = 600


def base_quality(A: sparse.csr_matrix, bases: Bases) -> np.ndarray:
    """Return the quality of each base co-cluster: weight / sqrt(row weight x column weight)."""
    K = bases.row_sizes.size
    row_mass, column_mass = np.asarray(A.sum(axis=1)).ravel(), np.asarray(A.sum(axis=0)).ravel()
    of_rows, of_columns, inside = np.zeros(K), np.zeros(K), np.zeros(K)
    for z, w in zip(bases.by_row.T, bases.by_column.T, strict=True):
        of_rows += np.bincount(z, row_mass, K)
        of_columns += np.bincount(w, column_mass, K)
        entry_rows = np.repeat(z, np.diff(A.indptr))
        same = entry_rows == w[A.indices]
        inside += np.bincount(entry_rows[same], A.data[same], K)
    size = np.sqrt(of_rows * of_columns)  # eq. quality
    return np.divide(inside, size, out=np.zeros(K), where=size > 0)


def hybrid_operator(bases: Bases, quality: np.ndarray, within: float = 1.0) -> LinearOperator:
    """Return the hybrid matrix [[a S, R], [R', a T]], applied through the factors of its parts."""
    K = bases.row_sizes.size
    n, d = len(bases.by_row), len(bases.by_column)
    Phi, Psi = indicator(bases.by_row, K), indicator(bases.by_column, K)
    Phi_t, Psi_t = Phi.T.tocsr(), Psi.T.tocsr()
    s = inverse_root(Phi @ bases.row_sizes.astype(float))
    t = inverse_root(Psi @ bases.column_sizes.astype(float))
    r = inverse_root(Phi @ (quality * bases.column_sizes))
    c = inverse_root(Psi @ (quality * bases.row_sizes))

    def apply(x):
        x = np.asarray(x).ravel()
        u, v = x[:n], x[n:]
        # eq. hybrid graph
        top = within * s * (Phi @ (Phi_t @ (s * u))) + r * (Phi @ (quality * (Psi_t @ (c * v))))
        low = within * t * (Psi @ (Psi_t @ (t * v))) + c * (Psi @ (quality * (Phi_t @ (r * u))))
        return np.concatenate([top, low])

    return LinearOperator((n + d, n + d), matvec=apply, rmatvec=apply, dtype=np.float64)


def hybrid_embedding(
    bases: Bases, quality: np.ndarray, k: int, within: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Embed rows and columns by the k smoothest non-constant vectors on the hybrid graph.

    They minimise Trace(F' L F), where L is the normalised Laplacian: eigenvectors of
    D^-1/2 H D^-1/2 without the trivial one, scaled by D^-1/2, where D contains the row sums of the
    hybrid matrix H.

    Returns
    -------
    U : ndarray of float64, shape (n, k)
    V : ndarray of float64, shape (d, k)
    """
    hybrid = hybrid_operator(bases, quality, within)
    N = hybrid.shape[0]
    degree = hybrid.matvec(np.ones(N))
    scale = inverse_root(degree)
    trivial = np.sqrt(degree / degree.sum())

    def apply(x):
        x = np.asarray(x).ravel()
        return scale * hybrid.matvec(scale * x) - trivial * (trivial @ x)

    with threadpool_limits(1):  # sums by a threaded BLAS depend on the number of threads
        if N <= _DENSE or k >= N - 1:
            dense = np.column_stack([apply(e) for e in np.eye(N)])
            values, vectors = np.linalg.eigh((dense + dense.T) / 2)
        else:
            start = np.random.Generator(np.random.PCG64(0)).standard_normal(N)
            operator = LinearOperator((N, N), matvec=apply, rmatvec=apply, dtype=np.float64)
            values, vectors = eigsh(operator, k=k, which="LA", v0=start)  # eq. embedding
    vectors = vectors[:, np.argsort(-values, kind="stable")[:k]]
    vectors = vectors * signs(vectors) * scale[:, None]
    n = len(bases.by_row)
    return vectors[:n], vectors[n:]
