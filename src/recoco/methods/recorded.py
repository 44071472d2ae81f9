"""What DCC and the ensembles share: counts of the kept start, and matrices without empty lines."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recoco.errors import RecocoError
from recoco.methods.base import CoClusterer, Runs


class Recorded(CoClusterer):
    """Base of methods that report more of a start than its labels and criterion.

    ``_run`` puts a dictionary of arrays (B,) in the attribute ``details`` of its starts; those
    of the start that is kept come back in ``Runs.details`` and, after :meth:`fit`, in
    ``details_``.
    """

    def fit(self, X, y=None, init=None):
        super().fit(X, y, init)
        self.details_ = {name: values[0] for name, values in self._details.items()}
        return self

    fit.__doc__ = CoClusterer.fit.__doc__

    def _fit(self, X, seeds, init=None, batch_size=None) -> Runs:
        self._collected = []
        try:
            runs = super()._fit(X, seeds, init, batch_size)
            collected = self._collected
        finally:
            del self._collected
        starts = 1 if init is not None else self.n_init
        # batches come in the order of runs, then starts
        kept = np.arange(len(seeds)) * starts + runs.details["start"]
        for name in collected[0]:
            runs.details[name] = np.concatenate([batch[name] for batch in collected])[kept]
        self._details = runs.details
        return runs

    def _record(self, details: dict) -> None:
        if hasattr(self, "_collected"):
            self._collected.append(details)


@dataclass
class Filled:
    """A matrix without its empty rows and columns, and where the others were."""

    A: sparse.csr_matrix
    rows: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int]

    def spread(self, row_labels, column_labels):
        """Labels (B, .) of the whole matrix; what is empty gets label 0."""
        n, d = self.shape
        all_rows = np.zeros((len(row_labels), n), row_labels.dtype)
        all_columns = np.zeros((len(column_labels), d), column_labels.dtype)
        all_rows[:, self.rows] = row_labels
        all_columns[:, self.columns] = column_labels
        return all_rows, all_columns


def without_empty(A: sparse.csr_matrix, n_clusters: int) -> Filled:
    """Drop the rows and columns that are zero: they have no direction and belong nowhere."""
    shape = A.shape
    rows = np.flatnonzero(np.diff(A.indptr))
    columns = np.flatnonzero(np.bincount(A.indices, minlength=A.shape[1]))
    for side, filled in (("rows", rows), ("columns", columns)):
        if n_clusters > filled.size:
            raise RecocoError(
                f"{n_clusters} clusters were asked of a matrix with {filled.size} {side} that "
                f"are not zero: ask for at most {filled.size}."
            )
    if rows.size < A.shape[0]:
        A = A[rows]
    if columns.size < A.shape[1]:
        A = A[:, columns]
    if A.indices.dtype != np.int32 and max(A.nnz, *A.shape) < 2**31:
        parts = (A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32))
        A = sparse.csr_matrix(parts, shape=A.shape)
    return Filled(A, rows, columns, shape)
