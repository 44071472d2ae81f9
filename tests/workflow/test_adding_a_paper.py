"""docs/adding-a-paper.md: a paper outside config/ is reproduced without a change of the source."""

import re
import shutil

import pandas as pd
import pytest
import yaml

from recoco.config.papers import Paper
from support.projects import CHECKOUT, make_project, recoco

EXAMPLE = CHECKOUT / "docs" / "examples" / "dcc"
PAGE = CHECKOUT / "docs" / "adding-a-paper.md"
pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Run the commands of the page in a project of another paper."""
    folder = make_project(tmp_path_factory.mktemp("sixth") / "project")
    shutil.copytree(EXAMPLE, folder / "docs" / "examples" / "dcc")
    (folder / "printed.txt").write_text("")
    commands = re.findall(r"^\$ recoco (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        done = recoco(folder, *command.split(), timeout=1200)
        with (folder / "printed.txt").open("a") as stream:
            stream.write(done.stdout)
    return folder


def test_the_page_shows_what_the_example_holds():
    text = PAGE.read_text(encoding="utf-8")
    assert (EXAMPLE / "published.csv").read_text(encoding="utf-8") in text
    shown = {}
    for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
        shown |= yaml.safe_load(block)
    paper, claims = Paper(EXAMPLE).config, Paper(EXAMPLE).claims
    assert shown["D1"]["check"] == claims["D1"]["check"]
    assert shown["runs"] == paper["runs"] and shown["title"] == paper["title"]
    table, ours = shown["items"]["readme"], paper["items"]["readme"]
    for key in set(table) - {"params"}:
        assert ours[key] == table[key], key
    assert ours["params"].items() >= table["params"].items()


def test_printed_cells_are_answered_or_say_that_the_data_is_missing(project):
    cells = pd.read_csv(project / "results" / "compare" / "dcc" / "cells.csv")
    assert dict(zip(cells["metric"], cells["printed"], strict=True)) == {"nmi": 0.714, "ari": 0.81}
    # Projects of the tests have no mirror: NG2 is there only where it can be downloaded.
    reached = cells["verdict"].ne("unreachable")
    assert reached.all() or not reached.any()
    assert cells.loc[reached, "measured"].between(0.4, 1).all()
    assert set(cells["card"]) == {"ng2"}


def test_methods_run_on_the_twin(project):
    extra = pd.read_csv(project / "results" / "compare" / "dcc" / "extra.csv")
    extra = extra[extra["item"] == "twin"]
    assert set(extra["method"]) == {"DCC", "Skmeans", "CoClus"}
    assert set(extra["metric"]) == {"nmi", "ari"}
    assert (extra["measured"] > 0.7).all()  # the planted clusters are easy to see


def test_claims_and_report(project):
    claims = pd.read_csv(project / "results" / "compare" / "dcc" / "claims.csv")
    assert claims["id"].tolist() == ["D1"]
    assert claims["outcome"][0] in {"holds", "partly", "fails", "open"}
    page = (project / "reports" / "index.html").read_text(encoding="utf-8")
    assert "von Mises-Fisher" in page and "not a cell of the paper" in page
    assert "ng2-twin" in (project / "printed.txt").read_text()


def test_only_the_edited_paper_is_compared_again(project):
    """A printed number of the mini paper is none of DCC's business."""
    both = ("--paper", "docs/examples/dcc", "--paper", "mini", "--quick", "--cores", "2")
    recoco(project, "reproduce", *both)
    files = {key: project / "results" / "compare" / key / "cells.csv" for key in ("dcc", "mini")}
    before = {key: path.stat().st_mtime_ns for key, path in files.items()}
    printed = project / "config" / "papers" / "mini" / "published.csv"
    printed.write_text(printed.read_text().replace("Coclus,acc,0.99", "Coclus,acc,0.98"))
    recoco(project, "reproduce", *both)
    after = {key: path.stat().st_mtime_ns for key, path in files.items()}
    assert after["dcc"] == before["dcc"] and after["mini"] != before["mini"]
