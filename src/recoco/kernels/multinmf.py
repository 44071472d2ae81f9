"""MultiNMF: what its updates do entry by entry, after the products of matrices.

Sums run through the rows in their order, as numpy's do along the first axis.
"""

import numpy as np
from numba import njit

# keeps denominators above 0; a factor that is 0 stays 0
TINY = 1e-300


@njit(cache=True, nogil=True)
def update_features(U, V, above, below, lam, consensus):
    """Update U from X' V and U V' V, bring its columns to sum 1 and V to the same product.

    Parameters
    ----------
    U : float64 (d, g); V : float64 (n, g): overwritten
    above, below : float64 (d, g), X' V and U V' V
    lam : float
    consensus : float64 (n, g), V*
    """
    d, g = U.shape
    Q, agreement, squares = np.zeros(g), np.zeros(g), np.zeros(g)
    for i in range(len(V)):
        for k in range(g):
            agreement[k] += V[i, k] * consensus[i, k]
            squares[k] += V[i, k] * V[i, k]
    for j in range(d):
        for k in range(g):
            Q[k] += U[j, k]
    for k in range(g):
        agreement[k] *= lam
        squares[k] *= lam * Q[k]
    Q[:] = 0.0
    for j in range(d):
        for k in range(g):
            U[j, k] *= (above[j, k] + agreement[k]) / (below[j, k] + squares[k] + TINY)
            Q[k] += U[j, k]
    for k in range(g):
        if Q[k] == 0.0:
            Q[k] = 1.0  # a column that is 0 is left as it is
    for j in range(d):
        for k in range(g):
            U[j, k] /= Q[k]
    for i in range(len(V)):
        for k in range(g):
            V[i, k] *= Q[k]


@njit(cache=True, nogil=True)
def update_memberships(V, above, below, lam, consensus):
    """Update V (n, g), overwritten, from X U and V U' U."""
    n, g = V.shape
    for i in range(n):
        for k in range(g):
            up = above[i, k] + lam * consensus[i, k]
            V[i, k] *= up / (below[i, k] + lam * V[i, k] + TINY)
