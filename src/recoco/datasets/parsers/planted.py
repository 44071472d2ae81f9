"""Planted block models: the raw file contains the parameters, not the data."""

from pathlib import Path

import numpy as np

from recoco.core.files import read_json
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.synthetic import planted


def parse(folder: Path, options: dict) -> Parsed:
    path = folder / options["file"]
    with reading(path, "parameters of a planted model"):
        made = planted(**read_json(path))
    labels = np.array(made.class_names)[made.labels]
    return Parsed(made.views, labels, made.terms, class_order=made.class_names, meta=made.meta)
