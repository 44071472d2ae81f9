"""Names from data are shown in the report and never run: looked at in a real browser."""

import json
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("selenium")

from apps.test_cocluster import write_texts
from recoco.apps.cocluster import cocluster_folder
from recoco.report import render
from report.test_browser import CELL, PAGES, is_open, until
from support.report_inputs import own_inputs

pytestmark = pytest.mark.browser

SCRIPT = "<script>window.ran=1</script>"
EVIL = f'{SCRIPT}<img src=x onerror="window.ran=1">'
# where a name from data stands, by page: terms, classes, titles of datasets, words of errors
SHOWN = {
    "paper=words": "a term",
    "paper=ensembles": "a class and a neighbour",
    "datasets": "a dataset and what was left out of it",
    "paper=tables": "an error and a claim",
}


def name_evil(inputs: dict) -> None:
    """Put a script into all that comes from data: terms, classes, titles, files, errors."""
    folders = inputs["compare_dirs"]
    for paper, file, column in (
        ("words", "words", "words"),
        ("ensembles", "coclusters", "class"),
        ("ensembles", "neighbours", "word"),
        ("tables", "cells", "reason"),
        ("tables", "claims", "evidence"),
        ("tables", "characteristics", "note"),
    ):
        path = Path(folders[paper]) / f"{file}.csv"
        table = pd.read_csv(path)
        table[column] = [
            f"{EVIL} {value}" if isinstance(value, str) else EVIL for value in table[column]
        ]
        table.to_csv(path, index=False)
    for path in map(Path, inputs["characteristics"]):
        record = json.loads(path.read_text())
        record["title"] = f"{EVIL} {record['title']}"
        if record["status"] == "ok":
            record["class_sizes"] = {f"{EVIL} {k}": v for k, v in record["class_sizes"].items()}
            record["dropped"] = [f"file {EVIL}"]
            record["source"]["where"] = EVIL
        path.write_text(json.dumps(record))


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    inputs = own_inputs(tmp_path_factory.mktemp("evil"))
    name_evil(inputs)
    render(**inputs)
    return (inputs["out_dir"] / "index.html").as_uri()


def test_no_name_is_run_and_names_are_shown(browser, address):
    shown = {}
    for place in [*PAGES, f"cell={CELL}"]:
        browser.get("about:blank")
        browser.get(f"{address}#{place}")
        ran, scripts, images = browser.execute_script(
            "return [window.ran, document.scripts.length, "
            "document.querySelectorAll('img[src=x]').length]"
        )
        assert ran is None and scripts == 2 and images == 0, place
        shown[place] = browser.execute_script("return document.body.textContent")
    for place, what in SHOWN.items():
        assert SCRIPT in shown[place], f"{what} is not shown"
    refused = [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"]
    assert refused == []  # the page's policy had nothing to stop: there was no script


def test_a_document_named_like_a_script_is_shown(browser, tmp_path):
    """The page of `recoco cocluster` names documents by their files."""
    texts = write_texts(tmp_path / "texts")
    name = "<script>window.ran=1;<img src=x onerror=window.ran=1>"  # no file name has a slash
    (texts / name).write_text("bread flour dough yeast oven crust butter sugar " * 3)
    _, out = cocluster_folder(texts, tmp_path / "out", clusters=3)
    browser.get((out / "index.html").as_uri())
    ran, images, shown = browser.execute_script(
        "return [window.ran, document.querySelectorAll('img[src=x]').length, "
        "document.body.textContent]"
    )
    assert ran is None and images == 0
    assert name in shown


def test_the_dialog_of_a_cell_shows_the_error_of_its_run(browser, address):
    browser.get("about:blank")
    browser.get(f"{address}#cell={CELL}")
    until(browser, is_open)
    assert SCRIPT in browser.execute_script(
        "return document.querySelector('dialog[open]').textContent"
    )
    assert browser.execute_script("return window.ran") is None
