"""Find the class of a method by its place; the registry of names is another matter.

What computes a run depends on this module and not on the registry, so that a new method does
not make the results of the others old.
"""

import importlib

from recoco.errors import RecocoError


def load_class(target: str) -> type:
    """Return the class at ``package.module:Class``."""
    module, _, attribute = target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise RecocoError(
            f"Method {target!r} cannot be loaded ({error}): "
            "check the module and class name and that the module can be imported."
        ) from error
