"""Twins: drawn data in the place of a dataset that is not available.

A twin has the shape, the number of non-zeros, the sizes of the classes and the number of views of
its dataset. How well its classes can be told apart is a constant of the card, which
`recoco.datasets.calibration` computes. A twin shows what every rule, method, table and figure does
and how long it takes. Nothing is judged on it.
"""

import os
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json
from recoco.core.seeds import generator_of
from recoco.datasets.card import load_card, printed_rows
from recoco.datasets.dataset import Dataset, write_prepared
from recoco.datasets.preparation import measured_characteristics, permutation_of
from recoco.datasets.receipts import RECEIPT

# Twins with more non-zeros are only drawn on request.
SMALL = 1_000_000

_LENGTH_SPREAD = 0.6  # of the logarithm of the number of terms of a document
_FOLLOWING = 4.0  # the larger, the more the documents of a class resemble each other
_REPEATS = 0.35  # chance that a term which is in a document occurs once more
_DENSE = 0.5  # views with a larger share of non-zeros are features, not terms
_FEATURE_NOISE = 1.0
_DEGREE_SPREAD = 0.8  # of the logarithm of the expected degree of a node
_PATIENCE = 10  # rounds of drawing from the law before what is still missing is drawn uniformly


def nonzeros_of(card: dict) -> int | None:
    """Return the non-zeros of a card's twin in all views; None if the card has no twin."""
    return sum(shape_of(card)[1]) if "twin" in card else None


def shape_of(card: dict) -> tuple[list[int], list[int]]:
    """Return the columns and the non-zeros of each view of a twin."""
    known = {**(card.get("expected") or {}), **card["twin"]}
    for key in ("columns", "nonzeros"):
        if key not in known:
            raise RecocoError(
                f"Dataset {card['name']}: its twin needs {key}, in `expected` or in `twin`: add it."
            )
    return known["columns"], known["nonzeros"]


def has_twin(card: dict, choice: str) -> bool:
    """Say whether a card's twin would be drawn; ``choice`` is that of config.yaml."""
    size = None if choice == "none" else nonzeros_of(card)
    return size is not None and (choice == "all" or size <= SMALL)


def wanted_twin(name: str, choice: str, receipt: str | os.PathLike) -> dict | None:
    """Return what decides the twin of a dataset, None if it is not to be drawn.

    Parameters
    ----------
    name : name of the dataset
    choice : which twins are wanted, as config.yaml says it
    receipt : what `fetch` wrote; there is no twin of data that was fetched
    """
    card = load_card(name)
    if not has_twin(card, choice) or read_json(Path(receipt))["status"] != "unreachable":
        return None
    from recoco.core.fingerprint import fingerprint

    return {"twin": card["twin"], "code": fingerprint("recoco.datasets.twins:prepare_twin")}


def prepare_twin(
    name: str,
    raw_dir: str | os.PathLike,
    out_npz: str | os.PathLike,
    out_json: str | os.PathLike,
    master_seed: int,
) -> None:
    """Draw the twin of an unreachable dataset and write it as `prepare` writes data.

    Its record has the status ``twin``, and says what an unreachable one says.
    """
    card = load_card(name)
    tried = read_json(Path(raw_dir) / RECEIPT)["tried"]
    dataset = draw_twin(card, master_seed)
    write_prepared(out_npz, dataset)
    record = measured_characteristics(dataset, [], printed_rows(card))
    write_json(out_json, {**record, "status": "twin", "by_hand": card["by_hand"], "tried": tried})


def draw_twin(card: dict, master_seed: int, separation: float | None = None) -> Dataset:
    """Draw the twin of a card.

    Parameters
    ----------
    card : dict
        A card with a `twin`, as `load_card` returns it.
    master_seed : int
        The seed of the reproduction; with the name of the dataset it decides every number.
    separation : float, default=None
        Replaces that of the card.

    Returns
    -------
    dataset : Dataset
        Shuffled like every prepared dataset; its status is ``twin``.
    """
    twin, name = card["twin"], card["name"]
    separation = twin["separation"] if separation is None else separation
    columns, nonzeros = shape_of(card)
    sizes = np.array(twin["class_sizes"])
    labels = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
    views = []
    for i, (width, filled) in enumerate(zip(columns, nonzeros, strict=True)):
        generator = generator_of(master_seed, f"twin {name} view {i}")
        # in a graph each pair of nodes has two cells, and one loop makes the number odd
        most = labels.size * (labels.size - 1) + 1 if twin["graphs"] else labels.size * width
        if not 0 < filled <= most:
            raise RecocoError(
                f"Dataset {name}: {filled} non-zeros do not fit into view {i + 1} of its twin, "
                f"{labels.size} x {width}: correct `nonzeros` in the card."
            )
        if twin["graphs"]:
            view = _graph(labels, filled, separation, generator)
        elif filled > _DENSE * labels.size * width:
            view = _features(labels, width, filled, separation, generator)
        else:
            view = _terms(labels, width, filled, separation, twin["rank_offset"], generator)
        views.append(_valued(view, card["content"], generator))
    order, seed = permutation_of(name, labels.size)
    if twin["graphs"]:
        views = [csr_matrix(view[order][:, order]) for view in views]
    else:
        views = [view[order] for view in views]
    for view in views:
        view.sort_indices()
    return Dataset(
        name=name,
        views=views,
        labels=labels[order],
        class_names=[f"planted class {k + 1}" for k in range(sizes.size)],
        terms=[None if twin["graphs"] else _names(width) for width in columns],
        permutation=order,
        meta={
            "status": "twin",
            "title": card["title"],
            "content": card["content"],
            "source": {"kind": "twin", "where": "drawn by recoco"},
            "variant": {},
            "permutation_seed": seed,
            **({"graphs": "given"} if twin["graphs"] else {}),
        },
    )


def _names(width: int) -> list[str]:
    """Return names of terms, the most frequent of the common law first."""
    return [f"term{j + 1}" for j in range(width)]


# ---- terms in documents ----------------------------------------------------------------------


def _terms(
    labels, width: int, filled: int, separation: float, offset: float, generator
) -> csr_matrix:
    """Draw which terms each document has.

    All terms follow a law like Zipf's, 1 / (rank + offset). A document takes some of them from the
    law of its class, in which they have another order, the others from the common law;
    ``separation`` is the mean share of the former.
    """
    rows = labels.size
    law = 1.0 / (np.arange(width) + offset)
    law = np.cumsum(law / law.sum())
    orders = np.array([generator.permutation(width) for _ in range(labels.max() + 1)])
    share = _shares(separation, rows, generator)
    weights = np.exp(_LENGTH_SPREAD * generator.standard_normal(rows).clip(-3, 3))
    lengths = _apportion(weights, filled, 1 if filled >= rows else 0, width)

    def draw(row: np.ndarray, patient: bool) -> np.ndarray:
        if not patient:
            return generator.integers(width, size=row.size)
        rank = np.minimum(np.searchsorted(law, generator.random(row.size)), width - 1)
        own = generator.random(row.size) < share[row]
        return np.where(own, orders[labels[row], rank], rank)

    codes = _distinct(lengths, width, draw)
    return _fill_columns(codes, rows, width, generator)


def _shares(mean: float, size: int, generator) -> np.ndarray:
    """Draw shares with a mean; with a mean of 0 or 1 all are the same."""
    if not 0 < mean < 1:
        return np.full(size, float(np.clip(mean, 0, 1)))
    return generator.beta(_FOLLOWING * mean, _FOLLOWING * (1 - mean), size)


def _apportion(weights: np.ndarray, total: int, low: int, high: int) -> np.ndarray:
    """Divide a total in proportion to weights into whole numbers between two bounds."""
    shares = weights * (total / weights.sum())
    for _ in range(50):  # what the bounds cut off goes to the others
        shares = np.clip(shares, low, high)
        free = (shares > low) & (shares < high)
        missing = total - shares.sum()
        if abs(missing) < 0.5 or not free.any():
            break
        shares[free] *= 1 + missing / shares[free].sum()
    counts = np.clip(np.floor(shares), low, high).astype(np.int64)
    order = np.argsort(-(shares - counts), kind="stable")
    while (missing := total - int(counts.sum())) != 0:
        step = 1 if missing > 0 else -1
        able = order[(counts[order] < high) if step > 0 else (counts[order] > low)]
        counts[able[: abs(missing)]] += step
    return counts


def _distinct(lengths: np.ndarray, width: int, draw) -> np.ndarray:
    """Return the sorted codes row * width + column of as many distinct columns per row as asked."""
    codes = np.empty(0, dtype=np.int64)
    need = lengths.astype(np.int64)
    attempt = 0
    while need.any():
        short = np.flatnonzero(need)
        patient = attempt < _PATIENCE
        more = need[short] // 2 + 1 if patient else width // 4 + 1
        row = np.repeat(short, need[short] + more)
        drawn = row * width + draw(row, patient)
        _, first = np.unique(drawn, return_index=True)
        drawn = drawn[np.sort(first)]  # in the order in which they were drawn
        place = np.searchsorted(codes, drawn)
        known = place < codes.size
        known[known] = codes[place[known]] == drawn[known]
        drawn = drawn[~known]
        row = drawn // width
        starts = np.searchsorted(row, short)
        position = np.arange(row.size) - np.repeat(starts, np.diff(np.append(starts, row.size)))
        drawn = drawn[position < need[row]]
        need -= np.bincount(drawn // width, minlength=need.size)
        codes = np.sort(np.concatenate([codes, drawn]))
        attempt += 1
    return codes


def _fill_columns(codes: np.ndarray, rows: int, width: int, generator) -> csr_matrix:
    """Move a non-zero of common columns into each empty one, as far as there are enough."""
    column = codes % width
    count = np.bincount(column, minlength=width)
    empty = np.flatnonzero(count == 0)
    # not the first in its column, so that no other column becomes empty
    mixed = generator.permutation(codes.size)
    by_column = mixed[np.argsort(column[mixed], kind="stable")]
    sorted_columns = column[by_column]
    spare = by_column[1:][sorted_columns[1:] == sorted_columns[:-1]]
    spare = generator.permutation(spare)[: empty.size]
    column[spare] = empty[: spare.size]
    return csr_matrix((np.ones(codes.size), (codes // width, column)), shape=(rows, width))


# ---- features of objects and edges of graphs -----------------------------------------------------


def _features(labels, width: int, filled: int, separation: float, generator) -> csr_matrix:
    """Draw positive features whose logarithms are normal around the centre of the class."""
    centres = generator.standard_normal((labels.max() + 1, width))
    noise = _FEATURE_NOISE * generator.standard_normal((labels.size, width))
    values = np.exp(0.3 * (4 * separation * centres[labels] + noise))
    zeros = generator.permutation(values.size)[: values.size - filled]
    values.ravel()[zeros] = 0.0
    return csr_matrix(values)


def _graph(labels, filled: int, separation: float, generator) -> csr_matrix:
    """Draw a symmetric graph: an edge ends in the class where it starts, or anywhere.

    ``separation`` is the mean share of the former; nodes have degrees of a wide range. An odd
    number of non-zeros leaves a loop.
    """
    nodes = labels.size
    edges = filled // 2
    weights = np.exp(_DEGREE_SPREAD * generator.standard_normal(nodes).clip(-3, 3))
    share = _shares(separation, nodes, generator)
    law = np.cumsum(weights)
    starts = np.append(0.0, law[np.cumsum(np.bincount(labels)) - 1])  # classes are sorted
    codes = np.empty(0, dtype=np.int64)
    attempt = 0
    while codes.size < edges:
        size = 2 * (edges - codes.size) + 10
        if attempt < _PATIENCE:
            one = np.searchsorted(law, generator.random(size) * law[-1])
            own = generator.random(size) < share[np.minimum(one, nodes - 1)]
            k = labels[np.minimum(one, nodes - 1)]
            low, high = np.where(own, starts[k], 0.0), np.where(own, starts[k + 1], law[-1])
            other = np.searchsorted(law, low + generator.random(size) * (high - low))
        else:
            one, other = generator.integers(nodes, size=(2, size))
        one, other = np.minimum(one, nodes - 1), np.minimum(other, nodes - 1)
        drawn = np.minimum(one, other) * nodes + np.maximum(one, other)
        drawn = drawn[one != other]
        _, first = np.unique(drawn, return_index=True)
        drawn = drawn[np.sort(first)]
        drawn = drawn[~np.isin(drawn, codes)][: edges - codes.size]
        codes = np.concatenate([codes, drawn])
        attempt += 1
    row, column = codes // nodes, codes % nodes
    loop = [0] * (filled % 2)
    row, column = np.concatenate([row, column, loop]), np.concatenate([column, row, loop])
    return csr_matrix((np.ones(row.size), (row, column)), shape=(nodes, nodes))


def _valued(view: csr_matrix, content: str, generator) -> csr_matrix:
    """Give the non-zeros values that fit the content of a dataset."""
    view.sort_indices()
    if content == "counts":
        view.data = generator.geometric(1 - _REPEATS, view.nnz).astype(np.float64)
    elif content in ("weights", "real") and (view.data == 1).all():
        view.data = generator.gamma(4.0, 0.25, view.nnz) + 0.01
    return view
