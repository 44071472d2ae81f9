"""Twins in the workflow: they run through every stage, and nothing is judged on them."""

import csv
import json
import shutil
import zipfile
from pathlib import Path

import pandas as pd
import pytest
import yaml

from recoco.compare.twins import MARK
from support.projects import make_project, recoco, write_paper, write_yaml

pytestmark = pytest.mark.workflow

COMPUTED = {
    "datasets": {"HERE": "planted-small", "ALSO": "also", "GONE": "gone"},
    "weightings": {"binary": "binary"},
    "methods": {"Coclus": "coclus", "SpecCo": "specco"},
    "metrics": ["nmi"],
}
PAPER = {
    "key": "mini",
    "title": "A paper of which one dataset is gone",
    "authors": "nobody",
    "venue": "none",
    "year": 2000,
    "runs": 2,
    "items": {
        "table": {
            "kind": "scores",
            "title": "Table",
            "published": "table",
            **COMPUTED,
            "choices": {
                "selection": {
                    "text": "What is averaged?",
                    "options": {
                        "single": {"text": "starts", "printed": True, "select": "mean"},
                        "oracle": {"text": "oracle", "select": "best"},
                    },
                }
            },
        },
        "gain": {
            "kind": "gains",
            "title": "Gain",
            "published": "gain",
            "of": "table",
            "over": "SpecCo",
        },
        "board": {
            "kind": "leaderboard",
            "title": "Board",
            **COMPUTED,
        },
        "sizes": {
            "kind": "characteristics",
            "title": "Datasets",
            "datasets": {"HERE": "planted-small", "GONE": "gone"},
        },
    },
}
PUBLISHED = """paper,item,dataset,weighting,method,metric,value,sd,best,note
mini,table,HERE,binary,Coclus,nmi,0.99,0.5,,
mini,table,HERE,binary,SpecCo,nmi,0.10,0.001,,
mini,table,ALSO,binary,Coclus,nmi,0.99,0.5,,
mini,table,ALSO,binary,SpecCo,nmi,0.10,0.001,,
mini,table,GONE,binary,Coclus,nmi,0.50,0.5,,
mini,table,GONE,binary,SpecCo,nmi,0.50,0.5,,
mini,gain,all,binary,SpecCo,nmi_mean_gain,0.10,,,
"""
CLAIMS = {
    "C1": {
        "claim": "Coclus is better than SpecCo",
        "how_to_check": "mean NMI of the runs",
        "scope": "3 datasets",
        "check": {
            "form": "above",
            "order": ["Coclus", "SpecCo"],
            "metrics": ["nmi"],
            "evidence": "mean NMI has {first} above {second} in {above} of {total}",
        },
    }
}
SIZES = [40, 30, 20]


def reproduce(project: Path, *options: str, **more) -> str:
    return recoco(project, "reproduce", "--cores", "2", *options, timeout=1800, **more).stdout


def compared(project: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (project / "results" / "compare" / "mini").iterdir()}


def status(project: Path) -> str:
    return json.loads((project / "resources" / "prepared" / "gone.json").read_text())["status"]


def drawn(project: Path) -> dict[str, float]:
    with (project / "results" / "compare" / "mini" / "drawn.csv").open() as stream:
        return {row["cell"]: float(row["twin"]) for row in csv.DictReader(stream)}


@pytest.fixture(scope="module")
def twin_project(tmp_path_factory) -> Path:
    """A project whose unreachable dataset is replaced by its twin."""
    project = make_project(tmp_path_factory.mktemp("twins") / "project")
    datasets = project / "config" / "datasets"
    also = yaml.safe_load((datasets / "planted-small.yaml").read_text())
    also["sources"][0]["planted"]["seed"] = 3
    write_yaml(datasets / "also.yaml", {**also, "title": "Also", "printed_as": {}})
    target = {"method": "coclus", "weighting": "binary", "value": 0.5, "from": "printed"}
    twin = {"class_sizes": SIZES, "separation": 0.9, "target": target}
    gone = {
        **dict.fromkeys(("title", "description", "citation", "licence"), "Gone"),
        "by_hand": "ask the authors",
        "content": "counts",
        "parser": {"name": "csv", "file": "gone.csv", "labels": "topic"},
        "expected": {"rows": 90, "columns": [30], "classes": 3},
        "sources": [{"kind": "mirror", "files": [{"at": "gone/gone.csv"}]}],
        "twin": {**twin, "nonzeros": [600]},
    }
    write_yaml(datasets / "gone.yaml", gone)
    folder = write_paper(project, PAPER, PUBLISHED)
    write_yaml(folder / "claims.yaml", CLAIMS)
    said = reproduce(project, "--quick")
    assert "2 unreachable" in said
    return project


def copy_of(project: Path, folder: Path) -> Path:
    return shutil.copytree(project, folder / "copy", symlinks=True)


def test_a_twin_runs_through_all_stages(twin_project):
    assert status(twin_project) == "twin"
    scores = pd.read_parquet(twin_project / "results" / "scores" / "gone.parquet")
    assert scores.loc[scores["kind"] == "run", "status"].isin(["ok", "degenerate"]).all()
    names = ("mini:table:GONE:binary:Coclus:nmi", "mini:table:GONE:binary:SpecCo:nmi")
    assert drawn(twin_project).keys() == set(names)
    assert all(0 < value <= 1 for value in drawn(twin_project).values())


def test_the_report_marks_the_numbers_of_a_twin(twin_project):
    page = (twin_project / "reports" / "index.html").read_text()
    first = page.index('class="lead"')
    assert "1 unreachable from here and replaced by twins" in page[first : first + 400]
    assert f"({MARK})" in page
    table = (twin_project / "reports" / "tables" / "mini_table.md").read_text()
    assert "twin |" in table and f"In the column twin: {MARK}." in table
    row = next(line for line in table.splitlines() if line.startswith("| GONE"))
    assert row.count("unreachable U") == 2
    here = next(line for line in table.splitlines() if line.startswith("| HERE"))
    assert here.split("|")[4].strip() == ""


def test_nothing_is_judged_on_a_twin(twin_project, tmp_path):
    """All that is judged has the same bytes with the twin and, switched off, without it."""
    project = copy_of(twin_project, tmp_path)
    with_twin = compared(project)
    assert status(project) == "twin"
    reproduce(project, "--quick", "--twins", "none")
    assert status(project) == "unreachable"
    without = compared(project)
    assert without.pop("drawn.csv") != with_twin.pop("drawn.csv")
    assert without == with_twin
    claims = pd.read_csv(project / "results" / "compare" / "mini" / "claims.csv")
    assert "of 2" in claims["evidence"].iloc[0]
    standings = pd.read_csv(project / "results" / "compare" / "mini" / "standings.csv")
    assert standings["n_datasets"].max() == 2


def test_the_reference_leaves_a_twin_out(twin_project, tmp_path):
    project = copy_of(twin_project, tmp_path)
    (project / "reports" / "reference").mkdir(parents=True, exist_ok=True)
    recoco(project, "reference", "--save")
    saved = project / "reports" / "reference"
    assert set(pd.read_parquet(saved / "mini" / "scores.parquet")["dataset"]) == {
        "planted-small",
        "also",
    }
    provenance = json.loads((saved / "mini" / "provenance.json").read_text())
    assert {e["dataset"]: e["status"] for e in provenance["data"]}["gone"] == "unreachable"
    assert "twin" not in provenance["data_mode"]
    assert "twin" not in (saved / "README.md").read_text()
    cells = pd.read_csv(saved / "data" / "mini_cells.csv")
    assert cells.equals(pd.read_csv(project / "results" / "compare" / "mini" / "cells.csv"))
    assert "identical" in recoco(project, "reference", "--check").stdout


def test_an_archive_marks_a_twin_and_is_verified(twin_project, tmp_path):
    project = copy_of(twin_project, tmp_path)
    recoco(project, "archive", "--cores", "2")
    with zipfile.ZipFile(project / "dist" / "recoco-archive.zip") as archive:
        record = json.loads(archive.read("resources/prepared/gone.json"))
        assert record["status"] == "twin"
        assert "resources/prepared/gone.npz" not in archive.namelist()
        assert MARK in archive.read("ro-crate-metadata.json").decode()
    said = recoco(project, "verify", "dist/recoco-archive.zip", "--rerun", "100%").stdout
    assert "gone" not in said and "NOT" not in said, said
    assert "reruns (8 of 8 runs)" in said


def test_real_data_replace_the_twin(twin_project, tmp_path):
    project = copy_of(twin_project, tmp_path)
    before = drawn(project)
    mirror = tmp_path / "mirror"
    (mirror / "gone").mkdir(parents=True)
    with (mirror / "gone" / "gone.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["topic", *(f"word{j}" for j in range(30))])
        for row in range(90):
            k = row % 3
            writer.writerow([f"t{k}", *(int(j // 10 == k or j == row % 30) for j in range(30))])
    env = {"RECOCO_MIRROR": str(mirror)}
    recoco(project, "fetch", env=env)
    assert status(project) == "ok"
    said = reproduce(project, "--quick", env=env)
    assert "0 unreachable" in said and before and drawn(project) == {}
    cells = pd.read_csv(project / "results" / "compare" / "mini" / "cells.csv")
    gone = cells[cells["dataset"] == "GONE"]
    assert gone["measured"].notna().all() and (gone["measured"] != [*before.values()]).all()
