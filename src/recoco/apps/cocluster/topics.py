"""What a co-cluster is about: its top words, their coherence, its typical documents."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix


@dataclass
class Topic:
    """One co-cluster: its sizes, indices of top words and typical documents, NPMI of the words."""

    documents: int
    words: int
    top: np.ndarray
    typical: np.ndarray
    npmi: float
    inside: float  # share of its documents' weight that lies on its own words


def topics(A, row_labels, column_labels, n_clusters: int, top: int = 12, typical: int = 5):
    """Describe every co-cluster of a weighted matrix.

    Top words are those of the co-cluster with the largest weight in its documents; typical
    documents are those whose weight is largest on its words.
    """
    A = csr_matrix(A)
    described = []
    for k in range(n_clusters):
        rows, columns = np.flatnonzero(row_labels == k), np.flatnonzero(column_labels == k)
        block = A[rows]
        mass = np.asarray(block.sum(axis=0)).ravel()
        best = columns[np.argsort(-mass[columns], kind="stable")[:top]]
        own = np.zeros(A.shape[1])
        own[columns] = 1.0
        weight = block @ own
        whole = mass.sum()
        described.append(
            Topic(
                documents=rows.size,
                words=columns.size,
                top=best,
                typical=rows[np.argsort(-weight, kind="stable")[:typical]],
                npmi=npmi(A, best),
                inside=float(mass[columns].sum() / whole) if whole else 0.0,
            )
        )
    return described


def npmi(A, words) -> float:
    """Return the mean normalised pointwise mutual information of word pairs in the documents.

    NPMI(w, w') = ln(p(w, w') / (p(w) p(w'))) / -ln p(w, w'), p the share of documents that have
    the words; -1 for words that never occur in one document, 0 for independent ones, 1 for
    words that only occur together. NaN for fewer than two words.
    """
    words = np.asarray(words)
    if words.size < 2:
        return float("nan")
    has = csr_matrix(A)[:, words]
    has.data = np.ones_like(has.data)
    n = has.shape[0]
    both = (has.T @ has).toarray() / n
    single = np.diag(both)
    i, j = np.triu_indices(words.size, 1)
    together = both[i, j]
    values = np.full(i.size, -1.0)
    seen = together > 0
    apart = single[i] * single[j]
    everywhere = together >= 1.0  # ln 1 is 0: words of every document go together by necessity
    values[everywhere] = 1.0
    some = seen & ~everywhere
    values[some] = np.log(together[some] / apart[some]) / -np.log(together[some])
    return float(values.mean())
