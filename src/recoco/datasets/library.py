"""Load a dataset by its name, for scripts and the command line."""

import zlib
from pathlib import Path

from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import read_json
from recoco.datasets.card import load_card
from recoco.datasets.dataset import Dataset, load_prepared
from recoco.datasets.fetching import fetch
from recoco.datasets.preparation import prepare
from recoco.datasets.receipts import RECEIPT


def load_dataset(name: str) -> Dataset:
    """Return a dataset by name, fetching and preparing it into ``resources/`` if necessary.

    If it was unreachable the last time, it is tried again. Its twin is never returned instead.

    Parameters
    ----------
    name : str
        Name of a card, such as ``"classic3"``.

    Returns
    -------
    dataset : Dataset

    Examples
    --------
    >>> from recoco import load_dataset
    >>> load_dataset("planted-small").X.shape
    (300, 200)
    """
    load_card(name)  # fails for a misspelt name before any folder is created
    raw_dir, stem = paths.raw(name), paths.prepared(name)
    npz, characteristics = Path(f"{stem}.npz"), Path(f"{stem}.json")
    if not npz.is_file() or _status(characteristics) != "ok":
        if _status(raw_dir / RECEIPT) != "ok":
            receipt = fetch(name, raw_dir)
            if receipt["status"] != "ok" and _status(characteristics) == "twin":
                raise RecocoError(
                    f"Dataset {name} is unreachable, only its twin is here: {receipt['by_hand']}"
                )
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
    """Return the status in a receipt or in a file of characteristics."""
    try:
        return read_json(path)["status"]
    except (OSError, ValueError, KeyError):
        return "absent"
