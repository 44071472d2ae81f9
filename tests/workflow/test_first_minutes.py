"""The first pass goes paper by paper: what is seen on the way, and that nothing depends on it."""

import subprocess
import sys

import pytest

from recoco.engine.measure import write_needs
from recoco.plan.needs import Row
from support.projects import (
    MINI_PAPER,
    content,
    environment_of,
    make_project,
    recoco,
    write_paper,
    write_yaml,
)

pytestmark = pytest.mark.workflow

SETTINGS = {"papers": ["larger", "mini"], "master_seed": 7, "runs": {"first": 2, "best_of": 3}}
FIRST_ONLY = {**SETTINGS["runs"], "first_only": True}
PRINTED = """paper,item,dataset,weighting,method,metric,value,sd,best,note
{key},table2,PLANTED,binary,Coclus,acc,0.99,0.5,,
{key},table2,PLANTED,binary,SpecCo,acc,0.10,0.001,,
"""


def paper_of(key: str, **more) -> dict:
    """Return the mini paper under another name, with the planted data only."""
    items = {}
    for name, item in MINI_PAPER["items"].items():
        items[name] = {**item, "datasets": {"PLANTED": "planted-small"}}
    del items["table2"]["test"]
    items["table2"] |= more
    return {**MINI_PAPER, "key": key, "items": items}


@pytest.fixture
def make(tmp_path):
    def make(name: str):
        project = make_project(tmp_path / name)
        for paper in (paper_of("mini"), paper_of("larger", extra_methods={"Spec": "spec"})):
            write_paper(project, paper, PRINTED.format(key=paper["key"]))
        write_yaml(project / "config" / "config.yaml", SETTINGS)
        # Else an early report would not be worth its time.
        slow = [
            Row("run", method, "planted-small", 1, 2, 200.0, 200, 1, 1)
            for method in ("coclus", "specco", "spec", "null")
        ]
        write_needs(slow, project / "config" / "needs.csv")
        return project

    return make


def test_papers_come_one_after_another_and_end_as_if_they_had_come_at_once(make):
    project, other = make("project"), make("other")
    said = recoco(project, "reproduce", "--quick", "--cores", "2").stdout
    landmarks = [
        "fetching data",
        "first pass of mini: a few runs per cell (5 groups of runs, about ",
        "Table 2 of mini, ACC: printed, then measured in 2 runs",
        "Table 2 of mini is in reports/index.html",
        "first pass of larger: a few runs per cell (2 groups of runs, about ",
        "Table 2 of larger and another table or figure are in reports/index.html",
        "report: ",
    ]
    places = [said.find(text) for text in landmarks]
    assert -1 not in places and places == sorted(places), said
    # rows are methods, columns datasets; printed and measured in each cell
    assert "            PLANTED\n  Coclus  0.99 1.00\n  SpecCo  0.10 " in said
    assert said.count("printed, then measured") == 1
    write_yaml(other / "config" / "config.yaml", {**SETTINGS, "runs": FIRST_ONLY})
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2"],
        cwd=other,
        env=environment_of(other),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    expected = {name: hashed for name, hashed in content(other).items() if "timestamp" not in name}
    made = {name: hashed for name, hashed in content(project).items() if "timestamp" not in name}
    assert made == expected
    said = recoco(project, "reproduce", "--quick", "--cores", "2").stdout
    assert said.count("first pass") == 1 and said.count("nothing to do") == 1
    assert "printed, then measured" not in said
