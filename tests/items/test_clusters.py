"""Numbers of clusters that a method finds by itself, from the score table."""

import json

import pandas as pd
import pytest
import yaml

from recoco.compare.table import Table
from recoco.config import Config
from recoco.config.checking import check_paper
from recoco.config.papers import Paper, load_paper
from recoco.core.errors import RecocoError
from recoco.items.characteristics import compare_characteristics
from recoco.items.clusters import answer_clusters, compare_clusters
from recoco.items.example import compute_example, misread_example

ITEM = {
    "kind": "clusters",
    "datasets": {"A": "a", "GONE": "gone"},
    "weightings": {"na": "count"},
    "method": "costar",
    "variants": {"as printed": {}, "drop": {"empty": "drop"}},
}
RECORDS = {"a": {"status": "ok", "classes": 3}, "gone": {"status": "unreachable"}}
SETTINGS = {"verdicts": {"bootstrap": 10, "tolerance": 0.02}, "runs": {"best_of": 2}}


def scores() -> pd.DataFrame:
    runs = {"n_clusters": [3, 3, 4], "nmi": [0.5, 0.6, 0.1], "criterion": [0.1, 0.2, 0.3]}
    details = [{"column_clusters": [2, k], "last_move": 90, "converged": k > 5} for k in (5, 6, 7)]
    frame = pd.DataFrame(runs).assign(details=[json.dumps(d) for d in details])
    same = {"dataset": "a", "weighting": "count", "slug": "costar", "status": "ok", "kind": "run"}
    return frame.assign(**same, ari=frame["nmi"], n_iter=100.0, error="")


@pytest.fixture(scope="module")
def found():
    config = Config({**SETTINGS, "master_seed": 1}, {"costar": {"params": {}}}, {})
    return compare_clusters("i", Table(config, ITEM, scores(), RECORDS))


def test_a_row_per_side(found):
    assert [(row["variant"], row["side"]) for row in found] == [
        ("as printed", side) for side in ("rows", "view 1", "view 2")
    ]
    rows = found[0]
    assert (rows["mode"], rows["histogram"], rows["classes"]) == (3, "3:2 4:1", 3)
    assert rows["mean"] == pytest.approx(10 / 3)
    assert found[2]["histogram"] == "5:1 6:1 7:1"


def test_the_run_with_the_highest_criterion_may_be_a_poor_one(found):
    assert found[0]["nmi"] == pytest.approx(0.4) and found[0]["nmi_chosen"] == 0.1


def test_rest(found):
    assert (found[0]["n_iter"], found[0]["last_move"], found[0]["converged"]) == (100, 90, 2)


@pytest.mark.parametrize(
    ("metric", "value", "verdict"),
    [("mode", "3", "reproduced"), ("mean", "3", "undecided"), ("mean", "30", "lower")],
)
def test_printed_numbers(found, metric, value, verdict):
    row = {"dataset": "A", "metric": f"n_clusters_{metric}", "value": value}
    ((_, card, said, answer, _),) = answer_clusters(pd.DataFrame([row]), ITEM, RECORDS, found)
    assert (card, said) == ("a", verdict) and answer.runs == 3


def test_printed_numbers_of_data_that_is_not_here(found):
    row = {"dataset": "GONE", "metric": "n_clusters_mode", "value": "7"}
    ((_, _, said, *_),) = answer_clusters(pd.DataFrame([row]), ITEM, RECORDS, found)
    assert said == "unreachable"
    ((_, _, said, *_),) = answer_clusters(
        pd.DataFrame([{**row, "dataset": "A"}]), ITEM, RECORDS, []
    )
    assert said == "not-run"


def test_characteristics_of_views_and_classes():
    printed = {"documents": "833", "words": "30|", "class_sizes": "x:500|y:333", "note": "n"}
    record = {"status": "ok", "rows": 883, "columns": [30, 5], "classes": 2}
    record |= {"class_sizes": {"a": 333, "b": 550}, "printed": {"p": printed}}
    rows = compare_characteristics("p", {"T": "t"}, {"t": record})
    agrees = {row["characteristic"]: (row["measured"], row["agrees"]) for row in rows}
    assert agrees == {
        "documents": (883, False),
        "words_1": (30, True),
        "class_sizes": ("550, 333", False),
    }
    gone = {"status": "unreachable", "printed": {"p": {**printed, "words": "30|5"}}}
    rows = compare_characteristics("p", {"T": "t"}, {"t": gone})
    assert len(rows) == 4 and {row["measured"] for row in rows} == {None}


def test_examples_and_their_misprints():
    first, second = (load_paper("costar").examples[f"costar_example{n}"] for n in (1, 2))
    found = compute_example(first)
    assert found["C2_tau_y_given_x"] == pytest.approx(found["C2_tau_x_given_y"])
    assert found["C2_tau_y_given_x"] == pytest.approx(0.2158, abs=5e-5)  # 0.3375 printed
    found = compute_example(second)
    how, other = misread_example(second)
    for tau, printed in (("x_given_y", 0.0119), ("y1_given_x", 0.0234)):
        assert found[f"C2_tau_{tau}"] < 0.0012
        assert other[f"C2_tau_{tau}"] == pytest.approx(printed, abs=5e-5)
    assert found["C1_tau_x_given_y"] == other["C1_tau_x_given_y"]
    assert "{f1, f2}, {f3, f4}" in how
    assert misread_example(first) == ("", {})


RANKS = {"kind": "ranks", "title": "r", "of": "s", "metrics": ["nmi"]}
REST = {
    **{"kind": "convergence", "title": "c", "method": "costar", "flips": [0.1]},
    **{"sizes": {"objects": 9, "features": 9, "views": 2}, "iterations": 5, "blocks": [2, 3]},
}


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (
            {"r": RANKS, "s": {"kind": "figure", "title": "s", "draw": "x"}},
            "not an item of kind scores",
        ),
        ({"c": {**REST, "blocks": [2]}}, "blocks for each of its views"),
        ({"c": {**REST, "sizes": {**REST["sizes"], "objects": [9, 8]}}}, "has one size"),
        ({"c": {k: v for k, v in REST.items() if k != "flips"}}, "'flips' is missing"),
    ],
)
def test_items_that_make_no_sense(tmp_path, items, said):
    paper = {"key": "p", "title": "t", "authors": "a", "venue": "v", "year": 1, "runs": 2}
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "paper.yaml").write_text(yaml.safe_dump({**paper, "items": items}))
    with pytest.raises(RecocoError, match=said):
        check_paper(Paper(folder), {"costar": {}})
