"""What items about graphs run, and weightings that only some methods have."""

import pytest

from recoco.config import load_config
from recoco.config.schema import fill_defaults
from recoco.core.errors import RecocoError
from recoco.items.orders import KIND as ORDERS
from recoco.items.properties import CHOICES
from recoco.items.views import ALL, view_settings
from recoco.plan import (
    Plan,
    combinations,
    null_setting,
    parts_of,
    runs_of,
    setting_of,
    settings_of,
)

SETTINGS = {"runs": {"best_of": 20}}
ITEM = {
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
fill_defaults(ITEM, {"properties": {"choices": CHOICES}})


def test_a_choice_of_graphs_leaves_methods_with_edges_of_their_own():
    printed, other = combinations(ITEM, SETTINGS)

    def weighting(combination, dataset, method):
        return setting_of(ITEM, combination, dataset, "na", method).weighting

    assert weighting(printed, "BBC", "TSPLBM") == "cosine-q97"
    assert weighting(other, "BBC", "TSPLBM") == "cosine-q90"
    assert weighting(other, "digits", "TSPLBM") == "gaussian-q97"  # a card beats the star
    assert {weighting(c, "BBC", "SwMV") for c in (printed, other)} == {"cosine"}
    assert null_setting(ITEM, "bbc4", "null").weighting == "count"
    assert null_setting(ITEM, "bbc4", "null-sorted").weighting == "cosine-q97"


@pytest.fixture(scope="module")
def paper():
    return load_config({"papers": ["tsplbm"], "runs": {"first_only": False}})


def test_views_of_the_paper(paper):
    item = paper.papers["tsplbm"]["items"]["figure10-views"]
    found = list(view_settings(item))
    bbc = [s for s, d in found if d["dataset"] == "BBC"]
    assert len(bbc) == 4 * 3 + 1
    assert bbc[0].weighting == "cosine-q97-view1" and bbc[-1].weighting == "cosine-q97"
    assert found[-1][1]["graph"] == ALL
    # all of them are run as often as the paper says
    needed = settings_of(paper)
    assert {needed[setting] for setting, _ in found} == {30}


def test_an_item_may_have_fewer_runs(paper):
    its, item = paper.papers["tsplbm"], paper.papers["tsplbm"]["items"]["orders"]
    assert runs_of(paper, its, item) == 10
    needed = settings_of(paper)
    numbers = {d["n_clusters"]: s for s, d in ORDERS.described(paper, item)}
    assert numbers[2].slug == "tsplbm,n_clusters=2" and needed[numbers[2]] == 10
    three = {
        d["n_clusters"]: s.slug for s, d in ORDERS.described(paper, item) if d["card"] == "3sources"
    }
    assert three[6] == "tsplbm"  # as many as classes: other items run that too


def test_ensembles_and_topics_of_a_dataset(paper, tmp_path):
    found = {(a.step, a.dataset): a for a in Plan(paper, tmp_path).analyses.values()}
    tasks = found["ensembles", "dblp-2venues"].task["tasks"]
    assert [(t["method"], list(t["groups"])) for t in tasks] == [
        ("PSBM", ["1", "2"]),
        ("PLBM", ["1", "2"]),
        ("SPLBM", ["1", "2"]),
        ("TSPLBM", ["all"]),
    ]
    assert tasks[0]["groups"]["2"] == "dblp-2venues/shared-view2/psbm" and tasks[0]["top"] == 10
    assert ("ensembles", "cstr") not in found
    (topics,) = found["topics", "dblp4area"].task["tasks"]
    assert topics["setting"] == "dblp4area/shared/tsplbm" and topics["view"] == 1


def test_every_printed_dataset_of_table_2_has_a_card(paper):
    table = paper.papers["tsplbm"]["items"]["table2"]
    # What is asked about one method has nothing to do with what is asked about another.
    parts = parts_of(table, {"runs": {"best_of": 20}})
    assert [part.choices for part in parts] == [
        ("estep", "graphs", "selection"),
        ("swmv",),
        ("copied",),
    ]
    assert len(combinations(table, {"runs": {"best_of": 20}})) == 16 + 1 + 1
    assert list(table["datasets"]) == [
        "UC-digits",
        "3sources",
        "BBC",
        "100leaves",
        "DBLP1",
        "Nus-Wide-8",
    ]


def test_unknown_weightings_are_refused(tmp_path, monkeypatch):
    from recoco.config.schema import read_yaml
    from support.projects import CHECKOUT, make_project, write_paper

    project = make_project(tmp_path / "project")
    told = read_yaml(CHECKOUT / "config" / "papers" / "tsplbm" / "paper.yaml")
    told["items"] = {"table2": told["items"]["table2"]}
    told["items"]["table2"]["method_weightings"]["swmv"] = "cosin"
    write_paper(project, told)
    monkeypatch.setenv("RECOCO_ROOT", str(project))
    with pytest.raises(RecocoError, match=r"Unknown weighting 'cosin'.*cosine"):
        load_config({"papers": ["tsplbm"]})
