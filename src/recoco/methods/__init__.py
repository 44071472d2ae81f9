"""The registry of methods. The module of a method is imported when the method is used."""

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


def import_path(name: str) -> str:
    """Return ``package.module:Class`` of a registered method, or of one given in this form."""
    target = METHODS.get(name, name)
    if ":" not in target:
        # imported here, because `import recoco` imports this module and should stay fast
        from recoco.config.schema import nearest
        from recoco.core.errors import RecocoError

        raise RecocoError(
            f"Unknown method {name!r} (write one of your own as package.module:Class): "
            f"{nearest(name, METHODS)}"
        )
    return target


def get_method(name: str) -> type:
    """Return the class of a registered method, or of one given as ``package.module:Class``."""
    from recoco.core.imports import load_class

    return load_class(import_path(name))


__all__ = ["METHODS", "get_method", "import_path"]
