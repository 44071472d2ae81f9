"""recoco: co-clustering methods and the reproduction of the papers that introduced them."""

from importlib import import_module

__version__ = "0.1.0"

# Loaded on first use: importing recoco costs nothing.
_HOMES = {
    "CoClus": "recoco.methods.coclus",
    "RecocoError": "recoco.errors",
    "Spec": "recoco.methods.spectral",
    "SpecCo": "recoco.methods.spectral",
    "load_dataset": "recoco.datasets",
    "weight": "recoco.weighting",
}

__all__ = ["CoClus", "RecocoError", "Spec", "SpecCo", "load_dataset", "weight"]


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
