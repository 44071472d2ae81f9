"""The methods, found by name; their modules are loaded when asked for."""

import difflib
import importlib

from recoco.errors import RecocoError

METHODS: dict[str, str] = {
    "coclus": "recoco.methods.coclus:CoClus",
    "specco": "recoco.methods.spectral:SpecCo",
    "spec": "recoco.methods.spectral:Spec",
    "null": "recoco.methods.null:Null",
    "null-sorted": "recoco.methods.null:NullSorted",
}


def get_method(name: str) -> type:
    """Return the class of a registered method, or of one's own as ``package.module:Class``."""
    target = METHODS.get(name, name)
    module, colon, attribute = target.partition(":")
    if not colon:
        near = difflib.get_close_matches(name, METHODS, n=3, cutoff=0.5)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        raise RecocoError(
            f"Unknown method {name!r}{hint}: use one of {', '.join(METHODS)}, "
            "or package.module:Class for one of your own."
        )
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise RecocoError(
            f"Method {name!r} cannot be loaded ({error}): "
            "check the module and class name and that the module can be imported."
        ) from error


__all__ = ["METHODS", "get_method"]
