"""A method may fail in any way: its cells say so, and all other cells are there."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from support.projects import CHECKOUT, make_project, recoco, write_yaml

pytestmark = pytest.mark.workflow

BROKEN = {
    "Raising": "IndexError: a mistake of its author",
    "WrongShape": "row_labels is int64 of shape (2, 299), not whole numbers of shape (2, 300)",
    "Nothing": "fit_runs returned NoneType without row_labels",
    "Hanging": "no result within 20 s",
    "Stubborn": "no result within 20 s",
    "Eating": "MemoryError: more memory was asked for than the limit of 1500 MiB",
    "Crashing": "its process crashed (SIGABRT)",
    "Leaving": "its process ended without a result",
    "Exiting": "its process ended with exit status 70",
    "Killing": "its process was killed twice (SIGKILL): by the method itself, or from outside",
    "Orphaning": "its process was killed twice (SIGTERM): by the method itself, or from outside",
    "Mumbling": "an error that is no text: \\udc80",
    "Shouting": "it printed more than 100 MB",
}
# These are not broken; the second is only rude.
SOUND = ("Sound", "Roaming")


@pytest.fixture(scope="module")
def battered(finished, tmp_path_factory):
    """The mini paper with every broken method in its table, reproduced once."""
    project = make_project(tmp_path_factory.mktemp("failures") / "project")
    shutil.copy(CHECKOUT / "tests" / "support" / "broken_methods.py", project)
    config = project / "config"
    methods = yaml.safe_load((config / "methods.yaml").read_text())
    for name in (*SOUND, *BROKEN):
        methods[name.lower()] = {"class": f"broken_methods:{name}", "params": {}}
    write_yaml(config / "methods.yaml", methods)
    paper = yaml.safe_load((config / "papers" / "mini" / "paper.yaml").read_text())
    table = paper["items"]["table2"]
    table["methods"] |= {name: name.lower() for name in (*SOUND, *BROKEN)}
    del table["choices"]
    write_yaml(config / "papers" / "mini" / "paper.yaml", paper)
    with (config / "papers" / "mini" / "published.csv").open("a") as stream:
        for name in (*SOUND, *BROKEN):
            stream.write(f"mini,table2,PLANTED,binary,{name},acc,0.3,0.5,,\n")
    settings = yaml.safe_load((config / "config.yaml").read_text())
    write_yaml(config / "config.yaml", settings | {"time_limit": 20, "memory_limit": 1500})
    return project, recoco(project, "reproduce", "--cores", "2", "--quick")


def cells(project) -> dict:
    found = pd.read_csv(project / "results" / "compare" / "mini" / "cells.csv")
    found = found[found["cell"].str.startswith("mini:table2:PLANTED:binary:")]
    return {cell.split(":")[4]: row for cell, row in found.set_index("cell").iterrows()}


def test_the_workflow_ends_well_and_counts_them(battered):
    project, done = battered
    assert f"{len(BROKEN)} failed" in done.stdout
    assert (project / "reports" / "index.html").is_file()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_method_says_so_in_its_cell(battered, name):
    cell = cells(battered[0])[name]
    assert cell["verdict"] == "failed"
    assert BROKEN[name] in cell["reason"]


@pytest.mark.parametrize("name", BROKEN)
def test_the_report_shows_the_reason(battered, name):
    import html

    pages = (battered[0] / "reports").rglob("*.html")
    text = html.unescape("".join(page.read_text() for page in pages))
    assert BROKEN[name] in text


def test_all_other_cells_are_there(battered, finished):
    found, expected = cells(battered[0]), cells(finished)
    for name in SOUND:
        assert found[name]["verdict"] == "reproduced"
    for name in ("Coclus", "SpecCo"):
        assert found[name]["verdict"] == expected[name]["verdict"]


def test_what_a_method_leaves_behind_is_ended_and_told(battered):
    (log,) = (battered[0] / "logs" / "runs" / "planted-small" / "binary" / "roaming").glob("*.log")
    assert "killed 1 process that the method left behind" in log.read_text()
    assert not Path("/results").exists()
