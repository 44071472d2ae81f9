"""Items beyond scores: a swept parameter, words of factors, densities, figures in brackets."""

import pandas as pd
import pytest

from conftest import make_project, recoco, write_yaml

pytestmark = pytest.mark.workflow

PLANTED = {"PLANTED": "planted-small"}
PLAIN = {"count": "count"}
PAPER = {
    "key": "mini",
    "title": "A paper made for the tests",
    "authors": "nobody",
    "venue": "none",
    "year": 2000,
    "runs": 4,
    "items": {
        "table2": {
            "kind": "scores",
            "title": "Table 2",
            "published": "table2",
            "datasets": PLANTED,
            "weightings": PLAIN,
            "methods": {"Skmeans": "skmeans", "WC-NMTF": "wcnmtf"},
            "metrics": ["nmi"],
            "choices": {
                "data": {
                    "text": "Which data?",
                    "options": {
                        "small": {"text": "the small one", "printed": True},
                        "views": {
                            "text": "the first of two views",
                            "datasets": {"PLANTED": "planted-two-views"},
                        },
                    },
                },
                "selection": {
                    "text": "What is averaged?",
                    "options": {
                        "single": {"text": "all", "printed": True, "select": "mean"},
                        "best-of-n": {"text": "best of n", "select": "best-of"},
                    },
                },
            },
        },
        "densities": {
            "kind": "densities",
            "title": "Densities",
            "datasets": PLANTED,
            "shifts": [1, 2],
        },
        "figure5": {
            "kind": "sweep",
            "title": "Figure 5",
            "datasets": PLANTED,
            "weightings": PLAIN,
            "method": "wcnmtf",
            "parameter": "lam",
            "values": [0.1, 1],
            "metrics": ["nmi"],
            "runs": 2,
        },
        "words": {
            "kind": "words",
            "title": "Words",
            "datasets": PLANTED,
            "weightings": PLAIN,
            "methods": {"NMTF": "nmtf", "WC-NMTF": "wcnmtf"},
            "column_clusters": [None],
            "runs": 2,
            "corpora": [],
        },
    },
}
PUBLISHED = """paper,item,dataset,weighting,method,metric,value,sd,best,note
mini,table2,PLANTED,count,Skmeans,nmi,0.99,0.5,0.98,
mini,table2,PLANTED,count,WC-NMTF,nmi,0.10,0.001,0.11,
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("words") / "project")
    write_yaml(project / "config" / "papers" / "mini.yaml", PAPER)
    (project / "config" / "published" / "published.csv").write_text(PUBLISHED)
    recoco(project, "reproduce", "--quick")
    return project


def table(project, name):
    return pd.read_csv(project / "results" / "compare" / "mini" / f"{name}.csv")


def test_brackets_are_answered_by_one_run(done):
    cells = table(done, "cells").set_index("cell")
    bracket = cells.loc["mini:table2:PLANTED:count:Skmeans:nmi_best"]
    scores = pd.read_parquet(done / "results" / "scores" / "planted-small.parquet")
    runs = scores[(scores["slug"] == "skmeans") & (scores["kind"] == "run")]
    kept = runs.loc[runs["criterion"].idxmax()]  # cosines: the larger the better
    assert bracket["measured"] == pytest.approx(kept["nmi"])
    assert pd.isna(bracket["measured_sd"])
    assert len(cells) == 4


def test_methods_share_their_starts(done):
    scores = pd.read_parquet(done / "results" / "scores" / "planted-small.parquet")
    runs = scores[scores["kind"] == "run"]
    seeds = {slug: tuple(rows["seed"]) for slug, rows in runs.groupby("slug")}
    assert seeds["skmeans"] == seeds["wcnmtf"]


def test_a_choice_may_change_the_data(done):
    trials = set(table(done, "measures")["trial"])
    assert {"planted-small/count/wcnmtf", "planted-two-views/count/wcnmtf"} <= trials


def test_the_curve_of_a_parameter(done):
    rows = table(done, "sweeps")
    assert list(rows["value"]) == [0.1, 1] and set(rows["parameter"]) == {"lam"}
    assert rows["measured"].between(0, 1).all()
    # The default value needs no runs of its own: the table has them.
    assert not (done / "results/runs/planted-small/count/wcnmtf,lam=1").exists()


def test_words_and_densities(done):
    cosines = table(done, "cosines")
    assert set(cosines["method"]) == {"NMTF", "WC-NMTF"}
    assert cosines["median"].between(0, 1).all()
    densities = table(done, "densities")
    assert len(densities) == 4 * 2 * 2
    wide = densities.pivot_table("measured", ["count", "diagonal"], "shift")
    assert (wide[1] >= wide[2]).all()
    assert table(done, "coherence").empty  # there are no texts


def test_the_report_shows_them(done):
    page = (done / "reports" / "index.html").read_text(encoding="utf-8")
    assert "Figure 5" in page and "lowest criterion" in page
