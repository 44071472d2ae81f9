"""Poisson block models of one graph or matrix: PSBM, DC-SBM, PLBM, SPLBM."""

import numpy as np
from sklearn.base import BiclusterMixin

from recoco.errors import RecocoError
from recoco.graph_views import Cooccurrence
from recoco.methods.base import check_integer, check_labels, check_matrix
from recoco.methods.block_engine import BlockModel, run_graphs, stack
from recoco.methods.block_sides import Sides, run_moves, run_sides
from recoco.methods.graph_clusterer import Graphs, asymmetry, check_graphs

EMS = ("variational", "classification")
E_STEPS = ("derived", "printed")


class PSBM(BlockModel):
    """Poisson stochastic block model: x_ij ~ Poisson(gamma_kl) for i != j, by variational EM.

    Parameters
    ----------
    n_clusters : int
        Number of clusters g.
    n_init : int
        Starts per run; the one with the largest bound is kept.
    max_iter : int
        Largest number of iterations (an E-step and an M-step each).
    tol : float
        A start ends when its bound grows by no more than this share of itself.
    hard_steps : int
        Iterations with hard labels between the random partition and the first soft E-step. From
        a random partition all estimates are nearly equal, so that soft posteriors often end
        where all nodes have the same ones; a few hard steps lead away from there.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_ : array of int, the largest posterior of each node
    posteriors_ : array (n, g)
    criterion_ : float, the variational bound without sum log x_ij!
    criterion_history_ : array, the bound after each iteration, never decreasing
    n_iter_ : int

    Notes
    -----
    X is a symmetric matrix; its diagonal is not looked at. All posteriors of an iteration are
    computed from those of the one before. Should the bound fall, they are drawn back half-way
    towards the old ones until it does not. ``fit(X, init=labels)`` starts from the given labels.

    References
    ----------
    J.-J. Daudin, F. Picard, S. Robin. A mixture model for random graphs. Statistics and Computing
    18, 2008, 173-183.
    """

    name = "psbm"
    title = "PSBM"
    reference = (
        "K. Nowicki, T. A. B. Snijders, JASA 96, 2001; J.-J. Daudin, F. Picard, S. Robin. A "
        "mixture model for random graphs. Statistics and Computing 18, 2008."
    )
    equation_notes = (
        "z_ik ~ pi_k exp sum_{j != i, l} z_jl (x_ij log gamma_kl - gamma_kl); criterion: sum z log "
        "pi + 1/2 sum_{i != j} z z (x log gamma - gamma) + H(Z). TSPLBM paper, Section 3.2."
    )
    monotone = True

    def __init__(
        self, n_clusters=2, n_init=1, max_iter=300, tol=1e-8, hard_steps=0, random_state=None
    ):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.hard_steps = hard_steps
        self.random_state = random_state

    def _prepare(self, graphs):
        return stack(graphs, diagonal=False)

    def _run(self, problem, generators, init):
        from recoco.kernels.block_models import PSBM as model

        g, n = self.n_clusters, problem.degree.shape[1]
        labels = [r.integers(g, size=n) for r in generators] if init is None else [init]
        starts, Z = run_graphs(problem, labels, g, model, True, self)
        self._keep(starts.criterion, Z)
        return starts


class DCSBM(BlockModel):
    """Degree-corrected stochastic block model: hard labels, nodes moved one at a time.

    Maximises sum_kl m_kl log(m_kl / (m_k. m_l.)), m_kl the weight between clusters, by putting
    each node in turn where this is largest until none moves.

    Parameters
    ----------
    n_clusters, n_init, random_state : see :class:`PSBM`
    max_iter : int
        Largest number of passes through the nodes.
    tol : float
        A start ends when a pass adds no more than this share to the criterion.

    Attributes
    ----------
    row_labels_, posteriors_ (0 and 1), criterion_, criterion_history_ (after each pass), n_iter_

    Notes
    -----
    Nodes are taken in an order drawn once for each start. Karrer and Newman take the best node
    of all in each step and go back to the best state of a pass; this needs n times the work.
    ``fit(X, init=labels)`` starts from the given labels and takes the nodes in their order.

    References
    ----------
    B. Karrer, M. E. J. Newman. Stochastic blockmodels and community structure in networks.
    Physical Review E 83, 2011, 016107.
    """

    name = "dcsbm"
    title = "DC-SBM"
    reference = (
        "B. Karrer, M. E. J. Newman. Stochastic blockmodels and community structure in networks. "
        "Physical Review E 83, 2011."
    )
    equation_notes = "Criterion: sum_kl m_kl log(m_kl / (m_k. m_l.)), moves of single nodes."
    monotone = True

    def __init__(self, n_clusters=2, n_init=1, max_iter=100, tol=1e-9, random_state=None):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _prepare(self, graphs):
        graph = graphs.graphs[0]
        graph = graph.matrix() if isinstance(graph, Cooccurrence) else graph
        return stack(Graphs([graph]))

    def _run(self, problem, generators, init):
        starts = run_moves(problem, generators, init, self.n_clusters, False, self)
        starts.histories = [2.0 * history for history in starts.histories]
        starts.criterion = 2.0 * starts.criterion
        self._keep(starts.criterion, np.eye(self.n_clusters)[starts.row_labels])
        return starts


class _LatentBlockModel(BiclusterMixin, BlockModel):
    """Base of the models with degrees, on symmetric graphs and on any matrix."""

    graphs_only = False

    @property
    def rows_(self) -> np.ndarray:
        """Boolean (g, n): which rows belong to each cluster."""
        return self.row_labels_[None] == np.arange(self.n_clusters)[:, None]

    @property
    def columns_(self) -> np.ndarray:
        """Boolean (m, d): which columns belong to each cluster."""
        return self.column_labels_[None] == np.arange(self._m)[:, None]

    @property
    def _m(self) -> int:
        asked = getattr(self, "n_column_clusters", None)
        return self.n_clusters if asked is None else asked

    def _check(self, X):
        if self.symmetric not in (None, True, False):
            raise RecocoError(f"symmetric is {self.symmetric!r}: give True, False or None.")
        held = isinstance(X, Graphs | Cooccurrence)
        if not held:
            A = X = check_matrix(X)
        like_graph = held or (A.shape[0] == A.shape[1] and asymmetry(A) is None)
        if self.symmetric or (self.symmetric is None and like_graph and self._one_partition()):
            graphs = X if isinstance(X, Graphs) else check_graphs(X)
            self._check_numbers(graphs)
            return graphs
        if held:
            X = A = X.graphs[0] if isinstance(X, Graphs) else X.matrix()
        self._check_numbers(A)
        m = check_integer(self._m, "n_column_clusters", 1)
        if m > A.shape[1]:
            raise RecocoError(
                f"{m} clusters of columns were asked of a matrix with {A.shape[1]} columns: "
                f"ask for at most {A.shape[1]}."
            )
        return A

    def _one_partition(self) -> bool:
        return self._m == self.n_clusters

    def _check_init(self, A, init):
        return check_labels(init, A.shape[1], self._m, "column")

    def _prepare(self, A):
        if isinstance(A, Graphs):
            return stack(A)
        by_column = A.T.tocsr()
        rows, columns = (np.asarray(A.sum(axis=axis)).ravel() for axis in (1, 0))
        return Sides(A, by_column, rows, columns)

    def _random(self, problem, generators, init):
        """Labels of rows and of columns to start from."""
        n, d = problem.by_row.shape
        g, m = self.n_clusters, self._m
        if init is None:
            rows = [r.integers(g, size=n) for r in generators]
            return rows, [r.integers(m, size=d) for r in generators]
        W = np.eye(max(g, m))[init][:, :g]
        return [(problem.by_row @ W).argmax(axis=1)], [init]


class PLBM(_LatentBlockModel):
    """Poisson latent block model: x_ij ~ Poisson(x_i. x_.j gamma_kl), by variational or CEM.

    Parameters
    ----------
    n_clusters : int
        Number of clusters of rows g.
    n_column_clusters : int or None
        Number of clusters of columns m; None is g.
    em : {"variational", "classification"}
        Soft posteriors, or every element in its best cluster (CEM).
    symmetric : bool or None
        Whether rows and columns are the same nodes with one partition; None: if X is symmetric
        and m = g.
    n_init, max_iter, tol, hard_steps, random_state : see :class:`PSBM`

    Attributes
    ----------
    row_labels_, column_labels_ : arrays of int; the same for a graph
    posteriors_ : array (n, g), those of the rows
    criterion_ : float
        The variational bound, or the classification likelihood, without the terms that depend
        on the data only; for a graph half of that, as in the TSPLBM paper.
    criterion_history_ : array, never decreasing
    n_iter_ : int

    Notes
    -----
    On a graph the variational steps are those of :class:`PSBM`, CEM moves single nodes (with
    equal proportions it would be :class:`DCSBM`). On other matrices rows and columns alternate,
    an M-step after each; where g = m the clusters of columns are renamed to make the diagonal
    most modular. ``fit(X, init=labels)`` starts from the given column labels (of a graph: of the
    nodes).

    References
    ----------
    G. Govaert, M. Nadif. Mutual information, phi-squared and model-based co-clustering for
    contingency tables. Advances in Data Analysis and Classification 12, 2018, 455-488.
    """

    name = "plbm"
    title = "PLBM"
    reference = (
        "G. Govaert, M. Nadif. Mutual information, phi-squared and model-based co-clustering for "
        "contingency tables. Advances in Data Analysis and Classification 12, 2018."
    )
    equation_notes = (
        "z_ik ~ pi_k exp sum_l x_il log gamma_kl, x_il = sum_j w_jl x_ij; gamma_kl = x_kl / (x_k. "
        "x_.l); criterion: eq. 2 of the TSPLBM paper."
    )
    monotone = True

    def __init__(
        self,
        n_clusters=2,
        n_column_clusters=None,
        em="variational",
        symmetric=None,
        n_init=1,
        max_iter=300,
        tol=1e-8,
        hard_steps=0,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_column_clusters = n_column_clusters
        self.em = em
        self.symmetric = symmetric
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.hard_steps = hard_steps
        self.random_state = random_state

    def _check(self, X):
        if self.em not in EMS:
            raise RecocoError(f"em is {self.em!r}: give one of {', '.join(EMS)}.")
        if self.symmetric and self._m != self.n_clusters:
            raise RecocoError(
                f"{self.n_clusters} clusters of rows and {self._m} of columns were asked of a "
                "graph with one partition: leave n_column_clusters out, or symmetric."
            )
        return super()._check(X)

    def _prepare(self, A):
        if isinstance(A, Graphs) and self.em == "classification":
            return DCSBM._prepare(self, A)
        return super()._prepare(A)

    def _run(self, problem, generators, init):
        from recoco.kernels.block_models import PLBM as model

        hard, g = self.em == "classification", self.n_clusters
        if isinstance(problem, Sides):
            labels = self._random(problem, generators, init)
            starts, Z = run_sides(problem, *labels, (g, self._m), model, hard, self)
        elif hard:
            starts = run_moves(problem, generators, init, g, True, self)
            half = 0.5 * problem.degree.sum()
            starts.histories = [history - half for history in starts.histories]
            starts.criterion = np.array([history[-1] for history in starts.histories])
            Z = np.eye(g)[starts.row_labels]
        else:
            n = problem.degree.shape[1]
            labels = [r.integers(g, size=n) for r in generators] if init is None else [init]
            starts, Z = run_graphs(problem, labels, g, model, True, self)
        if starts.column_labels is None:
            starts.column_labels = starts.row_labels
        self._keep(starts.criterion, Z)
        return starts


class SPLBM(_LatentBlockModel):
    """Sparse Poisson latent block model: gamma_kk on the diagonal, one gamma off it.

    Parameters
    ----------
    n_clusters : int
        Number of clusters g of rows and of columns.
    e_step : {"derived", "printed"}
        On a graph, the E-step that follows from the criterion or the one of the TSPLBM paper's
        Algorithm 1, see :class:`recoco.methods.tsplbm.TSPLBM`.
    symmetric : bool or None
        Whether rows and columns are the same nodes with one partition; None: if X is symmetric.
    n_init, max_iter, tol, hard_steps, random_state : see :class:`PSBM`

    Attributes
    ----------
    See :class:`PLBM`.

    Notes
    -----
    On a symmetric graph with two clusters the model is that of :class:`PLBM`: there is only one
    gamma off the diagonal. ``fit(X, init=labels)`` starts from the given column labels.

    References
    ----------
    M. Ailem, F. Role, M. Nadif. Sparse Poisson latent block model for document clustering. IEEE
    Transactions on Knowledge and Data Engineering 29, 2017, 1563-1576.
    """

    name = "splbm"
    title = "SPLBM"
    reference = (
        "M. Ailem, F. Role, M. Nadif. Sparse Poisson latent block model for document clustering. "
        "IEEE Transactions on Knowledge and Data Engineering 29, 2017."
    )
    equation_notes = (
        "z_ik ~ pi_k exp(x_ik log(gamma_kk / gamma) - x_i. x_.k (gamma_kk - gamma)), gamma_kk = "
        "x_kk / (x_k. x_.k), gamma = (N - sum_k x_kk) / (N^2 - sum_k x_k. x_.k)."
    )
    monotone = True

    def __init__(
        self,
        n_clusters=2,
        e_step="derived",
        symmetric=None,
        n_init=1,
        max_iter=300,
        tol=1e-8,
        hard_steps=0,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.e_step = e_step
        self.symmetric = symmetric
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.hard_steps = hard_steps
        self.random_state = random_state

    def _check(self, X):
        if self.e_step not in E_STEPS:
            raise RecocoError(f"e_step is {self.e_step!r}: give one of {', '.join(E_STEPS)}.")
        A = super()._check(X)
        if self.e_step == "printed" and not isinstance(A, Graphs):
            raise RecocoError(
                "The printed E-step is for symmetric graphs: take e_step='derived' for this matrix."
            )
        return A

    def _run(self, problem, generators, init):
        from recoco.kernels.block_models import SPLBM as model

        g = self.n_clusters
        if isinstance(problem, Sides):
            labels = self._random(problem, generators, init)
            starts, Z = run_sides(problem, *labels, (g, g), model, False, self)
        else:
            n, derived = problem.degree.shape[1], self.e_step == "derived"
            labels = [r.integers(g, size=n) for r in generators] if init is None else [init]
            starts, Z = run_graphs(problem, labels, g, model, derived, self)
            starts.column_labels = starts.row_labels
        self._keep(starts.criterion, Z)
        return starts
