"""recoco: co-clustering methods and the reproduction of the papers that introduced them.

Every estimator of the registry can be imported from here, for example
``from recoco import CoClus, WCNMTF, load_dataset, weight``.
"""

from importlib import import_module

from recoco.methods import METHODS

__version__ = "0.1.0"

# The module of each name is imported on first use, which keeps `import recoco` fast.
_HOMES = {
    **{kind: module for module, kind in (path.split(":") for path in METHODS.values())},
    "RecocoError": "recoco.core.errors",
    "accuracy": "recoco.metrics.partitions",
    "ari": "recoco.metrics.partitions",
    "block_consensus": "recoco.consensus.blocks",
    "graph_consensus": "recoco.consensus.graphs",
    "load_dataset": "recoco.datasets",
    "nmi": "recoco.metrics.partitions",
    "purity": "recoco.metrics.partitions",
    "spectral_consensus": "recoco.consensus.spectral",
    "weight": "recoco.datasets.weighting",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
