"""Plain versions of the methods on several views, straight from the definitions."""

import numpy as np

from support import twins


def table(D, x, y):
    """t_ij = sum of D over object cluster i and feature cluster j (CoStar, eq. 3)."""
    return np.array(
        [[D[np.ix_(x == i, y == j)].sum() for j in range(max(y) + 1)] for i in range(max(x) + 1)]
    )


def _squares(values):
    return sum(value * value for value in values)


def tau_objects(tables):
    """Eq. 4, in fractions if the tables are; 0 for a single cluster."""
    if len(tables[0]) < 2:
        return 0
    explained, concentration = 0, 0
    for T in tables:
        total, columns = T.sum(), T.sum(axis=0)
        for j, q in enumerate(columns):
            if q:
                explained += _squares(T[:, j]) / (total * q)
        concentration += _squares(T.sum(axis=1)) / total**2
    return (explained - concentration) / (len(tables) - concentration)


def tau_features(T):
    """Eq. 5; 0 if all mass is in one cluster."""
    total = T.sum()
    concentration = _squares(T.sum(axis=0)) / total**2
    if concentration == 1:
        return 0
    explained = sum(_squares(row) / (total * row.sum()) for row in T if row.sum())
    return (explained - concentration) / (1 - concentration)


class CoStar:
    """Algorithms 1 to 5 in fractions: tau is computed anew for every candidate."""

    def __init__(self, views):
        self.D = [twins.exact(view) for view in views]
        n = len(views[0])
        self.parts = [np.arange(n)] + [np.arange(view.shape[1]) for view in views]
        self.members = [[[i] for i in range(part.size)] for part in self.parts]

    def tables(self, which=None, labels=None):
        parts = list(self.parts)
        if which is not None:
            parts[which] = labels
        return [table(D, parts[0], y) for D, y in zip(self.D, parts[1:], strict=True)]

    def taus(self):
        tables = self.tables()
        return [tau_objects(tables), *(tau_features(T) for T in tables)]

    def iterate(self, uniforms):
        for which in range(len(self.parts)):
            self._step(which, *uniforms[which])

    def _step(self, which, cluster, member):
        lists, labels = self.members[which], self.parts[which]
        b = int(cluster * len(lists))
        element = lists[b][int(member * len(lists[b]))]
        candidates = [b, *(e for e in range(len(lists) + 1) if e != b)]
        values = {}
        for e in candidates:
            if e == len(lists) and len(lists[b]) == 1:
                continue  # the same partition as before
            moved = labels.copy()
            moved[element] = e
            _, moved = np.unique(moved, return_inverse=True)
            tables = self.tables(which, moved)
            own = tau_objects(tables) if which == 0 else tau_features(tables[which - 1])
            values[e] = own, tables
        best = max(own for own, _ in values.values())
        ties = [e for e, (own, _) in values.items() if own == best]
        choice = ties[0]
        for e in ties[1:]:
            ours, theirs = values[choice][1], values[e][1]
            if which == 0:  # Algorithm 3
                a, c = [tau_features(T) for T in ours], [tau_features(T) for T in theirs]
            else:  # Algorithm 5
                a, c = [tau_objects(ours)], [tau_objects(theirs)]
            wins = sum(p > q for p, q in zip(a, c, strict=True))
            losses = sum(p < q for p, q in zip(a, c, strict=True))
            if wins < losses:
                choice = e
        if choice != b:
            self._move(lists, labels, element, b, choice)

    @staticmethod
    def _move(lists, labels, element, b, e):
        """Places that become free are taken by the last member, and by the last list."""
        place = lists[b].index(element)
        lists[b][place] = lists[b][-1]
        lists[b].pop()
        if e == len(lists):
            lists.append([])
        lists[e].append(element)
        labels[element] = e
        if not lists[b]:
            last = len(lists) - 1
            for i in lists[last]:
                labels[i] = b
            lists[b] = lists[last]
            lists.pop()


def information(T):
    """I = sum_ij p_ij ln(p_ij / (p_i p_j))."""
    P = T / T.sum()
    expected = np.outer(P.sum(axis=1), P.sum(axis=0))
    filled = P > 0
    return float((P[filled] * np.log(P[filled] / expected[filled])).sum())


def comraf(views, g, widths, rng, max_iter=100):
    """Iterated conditional modes; the sum of informations is computed anew for every candidate."""
    n = len(views[0])

    def even(size, clusters):
        return rng.permutation(np.arange(size) % clusters)

    parts = [even(n, g)] + [even(V.shape[1], m) for V, m in zip(views, widths, strict=True)]
    numbers = [g, *widths]

    def value():
        pairs = zip(views, parts[1:], strict=True)
        return sum(information(table(V, parts[0], y)) for V, y in pairs)

    history = []
    for _ in range(max_iter):
        moves = 0
        for labels, clusters in zip(parts, numbers, strict=True):
            for element in rng.permutation(labels.size):
                b = labels[element]
                if (labels == b).sum() == 1:
                    continue
                values = []
                for e in range(clusters):
                    labels[element] = e
                    values.append(value())
                best = int(np.argmax(values))
                labels[element] = best if values[best] > values[b] + 1e-12 else b
                moves += labels[element] != b
        history.append(value())
        if not moves:
            break
    return parts, history


def src_losses(views, g, widths, rng, iterations):
    """Losses of the collective factorisation, with eigenvectors of the matrices of the paper."""
    factors = [
        np.linalg.qr(rng.standard_normal((V.shape[1], m)))[0]
        for V, m in zip(views, widths, strict=True)
    ]
    losses = []
    for _ in range(iterations):
        M = sum(V @ C @ C.T @ V.T for V, C in zip(views, factors, strict=True))
        C = np.linalg.eigh(M)[1][:, ::-1][:, :g]
        factors = [
            np.linalg.eigh(V.T @ C @ C.T @ V)[1][:, ::-1][:, :m]
            for V, m in zip(views, widths, strict=True)
        ]
        losses.append(
            sum(
                ((V - C @ (C.T @ V @ F) @ F.T) ** 2).sum()
                for V, F in zip(views, factors, strict=True)
            )
        )
    return losses


def nmf(views, g, widths, rng, iterations):
    """Multiplicative updates with every matrix written out; factors and half the losses."""
    Z = rng.random((len(views[0]), g))
    W = [rng.random((V.shape[1], m)) for V, m in zip(views, widths, strict=True)]
    S = [rng.random((g, m)) for m in widths]
    for k, V in enumerate(views):
        S[k] *= V.sum() / (Z @ S[k] @ W[k].T).sum()
    losses = []
    for _ in range(iterations):
        above = sum(V @ W[k] @ S[k].T for k, V in enumerate(views))
        below = sum(Z @ S[k] @ W[k].T @ W[k] @ S[k].T for k in range(len(views)))
        Z = Z * above / below
        for k, V in enumerate(views):
            W[k] = W[k] * (V.T @ Z @ S[k]) / (W[k] @ S[k].T @ Z.T @ Z @ S[k])
            S[k] = S[k] * (Z.T @ V @ W[k]) / (Z.T @ Z @ S[k] @ W[k].T @ W[k])
        losses.append(sum(((V - Z @ S[k] @ W[k].T) ** 2).sum() for k, V in enumerate(views)) / 2)
    return Z, W, S, losses


def planted_views(rng, sizes=(12, 15, 13), widths=(20, 24), inside=2.0, outside=0.1):
    """Counts with a common partition of the objects; no object or feature is empty."""
    rows = np.repeat(np.arange(len(sizes)), sizes)
    views = []
    for width in widths:
        columns = np.arange(width) % len(sizes)
        rates = np.where(rows[:, None] == columns, inside, outside)
        V = rng.poisson(rates).astype(float)
        V[np.flatnonzero(V.sum(axis=1) == 0), 0] = 1.0
        V[0, np.flatnonzero(V.sum(axis=0) == 0)] = 1.0
        views.append(V)
    return views, rows
