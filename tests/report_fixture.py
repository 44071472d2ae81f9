"""Made-up compare outputs for tests of the report: plausible in shape, never a result."""

import json
import math
import shutil
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from recoco.compare.published import read_published
from report_ensembles import EBCO, write_ensembles
from report_frames import write_frame
from report_papers import CARDS, COCLUS
from report_words import WCNMTF, WORD_CARDS, write_words

CONFIG = Path(__file__).resolve().parents[1] / "config"
CARD_OF = CARDS | WORD_CARDS
NONZEROS = {card: 1000 * 2**place for place, card in enumerate(CARD_OF.values())}
MISSING = {"webkb4", "rcv1", "la12"}
OTHER_PREPARATION = {"ng20"}
PAPERS = {paper["key"]: paper for paper in (COCLUS, WCNMTF, EBCO)}
COMBINATIONS = [
    (selection, rows) for selection in ("single", "best-of-n", "oracle") for rows in ("l2", "l1")
]
TEXTS = {
    "single": "one random start",
    "best-of-n": "the best of n starts by the criterion",
    "oracle": "only the best of all starts by the score itself",
    "l2": "Euclidean norm",
    "l1": "sum",
    "card": "CSTR with 475 abstracts",
    "file": "CSTR of the printed shape",
}


def make(folder: Path, papers=("coclus", "wcnmtf", "ebco"), reason="") -> dict:
    """Write inputs below ``folder`` and return the arguments of `recoco.report.render`."""
    folder = Path(folder)
    rng = np.random.Generator(np.random.PCG64(2015))
    config = folder / "config"
    shutil.copytree(CONFIG / "published", config / "published")
    (config / "papers").mkdir()
    for key in papers:
        # Datasets that items share would otherwise be written as aliases.
        text = yaml.safe_dump(json.loads(json.dumps(PAPERS[key])), sort_keys=False)
        (config / "papers" / f"{key}.yaml").write_text(text, encoding="utf-8")
    _errata(config / "published" / "errata.csv")
    (config / "methods.yaml").write_text("coclus: {params: {max_iter: 77}}\n", encoding="utf-8")
    shutil.copyfile(CONFIG / "method_cards.yaml", config / "method_cards.yaml")
    published = read_published(config / "published" / "published.csv")
    compare = {}
    for key in papers:
        compare[key] = folder / "compare" / key
        compare[key].mkdir(parents=True)
        rows = published[published["paper"] == key]
        _paper(compare[key], rows, PAPERS[key], rng, reason)
    scores = _scores(folder / "scores", published)
    characteristics = _characteristics(folder / "prepared", rng)
    return {
        "compare_dirs": compare,
        "scores": scores,
        "characteristics": characteristics,
        "provenance": _provenance(folder / "provenance.json"),
        "config_dir": config,
        "out_dir": folder / "reports",
        "timings": _timings(folder / "timings.csv"),
    }


def _trial(card, weighting, method, selection, rows) -> str:
    weighting = f"{weighting}-{rows}" if card in {"sports", "reviews"} else weighting
    return f"{card}/{weighting}/{method.lower()}" + (",n_init=20" * (selection == "best-of-n"))


def _paper(folder: Path, published: pd.DataFrame, config: dict, rng, reason: str) -> None:
    cells, measures, nulls, extra, consensus = [], [], [], [], []
    # The second choice of one paper is a norm, that of the other the data themselves.
    combinations = COMBINATIONS if config["key"] == "coclus" else [("single", "l2")]
    second = "rows"
    if config["key"] == "wcnmtf":
        combinations = [("single", "card"), ("single", "file"), ("oracle", "card")]
        second = "data"
    answered = {block.get("published", item) for item, block in config["items"].items()}
    for row in published.to_dict("records"):
        if row["item"] not in answered:
            continue
        cells.append(_cell(row, combinations, measures, rng, reason))
        if row["metric"] in {"acc", "nmi"} and row["method"] == "Coclus":
            _companions(row, nulls, extra, consensus, rng)
    write_frame(folder / "cells.csv", cells)
    write_frame(folder / "measures.csv", measures)
    items = [i for i, block in config["items"].items() if block["kind"] == "scores"]
    write_frame(
        folder / "combinations.csv",
        [
            {
                "item": item,
                "combination": f"{selection}+{rows}",
                "text": f"{TEXTS[selection]}; {TEXTS[rows]}",
                "printed": (selection, rows) == combinations[0],
                "best": (selection, rows) in {("best-of-n", "l2"), ("single", "file")},
                "cells_within": 40 + 13 * (selection == "best-of-n") - 3 * (rows == "l1"),
                "cells_compared": 120,
                "choice_selection": selection,
                f"choice_{second}": rows,
            }
            for item in items
            for selection, rows in combinations
        ],
    )
    if config["key"] == "ebco":
        write_ensembles(folder, rng)
        return
    write_frame(folder / "claims.csv", _claims(config["key"]))
    write_frame(folder / "characteristics.csv", _printed_characteristics(config["key"]))
    if config["key"] == "wcnmtf":
        write_words(folder, rng, MISSING)
        write_frame(folder / "nulls.csv", _any_nulls(set(WORD_CARDS) - {"LA Times"}))
        return
    write_frame(folder / "nulls.csv", nulls)
    write_frame(folder / "extra.csv", extra)
    write_frame(folder / "consensus.csv", consensus)


def _starts(row: dict) -> np.ndarray:
    """Return 100 made-up single starts that now and then end in a poor optimum."""
    name = ":".join(row[c] for c in ("dataset", "weighting", "method", "metric"))
    rng = np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))
    value = float(row["value"])
    poor = rng.random(100) < rng.choice([0.0, 0.3, 0.6])
    good = rng.normal(value + rng.choice([0.0, 0.0, 0.06, -0.07]), 0.008, 100)
    return np.where(poor, good - rng.normal(0.18, 0.05, 100), good).clip(0.003, 0.995)


def _numbers(row: dict, selection: str, rng) -> tuple[float, float]:
    """Return made-up mean and deviation of a cell under a selection rule."""
    if row["metric"].startswith("pvalue"):
        return float(rng.choice([2e-9, 0.0004, 0.03, 0.41])), math.nan
    if row["metric"] not in {"acc", "nmi"} or not row["value"]:
        spread = math.nan if row["metric"].endswith("_best") else 0.01
        return float(row["value"] or "nan") + float(rng.normal(0, 0.02)), spread
    starts = _starts(row)
    if selection == "oracle":
        return float(starts.max()), 0.0
    if selection == "best-of-n":
        starts = starts.reshape(5, 20).max(axis=1) - 0.004
    return float(starts.mean()), float(starts.std(ddof=1))


def _cell(row: dict, combinations, measures: list, rng, reason: str) -> dict:
    card = CARD_OF.get(row["dataset"], row["dataset"].lower())
    value = float(row["value"] or "nan")
    reachable = card not in MISSING
    found = {}
    for selection, rows in combinations:
        measured, deviation = _numbers(row, selection, rng)
        numbers = {
            "measured": measured,
            "measured_sd": deviation,
            "ci_low": measured - 0.2 * deviation,
            "ci_high": measured + 0.2 * deviation,
            "n_runs": 100,
        }
        if not reachable:
            numbers = dict.fromkeys(numbers, "")
        within = reachable and abs(measured - value) <= 0.02
        found[selection, rows] = {**numbers, "tolerance": 0.02, "within": within}
        measures.append(
            {
                "cell": row["cell"],
                "combination": f"{selection}+{rows}",
                "status": "ok" if reachable else "unreachable",
                "trial": _trial(card, row["weighting"], row["method"], selection, rows),
                **found[selection, rows],
            }
        )
    used = next((key for key, numbers in found.items() if numbers["within"]), combinations[0])
    measured = found[used]["measured"]
    if not reachable:
        verdict = "unreachable"
    elif card in OTHER_PREPARATION:
        verdict = "variant"
    elif found[used]["within"]:
        verdict = "reproduced" if used == combinations[0] else "explained"
    else:
        verdict = "better" if measured > value else "worse"
    return {
        "cell": row["cell"],
        "card": card,
        **{key: row[key] for key in ("paper", "item", "dataset", "weighting", "method", "metric")},
        "printed": row["value"],
        "printed_sd": row["sd"],
        "printed_note": row["note"],
        **found[used],
        "difference": "" if measured == "" else measured - value,
        "combination": "+".join(used),
        "combination_text": f"{TEXTS[used[0]]}; {TEXTS[used[1]]}",
        "verdict": verdict,
        "reason": reason or f"Made up for a test, so that it is called {verdict}.",
    }


def _companions(row: dict, nulls: list, extra: list, consensus: list, rng) -> None:
    where = {key: row[key] for key in ("item", "dataset", "weighting", "metric")}
    card = row["dataset"].lower()
    if card in MISSING:
        return
    if row["weighting"] == "binary":
        for null in ("null", "null-sorted"):
            level = float(rng.uniform(0.02, 0.3))
            nulls.append({**where, "null": null, "measured": level, "measured_sd": 0.011})
            nulls[-1]["n_runs"] = 100
    for selection, rows in COMBINATIONS:
        extra.append(
            {**where, "card": card, "method": "Spec", "combination": f"{selection}+{rows}"}
            | {"measured": 0.8 * float(row["value"]), "measured_sd": 0.03, "n_runs": 100}
        )
    if row["metric"] == "acc":
        consensus.append(
            {"dataset": row["dataset"], "weighting": row["weighting"], "method": "Coclus"}
            | {"combination": "single+l2", "runs": 100, "acc": float(row["value"])}
            | {"nmi": 0.7, "ari": 0.65, "mean_agreement": float(rng.uniform(0.5, 1))}
        )


def _any_nulls(datasets) -> list[dict]:
    """Return null models as compare writes them: one number for every weighting."""
    return [
        {"item": "table2", "dataset": dataset, "weighting": "any", "null": null, "metric": metric}
        | {"measured": 0.0321, "measured_sd": 0.004, "n_runs": 50}
        for dataset in sorted(datasets)
        for null in ("null", "null-sorted")
        for metric in ("nmi", "ari")
    ]


def _scores(folder: Path, published: pd.DataFrame) -> list[Path]:
    folder.mkdir()
    rows = published[(published["paper"] == "coclus") & (published["metric"] == "acc")]
    paths = []
    for name, card in CARDS.items():
        if card in MISSING:
            continue
        frames = []
        for row in rows[rows["dataset"] == name].to_dict("records"):
            trial = _trial(card, row["weighting"], row["method"], "single", "l2").split("/")
            frames.append(
                pd.DataFrame(
                    {"dataset": card, "weighting": trial[1], "method": row["method"].lower()}
                    | {"slug": trial[2], "params": "{}", "kind": "run", "run": range(100)}
                    | {"status": "ok", "acc": _starts(row), "nmi": 0.8 * _starts(row)}
                )
            )
        paths.append(folder / f"{card}.parquet")
        pd.concat(frames).to_parquet(paths[-1], index=False)
    return paths


def _characteristics(folder: Path, rng) -> list[Path]:
    folder.mkdir()
    printed = pd.read_csv(CONFIG / "published" / "datasets.csv", dtype=str, keep_default_na=False)
    paths = []
    for name, card in CARD_OF.items():
        rows = printed[printed["dataset"] == name]
        said = {row["paper"]: row for row in rows.to_dict("records")}
        content = {"dataset": card, "title": name, "printed": said, "status": "ok"}
        if card in MISSING:
            content |= {
                "status": "unreachable",
                "by_hand": "Ask the holder of the corpus, then put the files into the mirror.",
                "tried": [{"source": "mirror", "error": "not there"}],
            }
        else:
            median = float(rng.uniform(40, 300))
            five = {
                "min": 1.0,
                "whisker_low": 2.0,
                "q1": median * 0.6,
                "median": median,
                "q3": median * 1.7,
                "whisker_high": median * 3,
                "max": median * float(rng.uniform(4, 40)),
            }
            row = said.get("coclus") or said["wcnmtf"]
            content |= {
                "rows": int(row["documents"]),
                "columns": [int(row["words"])],
                "nonzeros": [NONZEROS[card]],
                "classes": int(row["clusters"]),
                "class_sizes": {"first class": 120, "second class": 80},
                "sparsity_percent": 98.7654,
                "balance": float(row["balance"]),
                "empty_rows": 3 * (card == "ng20"),
                "empty_columns": 0,
                "dropped": ["2 documents without a class are left out."] * (card == "ng20"),
                "source": {"kind": "mirror", "where": "shared/datasets beside the checkout"},
                "variant": {
                    paper: {"*": "Another preparation of the same corpus."}
                    for paper in ("coclus", "wcnmtf")
                    if card in OTHER_PREPARATION
                },
                "document_sizes": {"sums": five, "nonzeros": five},
            }
        paths.append(folder / f"{card}.json")
        paths[-1].write_text(json.dumps(content), encoding="utf-8")
    return paths


def _printed_characteristics(paper: str) -> list[dict]:
    printed = pd.read_csv(CONFIG / "published" / "datasets.csv", dtype=str, keep_default_na=False)
    rows = []
    for row in printed[printed["paper"] == paper].to_dict("records"):
        card = CARD_OF[row["dataset"]]
        density = "sparsity_percent" if paper == "coclus" else "nonzero_percent"
        for kind in ("documents", "words", "clusters", density, "balance"):
            agrees = not (card == "classic3" and kind == "sparsity_percent")
            rows.append(
                {
                    "paper": paper,
                    "dataset": row["dataset"],
                    "card": card,
                    "characteristic": kind,
                    "printed": row[kind],
                    "measured": "" if card in MISSING else row[kind] if agrees else 98.951,
                    "agrees": agrees and card not in MISSING,
                    "note": "" if agrees else "another paper prints 98.95",
                }
            )
    return rows


def _claims(paper: str) -> list[dict]:
    letter = {"coclus": "C", "wcnmtf": "W"}[paper]
    outcomes = {f"{letter}1": "holds", f"{letter}2": "partly", f"{letter}3": "fails"}
    return [
        {
            "id": key,
            "claim": f"Made-up claim {key} about Coclus & SpecCo",
            "outcome": outcome,
            "evidence": "Coclus is higher in 50 of 60 made-up comparisons.",
            "scope": "10 datasets",
        }
        for key, outcome in outcomes.items()
    ]


def _errata(path: Path) -> None:
    write_frame(
        path,
        [
            {
                "id": "coclus-1",
                "paper": "coclus",
                "item": "example-5x4",
                "where": "A^W - delta^W, entry (4,1)",
                "printed": "0.4",
                "correct": "0.6",
                "evidence": "Computed from the printed matrix; all Q values are right.",
                "kind": "misprint",
            }
        ],
    )


def _provenance(path: Path) -> Path:
    content = {
        "commit": "0" * 40,
        "dirty": False,
        "lock_sha256": "a" * 64,
        "master_seed": 2015,
        "python": "3.11",
        "packages": {"numpy": "2.0", "scipy": "1.13"},
        "machine": {"cpu": "made up", "cores": 2, "memory_gib": 8, "system": "none"},
        "stages": [
            {"stage": "run", "jobs": 120, "seconds": 80.25},
            {"stage": "score", "jobs": 8, "seconds": 9.5},
        ],
        "data": [{"dataset": "cstr", "status": "ok", "source": "mirror", "sha256": ["b" * 64]}],
        "data_mode": "Made-up numbers for tests, not results: 8 of 10 datasets at hand.",
        "runs": "Each cell says on how many runs it stands; most stand on 100.",
        "fingerprints": {"coclus": "c" * 16},
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def _timings(path: Path) -> Path:
    rows = [
        {"stage": "run", "name": f"cstr/binary/coclus/{i}", "seconds": 1.5 * i, "jobs": 1}
        for i in range(20)
    ]
    # Blocks of runs on datasets of all sizes: 1 s before anything is computed, then as n^0.8.
    for card in sorted(set(CARDS.values()) - MISSING):
        for method in ("coclus", "specco,unit=rows"):
            for first, last in ((0, 5), (5, 100)):
                seconds = 1 + (last - first) * 0.01 * NONZEROS[card] ** 0.8
                block = {"name": f"{card}/binary/{method}/{first}-{last}", "seconds": seconds + 2}
                rows.append({"stage": "runs", **block, "jobs": 1, "computing": seconds})
    write_frame(path, rows)
    return path
