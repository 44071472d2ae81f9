"""The medoid of a set of partitions: the one that agrees best with all others."""

import numpy as np

from recoco.consensus.bases import check_partitions
from recoco.metrics import score_partitions


def medoid(partitions: np.ndarray) -> tuple[int, float]:
    """Return the index of the medoid and its mean NMI with the other partitions.

    The first one wins a tie. Equal partitions are compared once, because many starts of a good
    method give the same result.

    Parameters
    ----------
    partitions : array-like of shape (s, n)
        The partitions, or a sequence of s label arrays.

    Returns
    -------
    index : int
    mean_nmi : float

    Examples
    --------
    >>> import numpy as np
    >>> from recoco.consensus import medoid
    >>> index, _ = medoid(np.array([[0, 1, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0]]))
    >>> index
    1
    """
    partitions = np.stack(check_partitions(partitions))
    distinct, inverse, counts = np.unique(
        partitions, axis=0, return_inverse=True, return_counts=True
    )
    if len(partitions) == 1:
        return 0, 1.0
    agreement = np.empty((len(distinct), len(distinct)))
    for i, partition in enumerate(distinct):
        agreement[i, i:] = score_partitions(partition, distinct[i:])["nmi"]
        agreement[i:, i] = agreement[i, i:]
    np.fill_diagonal(agreement, 1.0)
    total = agreement @ counts - 1.0  # without the partition itself
    means = (total / (len(partitions) - 1))[np.ravel(inverse)]
    best = int(np.argmax(means))
    return best, float(means[best])
