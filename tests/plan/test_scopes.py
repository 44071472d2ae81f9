"""Choices are fitted together exactly if they change numbers in common."""

import pytest

from recoco.config.checking import _check_shared
from recoco.core.errors import RecocoError
from recoco.items import check_items
from recoco.items.scores.fits import same_runs
from recoco.plan import combination_of, combinations, parts_of, setting_of, stated_options

SETTINGS = {"runs": {"best_of": 20}}


def option(text, **more):
    return {"text": text, **more}


def choice(other, stated=None, **more):
    options = {"stated": option("s", printed=True, **(stated or {})), "other": option("o", **other)}
    return {"text": "?", "options": options, **more}


def item(**choices):
    made = {
        "kind": "scores",
        "title": "t",
        "published": "t",
        "datasets": {"A": "classic3", "B": "cstr"},
        "weightings": {"w": "count"},
        "methods": {"One": "coclus", "Two": "specco"},
        "metrics": ["acc"],
        "choices": choices,
    }
    check_items({"t": made}, "paper.yaml")
    return made


def names(block):
    return [part.choices for part in parts_of(block, SETTINGS)]


ONE = choice({"params": {"coclus": {"n_init": 5}}})
TWO = choice({"params": {"specco": {"n_init": 5}}})
SELECT = {"select": "criterion"}


def test_choices_about_different_methods_are_apart():
    block = item(one=ONE, two=TWO)
    assert names(block) == [("one",), ("two",)]
    assert [c.name for c in combinations(block, SETTINGS)] == [
        *("stated+stated", "other+stated", "stated+other")
    ]


def test_a_selection_rule_joins_what_it_selects_from():
    assert names(item(one=ONE, two=TWO, selection=choice(SELECT))) == [("one", "two", "selection")]
    scoped = choice(SELECT, scope={"methods": ["Two"]})
    assert names(item(one=ONE, two=TWO, selection=scoped)) == [("one",), ("two", "selection")]
    on_a = choice({"params": {"coclus": {"tol": 1}}}, scope={"datasets": ["A"]})
    on_b = choice({"weightings": {"cstr": {"w": "binary"}}}, scope={"datasets": ["B"]})
    assert names(item(a=on_a, b=on_b)) == [("a",), ("b",)]


def test_a_choice_that_changes_nothing_has_no_part():
    assert names(item(none=choice({"params": {"skmeans": {"n_init": 5}}}), one=ONE)) == [("one",)]


def test_a_scope_limits_what_a_choice_changes():
    block = item(selection=choice(SELECT, scope={"methods": ["Two"], "datasets": ["B"]}))
    other = combination_of(block, SETTINGS, {"selection": "other"})
    selects = {(d, m): other.at(d, m).select for d in "AB" for m in ("One", "Two")}
    assert [place for place, select in selects.items() if select == "criterion"] == [("B", "Two")]
    block = item(one=ONE | {"scope": {"datasets": ["B"]}})
    other = combination_of(block, SETTINGS, {"one": "other"})
    params = {d: setting_of(block, other, d, "w", "One").params for d in "AB"}
    assert params == {"A": (), "B": (("n_init", 5),)}


def test_what_the_paper_states_comes_first():
    block = item(one=ONE, two=TWO)
    assert stated_options(block) == {"one": "stated", "two": "stated"}
    first = combinations(block, SETTINGS)[0]
    assert first.printed and first.text == "as printed"


def test_tables_of_the_same_runs_must_not_disagree():
    first, second = item(one=ONE), item(one=choice({"params": {"coclus": {"n_init": 9}}}))
    assert same_runs(first, second)
    _check_shared({"a": first, "b": item(one=ONE)}, "paper.yaml")
    with pytest.raises(RecocoError, match=r"a and b come from the same runs, .* 'one' differ"):
        _check_shared({"a": first, "b": second}, "paper.yaml")
    elsewhere = {**second, "weightings": {"w": "binary"}}
    _check_shared({"a": first, "b": elsewhere}, "paper.yaml")
