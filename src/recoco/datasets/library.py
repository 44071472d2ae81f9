"""A dataset by its name, for scripts and the command line."""

import zlib
from pathlib import Path

from recoco import paths, store
from recoco.datasets.card import load_card
from recoco.datasets.dataset import Dataset, load_prepared
from recoco.datasets.fetching import fetch
from recoco.datasets.preparation import prepare
from recoco.datasets.receipts import RECEIPT
from recoco.errors import RecocoError


def load_dataset(name: str) -> Dataset:
    """Return a dataset by name, fetching and preparing it into ``resources/`` if needed.

    What was unreachable the last time is looked for again.
    """
    load_card(name)  # a misspelt name must not leave folders behind
    raw_dir, stem = paths.raw(name), paths.prepared(name)
    npz, characteristics = Path(f"{stem}.npz"), Path(f"{stem}.json")
    if not npz.is_file() or _status(characteristics) != "ok":
        if _status(raw_dir / RECEIPT) != "ok":
            fetch(name, raw_dir)
        prepare(name, raw_dir, npz, characteristics)
    return _load(npz)


def _load(path: Path) -> Dataset:
    try:
        return load_prepared(path)
    except zlib.error as error:
        raise RecocoError(
            f"{path} is not a prepared dataset ({error}): delete it and prepare it again."
        ) from None


def _status(path: Path) -> str:
    """Return the status that a receipt or a record of characteristics has."""
    try:
        return store.read_json(path)["status"]
    except (OSError, ValueError, KeyError):
        return "absent"
