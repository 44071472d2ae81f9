"""Factorisations of X in three factors: NMTF, orthogonal NMTF, WC-NMTF."""

from numbers import Real

import numpy as np

from recoco.cooccurrence import check_count, sppmi
from recoco.errors import RecocoError
from recoco.methods.base import sum_of_squares
from recoco.methods.factor_algebra import Factor, SparseMatrix, cross, gram, inner, update
from recoco.methods.factorisation import Factorisation

# if X is scaled down by so much that lambda would exceed this, X has no influence any more
LARGEST_LAMBDA = 1e12


def residual(problem, B, Z, S, W):
    """½ ||X - ZSW'||² from B = Z'XW."""
    return 0.5 * (problem.norm - 2.0 * inner(B, S) + inner(S.T @ gram(Z) @ S, gram(W)))


class NMTF(Factorisation):
    """Minimise ½ ||X - ZSW'||² with Z, S, W >= 0 (block value decomposition).

    Parameters
    ----------
    n_clusters : int
        Number of row clusters g.
    n_column_clusters : int or None
        Number of column clusters m; None: as many as row clusters.
    n_init : int
        Starts per run; the one with the lowest criterion is kept.
    max_iter : int
    tol : float
        A start ends when its criterion changes by no more than this share of itself in an
        iteration.
    start : str
        ``means``: Z is the labels of spherical k-means as 0 and 1, plus 0.2; W puts each column
        in the cluster of rows where its mean is largest, plus 0.2; S is the mean of X over row
        and column clusters. With m > g the groups of columns are divided at random, larger
        ones into more parts; with m < g neighbouring groups are joined. ``random``: W and S
        are random.
    labelling : str
        How a row of Z becomes a label: ``plain``, the largest entry; ``unit``, after columns of
        Z have been given length one; ``share``, after column k of Z has been multiplied with
        the length of row k of SW'. The same for the columns, with Z and W exchanged.
    precision : str
        ``double`` or ``single``: type of Z and W. S and sums over rows are always double.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    Z_, S_, W_ : arrays (n, g), (g, m) and (d, m)
    criterion_ : float, ½ ||X - ZSW'||²
    criterion_history_ : array, after each iteration, never increasing
    n_iter_ : int

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).

    References
    ----------
    B. Long, Z. Zhang, P. S. Yu. Co-clustering by Block Value Decomposition. KDD 2005, 635-640.
    """

    name = "nmtf"
    title = "NMTF"
    reference = "B. Long, Z. Zhang, P. S. Yu. Co-clustering by Block Value Decomposition. KDD 2005."
    equation_notes = "WC-NMTF with lambda = 0: updates 7a, 7b and 7c of its paper, in this order."
    monotone = True
    three_factors = True

    def __init__(
        self,
        n_clusters=2,
        n_column_clusters=None,
        n_init=1,
        max_iter=100,
        tol=1e-7,
        start="means",
        labelling="plain",
        precision="double",
        random_state=None,
    ):
        super().__init__(
            n_clusters, n_init, max_iter, tol, start, labelling, precision, random_state
        )
        self.n_column_clusters = n_column_clusters

    def _iterate(self, problem, state):
        X, Z, S, W = problem.X, state.Z, state.S, state.W
        update(Z, (X @ W) @ S.T, Z @ (S @ gram(W) @ S.T))  # 7a
        P = X.T @ Z
        update(W, P @ S, W @ (S.T @ gram(Z) @ S), with_cross=True)  # 7b
        B = cross(P, W)  # Z'XW
        update(S, B, gram(Z) @ S @ gram(W))  # 7c
        return residual(problem, B, Z, S, W)


class ONMTF(NMTF):
    """Minimise ½ ||X - ZSW'||² with Z'Z = I, W'W = I, Z, S, W >= 0.

    Z and W become orthonormal only in the limit, and the criterion need not fall in every
    iteration. Parameters, attributes and notes are those of :class:`NMTF`.

    References
    ----------
    C. Ding, T. Li, W. Peng, H. Park. Orthogonal Nonnegative Matrix Tri-factorizations for
    Clustering. KDD 2006, 126-135.
    """

    name = "onmtf"
    title = "ONMTF"
    reference = (
        "C. Ding, T. Li, W. Peng, H. Park. Orthogonal Nonnegative Matrix Tri-factorizations "
        "for Clustering. KDD 2006."
    )
    equation_notes = (
        "Square roots of XWS' / (ZZ'XWS'), X'ZS / (WW'X'ZS) and Z'XW / (Z'ZSW'W), in this order."
    )
    monotone = False

    def _iterate(self, problem, state):
        X, Z, S, W = problem.X, state.Z, state.S, state.W
        XW = X @ W
        update(Z, XW @ S.T, Z @ (cross(Z, XW) @ S.T), root=True)
        P = X.T @ Z
        update(W, P @ S, W @ (cross(W, P) @ S), root=True, with_cross=True)
        B = cross(P, W)  # Z'XW
        update(S, B, gram(Z) @ S @ gram(W), root=True)
        return residual(problem, B, Z, S, W)


class WCNMTF(NMTF):
    """Minimise ½ ||X - ZSW'||² + λ/2 ||M - WQ'||², all factors >= 0.

    M is the shifted positive pointwise mutual information of the columns, see
    :func:`recoco.cooccurrence.sppmi`: words that occur in the same documents get similar rows
    of W. M is computed from the matrix the method is given; of counts that have been weighted
    only the binary ones can be told, so "min" and "product" count weights then.

    Parameters
    ----------
    n_clusters, n_column_clusters, n_init, max_iter, tol, labelling, random_state
        See :class:`NMTF`.
    lam : float
        λ >= 0.
    shift : float
        N > 0, of which the logarithm is taken off the mutual information.
    count : str
        What co-occurrence is: ``binary``, ``min``, ``product`` or ``tfidf``.
    diagonal : bool
        Whether a word occurs together with itself.
    start : str
        See :class:`NMTF`; Q is the means of M over the column clusters, or random.
    precision : str
        ``double`` or ``single``: type of M, Z, W and Q.

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int
    Z_, S_, W_, Q_ : arrays (n, g), (g, m), (d, m) and (d, m)
    criterion_ : float, see above
    criterion_history_ : array, after each iteration, never increasing (Theorem 1)
    n_iter_ : int

    Notes
    -----
    ``fit(X, init=labels)`` starts from the given row labels (n values in 0..g-1).

    References
    ----------
    A. Salah, M. Ailem, M. Nadif. Word Co-Occurrence Regularized Non-Negative Matrix
    Tri-Factorization for Text Data Co-Clustering. AAAI 2018.
    """

    name = "wcnmtf"
    title = "WC-NMTF"
    reference = (
        "A. Salah, M. Ailem, M. Nadif. Word Co-Occurrence Regularized Non-Negative Matrix "
        "Tri-Factorization for Text Data Co-Clustering. AAAI 2018."
    )
    equation_notes = (
        "M by eqs. 2 and 3, criterion eq. 4, updates in the order 7a, 7b, 7d, 7c (Theorem 1)."
    )

    def __init__(
        self,
        n_clusters=2,
        n_column_clusters=None,
        lam=1.0,
        shift=2.0,
        count="binary",
        diagonal=True,
        n_init=1,
        max_iter=100,
        tol=1e-7,
        start="means",
        labelling="plain",
        precision="double",
        random_state=None,
    ):
        super().__init__(
            n_clusters,
            n_column_clusters,
            n_init,
            max_iter,
            tol,
            start,
            labelling,
            precision,
            random_state,
        )
        self.lam = lam
        self.shift = shift
        self.count = count
        self.diagonal = diagonal

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        # M has about 6 % non-zeros; two products with it in each of 100 iterations
        product = n_init * 100 * 4 * (0.06 * d**2) * n_clusters / 1e10
        return super().cost(n, d, nnz, n_clusters, n_init) + product

    def _check(self, X):
        A = super()._check(X)
        if not isinstance(self.lam, Real) or not 0 <= self.lam < np.inf:
            raise RecocoError(f"lam is {self.lam!r}: give a finite number of at least 0.")
        check_count(self.count, self.shift)
        return A

    def _extend(self, problem, dtype, columns):
        M = sppmi(problem.A, self.count, self.shift, self.diagonal, dtype)
        values = M.data.astype(np.float64)
        extra = problem.extra
        extra.M = SparseMatrix(M, dtype, columns)
        extra.M_norm = sum_of_squares(values)
        # X is divided by 2**exponent, M is not
        with np.errstate(over="ignore"):
            lam = np.ldexp(float(self.lam), -2 * problem.exponent)
        extra.lam = float(min(lam, LARGEST_LAMBDA))

    def _start_more(self, problem, state, K):
        M = problem.extra.M
        sizes = np.maximum(K.array.sum(axis=0, dtype=np.float64), 1.0)
        state.Q = Factor((M @ K).array / sizes.astype(M.dtype))

    def _iterate(self, problem, state):
        X, M, lam = problem.X, problem.extra.M, problem.extra.lam
        Z, S, W, Q = state.Z, state.S, state.W, state.Q
        update(Z, (X @ W) @ S.T, Z @ (S @ gram(W) @ S.T))  # 7a
        P = X.T @ Z
        G = S.T @ gram(Z) @ S + lam * gram(Q)
        update(W, P @ S + lam * (M @ Q), W @ G, with_cross=True)  # 7b
        MW = M @ W  # M is symmetric
        update(Q, MW, Q @ gram(W))  # 7d
        B = cross(P, W)  # Z'XW
        update(S, B, gram(Z) @ S @ gram(W))  # 7c
        M_residual = 0.5 * (problem.extra.M_norm - 2.0 * inner(MW, Q) + inner(gram(Q), gram(W)))
        return residual(problem, B, Z, S, W) + lam * M_residual
