"""Poisson block models of one graph or matrix: PSBM, DC-SBM, PLBM, SPLBM."""

from dataclasses import dataclass

from recoco.core.errors import RecocoError
from recoco.datasets.similarity_graphs import Cooccurrence
from recoco.methods.block_engine import BlockModel, VariationalModel, stack
from recoco.methods.block_sides import Sides, _LatentBlockModel, run_moves
from recoco.methods.checks import check_choice
from recoco.methods.graph_clusterer import Graphs

EMS = ("variational", "classification")
E_STEPS = ("derived", "printed")


class PSBM(VariationalModel):
    """Poisson stochastic block model, fitted by variational EM.

    The model is x_ij ~ Poisson(gamma_kl) for i != j, where k and l are the clusters of i and j.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters g.
    max_iter : int, default=300
        Maximum number of iterations, each an E-step and an M-step.
    tol : float, default=1e-8
        A start ends when its bound grows by no more than this fraction of itself.
    hard_steps : int, default=0
        Number of iterations with hard labels before the first soft E-step. From a random
        partition all estimates are nearly equal, so the soft posteriors of all nodes often
        become the same; a few hard steps avoid this.
    n_init, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    row_labels_ : ndarray of shape (n,)
        Cluster with the largest posterior of each node; also available as ``labels_``.
    posteriors_ : ndarray of shape (n, g)
        Probability of each cluster for each node.
    criterion_ : float
        The variational bound without sum log x_ij!.
    criterion_history_ : ndarray
        The bound after each iteration; it never decreases.
    n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    X is a symmetric matrix whose diagonal is ignored; at least one edge must join two different
    nodes. A Poisson model takes weights for counts, so their scale matters: the larger they are,
    the harder the posteriors. All posteriors of an iteration are computed
    from those of the previous one. If this lowers the bound, they are moved half-way back towards
    the old ones until it does not. ``fit(X, init=labels)`` starts from the given labels.

    References
    ----------
    K. Nowicki, T. A. B. Snijders. Estimation and prediction for stochastic blockstructures. Journal
    of the American Statistical Association 96, 2001, 1077-1087.
    J.-J. Daudin, F. Picard, S. Robin. A mixture model for random graphs. Statistics and Computing
    18, 2008, 173-183.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import PSBM
    >>> X = np.kron(np.eye(2), np.full((4, 4), 9)) + 1
    >>> PSBM(n_clusters=2, n_init=5, random_state=0).fit(X).labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """

    name = "psbm"
    title = "PSBM"
    equation_notes = (
        "z_ik ~ pi_k exp sum_{j != i, l} z_jl (x_ij log gamma_kl - gamma_kl); criterion: sum z log "
        "pi + 1/2 sum_{i != j} z z (x log gamma - gamma) + H(Z). TSPLBM paper, Section 3.2."
    )

    def _prepare(self, graphs):
        problem = stack(graphs, diagonal=False)
        if problem.rows.nnz == 0:
            raise RecocoError(
                "The graph has no edge between two different nodes, and PSBM ignores the diagonal: "
                "give a graph with such edges."
            )
        return problem

    def _run(self, problem, generators, init):
        from recoco.kernels.block_models import PSBM as model

        return self._run_em(problem, generators, init, model)


@dataclass(eq=False, repr=False, kw_only=True)
class DCSBM(BlockModel):
    """Degree-corrected stochastic block model with hard labels, fitted by moving single nodes.

    Maximises sum_kl m_kl log(m_kl / (m_k. m_l.)), where m_kl is the weight between two clusters:
    each node in turn is put where this is largest, until no node moves.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters g.
    max_iter : int, default=100
        Maximum number of passes through the nodes.
    tol : float, default=1e-9
        A start ends when a pass raises the criterion by no more than this fraction of it.
    n_init, random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Attributes
    ----------
    posteriors_ : ndarray of shape (n, g)
        The labels as 0 and 1.
    criterion_ : float
        The criterion above.
    criterion_history_ : ndarray
        The criterion after each pass; it never decreases.
    row_labels_, n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    Nodes are visited in an order drawn once per start. Karrer and Newman move the best of all
    nodes in each step and return to the best state of a pass, which takes n times as long.
    ``fit(X, init=labels)`` starts from the given labels and visits the nodes in their order.

    References
    ----------
    B. Karrer, M. E. J. Newman. Stochastic blockmodels and community structure in networks.
    Physical Review E 83, 2011, 016107.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import DCSBM
    >>> X = np.kron(np.eye(2), np.full((4, 4), 9)) + 1
    >>> DCSBM(n_clusters=2, n_init=5, random_state=0).fit(X).labels_.tolist()
    [1, 1, 1, 1, 0, 0, 0, 0]
    """

    name = "dcsbm"
    title = "DC-SBM"
    equation_notes = "Criterion: sum_kl m_kl log(m_kl / (m_k. m_l.)), moves of single nodes."
    monotone = True

    tol: float = 1e-9

    def _scaled(self, graphs):
        # only ratios matter, and a move must gain more than 1e-12, so weights must not be tiny
        return graphs.scaled(least=-20)

    def _prepare(self, graphs):
        graph = graphs.graphs[0]
        graph = graph.matrix() if isinstance(graph, Cooccurrence) else graph
        return stack(Graphs([graph]))

    def _run(self, problem, generators, init):
        return run_moves(problem, generators, init, False, self, lambda history: 2.0 * history)


@dataclass(eq=False, repr=False, kw_only=True)
class PLBM(_LatentBlockModel):
    """Poisson latent block model, fitted by variational or classification EM.

    The model is x_ij ~ Poisson(x_i. x_.j gamma_kl) for row i in cluster k, column j in cluster l.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of row clusters g.
    n_column_clusters : int or None, default=None
        Number of column clusters m. None means g.
    em : {"variational", "classification"}, default="variational"
        Soft posteriors, or each element in its best cluster (CEM).
    symmetric : bool or None, default=None
        Whether rows and columns are the same nodes and share one partition. None means yes if X
        is symmetric and m = g. One entry that differs from its mirror image is enough for the
        other model, so set it where the answer is known; ``fit`` warns if X is nearly symmetric.
    n_init, max_iter, tol, hard_steps, random_state
        See :class:`PSBM`.

    Attributes
    ----------
    row_labels_, column_labels_ : ndarray of shape (n,) and (d,)
        Cluster of each row and of each column; the same for a graph.
    posteriors_ : ndarray of shape (n, g)
        Probability of each cluster for each row.
    criterion_ : float
        The variational bound or the classification likelihood, without terms that depend only on
        the data. For a graph it is half of that, as in the TSPLBM paper.
    criterion_history_ : ndarray
        The criterion after each iteration; it never decreases.
    n_iter_
        See :class:`~recoco.methods.base.Clusterer`.

    Notes
    -----
    On a graph, the variational steps are those of :class:`PSBM`, and CEM moves single nodes (with
    equal proportions it would be :class:`DCSBM`). On other matrices, rows and columns alternate,
    with an M-step after each; if g = m, the column clusters are renumbered to make the diagonal
    as modular as possible. ``fit(X, init=labels)`` starts from the given column labels (labels of
    the nodes for a graph).
    A Poisson model takes entries for counts, so their scale matters: the larger they are, the
    harder the posteriors. Rows scaled to length one, such as tf-idf-l2, mostly end in one cluster;
    fit counts or unscaled weights, with ``hard_steps=10``.

    References
    ----------
    G. Govaert, M. Nadif. Mutual information, phi-squared and model-based co-clustering for
    contingency tables. Advances in Data Analysis and Classification 12, 2018, 455-488.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import PLBM
    >>> X = np.kron([[9, 1, 1], [1, 9, 9]], np.ones((3, 4)))
    >>> PLBM(n_clusters=2, n_init=5, random_state=0).fit(X).row_labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    """

    name = "plbm"
    title = "PLBM"
    equation_notes = (
        "z_ik ~ pi_k exp sum_l x_il log gamma_kl, x_il = sum_j w_jl x_ij; gamma_kl = x_kl / (x_k. "
        "x_.l); criterion: eq. 2 of the TSPLBM paper."
    )

    n_column_clusters: int | None = None
    em: str = "variational"

    def _check(self, X):
        check_choice(self.em, "em", EMS)
        if self.symmetric and self._m != self.n_clusters:
            raise RecocoError(
                f"{self.n_clusters} clusters of rows and {self._m} of columns were asked of a "
                "graph with one partition: leave n_column_clusters out, or symmetric."
            )
        return super()._check(X)

    @property
    def _soft(self) -> bool:
        return self.em == "variational"

    def _prepare(self, A):
        if isinstance(A, Graphs) and self.em == "classification":
            return DCSBM._prepare(self, A)
        return super()._prepare(A)

    def _run(self, problem, generators, init):
        from recoco.kernels.block_models import PLBM as model

        hard = self.em == "classification"
        if isinstance(problem, Sides) or not hard:
            return self._run_em(problem, generators, init, model, hard=hard)
        half = 0.5 * problem.degree.sum()
        starts = run_moves(problem, generators, init, True, self, lambda history: history - half)
        starts.column_labels = starts.row_labels
        return starts


@dataclass(eq=False, repr=False, kw_only=True)
class SPLBM(_LatentBlockModel):
    """Sparse Poisson latent block model: a gamma per diagonal block, and a common one elsewhere.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters g of rows and of columns.
    e_step : {"derived", "printed"}, default="derived"
        For a graph, the E-step that follows from the criterion, or the one of Algorithm 1 in the
        TSPLBM paper, see :class:`recoco.methods.tsplbm.TSPLBM`.
    symmetric : bool or None, default=None
        Whether rows and columns are the same nodes and share one partition. None means yes if X
        is symmetric, see :class:`PLBM`.
    n_init, max_iter, tol, hard_steps, random_state
        See :class:`PLBM`.

    Attributes
    ----------
    row_labels_, column_labels_, posteriors_, criterion_, criterion_history_, n_iter_
        See :class:`PLBM`.

    Notes
    -----
    On a symmetric graph with two clusters the model is that of :class:`PLBM`, because there is
    only one gamma off the diagonal. ``fit(X, init=labels)`` starts from the given column labels.

    References
    ----------
    M. Ailem, F. Role, M. Nadif. Sparse Poisson latent block model for document clustering. IEEE
    Transactions on Knowledge and Data Engineering 29, 2017, 1563-1576.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import SPLBM
    >>> X = np.kron(np.eye(2), np.full((3, 4), 9)) + 1
    >>> SPLBM(n_clusters=2, n_init=5, random_state=0).fit(X).row_labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    """

    name = "splbm"
    title = "SPLBM"
    equation_notes = (
        "z_ik ~ pi_k exp(x_ik log(gamma_kk / gamma) - x_i. x_.k (gamma_kk - gamma)), gamma_kk = "
        "x_kk / (x_k. x_.k), gamma = (N - sum_k x_kk) / (N^2 - sum_k x_k. x_.k)."
    )

    e_step: str = "derived"

    def _check(self, X):
        check_choice(self.e_step, "e_step", E_STEPS)
        A = super()._check(X)
        if self.e_step == "printed" and not isinstance(A, Graphs):
            raise RecocoError(
                "The printed E-step is for symmetric graphs: take e_step='derived' for this matrix."
            )
        return A

    def _run(self, problem, generators, init):
        from recoco.kernels.block_models import SPLBM as model

        return self._run_em(problem, generators, init, model, self.e_step == "derived")
