"""Matrices larger than memory: CSR in a folder of plain .npy files, read by blocks of rows.

A folder contains ``indptr.npy`` (int64), ``indices.npy`` (int32), ``data.npy`` (float64) and,
written last, ``matrix.json`` with the shape. Blocks are read into a buffer of bounded size and not
memory-mapped, because mapped pages would count as memory of the process. :meth:`BigCsr.mapped` maps
the matrix for functions that need a scipy matrix.
"""

import contextlib
import itertools
import os
import shutil
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json

BLOCK = 1 << 22  # number of non-zeros read at once: 48 MiB
ALIGN = 256  # blocks begin at multiples of it, because sums are computed in chunks of so many rows
# Exceptions raised by files that are truncated or have another format.
UNREADABLE = (
    *(OSError, ValueError, KeyError, TypeError, IndexError, OverflowError),
    *(SyntaxError, tokenize.TokenError),
)
_TYPES = {"indptr": np.int64, "indices": np.int32, "data": np.float64}


class Block:
    """Rows ``first`` to ``last`` of a matrix, as a CSR matrix."""

    __slots__ = ("data", "first", "indices", "indptr", "last")

    def __init__(
        self, first: int, last: int, indptr: np.ndarray, indices: np.ndarray, data: np.ndarray
    ):
        self.first, self.last = first, last
        self.indptr, self.indices, self.data = indptr, indices, data

    @property
    def rows(self) -> slice:
        return slice(self.first, self.last)

    @property
    def parts(self) -> tuple:
        return self.indptr, self.indices, self.data


class BigCsr:
    """A non-negative matrix on disk, with sorted indices and without stored zeros.

    Parameters
    ----------
    folder : path-like
        A folder written by :class:`Writer`.
    block : int, default=2**22
        Number of non-zeros read at once. It affects time and memory, never a result. A block has at
        least 256 rows and may therefore be larger.

    Attributes
    ----------
    shape : tuple of int
        (n, d).
    nnz : int
        Number of non-zeros.
    indptr : ndarray of int64, shape (n + 1,)
        Where the entries of each row begin.
    """

    def __init__(self, folder: str | os.PathLike, block: int = BLOCK):
        self.folder = Path(folder)
        self.block = max(1, int(block))
        try:
            header = read_json(self.folder / "matrix.json")
            self.shape = (int(header["shape"][0]), int(header["shape"][1]))
            self.nnz = int(header["nonzeros"])
            self._starts = {name: _check(self.folder, name, self._length(name)) for name in _TYPES}
            self.indptr = np.load(self.folder / "indptr.npy", allow_pickle=False)
            if (self.indptr[0], self.indptr[-1]) != (0, self.nnz) or np.any(
                self.indptr[1:] < self.indptr[:-1]
            ):
                raise ValueError("indptr.npy does not count its entries")
        except UNREADABLE as error:
            raise RecocoError(
                f"{self.folder} is not a complete matrix ({error}): convert the matrix again."
            ) from None

    def _length(self, name: str) -> int:
        return self.shape[0] + 1 if name == "indptr" else self.nnz

    def __array__(self, *_args, **_kwargs):
        raise RecocoError(
            f"{self.folder} is a matrix on disk: cluster it with recoco.methods.streamed, or use "
            "its method mapped()."
        )

    def mapped(self) -> sparse.csr_matrix:
        """Return the matrix with its entries memory-mapped."""
        if max(self.nnz, *self.shape) >= 2**31:  # scipy would copy the indices to a larger type
            raise RecocoError(
                f"{self.folder} has {self.nnz} non-zeros, too many for scipy: read it by blocks."
            )
        indices, data = (
            np.load(self.folder / f"{name}.npy", mmap_mode="r") for name in ("indices", "data")
        )
        A = sparse.csr_matrix(self.shape)
        # assigned, because the constructor would check all entries
        A.indptr, A.indices, A.data = self.indptr.astype(np.int32), indices, data
        return A

    def bounds(self) -> list[int]:
        """Return the first rows of all blocks, followed by the number of rows."""
        n = self.shape[0]
        bounds = [0]
        while bounds[-1] < n:
            end = int(np.searchsorted(self.indptr, self.indptr[bounds[-1]] + self.block, "right"))
            aligned = (end - 1) // ALIGN * ALIGN
            bounds.append(min(n, max(aligned, bounds[-1] + ALIGN)) if end <= n else n)
        return bounds

    def blocks(self) -> Iterator[Block]:
        """Read the matrix once, block by block; each block reuses the arrays of the last one."""
        bounds = self.bounds()
        size = int(np.diff(self.indptr[bounds]).max())
        indices, data = np.empty(size, np.int32), np.empty(size)
        with self._files() as files:
            for first, last in itertools.pairwise(bounds):
                yield self._read(files, first, last, indices, data)

    def row(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns and entries of one row."""
        size = int(self.indptr[i + 1] - self.indptr[i])
        with self._files() as files:
            read = self._read(files, i, i + 1, np.empty(size, np.int32), np.empty(size))
        return read.indices, read.data

    @contextlib.contextmanager
    def _files(self):
        with contextlib.ExitStack() as stack:
            yield [
                stack.enter_context(open(self.folder / f"{name}.npy", "rb", buffering=0))
                for name in ("indices", "data")
            ]

    def _read(self, files, first, last, indices, data) -> Block:
        begin, end = int(self.indptr[first]), int(self.indptr[last])
        read = []
        for file, name, buffer in zip(files, ("indices", "data"), (indices, data), strict=True):
            part = buffer[: end - begin]
            file.seek(self._starts[name] + begin * part.itemsize)
            _fill(file, part)
            read.append(part)
        # Compiled code would write outside of arrays. As unsigned numbers, negative ones are huge.
        if end > begin and int(read[0].view(np.uint32).max()) >= self.shape[1]:
            raise RecocoError(
                f"{self.folder} has a column outside of its {self.shape[1]}: convert the matrix "
                "again."
            )
        return Block(first, last, (self.indptr[first : last + 1] - begin).astype(np.int32), *read)


def _check(folder: Path, name: str, length: int) -> int:
    """Return where the entries of a file begin; raise unless it is complete."""
    path = folder / f"{name}.npy"
    with path.open("rb") as stream:
        shape, dtype = read_npy_header(stream, path.name)
        begin = stream.tell()
    if shape != (length,) or dtype != _TYPES[name]:
        raise ValueError(f"{path.name} has {shape} entries of {dtype}")
    if path.stat().st_size != begin + length * dtype.itemsize:
        raise ValueError(f"{path.name} is cut")
    return begin


def read_npy_header(stream: Any, name: str) -> tuple[tuple[int, ...], np.dtype]:
    """Return shape and type of the array in a .npy file, and advance to its entries."""
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError(f"{name} has another version")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    return shape, dtype


def _fill(file, part: np.ndarray) -> None:
    view = memoryview(part).cast("B")  # type: ignore[arg-type]
    while len(view):
        got = file.readinto(view)
        if not got:
            raise RecocoError(f"{file.name} ends too early: convert the matrix again.")
        view = view[got:]


class Writer:
    """Writes a matrix on disk from the first row to the last; an incomplete one is discarded.

    Examples
    --------
    >>> with Writer("big.csr", columns=1000) as out:  # doctest: +SKIP
    ...     for block in blocks:  # scipy matrices, rows in order
    ...         out.add(block)
    """

    def __init__(self, folder: str | os.PathLike, columns: int):
        self.folder, self.columns = Path(folder), int(columns)
        self.rows = self.nnz = 0

    def __enter__(self):
        check_place(self.folder)
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self._work = Path(
                tempfile.mkdtemp(prefix=f".{self.folder.name}.", dir=self.folder.parent)
            )
            self._files = {name: (self._work / f"{name}.npy").open("wb") for name in _TYPES}
            for name, file in self._files.items():
                _write_header(file, name, 0)
            self._files["indptr"].write(np.zeros(1, np.int64).tobytes())
        except OSError as error:
            raise _cannot(self.folder, error) from None
        return self

    def add(self, block: Any) -> None:
        """Add rows, given as a sparse or dense matrix."""
        A = sparse.csr_matrix(block, dtype=np.float64, copy=True)
        if A.shape[1] != self.columns:
            raise RecocoError(
                f"A block has {A.shape[1]} columns, the matrix {self.columns}: give all columns."
            )
        A.sum_duplicates()
        A.eliminate_zeros()
        if not np.isfinite(A.data).all():
            raise RecocoError(
                "The matrix has entries that are NaN or infinite: replace or drop them first."
            )
        if A.nnz and A.data.min() < 0:
            raise RecocoError(
                "The matrix has negative entries: give counts, frequencies or other "
                "non-negative weights."
            )
        ends = A.indptr[1:].astype(np.int64) + self.nnz
        arrays = {"indptr": ends, "indices": A.indices.astype(np.int32), "data": A.data}
        try:
            for name, array in arrays.items():
                content = memoryview(np.ascontiguousarray(array))  # type: ignore[arg-type]
                self._files[name].write(content.cast("B"))
        except OSError as error:
            raise _cannot(self.folder, error) from None
        self.rows += A.shape[0]
        self.nnz += A.nnz

    def __exit__(self, kind, error, _trace) -> None:
        try:
            if kind is None:
                self._finish()
        except OSError as failed:
            raise _cannot(self.folder, failed) from None
        finally:
            for file in self._files.values():
                with contextlib.suppress(OSError):
                    file.close()
            shutil.rmtree(self._work, ignore_errors=True)

    def _finish(self) -> None:
        if not self.nnz:
            raise RecocoError("All entries of the matrix are zero: there is nothing to cluster.")
        lengths = {"indptr": self.rows + 1, "indices": self.nnz, "data": self.nnz}
        for name, file in self._files.items():
            file.seek(0)
            _write_header(file, name, lengths[name])
            file.flush()
            os.fsync(file.fileno())
            file.close()
        shape = [self.rows, self.columns]
        write_json(self._work / "matrix.json", {"shape": shape, "nonzeros": self.nnz})
        os.chmod(self._work, 0o755)
        check_place(self.folder)
        if self.folder.exists():
            shutil.rmtree(self.folder)
        os.replace(self._work, self.folder)


def check_place(folder: str | os.PathLike) -> None:
    """Raise if anything but a matrix on disk would be overwritten."""
    folder = Path(folder)
    taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    if taken and not (folder / "matrix.json").is_file():
        raise RecocoError(f"{folder} has something else in it: name another place.")


def _write_header(file, name: str, length: int) -> None:
    """Write the header of a .npy file, whose size does not depend on the length of the array."""
    described = {"descr": np.dtype(_TYPES[name]).str, "fortran_order": False, "shape": (length,)}
    text = repr(described).encode("latin1")
    size = 256 - 10  # without magic number, version and length of the header
    file.write(b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little"))
    file.write(text + b" " * (size - len(text) - 1) + b"\n")


def _cannot(folder: Path, error: OSError) -> RecocoError:
    return RecocoError(
        f"Cannot write {folder}: {error.strerror or error}; "
        "make the folder writable or free some space."
    )


def write_weighted(source: BigCsr, folder: str | os.PathLike, name: str) -> BigCsr:
    """Write a copy of a matrix, weighted as by :func:`recoco.datasets.weighting.weight`."""
    from recoco.datasets.weighting import WEIGHTINGS, weight

    if name not in WEIGHTINGS:
        raise RecocoError(f"Unknown weighting {name!r}: {nearest(name, WEIGHTINGS)}")
    n, d = source.shape
    scheme, _, norm = name.partition("-")
    factors = None
    if scheme == "tfidf":
        documents = np.zeros(d, np.int64)
        for block in source.blocks():
            documents += np.bincount(block.indices, minlength=d)
        if norm:
            factors = 1.0 + np.log((1.0 + n) / (1.0 + documents))
        else:
            factors = np.log(n / np.maximum(documents, 1))
    with Writer(folder, d) as out:
        for block in source.blocks():
            A = sparse.csr_matrix(block.parts[::-1], shape=(block.last - block.first, d))
            if factors is not None:
                A.data *= factors[A.indices]
                A = weight(A, "count-l2") if norm else A
            else:
                A = weight(A, name)
            out.add(A)
    return BigCsr(folder, source.block)
