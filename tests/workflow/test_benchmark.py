"""A leaderboard through the workflow: failures are cells, and a new method costs its own runs."""

import json

import pandas as pd
import pytest
import yaml

from support.projects import make_project, recoco, write_paper, write_yaml

pytestmark = pytest.mark.workflow

FAILING = """
from recoco.core.errors import RecocoError


class Failing:
    views = "one"
    larger_is_better = True

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit_runs(self, X, seeds):
        raise RecocoError("It never works: take another method.")
"""
PAPER = {
    "key": "benchmark",
    "title": "All on all",
    "runs": 3,
    "items": {
        "all": {
            "kind": "leaderboard",
            "title": "All on all",
            "datasets": {"ONE": "planted-small", "TWO": "planted-two-views", "GONE": "sports"},
            "weightings": {"count": "count"},
            "methods": {"CoClus": "coclus", "DCC": "dcc", "Skmeans": "skmeans", "Never": "never"},
            "metrics": ["nmi", "ari", "acc"],
            "nulls": ["null"],
            "limits": {"dcc": {"rows": 350}},
            "fusions": ["ebco", "cspa", "hgpa", "mcla"],
            "fused": 2,
        },
        "ranks": {"kind": "figure", "title": "Ranks", "draw": "board_ranks", "of": "all"},
        "times": {"kind": "figure", "title": "Times", "draw": "board_times", "of": "all"},
    },
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = make_project(tmp_path_factory.mktemp("benchmark") / "project")
    (folder / "my_failing.py").write_text(FAILING)
    methods = yaml.safe_load((folder / "config" / "methods.yaml").read_text())
    write_yaml(
        folder / "config" / "methods.yaml", {**methods, "never": {"class": "my_failing:Failing"}}
    )
    write_paper(folder, PAPER)
    said = recoco(folder, "benchmark", "--cores", "2").stdout
    assert "reports/index.html" in said
    return folder


def blocks(project):
    found = (project / "results" / "runs").rglob("*.npz")
    return {str(path.relative_to(project)): path.stat().st_mtime_ns for path in found}


def table(project, name):
    path = project / "results" / "compare" / "benchmark" / f"{name}.csv"
    return pd.read_csv(path, keep_default_na=False, na_values=[""])  # a method is called null


def test_every_pair_has_a_cell(project):
    cells = table(project, "leaderboard")
    nmi = cells[cells["metric"] == "nmi"].set_index(["dataset", "method"])
    assert nmi.loc[("ONE", "CoClus"), "status"] == "ok"
    assert nmi.loc[("ONE", "CoClus"), "n_runs"] == 3
    assert nmi.loc[("ONE", "Never"), "status"] == "failed"
    assert "It never works: take another method." in nmi.loc[("TWO", "Never"), "reason"]
    assert nmi.loc[("TWO", "DCC"), "status"] == "too-large"
    assert "400 rows" in nmi.loc[("TWO", "DCC"), "reason"]
    assert nmi.loc[("GONE", "CoClus"), "status"] == "unreachable"
    assert nmi.loc[("ONE", "null"), "mean"] < 0.1 < nmi.loc[("ONE", "CoClus"), "mean"]
    fused = nmi.loc["ONE"].loc[["EBCO of all", "CSPA of all", "HGPA of all", "MCLA of all"]]
    assert (fused["status"] == "ok").all() and (fused["n_runs"] == 2).all()
    assert (fused["mean"] > 0.5).all()


def test_one_block_for_all_starts_of_a_pair(project):
    names = [name for name in blocks(project) if "/coclus/" in name]
    assert len(names) == 2 and all(name.endswith("0-3.npz") for name in names)


def test_ranks_and_seconds(project):
    rows = table(project, "standings")
    rows = rows[(rows["metric"] == "nmi") & (rows["selection"] == "mean")].set_index("method")
    assert rows.loc[["CoClus", "Skmeans"], "n_datasets"].eq(2).all()
    assert rows.loc[["CoClus", "Skmeans"], "mean_rank"].sum() == 3
    # half of the datasets are too few for a place, and take none of the others' from them
    assert rows.loc["DCC", "note"] == "not ranked: too large on 1, unreachable on 1"
    assert rows.loc["Never", "note"] == "not ranked: failed on 2, unreachable on 1"
    told = json.loads(
        (project / "results/analyse/benchmark/fusions/planted-small.json.seconds.json").read_text()
    )
    assert told["planted-small/count/coclus"][1] == 3
    page = (project / "reports" / "index.html").read_text(encoding="utf-8")
    assert "It never works: take another method." in page
    assert (project / "reports" / "data" / "trials_planted-small.html").is_file()


def test_a_second_time_computes_nothing(project):
    before = blocks(project)
    said = recoco(project, "benchmark", "--cores", "2").stdout
    assert "nothing to do" in said
    assert blocks(project) == before


def test_a_new_method_costs_its_own_runs_only(project):
    before = blocks(project)
    paper = json.loads(json.dumps(PAPER))
    paper["items"]["all"]["methods"]["SpecCo"] = "specco"
    write_paper(project, paper)
    recoco(project, "benchmark", "--cores", "2")
    after = blocks(project)
    new = {name for name in after if before.get(name) != after[name]}
    assert new == {name for name in after if "/specco/" in name} and len(new) == 2
    methods = set(table(project, "leaderboard")["method"])
    assert "SpecCo" in methods


def test_papers_are_not_asked_to_wait_for_it(project):
    said = recoco(project, "plan").stdout
    assert "planted-two-views" not in said
