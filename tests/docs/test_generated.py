"""The derived parts of the documentation are up to date, and its links lead somewhere."""

import importlib.util
import re

import pytest

from support.projects import CHECKOUT


def load_generator():
    spec = importlib.util.spec_from_file_location("generate", CHECKOUT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = load_generator()
PAGES = sorted([*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").glob("*.md")])


def test_configuration_page_is_made_from_the_schemas():
    assert generate.PAGE.read_text(encoding="utf-8") == generate.configuration(), "run `make docs`"


def test_configuration_page_describes_every_key():
    page = generate.configuration()
    assert "| `runs.best_of` | integer ≥ 2; default `20` |" in page
    assert "| **`sources`** |" in page  # required
    anchors = {generate._slug(head) for head in re.findall(r"^#+ (.*)", page, re.MULTILINE)}
    assert set(re.findall(r"\(#([^)]*)\)", page)) <= anchors
    empty = re.findall(r"^\| \W*`([^`]*)`.*\|  \|$", page, re.MULTILINE)
    left = [key for key in empty if not key.endswith(("[]", "NAME"))]  # their parents say it
    assert not left, f"keys without a description: {left}"


def test_licences_page_is_that_of_the_lock():
    assert generate.LICENCES.read_text(encoding="utf-8") == generate.licences(), "run `make docs`"
    page = generate.licences()
    assert "| not stated |" not in page and "http" not in page
    assert "| numba |" in page and "| recoco |" not in page


def test_a_licence_is_taken_where_it_is_stated():
    from email.message import Message

    def stated(**fields) -> str:
        about = Message()
        for key, value in fields.items():
            for each in value if isinstance(value, list) else [value]:
                about[key.replace("_", "-")] = each
        return generate.stated_licence(about)

    bsd, mit = "License :: OSI Approved :: BSD License", "License :: OSI Approved :: MIT License"
    assert stated(License_Expression="MIT", Classifier=bsd) == "MIT"
    assert stated(License="Apache 2.0", Classifier=bsd) == "Apache 2.0"
    assert stated(License="The whole text.\n Of a licence.", Classifier=bsd) == "BSD License"
    assert stated(Classifier=["Topic :: X", bsd, mit]) == "BSD License or MIT License"
    assert stated(Classifier="Topic :: X") == ""
    with pytest.raises(ValueError, match="run `make setup`"):
        generate.licence_of("numba", "0.0.1")
    with pytest.raises(ValueError, match="run `make setup`"):
        generate.licence_of("no-such-package", "1.0")


@pytest.mark.workflow
def test_diagrams_are_those_of_the_rules():
    edges = generate.stage_edges()
    assert {("fetch", "prepare"), ("run", "score"), ("report", "archive")} <= edges
    for name, diagram in generate.diagrams(edges).items():
        page = (CHECKOUT / name).read_text(encoding="utf-8")
        assert page == generate.with_diagram(page, diagram), f"{name}: run `make docs`"


def test_reduced_keeps_only_the_longest_ways():
    edges = {("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")}
    assert generate.reduced(edges) == {("a", "b"), ("b", "c"), ("a", "d")}


def test_a_circle_of_stages_is_refused():
    with pytest.raises(ValueError, match="circle"):
        generate._in_order({("a", "b"), ("b", "a")})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
