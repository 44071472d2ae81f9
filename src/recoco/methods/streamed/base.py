"""What the methods on a matrix on disk share."""

from typing import Any

import numpy as np

from recoco.core.errors import RecocoError
from recoco.datasets.disk_matrix import BigCsr

# Starts go through the matrix together while they need no more bytes than this.
KEPT_BYTES = 1 << 29
_MOST_STARTS = 16


class Streamed:
    """Accepts a matrix on disk instead of one in memory."""

    def _check_data(self: Any, X: object) -> BigCsr:
        if not isinstance(X, BigCsr):
            raise RecocoError(
                f"{type(self).__name__} reads a matrix from disk: give a "
                "recoco.datasets.disk_matrix.BigCsr, "
                f"or use {self.title} itself for one in memory."
            )
        return X  # the entries were checked when the matrix was written

    def _batch_size(self: Any, X: BigCsr) -> int:
        return int(np.clip(KEPT_BYTES // self._start_bytes(*X.shape), 1, _MOST_STARTS))
