"""Convert large Matrix Market and .npz files to matrices on disk, a piece at a time.

The entries of such files are in any order (often by columns). They are read twice: first to count
the entries of each row, then to distribute them to files of consecutive rows that fit in memory.
These files are sorted and appended one after the other. The matrix is never in memory.
"""

import contextlib
import gzip
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.datasets.disk_matrix import (
    ALIGN,
    BLOCK,
    UNREADABLE,
    BigCsr,
    Writer,
    check_place,
    read_npy_header,
)

PIECE = 1 << 20  # number of entries read at once
_MOST_FILES = 200
_FAULTS = (
    *UNREADABLE,
    AttributeError,
    EOFError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)
_VIEW = "view0_"  # prefix of the arrays of the first view in a prepared dataset
_ENTRY = np.dtype([("row", np.int64), ("column", np.int64), ("value", np.float64)])


def convert(
    path: str | os.PathLike, folder: str | os.PathLike, transpose: bool = False, block: int = BLOCK
) -> BigCsr:
    """Write a matrix file as a matrix on disk.

    Parameters
    ----------
    path : path-like
        A Matrix Market file of coordinates (.mtx, .mtx.gz), a file written by ``save_npz`` of
        scipy, or a prepared dataset (resources/prepared/NAME.npz), whose first view is used.
    folder : path-like
        The folder to write.
    transpose : bool, default=False
        Whether the file contains features x objects.
    block : int, default=2**22
        Number of non-zeros in memory at once.

    Returns
    -------
    matrix : BigCsr
    """
    path = Path(path)
    source = _source(path)
    if transpose:
        source = _Transposed(source)
    n, d = source.shape
    if min(n, d) < 1 or max(n, d) >= 2**31:
        raise RecocoError(f"{path} is of shape {n} x {d}: give at least one and less than 2^31.")
    check_place(folder)
    Path(folder).parent.mkdir(parents=True, exist_ok=True)
    counts = np.zeros(n, np.int64)
    for rows, columns, values in source.pieces():
        _check_piece(path, rows, columns, values, n, d)
        counts += np.bincount(rows, minlength=n)
    bounds = _bounds(counts, block)
    with (
        tempfile.TemporaryDirectory(prefix=".convert-", dir=Path(folder).parent) as work,
        Writer(folder, d) as out,
    ):
        dealt = [Path(work) / f"{number}" for number in range(len(bounds) - 1)]
        _deal(source, bounds, dealt)
        for number, part in enumerate(dealt):
            first, last = bounds[number], bounds[number + 1]
            entries = np.fromfile(part, _ENTRY)
            part.unlink()
            # in the order of the file, so repeated entries are always added in the same order
            place = entries["row"] - first, entries["column"]
            shape = (last - first, d)
            out.add(sparse.coo_matrix((entries["value"], place), shape=shape).tocsr())
    return BigCsr(folder, block)


def _check_piece(path, rows, columns, values, n: int, d: int) -> None:
    if rows.size and (rows.min() < 0 or rows.max() >= n or columns.min() < 0 or columns.max() >= d):
        raise RecocoError(f"{path} has an entry outside of its {n} x {d}: the file is broken.")
    if not np.isfinite(values).all():
        raise RecocoError(f"{path} has entries that are NaN or infinite: replace or drop them.")


def _bounds(counts: np.ndarray, block: int) -> list[int]:
    """Return the first rows of the parts, each with about ``block`` entries or few rows."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    size = max(block, int(ends[-1]) // _MOST_FILES + 1)
    bounds = [0]
    while bounds[-1] < counts.size:
        last = int(np.searchsorted(ends, ends[bounds[-1]] + size, "right")) - 1
        bounds.append(min(counts.size, max(last, bounds[-1] + ALIGN)))
    return bounds


def _deal(source, bounds: list[int], dealt: list[Path]) -> None:
    """Append every entry to the file of its row."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in dealt]
        for rows, columns, values in source.pieces():
            entries = np.empty(rows.size, _ENTRY)
            entries["row"], entries["column"], entries["value"] = rows, columns, values
            part = np.searchsorted(bounds, rows, side="right") - 1
            order = np.argsort(part, kind="stable")
            ends = np.concatenate([[0], np.cumsum(np.bincount(part, minlength=len(files)))])
            entries = entries[order]
            for number in np.unique(part):
                files[number].write(entries[ends[number] : ends[number + 1]].tobytes())


# ---- files ---------------------------------------------------------------------------------


def _source(path: Path):
    if not path.is_file():
        raise RecocoError(f"There is no file {path}: give a .mtx, .mtx.gz or .npz file.")
    name = path.name.lower()
    try:
        if name.endswith((".mtx", ".mtx.gz")):
            return _Market(path)
        if name.endswith(".npz"):
            return _Archive(path)
    except _FAULTS as error:
        raise _broken(path, error) from None
    raise RecocoError(f"{path} is of no known kind: give a .mtx, .mtx.gz or .npz file.")


def _broken(path: Path, error) -> RecocoError:
    if isinstance(error, RecocoError):
        return error
    text = " ".join(str(error).split())
    return RecocoError(f"{path} cannot be read ({text}): the file is cut or not what it says.")


class _Transposed:
    def __init__(self, source):
        self.source, self.shape = source, source.shape[::-1]

    def pieces(self):
        return ((columns, rows, values) for rows, columns, values in self.source.pieces())


class _Market:
    """A Matrix Market file of coordinates."""

    def __init__(self, path: Path):
        self.path = path
        with self._open() as stream:
            words = stream.readline().lower().split()
            self.header = 1
            if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
                raise ValueError("it has no Matrix Market header")
            layout, self.field, self.symmetry = words[2:]
            known = (
                layout == "coordinate"
                and self.field in ("real", "integer", "pattern")
                and self.symmetry in ("general", "symmetric")
            )
            if not known:
                raise RecocoError(
                    f"{path} is {' '.join(words[2:])}: give coordinates, real, integer or "
                    "pattern, general or symmetric."
                )
            for line in stream:
                self.header += 1
                if line.strip() and not line.startswith("%"):
                    break
            else:
                raise ValueError("it has no sizes")
            n, d, self.entries = (int(word) for word in line.split())
            self.shape = (n, d)

    def _open(self):
        opener = gzip.open if self.path.name.lower().endswith(".gz") else open
        return opener(self.path, "rt", encoding="latin-1")

    def pieces(self) -> Iterator[tuple]:
        import pandas as pd

        names = ["row", "column"] + ["value"] * (self.field != "pattern")
        types = {"row": np.int64, "column": np.int64, "value": np.float64}
        # pandas 3 reads every number exactly and warns about the option
        exact = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
        read = 0
        try:
            with self._open() as stream:
                for _ in range(self.header):
                    stream.readline()
                pieces = pd.read_csv(
                    stream,
                    sep=r"\s+",
                    header=None,
                    names=names,
                    index_col=False,
                    dtype={name: types[name] for name in names},
                    comment="%",
                    chunksize=PIECE,
                    **exact,
                )
                for piece in pieces:
                    read += len(piece)
                    yield from self._both(piece)
        except _FAULTS as error:
            raise _broken(self.path, error) from None
        if read != self.entries:
            raise RecocoError(
                f"{self.path} says it has {self.entries} entries and has {read}: fetch it again."
            )

    def _both(self, piece) -> Iterator[tuple]:
        rows, columns = piece["row"].to_numpy() - 1, piece["column"].to_numpy() - 1
        values = piece["value"].to_numpy() if "value" in piece else np.ones(rows.size)
        yield rows, columns, values
        if self.symmetry == "symmetric":
            off = rows != columns
            yield columns[off], rows[off], values[off]


class _Archive:
    """A matrix written by ``save_npz`` of scipy in one of the three common layouts.

    The first view of a prepared dataset has the same layout with other names.
    """

    def __init__(self, path: Path):
        self.path = path
        with zipfile.ZipFile(path) as archive:
            prepared = f"{_VIEW}shape.npy" in archive.namelist()
            self.prefix = _VIEW if prepared else ""
            self.layout = "csr" if prepared else str(_member(archive, "format").item(), "ascii")
            self.shape = tuple(int(side) for side in _member(archive, f"{self.prefix}shape"))
            if self.layout not in ("csr", "csc", "coo") or len(self.shape) != 2:
                raise RecocoError(f"{path} is {self.layout}: save it as csr, csc or coo.")
            if self.layout != "coo":
                self.indptr = _member(archive, f"{self.prefix}indptr")

    def pieces(self) -> Iterator[tuple]:
        names = ("row", "col", "data") if self.layout == "coo" else ("indices", "data")
        try:
            with zipfile.ZipFile(self.path) as archive, contextlib.ExitStack() as stack:
                members = [_open_member(archive, f"{self.prefix}{name}") for name in names]
                streams = [stack.enter_context(member) for member in members]
                begin = 0
                for pieces in zip(*(_pieces(*stream) for stream in streams), strict=True):
                    yield self._entries(begin, pieces)
                    begin += pieces[0].size
        except _FAULTS as error:
            raise _broken(self.path, error) from None

    def _entries(self, begin: int, pieces: tuple) -> tuple:
        values = pieces[-1].astype(np.float64)
        if self.layout == "coo":
            return pieces[0].astype(np.int64), pieces[1].astype(np.int64), values
        inner = pieces[0].astype(np.int64)
        numbers = np.arange(begin, begin + inner.size)
        outer = np.searchsorted(self.indptr, numbers, side="right") - 1
        return (outer, inner, values) if self.layout == "csr" else (inner, outer, values)


def _member(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    with archive.open(f"{name}.npy") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


@contextlib.contextmanager
def _open_member(archive: zipfile.ZipFile, name: str):
    """Provide a stream of the entries of an array, their number and type."""
    with archive.open(f"{name}.npy") as stream:
        shape, dtype = read_npy_header(stream, name)
        if len(shape) != 1 or dtype.kind not in "iufb":
            raise ValueError(f"{name} is not an array of numbers")
        yield stream, shape[0], dtype


def _pieces(stream, length: int, dtype: np.dtype) -> Iterator[np.ndarray]:
    for begin in range(0, length, PIECE):
        size = min(PIECE, length - begin) * dtype.itemsize
        content = stream.read(size)
        if len(content) != size:
            raise EOFError("it ends too early")
        yield np.frombuffer(content, dtype)
