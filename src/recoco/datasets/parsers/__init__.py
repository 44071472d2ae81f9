"""Parsers: they turn the raw files of a source into matrices, classes and terms."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError

_Result = TypeVar("_Result")
# Time limit for reading one file, far more than the largest one takes.
_MOST_SECONDS = 3600


@dataclass
class Parsed:
    """The result of a parser, in the order of the source.

    Attributes
    ----------
    views : list of csr_matrix
        One matrix per view, with a row per object.
    labels : ndarray of int or str
        The class of each object.
    terms : list of (list of str or None)
        The names of the columns of each view.
    class_order : list or None
        The order of the classes if the file declares one; otherwise they are sorted.
    dropped : list of str
        A sentence for everything in the files that is not in the matrices.
    meta : dict
        Further facts for the prepared dataset.
    graph : bool
        Whether the objects are the nodes of a graph. A node without links is still a node, while a
        document without words is left out.
    """

    views: list[csr_matrix]
    labels: np.ndarray
    terms: list[Any]
    class_order: list | None = None
    dropped: list[str] = field(default_factory=list)
    meta: dict = field(default_factory=dict)
    graph: bool = False


def module_of(name: str) -> str:
    """Return the module of a parser, which has a function ``parse(folder, options)``."""
    return f"{__name__}.{name.replace('-', '_')}"


def get_parser(name: str) -> Callable[[Path, dict], Parsed]:
    """Return the function that reads the files of a source."""
    return import_module(module_of(name)).parse


@contextlib.contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn any error while a file is read into a RecocoError that names the file.

    Malformed input is passed to a dozen libraries with their own exceptions, hence the broad
    ``except``.
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


def read_in_subprocess(path: Path, kind: str, read: Callable[[], _Result]) -> _Result:
    """Return ``read()``, called in another process: a broken file may crash compiled readers."""
    from recoco.core.limits import call_limited

    with reading(path, kind):
        ending = call_limited(read, _MOST_SECONDS)
        if ending.status != "ok":
            raise ValueError(ending.error)
    return cast(_Result, ending.value)


def malformed(path: Path, line: int, what: str) -> RecocoError:
    """Return the error for a line that cannot be parsed."""
    return RecocoError(
        f"{path.name}, line {line}: {what}; fetch the file again or correct its card."
    )


def read_lines(path: Path, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text file without byte-order mark and line endings."""
    with reading(path, "text"):
        text = path.read_bytes().decode(encoding)
    # not splitlines, which also splits at form feeds and other characters inside a text
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    return text.split("\n") if text else []


def read_names(path: Path, size: int, of: str) -> list[str]:
    """Return the lines of a file with one name per row or column."""
    names = [line.strip() for line in read_lines(path)]
    if len(names) != size:
        raise RecocoError(
            f"{path.name} has {len(names)} lines for {size} {of}: it needs one line for each; "
            "correct it or fetch it again."
        )
    return names


def matrix(data: ArrayLike, row: ArrayLike, column: ArrayLike, shape: tuple) -> csr_matrix:
    """Build a CSR matrix from triplets; values of the same cell are added."""
    built = csr_matrix((np.asarray(data, dtype=np.float64), (row, column)), shape=shape)
    built.sum_duplicates()
    return built


def keep_rows(
    views: list[csr_matrix], terms: list[Any], rows: np.ndarray
) -> tuple[list[csr_matrix], list[list[str]]]:
    """Keep some rows of all views, then the columns that are not empty in them."""
    kept_views, kept_terms = [], []
    for view, names in zip(views, terms, strict=True):
        view = view[rows]
        used = np.flatnonzero(np.bincount(view.indices, minlength=view.shape[1]))
        kept_views.append(csr_matrix(view[:, used]))
        kept_terms.append([names[j] for j in used])
    return kept_views, kept_terms
