"""Scores of every run of a made-up leaderboard, and what compare makes of them."""

import contextlib
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

from recoco.compare.comparison import Comparison, Findings
from recoco.config import Config, load_config
from recoco.core.files import write_json
from recoco.items import check_items
from recoco.items.kind import analysis_path, readings_path
from recoco.items.leaderboard.compare import compare_leaderboard
from recoco.items.leaderboard.entries import entries_of

RUNS = 6
# How good each method is, how much its starts differ, and the seconds of a run.
METHODS = {"CoClus": (0.8, 0.02, 0.1), "DCC": (0.7, 0.05, 0.4), "SpecCo": (0.6, 0.0, 0.2)}
METHODS |= {"Broken": (0.0, 0.0, 0.1), "EBCO": (0.9, 0.01, 9.0)}
KEYS = {"CoClus": "coclus", "DCC": "dcc", "SpecCo": "specco", "Broken": "spec", "EBCO": "ebco"}
CARDS = {"CSTR": "cstr", "NG2": "ng2", "TR12": "tr12", "TR23": "tr23", "OH0": "oh0", "WAP": "wap"}
BLOCK = {
    "kind": "leaderboard",
    "title": "All on all",
    "caption": "Made up.",
    "datasets": {**CARDS, "GONE": "sports"},
    "weightings": {"tfidf-l2": "tfidf-l2", "count": "count"},
    "methods": KEYS,
    "metrics": ["nmi", "acc"],
    "nulls": ["null"],
    "starts": {"ebco": 2},
    # WAP has 220,482 non-zeros
    "limits": {"dcc": {"nonzeros": 200_000}, "ebco": {"nonzeros": 60_000, "classes": 9}},
    "fusions": ["cspa", "ebco"],
}
PAPER = {"key": "board", "title": "A made-up benchmark", "runs": RUNS}
PAPER |= {"items": {"all": BLOCK}}
check_items(PAPER["items"], "board_scores.py")
PRINTED = {
    "specco": {
        **{"key": "specco", "title": "One", "venue": "V", "year": 2001},
        "tables": {
            "t": {
                "published": "t",
                "datasets": {"CSTR": "cstr", "NG2": "ng2"},
                "weightings": {"tfidf": "tfidf-l2"},
                "methods": {"Mine": "specco", "Other": "coclus", "Third": "dcc"},
                "metrics": ["nmi"],
            }
        },
    }
}


def quality(dataset: str, weighting: str, method: str) -> float:
    """Return how good a method is on a dataset; on counts all is a little worse."""
    level = METHODS[method][0] - 0.1 * (weighting == "count")
    return level + 0.001 * (zlib.crc32(f"{dataset} {method}".encode()) % 20)


def runs_of(config: Config) -> pd.DataFrame:
    """Return a row per run; the criterion says which start is the best."""
    rows, seen = [], set()
    for entry in entries_of(config, PAPER, BLOCK):
        if entry.too_large or entry.card == "sports" or entry.setting in seen:
            continue
        seen.add(entry.setting)
        rng = np.random.Generator(np.random.PCG64(zlib.crc32(entry.setting.name.encode())))
        for run in range(entry.runs):
            row = {
                "dataset": entry.card,
                "weighting": entry.setting.weighting,
                "method": entry.setting.method,
                "slug": entry.setting.slug,
                "params": "{}",
                "kind": "run",
                "run": run,
                "seed": f"{rng.integers(2**62):032x}",
                "status": "ok",
                "error": "",
                "n_iter": 7,
                "n_clusters": 4,
            }
            if entry.method == "Broken":
                row |= {"status": "failed", "error": "LinAlgError: no convergence"}
            elif entry.method == "null":
                row |= {"criterion": 0.0, "nmi": 0.01, "acc": 0.2, "ari": 0.0}
            else:
                level = quality(entry.dataset, entry.setting.weighting, entry.method)
                score = level + METHODS[entry.method][1] * (run - (entry.runs - 1) / 2)
                row |= {"criterion": float(run), "nmi": score, "acc": score, "ari": score - 0.1}
            rows.append(row)
    return pd.DataFrame(rows)


def records() -> dict[str, dict]:
    known = {}
    for place, card in enumerate(CARDS.values()):
        known[card] = {"status": "ok", "rows": 100 * (place + 1), "classes": 2 + place}
        known[card] |= {"balance": 0.1 * (place + 1), "sparsity_percent": 99.0 - place}
    known["sports"] = {"status": "unreachable", "by_hand": "Ask its authors."}
    return known


def fusions(folder: Path, config: Config) -> list[Path]:
    """Write consensus and seconds as the analysis would; return their paths in the project."""
    paths = []
    for name, card in CARDS.items():
        rows, seconds = [], {}
        for weighting in BLOCK["weightings"]:
            about = {"item": "all", "weighting": weighting}
            for run in ("0", "1", "best"):
                score = quality(name, weighting, "CoClus") + 0.05 + 0.01 * (run == "best")
                told = {"status": "ok", "error": "", "nmi": score, "acc": score, "ari": score}
                rows.append({**about, "function": "cspa", "run": run, **told})
                said = {"status": "failed", "error": "1 co-clusterings to fuse"}
                rows.append({**about, "function": "ebco", "run": run, **said})
            seconds[f"all/{weighting}/cspa"] = [3.0, 3]
        for entry in entries_of(config, PAPER, BLOCK):
            if entry.card == card and entry.method in METHODS:
                spent = METHODS[entry.method][2] * entry.runs
                seconds[entry.setting.name] = [spent, entry.runs]
        paths.append(analysis_path("board", "fusions", f"{card}.json"))
        write_json(folder / paths[-1], rows)
        write_json(folder / readings_path(paths[-1]), seconds)
    return paths


def compared(folder: Path):
    """Return the board and all rows that compare makes of it."""
    known = load_config()
    config = Config(known.settings, known.methods, {"board": PAPER})
    found = Findings([], [], fusions(folder, config))
    runs = runs_of(config)
    comparison = Comparison(config, "board", found, folder, pd.DataFrame(), runs, records())
    with contextlib.chdir(folder):  # results are found from the project folder
        return *compare_leaderboard(comparison, "all", BLOCK), runs


def printed(order=(0.9, 0.6, 0.3)) -> pd.DataFrame:
    """Return a printed table in which the first method is the best, or as said."""
    return pd.DataFrame(
        {"paper": "specco", "item": "t", "dataset": dataset, "weighting": "tfidf", "method": method}
        | {"metric": "nmi", "value": str(value)}
        for dataset in ("CSTR", "NG2")
        for method, value in zip(("Mine", "Other", "Third"), order, strict=True)
    )
