"""Word factors of a run: the top words of clusters, and cosines between words."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from recoco.core.errors import RecocoError
from recoco.core.imports import load_class
from recoco.datasets.dataset import load_prepared
from recoco.datasets.weighting import weight

TOP = 30


def top_words(W: np.ndarray, top: int = TOP) -> np.ndarray:
    """Return the words with the largest weights in each column of the word factors.

    Parameters
    ----------
    W : array (d, m), word factors
    top : int
        Number of words per cluster; if there are fewer words, all of them.

    Returns
    -------
    int32 array (m, top), the largest weight first; ties in the order of the words.
    """
    W = _factors(W)
    _at_least_one(top)
    order = np.argsort(-W, axis=0, kind="stable")[:top]
    return np.ascontiguousarray(order.T, dtype=np.int32)


def class_words(X: csr_matrix, labels: Sequence[int], top: int = TOP) -> np.ndarray:
    """Return the words that are in most documents of each true class.

    Parameters
    ----------
    X : sparse matrix (n, d)
    labels : int array (n,), classes 0..K-1
    top : int
        Number of words per class; if there are fewer words, all of them.

    Returns
    -------
    int32 array (K, top), the most frequent word first; ties in the order of the words.
    """
    X, labels = csr_matrix(X), np.asarray(labels)
    _at_least_one(top)
    if labels.shape != (X.shape[0],):
        raise RecocoError(
            f"There are {labels.size} labels for {X.shape[0]} documents: give one for each."
        )
    K = int(labels.max(initial=-1)) + 1
    words = np.empty((K, min(top, X.shape[1])), np.int32)
    for k in range(K):
        inside = X[labels == k]
        frequency = np.bincount(inside.indices[inside.data != 0], minlength=X.shape[1])
        words[k] = np.argsort(-frequency, kind="stable")[:top]
    return words


def class_cosines(W: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return the cosines between the factors of all pairs of words of each class.

    Parameters
    ----------
    W : array (d, m), word factors
    words : int array (K, top), rows of W for each class

    Returns
    -------
    float32 array (K, top (top - 1) / 2). A word without any weight has no direction: its cosine
    with every other word is 0.
    """
    W = _factors(W)
    words = np.asarray(words)
    if words.size and (words.min() < 0 or words.max() >= len(W)):
        raise RecocoError(
            f"Words {words.min()} to {words.max()} were asked of factors of {len(W)} words: "
            "give the words of the same matrix."
        )
    rows = W[words]
    # scaled by the largest entry first, or the squares of tiny factors would vanish
    largest = rows.max(axis=-1, keepdims=True, initial=0.0)
    rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    norm = np.linalg.norm(rows, axis=-1, keepdims=True)
    rows = np.divide(rows, norm, out=np.zeros_like(rows), where=norm > 0)
    cosines = rows @ rows.transpose(0, 2, 1)
    one, two = np.triu_indices(words.shape[1], 1)
    return np.clip(cosines[:, one, two], 0.0, 1.0).astype(np.float32)


def words_of_setting(
    prepared: str | os.PathLike,
    import_path: str,
    params: dict,
    weighting: str,
    seeds: Sequence[int],
    top: int = TOP,
) -> dict[str, np.ndarray]:
    """Compute runs of a setting again, by their seeds, and return their top words.

    Parameters
    ----------
    prepared : path of a prepared dataset
    import_path : ``module:Class`` of a method with word factors
    params : its parameters; ``n_clusters`` is the number of classes unless given
    weighting : str
    seeds : the seeds of the runs
    top : number of words of a cluster and of a class

    Returns
    -------
    dict
        ``top_words`` int32 (R, m, top), ``criterion`` float64 (R,), ``cosines`` float32
        (R, K, pairs) between the top words of each true class, ``class_words`` int32 (K, top).
    """
    dataset = load_prepared(Path(prepared))
    method = load_class(import_path)
    X = weight(dataset.X, weighting)
    typical = class_words(dataset.X, dataset.labels, top)
    tops, criterion, cosines = [], [], []
    for seed in seeds:
        estimator = method(**{"n_clusters": dataset.n_classes, **params, "random_state": int(seed)})
        with warnings.catch_warnings():  # not in the log of a job
            warnings.simplefilter("ignore", ConvergenceWarning)
            estimator.fit(X)
        W = getattr(estimator, "W_", None)
        if W is None:
            raise RecocoError(
                f"Method {import_path!r} has no word factors: take one of the factorisations."
            )
        tops.append(top_words(W, top))
        criterion.append(estimator.criterion_)
        cosines.append(class_cosines(W, typical))
    if not tops:
        raise RecocoError("No seeds: give one non-negative whole number for each run.")
    return {
        "top_words": np.stack(tops),
        "criterion": np.array(criterion, np.float64),
        "cosines": np.stack(cosines),
        "class_words": typical,
    }


def _factors(W) -> np.ndarray:
    W = np.asarray(W, dtype=np.float64)
    if W.ndim != 2 or not W.size:
        raise RecocoError(f"Word factors of shape {W.shape}: give words x clusters.")
    if not np.isfinite(W).all() or W.min() < 0:
        raise RecocoError("Word factors are negative, NaN or infinite: give those of a fit.")
    return W


def _at_least_one(top: int) -> None:
    if top < 1:
        raise RecocoError(f"top is {top!r}: give a whole number of at least 1.")


def check_vocabulary(terms: Sequence[str] | None, columns: int) -> list[str]:
    """Return the names of the columns of a matrix; raise an error if they do not fit."""
    if terms is None:
        raise RecocoError(
            "The columns have no names, so there are no words to look for: "
            "take a dataset whose card has terms."
        )
    if len(terms) != columns:
        raise RecocoError(
            f"The vocabulary has {len(terms)} words for a matrix of {columns} columns: "
            "give one word for each column."
        )
    return list(terms)
