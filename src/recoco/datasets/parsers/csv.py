"""A CSV with a header: a column of classes, and a column of texts or columns of numbers."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.labels import need_labels
from recoco.datasets.parsers.tokens import count_words


def parse(folder: Path, options: dict) -> Parsed:
    table = _read(folder, options)
    need_labels(options, "labels")
    labels = _column(table, options["labels"], options)
    if "text" in options:
        return count_words(_column(table, options["text"], options).tolist(), labels, options)
    left_out = [options["labels"], *options.get("leave_out", [])]
    for name in left_out:
        _column(table, name, options)
    numbers = table.drop(columns=left_out)
    if numbers.shape[1] == 0:
        raise RecocoError(
            f"{options['file']} has no columns other than {', '.join(left_out)}: name the column "
            "with the texts as `text`, or add columns of numbers."
        )
    return Parsed(
        [csr_matrix(_numbers(numbers, options))],
        labels.to_numpy(dtype=str),
        [list(numbers.columns)],
        dropped=[f"column {name}" for name in left_out[1:]],
    )


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the documents."""
    if "text" not in options:
        raise RecocoError(f"{options['file']} is read as numbers: its card names no `text` column.")
    yield from _column(_read(folder, options), options["text"], options).tolist()


def _read(folder: Path, options: dict):
    import pandas as pd

    path = folder / options["file"]
    with reading(path, "CSV"):
        table = pd.read_csv(
            path,
            sep=options.get("separator", ","),
            dtype=str,
            keep_default_na=False,
            encoding=options.get("encoding", "utf-8"),
        )
        if table.empty:
            raise RecocoError(f"{path.name} has no lines below its header: give one per object.")
    return table


def _column(table, name: str, options: dict):
    if name not in table:
        raise RecocoError(
            f"{options['file']} has no column {name!r}: {nearest(name, map(str, table.columns))}"
        )
    return table[name]


def _numbers(table, options: dict) -> np.ndarray:
    try:
        return table.to_numpy(dtype=np.float64)
    except ValueError:
        pass
    for name in table:
        for line, text in enumerate(table[name], 2):
            try:
                float(text)
            except ValueError:
                raise RecocoError(
                    f"{options['file']}, line {line}, column {name!r}: {text[:40]!r} is not a "
                    "number; correct the file, or name the column in `leave_out` or as `text`."
                ) from None
    raise RecocoError(f"{options['file']} cannot be read as numbers: correct the file.")
