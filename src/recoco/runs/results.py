"""Check what a method returns: somebody's own method may return anything."""

import numpy as np

from recoco.core.errors import RecocoError
from recoco.core.limits import reason_of


class MethodFailed(RecocoError):
    """A method broke the contract of methods."""


def fit_checked(estimator, X, seeds: list[int]):
    """Return the runs of a method; whatever it does wrong is an error that a cell can show."""
    try:
        runs = estimator.fit_runs(X, seeds)
        check_runs(runs, len(seeds), *_lengths(estimator, X))
    except (RecocoError, TimeoutError, KeyboardInterrupt, ArithmeticError, ValueError):
        raise
    except BaseException as error:  # foreign code may raise anything, even SystemExit
        raise MethodFailed(reason_of(error)) from error
    return runs


def _lengths(estimator, X) -> tuple[int | None, int | None]:
    """Return the rows and columns of a method's input, None where they are unknown."""
    views = X if isinstance(X, list | tuple) else [X]
    if not views or any(len(getattr(view, "shape", ())) != 2 for view in views):
        return None, None
    columns = None if hasattr(estimator, "graphs_of") else sum(view.shape[1] for view in views)
    return views[0].shape[0], columns


def check_runs(runs, count: int, rows: int | None, columns: int | None) -> None:
    """Refuse anything but the result of ``count`` runs on so many rows and columns."""
    for name in ("row_labels", "criterion", "n_iter"):
        if getattr(runs, name, None) is None:
            raise MethodFailed(f"fit_runs returned {type(runs).__name__} without {name}")
    _check_labels("row_labels", runs.row_labels, count, rows)
    if getattr(runs, "column_labels", None) is not None:
        _check_labels("column_labels", runs.column_labels, count, columns)
    for name in ("criterion", "n_iter"):
        values = np.asarray(getattr(runs, name))
        if values.shape != (count,) or not np.issubdtype(values.dtype, np.number):
            raise MethodFailed(f"{name} is {_described(values)}, not {count} numbers")
    for name, values in getattr(runs, "details", {}).items():
        if len(np.shape(values)) == 0 or len(values) != count:
            raise MethodFailed(f"the detail {name} needs one entry for each of {count} runs")


def _check_labels(name: str, labels, count: int, length: int | None) -> None:
    array = np.asarray(labels)
    wanted = (count, array.shape[-1] if length is None and array.ndim else length)
    if array.shape != wanted or not np.issubdtype(array.dtype, np.integer):
        raise MethodFailed(f"{name} is {_described(array)}, not whole numbers of shape {wanted}")
    if array.size and array.min() < 0:
        raise MethodFailed(f"{name} has the label {array.min()}: labels count from 0")


def _described(array) -> str:
    return f"{array.dtype} of shape {array.shape}"
