"""Factorisations of X into three factors: NMTF, orthogonal NMTF, WC-NMTF."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from recoco.core.errors import RecocoError
from recoco.methods.base import sum_of_squares
from recoco.methods.factor_algebra import Factor, SparseMatrix, cross, gram, inner, update
from recoco.methods.factorisation import LEAST_START, Factorisation
from recoco.metrics.cooccurrence import check_count, sppmi

# if scaling X down makes lambda exceed this, X has no influence
LARGEST_LAMBDA = 1e12


def residual(problem: Any, B: Any, Z: Any, S: Any, W: Any) -> np.ndarray:
    """Return ½ ||X - ZSW'||², given B = Z'XW."""
    # eq. objective
    return 0.5 * (problem.norm - 2.0 * inner(B, S) + inner(S.T @ gram(Z) @ S, gram(W)))


@dataclass(eq=False, repr=False, kw_only=True)
class NMTF(Factorisation):
    """Minimise ½ ||X - ZSW'||² with Z, S, W >= 0 (block value decomposition).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of row clusters g.
    n_column_clusters : int or None, default=None
        Number of column clusters m. None means g.
    start : {"means", "random"}, default="means"
        With ``means``, Z is the labels of spherical k-means as 0 and 1, plus 0.2; W puts each
        column in the row cluster where its mean is largest, plus 0.2; S is the mean of X over
        row and column clusters. If m > g, groups of columns are split at random, larger ones
        into more parts; if m < g, neighbouring groups are merged. With ``random``, W and S are
        random.
    labelling : {"plain", "unit", "share"}, default="plain"
        How a row of Z becomes a label: by its largest entry (``plain``), after scaling the
        columns of Z to unit length (``unit``), or after multiplying column k of Z by the length
        of row k of SW' (``share``). For the columns, Z and W are exchanged.
    precision : {"double", "single"}, default="double"
        Type of Z and W. S and sums over rows are always double.
    n_init, max_iter, tol, random_state
        See :class:`~recoco.methods.nmf.NMF`.

    Attributes
    ----------
    Z_, S_, W_ : ndarray of shape (n, g), (g, m) and (d, m)
        The factors.
    criterion_ : float
        ½ ||X - ZSW'||².
    criterion_history_ : ndarray
        The criterion after each iteration; it never increases.
    row_labels_, column_labels_, n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1). Where g and m
    differ, each of the g m blocks is a bicluster, see
    :class:`~recoco.methods.biclusters.Biclusters`.

    References
    ----------
    B. Long, Z. Zhang, P. S. Yu. Co-clustering by Block Value Decomposition. KDD 2005, 635-640.

    Examples
    --------
    >>> from recoco import NMTF
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> NMTF(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "nmtf"
    title = "NMTF"
    equation_notes = "WC-NMTF with lambda = 0: updates 7a, 7b and 7c of its paper, in this order."
    monotone = True
    three_factors = True

    n_column_clusters: int | None = None

    def _iterate(self, problem, state):
        X, Z, S, W = problem.X, state.Z, state.S, state.W
        update(Z, (X @ W) @ S.T, Z @ (S @ gram(W) @ S.T))  # eq. 7a
        P = X.T @ Z
        update(W, P @ S, W @ (S.T @ gram(Z) @ S), with_cross=True)  # eq. 7b
        B = cross(P, W)  # Z'XW
        update(S, B, gram(Z) @ S @ gram(W))  # eq. 7c
        return residual(problem, B, Z, S, W)


class ONMTF(NMTF):
    """Minimise ½ ||X - ZSW'||² with Z'Z = I, W'W = I and Z, S, W >= 0.

    Z and W become orthonormal only in the limit, and the criterion may increase in an iteration.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of row clusters g.
    n_column_clusters : int or None, default=None
        Number of column clusters m. None means g.
    n_init, max_iter, tol, start, labelling, precision, random_state
        See :class:`NMTF`.

    Attributes
    ----------
    row_labels_, column_labels_, Z_, S_, W_, criterion_, criterion_history_, n_iter_
        See :class:`NMTF`.

    References
    ----------
    C. Ding, T. Li, W. Peng, H. Park. Orthogonal Nonnegative Matrix Tri-factorizations for
    Clustering. KDD 2006, 126-135.

    Examples
    --------
    >>> from recoco import ONMTF
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> ONMTF(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "onmtf"
    title = "ONMTF"
    equation_notes = (
        "Square roots of XWS' / (ZZ'XWS'), X'ZS / (WW'X'ZS) and Z'XW / (Z'ZSW'W), in this order."
    )
    monotone = False

    def _iterate(self, problem, state):
        X, Z, S, W = problem.X, state.Z, state.S, state.W
        XW = X @ W
        update(Z, XW @ S.T, Z @ (cross(Z, XW) @ S.T), root=True)  # eq. update of Z
        P = X.T @ Z
        update(W, P @ S, W @ (cross(W, P) @ S), root=True, with_cross=True)  # eq. update of W
        B = cross(P, W)  # Z'XW
        update(S, B, gram(Z) @ S @ gram(W), root=True)  # eq. update of S
        return residual(problem, B, Z, S, W)


@dataclass(eq=False, repr=False, kw_only=True)
class WCNMTF(NMTF):
    """Minimise ½ ||X - ZSW'||² + λ/2 ||M - WQ'||² over non-negative factors.

    M is the shifted positive pointwise mutual information of the columns, see
    :func:`recoco.metrics.cooccurrence.sppmi`. It gives words that occur in the same documents
    similar rows of W. M is computed from the matrix passed to ``fit``. If its counts have been
    weighted, only "binary" still refers to counts; "min" and "product" then use the weights.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of row clusters g.
    n_column_clusters : int or None, default=None
        Number of column clusters m. None means g.
    lam : float, default=1.0
        λ, the weight of the co-occurrences, at least 0.
    shift : float, default=2.0
        N > 0, whose logarithm is subtracted from the mutual information.
    count : {"binary", "min", "product", "tfidf"}, default="binary"
        How co-occurrences are counted.
    diagonal : bool, default=True
        Whether a word co-occurs with itself.
    start : {"means", "random"}, default="means"
        Initial Z, S and W as in :class:`NMTF`; Q is the means of M over the column clusters, but
        at least a thousandth of the mean of M, or random.
    precision : {"double", "single"}, default="double"
        Type of M, Z, W and Q. S and sums over rows are always double.
    n_init, max_iter, tol, labelling, random_state
        See :class:`NMTF`.

    Attributes
    ----------
    Q_ : ndarray of shape (d, m)
        The factor of M.
    criterion_history_ : ndarray
        The criterion above after each iteration; it never increases (Theorem 1).
    row_labels_, column_labels_, Z_, S_, W_, criterion_, n_iter_
        See :class:`NMTF`.

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).

    References
    ----------
    A. Salah, M. Ailem, M. Nadif. Word Co-Occurrence Regularized Non-Negative Matrix
    Tri-Factorization for Text Data Co-Clustering. AAAI 2018.

    Examples
    --------
    >>> from recoco import WCNMTF
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> model = WCNMTF(n_clusters=2, lam=0.1, random_state=0).fit(X)
    >>> model.row_labels_.tolist(), model.column_labels_.tolist()
    ([0, 0, 1, 1], [0, 0, 1, 1])
    """

    name = "wcnmtf"
    title = "WC-NMTF"
    equation_notes = (
        "M by eqs. 2 and 3, criterion eq. 4, updates in the order 7a, 7b, 7d, 7c (Theorem 1)."
    )

    lam: float = 1.0
    shift: float = 2.0
    count: str = "binary"
    diagonal: bool = True

    def _check_numbers(self, A):
        super()._check_numbers(A)
        if not isinstance(self.lam, Real) or not 0 <= self.lam < np.inf:
            raise RecocoError(f"lam is {self.lam!r}: give a finite number of at least 0.")
        check_count(self.count, self.shift)

    def _extend(self, problem, dtype, columns):
        M = sppmi(problem.A, self.count, self.shift, self.diagonal, dtype)
        values = M.data.astype(np.float64)
        extra = problem.extra
        extra.M = SparseMatrix(M, dtype, columns)
        extra.M_norm = sum_of_squares(values)
        extra.least_Q = LEAST_START * values.sum() / problem.A.shape[1] ** 2
        # X is divided by 2**exponent, M is not
        with np.errstate(over="ignore"):
            lam = np.ldexp(float(self.lam), -2 * problem.exponent)
        extra.lam = float(min(lam, LARGEST_LAMBDA))

    def _start_more(self, problem, state, K):
        M = problem.extra.M
        sizes = np.maximum(K.array.sum(axis=0, dtype=np.float64), 1.0)
        means = (M @ K).array / sizes.astype(M.dtype)
        state.Q = Factor(np.maximum(means, M.dtype.type(problem.extra.least_Q)))

    def _iterate(self, problem, state):
        X, M, lam = problem.X, problem.extra.M, problem.extra.lam
        Z, S, W, Q = state.Z, state.S, state.W, state.Q
        update(Z, (X @ W) @ S.T, Z @ (S @ gram(W) @ S.T))  # eq. 7a
        P = X.T @ Z
        G = S.T @ gram(Z) @ S + lam * gram(Q)
        update(W, P @ S + lam * (M @ Q), W @ G, with_cross=True)  # eq. 7b
        MW = M @ W  # M is symmetric
        update(Q, MW, Q @ gram(W))  # eq. 7d
        B = cross(P, W)  # Z'XW
        update(S, B, gram(Z) @ S @ gram(W))  # eq. 7c
        M_residual = 0.5 * (problem.extra.M_norm - 2.0 * inner(MW, Q) + inner(gram(Q), gram(W)))
        return residual(problem, B, Z, S, W) + lam * M_residual  # eq. 4
