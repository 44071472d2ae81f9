"""Mistakes are answered with one sentence, a non-zero code, and nothing half-written."""

import pytest
import yaml

from support.projects import recoco, write_yaml


def refuse(project, *arguments) -> str:
    done = recoco(project, *arguments, check=False)
    assert done.returncode not in (0, 1), done.stderr
    said = done.stderr.strip()
    assert said.startswith("recoco: ") and "\n" not in said and "Traceback" not in said
    assert not (project / "results" / "runs").exists()
    return said


def change(project, file: str, edit) -> None:
    path = project / "config" / file
    content = yaml.safe_load(path.read_text())
    edit(content)
    write_yaml(path, content)


def test_misspelt_key(project):
    change(project, "config.yaml", lambda c: c["runs"].update(frist=3))
    said = refuse(project, "reproduce")
    assert "config.yaml" in said and "'frist'" in said and "did you mean 'first'?" in said


def test_unknown_paper(project):
    assert "'mini'" in refuse(project, "reproduce", "--paper", "minni")


@pytest.mark.parametrize(
    ("key", "wrong", "meant"),
    [
        ("datasets", {"PLANTED": "planted-smal"}, "planted-small"),
        ("methods", {"Coclus": "coclust"}, "coclus"),
        ("weightings", {"binary": "binry"}, "binary"),
    ],
)
def test_unknown_name_in_a_paper(project, key, wrong, meant):
    change(project, "papers/mini/paper.yaml", lambda c: c["items"]["table2"].update({key: wrong}))
    said = refuse(project, "reproduce")
    assert "mini/paper.yaml" in said and meant in said


def test_method_parameter_that_does_not_exist(project):
    change(project, "methods.yaml", lambda c: c["coclus"].update(params={"max_itre": 3}))
    said = refuse(project, "reproduce")
    assert "max_itre" in said and "methods.yaml" in said


def test_broken_yaml(project):
    (project / "config" / "config.yaml").write_text("papers: [mini\nruns: {")
    assert "not valid YAML" in refuse(project, "reproduce")


def test_results_folder_that_cannot_be_written(project):
    (project / "results").write_text("a file where the folder should be")
    done = recoco(project, "reproduce", check=False)
    assert done.returncode == 2
    assert "Cannot write in" in done.stderr and "make it writable" in done.stderr


def test_fit_with_unknown_names(project):
    assert "did you mean" in refuse(project, "fit", "--method", "coclsu", "--dataset", "ng2")
    assert "ng20" in refuse(project, "fit", "--method", "coclus", "--dataset", "ng200")


def test_fit_with_too_many_clusters(project):
    said = refuse(
        project, "fit", "--method", "coclus", "--dataset", "planted-small", "--clusters", "100000"
    )
    assert "100000" in said


def test_runs_must_be_a_count(project):
    done = recoco(project, "reproduce", "--runs", "0", check=False)
    assert done.returncode == 2 and "whole number" in done.stderr


def test_verdict_before_any_result(project):
    assert "make reproduce" in refuse(project, "verdict")
