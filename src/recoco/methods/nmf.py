"""Factorisations of X into two factors: NMF, orthogonal NMF, projective NMF."""

from typing import Any

import numpy as np

from recoco.methods.factor_algebra import Factor, cross, gram, inner, update
from recoco.methods.factorisation import Factorisation


def residual(problem: Any, P: Factor, Z: Factor, W: Factor) -> np.ndarray:
    """Return ½ ||X - ZW'||², given P = X'Z."""
    return 0.5 * (problem.norm - 2.0 * inner(P, W) + inner(gram(Z), gram(W)))  # eq. objective


class NMF(Factorisation):
    """Minimise ½ ||X - ZW'||² with Z, W >= 0 by multiplicative updates.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters g of rows and of columns.
    tol : float, default=1e-7
        A start ends when its criterion changes by no more than this fraction of itself.
    start : {"means", "random"}, default="means"
        With ``means``, Z is the labels of spherical k-means as 0 and 1, plus 0.2; W puts each
        column in the row cluster where its mean is largest, plus 0.2. With ``random``, W is
        random.
    labelling : {"plain", "unit", "share"}, default="plain"
        How a row of Z becomes a label: by its largest entry (``plain``), after scaling the
        columns of Z to unit length (``unit``), or after multiplying column k of Z by the length
        of column k of W (``share``). For the columns, Z and W are exchanged.
    precision : {"double", "single"}, default="double"
        Type of the factors. Sums over rows are always double.
    n_init, max_iter, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    Z_, W_ : ndarray of shape (n, g) and (d, g)
        The factors.
    criterion_ : float
        ½ ||X - ZW'||².
    criterion_history_ : ndarray
        The criterion after each iteration; it never increases.
    row_labels_, column_labels_, n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).

    References
    ----------
    D. D. Lee, H. S. Seung. Algorithms for Non-negative Matrix Factorization. NIPS 2001.
    W. Xu, X. Liu, Y. Gong. Document Clustering Based on Non-negative Matrix Factorization.
    SIGIR 2003, 267-273.

    Examples
    --------
    >>> from recoco import NMF
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> NMF(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "nmf"
    title = "NMF"
    equation_notes = (
        "Multiplicative updates for the Frobenius norm: Z . XW / (Z W'W), then W . X'Z / (W Z'Z)."
    )
    monotone = True

    def _iterate(self, problem, state):
        X, Z, W = problem.X, state.Z, state.W
        update(Z, X @ W, Z @ gram(W))  # eq. update of Z
        P = X.T @ Z
        update(W, P, W @ gram(Z))  # eq. update of W
        return residual(problem, P, Z, W)


class ONMF(Factorisation):
    """Minimise ½ ||X - ZW'||² with Z'Z = I and Z, W >= 0 by updates on the Stiefel manifold.

    The update of Z uses the gradient on the manifold of orthonormal Z. After it, the columns of Z
    are scaled to unit length, and W such that ZW' stays the same: the update alone turns a column
    of length c into one of length about 1/c, and back in the next iteration, for ever. The columns
    become orthogonal only as far as the data allow, and the criterion may increase in an iteration.

    Parameters
    ----------
    n_clusters, n_init, max_iter, tol, start, labelling, precision, random_state
        See :class:`NMF`.

    Attributes
    ----------
    row_labels_, column_labels_, Z_, W_, criterion_, criterion_history_, n_iter_
        See :class:`NMF`.

    References
    ----------
    J. Yoo, S. Choi. Orthogonal Nonnegative Matrix Tri-factorization for Co-clustering:
    Multiplicative Updates on Stiefel Manifolds. Information Processing & Management 46, 2010,
    559-570.

    Examples
    --------
    >>> from recoco import ONMF
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> ONMF(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "onmf"
    title = "ONMF"
    equation_notes = (
        "Z . XW / (Z W'X'Z), columns of Z scaled to unit length and W inversely, then "
        "W . X'Z / (W Z'Z): the rows' factor is orthogonal."
    )

    def _start(self, problem, labels, generators):
        state = super()._start(problem, labels, generators)
        _unit_columns(state.Z, state.W)
        return state

    def _iterate(self, problem, state):
        X, Z, W = problem.X, state.Z, state.W
        XW = X @ W
        update(Z, XW, Z @ cross(XW, Z))  # eq. update of Z
        _unit_columns(Z, W)
        P = X.T @ Z
        update(W, P, W @ gram(Z))  # eq. update of W
        return residual(problem, P, Z, W)


class PNMF(Factorisation):
    """Projective NMF: minimise ½ ||X - ZZ'X||² with Z >= 0, where W = X'Z.

    After each update, Z is divided by its largest singular value, which prevents oscillation. The
    criterion may increase in an iteration.

    Parameters
    ----------
    n_clusters, n_init, max_iter, tol, start, labelling, precision, random_state
        See :class:`NMF`.

    Attributes
    ----------
    row_labels_, column_labels_, Z_, W_, criterion_, criterion_history_, n_iter_
        See :class:`NMF`.

    References
    ----------
    Z. Yuan, Z. Yang, E. Oja. Projective Nonnegative Matrix Factorization: Sparseness,
    Orthogonality, and Clustering. Neural Processing Letters, 2009.
    Z. Yang, E. Oja. Linear and Nonlinear Projective Nonnegative Matrix Factorization. IEEE
    Transactions on Neural Networks 21, 2010, 734-749.

    Examples
    --------
    >>> from recoco import PNMF
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> PNMF(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "pnmf"
    title = "PNMF"
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
        update(Z, 2.0 * Y, Z @ gram(W) + Y @ gram(Z))  # eq. update of Z
        _unit_norm(Z)
        W = state.W = X.T @ Z  # eq. projection
        return residual(problem, W, Z, W)


def _unit_columns(Z: Factor, W: Factor) -> None:
    """Scale the columns of Z to unit length, and those of W such that ZW' stays the same."""
    lengths = np.sqrt(gram(Z).array.diagonal(axis1=1, axis2=2))
    lengths = np.where(lengths > 0, lengths, 1.0).astype(Z.array.dtype)
    Z.array /= lengths  # eq. unit columns
    W.array *= lengths
    Z.forget()
    W.forget()


def _unit_norm(Z: Factor) -> None:
    """Divide Z by its largest singular value."""
    largest = np.sqrt(np.linalg.eigvalsh(gram(Z).array)[:, -1])
    Z.array /= np.where(largest > 0, largest, 1.0)[:, None].astype(Z.array.dtype)  # eq. scaling
    Z.forget()
