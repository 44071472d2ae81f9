"""A paper's folder is read once and checked before anything runs."""

import shutil

import pytest
import yaml

from recoco.compare.claims import FORMS, FUNCTIONS
from recoco.config import load_config
from recoco.config.papers import Paper, all_papers, load_paper, paper_folders, use_folder
from recoco.config.schema import read_yaml
from recoco.core.errors import RecocoError
from recoco.datasets import list_cards, load_card
from support.projects import CHECKOUT, MINI_PAPER, MINI_PUBLISHED, write_paper

DCC = CHECKOUT / "docs" / "examples" / "dcc"
CLAIM = {"claim": "a", "scope": "b"}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with the mini paper, whose folder the test may change."""
    (tmp_path / "config").mkdir()
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow" / "schemas").symlink_to(CHECKOUT / "workflow" / "schemas")
    for name in ("datasets", "methods.yaml"):
        (tmp_path / "config" / name).symlink_to(CHECKOUT / "config" / name)
    (tmp_path / "config" / "config.yaml").write_text("papers: [mini]\n")
    write_paper(tmp_path, MINI_PAPER, MINI_PUBLISHED)
    monkeypatch.setenv("RECOCO_ROOT", str(tmp_path))
    monkeypatch.delenv("RECOCO_PAPERS", raising=False)
    return tmp_path


def change(project, *keys, value):
    """Set an entry of the mini paper."""
    paper = yaml.safe_load(yaml.safe_dump(MINI_PAPER))
    place = paper
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    write_paper(project, paper)


TABLE = ("items", "table2")
SCOPE = (*TABLE, "choices", "selection", "scope")
METRICS = {"options": {"a": {"text": "a", "printed": True, "metrics": {"acc": "ack@other"}}}}


@pytest.mark.parametrize(
    ("keys", "value", "meant"),
    [
        ((*TABLE, "metrics"), ["ac"], "Unknown metric 'ac' .*items.table2: did you mean 'acc'"),
        ((*TABLE, "choices", "m"), {"text": "?", **METRICS}, "Unknown metric 'ack'"),
        (SCOPE, {"methods": ["Coclos"]}, "Unknown printed method 'Coclos' .*selection.scope"),
        (SCOPE, {"datasets": ["GON"]}, "Unknown printed dataset 'GON' .*: known are GONE, PLANTED"),
        (SCOPE, {"tables": ["tabel2"]}, "Unknown table 'tabel2' .* did you mean 'table2'"),
        ((*TABLE, "test", "kind"), "welsh", "Unknown test 'welsh' .* did you mean 'welch'"),
        ((*TABLE, "test", "methods"), ["Coclus", "Spec"], "did you mean 'SpecCo'"),
        ((*TABLE, "weightings"), {"binary": "binari"}, "did you mean 'binary'"),
        ((*TABLE, "methods", "Coclus"), "coclu", "did you mean 'coclus'"),
        ((*TABLE, "published"), "tabel2", "items.table2.published: did you mean 'table2'"),
        ((*TABLE, "datasets", "GONE"), "sport", "did you mean 'sports'"),
        (("items", "f"), {"kind": "figure", "title": "f", "draw": "nmi_bar"}, "'nmi_bars'"),
        (("items", "e"), {"kind": "example", "title": "e", "example": "x"}, "Unknown example"),
        (("key",), "other", "the key is 'other', but the folder is 'mini'"),
    ],
)
def test_a_wrong_name_is_refused_before_anything_runs(project, keys, value, meant):
    assert load_config().papers["mini"]["title"]
    folder = project / "config" / "papers" / "mini"
    change(project, *keys, value=value)
    if keys == ("key",):
        shutil.move(project / "config" / "papers" / "other" / "paper.yaml", folder / "paper.yaml")
    with pytest.raises(RecocoError, match=meant):
        load_config()


@pytest.mark.parametrize(
    ("before", "after", "meant"),
    [
        ("Coclus,acc,0.99", "Coclus,ack,0.99", "line 2.* did you mean 'acc'"),
        ("Coclus,acc,0.99", "Coclos,acc,0.99", "line 2.* did you mean 'Coclus'"),
        ("PLANTED,binary,Coclus", "PLANTED,binery,Coclus", "did you mean 'binary'"),
        ("table2,PLANTED,binary,Coclus", "table2,planted,binary,Coclus", "dataset 'planted'"),
        ("0.99,0.5", "0.99,half", "line 2: sd is 'half'"),
        ("mini,table2,GONE", "mini,tabel2,GONE", "line 5: did you mean 'table2'"),
        ("mini,table2,GONE", "maxi,table2,GONE", "line 5 is about 'maxi'"),
        (",,<", ",,<,more", "line 4 does not have 10 fields"),
        ("metric,value", "metrics,value", "unknown column 'metrics': did you mean 'metric'"),
    ],
)
def test_a_wrong_printed_row_is_refused(project, before, after, meant):
    assert before in MINI_PUBLISHED
    write_paper(project, MINI_PAPER, MINI_PUBLISHED.replace(before, after))
    with pytest.raises(RecocoError, match=meant):
        load_config()


@pytest.mark.parametrize(
    ("name", "row", "meant"),
    [
        ("causes.csv", "paper,cells,cause,evidence\nmini,mini:x,weighting,{printed}", "'mini:x'"),
        (
            "errata.csv",
            "id,paper,item,where,printed,correct,evidence,kind,cells\nm,mini,t,w,1,2,e,copy,mini:y",
            "errata.csv, m: no printed cell is named 'mini:y'",
        ),
    ],
)
def test_causes_and_errata_are_about_printed_cells(project, name, row, meant):
    (project / "config" / "papers" / "mini" / name).write_text(f"{row}\n")
    with pytest.raises(RecocoError, match=meant):
        load_config()


def test_printed_datasets_that_no_item_lists_are_refused_only_together(project):
    some = MINI_PUBLISHED.replace("PLANTED", "PLANTED2", 1)
    write_paper(project, MINI_PAPER, some)
    assert load_config().papers["mini"]["title"]
    change(project, *TABLE, "datasets", value={"OTHER": "planted-small"})
    with pytest.raises(RecocoError, match=r"printed dataset 'PLANTED2' .*line 2: known are OTHER"):
        load_config()


def test_an_unknown_paper_is_not_blamed_on_config_yaml(project):
    with pytest.raises(RecocoError, match="Unknown paper 'mino': did you mean 'mini'"):
        load_config({"papers": ["mino"]})
    (project / "config" / "config.yaml").write_text("papers: [mino]\n")
    with pytest.raises(RecocoError, match=r"Unknown paper 'mino' in config\.yaml"):
        load_config()


@pytest.mark.parametrize(
    ("check", "meant"),
    [
        ({"form": "bests", "method": "Coclus"}, "unknown form 'bests': did you mean 'best'"),
        ({"form": "best", "methods": "Coclus"}, "unknown key 'methods'.* did you mean 'method'"),
        ({"form": "best"}, "A1.check: 'method' is missing"),
        ({"form": "best", "method": "Coclos"}, "printed method 'Coclos' .* did you mean 'Coclus'"),
        ({"form": "above", "order": ["Coclus", "Spec"]}, "did you mean 'SpecCo'"),
        ({"form": "best", "method": "Coclus", "metrics": ["nmi"]}, "metric of a table 'nmi'"),
        ({"function": "settle_early"}, "did you mean 'settles_early'"),
        ({"form": "best", "method": "Coclus", "item": "table"}, "did you mean 'table2'"),
        (
            {"form": "above", "order": ["Coclus", "SpecCo"], "evidence": "{abov} of {total}"},
            "Unknown field of evidence 'abov' .* did you mean 'above'",
        ),
        (
            {"form": "above", "order": ["Coclus", "SpecCo"], "evidence": "{above of {total}"},
            "evidence cannot be filled in",
        ),
    ],
)
def test_a_claim_that_cannot_be_checked_is_refused(project, check, meant):
    path = project / "config" / "papers" / "mini" / "claims.yaml"
    path.write_text(yaml.safe_dump({"A1": {**CLAIM, "check": check}}))
    with pytest.raises(RecocoError, match=meant):
        load_config()


def test_a_claim_is_given_once(project):
    path = project / "config" / "papers" / "mini" / "claims.yaml"
    path.write_text("A1: {claim: a, scope: b}\nA1: {claim: c, scope: d}\n")
    with pytest.raises(RecocoError, match=r"claims\.yaml .*'A1' is given twice"):
        load_config()


def test_every_form_has_a_schema_and_every_function_a_claim():
    schema = read_yaml(CHECKOUT / "workflow" / "schemas" / "claims.schema.yaml")
    assert set(schema["$defs"]) == set(FORMS)
    claims = [
        c["check"] for p in all_papers(CHECKOUT / "config").values() for c in p.claims.values()
    ]
    assert {check["function"] for check in claims if "function" in check} == set(FUNCTIONS)
    assert {check["form"] for check in claims if "form" in check} == set(FORMS)


def test_ids_of_claims_are_scoped_by_paper(project):
    other = MINI_PAPER | {"key": "other"}
    for paper, text in ((MINI_PAPER, "one"), (other, "another")):
        folder = write_paper(project, paper)
        (folder / "claims.yaml").write_text(yaml.safe_dump({"A1": {**CLAIM, "claim": text}}))
    assert load_paper("mini").claims["A1"]["claim"] == "one"
    assert load_paper("other").claims["A1"]["claim"] == "another"


# ---- papers outside config/ -----------------------------------------------------------------


def test_a_folder_elsewhere_brings_a_paper_and_its_cards(project, monkeypatch):
    assert "dcc" not in paper_folders() and "ng2-twin" not in list_cards()
    monkeypatch.setenv("RECOCO_PAPERS", str(DCC))
    config = load_config({"papers": ["dcc"]})
    assert config.papers["dcc"]["runs"] == 30
    assert load_card("ng2-twin")["sources"][0]["kind"] == "synthetic"
    assert [row["value"] for row in load_paper("dcc").printed] == ["0.714", "0.810"]


def test_a_paper_is_named_by_its_folder(project, monkeypatch):
    monkeypatch.setenv("RECOCO_PAPERS", "")
    assert use_folder("mini") == "mini"
    assert use_folder(str(DCC)) == use_folder(f"{DCC}/") == "dcc"
    assert list(paper_folders()) == ["dcc", "mini"]
    monkeypatch.setenv("RECOCO_PAPERS", "")
    monkeypatch.chdir(DCC.parent)
    assert use_folder("dcc") == "dcc" and "dcc" in paper_folders()
    shutil.copytree(DCC, project / "mini")
    monkeypatch.chdir(project)
    assert use_folder("mini") == "mini" and paper_folders()["mini"].parent.name == "papers"
    with pytest.raises(RecocoError, match=r"has no paper\.yaml"):
        use_folder(str(DCC.parent))


def test_two_papers_of_one_name_are_refused(project, monkeypatch, tmp_path):
    shutil.copytree(DCC, project / "config" / "papers" / "dcc")
    monkeypatch.setenv("RECOCO_PAPERS", str(DCC))
    with pytest.raises(RecocoError, match="two papers 'dcc'"):
        paper_folders()


def test_two_cards_of_one_name_are_refused(project, monkeypatch):
    folder = shutil.copytree(DCC, project / "papers" / "dcc")
    shutil.copy(folder / "cards" / "ng2-twin.yaml", folder / "cards" / "ng2.yaml")
    monkeypatch.setenv("RECOCO_PAPERS", "papers/dcc")
    with pytest.raises(RecocoError, match="two cards 'ng2'"):
        list_cards()


def test_files_are_seen_from_the_project(project):
    folder = shutil.copytree(DCC, project / "papers" / "dcc")
    assert Paper(folder).files("published.csv", "errata.csv") == ["papers/dcc/published.csv"]
    assert Paper(DCC).files("claims.yaml") == [str(DCC / "claims.yaml")]
