"""Matrices without empty rows and columns, for methods in which those have no direction."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from recoco.core.errors import RecocoError
from recoco.methods.arrays import small_indices


@dataclass
class Filled:
    """A matrix without its empty rows and columns, and the positions of the others."""

    A: sparse.csr_matrix
    rows: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int]

    def spread(self, row_labels: Any, column_labels: Any) -> tuple[np.ndarray, Any]:
        """Return labels (B, .) for the whole matrix; empty rows and columns get label 0."""
        n, d = self.shape
        all_rows = np.zeros((len(row_labels), n), row_labels.dtype)
        all_columns = np.zeros((len(column_labels), d), column_labels.dtype)
        all_rows[:, self.rows] = row_labels
        all_columns[:, self.columns] = column_labels
        return all_rows, all_columns


def without_empty(A: sparse.csr_matrix, n_clusters: int) -> Filled:
    """Drop the rows and columns that are zero: they have no direction and no cluster."""
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
    return Filled(small_indices(A), rows, columns, shape)
