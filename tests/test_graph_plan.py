"""What items about graphs run, and weightings that only some methods have."""

import pytest

from recoco import graph_plan
from recoco.config import load_config
from recoco.errors import RecocoError
from recoco.plan import combinations, null_setting, runs_of, setting_of, settings_of

SETTINGS = {"runs": {"best_of": 20}}
BLOCK = {
    "datasets": {"BBC": "bbc4", "digits": "mfeat"},
    "weightings": {"na": "cosine-q97"},
    "method_weightings": {"swmv": "cosine", "null": "count"},
    "methods": {"SwMV": "swmv", "TSPLBM": "tsplbm"},
    "choices": {
        "graphs": {
            "text": "?",
            "options": {
                "q97": {"text": "", "printed": True},
                "q90": {
                    "text": "",
                    "weightings": {"*": {"na": "cosine-q90"}, "mfeat": {"na": "gaussian-q97"}},
                },
            },
        }
    },
}


def test_a_choice_of_graphs_leaves_methods_with_edges_of_their_own():
    printed, other = combinations(BLOCK, SETTINGS)

    def weighting(combination, dataset, method):
        return setting_of(BLOCK, combination, dataset, "na", method).weighting

    assert weighting(printed, "BBC", "TSPLBM") == "cosine-q97"
    assert weighting(other, "BBC", "TSPLBM") == "cosine-q90"
    assert weighting(other, "digits", "TSPLBM") == "gaussian-q97"  # a card beats the star
    assert {weighting(c, "BBC", "SwMV") for c in (printed, other)} == {"cosine"}
    assert null_setting(BLOCK, "bbc4", "null").weighting == "count"
    assert null_setting(BLOCK, "bbc4", "null-sorted").weighting == "cosine-q97"


@pytest.fixture(scope="module")
def paper():
    return load_config({"papers": ["tsplbm"], "runs": {"first_only": False}})


def test_views_of_the_paper(paper):
    block = paper.papers["tsplbm"]["items"]["figure10-views"]
    found = list(graph_plan.view_settings(block))
    bbc = [s for s, d in found if d["dataset"] == "BBC"]
    assert len(bbc) == 4 * 3 + 1
    assert bbc[0].weighting == "cosine-q97-view1" and bbc[-1].weighting == "cosine-q97"
    assert found[-1][1]["graph"] == graph_plan.ALL
    # all of them are run as often as the paper says
    needed = settings_of(paper)
    assert {needed[setting] for setting, _ in found} == {30}


def test_an_item_may_have_fewer_runs(paper):
    its, block = paper.papers["tsplbm"], paper.papers["tsplbm"]["items"]["orders"]
    assert runs_of(paper, its, block) == 10
    needed = settings_of(paper)
    numbers = {d["n_clusters"]: s for s, d in graph_plan.order_settings(paper, block)}
    assert numbers[2].slug == "tsplbm,n_clusters=2" and needed[numbers[2]] == 10
    three = {
        d["n_clusters"]: s.slug
        for s, d in graph_plan.order_settings(paper, block)
        if d["card"] == "3sources"
    }
    assert three[6] == "tsplbm"  # as many as classes: other items run that too


def test_ensembles_and_topics_of_a_dataset(paper):
    tasks = graph_plan.ensembles_of(paper, "dblp-2venues")
    assert [(t["method"], list(t["groups"])) for t in tasks] == [
        ("PSBM", ["1", "2"]),
        ("PLBM", ["1", "2"]),
        ("SPLBM", ["1", "2"]),
        ("TSPLBM", ["all"]),
    ]
    assert tasks[0]["groups"]["2"] == "dblp-2venues/shared-view2/psbm" and tasks[0]["top"] == 10
    assert graph_plan.ensembles_of(paper, "cstr") == []
    (topics,) = graph_plan.topics_of(paper, "dblp4area")
    assert topics["setting"] == "dblp4area/shared/tsplbm" and topics["view"] == 1


def test_every_printed_dataset_of_table_2_has_a_card(paper):
    table = paper.papers["tsplbm"]["items"]["table2"]
    assert len(combinations(table, {"runs": {"best_of": 20}})) == 32
    assert list(table["datasets"]) == [
        "UC-digits",
        "3sources",
        "BBC",
        "100leaves",
        "DBLP1",
        "Nus-Wide-8",
    ]


def test_unknown_weightings_are_refused(tmp_path, monkeypatch):
    from conftest import CHECKOUT, make_project, write_yaml
    from recoco.schema import read_yaml

    project = make_project(tmp_path / "project")
    told = read_yaml(CHECKOUT / "config" / "papers" / "tsplbm.yaml")
    told["items"] = {"table2": told["items"]["table2"]}
    told["items"]["table2"]["method_weightings"]["swmv"] = "cosin"
    write_yaml(project / "config" / "papers" / "tsplbm.yaml", told)
    monkeypatch.setenv("RECOCO_ROOT", str(project))
    with pytest.raises(RecocoError, match=r"Unknown weighting 'cosin'.*cosine"):
        load_config({"papers": ["tsplbm"]})
