"""Made-up gains, base co-clusterings and co-clusters of the EBCO paper, for tests of the report."""

import base64
from pathlib import Path

import numpy as np

from report_frames import write_frame

_CARDS = {"LA12": "la12", "CLASSIC4": "classic4", "CSTR": "cstr"}
_SOME = {"PUBMED10": "pubmed10", "CLASSIC4": "classic4", "CSTR": "cstr"}
_PLAIN = {"datasets": _CARDS, "weightings": {"tfidf": "tfidf-l2"}}
THRESHOLDS = [0.95, 0.8, 0.5, 0]
CLASSES = ["cacm", "cisi", "cranfield", "medline"]
EBCO = {
    "key": "ebco",
    "title": "Ensemble Block Co-clustering",
    "authors": "Séverine Affeldt, Lazhar Labiod, Mohamed Nadif",
    "venue": "CIKM",
    "year": 2020,
    "runs": 10,
    "items": {
        "table2": {"kind": "scores", "title": "Table 2, five methods", "metrics": ["nmi", "ari"]},
        "gains": {
            "kind": "gains",
            "title": "Section 6.4, mean gain",
            "published": "text-6.4",
            "of": "table2",
            "over": "EBCO",
        },
        "figure2": {
            "kind": "figure",
            "title": "Figure 2, EBCO against CoCE",
            "draw": "score_bars",
            "of": "table2",
            "methods": {"CoCE": "coce", "EBCO": "ebco"},
            **_PLAIN,
        },
        "figure3a": {
            "kind": "sweep",
            "title": "Figure 3 (a), modularity of the bases",
            "draw": "modularity_curve",
            "method": "ebco",
            "parameter": "n_clusters",
            "inside": "base",
            "values": list(range(2, 26)),
            "metrics": ["base_modularity", "base_modularity_M"],
            **_PLAIN,
            "datasets": {"CLASSIC4": "classic4"},
        },
        "figure3": {
            "kind": "sweep",
            "title": "Figure 3, scores by partial collection",
            "draw": "threshold_curves",
            "method": "ebco",
            "parameter": "threshold",
            "inside": "threshold",
            "values": THRESHOLDS,
            "metrics": ["nmi_arithmetic", "ari", "threshold_smallest", "threshold_largest"],
            **_PLAIN,
        },
        "table3": {"kind": "scores", "title": "Table 3, number of clusters inferred"},
        "figure4": {
            "kind": "figure",
            "title": "Figure 4, reorganised matrices",
            "draw": "reordered_matrices",
            "of": "table4",
        },
        "table4": {
            "kind": "coclusters",
            "title": "Table 4, words and their NPMI",
            "published": "table4",
            "method": "ebco",
            "fewer": 2,
            "corpora": ["bbcraw"],
            **_PLAIN,
            "datasets": _SOME,
        },
        "figure5": {
            "kind": "figure",
            "title": "Figure 5, topics",
            "draw": "topic_shares",
            "of": "table4",
        },
    },
}
FRAMES = ("gains", "sweeps", "coclusters", "neighbours", "pictures", "extra")


def write_ensembles(folder: Path, rng) -> None:
    """Write what compare writes beside the cells; nothing of PUBMED10 and LA12."""
    frames: dict[str, list] = {name: [] for name in FRAMES}
    frames["gains"] = [
        {"item": "gains", "dataset": dataset, "method": method, "metric": metric}
        | {"printed": 0.11, "measured": "" if dataset == "LA12" else 0.2}
        for dataset in ("LA12", "CSTR")
        for method in ("DCC", "CROINFO")
        for metric in ("nmi", "ari")
    ]
    frames["extra"] = [
        {"item": "table2", "dataset": "CSTR", "card": "cstr", "weighting": "tfidf"}
        | {"method": "CoCE", "metric": metric, "combination": "single+l2"}
        | {"measured": 0.6, "measured_sd": 0.02, "n_runs": 10}
        for metric in ("nmi", "ari")
    ]
    for metric in ("base_modularity", "base_modularity_M"):
        for g in range(2, 26):
            level = 0.4 - 0.01 * abs(g - 5)
            frames["sweeps"].append(_step("figure3a", "CLASSIC4", "n_clusters", g, metric, level))
    for value in THRESHOLDS:
        for metric, level in (("nmi_arithmetic", 0.7), ("ari", 0.6)):
            level += 0.05 * float(rng.random())
            frames["sweeps"].append(_step("figure3", "CSTR", "threshold", value, metric, level))
        if value:
            for end, level in (("smallest", 3), ("largest", 9)):
                name = f"threshold_{end}"
                frames["sweeps"].append(_step("figure3", "CSTR", "threshold", value, name, level))
    for asked in (4, 3, 2):
        _coclusters(frames, asked, rng)
    for name, rows in frames.items():
        write_frame(folder / f"{name}.csv", rows)


def _step(item, dataset, parameter, value, metric, level) -> dict:
    where = {"item": item, "dataset": dataset, "card": dataset.lower(), "weighting": "tfidf"}
    where |= {"method": "ebco", "parameter": parameter, "value": f"{value:g}", "metric": metric}
    return where | {"measured": level, "measured_sd": 0.01, "n_runs": 10}


def _coclusters(frames: dict, asked: int, rng) -> None:
    about = {"item": "table4", "dataset": "CLASSIC4", "card": "classic4", "method": "ebco"}
    about |= {"asked": asked, "run": 1}
    documents = rng.integers(0, 900, (asked, len(CLASSES)))
    for k in range(asked):
        sizes = {"cluster": k + 1, "documents": int(documents[k].sum()), "words": 1000}
        for c, name in enumerate(CLASSES):
            share = {"class": name, "of_class": int(documents[k, c])}
            frames["coclusters"].append({**about, **sizes, **share})
        for place, word in enumerate(("heart", "wing", "flow <b>"), 1):
            said = {"cluster": k + 1, "place": place, "word": word, "frequency": 30}
            npmi = {"npmi": "" if place == 3 else 0.4 - 0.1 * place, "corpus": "made-up texts"}
            frames["neighbours"].append({**about, **said, **npmi})
    shades = np.zeros((20, 30), np.uint8)
    borders = [0, *(int(x) for x in np.cumsum(documents.sum(axis=1)))]
    shades[:10, :15] = 255
    frames["pictures"].append(
        {**about, "rows": borders[-1], "columns": 1000 * asked}
        | {"row_borders": " ".join(map(str, borders))}
        | {"column_borders": " ".join(str(1000 * k) for k in range(asked + 1))}
        | {"height": 20, "width": 30}
        | {"pixels": base64.b64encode(shades.tobytes()).decode("ascii")}
    )
