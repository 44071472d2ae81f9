"""What `recoco fit` prints of a fitted method: its clusters and the features that carry them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from recoco.datasets.similarity_graphs import Cooccurrence
from recoco.methods.multiview import as_list

ENOUGH = 0.8  # column clusters of a row cluster are listed until they carry this share of its mass
MOST = 3  # and so many at most
MOST_OTHERS = 20


@dataclass
class View:
    """A matrix or graph that was clustered.

    Attributes
    ----------
    matrix : csr_matrix or Cooccurrence
    columns : ndarray or None
        Cluster of each column; None for methods that cluster only the rows.
    names : list of str or None
        Names of the columns.
    """

    matrix: Any
    columns: np.ndarray | None
    names: list[str] | None

    def masses(self, rows: np.ndarray, k: int) -> Iterator[np.ndarray]:
        """Yield the mass of every column in each of k row clusters."""
        place = np.arange(rows.size), rows
        members = sparse.csr_matrix((np.ones(rows.size), place), (rows.size, k)).T
        shared = isinstance(self.matrix, Cooccurrence)
        sums = (members @ self.matrix.B) @ self.matrix.B.T if shared else members @ self.matrix
        yield from (row.toarray().ravel() for row in sparse.csr_matrix(sums))

    def top(self, mass: np.ndarray, words: int) -> Iterator[str]:
        """Yield a line with the names of the columns with the largest masses, if they have any."""
        best = [j for j in np.argsort(-mass, kind="stable")[:words] if mass[j] > 0]
        if self.names and best:
            yield f"    {', '.join(self.names[j] for j in best)}"


def views_of(model: Any, X: Any, names: list, graphs: bool) -> list[View]:
    """Return the views of a fitted method's input, each with the clusters of its columns."""
    matrices = as_list(X)
    columns = getattr(model, "column_labels_", None)
    if graphs:
        shared = model.row_labels_ if columns is None else columns
        return [View(matrix, shared, None) for matrix in matrices]
    parts: list = [None] * len(matrices)
    if columns is not None:
        ends = np.cumsum([matrix.shape[1] for matrix in matrices])
        parts = np.split(columns, ends[:-1])
    own = names if len(names) >= len(matrices) else [None] * len(matrices)
    return [View(A, part, named) for A, part, named in zip(matrices, parts, own, strict=False)]


def account(model: Any, views: list[View], words: int, graphs: bool = False) -> Iterator[str]:
    """Yield the lines about the clusters of a fitted method, one view after the other."""
    rows = np.asarray(model.row_labels_)
    # a method that chooses the number of clusters leaves none empty
    k = max(int(rows.max()) + 1, getattr(model, "expected_clusters", None) or 0)
    if not graphs:
        yield from _unnamed(views)
    for number, view in enumerate(views, 1):
        what = "graph" if graphs else "view"
        if len(views) > 1:
            yield f"\n{what} {number}: {' x '.join(map(str, view.matrix.shape))}"
        elif number == 1:
            yield ""
        if graphs:
            yield from _nodes(view, rows, k)
        elif view.columns is None:
            yield from _rows_only(view, rows, k, words)
        elif is_paired(model):
            yield from _pairs(view, rows, k, words)
        else:
            yield from _blocks(view, rows, k, words)


def is_paired(model: Any) -> bool:
    """Return whether row cluster k and column cluster k of a method belong together."""
    return bool(getattr(model, "two_sided", False)) and not hasattr(model, "n_column_clusters")


def _unnamed(views: list[View]) -> Iterator[str]:
    without = [str(number) for number, view in enumerate(views, 1) if not view.names]
    if not without:
        return
    of = "" if len(without) == len(views) else f" of view{'s' * (len(without) > 1)} "
    yield f"The features{of}{', '.join(without) if of else ''} have no names, so none are listed."


def _pairs(view: View, rows, k: int, words: int) -> Iterator[str]:
    columns, members = np.asarray(view.columns), np.bincount(rows, minlength=k)
    sizes = np.bincount(columns, minlength=k)
    for number, mass in enumerate(view.masses(rows, k)):
        objects, features = _counted(members[number], "object"), _counted(sizes[number], "feature")
        shares, main = _main(np.bincount(columns, mass, sizes.size))
        carry = f" that carry {_percent(shares[number])} of its mass" if main else ""
        yield f"co-cluster {number}: {objects}, {features}{carry}"
        if main and (most := main[0]) != number:
            yield f"  {_percent(shares[most])} of its mass in the features of co-cluster {most}"
        yield from view.top(np.where(columns == number, mass, 0), words)


def _rows_only(view: View, rows, k: int, words: int) -> Iterator[str]:
    members = np.bincount(rows, minlength=k)
    for number, mass in enumerate(view.masses(rows, k)):
        yield f"cluster {number}: {_counted(members[number], 'object')}"
        yield from view.top(mass, words)


def _blocks(view: View, rows, k: int, words: int) -> Iterator[str]:
    """Yield, for every row cluster, the column clusters that carry its mass."""
    columns = np.asarray(view.columns)
    m = int(columns.max()) + 1
    members = np.bincount(rows, minlength=k)
    sizes = [_counted(size, "feature") for size in np.bincount(columns)]
    everything, shown = np.zeros(columns.size), set()

    def column_cluster(start: str, number: int, mass) -> Iterator[str]:
        yield f"{start} column cluster {number} ({sizes[number]})"
        yield from view.top(np.where(columns == number, mass, 0), words)

    for number, mass in enumerate(view.masses(rows, k)):
        everything += mass
        yield f"row cluster {number}: {_counted(members[number], 'object')}"
        shares, main = _main(np.bincount(columns, mass, m))
        shown.update(main)
        for other in main:
            start = f"  {_percent(shares[other])} of its mass in"
            yield from column_cluster(start, other, mass)
        if rest := _rest(shares, main):
            yield "  {} of its mass in {}".format(*rest)
    # a column cluster without mass consists of features that no object has
    left = [c for c in np.flatnonzero(np.bincount(columns, everything)) if c not in shown]
    for number in left[:MOST_OTHERS]:
        yield from column_cluster("listed for no row cluster:", number, everything)
    if len(left) > MOST_OTHERS:
        yield f"and {len(left) - MOST_OTHERS} more column clusters"


def _nodes(view: View, rows, k: int) -> Iterator[str]:
    """Yield, for every cluster of nodes, where its edges lead."""
    columns = np.asarray(view.columns)
    m = max(k, int(columns.max()) + 1)
    members, same = np.bincount(rows, minlength=k), np.array_equal(columns, rows)
    for number, mass in enumerate(view.masses(rows, k)):
        shares, main = _main(np.bincount(columns, mass, m))
        names = [f"cluster {c}" if same else f"column cluster {c}" for c in range(m)]
        if same:
            names[number] = "itself"
        parts = [(_percent(shares[other]), names[other]) for other in main]
        parts += [rest] if (rest := _rest(shares, main)) else []
        edges = ", ".join(f"{share} to {place}" for share, place in parts) or "none"
        yield f"cluster {number}: {_counted(members[number], 'node')}; weight of edges: {edges}"


def _main(masses: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Return the share of each cluster in the mass, and the clusters to list, largest first."""
    total = masses.sum()
    shares = masses / total if total > 0 else masses
    order = np.argsort(-shares, kind="stable")[: np.count_nonzero(shares)]
    enough = int(np.searchsorted(np.cumsum(shares[order]), ENOUGH)) + 1
    return shares, order[: min(enough, MOST)].tolist()


def _rest(shares: np.ndarray, main: list[int]) -> tuple[str, str] | None:
    """Return the share of the clusters that are not listed, and how many these are."""
    others = int(np.count_nonzero(shares)) - len(main)
    if others < 1:
        return None
    return _percent(1 - shares[main].sum()), _counted(others, "other")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _percent(share: float) -> str:
    return "under 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"
