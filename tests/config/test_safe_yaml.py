"""YAML as data: what the configuration uses is read as PyYAML reads it, bombs are refused."""

import time

import pytest
import yaml

from recoco.config.safe_yaml import NotData, parse
from recoco.config.schema import read_yaml
from recoco.core.errors import RecocoError
from support.projects import CHECKOUT

FILES = [*(CHECKOUT / "config").rglob("*.yaml"), *(CHECKOUT / "workflow").rglob("*.yaml")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_every_file_is_read_as_pyyaml_reads_it(path):
    plain = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    assert yaml.safe_dump(read_yaml(path), sort_keys=False) == yaml.safe_dump(
        plain, sort_keys=False
    )


@pytest.mark.parametrize(
    "text",
    [
        "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: {<<: [*a, {z: 4}], <<: *a}",
        "a: &a {x: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: *b, x: 3}",
        "a: [1, 0x1F, 1_000, 1:30, -0.5, 1.5e+3, .inf, true, no, null, ~, 2024-02-29, text]",
        "{1: a, '01': b, true: c, 1.5: d}",
        "a: &a text\nb: *a\n*a : c",
        "a: 0.1000000000000000055511151231257827021181583404541015625",
        "a: 2001-12-14t21:59:43.10-05:00",
        "a: |\n  two\n  lines\nb: >-\n  one\n  line",
        "\ufeffa: 1",
        "a: " + "[" * 45 + "]" * 45,
    ],
)
def test_good_yaml_stays_good(text):
    assert repr(parse(text)) == repr(yaml.safe_load(text))


def test_aliases_share_what_they_stand_for():
    content = parse("a: &a [x]\nb: *a")
    assert content["a"] is content["b"]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("a: 1\nb: 2\na: 3", 3, "'a' is given twice"),
        ("a:\n  b: 1\n  b: 2", 3, "'b' is given twice"),
        ("- {a: 1}\n- {a: 1, a: 2}", 2, "twice"),
        ("x: &x\n  y: *x", 2, "contains itself"),
        ("x: 1\ny: 2024-02-30", 2, "'2024-02-30' is not a date"),
        ("x: 1\ny: " + "1" * 65, 2, "more than 64 characters"),
        ("x:\n- " + "- " * 60, 2, "levels"),
    ],
)
def test_what_is_wrong_and_where(text, line, word):
    with pytest.raises(NotData, match=word) as caught:
        parse(text)
    assert caught.value.line == line


def test_a_key_may_occur_in_many_mappings_and_as_a_value():
    assert parse("a: {a: a, b: a}\nb: [a, a, {a: 1}]\nc: {b: 1, a: b}")["c"] == {"b": 1, "a": "b"}


def test_the_whole_configuration_is_read_quickly():
    started = time.process_time()
    for path in FILES:
        read_yaml(path)
    assert time.process_time() - started < 2, "it takes a tenth of a second"


def test_a_file_that_is_no_file(tmp_path):
    with pytest.raises(RecocoError, match="a folder instead of a file"):
        read_yaml(tmp_path)
