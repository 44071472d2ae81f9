"""Made-up sweeps, clusters of words and cosines of the WC-NMTF paper, for tests of the report."""

from pathlib import Path

import numpy as np

from report_frames import write_frame

WORD_CARDS = {
    "CSTR": "cstr",
    "CLASSIC4": "classic4",
    "NG20": "ng20",
    "TREC": "trec",
    "LA Times": "la12",
}
CLASSES = {"cstr": 4, "classic4": 4, "ng20": 20, "trec": 10, "la12": 6}
FRAMES = ("sweeps", "words", "coherence", "cosines", "densities")
METHODS = {
    name: name.lower().replace("-", "")
    for name in (*("Skmeans", "NMF", "ONMF", "PNMF", "GNMF", "NMTF", "ONMTF", "GNMTF", "WC-NMTF"),)
}
_WEIGHTINGS = {"tfidf-l2": "tfidf-l2"}
_SCORES = {"datasets": WORD_CARDS, "weightings": _WEIGHTINGS, "metrics": ["nmi", "ari"]}
_WITHOUT_CSTR = {name: card for name, card in WORD_CARDS.items() if name != "CSTR"}
_WORDS = {
    "datasets": _WITHOUT_CSTR,
    "weightings": _WEIGHTINGS,
    "methods": {"NMTF": "nmtf", "WC-NMTF": "wcnmtf"},
    "runs": 5,
    "corpora": ["bbcraw"],
}
LAMBDAS = [0, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000]
COLUMNS = [50, 100, 200, 300]
WCNMTF = {
    "key": "wcnmtf",
    "title": "Word Co-Occurrence Regularized Non-Negative Matrix Tri-Factorization",
    "authors": "Aghiles Salah, Melissa Ailem, Mohamed Nadif",
    "venue": "AAAI",
    "year": 2018,
    "runs": 50,
    "items": {
        "table1": {"kind": "characteristics", "title": "Table 1, datasets", "datasets": WORD_CARDS},
        "figure2": {
            "kind": "figure",
            "title": "Figure 2, vocabulary sizes and gains",
            "draw": "vocabulary_sizes",
            "of": "table2",
        },
        "table2": {
            "kind": "scores",
            "title": "Table 2, nine methods",
            "caption": "Made-up numbers.",
            "published": "table2",
            "methods": METHODS,
            **_SCORES,
            "choices": {
                "selection": {
                    "text": "What is one of the results that are averaged?",
                    "options": {
                        "single": {"text": "one start", "printed": True},
                        "oracle": {"text": "the best of all starts by the score itself"},
                    },
                },
                "data": {
                    "text": "Which documents are CSTR?",
                    "options": {
                        "card": {"text": "CSTR with 475 abstracts", "printed": True},
                        "file": {"text": "CSTR of the printed shape"},
                    },
                },
            },
        },
        "selection": {
            "kind": "figure",
            "title": "What a mean over 50 starts can hide",
            "draw": "selection_rules",
            "of": "table2",
        },
        "words": {
            "kind": "words",
            "title": "Table 3, the ten best word clusters",
            "caption": "Made-up words.",
            "published": "table3",
            "top": 30,
            "column_clusters": [None],
            **_WORDS,
        },
        "closeness": {
            "kind": "words",
            "title": "Figure 4, cosines of words",
            "column_clusters": [None, 50, 300],
            **_WORDS,
        },
        "densities": {
            "kind": "densities",
            "title": "Table 1, how full is the co-occurrence matrix",
            "datasets": WORD_CARDS,
            "shifts": [1, 2],
        },
        "figure3": {
            "kind": "figure",
            "title": "Figure 3, coherence",
            "draw": "coherence_bars",
            "of": "words",
        },
        "figure4": {
            "kind": "figure",
            "title": "Figure 4, cosines",
            "draw": "cosine_distributions",
            "of": "closeness",
        },
        "figure5": {
            "kind": "sweep",
            "title": "Figure 5, impact of λ",
            "caption": "Made-up numbers.",
            "method": "wcnmtf",
            "parameter": "lam",
            "values": LAMBDAS,
            "runs": 10,
            **_SCORES,
        },
        "figure6": {
            "kind": "sweep",
            "title": "Figure 6, impact of m",
            "method": "wcnmtf",
            "parameter": "n_column_clusters",
            "values": [None, *COLUMNS],
            "runs": 10,
            **_SCORES,
        },
    },
}
_STEMS = (
    *("armenia", "turk", "genocid", "radio", "output", "treatment", "diseas", "key", "secur"),
    *("hit", "basebal", "car", "ford", "window", "file", "team", "hockey", "god", "christian"),
    *("war", "peac", "drive", "disk", "space", "orbit", "gun", "law", "imag", "printer"),
)


def write_words(folder: Path, rng, missing: set[str]) -> None:
    """Write sweeps, words, coherence and cosines, as compare does, for the datasets at hand."""
    cards = {name: card for name, card in WORD_CARDS.items() if card not in missing}
    frames: dict[str, list] = {name: [] for name in FRAMES}
    for level, (name, card) in enumerate(cards.items()):
        where = {"dataset": name, "card": card}
        frames["sweeps"] += _sweep("figure5", where, "lam", LAMBDAS, 0.45 + 0.08 * level, rng)
        sizes = [CLASSES[card], *COLUMNS]
        frames["sweeps"] += _sweep(
            "figure6", where, "n_column_clusters", sizes, 0.6 + 0.05 * level, rng
        )
        frames["densities"] += _densities(where)
        if name == "CSTR":
            continue
        for method in ("NMTF", "WC-NMTF"):
            frames["words"] += _clusters("words", where, method, CLASSES[card], rng)
            for columns in (CLASSES[card], 50, 300):
                keys = {**where, "method": method, "column_clusters": columns}
                numbers = _coherence(name, method, columns, rng)
                frames["coherence"].append({"item": "words", **keys, **numbers})
                frames["cosines"].append(
                    {"item": "closeness", **keys} | _cosines(method, columns, rng)
                )
    for name, rows in frames.items():
        write_frame(folder / f"{name}.csv", rows)


def _sweep(item: str, where: dict, parameter: str, values, level: float, rng) -> list[dict]:
    rows = []
    for metric, factor in (("nmi", 1.0), ("ari", 0.8)):
        for value in values:
            gain = 0.12 * (value >= 0.01) if parameter == "lam" else -0.0002 * value
            measured = factor * (level + gain) + float(rng.normal(0, 0.005))
            rows.append(
                {"item": item, **where, "weighting": "tfidf-l2", "method": "WC-NMTF"}
                | {"parameter": parameter, "value": f"{value:g}", "metric": metric}
                | {"measured": measured, "measured_sd": 0.02, "n_runs": 10}
            )
    return rows


def _clusters(item: str, where: dict, method: str, clusters: int, rng) -> list[dict]:
    pmi = np.sort(rng.uniform(0.8, 4.6, clusters))[::-1]
    return [
        {"item": item, **where, "method": method, "column_clusters": clusters, "run": 17}
        | {"place": place, "cluster": int(rng.integers(clusters)), "pmi": float(pmi[place - 1])}
        | {"pairs": 435, "pairs_found": 435 - 11 * place % 120}
        | {"words": " ".join(rng.permutation(_STEMS))}
        for place in range(1, clusters + 1)
    ]


def _densities(where: dict) -> list[dict]:
    return [
        {"item": "densities", **where, "count": count, "diagonal": diagonal, "shift": shift}
        | {"printed": "15.84" if where["dataset"] == "TREC" else ""}
        | {"measured": 15.836 if (count, diagonal, shift) == ("tfidf", False, 1) else 5.5 * shift}
        | {"agrees": (where["dataset"], count, diagonal, shift) == ("TREC", "tfidf", False, 1)}
        for count in ("binary", "tfidf")
        for diagonal in (True, False)
        for shift in (1, 2)
    ]


def _coherence(name: str, method: str, columns: int, rng) -> dict:
    level = 2.1 if method == "WC-NMTF" else 1.6
    corpus = "20 newsgroups, BBC and Reuters, 31 million words"
    if name == "NG20":
        corpus = "BBC and Reuters, 9 million words"
    return {
        "n_runs": 10,
        "pmi": level + float(rng.normal(0, 0.15)),
        "pmi_sd": 0.12,
        "clusters": columns,
        "pairs": 435 * columns,
        "pairs_found": int(435 * columns * rng.uniform(0.8, 0.99)),
        "corpus": corpus,
    }


def _cosines(method: str, columns: int, rng) -> dict:
    mode = (4.0, 2.0) if method == "WC-NMTF" else (1.5, 2.0 + columns / 100)
    values = rng.beta(*mode, 4350)
    low, first, middle, third, high = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
    counts, _ = np.histogram(values, bins=20, range=(0, 1))
    return {
        "n_runs": 10,
        "pairs": len(values),
        "mean": float(values.mean()),
        **{"q05": low, "q25": first, "median": middle, "q75": third, "q95": high},
        "histogram": " ".join(str(n) for n in counts),
    }
