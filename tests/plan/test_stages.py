"""In which order the papers of the first pass are computed."""

from itertools import pairwise

import pytest

from recoco.config import load_config
from recoco.plan import settings_of
from recoco.plan.stages import stages_of

PAPERS = ["coclus", "costar", "tsplbm"]


def config_of(papers=PAPERS):
    return load_config({"papers": papers, "runs": {"first_only": True}})


@pytest.fixture
def no_mirror(monkeypatch):
    monkeypatch.setattr("recoco.core.paths.mirrors", lambda: [])


def test_each_stage_adds_the_paper_that_takes_least(tmp_path, no_mirror):
    stages = stages_of(config_of(), tmp_path)
    assert stages[0] == ["costar"] and stages[-1] == PAPERS
    assert [len(papers) for papers in stages] == [1, 2, 3]
    assert all(set(a) < set(b) for a, b in pairwise(stages))
    assert all(papers == [key for key in PAPERS if key in papers] for papers in stages)


def test_a_report_never_loses_a_paper(tmp_path, no_mirror):
    """A paper that was compared is in every stage, so also in every report."""
    for key, expected in (("tsplbm", 2), ("coclus", 1)):
        folder = tmp_path / "results" / "compare" / key
        folder.mkdir(parents=True)
        (folder / "cells.csv").write_text("")
        stages = stages_of(config_of(), tmp_path)
        assert all(key in papers for papers in stages) and len(stages) == expected
    (tmp_path / "results" / "compare" / "costar").mkdir()
    (tmp_path / "results" / "compare" / "costar" / "cells.csv").write_text("")
    assert stages_of(config_of(), tmp_path) == [PAPERS]


def test_a_report_that_the_next_would_soon_replace_is_left_out(tmp_path, no_mirror, monkeypatch):
    for others, expected in ((29.0, [PAPERS]), (31.0, [["costar"], PAPERS])):
        costs = {"costar": 1.0, "coclus": others, "tsplbm": others}
        monkeypatch.setattr(
            "recoco.plan.stages._cost", lambda own, _, costs=costs: costs[next(iter(own.papers))]
        )
        assert stages_of(config_of(), tmp_path) == expected


def test_one_paper_is_one_stage(tmp_path, no_mirror):
    assert stages_of(config_of(["coclus"]), tmp_path) == [["coclus"]]


def test_papers_that_share_a_setting_but_not_its_runs_are_computed_together(tmp_path, no_mirror):
    """Else the blocks of runs would have other borders than in one stage."""
    config = config_of(["coclus", "ebco"])
    shared = set(settings_of(config_of(["coclus"]))) & set(settings_of(config_of(["ebco"])))
    assert shared and len(stages_of(config, tmp_path)) == 2
    first = config.papers[stages_of(config, tmp_path)[0][0]]
    first["runs"] = 2
    for item in first["items"].values():
        item["runs"] = 2
    assert stages_of(config, tmp_path) == [["coclus", "ebco"]]
