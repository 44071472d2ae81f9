"""Rows about co-clusters: their classes, their words, and the matrix ordered by them."""

import base64

import numpy as np

from recoco.compare.answers import Answer, unreachable
from recoco.compare.comparison import Comparison
from recoco.core.files import read_arrays
from recoco.items.coclusters import KIND, coclusters_path
from recoco.items.kind import analysis_path
from recoco.metrics.coherence import read_counts
from recoco.metrics.npmi import neighbour_scores


def compare_coclusters(comparison: Comparison, name: str, item: dict) -> dict[str, list[dict]]:
    """Return the rows of an item about co-clusters."""
    rows: dict[str, list[dict]] = {"coclusters": [], "neighbours": [], "pictures": []}
    for setting, details in KIND.described(comparison.config, item):
        path = coclusters_path(comparison.key, setting)
        if path not in comparison.analyses:
            continue
        arrays = read_arrays(path)
        if "picture" not in arrays:
            continue  # there are no co-clusters; the file contains the reason
        same = {"item": name, **details, "method": item["method"], "run": int(arrays["run"])}
        rows["pictures"].append({**same, **_pixels(arrays)})
        rows["coclusters"] += [{**same, **cluster} for cluster in _clusters(arrays)]
        counted = analysis_path(comparison.key, "neighbours", f"{details['card']}.npz")
        if counted in comparison.analyses and "vocabulary" in arrays and item["corpora"]:
            counts, corpus = read_counts(counted)
            if counts is not None:
                words = _words(arrays, counts, item["neighbours"])
                rows["neighbours"] += [{**same, **word, "corpus": corpus} for word in words]
    return rows


def _pixels(arrays: dict) -> dict:
    """Return a picture as text: a byte per tile, from empty (0) to the fullest (255).

    Densities are shown by their square root: sparse co-clusters must be visible beside dense ones.
    """
    density = np.sqrt(arrays["picture"])
    scale = density.max() or 1.0
    pixels = np.round(255 * density / scale).astype(np.uint8)
    return {
        "rows": int(arrays["row_borders"][-1]),
        "columns": int(arrays["column_borders"][-1]),
        "row_borders": " ".join(map(str, arrays["row_borders"])),
        "column_borders": " ".join(map(str, arrays["column_borders"])),
        "height": pixels.shape[0],
        "width": pixels.shape[1],
        "pixels": base64.b64encode(pixels.tobytes()).decode("ascii"),
    }


def _clusters(arrays: dict) -> list[dict]:
    """Return a row per (co-cluster, class)."""
    words = np.diff(arrays["column_borders"])
    documents = np.diff(arrays["row_borders"])
    return [
        {
            "cluster": k + 1,
            "documents": int(documents[k]),
            "words": int(words[k]),
            "class": str(name),
            "of_class": int(arrays["classes"][k, c]),
        }
        for k in range(len(words))
        for c, name in enumerate(arrays["class_names"])
    ]


def _words(arrays: dict, counts, k: int) -> list[dict]:
    """Return a row per word of each co-cluster, the one with the nearest neighbours first."""
    rows = []
    for cluster, (tops, sums) in enumerate(
        zip(arrays["top_words"], arrays["frequency"], strict=True), 1
    ):
        words = [str(arrays["vocabulary"][j]) for j in tops if j >= 0]
        scores = neighbour_scores(counts, words, k) if words else np.empty(0)
        # words that do not occur in the texts come last
        order = np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")
        for place, i in enumerate(order, 1):
            score = None if np.isnan(scores[i]) else float(scores[i])
            row = {"cluster": cluster, "place": place, "word": words[i]}
            rows.append({**row, "npmi": score, "frequency": float(sums[i])})
    return rows


def answer_words(rows, records: dict[str, dict], datasets: dict[str, str]):
    """Yield (printed row, verdict, answer, reason) of printed words of co-clusters.

    A printed score belongs to a word of one co-cluster of the authors: it can only be compared on
    the paper's own data.
    """
    for row in rows.itertuples():
        record = records[datasets[row.dataset]]
        if record["status"] != "ok":
            answer = unreachable(record)
        else:
            why = "the co-cluster of this word cannot be identified among ours"
            answer = Answer("unreachable", why=why)
        yield row, "unreachable", answer, answer.why
