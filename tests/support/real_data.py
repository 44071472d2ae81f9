"""Real datasets for tests, which are skipped or take a twin where a dataset cannot be had."""

from functools import cache

import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import Dataset, load_card, load_dataset
from recoco.datasets.twins import draw_twin


@cache
def _loaded(name: str) -> Dataset | None:
    try:
        return load_dataset(name)
    except RecocoError:
        return None  # asked once: looking for it again takes as long and gives the same


def real(name: str) -> Dataset:
    """Return a dataset, which tests leave as it is, or skip the test that asks for it."""
    data = _loaded(name)
    if data is None:
        without(name)
    return data


@cache
def real_or_twin(name: str) -> Dataset:
    """Return a dataset, or its twin where it is not here: for statements about any data."""
    return _loaded(name) or draw_twin(load_card(name), 2015)


def without(name: str) -> None:
    """Skip a test for want of a dataset, in the same words wherever that happens."""
    pytest.skip(f"the dataset {name} is not here: `recoco fetch` says how to get it")
