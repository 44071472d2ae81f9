"""Config files are data: nothing in them is evaluated, no name in them leads out of the project."""

import pytest
import yaml

from recoco.config import load_config
from recoco.core.errors import RecocoError
from recoco.datasets import load_card
from support.projects import CHECKOUT, make_project, write_yaml


@pytest.fixture
def home(tmp_path, monkeypatch):
    project = make_project(tmp_path / "project")
    monkeypatch.setenv("RECOCO_ROOT", str(project))
    monkeypatch.chdir(project)
    return project


FILES = ("config.yaml", "methods.yaml", "papers/mini/paper.yaml", "datasets/cstr.yaml")
TAGS = (
    "!!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path [ran]]",
    "!!python/object/apply:os.system ['touch ran']",
    "!!python/object/new:os.system ['touch ran']",
    "!!python/name:os.system",
    "!!python/module:os",
)


def load(file: str):
    return load_card("cstr") if file.startswith("datasets") else load_config()


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_of_python_is_refused_and_nothing_runs(home, file, tag):
    path = home / "config" / file
    path.write_text(f"{path.read_text()}\nextra: {tag}\n")
    with pytest.raises(RecocoError, match="is not valid YAML"):
        load(file)
    assert not (home / "ran").exists()


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "${HOME}", "$(touch ran)", "`touch ran`", "%(x)s"])
def test_text_stays_text(home, text):
    path = home / "config" / "papers" / "mini" / "paper.yaml"
    paper = yaml.safe_load(path.read_text())
    paper["title"] = text
    write_yaml(path, paper)
    assert load_config().papers["mini"]["title"] == text
    assert not (home / "ran").exists()


OUT = ("../out", "../../out", "/out", "a/../../out", "..", ".hidden", "a\\b", "a b/c")


def edit(home, file: str, change) -> None:
    path = home / "config" / file
    content = yaml.safe_load(path.read_text())
    change(content)
    write_yaml(path, content)


@pytest.mark.parametrize("name", OUT)
def test_no_name_leads_out_of_the_project(home, name):
    def item(paper):
        paper["items"][name] = paper["items"].pop("table1")

    def method(paper):
        paper["items"]["table2"]["methods"]["Own"] = name

    def dataset(paper):
        paper["items"]["table2"]["datasets"]["OWN"] = name

    def weighting(paper):
        paper["items"]["table2"]["weightings"]["own"] = name

    original = (home / "config" / "papers" / "mini" / "paper.yaml").read_text()
    for change in (item, method, dataset, weighting, lambda paper: paper.update(key=name)):
        edit(home, "papers/mini/paper.yaml", change)
        with pytest.raises(RecocoError):
            load_config()
        (home / "config" / "papers" / "mini" / "paper.yaml").write_text(original)
    with pytest.raises(RecocoError):
        load_config({"papers": [name]})
    edit(home, "methods.yaml", lambda methods: methods.update({name: {"params": {}}}))
    with pytest.raises(RecocoError, match=r"methods\.yaml"):
        load_config()


@pytest.mark.parametrize("name", OUT)
def test_no_file_of_a_card_leads_out_of_its_folder(home, name):
    for change in (
        lambda card: card["sources"][0]["files"][0].update(name=name),
        lambda card: card.update(parser={"name": "arff", "file": name}),
        lambda card: card.update(based_on=name),
    ):
        edit(home, "datasets/cstr.yaml", change)
        with pytest.raises(RecocoError):
            load_card("cstr")
        (home / "config" / "datasets" / "cstr.yaml").write_text(
            (CHECKOUT / "config" / "datasets" / "cstr.yaml").read_text()
        )


def test_the_files_as_they_are_are_good(home):
    assert load_config().papers["mini"]["title"] and load_card("cstr")["name"] == "cstr"
