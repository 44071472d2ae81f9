"""TSPLBM: one partition of the nodes of any number of graphs."""

from dataclasses import dataclass

from recoco.methods.block_engine import VariationalModel, stack
from recoco.methods.block_models import E_STEPS
from recoco.methods.checks import check_choice


@dataclass(eq=False, repr=False, kw_only=True)
class TSPLBM(VariationalModel):
    """Tensor sparse Poisson latent block model, fitted by variational EM (Algorithm 1).

    In graph b, x_ij ~ Poisson(x_i. x_.j gamma_kk) if both nodes are in cluster k, and
    Poisson(x_i. x_.j gamma) if they are in different clusters. The graphs share the clusters, but
    each has its own gammas.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters g.
    e_step : {"derived", "printed"}, default="derived"
        ``derived`` follows from the criterion: z_ik is proportional to pi_k exp(sum_b [sum_j z_jk
        x_ij log(gamma_kk / gamma) - x_i. x_k. (gamma_kk - gamma)]). ``printed`` is Algorithm 1
        as printed, with half the exponent and without the term of the degrees; the criterion may
        then decrease.
    tol : float, default=1e-8
        A start ends when its bound grows (with the printed E-step: changes) by no more than this
        fraction of itself.
    hard_steps : int, default=0
        Number of iterations with hard labels before the first soft E-step, see
        :class:`recoco.methods.block_models.PSBM`. The paper has none.
    n_init, max_iter, random_state
        See :class:`~recoco.methods.block_models.PSBM`.

    Attributes
    ----------
    criterion_ : float
        Eq. 4 with N_b (log gamma - N_b gamma).
    criterion_history_ : ndarray
        The criterion after each iteration.
    row_labels_, posteriors_, n_iter_
        See :class:`~recoco.methods.block_models.PSBM`.

    Notes
    -----
    X is a list of symmetric sparse matrices (or
    :class:`recoco.datasets.similarity_graphs.Cooccurrence`), an array of shape (v, n, n), or one
    matrix; no array of shape (n, n, v) is ever built. Every node needs an edge in at least one
    graph. All posteriors of an iteration are computed from those of the previous one, as printed.
    If the derived E-step lowers the bound, they are moved half-way back towards the old ones until
    it does not. Similarity graphs need their diagonal: without it, random starts mostly end in one
    cluster. ``fit(X, init=labels)`` starts from the given labels.

    References
    ----------
    R. Boutalbi, L. Labiod, M. Nadif. Implicit consensus clustering from multiple graphs. Data
    Mining and Knowledge Discovery 35, 2021, 2313-2340.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import TSPLBM
    >>> graph = np.kron(np.eye(2), np.full((4, 4), 9)) + 1
    >>> TSPLBM(n_clusters=2, n_init=5, random_state=0).fit([graph, graph]).labels_.tolist()
    [1, 1, 1, 1, 0, 0, 0, 0]
    """

    name = "tsplbm"
    title = "TSPLBM"
    equation_notes = (
        "Algorithm 1; criterion: eq. 4 with N_b gamma in place of N_b^2 gamma; M-step: eq. 6; "
        "E-step as derived from the criterion, or as printed (half the exponent, no degrees)."
    )
    views = "many"
    two_sided = False

    e_step: str = "derived"

    def _check(self, X):
        check_choice(self.e_step, "e_step", E_STEPS)
        return super()._check(X)

    def _prepare(self, graphs):
        return stack(graphs)

    def _run(self, problem, generators, init):
        from recoco.kernels.block_models import SPLBM as model

        return self._run_em(problem, generators, init, model, self.e_step == "derived")
