"""The words that factors put together: their coherence, their closeness, the best clusters."""

from pathlib import Path

import numpy as np
import pandas as pd

from recoco.coherence import WindowCounts, cluster_coherence, read_counts
from recoco.compare.verdicts import Answer
from recoco.config import Config
from recoco.store import read_arrays
from recoco.word_plan import word_settings, words_path

BINS = 20
SHOWN = 20  # words printed per cluster in the table; PMI is over all top words


def compare_words(
    config: Config, item: str, block: dict, words: set[Path], coherence: dict[str, Path]
) -> dict[str, list[dict]]:
    """Return the rows of an item that looks at words: clusters, coherence and cosines.

    Parameters
    ----------
    words : files that the stage ``words`` wrote
    coherence : card -> file of counted windows
    """
    rows: dict[str, list[dict]] = {"words": [], "coherence": [], "cosines": []}
    for setting, details in word_settings(config, block):
        path = words_path(setting)
        if path not in words:
            continue
        arrays = read_arrays(path)
        if "top_words" not in arrays:
            continue  # the method failed there; the file says why
        about = {"item": item, **details, "n_runs": len(arrays["criterion"])}
        rows["cosines"].append({**about, **_distribution(arrays["cosines"])})
        if details["card"] in coherence and "vocabulary" in arrays:
            counts, corpus = read_counts(coherence[details["card"]])
            if counts is None:
                continue
            clusters, summary = _coherence(arrays, counts)
            rows["words"] += [{"item": item, **details, **cluster} for cluster in clusters]
            rows["coherence"].append({**about, **summary, "corpus": corpus})
    return rows


def _distribution(cosines: np.ndarray) -> dict:
    values = np.clip(cosines[np.isfinite(cosines)], 0, 1)
    if not len(values):
        return {"pairs": 0}
    quantiles = np.percentile(values, [5, 25, 50, 75, 95])
    histogram, _ = np.histogram(values, bins=BINS, range=(0, 1))
    return {
        "pairs": len(values),
        "mean": float(values.mean()),
        **dict(zip(("q05", "q25", "median", "q75", "q95"), quantiles, strict=True)),
        "histogram": " ".join(map(str, histogram)),
    }


def _coherence(arrays: dict, counts: WindowCounts) -> tuple[list[dict], dict]:
    """Return the clusters of the run with the lowest criterion, and the mean over all runs."""
    terms = arrays["vocabulary"]
    per_run, per_run_seen, seen, found = [], [], 0, 0
    kept = int(np.argmin(arrays["criterion"]))
    clusters = []
    for run, tops in enumerate(arrays["top_words"]):
        scores, scores_seen = [], []
        for cluster, top in enumerate(tops):
            words = [str(terms[j]) for j in top]
            value, pairs, pairs_found = cluster_coherence(counts, words)
            seen, found = seen + pairs, found + pairs_found
            scores.append(value)
            scores_seen.append(cluster_coherence(counts, words, unseen=None).pmi)
            if run == kept:
                clusters.append(
                    {
                        "run": run,
                        "cluster": cluster,
                        "pmi": value,
                        "pairs": pairs,
                        "pairs_found": pairs_found,
                        "words": " ".join(words[:SHOWN]),
                    }
                )
        per_run.append(np.mean(scores))
        per_run_seen.append(np.mean(scores_seen))
    clusters.sort(key=lambda cluster: -cluster["pmi"])
    for place, cluster in enumerate(clusters, 1):
        cluster["place"] = place
    return clusters, {
        "pmi": float(np.mean(per_run)),
        "pmi_sd": float(np.std(per_run, ddof=1)) if len(per_run) > 1 else 0.0,
        "pmi_seen": float(np.mean(per_run_seen)),
        "clusters": len(clusters),
        "pairs": seen,
        "pairs_found": found,
    }


def answer_clusters(rows: pd.DataFrame, clusters: list[dict], coherence: list[dict]):
    """Yield (printed row, verdict, answer, reason) of a table of the best word clusters.

    The i-th printed cluster is answered by our i-th best. PMI depends on the texts that it is
    counted in, so no value is the paper's own: all are variants.
    """
    fewest: dict[str, int] = {}  # a table of clusters is of the first m, the number of classes
    for c in clusters:
        fewest[c["dataset"]] = min(
            c["column_clusters"], fewest.get(c["dataset"], c["column_clusters"])
        )
    ours = {
        (c["dataset"], c["method"], c["place"]): c
        for c in clusters
        if c["column_clusters"] == fewest[c["dataset"]]
    }
    corpus = {c["dataset"]: c["corpus"] for c in coherence}
    for place, row in enumerate(rows.itertuples(), 1):
        cluster = ours.get((row.dataset, row.method, place))
        if cluster is None:
            why = "the words, or texts to count them in, are not at hand"
            yield row, "unreachable", Answer("unreachable", why=why), why
            continue
        value, first = cluster["pmi"], ", ".join(cluster["words"].split()[:4])
        why = (
            f"{value:.2f} for our cluster at this place ({first}), counted in "
            f"{corpus[row.dataset]}; the paper counted in Wikipedia"
        )
        yield row, "variant", Answer("ok", value, None, None, None, 1, None, False, why=why), why
