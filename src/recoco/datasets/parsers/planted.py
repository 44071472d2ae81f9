"""Planted block models: the raw file holds the parameters, not the data."""

from pathlib import Path

from recoco import store
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.synthetic import planted


def parse(folder: Path, options: dict) -> Parsed:
    path = folder / options["file"]
    with reading(path, "parameters of a planted model"):
        made = planted(**store.read_json(path))
    names = [made.class_names[k] for k in made.labels]
    return Parsed(made.views, names, made.terms, class_order=made.class_names, meta=made.meta)
