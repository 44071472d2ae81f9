"""Items about graphs and the claims of the TSPLBM paper are answered by the numbers."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from recoco.compare.table import Table
from recoco.config import Config
from recoco.config.schema import fill_defaults
from recoco.core.files import write_json
from recoco.items.kind import analysis_path, analysis_rows
from recoco.items.orders import compare_orders
from recoco.items.points import answer_gains
from recoco.items.properties import CHOICES
from recoco.items.scores.compare import compare_plain, twins
from recoco.items.topics import KIND as TOPICS
from recoco.items.views import compare_views
from recoco.plan import Combination
from support.claims import FakeTable, check

PRINTED = Combination((("estep", "printed"),), "as printed", True)
SETTINGS = {
    "runs": {"best_of": 2, "first_only": False, "most": None},
    "verdicts": {"bootstrap": 20, "tolerance": 0.02},
    "master_seed": 1,
}


def runs_of(card, weighting, slug, acc, criterion=None, icl=None, clusters=3):
    """Score rows as the stage ``score`` writes them."""
    count = len(acc)
    return [
        {
            "dataset": card,
            "weighting": weighting,
            "method": slug.split(",")[0],
            "slug": slug,
            "kind": "run",
            "run": r,
            "seed": f"{r:032x}",  # shared starts: the seed is that of the run
            "status": "ok",
            "error": "",
            "criterion": float((criterion or range(count))[r]),
            "n_clusters": clusters,
            "details": json.dumps({"icl": (icl or [0.0] * count)[r]}),
            **dict.fromkeys(("acc", "nmi", "ari", "purity"), acc[r]),
        }
        for r in range(count)
    ]


def table(item, rows, records):
    names = ("psbm", "plbm", "splbm", "tsplbm", "parafac", "tucker")
    config = Config(SETTINGS, {name: {"params": {}} for name in names}, {})
    return Table(config, item, pd.DataFrame(rows), records)


RECORDS = {"3sources": {"status": "ok", "classes": 6}, "dblp1": {"status": "unreachable"}}


def test_views_alone_and_together():
    item = {
        "datasets": {"Three": "3sources", "Gone": "dblp1"},
        "weightings": {"na": "cosine-q97"},
        "methods": {"SPLBM": "splbm"},
        "together": {"TSPLBM": "tsplbm"},
        "metrics": ["nmi"],
    }
    rows = [
        *runs_of("3sources", "cosine-q97-view2", "splbm", [0.2, 0.4], criterion=[5, 1]),
        *runs_of("3sources", "cosine-q97", "tsplbm", [0.6, 0.8]),
    ]
    found = compare_views("figure10", table(item, rows, RECORDS))
    assert [(r["graph"], r["method"]) for r in found] == [("2", "SPLBM"), ("all", "TSPLBM")]
    assert [r["measured"] for r in found] == pytest.approx([0.3, 0.7])
    assert [r["best"] for r in found] == pytest.approx([0.2, 0.8])  # by the criterion


PLAIN = {
    "datasets": {"Three": "3sources", "Gone": "dblp1"},
    "weightings": {"na": "cosine-q97"},
    "methods": {},
    "extra_methods": {"PARAFAC": "parafac", "Tucker": "tucker", "TSPLBM": "tsplbm"},
    "metrics": ["acc"],
    "choices": {
        "rank": {
            "text": "?",
            "options": {
                "rank10": {"text": "10", "printed": True},
                "rank50": {"text": "50", "params": {"parafac": {"rank": 50}}},
            },
        }
    },
}
fill_defaults(PLAIN, {"properties": {"choices": CHOICES}})
PLAIN_ROWS = [
    *runs_of("3sources", "cosine-q97", "parafac", [0.2, 0.3]),
    *runs_of("3sources", "cosine-q97", "parafac,rank=50", [0.1, 0.1]),
    *runs_of("3sources", "cosine-q97", "tucker", [0.4, 0.4]),
    *runs_of("3sources", "cosine-q97", "tsplbm", [0.6, 0.7]),
]


def test_scores_without_printed_ones():
    rows = compare_plain("figure11", table(PLAIN, PLAIN_ROWS, RECORDS))
    found = {(r["method"], r["combination"]): r["measured"] for r in rows}
    assert found["PARAFAC", "rank10"] == pytest.approx(0.25)
    assert found["PARAFAC", "rank50"] == pytest.approx(0.1)
    assert found["TSPLBM", "rank50"] == pytest.approx(0.65)
    assert {r["dataset"] for r in rows} == {"Three"}


def test_runs_from_the_same_start():
    rows = [
        *runs_of("3sources", "cosine-q97", "parafac", [0.2, 0.3]),
        *runs_of("3sources", "cosine-q97", "tucker", [0.2, 0.4]),
    ]
    # settings that two combinations share are told once
    (found,) = twins("f", table(PLAIN, rows, RECORDS))
    assert (found["first"], found["second"]) == ("PARAFAC", "Tucker")
    assert (found["same"], found["runs"]) == (1, 2)


def test_gain_over_the_best_of_the_others():
    printed = pd.DataFrame(
        [
            {"dataset": "Three", "metric": "acc_gain_points", "value": "25"},
            {"dataset": "Gone", "metric": "acc_gain_points", "value": "25"},
        ]
    )
    here = table(PLAIN, PLAIN_ROWS, RECORDS)
    (first, gone) = answer_gains(printed, here, "TSPLBM")
    _, said, answer, reason = first
    assert said == "reproduced" and answer.measured == pytest.approx(25)
    assert "Tucker" in reason and "+32.5" in reason
    assert gone[1] == "unreachable"
    less = table(
        PLAIN, PLAIN_ROWS[:-2] + runs_of("3sources", "cosine-q97", "tsplbm", [0.5]), RECORDS
    )
    assert next(answer_gains(printed, less, "TSPLBM"))[1] == "lower"


def test_the_number_of_clusters_with_the_largest_icl():
    item = {
        "datasets": {"Three": "3sources"},
        "weightings": {"na": "cosine-q97"},
        "method": "tsplbm",
        "values": [2, 6],
    }
    rows = [
        # the run with the best criterion counts, not the one with the best ICL
        *runs_of("3sources", "cosine-q97", "tsplbm,n_clusters=2", [0.1, 0.2], icl=[9.0, -5.0]),
        # as many clusters as classes: the runs of the other items
        *runs_of("3sources", "cosine-q97", "tsplbm", [0.3, 0.4], icl=[-9.0, -4.0]),
    ]
    found = compare_orders("orders", table(item, rows, RECORDS))
    assert [(r["n_clusters"], r["icl"], r["chosen"]) for r in found] == [
        (2, -5.0, False),
        (6, -4.0, True),
    ]


def test_analyses_are_read_by_paper_and_item(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graphs = analysis_path("p", "ensembles", "3sources.json")
    axes = analysis_path("p", "topics", "bbc4.json")
    comparison = SimpleNamespace(key="p", analyses={graphs, axes})
    row = {"item": "f", "method": "A", "level": "all", "nmi": 0.5}
    write_json(graphs, [row, row | {"item": "g"}])
    (read,) = analysis_rows(comparison, "ensembles", {"Three": "3sources"}, "f")
    assert read["dataset"] == "Three" and read["nmi"] == 0.5
    write_json(axes, [{"item": "t", "part": "topic", "inertia": [0.5, 0.25]}])
    item = {"datasets": {"BBC": "bbc4"}}
    (read,) = TOPICS.rows(comparison, "t", item)["topics"]
    other = SimpleNamespace(key="q", analyses=set())
    assert TOPICS.rows(other, "t", item)["topics"] == []
    assert read["inertia"] == "0.5 0.25" and read["dataset"] == "BBC"


# ---- claims --------------------------------------------------------------------------------


def fake(frames=None, scores=None):
    """Return a table with one score of each dataset and method for all metrics."""
    metrics = ("acc", "nmi")
    return FakeTable(
        {(d, m, metric): v for (d, m), v in (scores or {}).items() for metric in metrics}, frames
    )


def view_rows(ours, psbm, plbm):
    rows = [("all", "TSPLBM", ours), ("1", "PSBM", psbm), ("1", "PLBM", plbm), ("1", "SPLBM", plbm)]
    return [
        {"dataset": "D", "metric": "nmi", "graph": g, "method": m, "measured": v}
        for g, m, v in rows
    ]


def test_all_graphs_and_degrees():
    good = fake({"views": view_rows(0.9, 0.2, 0.5)})
    assert check("tsplbm", "T1", good)[0] == check("tsplbm", "T2", good)[0] == "holds"
    bad = fake({"views": view_rows(0.1, 0.6, 0.5)})
    assert check("tsplbm", "T1", bad)[0] == check("tsplbm", "T2", bad)[0] == "fails"
    assert check("tsplbm", "T1", fake())[0] == check("tsplbm", "T2", fake())[0] == "open"


def test_the_blogs_are_evidence():
    frames = {
        "views": view_rows(0.9, 0.2, 0.5),
        "extra": [
            {"item": "figure5", "method": m, "metric": "acc", "weighting": "undirected"}
            | {"measured": v, "combination": "hard+mean"}
            for m, v in (("PSBM", 0.5), ("PLBM", 0.95))
        ],
        "twins": [
            {"item": "figure5", "weighting": "undirected", "first": "PLBM", "second": "SPLBM"}
            | {"same": 30, "runs": 30, "combination": "hard+mean"}
        ],
    }
    _, evidence = check("tsplbm", "T2", fake(frames))
    assert "0.95 (PLBM)" in evidence and "30 of 30 runs" in evidence


def test_rivals_of_table_2():
    scores = {("3sources", "TSPLBM"): 0.6, ("3sources", "SwMV"): 0.2}
    scores |= {("UC-digits", "TSPLBM"): 0.6, ("UC-digits", "SwMV"): 0.9}
    scores |= {("3sources", "MultiNMF"): 0.5, ("UC-digits", "MultiNMF"): 0.95}
    outcome, evidence = check("tsplbm", "T3", fake(scores=scores))
    assert outcome == "holds" and "4 of 4" in evidence
    outcome, evidence = check("tsplbm", "T4", fake(scores=scores))
    assert outcome == "fails" and "0 of 4" in evidence
    scores["3sources", "SwMV"] = 0.7
    assert check("tsplbm", "T3", fake(scores=scores))[0] == "partly"
    assert check("tsplbm", "T4", fake(scores=scores))[0] == "partly"


def test_decompositions():
    def rows(**values):
        return [
            {"item": "figure11", "combination": "rank10", "dataset": "D", "metric": "acc"}
            | {"method": m, "measured": v}
            for m, v in values.items()
        ]

    good = fake({"extra": rows(TSPLBM=0.9, A=0.5, B=0.6)})
    outcome, evidence = check("tsplbm", "T5", good)
    assert outcome == "holds" and "+30" in evidence
    assert check("tsplbm", "T5", fake({"extra": rows(TSPLBM=0.4, A=0.5, B=0.6)}))[0] == "fails"
    assert check("tsplbm", "T5", fake())[0] == "open"


def test_implicit_and_explicit_consensus():
    def rows(**values):
        inside = [{"dataset": "D", "method": "PSBM", "level": "1", "nmi": 1.0}]
        return inside + [
            {"dataset": "D", "method": m, "level": "all" if m == "TSPLBM" else "across", "nmi": v}
            for m, v in values.items()
        ]

    good = fake({"ensembles": rows(PSBM=0.1, PLBM=0.4, SPLBM=0.5, TSPLBM=0.9)})
    assert check("tsplbm", "T6", good)[0] == "holds"
    some = fake({"ensembles": rows(PSBM=0.1, PLBM=0.4, SPLBM=0.5, TSPLBM=0.2)})
    assert check("tsplbm", "T6", some)[0] == "partly"
    bad = fake({"ensembles": rows(PSBM=0.9, PLBM=0.6, SPLBM=0.5, TSPLBM=0.2)})
    assert check("tsplbm", "T6", bad)[0] == "fails"
    assert check("tsplbm", "T6", fake())[0] == "open"
