"""docs/examples/extremes.py: the kind that CONTRIBUTING.md offers for copying."""

import importlib.util
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from recoco import items
from recoco.compare.comparison import Comparison
from recoco.core.errors import RecocoError
from recoco.items import check_items
from recoco.report.figures import drawing as draw
from support.projects import CHECKOUT

NAME = "recoco.items.extremes"
SCORES = {"kind": "scores", "title": "t", "datasets": {"D": "d"}, "weightings": {"w": "count"}}
SCORES |= {"methods": {"A": "coclus", "B": "skmeans"}, "metrics": ["nmi", "ari"]}


@pytest.fixture
def kind(monkeypatch):
    """The example as a registered kind; taken out again after the test."""
    path = CHECKOUT / "docs" / "examples" / "extremes.py"
    spec = importlib.util.spec_from_file_location(NAME, path)
    module = importlib.util.module_from_spec(spec)
    draw.drawings()  # before the patches, so that the other drawings stay registered
    monkeypatch.setattr(draw, "DRAWINGS", dict(draw.DRAWINGS))
    monkeypatch.setattr(draw, "DATA", dict(draw.DATA))
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, NAME, module)
    known = {**items.kinds(), "extremes": module.KIND}
    monkeypatch.setattr(items, "kinds", lambda: known)
    yield module.KIND
    items.validator_of.cache_clear()


def test_the_example_declares_what_it_uses(kind):
    assert kind.figures == (NAME,) and kind.drawing in draw.DRAWINGS
    own = {"kind": "extremes", "title": "e", "of": "t"}
    check_items({"t": dict(SCORES), "e": own}, "paper.yaml")
    assert own["metric"] == "nmi" and own["draw"] == kind.drawing
    with pytest.raises(RecocoError, match=r"Unknown metric 'acc' in paper\.yaml, items\.e"):
        check_items({"t": dict(SCORES), "e": {**own, "metric": "acc"}}, "paper.yaml")


def test_the_example_writes_rows_and_draws_them(kind):
    table = SimpleNamespace(
        as_printed=None,
        methods=["A", "B"],
        settings=lambda _, methods: [("D", "w", method, None) for method in methods],
        values=lambda _d, _w, method, _m: np.array([0.2, 0.9] if method == "A" else []),
    )
    comparison = SimpleNamespace(items={"t": SCORES}, table=lambda _: table)
    rows = kind.rows(comparison, "e", {"of": "t", "metric": "nmi"})["extremes"]
    assert [list(row) for row in rows] == [kind.tables["extremes"]]
    assert (rows[0]["method"], rows[0]["low"], rows[0]["high"]) == ("A", 0.2, 0.9)
    texts = [{key: str(value) for key, value in row.items()} for row in rows]
    for found, lines in ((texts, 1), ([], 0)):
        subject = SimpleNamespace(rows=lambda _, f=found: f, item={"metric": "nmi"})
        figure = draw.DRAWINGS[kind.drawing](subject)
        assert len(figure.axes[0].lines) == lines


def test_rows_of_an_undeclared_table_are_refused():
    comparison = Comparison(*([None] * 7))
    with pytest.raises(RecocoError, match="No kind of item declares the table 'extremes'"):
        comparison.add({"extremes": []})
