"""Items about graphs and the claims of the TSPLBM paper are answered by the numbers."""

import json

import numpy as np
import pandas as pd
import pytest

from recoco.compare import claims_tsplbm  # noqa: F401  it registers the claims
from recoco.compare.claims import CLAIMS
from recoco.compare.graphs import (
    answer_gains,
    compare_ensembles,
    compare_orders,
    compare_plain,
    compare_topics,
    compare_views,
    twins,
)
from recoco.compare.table import Table
from recoco.config import Config
from recoco.plan import Combination
from recoco.store import write_json

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


def table(block, rows, records):
    names = ("psbm", "plbm", "splbm", "tsplbm", "parafac", "tucker")
    config = Config(SETTINGS, {name: {} for name in names}, {})
    return Table(config, block, pd.DataFrame(rows), records)


RECORDS = {"3sources": {"status": "ok", "classes": 6}, "dblp1": {"status": "unreachable"}}


def test_views_alone_and_together():
    block = {
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
    found = compare_views("figure10", table(block, rows, RECORDS))
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
    assert next(answer_gains(printed, less, "TSPLBM"))[1] == "worse"


def test_the_number_of_clusters_with_the_largest_icl():
    block = {
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
    found = compare_orders("orders", table(block, rows, RECORDS))
    assert [(r["n_clusters"], r["icl"], r["chosen"]) for r in found] == [
        (2, -5.0, False),
        (6, -4.0, True),
    ]


def test_files_of_a_stage_are_read_by_paper_and_item(tmp_path):
    row = {"paper": "p", "item": "f", "method": "A", "level": "all", "nmi": 0.5}
    write_json(tmp_path / "3sources.json", [row, row | {"paper": "q"}, row | {"item": "g"}])
    (found,) = compare_ensembles("p", "f", {"Three": "3sources"}, [tmp_path / "3sources.json"])
    assert found["dataset"] == "Three" and found["nmi"] == 0.5 and "paper" not in found
    topic = {"paper": "p", "item": "t", "part": "topic", "inertia": [0.5, 0.25]}
    write_json(tmp_path / "bbc4.json", [topic])
    block = {"datasets": {"BBC": "bbc4"}, "weightings": {"na": "shared"}, "method": "tsplbm"}
    (found,) = compare_topics("p", "t", block, [tmp_path / "bbc4.json"])
    assert found["inertia"] == "0.5 0.25" and found["dataset"] == "BBC"


# ---- claims --------------------------------------------------------------------------------


class FakeTable:
    def __init__(self, frames=None, scores=None):
        self.frames, self.scores = frames or {}, scores or {}
        datasets = list(dict.fromkeys(key[0] for key in self.scores))
        self.block = {"datasets": dict.fromkeys(datasets), "weightings": {"na": "x"}}
        self.block["metrics"] = ["acc", "nmi"]

    def reachable(self):
        return list(self.block["datasets"])

    def values(self, dataset, weighting, method, metric, combination=None):
        value = self.scores.get((dataset, method))
        # Of its two runs the second has the better criterion: that one is the table's figure.
        return np.array([]) if value is None else np.array([1 - value, value])

    def figure(self, *cell):
        return float(self.values(*cell)[1])


def view_rows(ours, psbm, plbm):
    rows = [("all", "TSPLBM", ours), ("1", "PSBM", psbm), ("1", "PLBM", plbm), ("1", "SPLBM", plbm)]
    return [
        {"dataset": "D", "metric": "nmi", "graph": g, "method": m, "measured": v}
        for g, m, v in rows
    ]


def test_all_graphs_and_degrees():
    good = FakeTable({"views": view_rows(0.9, 0.2, 0.5)})
    assert CLAIMS["T1"](good, PRINTED)[0] == CLAIMS["T2"](good, PRINTED)[0] == "holds"
    bad = FakeTable({"views": view_rows(0.1, 0.6, 0.5)})
    assert CLAIMS["T1"](bad, PRINTED)[0] == CLAIMS["T2"](bad, PRINTED)[0] == "fails"
    assert CLAIMS["T1"](FakeTable(), PRINTED)[0] == CLAIMS["T2"](FakeTable(), PRINTED)[0] == "open"


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
    _, evidence = CLAIMS["T2"](FakeTable(frames), PRINTED)
    assert "0.95 (PLBM)" in evidence and "30 of 30 runs" in evidence


def test_rivals_of_table_2():
    scores = {("3sources", "TSPLBM"): 0.6, ("3sources", "SwMV"): 0.2}
    scores |= {("UC-digits", "TSPLBM"): 0.6, ("UC-digits", "SwMV"): 0.9}
    scores |= {("3sources", "MultiNMF"): 0.5, ("UC-digits", "MultiNMF"): 0.95}
    outcome, evidence = CLAIMS["T3"](FakeTable(scores=scores), PRINTED)
    assert outcome == "holds" and "4 of 4" in evidence
    outcome, evidence = CLAIMS["T4"](FakeTable(scores=scores), PRINTED)
    assert outcome == "fails" and "0 of 4" in evidence
    scores["3sources", "SwMV"] = 0.7
    assert CLAIMS["T3"](FakeTable(scores=scores), PRINTED)[0] == "partly"
    assert CLAIMS["T4"](FakeTable(scores=scores), PRINTED)[0] == "partly"


def test_decompositions():
    def rows(**values):
        return [
            {"item": "figure11", "combination": "rank10", "dataset": "D", "metric": "acc"}
            | {"method": m, "measured": v}
            for m, v in values.items()
        ]

    good = FakeTable({"extra": rows(TSPLBM=0.9, A=0.5, B=0.6)})
    outcome, evidence = CLAIMS["T5"](good, PRINTED)
    assert outcome == "holds" and "+30" in evidence
    assert CLAIMS["T5"](FakeTable({"extra": rows(TSPLBM=0.4, A=0.5, B=0.6)}), PRINTED)[0] == "fails"
    assert CLAIMS["T5"](FakeTable(), PRINTED)[0] == "open"


def test_implicit_and_explicit_consensus():
    def rows(**values):
        inside = [{"dataset": "D", "method": "PSBM", "level": "1", "nmi": 1.0}]
        return inside + [
            {"dataset": "D", "method": m, "level": "all" if m == "TSPLBM" else "across", "nmi": v}
            for m, v in values.items()
        ]

    good = FakeTable({"ensembles": rows(PSBM=0.1, PLBM=0.4, SPLBM=0.5, TSPLBM=0.9)})
    assert CLAIMS["T6"](good, PRINTED)[0] == "holds"
    some = FakeTable({"ensembles": rows(PSBM=0.1, PLBM=0.4, SPLBM=0.5, TSPLBM=0.2)})
    assert CLAIMS["T6"](some, PRINTED)[0] == "partly"
    bad = FakeTable({"ensembles": rows(PSBM=0.9, PLBM=0.6, SPLBM=0.5, TSPLBM=0.2)})
    assert CLAIMS["T6"](bad, PRINTED)[0] == "fails"
    assert CLAIMS["T6"](FakeTable(), PRINTED)[0] == "open"
