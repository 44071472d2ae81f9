"""TSPLBM: one partition of the nodes of any number of graphs."""

from recoco.errors import RecocoError
from recoco.methods.block_engine import BlockModel, run_graphs, stack
from recoco.methods.block_models import E_STEPS


class TSPLBM(BlockModel):
    """Tensor sparse Poisson latent block model, by variational EM (Algorithm 1).

    In graph b, x_ij ~ Poisson(x_i. x_.j gamma_kk) if both nodes are in cluster k and
    Poisson(x_i. x_.j gamma) if they are in different ones; the graphs share the clusters, not
    the gammas.

    Parameters
    ----------
    n_clusters : int
        Number of clusters g.
    e_step : {"derived", "printed"}
        ``derived`` follows from the criterion: z_ik in proportion to pi_k exp(sum_b [sum_j z_jk
        x_ij log(gamma_kk / gamma) - x_i. x_k. (gamma_kk - gamma)]). ``printed`` is Algorithm 1
        as printed, with half of the exponent and without the term of the degrees; the criterion
        may then fall.
    n_init : int
        Starts per run; the one with the largest bound is kept.
    max_iter : int
        Largest number of iterations (an E-step and an M-step each).
    tol : float
        A start ends when its bound grows (with the printed E-step: changes) by no more than this
        share of itself.
    hard_steps : int
        Iterations with hard labels before the first soft E-step, see
        :class:`recoco.methods.block_models.PSBM`; the paper has none.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    row_labels_ : array of int, the largest posterior of each node
    posteriors_ : array (n, g)
    criterion_ : float, eq. 4 with N_b (log gamma - N_b gamma)
    criterion_history_ : array, the criterion after each iteration
    n_iter_ : int

    Notes
    -----
    X is a list of symmetric sparse matrices (or :class:`recoco.graph_views.Cooccurrence`), an
    array (v, n, n), or one matrix; no array of n x n x v is ever made. A node needs an edge in
    at least one graph. All posteriors of an iteration are computed from those of the one before,
    as printed; with the derived E-step, should the bound fall, they are drawn back half-way
    towards the old ones until it does not. Graphs of similarities need their diagonal: without
    it random starts mostly end in one cluster. ``fit(X, init=labels)`` starts from the given
    labels.

    References
    ----------
    R. Boutalbi, L. Labiod, M. Nadif. Implicit consensus clustering from multiple graphs. Data
    Mining and Knowledge Discovery 35, 2021, 2313-2340.
    """

    name = "tsplbm"
    title = "TSPLBM"
    reference = (
        "R. Boutalbi, L. Labiod, M. Nadif. Implicit consensus clustering from multiple graphs. "
        "Data Mining and Knowledge Discovery 35, 2021."
    )
    equation_notes = (
        "Algorithm 1; criterion: eq. 4 with N_b gamma in place of N_b^2 gamma; M-step: eq. 6; "
        "E-step as derived from the criterion, or as printed (half the exponent, no degrees)."
    )
    views = "many"
    two_sided = False
    monotone = True

    def __init__(
        self,
        n_clusters=2,
        e_step="derived",
        n_init=1,
        max_iter=300,
        tol=1e-8,
        hard_steps=0,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.e_step = e_step
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.hard_steps = hard_steps
        self.random_state = random_state

    @classmethod
    def cost(cls, n, d, nnz, n_clusters, n_init):
        return 5e-8 * n_init * n_clusters * (nnz + n)

    def _check(self, X):
        if self.e_step not in E_STEPS:
            raise RecocoError(f"e_step is {self.e_step!r}: give one of {', '.join(E_STEPS)}.")
        return super()._check(X)

    def _prepare(self, graphs):
        return stack(graphs)

    def _run(self, problem, generators, init):
        from recoco.kernels.block_models import SPLBM as model

        g, n = self.n_clusters, problem.degree.shape[1]
        labels = [r.integers(g, size=n) for r in generators] if init is None else [init]
        derived = self.e_step == "derived"
        starts, Z = run_graphs(problem, labels, g, model, derived, self)
        self._keep(starts.criterion, Z)
        return starts
