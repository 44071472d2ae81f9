"""Choice of the number of clusters of a block model by integrated completed likelihood (ICL)."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from recoco.core.errors import RecocoError
from recoco.methods.block_engine import free_gammas, graph_icl, stack
from recoco.methods.block_models import DCSBM, PLBM, PSBM, SPLBM
from recoco.methods.graph_clusterer import Graphs
from recoco.methods.tsplbm import TSPLBM


@dataclass
class Choice:
    """The result of :func:`choose_n_clusters`.

    Attributes
    ----------
    icl : dict of {int: float}
        ICL by number of clusters.
    model : estimator
        The fitted model with the largest ICL.
    """

    icl: dict[int, float]
    model: Any

    @property
    def n_clusters(self) -> int:
        """The chosen number of clusters."""
        return self.model.n_clusters


def icl(model: Any, X: Any) -> float:
    """Return the ICL of a fitted block model, up to terms that depend only on X.

    The ICL is the log-likelihood of data and labels (the largest posteriors), minus half the
    logarithm of the number of cells for every gamma and half the logarithm of the number of
    elements for every free proportion (Daudin et al. 2008). In a graph the cells are the pairs of
    nodes: n (n - 1) / 2 without the diagonal (PSBM), n (n + 1) / 2 with it. The proportions of
    DC-SBM are equal, so none of them is free.

    Parameters
    ----------
    model : PSBM, DCSBM, PLBM, SPLBM or TSPLBM
        A fitted model.
    X : array-like, sparse matrix or list of them
        The data the model was fitted to.

    Returns
    -------
    icl : float
        The larger the better. Values of different kinds of models cannot be compared.
    """
    if not isinstance(model, PSBM | DCSBM | PLBM | SPLBM | TSPLBM):
        raise RecocoError(
            f"There is no ICL of {type(model).__name__}: give a PSBM, DCSBM, PLBM, SPLBM or TSPLBM."
        )
    if not hasattr(model, "row_labels_"):
        raise RecocoError(f"{model.title} is not fitted: call fit() before icl().")
    data, _ = model._scaled(model._check(X))
    if data.shape[0] != model.row_labels_.size:
        raise RecocoError(
            f"The model was fitted to {model.row_labels_.size} nodes or rows and X has "
            f"{data.shape[0]}: give the same X."
        )
    return _graph_icl(model, data) if isinstance(data, Graphs) else _matrix_icl(model, data)


def _graph_icl(model, graphs: Graphs) -> float:
    from recoco.kernels import block_models as kernel

    n, g = model.posteriors_.shape
    simple = isinstance(model, PSBM)
    diagonal = isinstance(model, SPLBM | TSPLBM)
    which = kernel.PSBM if simple else kernel.SPLBM if diagonal else kernel.PLBM
    problem = stack(graphs, diagonal=not simple)
    value = float(graph_icl(problem, [model.row_labels_], g, which)[0])
    if isinstance(model, DCSBM):  # its proportions are equal, so none is estimated
        counts = np.bincount(model.row_labels_, minlength=g)
        counts = counts[counts > 0]
        value -= float((counts * np.log(counts / n)).sum()) + n * np.log(g)
        value += 0.5 * (g - 1) * np.log(n)
    return value


def _matrix_icl(model, A) -> float:
    (n, d), (g, m) = A.shape, model._fitted_shape
    R, C = np.eye(g)[model.row_labels_], np.eye(m)[model.column_labels_]
    table = R.T @ (A @ C)
    weights = np.outer(table.sum(axis=1), table.sum(axis=0))
    diagonal = isinstance(model, SPLBM)
    if diagonal:
        own = np.eye(g, dtype=bool)
        table = np.r_[table[own], table[~own].sum()]
        weights = np.r_[weights[own], weights[~own].sum()]
    filled = table > 0
    value = (table[filled] * (np.log(table[filled] / weights[filled]) - 1.0)).sum()
    for labels in (R, C):
        counts = labels.sum(axis=0)
        value += (counts[counts > 0] * np.log(counts[counts > 0] / len(labels))).sum()
    value -= 0.5 * free_gammas(g, g * m, diagonal) * np.log(n * d)
    return float(value - 0.5 * (g - 1) * np.log(n) - 0.5 * (m - 1) * np.log(d))


def choose_n_clusters(model: Any, X: Any, numbers: Any) -> Choice:
    """Fit a model with each number of clusters and keep the one with the largest ICL.

    Parameters
    ----------
    model : PSBM, DCSBM, PLBM, SPLBM or TSPLBM
        A model whose other parameters are used unchanged. More than one start (``n_init``) is
        advisable.
    X : array-like, sparse matrix or list of them
        The data.
    numbers : iterable of int
        The numbers of clusters to try.

    Returns
    -------
    choice : Choice
        The fitted model, and all values. The smallest number wins a tie.

    Examples
    --------
    >>> import numpy as np
    >>> from recoco import SPLBM
    >>> from recoco.methods.block_choice import choose_n_clusters
    >>> X = np.kron(np.eye(2), np.full((5, 5), 9)) + 1
    >>> choose_n_clusters(SPLBM(n_init=5, random_state=0), X, [1, 2, 3]).n_clusters
    2
    """
    numbers = sorted(set(numbers))
    if not numbers:
        raise RecocoError("No numbers of clusters to choose from: give at least one.")
    values, best = {}, None
    for g in numbers:
        with warnings.catch_warnings():  # empty clusters are why the ICL of a number is low
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = clone(model).set_params(n_clusters=g).fit(X)
        values[g] = icl(fitted, X)
        if best is None or values[g] > values[best.n_clusters]:
            best = fitted
    return Choice(values, best)
