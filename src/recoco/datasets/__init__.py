"""Datasets: cards, fetching with hashes, preparation, planted block models.

The names below are imported on first use, so that a job that only loads a prepared dataset
does not pay for the parsers, the downloader or the schema validator.
"""

from importlib import import_module

# no module may share its name with an exported function: importing the module would
# put it in the function's place
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
# whoever asks for these may meet a card with a source or parser that `own` adds
_BY_CARDS = {"list_cards", "load_card", "fetch", "prepare", "load_dataset"}

__all__ = [
    "Dataset",
    "fetch",
    "list_cards",
    "load_card",
    "load_dataset",
    "load_prepared",
    "planted",
    "prepare",
]


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _BY_CARDS:
        import_module(f"{__name__}.own").register()
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
