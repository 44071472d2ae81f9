"""Parsers: from the raw files of a source to matrices, classes and terms."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.errors import RecocoError

# parser -> module; each module has a function parse(folder, options) -> Parsed
_PARSERS = {
    "matlab": "matlab",
    "matrix-market": "matrix_market",
    "cluto": "cluto",
    "arff": "arff",
    "gml": "gml",
    "gt": "gt",
    "text": "text",
    "tab": "tab",
    "octis": "octis",
    "four-area": "four_area",
    "aminer": "aminer",
    "csv-views": "csv_views",
    "parquet-graph": "parquet_graph",
    "reuters-json": "reuters_json",
    "segments": "segments",
    "merge": "merge",
    "planted": "planted",
}


@dataclass
class Parsed:
    """What a parser found, in the order of the source.

    ``labels`` may be integers or strings; ``class_order`` fixes the order of the classes where
    the file declares one (otherwise they are sorted). ``dropped`` has a sentence for everything
    that was in the files and is not in the matrices.
    """

    views: list[csr_matrix]
    labels: np.ndarray
    terms: list[list[str] | None]
    class_order: list | None = None
    dropped: list[str] = field(default_factory=list)
    meta: dict = field(default_factory=dict)


def module_of(name: str) -> str:
    return f"{__name__}.{_PARSERS[name]}"


def get_parser(name: str) -> Callable[[Path, dict], Parsed]:
    return import_module(module_of(name)).parse


@contextlib.contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into one sentence that names the file.

    Malformed input reaches a dozen libraries here, each with errors of its own kind: hence the
    broad except.
    """
    if not path.is_file():
        raise RecocoError(f"{path.name} is missing in {path.parent.name}: fetch it again.")
    try:
        yield
    except RecocoError:
        raise
    except Exception as error:
        text = " ".join(str(error).split()) or type(error).__name__
        raise RecocoError(
            f"{path.name} cannot be read as {kind} ({text}): fetch it again or correct its card."
        ) from None


def malformed(path: Path, line: int, what: str) -> RecocoError:
    return RecocoError(
        f"{path.name}, line {line}: {what}; fetch the file again or correct its card."
    )


def read_lines(path: Path, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text file, without a byte-order mark and line ends."""
    with reading(path, "text"):
        text = path.read_bytes().decode(encoding)
    # not splitlines: it also splits at form feeds and other characters inside a text
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    return text.split("\n") if text else []


def matrix(data, row, column, shape) -> csr_matrix:
    """Build a canonical CSR matrix from triplets: repeated cells are summed."""
    built = csr_matrix((np.asarray(data, dtype=np.float64), (row, column)), shape=shape)
    built.sum_duplicates()
    return built
