"""The methods, found by name; their modules are loaded when asked for."""

import importlib

from recoco.errors import RecocoError
from recoco.schema import nearest

METHODS: dict[str, str] = {
    "coclus": "recoco.methods.coclus:CoClus",
    "specco": "recoco.methods.spectral:SpecCo",
    "spec": "recoco.methods.spectral:Spec",
    "skmeans": "recoco.methods.spherical:SphericalKMeans",
    "nmf": "recoco.methods.nmf:NMF",
    "onmf": "recoco.methods.nmf:ONMF",
    "pnmf": "recoco.methods.nmf:PNMF",
    "gnmf": "recoco.methods.graph_nmf:GNMF",
    "nmtf": "recoco.methods.nmtf:NMTF",
    "onmtf": "recoco.methods.nmtf:ONMTF",
    "gnmtf": "recoco.methods.graph_nmf:GNMTF",
    "wcnmtf": "recoco.methods.nmtf:WCNMTF",
    "null": "recoco.methods.null:Null",
    "null-sorted": "recoco.methods.null:NullSorted",
}


def get_method(name: str) -> type:
    """Return the class of a registered method, or of one's own as ``package.module:Class``."""
    target = METHODS.get(name, name)
    module, colon, attribute = target.partition(":")
    if not colon:
        raise RecocoError(
            f"Unknown method {name!r} (one of your own is package.module:Class): "
            f"{nearest(name, METHODS)}"
        )
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise RecocoError(
            f"Method {name!r} cannot be loaded ({error}): "
            "check the module and class name and that the module can be imported."
        ) from error


__all__ = ["METHODS", "get_method"]
