"""The methods, found by name; their modules are loaded when asked for."""

from recoco.errors import RecocoError
from recoco.methods.loading import load_class
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
    "dcc": "recoco.methods.dcc:DCC",
    "croinfo": "recoco.methods.croinfo:CROINFO",
    "ebco": "recoco.methods.ebco:EBCO",
    "coce": "recoco.methods.coce:CoCE",
    "tau-coclust": "recoco.methods.costar:TauCoClust",
    "costar": "recoco.methods.costar:CoStar",
    "comraf": "recoco.methods.comraf:Comraf",
    "src": "recoco.methods.relational:SRC",
    "nmf-views": "recoco.methods.multiview_nmf:MultiViewNMF",
    "psbm": "recoco.methods.block_models:PSBM",
    "dcsbm": "recoco.methods.block_models:DCSBM",
    "plbm": "recoco.methods.block_models:PLBM",
    "splbm": "recoco.methods.block_models:SPLBM",
    "tsplbm": "recoco.methods.tsplbm:TSPLBM",
    "multinmf": "recoco.methods.multinmf:MultiNMF",
    "swmv": "recoco.methods.swmv:SwMV",
    "parafac": "recoco.methods.tensors:Parafac",
    "tucker": "recoco.methods.tensors:Tucker",
    "null": "recoco.methods.null:Null",
    "null-sorted": "recoco.methods.null:NullSorted",
}


def place_of(name: str) -> str:
    """Return the place ``package.module:Class`` of a method of recoco or of one's own."""
    target = METHODS.get(name, name)
    if ":" not in target:
        raise RecocoError(
            f"Unknown method {name!r} (one of your own is package.module:Class): "
            f"{nearest(name, METHODS)}"
        )
    return target


def get_method(name: str) -> type:
    """Return the class of a registered method, or of one's own as ``package.module:Class``."""
    return load_class(place_of(name))


__all__ = ["METHODS", "get_method", "place_of"]
