"""Every registered estimator with data that it takes, for the contract that all must keep."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from recoco.methods import METHODS, get_method
from recoco.methods.multiview import MultiViewClusterer
from support import twins, twins_blocks, twins_graphs, twins_views
from support.block_cases import MODELS, SIDED

BLOCK_MODELS = {"psbm", "dcsbm", "plbm", "splbm", "tsplbm"}
TENSORS = {"parafac", "tucker"}


@dataclass(frozen=True)
class Case:
    """A method, parameters that suit its data, and what kind of data it takes."""

    name: str
    method: type
    params: tuple[tuple[str, object], ...]
    family: str  # matrix, views, graphs or block model

    def model(self, **params):
        return self.method(**{"n_clusters": 3, **dict(self.params), **params})

    @property
    def matrices(self) -> list[np.ndarray]:
        """The matrices, views or graphs, one if the method takes only one."""
        return _planted(self.family)[0][: 1 if self.method.views == "one" else None]

    @property
    def rows(self) -> np.ndarray:
        """The planted clusters of the rows."""
        return _planted(self.family)[1]

    def of(self, matrices):
        """Return the matrices as the method takes them."""
        return matrices[0] if self.method.views == "one" else matrices

    @property
    def X(self):
        return self.of(self.matrices)

    def shuffled(self, order):
        """Return the data with the rows (of graphs: the nodes) in another order."""
        square = self.family in ("graphs", "block model")
        return self.of([A[order][:, order] if square else A[order] for A in self.matrices])


@cache
def _planted(family: str):
    if family == "matrix":
        X, rows, _ = twins.planted(np.random.default_rng(0))
        return [X], rows
    if family == "views":
        return twins_views.planted_views(np.random.default_rng(5))
    module = twins_graphs if family == "graphs" else twins_blocks
    graphs, labels = module.planted_graphs(np.random.default_rng(0))
    return list(graphs), labels


def _cases():
    for name in sorted(METHODS):
        method = get_method(name)
        if name in BLOCK_MODELS:
            continue
        if getattr(method, "graphs_only", False) or name == "multinmf":
            params = (("rank", 3),) if name in TENSORS else ()
            yield Case(name, method, params, "graphs")
        else:
            family = "views" if issubclass(method, MultiViewClusterer) else "matrix"
            yield Case(name, method, (), family)
    sided = {f"{name}-sides": model for name, model in SIDED.items()}
    for name, model in {**MODELS, **sided}.items():
        params = {key: value for key, value in model.get_params().items() if key != "n_clusters"}
        yield Case(name, type(model), tuple(sorted(params.items())), "block model")


CASES = {case.name: case for case in _cases()}
