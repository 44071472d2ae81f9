"""What shows of co-clusters: their classes, their words, and the matrix in their order."""

import base64
from pathlib import Path

import numpy as np

from recoco.cocluster_plan import coclusters_path
from recoco.coherence import read_counts
from recoco.compare.verdicts import Answer
from recoco.config import Config
from recoco.neighbours import neighbour_scores
from recoco.plan import cocluster_settings
from recoco.store import read_arrays


def compare_coclusters(
    config: Config, item: str, block: dict, files: set[Path], neighbours: dict[str, Path]
) -> dict[str, list[dict]]:
    """Return the rows of an item that looks into co-clusters.

    Parameters
    ----------
    files : what the stage ``coclusters`` wrote
    neighbours : card -> file of counted windows
    """
    rows: dict[str, list[dict]] = {"coclusters": [], "neighbours": [], "pictures": []}
    for setting, details in cocluster_settings(config, block):
        path = coclusters_path(setting)
        if path not in files:
            continue
        arrays = read_arrays(path)
        if "picture" not in arrays:
            continue  # there are no co-clusters; the file says why
        about = {"item": item, **details, "method": block["method"], "run": int(arrays["run"])}
        rows["pictures"].append({**about, **_pixels(arrays)})
        rows["coclusters"] += [{**about, **cluster} for cluster in _clusters(arrays)]
        counted = neighbours.get(details["card"])
        if counted is not None and "vocabulary" in arrays and block.get("corpora"):
            counts, corpus = read_counts(counted)
            if counts is not None:
                found = _words(arrays, counts, block.get("neighbours", 5))
                rows["neighbours"] += [{**about, **word, "corpus": corpus} for word in found]
    return rows


def _pixels(arrays: dict) -> dict:
    """Return a picture as text: a byte per field, from empty (0) to the fullest (255).

    Square roots, so that thin co-clusters show beside full ones.
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
        # a word that the texts do not have stands behind all others
        order = np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")
        for place, i in enumerate(order, 1):
            score = None if np.isnan(scores[i]) else float(scores[i])
            about = {"cluster": cluster, "place": place, "word": words[i]}
            rows.append({**about, "npmi": score, "frequency": float(sums[i])})
    return rows


def answer_words(rows, records: dict[str, dict], datasets: dict[str, str]):
    """Yield (printed row, verdict, answer, reason) of printed words of co-clusters.

    A printed score belongs to a word of a co-cluster that nobody else has found: it could be
    answered on the paper's own data only.
    """
    for row in rows.itertuples():
        record = records[datasets[row.dataset]]
        if record["status"] != "ok":
            why = record.get("by_hand", "its data could not be had")
        else:
            why = "the co-cluster of this word cannot be told among ours"
        yield row, "unreachable", Answer("unreachable", why=why), why
