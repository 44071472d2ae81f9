"""Datasets: cards, fetching with checked hashes, preparation, planted block models.

The names below are imported on first use, so a job that only loads a prepared dataset does not
import the parsers, the downloader or the schema validator.
"""

from importlib import import_module

# No module may have the name of an exported function, because importing the module would replace
# the function.
_HOMES = {
    "Dataset": "dataset",
    "load_prepared": "dataset",
    "list_cards": "card",
    "load_card": "card",
    "fetch": "fetching",
    "prepare": "preparation",
    "load_dataset": "library",
    "planted": "synthetic",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
