"""Prepare: turn raw files into a checked, shuffled, byte-stable dataset and its characteristics."""

import hashlib
import os
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.core.files import write_json
from recoco.datasets.card import load_card, printed_rows, variants
from recoco.datasets.dataset import Dataset, write_prepared, write_unreachable
from recoco.datasets.parsers import Parsed, get_parser
from recoco.datasets.rebuilt import mark
from recoco.datasets.receipts import check_raw

# In many files documents are sorted by class. A method that merely groups neighbours would then
# score well, so every dataset is shuffled, always in the same way.
_SHUFFLE = 20240229


def prepare(
    name: str, raw_dir: str | os.PathLike, out_npz: str | os.PathLike, out_json: str | os.PathLike
) -> None:
    """Parse, check, shuffle and write one fetched dataset.

    Parameters
    ----------
    name : str
        Name of the dataset.
    raw_dir : path-like
        The folder filled by `fetch`.
    out_npz, out_json : path-like
        The dataset for `load_prepared`, and its measured characteristics. For an unreachable
        dataset they are a placeholder, and instructions to get it.
    """
    card = load_card(name)
    receipt = check_raw(name, Path(raw_dir))
    printed = printed_rows(card)
    if receipt["status"] == "unreachable":
        write_unreachable(out_npz, name, {"by_hand": card["by_hand"], "tried": receipt["tried"]})
        write_json(
            out_json,
            {
                "dataset": name,
                "status": "unreachable",
                "title": card["title"],
                "by_hand": card["by_hand"],
                "tried": receipt["tried"],
                "printed": printed,
            },
        )
        return
    source = _source(card, receipt)
    parser = source.get("parser", {"name": "planted", "file": receipt["files"][0]["file"]})
    try:
        parsed = get_parser(parser["name"])(Path(raw_dir), parser)
        keep(parsed, card["content"], **source.get("keep", {}))
        dataset = _dataset(card, source, receipt, parsed)
    except RecocoError as error:
        raise RecocoError(f"Dataset {name}: {error}") from None
    write_prepared(out_npz, dataset)
    write_json(out_json, measured_characteristics(dataset, parsed.dropped, printed))


def _source(card: dict, receipt: dict) -> dict:
    index, sources = receipt["source_index"], card["sources"]
    if index >= len(sources) or sources[index]["kind"] != receipt["source"]["kind"]:
        raise RecocoError(
            f"Dataset {card['name']}: the card was changed after the data were fetched; "
            "fetch it again."
        )
    return sources[index]


def permutation_of(name: str, rows: int) -> tuple[np.ndarray, int]:
    """Return the permutation of a dataset and its seed, which depend only on the name."""
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([_SHUFFLE, seed])))
    return generator.permutation(rows).astype(np.int64), seed


def _dataset(card: dict, source: dict, receipt: dict, parsed: Parsed) -> Dataset:
    """Check the result of a parser against the card, shuffle it and number its classes."""
    content = card["content"]
    views = [_canonical(view, content) for view in parsed.views]
    codes, class_names = _classes(parsed, source.get("class_names", {}))
    source = _expect(source, views, codes, class_names)
    order, seed = permutation_of(card["name"], codes.size)
    meta = {
        "status": "ok",
        "title": card["title"],
        "content": content,
        "source": receipt["source"],
        "variant": variants(card, source),
        "permutation_seed": seed,
        **mark(source),
        **parsed.meta,
    }
    return Dataset(
        name=card["name"],
        views=[view[order] for view in views],
        labels=codes[order],
        class_names=class_names,
        terms=parsed.terms,
        permutation=order,
        meta=meta,
    )


def keep(
    parsed: Parsed,
    content: str,
    min_df: int = 1,
    max_df_share: float = 1.0,
    empty_rows: bool | None = None,
) -> None:
    """Drop columns and rows of a parsed dataset, and add to ``dropped`` how many.

    Parameters
    ----------
    parsed : Parsed
        Modified in place.
    content : str
        What the values are, see the card.
    min_df, max_df_share, empty_rows
        See ``keep`` of a card.
    """
    if min_df > 1 or max_df_share < 1:
        _keep_columns(parsed, min_df, max_df_share)
    if empty_rows is None:
        # no method can place a document without words; zero is a value like others among features
        empty_rows = parsed.graph or content == "real"
    if not empty_rows:
        _drop_empty(parsed)


def _keep_columns(parsed: Parsed, min_df: int, max_df_share: float) -> None:
    for i, view in enumerate(parsed.views):
        frequency = np.bincount(view.indices[view.data != 0], minlength=view.shape[1])
        rare = frequency < min_df
        common = frequency > max_df_share * view.shape[0]
        kept = np.flatnonzero(~rare & ~common)
        if not kept.size:
            raise RecocoError("no column is left; correct `keep` in the card.")
        if rare.any():
            text = f"{rare.sum()} of {rare.size} columns are in fewer than {min_df} rows"
            parsed.dropped.append(text)
        if common.any():
            share = f"{max_df_share:.1%} of the rows"
            parsed.dropped.append(f"{common.sum()} of {rare.size} columns are in more than {share}")
        parsed.views[i] = csr_matrix(view[:, kept])
        if parsed.terms[i] is not None:
            parsed.terms[i] = [parsed.terms[i][j] for j in kept]


def _drop_empty(parsed: Parsed) -> None:
    """Drop the objects that are empty in every view."""
    filled = np.zeros(np.size(parsed.labels), dtype=bool)
    for view in parsed.views:
        if view.shape[0] != filled.size:
            return  # `_expect` says so
        filled |= np.asarray(abs(view).sum(axis=1)).ravel() != 0
    rows = np.flatnonzero(filled)
    if rows.size == filled.size:
        return
    if not rows.size:
        raise RecocoError("all values are zero, so no row is left; correct `keep` in the card.")
    parsed.views = [view[rows] for view in parsed.views]
    parsed.labels = np.asarray(parsed.labels)[rows]
    parsed.dropped.append(f"{filled.size - rows.size} of {filled.size} rows are empty")


def _canonical(view: csr_matrix, content: str) -> csr_matrix:
    view = csr_matrix(view, dtype=np.float64)
    view.sum_duplicates()
    view.eliminate_zeros()
    view.sort_indices()
    if not np.isfinite(view.data).all():
        raise RecocoError(
            f"{int((~np.isfinite(view.data)).sum())} values are NaN or infinite; fetch it again."
        )
    if content != "real" and view.nnz and view.data.min() < 0:
        raise RecocoError(
            f"the card says {content}, but {int((view.data < 0).sum())} values are negative; "
            "correct `content` in the card or the parser's options."
        )
    if content == "counts" and np.any(view.data != np.round(view.data)):
        raise RecocoError(
            "the card says counts, but not all values are whole numbers; "
            "correct `content` in the card."
        )
    if content == "binary" and np.any(view.data != 1):
        raise RecocoError(
            "the card says binary, but not all values are 0 or 1; correct `content` in the card."
        )
    return view


def _classes(parsed: Parsed, names: dict) -> tuple[np.ndarray, list[str]]:
    """Number the classes 0..K-1 in the order of the source, and name them."""
    labels = np.asarray(parsed.labels)
    values = parsed.class_order
    if values is None:
        values = np.unique(labels).tolist()
    present = set(labels.tolist())
    values = [value for value in values if value in present]
    code = {value: k for k, value in enumerate(values)}
    codes = np.array([code[value] for value in labels.tolist()], dtype=np.int32)
    given = {str(key): name for key, name in names.items()}
    if given and set(given) != {str(value) for value in values}:
        raise RecocoError(
            f"class_names of the card are for {', '.join(sorted(given))}, the classes found are "
            f"{', '.join(sorted(str(value) for value in values))}; correct the card."
        )
    plain = [f"class {value}" if str(value).isdigit() else str(value) for value in values]
    return codes, [given.get(str(value), text) for value, text in zip(values, plain, strict=True)]


def _expect(source: dict, views, codes, class_names) -> dict:
    """Check the shape; return the source, as a substitute if its shape may be another one."""
    if any(view.shape[0] != codes.size for view in views):
        raise RecocoError(
            f"views of {', '.join(str(view.shape[0]) for view in views)} rows for {codes.size} "
            "labels; fetch it again."
        )
    measured = {
        "rows": codes.size,
        "columns": [view.shape[1] for view in views],
        "nonzeros": [view.nnz for view in views],
        "classes": len(class_names),
    }
    expected = source.get("expected") or {}
    other = [key for key, value in expected.items() if value != measured[key]]
    why = source.get("if_other_shape")
    if other and why and "classes" not in other and len(views) == len(expected["columns"]):
        shape = " x ".join(map(str, (codes.size, *dict.fromkeys(measured["columns"]))))
        return source | {"other_preparation": f"{why} (found {shape})"}
    for key in other:
        raise RecocoError(
            f"{key} are {measured[key]}, but the card expects {expected[key]}; "
            "fetch it again or correct `expected` in the card."
        )
    return source


def measured_characteristics(dataset: Dataset, dropped: list[str], printed: dict) -> dict:
    """Measure what the papers print about their datasets, and what the boxplots need."""
    views = dataset.views
    sizes = np.bincount(dataset.labels, minlength=dataset.n_classes)
    cells = sum(view.shape[0] * view.shape[1] for view in views)
    per_view = [
        {
            "columns": view.shape[1],
            "nonzeros": view.nnz,
            "sparsity_percent": _sparsity(view.nnz, view.shape[0] * view.shape[1]),
            "empty_rows": int((np.diff(view.indptr) == 0).sum()),
            "empty_columns": int((np.bincount(view.indices, minlength=view.shape[1]) == 0).sum()),
            "smallest": float(view.data.min()) if view.nnz else 0.0,
            "largest": float(view.data.max()) if view.nnz else 0.0,
            "terms": dataset.terms[i] is not None,
        }
        for i, view in enumerate(views)
    ]
    filled = np.zeros(dataset.labels.size, dtype=np.int64)
    for view in views:
        filled += np.diff(view.indptr)
    sums = np.asarray(dataset.X.sum(axis=1)).ravel()
    return {
        "dataset": dataset.name,
        "status": "ok",
        "title": dataset.meta["title"],
        "content": dataset.meta["content"],
        "rows": int(dataset.labels.size),
        "columns": [view.shape[1] for view in views],
        "nonzeros": [view.nnz for view in views],
        "classes": dataset.n_classes,
        "class_sizes": dict(zip(dataset.class_names, sizes.tolist(), strict=True)),
        "sparsity_percent": _sparsity(sum(view.nnz for view in views), cells),
        "balance": float(sizes.min() / sizes.max()),
        "empty_rows": int((filled == 0).sum()),
        "empty_columns": sum(view["empty_columns"] for view in per_view),
        "views": per_view,
        "dropped": dropped,
        "permutation_seed": dataset.meta["permutation_seed"],
        "source": dataset.meta["source"],
        "variant": dataset.meta["variant"],
        **{key: dataset.meta[key] for key in ("rebuilt",) if key in dataset.meta},
        "printed": printed,
        "document_sizes": {
            "sums": _five_numbers(sums),
            "nonzeros": _five_numbers(np.diff(dataset.X.indptr)),
        },
    }


def _sparsity(nonzeros: int, cells: int) -> float:
    return 100.0 * (1.0 - nonzeros / cells)


def _five_numbers(values: np.ndarray) -> dict[str, float]:
    """Return the five-number summary, and the last values within 1.5 box lengths (Tukey)."""
    low, q1, median, q3, high = (float(q) for q in np.percentile(values, [0, 25, 50, 75, 100]))
    reach = 1.5 * (q3 - q1)
    return {
        "min": low,
        "q1": q1,
        "median": median,
        "q3": q3,
        "max": high,
        "whisker_low": float(values[values >= q1 - reach].min()),
        "whisker_high": float(values[values <= q3 + reach].max()),
    }
