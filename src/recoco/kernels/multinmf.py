"""The element-wise part of the updates of MultiNMF, after the matrix products.

Sums add the rows in order, as numpy does along the first axis.
"""

import numpy as np
from numba import njit

# keeps denominators positive; a factor of 0 stays 0
TINY = 1e-300


@njit(cache=True, nogil=True)
def update_features(U, V, above, below, lam, consensus):
    """Update U from X' V and U V' V, scale its columns to sum 1, and rescale V accordingly.

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
            # eq. update of U
            U[j, k] *= (above[j, k] + agreement[k]) / (below[j, k] + squares[k] + TINY)
            Q[k] += U[j, k]
    for k in range(g):
        if Q[k] == 0.0:
            Q[k] = 1.0  # a column of zeros stays unchanged
    for j in range(d):
        for k in range(g):
            U[j, k] /= Q[k]  # eq. scaling
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
            V[i, k] *= up / (below[i, k] + lam * V[i, k] + TINY)  # eq. update of V
