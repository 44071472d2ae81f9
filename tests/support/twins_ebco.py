"""Plain versions of DCC, CROINFO and EBCO on dense matrices, straight from the equations."""

import numpy as np

from support.twins import one_hot

MASK = 2**64 - 1


def uniform(seed, place):
    """Number ``place`` of the SplitMix64 stream ``seed``, in whole numbers of Python."""
    x = (seed + (place + 1) * 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return ((x ^ (x >> 31)) >> 11) / 2**53


def unit_rows(X):
    return X / np.sqrt((X**2).sum(axis=1, keepdims=True))


def _gap(values):
    values = np.sort(values)
    return values[-1] - values[-2] if values.size > 1 else np.inf


def _largest(scores):
    return scores.argmax(axis=1), min(_gap(row) for row in scores)


def _drawn(scores, seed, place):
    labels, least = [], np.inf
    for j, row in enumerate(scores):
        limit = uniform(seed, place + j) * row.sum()
        running = np.cumsum(row)
        labels.append(int(np.flatnonzero(running > limit)[0]))
        least = min(least, np.abs(running - limit)[row > 0].min())
    return np.array(labels), least


def _refilled(labels, scores, g):
    """An empty cluster gets the line of least score from a cluster with others."""
    labels, best, least = labels.copy(), scores[np.arange(len(labels)), labels], np.inf
    count = 0
    for k in range(g):
        sizes = np.bincount(labels, minlength=g)
        if sizes[k]:
            continue
        count += 1
        free = np.where(sizes[labels] > 1, best, np.inf)
        least = min(least, _gap(-free))
        chosen = int(free.argmin())
        labels[chosen], best[chosen] = k, np.inf
    return labels, least, count


def scaled(labels, g):
    """Ztilde = Z D_z^-1/2; a cluster that is empty counts as one of size 1."""
    Z = one_hot(labels, g).astype(float)
    return Z / np.sqrt(np.maximum(Z.sum(axis=0), 1))


def conscience(M, z, w, g, seed, max_iter, stochastic):
    """DCC for unit rows, and Algorithm 1 of EBCO for the consensus matrix.

    Yields (z, w, Trace(Ztilde' M Wtilde), lead, refills) after every iteration; with a lead of
    nearly zero the labels hang on rounding.
    """
    d = M.shape[1]
    for iteration in range(max_iter):
        Dz = 1 / np.sqrt(np.maximum(np.bincount(z, minlength=g), 1))
        scores = M @ scaled(w, g) * Dz
        z, lead = _largest(scores)
        z, other, refills = _refilled(z, scores, g)
        lead = min(lead, other)
        Dw = 1 / np.sqrt(np.maximum(np.bincount(w, minlength=g), 1))
        scores = M.T @ scaled(z, g) * Dw
        if iteration < stochastic:
            w, other = _drawn(scores, seed, iteration * d)
        else:
            w, other = _largest(scores)
        lead = min(lead, other)
        w, other, more = _refilled(w, scores, g)
        value = np.trace(scaled(z, g).T @ M @ scaled(w, g))
        yield z, w, value, min(lead, other), refills + more


def best_iterates(steps):
    """Numbers of the steps of largest criterion, and the least lead of all steps.

    Iterates of the same partitions have the same criterion, but the order in which a kernel adds
    it up differs from step to step: rounding decides which of them it takes for the largest.
    """
    values = np.array([step[2] for step in steps])
    equal = np.flatnonzero(values.max() - values <= 1e-12 * values.max())
    return equal.tolist(), min(step[3] for step in steps)


def information(P, z, w, g, m):
    T = one_hot(z, g).T @ P @ one_hot(w, m)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = T * np.log(T / np.outer(T.sum(axis=1), T.sum(axis=0)))
    return np.nansum(terms)


def croinfo(P, z, w, g, m, max_iter):
    """Alternate exact half-steps; yields (z, w, information, lead)."""

    def half_step(P, z, w, g, m):
        T = one_hot(z, g).T @ P @ one_hot(w, m)
        reduced = P @ one_hot(w, m)
        scores = np.zeros((len(z), g))
        for i in range(len(z)):
            for k in range(g):
                for col in range(m):
                    if reduced[i, col] > 0:
                        inside = T[k, col] > 0
                        part = np.log(T[k, col] / T[k].sum()) if inside else -1e300
                        scores[i, k] += reduced[i, col] * part
        return _largest(scores)

    for _ in range(max_iter):
        z, lead = half_step(P, z, w, g, m)
        w, other = half_step(P.T, w, z, m, g)
        yield z, w, information(P, z, w, g, m), min(lead, other)


def consensus_matrix(row_labels, column_labels):
    """M, the mean of Ztilde_l Wtilde_l'."""
    M = 0.0
    for z, w in zip(row_labels, column_labels, strict=True):
        k = max(z.max(), w.max()) + 1
        M = M + scaled(z, k) @ scaled(w, k).T
    return M / len(row_labels)


def noisy_partitions(rng, truth, numbers, noise=0.15):
    """Partitions in the given numbers of clusters that follow the truth but for some objects."""
    found = []
    for k in numbers:
        labels = (truth + (truth.max() + 1) * rng.integers(2, size=truth.size)) % k
        wrong = rng.random(truth.size) < noise
        labels[wrong] = rng.integers(k, size=wrong.sum())
        found.append(labels)
    return found
