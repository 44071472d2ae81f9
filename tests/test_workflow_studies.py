"""Items about methods of several views: ranks, numbers of clusters, words, times, convergence."""

import pandas as pd
import pytest

from conftest import make_project, recoco, write_yaml

pytestmark = pytest.mark.workflow

TWO = {"ONE": "planted-small", "TWO": "planted-two-views"}
PLAIN = {"na": "count"}
RANDOM = {"objects": 20, "features": 15, "views": 2}
PAPER = {
    "key": "mini",
    "title": "A paper made for the tests",
    "authors": "nobody",
    "venue": "none",
    "year": 2000,
    "runs": 3,
    "items": {
        "scores": {
            "kind": "scores",
            "title": "Scores",
            "published": "fig10",
            "datasets": TWO,
            "weightings": PLAIN,
            "methods": {"Comraf": "comraf", "SRC": "src"},
            "metrics": ["nmi"],
        },
        "ranks": {
            "kind": "ranks",
            "title": "Ranks",
            "published": "fig12",
            "of": "scores",
            "metrics": ["nmi"],
            "alpha": 0.1,
        },
        "diagram": {
            "kind": "figure",
            "title": "Diagram",
            "draw": "critical_differences",
            "of": "ranks",
            "metrics": ["nmi"],
        },
        "found": {
            "kind": "clusters",
            "title": "Numbers of clusters",
            "published": "text",
            "datasets": TWO,
            "weightings": PLAIN,
            "method": "costar",
            "variants": {"short": {"max_iter": 400}, "shorter": {"max_iter": 200}},
        },
        "words": {
            "kind": "representatives",
            "title": "Words",
            "datasets": TWO,
            "weightings": PLAIN,
            "method": "costar",
            "variants": {"short": {"max_iter": 400}},
            "top": 3,
        },
        "times": {
            "kind": "scaling",
            "title": "Times",
            "method": "costar",
            "sizes": {**RANDOM, "views": [1, 2]},
            "along": "views",
            "density": 0.2,
            "runs": 1,
        },
        "rest": {
            "kind": "convergence",
            "title": "Convergence",
            "later": True,
            "method": "costar",
            "sizes": RANDOM,
            "blocks": [2, 4],
            "flips": [0.1],
            "iterations": 100,
            "points": 10,
            "runs": 2,
        },
    },
}
PUBLISHED = """paper,item,dataset,weighting,method,metric,value,sd,best,note
mini,fig10,ONE,na,Comraf,nmi,0.99,0.5,,
mini,fig10,ONE,na,SRC,nmi,0.10,0.001,,
mini,fig10,TWO,na,Comraf,nmi,0.90,0.5,,
mini,fig10,TWO,na,SRC,nmi,0.95,0.001,,
mini,fig12,all,na,Comraf,avg_rank_nmi,1.5,,,
mini,text,TWO,na,CoStar,n_clusters_mode,3,,,
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("studies") / "project")
    write_yaml(project / "config" / "papers" / "mini.yaml", PAPER)
    (project / "config" / "published" / "published.csv").write_text(PUBLISHED)
    recoco(project, "reproduce", "--quick")
    return project


def table(project, name):
    return pd.read_csv(project / "results" / "compare" / "mini" / f"{name}.csv")


def test_every_printed_number_is_answered(done):
    cells = table(done, "cells").set_index("item")
    assert len(cells) == 6
    assert cells.loc["ranks", "verdict"] == "reproduced"  # 1.5 from the printed scores
    assert cells.loc["found", "n_runs"] == 2


def test_ranks_rest_on_datasets(done):
    ranks = table(done, "ranks")
    assert set(ranks["source"]) == {"printed", "measured"}
    assert set(ranks["n_datasets"]) == {2}
    assert ranks.groupby("source")["mean_rank"].sum().tolist() == [3, 3]


def test_variants_are_run_and_counted(done):
    found = table(done, "clusters")
    assert set(found["variant"]) == {"short", "shorter"}
    rows = found[found["side"] == "rows"].set_index(["dataset", "variant"])
    assert rows.loc[("TWO", "short"), "n_iter"] == 400
    views = found[(found["dataset"] == "TWO") & (found["side"] == "view 2")]
    assert len(views) == 2


def test_words_and_times(done):
    words = table(done, "representatives")
    assert set(words[words["dataset"] == "TWO"]["view"]) == {1, 2}
    assert words["words"].str.split().str.len().max() <= 2 * 3  # "feature 7" is two words
    times = table(done, "scaling")
    assert list(times["views"]) == [1, 2] and (times["seconds"] > 0).all()
    # Seconds differ each time, so the file that holds them says so by its name.
    assert (done / "results" / "scaling" / "mini" / "times.seconds.json").is_file()


def test_what_takes_long_is_left_to_the_second_pass(done):
    assert table(done, "convergence").empty
    assert not (done / "results" / "convergence").exists()
    recoco(done, "reproduce")
    assert list(table(done, "convergence")["iteration"]) == list(range(0, 101, 10))
    page = (done / "reports" / "index.html").read_text(encoding="utf-8")
    assert "Numbers of clusters" in page and "p = 10 %" in page
