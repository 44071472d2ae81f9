"""Scores of words by their nearest neighbours: NPMI averaged over some of them.

NPMI(w, w') = PMI(w, w') / -log p(w, w') lies in [-1, 1]: 1 for words that occur only together, 0
for independent ones, -1 for words that never share a window. Probabilities are fractions of
windows, see :mod:`recoco.metrics.coherence`.

References
----------
G. Bouma, Normalized (pointwise) mutual information in collocation extraction, GSCL, 2009.
S. Affeldt, L. Labiod, M. Nadif, Ensemble Block Co-clustering, CIKM, 2020, eq. 13.
"""

from collections.abc import Sequence

import numpy as np

from recoco.core.errors import RecocoError
from recoco.metrics.coherence import WindowCounts


def npmi(counts: WindowCounts, words: Sequence[str]) -> np.ndarray:
    """Return the NPMI of all pairs of words, shape (m, m), with NaN on the diagonal.

    A pair that shares no window has -1, the limit; a word that does not occur has NaN.
    """
    places = counts.places(words)
    one, two = np.triu_indices(places.size, 1)
    both = counts.together(places[one], places[two]) / counts.windows
    p = counts.single[places] / counts.windows
    values = np.full(both.size, -1.0)
    met = both > 0
    pmi = np.log(both[met]) - np.log(p[one[met]]) - np.log(p[two[met]])
    # both words are in every window: the limit is 1
    always = both[met] >= 1
    values[met] = np.where(always, 1.0, pmi / np.where(always, 1.0, -np.log(both[met])))
    values[(p[one] == 0) | (p[two] == 0)] = np.nan
    table = np.full((places.size, places.size), np.nan)
    table[one, two] = table[two, one] = values
    return table


def neighbour_scores(counts: WindowCounts, words: Sequence[str], k: int = 5) -> np.ndarray:
    """Return NPMI_i of each word: its mean NPMI with its k nearest other words (eq. 13).

    It is NaN for a word that does not occur.
    """
    if k < 1:
        raise RecocoError(f"neighbours is {k!r}: give a whole number of at least 1.")
    table = npmi(counts, words)
    scores = np.full(len(table), np.nan)
    for i, row in enumerate(table):
        known = np.sort(row[~np.isnan(row)])[::-1]
        if known.size:
            scores[i] = known[:k].mean()
    return scores
