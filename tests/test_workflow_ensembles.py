"""Items about ensembles: readings that are only tried, what runs tell, gains, co-clusters."""

import pandas as pd
import pytest

from conftest import make_project, recoco, write_yaml

pytestmark = pytest.mark.workflow

PLAIN = {"datasets": {"PLANTED": "planted-small"}, "weightings": {"count": "count"}}
SMALL = {"largest": 5, "consensus_init": 2}
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
            "methods": {"DCC": "dcc", "EBCO": "ebco"},
            "params": {"ebco": SMALL},
            "metrics": ["nmi"],
            **PLAIN,
            "choices": {
                "base": {
                    "text": "Which bases?",
                    "options": {
                        "dcc": {"text": "DCC", "printed": True},
                        "spherical": {
                            "text": "spherical k-means",
                            "runs": 2,
                            "params": {"ebco": {"base": "spherical", "also": None}},
                        },
                    },
                }
            },
        },
        "gains": {"kind": "gains", "title": "Gains", "published": "text", "of": "table2"}
        | {"over": "EBCO"},
        "figure3": {
            "kind": "sweep",
            "title": "Figure 3",
            "draw": "threshold_curves",
            "method": "ebco",
            "params": SMALL,
            "parameter": "threshold",
            "inside": "threshold",
            "values": [0.95, 0.8, 0],
            "metrics": ["nmi", "threshold_bases"],
            **PLAIN,
        },
        "table3": {
            "kind": "scores",
            "title": "Table 3",
            "published": "table3",
            "methods": {"EBCO_80%": "ebco"},
            "params": {"ebco": {**SMALL, "threshold": 0.8, "choose": "M", "also": "choice"}},
            "metrics": ["nmi"],
            **PLAIN,
            "choices": {
                "choice": {
                    "text": "Chosen on which matrix?",
                    "options": {
                        "on-M": {
                            "text": "M",
                            "printed": True,
                            "metrics": {"g_star": "n_clusters", "expected_g": "classes"},
                        },
                        "on-X": {
                            "text": "X",
                            "metrics": {
                                "nmi": "nmi@other",
                                "g_star": "n_clusters@other",
                                "expected_g": "classes",
                            },
                        },
                    },
                }
            },
        },
        "matrices": {"kind": "coclusters", "title": "Co-clusters", "method": "ebco", "fewer": 1}
        | {"params": SMALL, "params_fewer": {"also": None}, "runs": 2, **PLAIN},
        "figure4": {"kind": "figure", "title": "Figure 4", "draw": "reordered_matrices"}
        | {"of": "matrices"},
        "figure5": {"kind": "figure", "title": "Figure 5", "draw": "topic_shares"}
        | {"of": "matrices"},
    },
}
PUBLISHED = """paper,item,dataset,weighting,method,metric,value,sd,best,note
mini,table2,PLANTED,count,DCC,nmi,0.90,0.5,,
mini,table2,PLANTED,count,EBCO,nmi,0.99,0.5,,
mini,text,all,count,EBCO minus others,nmi_mean_gain,0.50,,,
mini,table3,PLANTED,count,EBCO_80%,nmi,0.99,0.5,,
mini,table3,PLANTED,count,EBCO_80%,g_star,3.2,,,
mini,table3,PLANTED,count,EBCO_80%,expected_g,3,,,
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("ensembles") / "project")
    write_yaml(project / "config" / "papers" / "mini.yaml", PAPER)
    (project / "config" / "published" / "published.csv").write_text(PUBLISHED)
    recoco(project, "reproduce")
    return project


def table(project, name):
    return pd.read_csv(project / "results" / "compare" / "mini" / f"{name}.csv")


def test_a_reading_that_is_only_tried_has_fewer_runs(done):
    measures = table(done, "measures").set_index(["cell", "combination"])["n_runs"]
    cell = "mini:table2:PLANTED:count:EBCO:nmi"
    assert measures[cell, "dcc"] == 3 and measures[cell, "spherical"] == 2


def test_partial_collections_need_no_runs_of_their_own(done):
    rows = table(done, "sweeps").pivot_table("measured", "value", "metric")
    assert list(rows.index) == [0, 0.8, 0.95]
    assert rows["nmi"].between(0, 1).all()
    assert rows["threshold_bases"].isna()[0] and rows.loc[0.95, "threshold_bases"] >= 1
    assert not list((done / "results/runs/planted-small/count").glob("*threshold=0.95*"))


def test_the_number_of_co_clusters_is_a_cell(done):
    cells = table(done, "cells").set_index("cell")
    inferred = cells.loc["mini:table3:PLANTED:count:EBCO_80%:g_star"]
    assert inferred["measured"] == 3 and inferred["verdict"] == "reproduced"
    classes = cells.loc["mini:table3:PLANTED:count:EBCO_80%:expected_g"]
    assert classes["measured"] == 3 and classes["verdict"] == "reproduced"


def test_gains_are_differences_of_cells(done):
    cells = table(done, "cells").set_index("cell")
    means = [cells.loc[f"mini:table2:PLANTED:count:{m}:nmi", "measured"] for m in ("EBCO", "DCC")]
    gain = cells.loc["mini:text:all:count:EBCO minus others:nmi_mean_gain"]
    assert gain["measured"] == pytest.approx(means[0] - means[1])
    assert "the mean is 0.0900" in gain["reason"]


def test_co_clusters_are_looked_into(done):
    rows = table(done, "coclusters")
    assert sorted(set(rows["asked"])) == [2, 3]
    assert rows[rows["asked"] == 3]["of_class"].sum() == 300
    assert len(table(done, "pictures")) == 2
    page = (done / "reports" / "index.html").read_text(encoding="utf-8")
    assert "data:image/png" in page and "g′ = 2" in page
