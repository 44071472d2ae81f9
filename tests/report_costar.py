"""Made-up compare outputs of the CoStar paper for tests of the report, ranks excepted."""

import shutil
from pathlib import Path

import pandas as pd

import report_fixture
from recoco.compare.outputs import OUTPUTS
from recoco.compare.published import read_published
from recoco.compare.rankings import (
    FAVOURED,
    MEASURED,
    PRINTED,
    Source,
    answer_ranks,
    compare_ranks,
    printed_scores,
)
from recoco.compare.ranks import rank_methods
from recoco.schema import read_yaml

CONFIG = report_fixture.CONFIG
READINGS = ("as printed", "empty features dropped")
COMBINATION = "all+sum+keep"


def make(folder: Path) -> dict:
    """Write inputs below ``folder`` and return the arguments of `recoco.report.render`."""
    inputs = report_fixture.make(folder, papers=("coclus",))
    place = Path(inputs["config_dir"]) / "papers" / "costar.yaml"
    shutil.copy(CONFIG / "papers" / "costar.yaml", place)
    out = folder / "compare" / "costar"
    out.mkdir(parents=True)
    paper = read_yaml(place)
    published = read_published(CONFIG / "published" / "published.csv")
    frames = _frames(paper, published[published["paper"] == "costar"])
    for name, columns in OUTPUTS.items():
        columns = [column for column in columns if column != "choice_*"]
        pd.DataFrame(frames.get(name, [])).reindex(columns=columns).to_csv(
            out / f"{name}.csv", index=False, lineterminator="\n"
        )
    inputs["compare_dirs"]["costar"] = out
    return inputs


def _frames(paper: dict, printed: pd.DataFrame) -> dict[str, list[dict]]:
    frames: dict[str, list[dict]] = {"cells": [], "measures": []}
    block = paper["items"]["figure12"]
    sources = []
    for metric, scores in printed_scores(paper, printed).items():
        favoured = scores.assign(CoStar=scores["CoStar"] + 1e-6)
        sources.append(Source(PRINTED, "", metric, rank_methods(scores)))
        sources.append(Source(FAVOURED, "", metric, rank_methods(favoured)))
        sources.append(Source(MEASURED, COMBINATION, metric, rank_methods(scores[:6] + 0.01)))
    for item in ("figure12", "tests"):
        for name, rows in compare_ranks(item, block, sources).items():
            frames.setdefault(name, []).extend(rows)
    rows = printed[printed["item"].isin(["fig12", "text-5.3.2"])]
    for row, said, answer, reason, values in answer_ranks(rows, block, sources):
        frames["cells"].append(_cell(row, said, answer.measured, reason))
        frames["measures"] += [
            {"cell": row.cell, "combination": key, "measured": value, "status": "ok"}
            for key, value in values.items()
        ]
    for row in printed[printed["item"] == "text-5.3.3"].itertuples():
        frames["cells"].append(_cell(row, "unreachable", None, "no data"))
    frames["clusters"] = [row for place in range(2) for row in _clusters(place)]
    frames["representatives"] = [
        {"item": "figure16", "dataset": "bbc2", "card": "bbc2", "run": 3, "criterion": 0.25}
        | {"row_clusters": 5, "view": view, "place": place, "features": 120, "mass": 0.3}
        | {"words": f"film award view{view} place{place}", "losses": "0.1 0.05"}
        for view in (1, 2)
        for place in (1, 2)
    ]
    frames["scaling"] = [
        {"item": "figure18a", "method": "costar", "variant": variant, "along": "views"}
        | {"curve": f"{objects} objects, 1000 features", "objects": objects, "features": 1000}
        | {"views": views, "n_iter": 10000, "seconds": 0.1 * views**slope * objects / 500}
        | {"slope": slope, "slope_iteration": 1.0, "slope_n_iter": slope - 1}
        for variant, slope in (("N of all views", 2.0), ("N of the largest view", 1.0))
        for objects in (500, 2000)
        for views in (2, 4, 6)
    ]
    frames["convergence"] = [
        {"item": "figure20", "method": "costar", "flip": flip, "iteration": at, "n_runs": 30}
        | {"indicator": max(0.02, 1 - at / 2000), "indicator_sd": 0.01}
        for flip in (0.05, 0.1)
        for at in range(0, 10001, 500)
    ]
    frames["stability"] = [
        {"item": "figure20", "method": "costar", "flip": flip, "n_runs": 30, "limit": 10000}
        | {"rest_mean": 1980, "rest_most": 2500, "last": 0.02, "last_sd": 0.01}
        | {"taus": "0.4700 0.8100 0.6690", "taus_sd": "0 0 0", "planted": "0.4700 0.8100 0.6700"}
        for flip in (0.05, 0.1)
    ]
    return frames


def _cell(row, said, measured, reason) -> dict:
    same = {k: getattr(row, k) for k in ("cell", "paper", "dataset", "weighting", "method")}
    same |= {"item": row.item, "metric": row.metric, "printed": row.value, "verdict": said}
    return same | {"measured": measured, "combination": PRINTED, "reason": reason}


def _clusters(place: int):
    """Yield the rows of two datasets under one reading."""
    variant = READINGS[place]
    for dataset, classes in (("bbc2", 5), ("T1", 5)):
        same = {"item": "figures13to15", "dataset": dataset, "card": dataset.lower()}
        same |= {"variant": variant, "method": "costar", "classes": classes, "n_runs": 100}
        yield same | {
            **{"side": "rows", "mode": 4 + place, "mean": 4.4, "sd": 0.5},
            **{"histogram": "4:60 5:40" if place == 0 else "4:10 5:90"},
            **{"nmi": 0.7, "nmi_sd": 0.05, "nmi_chosen": 0.61, "ari": 0.6, "ari_sd": 0.1},
            **{"ari_chosen": 0.5, "n_iter": 63860, "last_move": 41000, "converged": 7},
        }
        for view in (1, 2):
            yield same | {"side": f"view {view}", "mode": 5, "mean": 5.25, "histogram": "5:100"}
