"""What is shown before a reproduction is finished."""

import pandas as pd
import pytest

from recoco.config import load_config
from recoco.core.files import write_json
from recoco.engine.early import first_table, in_report
from recoco.plan import datasets_of, settings_of


@pytest.fixture
def folder(tmp_path):
    """Two datasets of the CoClus paper are there, the others are not; CSTR is scored."""
    config = load_config({"papers": ["coclus"], "runs": {"first_only": True}})
    prepared = tmp_path / "resources" / "prepared"
    for card in datasets_of(config):
        status = "ok" if card in ("cstr", "classic3") else "unreachable"
        write_json(prepared / f"{card}.json", {"status": status, "classes": 4, "variant": {}})
    rows = []
    for setting in settings_of(config):
        if setting.dataset == "cstr":
            names = {key: getattr(setting, key) for key in ("dataset", "weighting", "slug")}
            value = {"coclus": 0.81, "specco": 0.63}.get(setting.method, 0.5)
            rows += [
                {**names, "kind": "run", "run": r, "status": "ok", "criterion": 1.0 * r}
                | dict.fromkeys(("acc", "nmi", "ari"), value + 0.01 * r)
                for r in range(3)
            ]
    path = tmp_path / "results" / "scores" / "cstr.parquet"
    path.parent.mkdir(parents=True)
    pd.DataFrame(rows).to_parquet(path)
    return config, tmp_path


def test_the_first_table_has_methods_datasets_and_both_numbers(folder):
    config, root = folder
    head, columns, *rows = first_table(config, root).splitlines()
    assert head == "Table 2 of coclus, ACC (binary): printed, then measured in 3 runs"
    assert columns.split() == ["CSTR"]
    numbers = {row.split()[0]: row.split()[1:] for row in rows}
    assert list(numbers) == ["SpecCo", "Coclus"]
    assert numbers["Coclus"][1] == "0.82" and numbers["SpecCo"][1] == "0.64"


def test_there_is_no_table_before_half_of_its_datasets_are_scored(folder):
    config, root = folder
    for card in ("ng2", "webace"):  # one of four is too few
        write_json(root / "resources" / "prepared" / f"{card}.json", {"status": "ok"})
    assert first_table(config, root) == ""


def write_cells(root, paper, rows):
    folder = root / "results" / "compare" / paper
    folder.mkdir(parents=True)
    pd.DataFrame(rows, columns=["item", "measured"]).to_csv(folder / "cells.csv", index=False)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("table2", 0.5)], "Table 2 of coclus is in reports/index.html"),
        (
            [("table2", 0.5), ("table1", 3.0), ("table1", None)],
            "Table 1 of coclus and another table or figure are in reports/index.html",
        ),
        (
            [("table2", None)],
            "reports/index.html has no numbers yet: no dataset of coclus is available",
        ),
        ([], "coclus: the tables and figures are in reports/index.html"),
    ],
)
def test_the_line_about_the_report_counts_items_with_numbers(tmp_path, rows, said):
    write_cells(tmp_path, "coclus", rows)
    assert in_report(tmp_path, load_config({"papers": ["coclus"]}), ["coclus"]) == said


def test_the_paper_that_came_last_is_named_first(tmp_path):
    write_cells(tmp_path, "coclus", [("table1", 1.0), ("table2", 1.0)])
    write_cells(tmp_path, "costar", [("figure10", 1.0)])
    said = in_report(tmp_path, load_config({"papers": ["coclus", "costar"]}), ["costar"])
    assert said == "Figure 10 of costar and 2 other tables and figures are in reports/index.html"
