"""Items about graphs in the real workflow: views, ensembles, topics, orders, gains."""

import pandas as pd
import pytest

from conftest import make_project, recoco, write_yaml

pytestmark = pytest.mark.workflow

PLANTED = {"PLANTED": "planted-two-views", "GONE": "dblp1"}
SHARED = {"graphs": "shared"}
PAPER = {
    "key": "mini",
    "title": "A paper made for the tests",
    "authors": "nobody",
    "venue": "none",
    "year": 2000,
    "runs": 3,
    "items": {
        "table2": {
            "kind": "scores",
            "title": "Table 2",
            "published": "table2",
            "datasets": PLANTED,
            "weightings": {"na": "cosine-q90"},
            "method_weightings": {"multinmf": "nonnegative", "null": "count"},
            "methods": {"MultiNMF": "multinmf", "TSPLBM": "tsplbm"},
            "metrics": ["nmi"],
            "nulls": ["null"],
            "choices": {
                "graphs": {
                    "text": "Which graphs?",
                    "options": {
                        "q90": {"text": "the 90 % quantile", "printed": True},
                        "q80": {
                            "text": "the 80 % quantile",
                            "weightings": {"*": {"na": "cosine-q80"}},
                        },
                    },
                },
            },
        },
        "plain": {
            "kind": "scores",
            "title": "Nothing printed",
            "draw": "unprinted_bars",
            "datasets": PLANTED,
            "weightings": SHARED,
            "methods": {},
            "extra_methods": {"Tucker + k-means": "tucker-kmeans", "TSPLBM": "tsplbm"},
            "metrics": ["acc"],
        },
        "gain": {
            "kind": "points",
            "title": "Gain",
            "published": "text",
            "of": "plain",
            "over": "TSPLBM",
        },
        "views": {
            "kind": "views",
            "title": "Views",
            "draw": "view_bars",
            "datasets": PLANTED,
            "weightings": SHARED,
            "methods": {"PLBM": "plbm"},
            "together": {"TSPLBM": "tsplbm"},
            "metrics": ["nmi"],
        },
        "ensembles": {"kind": "ensembles", "title": "Ensembles", "of": "views", "top": 2}
        | {"draw": "ensemble_bars"},
        "order": {"kind": "figure", "title": "Order", "draw": "likelihood_order", "of": "views"},
        "topics": {
            "kind": "topics",
            "title": "Topics",
            "draw": "correspondence_map",
            "datasets": PLANTED,
            "weightings": SHARED,
            "method": "tsplbm",
            "top": 5,
        },
        "orders": {
            "kind": "orders",
            "title": "Orders",
            "datasets": PLANTED,
            "weightings": SHARED,
            "method": "tsplbm",
            "values": [2, 4],
        },
    },
}
PUBLISHED = """paper,item,dataset,weighting,method,metric,value,sd,best,note
mini,table2,PLANTED,na,TSPLBM,nmi,0.99,0.5,,
mini,table2,PLANTED,na,MultiNMF,nmi,,,,not given
mini,table2,GONE,na,TSPLBM,nmi,0.5,,,
mini,text,PLANTED,na,TSPLBM minus others,acc_gain_points,25,,,
mini,text,TAKEN OUT,na,TSPLBM minus others,acc_gain_points,25,,,
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("graphs") / "project")
    write_yaml(project / "config" / "papers" / "mini.yaml", PAPER)
    (project / "config" / "published" / "published.csv").write_text(PUBLISHED)
    recoco(project, "reproduce")
    return project


def table(project, name):
    return pd.read_csv(project / "results" / "compare" / "mini" / f"{name}.csv")


def test_a_dash_is_no_cell(done):
    cells = table(done, "cells").set_index(["item", "dataset", "method"])
    assert len(cells) == 3
    assert cells.loc[("table2", "GONE", "TSPLBM"), "verdict"] == "unreachable"
    assert 0 < cells.loc[("table2", "PLANTED", "TSPLBM"), "measured"] <= 1


def test_a_method_may_have_a_weighting_of_its_own(done):
    runs = done / "results" / "runs" / "planted-two-views"
    assert {p.name for p in runs.iterdir()} >= {"cosine-q90", "cosine-q80", "nonnegative", "count"}
    assert [p.name for p in (runs / "nonnegative").iterdir()] == ["multinmf"]
    assert [p.name for p in (runs / "cosine-q80").iterdir()] == ["tsplbm"]
    # the null models look at no graph
    assert [p.name for p in (runs / "count").iterdir()] == ["null"]


def test_every_graph_alone_and_all_together(done):
    rows = table(done, "views").set_index(["graph", "method"])
    assert list(rows.index) == [("1", "PLBM"), ("2", "PLBM"), ("all", "TSPLBM")]
    assert (rows["n_runs"] == 3).all() and rows["measured"].between(0, 1).all()


def test_the_consensus_of_the_best_runs(done):
    rows = table(done, "ensembles")
    assert list(rows["level"]) == ["1", "2", "across", "all"]
    assert list(rows["partitions"]) == [2, 2, 2, 2]


def test_topics_and_the_number_of_clusters(done):
    topics = table(done, "topics")
    assert (topics["part"] == "term").sum() == 5
    orders = table(done, "orders")
    assert list(orders["n_clusters"]) == [2, 4]
    assert orders.loc[orders["chosen"], "icl"].iloc[0] == orders["icl"].max()


def test_gains_and_figures(done):
    cells = table(done, "cells").set_index("item")
    assert cells.loc["gain", "verdict"] in {"reproduced", "better", "worse"}
    page = (done / "reports" / "index.html").read_text(encoding="utf-8")
    assert "largest likelihood" in page and "graph 1" in page
    figures = {p.stem for p in (done / "reports" / "figures").glob("*.svg")}
    assert {f"mini_{i}" for i in ("plain", "views", "ensembles", "order", "topics")} <= figures
