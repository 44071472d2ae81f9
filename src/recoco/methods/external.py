"""External methods: any command line, and any estimator in the style of scikit-learn."""

import contextlib
import ctypes
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recoco.core.errors import RecocoError
from recoco.core.imports import load_class
from recoco.methods.base import Clusterer, Starts

_PLACEHOLDERS = ("matrix", "clusters", "seed", "labels", "columns", "criterion")
_NEEDED = ("matrix", "labels")
_BRACES = re.compile(r"\{([^{}]*)\}")
_SEEDS = 2**31  # programs store seeds in 32 bits, some with a sign
_LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None
_TAIL = 2000  # bytes at the end of a program's output that are quoted in an error


def command_parts(command: Any) -> list[str]:
    """Return the checked arguments of a command line; nothing is run or evaluated."""
    if isinstance(command, str):
        try:
            parts = shlex.split(command)
        except ValueError as error:
            raise RecocoError(
                f"The command {command!r} cannot be split into arguments ({error}): "
                "close every quotation mark."
            ) from None
    else:
        parts = list(command or [])
    if not parts or not all(isinstance(part, str) for part in parts):
        raise RecocoError(
            f"The command is {command!r}: give a line such as "
            "'my-program {matrix} {clusters} {seed} {labels}', or a list of its arguments."
        )
    used = {name for part in parts for name in _BRACES.findall(part)}
    for name in sorted(used.difference(_PLACEHOLDERS)):
        known = ", ".join(f"{{{known}}}" for known in _PLACEHOLDERS)
        raise RecocoError(
            f"The command has {{{name}}}, which stands for nothing: known are {known}."
        )
    for name in _NEEDED:
        if name not in used:
            raise RecocoError(
                f"The command {' '.join(parts)!r} has no {{{name}}}: the program must be told "
                f"{'which file to read' if name == 'matrix' else 'where to write the labels'}."
            )
    return parts


@dataclass
class _Problem:
    folder: tempfile.TemporaryDirectory  # contains the matrix; removed with the problem
    shape: tuple[int, int]


@dataclass(eq=False, repr=False, kw_only=True)
class CommandLine(Clusterer):
    """Any program that reads a matrix from a file and writes labels to another one.

    The program is run without a shell, once per start. In its arguments, ``{matrix}`` is replaced
    by a Matrix Market file (coordinate, real, general: a line ``rows columns non-zeros``, then
    lines ``row column value`` counted from 1; rows are objects), ``{clusters}`` by the number of
    clusters, ``{seed}`` by a whole number below 2^31, and ``{labels}`` by the file to write, with a
    line per row that contains a whole number of at least 0. ``{columns}``, if used, is a second
    such file with a line per column; a row and a column with the same label are in the same
    co-cluster. ``{criterion}``, if used, is a file with one number, larger for better results,
    which decides the best of ``n_init`` starts. Without it there is one start.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    command : str or list of str
        The command line, or its arguments.
    seconds : float or None, default=None
        Time limit of one start.
    digest : str, default=""
        Hash of the files named in the command, which makes results depend on their content.
    n_init, max_iter, tol : int, int and float, default=1, 1 and 0.0
        Number of starts per run; ``max_iter`` and ``tol`` are ignored.
    random_state : int, Generator, RandomState or None, default=None
        Seed or generator of the random numbers.

    Examples
    --------
    >>> from recoco.methods.external import CommandLine
    >>> CommandLine(2, command="my-program {matrix} {clusters} {seed} {labels}").two_sided
    False
    """

    name = "command"
    title = "Command line"
    reference = "A program of one's own."
    equation_notes = "What the program does is its own matter."

    command: str | list[str] | None = None
    seconds: float | None = None
    digest: str = ""
    max_iter: int = 1
    tol: float = 0.0

    @property
    def expected_clusters(self) -> int | None:
        return self.n_clusters if self._uses("clusters") else None

    @property
    def two_sided(self) -> bool:  # type: ignore[override]
        return self._uses("columns")

    def _uses(self, placeholder: str) -> bool:
        return any(f"{{{placeholder}}}" in part for part in command_parts(self.command))

    def _prepare(self, A):
        from scipy.io import mmwrite

        command_parts(self.command)
        folder = tempfile.TemporaryDirectory(prefix="recoco-command-")
        # general: otherwise only half of a symmetric matrix would be written
        mmwrite(Path(folder.name) / "matrix.mtx", A, field="real", symmetry="general")
        return _Problem(folder, A.shape)

    def _starts_per_run(self):
        return self.n_init if self._uses("criterion") else 1

    def _run(self, problem, generators, init):
        n, d = problem.shape
        folder = Path(problem.folder.name)
        rows, columns, values = [], [], []
        for rng in generators:
            files = {name: folder / f"{name}.txt" for name in ("labels", "columns", "criterion")}
            for path in files.values():
                path.unlink(missing_ok=True)  # left by the previous start
            told = {
                "matrix": str(folder / "matrix.mtx"),
                "clusters": str(self.n_clusters),
                "seed": str(int(rng.integers(_SEEDS))),
                **{name: str(path) for name, path in files.items()},
            }
            _start(command_parts(self.command), told, folder, self.seconds)
            rows.append(_read_labels(files["labels"], n, "rows"))
            if self._uses("columns"):
                columns.append(_read_labels(files["columns"], d, "columns"))
            values.append(_read_number(files["criterion"]) if self._uses("criterion") else 0.0)
        if columns:
            pairs = [_renumber(z, w) for z, w in zip(rows, columns, strict=True)]
            rows, columns = [z for z, _ in pairs], [w for _, w in pairs]
        else:
            rows = [np.unique(z, return_inverse=True)[1].ravel() for z in rows]
        return _starts(rows, columns, values)


def _starts(rows: list, columns: list, values: Any) -> Starts:
    return Starts.from_histories(
        np.array(rows, np.int32),
        np.array(columns, np.int32) if columns else None,
        [np.array([value]) for value in values],
    )


def _renumber(rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the labels of both sides from 0 without gaps; equal labels get equal numbers."""
    _, numbers = np.unique(np.concatenate([rows, columns]), return_inverse=True)
    numbers = numbers.ravel()
    return numbers[: rows.size], numbers[rows.size :]


def _start(parts: list[str], told: dict, folder: Path, seconds: float | None) -> None:
    """Run a program to its end; raise an error in one sentence if it fails."""
    arguments = [_BRACES.sub(lambda match: told[match[1]], part) for part in parts]
    program = Path(arguments[0]).name
    said = folder / "said.txt"
    with said.open("wb") as sink:
        try:
            process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )
        except OSError as error:
            raise RecocoError(
                f"The program {program!r} cannot be started ({error.strerror}): check that it is "
                "installed, that it may be executed, and how the command names it."
            ) from None
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise RecocoError(
                f"The program {program!r} did not end within {seconds:g} s: give it less to do "
                "or more time."
            ) from None
        finally:  # also if the block runs out of time: kill the program and its children
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if code:
        ended = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        raise RecocoError(f"The program {program!r} {ended}{_last_words(said)}.")


def _end_with_parent() -> None:
    """Ask Linux to kill the program when the job that waits for it dies for any reason."""
    _LIBRARY.prctl(1, signal.SIGKILL)  # type: ignore[union-attr]  # PR_SET_PDEATHSIG


def _last_words(path: Path) -> str:
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL))
        lines = stream.read().decode("utf-8", errors="replace").split("\n")
    lines = [" ".join(line.split()) for line in lines if line.strip()]
    return f", its last words were: {lines[-1][:200].rstrip('.')}" if lines else ""


def _lines(path: Path, what: str) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RecocoError(
            f"The program wrote no file of {what}: it must write the file that its command names "
            f"as {{{path.stem}}}."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecocoError(
            f"The file of {what} cannot be read ({error}): write plain text."
        ) from None
    return [line.strip() for line in text.strip().split("\n")]


def _read_labels(path: Path, size: int, side: str) -> np.ndarray:
    lines = _lines(path, f"labels of the {side}")
    if len(lines) != size:
        found = 0 if lines == [""] else len(lines)
        raise RecocoError(
            f"The program wrote {found} labels for {size} {side}: write a whole number on a line "
            f"for each of the {side}."
        )
    labels = np.empty(size, np.int64)
    for number, line in enumerate(lines, 1):
        if not line.isascii() or not line.isdigit() or len(line) > 18:
            raise RecocoError(
                f"Line {number} of the labels of the {side} is {line[:40]!r}: write a whole "
                "number of at least 0."
            )
        labels[number - 1] = int(line)
    return labels


def _read_number(path: Path) -> float:
    lines = _lines(path, "the criterion")
    try:
        value = float(lines[0])
    except ValueError:
        value = np.nan
    if len(lines) != 1 or not np.isfinite(value):
        raise RecocoError(
            f"The file of the criterion has {lines[0][:40]!r}: write one number and nothing else."
        )
    return value


@dataclass(eq=False, repr=False, kw_only=True)
class Estimator(Clusterer):
    """Any estimator in the style of scikit-learn, as a method.

    A new instance is created for every start, with ``n_clusters`` and ``random_state`` if it
    accepts them, and fitted to the matrix. Its labels are ``row_labels_`` and ``column_labels_``,
    or ``labels_``, or the result of ``fit_predict``.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    estimator : str
        The class as ``package.module:Class``.
    options : dict or None, default=None
        Further parameters of the class.
    dense : bool, default=False
        Pass an array instead of a sparse matrix.
    digest : str, default=""
        Hash of the source of the module, which makes results depend on it.
    n_init, max_iter, tol : int, int and float, default=1, 1 and 0.0
        Ignored; present because all methods have them. There is no criterion to compare starts.
    random_state
        See :class:`~recoco.methods.base.Clusterer`.

    Examples
    --------
    >>> from recoco.methods.external import Estimator
    >>> X = [[3, 2, 0, 0], [2, 4, 1, 0], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> Estimator(2, estimator="sklearn.cluster:KMeans", random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "estimator"
    title = "Estimator"
    reference = "A class of one's own."
    equation_notes = "What the class does is its own matter."
    two_sided = False

    estimator: str | None = None
    options: dict | None = None
    dense: bool = False
    digest: str = ""
    max_iter: int = 1
    tol: float = 0.0

    @property
    def expected_clusters(self) -> int | None:
        return self.n_clusters if "n_clusters" in self._takes() else None

    def _takes(self) -> set[str]:
        import inspect

        kind = load_class(str(self.estimator))
        try:
            return set(inspect.signature(kind).parameters)
        except (TypeError, ValueError):
            raise RecocoError(f"{self.estimator} is no class: name one as module:Class.") from None

    def _prepare(self, A):
        return A

    def _starts_per_run(self):
        return 1

    def _run(self, problem, generators, init):
        kind, takes = load_class(str(self.estimator)), self._takes()
        rows, columns = [], []
        for rng in generators:
            own = {"n_clusters": self.n_clusters, "random_state": int(rng.integers(_SEEDS))}
            given = {key: value for key, value in own.items() if key in takes}
            try:
                model = kind(**{**given, **(self.options or {})})
                z, w = _labels_of(model, problem.toarray() if self.dense else problem)
            except RecocoError:
                raise
            except Exception as error:  # an external class may raise anything
                text = " ".join(str(error).split())[:300]
                raise RecocoError(
                    f"{self.estimator} failed ({type(error).__name__}: {text}): correct it, its "
                    "options, or what it is given (dense: true gives an array)."
                ) from error
            z = _as_labels(z, problem.shape[0], "rows", self.estimator)
            if w is None:
                rows.append(np.unique(z, return_inverse=True)[1].ravel())
                continue
            z, w = _renumber(z, _as_labels(w, problem.shape[1], "columns", self.estimator))
            rows.append(z)
            columns.append(w)
        return _starts(rows, columns, np.zeros(len(rows)))


def _labels_of(model, A):
    """Fit a model; return its row labels and, if it has any, its column labels."""
    if not hasattr(model, "fit"):
        return model.fit_predict(A), None
    model.fit(A)
    rows = getattr(model, "row_labels_", None)
    if rows is None:
        rows = getattr(model, "labels_", None)
    if rows is None:
        rows = model.fit_predict(A)
    return rows, getattr(model, "column_labels_", None)


def _as_labels(labels, size: int, side: str, estimator: str | None) -> np.ndarray:
    labels = np.asarray(labels)
    if labels.shape != (size,) or labels.dtype.kind not in "iub":
        raise RecocoError(
            f"{estimator} gave labels of shape {labels.shape} and type {labels.dtype}: give {size} "
            f"whole numbers, one for each of the {side}."
        )
    return labels.astype(np.int64)
