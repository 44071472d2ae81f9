"""Load a class by its import path."""

import importlib

from recoco.core.errors import RecocoError


def load_class(import_path: str) -> type:
    """Return the class at ``package.module:Class``."""
    module, _, attribute = import_path.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise RecocoError(
            f"Method {import_path!r} cannot be loaded ({error}): "
            "check the module and class name and that the module can be imported."
        ) from error
