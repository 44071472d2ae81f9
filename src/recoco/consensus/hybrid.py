"""Consensus by a graph that joins rows with rows, columns with columns and rows with columns.

After CoCE (Yu et al. 2019). Their paper was not at hand; what is known of it (its abstract, and
the description in the EBCO paper) is kept:

- the quality of every base co-cluster is measured and weights the relevance of columns to rows,
- this and the relevances of rows to rows and of columns to columns make one hybrid graph,
- the consensus is a trace problem, solved by leading vectors, ceil(log2 g) of them,
- rows and columns are then clustered apart by k-means.

Choices made here, because the formulas are not known:

- quality: the weight inside the co-cluster over the geometric mean of the weights of its rows
  and of its columns, between 0 and 1;
- relevance of rows to rows (columns to columns): share of the bases that put them together;
- each of the three matrices is divided by the roots of its own row and column sums, so that
  none outweighs the others by its scale; the graph they make is then cut by its normalised
  Laplacian.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import threadpool_limits

from recoco.consensus.bases import Bases
from recoco.consensus.spectral import indicator

# Below this many objects a dense decomposition is exact and as quick as an iterative one.
_DENSE = 600


def base_quality(A: sparse.csr_matrix, bases: Bases) -> np.ndarray:
    """Quality of every base co-cluster: inside weight / sqrt(weight of rows x of columns)."""
    K = bases.row_sizes.size
    row_mass, column_mass = np.asarray(A.sum(axis=1)).ravel(), np.asarray(A.sum(axis=0)).ravel()
    of_rows, of_columns, inside = np.zeros(K), np.zeros(K), np.zeros(K)
    for z, w in zip(bases.by_row.T, bases.by_column.T, strict=True):
        of_rows += np.bincount(z, row_mass, K)
        of_columns += np.bincount(w, column_mass, K)
        entry_rows = np.repeat(z, np.diff(A.indptr))
        same = entry_rows == w[A.indices]
        inside += np.bincount(entry_rows[same], A.data[same], K)
    size = np.sqrt(of_rows * of_columns)
    return np.divide(inside, size, out=np.zeros(K), where=size > 0)


def _inverse_root(degree):
    root = np.sqrt(np.maximum(degree, 0.0))
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)


def hybrid_operator(bases: Bases, quality: np.ndarray, within: float = 1.0) -> LinearOperator:
    """The hybrid matrix [[a S, R], [R', a T]], applied by the factors of its parts."""
    K = bases.row_sizes.size
    n, d = len(bases.by_row), len(bases.by_column)
    Phi, Psi = indicator(bases.by_row, K), indicator(bases.by_column, K)
    Phi_t, Psi_t = Phi.T.tocsr(), Psi.T.tocsr()
    s = _inverse_root(Phi @ bases.row_sizes.astype(float))
    t = _inverse_root(Psi @ bases.column_sizes.astype(float))
    r = _inverse_root(Phi @ (quality * bases.column_sizes))
    c = _inverse_root(Psi @ (quality * bases.row_sizes))

    def apply(x):
        x = np.asarray(x).ravel()
        u, v = x[:n], x[n:]
        top = within * s * (Phi @ (Phi_t @ (s * u))) + r * (Phi @ (quality * (Psi_t @ (c * v))))
        low = within * t * (Psi @ (Psi_t @ (t * v))) + c * (Psi @ (quality * (Phi_t @ (r * u))))
        return np.concatenate([top, low])

    return LinearOperator((n + d, n + d), matvec=apply, rmatvec=apply, dtype=np.float64)


def hybrid_embedding(bases: Bases, quality: np.ndarray, k: int, within: float = 1.0):
    """Places of rows and columns: the k smoothest vectors on the hybrid graph but the constant.

    They minimise Trace(F' L F), L the normalised Laplacian: eigenvectors of D^-1/2 H D^-1/2,
    D the row sums of the hybrid matrix H, without the trivial one, scaled by D^-1/2.

    Returns
    -------
    U : float64 (n, k); V : float64 (d, k)
    """
    hybrid = hybrid_operator(bases, quality, within)
    N = hybrid.shape[0]
    degree = hybrid.matvec(np.ones(N))
    scale = _inverse_root(degree)
    trivial = np.sqrt(degree / degree.sum())

    def apply(x):
        x = np.asarray(x).ravel()
        return scale * hybrid.matvec(scale * x) - trivial * (trivial @ x)

    with threadpool_limits(1):  # sums of a threaded BLAS depend on the number of threads
        if N <= _DENSE or k >= N - 1:
            dense = np.column_stack([apply(e) for e in np.eye(N)])
            values, vectors = np.linalg.eigh((dense + dense.T) / 2)
        else:
            start = np.random.Generator(np.random.PCG64(0)).standard_normal(N)
            operator = LinearOperator((N, N), matvec=apply, rmatvec=apply, dtype=np.float64)
            values, vectors = eigsh(operator, k=k, which="LA", v0=start)
    vectors = vectors[:, np.argsort(-values, kind="stable")[:k]]
    # the sign of a vector is free: its largest entry is made positive
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    vectors = vectors * np.where(largest < 0, -1.0, 1.0) * scale[:, None]
    n = len(bases.by_row)
    return vectors[:n], vectors[n:]
