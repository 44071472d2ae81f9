"""Clusters of words: their coherence, the closeness of their words, the best clusters."""

import numpy as np
import pandas as pd

from recoco.compare.answers import Answer
from recoco.compare.comparison import Comparison
from recoco.core.files import read_arrays
from recoco.items.kind import analysis_path
from recoco.items.words import word_settings, words_path
from recoco.metrics.coherence import WindowCounts, cluster_coherence, read_counts

BINS = 20
SHOWN = 20  # words printed per cluster in the table; PMI is over all top words


def compare_words(comparison: Comparison, name: str, item: dict) -> dict[str, list[dict]]:
    """Return the rows of an item about words: clusters, coherence and cosines."""
    rows: dict[str, list[dict]] = {"words": [], "coherence": [], "cosines": []}
    for setting, details in word_settings(comparison.config, item):
        path = words_path(comparison.key, setting)
        if path not in comparison.analyses:
            continue
        arrays = read_arrays(path)
        if "top_words" not in arrays:
            continue  # the method failed; the file contains the reason
        same = {"item": name, **details, "n_runs": len(arrays["criterion"])}
        rows["cosines"].append({**same, **_distribution(arrays["cosines"])})
        counted = analysis_path(comparison.key, "coherence", f"{details['card']}.npz")
        if counted in comparison.analyses and "vocabulary" in arrays:
            counts, corpus = read_counts(counted)
            if counts is None:
                continue
            clusters, summary = _coherence(arrays, counts)
            rows["words"] += [{"item": name, **details, **cluster} for cluster in clusters]
            rows["coherence"].append({**same, **summary, "corpus": corpus})
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
    per_run, per_run_seen, all_pairs, all_found = [], [], 0, 0
    kept = int(np.argmin(arrays["criterion"]))
    clusters = []
    for run, tops in enumerate(arrays["top_words"]):
        scores, scores_seen = [], []
        for cluster, top in enumerate(tops):
            words = [str(terms[j]) for j in top]
            value, pairs, pairs_found = cluster_coherence(counts, words)
            all_pairs, all_found = all_pairs + pairs, all_found + pairs_found
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
        "pairs": all_pairs,
        "pairs_found": all_found,
    }


def answer_clusters(rows: pd.DataFrame, clusters: list[dict], coherence: list[dict]):
    """Yield (printed row, verdict, answer, reason) of a table of the best word clusters.

    The i-th printed cluster is compared with our i-th best. PMI depends on the texts that pairs
    are counted in, and ours are not the paper's, so all values are variants.
    """
    # papers print the clusters of the smallest m, the number of classes: it replaces larger ones
    ordered = sorted(clusters, key=lambda c: -c["column_clusters"])
    smallest = {c["dataset"]: c["column_clusters"] for c in ordered}
    ours = {
        (c["dataset"], c["method"], c["place"]): c
        for c in clusters
        if c["column_clusters"] == smallest[c["dataset"]]
    }
    corpus = {c["dataset"]: c["corpus"] for c in coherence}
    for place, row in enumerate(rows.itertuples(), 1):
        cluster = ours.get((row.dataset, row.method, place))
        if cluster is None:
            why = "the words, or texts to count them in, are not available"
            yield row, "unreachable", Answer("unreachable", why=why), why
            continue
        value, first = cluster["pmi"], ", ".join(cluster["words"].split()[:4])
        why = (
            f"{value:.2f} for our cluster at this place ({first}), counted in "
            f"{corpus[row.dataset]}; the paper counted in Wikipedia"
        )
        yield row, "variant", Answer("ok", value, runs=1, why=why), why
