"""Factorisations of X in two factors: NMF, orthogonal NMF, projective NMF."""

import numpy as np

from recoco.methods.factor_algebra import Factor, cross, gram, inner, update
from recoco.methods.factorisation import Factorisation


def residual(problem, P: Factor, Z: Factor, W: Factor):
    """½ ||X - ZW'||² from P = X'Z."""
    return 0.5 * (problem.norm - 2.0 * inner(P, W) + inner(gram(Z), gram(W)))


class NMF(Factorisation):
    """Minimise ½ ||X - ZW'||² with Z, W >= 0 by multiplicative updates.

    Parameters
    ----------
    n_clusters : int
        Number of clusters g, of rows and of columns.
    n_init : int
        Starts per run; the one with the lowest criterion is kept.
    max_iter : int
    tol : float
        A start ends when its criterion changes by no more than this share of itself in an
        iteration.
    start : str
        ``means``: Z is the labels of spherical k-means as 0 and 1, plus 0.2; W puts each column
        in the cluster of rows where its mean is largest, plus 0.2. ``random``: W is random.
    labelling : str
        How a row of Z becomes a label: ``plain``, the largest entry; ``unit``, after columns of
        Z have been given length one; ``share``, after column k of Z has been multiplied with
        the length of column k of W. The same for the columns, with Z and W exchanged.
    precision : str
        ``double`` or ``single``: type of the factors. Sums over rows are always double.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    Z_, W_ : arrays (n, g) and (d, g)
    criterion_ : float, ½ ||X - ZW'||²
    criterion_history_ : array, after each iteration, never increasing
    n_iter_ : int

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).

    References
    ----------
    D. D. Lee, H. S. Seung. Algorithms for Non-negative Matrix Factorization. NIPS 2001.
    W. Xu, X. Liu, Y. Gong. Document Clustering Based on Non-negative Matrix Factorization.
    SIGIR 2003, 267-273.
    """

    name = "nmf"
    title = "NMF"
    reference = (
        "W. Xu, X. Liu, Y. Gong. Document Clustering Based on Non-negative Matrix "
        "Factorization. SIGIR 2003."
    )
    equation_notes = (
        "Multiplicative updates for the Frobenius norm: Z . XW / (Z W'W), then W . X'Z / (W Z'Z)."
    )
    monotone = True

    def _iterate(self, problem, state):
        X, Z, W = problem.X, state.Z, state.W
        update(Z, X @ W, Z @ gram(W))
        P = X.T @ Z
        update(W, P, W @ gram(Z))
        return residual(problem, P, Z, W)


class ONMF(Factorisation):
    """Minimise ½ ||X - ZW'||² with Z'Z = I, Z, W >= 0: updates on the Stiefel manifold.

    The update of Z uses the gradient on the manifold of orthonormal Z. Z becomes orthonormal
    only in the limit, and the criterion need not fall in every iteration.

    Parameters, attributes and notes are those of :class:`NMF`.

    References
    ----------
    J. Yoo, S. Choi. Orthogonal Nonnegative Matrix Tri-factorization for Co-clustering:
    Multiplicative Updates on Stiefel Manifolds. Information Processing & Management 46, 2010,
    559-570.
    """

    name = "onmf"
    title = "ONMF"
    reference = (
        "J. Yoo, S. Choi. Orthogonal Nonnegative Matrix Tri-factorization for Co-clustering: "
        "Multiplicative Updates on Stiefel Manifolds. Information Processing & Management 46, "
        "2010."
    )
    equation_notes = "Z . XW / (Z W'X'Z), then W . X'Z / (W Z'Z): the rows' factor is orthogonal."

    def _iterate(self, problem, state):
        X, Z, W = problem.X, state.Z, state.W
        XW = X @ W
        update(Z, XW, Z @ cross(XW, Z))
        P = X.T @ Z
        update(W, P, W @ gram(Z))
        return residual(problem, P, Z, W)


class PNMF(Factorisation):
    """Minimise ½ ||X - ZZ'X||² with Z >= 0: projective factorisation, W = X'Z.

    After each update Z is divided by its largest singular value, which keeps it from
    oscillating; the criterion need not fall in every iteration.

    Parameters, attributes and notes are those of :class:`NMF`.

    References
    ----------
    Z. Yuan, Z. Yang, E. Oja. Projective Nonnegative Matrix Factorization: Sparseness,
    Orthogonality, and Clustering. Neural Processing Letters, 2009.
    Z. Yang, E. Oja. Linear and Nonlinear Projective Nonnegative Matrix Factorization. IEEE
    Transactions on Neural Networks 21, 2010, 734-749.
    """

    name = "pnmf"
    title = "PNMF"
    reference = (
        "Z. Yuan, Z. Yang, E. Oja. Projective Nonnegative Matrix Factorization: Sparseness, "
        "Orthogonality, and Clustering. Neural Processing Letters, 2009."
    )
    equation_notes = (
        "Z . 2 XX'Z / (ZZ'XX'Z + XX'ZZ'Z), then Z divided by its spectral norm; W = X'Z."
    )

    def _start(self, problem, labels, generators):
        state = super()._start(problem, labels, generators)
        _unit_norm(state.Z)
        state.W = problem.X.T @ state.Z
        return state

    def _iterate(self, problem, state):
        X, Z, W = problem.X, state.Z, state.W
        Y = X @ W  # XX'Z
        update(Z, 2.0 * Y, Z @ gram(W) + Y @ gram(Z))
        _unit_norm(Z)
        W = state.W = X.T @ Z
        return residual(problem, W, Z, W)


def _unit_norm(Z: Factor) -> None:
    """Divide Z by its largest singular value."""
    largest = np.sqrt(np.linalg.eigvalsh(gram(Z).array)[:, -1])
    Z.array /= np.where(largest > 0, largest, 1.0)[:, None].astype(Z.array.dtype)
    Z.forget()
