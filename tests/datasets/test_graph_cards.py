"""Cards of graphs: blogs with links only, and some venues of the DBLP network."""

import numpy as np
import pytest

from recoco.config.schema import check
from recoco.core.errors import RecocoError
from recoco.datasets import load_card
from recoco.datasets.parsers import four_area, get_parser, gml

GML = """graph [
  directed 1
{nodes}
{edges}
]
"""


def write_gml(folder, n, edges):
    nodes = "\n".join(
        f'  node [\n    id {i}\n    label "b{i}"\n    value {i % 2}\n  ]' for i in range(n)
    )
    arcs = "\n".join(f"  edge [\n    source {a}\n    target {b}\n  ]" for a, b in edges)
    (folder / "g.gml").write_text(GML.format(nodes=nodes, edges=arcs), encoding="utf-8")


def test_nodes_without_an_edge_are_left_out(tmp_path):
    write_gml(tmp_path, 7, [(0, 2), (2, 3), (5, 5)])
    plain = gml.parse(tmp_path, {"file": "g.gml"})
    assert plain.views[0].shape == (7, 7) and not plain.dropped
    linked = gml.parse(tmp_path, {"file": "g.gml", "linked": True})
    assert linked.terms == [["b0", "b2", "b3", "b5"]]
    assert linked.labels.tolist() == [0, 0, 1, 1]
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 2] = expected[3, 3] = 1
    assert np.array_equal(linked.views[0].toarray(), expected)
    assert linked.dropped == ["3 of 7 nodes have no edge"]
    assert linked.meta["largest_component"] == 3


def write_network(folder):
    """Five papers of three venues; paper 14 has no author, term "t9" no paper."""
    files = {
        "conf": [("1", "VLDB"), ("2", "ICML"), ("3", "SIGIR")],
        "paper": [(str(p), f"Title {p}") for p in (10, 11, 12, 13, 14)],
        "term": [("5", "query"), ("6", "learning"), ("9", "t9")],
        "author": [("7", "A. Ames"), ("8", "B. Boyd")],
        "paper_conf": [("10", "1"), ("11", "2"), ("12", "3"), ("13", "2"), ("14", "1")],
        "paper_term": [("10", "5"), ("11", "6"), ("12", "5"), ("13", "6"), ("14", "5")],
        "paper_author": [("10", "7"), ("11", "7"), ("12", "8"), ("13", "7")],
    }
    for name, rows in files.items():
        text = "".join(f"{a}\t{b}\n" for a, b in rows)
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def test_papers_of_some_venues(tmp_path):
    write_network(tmp_path)
    areas = {"databases": ["VLDB"], "learning": ["ICML"]}
    with pytest.raises(RecocoError, match="SIGIR"):
        four_area.parse(tmp_path, {"areas": areas})
    found = four_area.parse(tmp_path, {"areas": areas, "some_venues": True})
    assert found.labels.tolist() == ["databases", "learning", "learning"]
    assert found.terms == [["query", "learning"], ["A. Ames"]]
    assert found.views[0].toarray().tolist() == [[1, 0], [0, 1], [0, 1]]
    assert found.dropped[0].startswith("1 of 5 papers are of other venues")
    assert found.dropped[1].startswith("1 papers of the venues have no term or no author")
    with pytest.raises(RecocoError, match="WSDM"):
        four_area.parse(tmp_path, {"areas": {"x": ["WSDM"]}, "some_venues": True})


def test_stop_words_are_no_terms(tmp_path):
    write_network(tmp_path)
    with (tmp_path / "term.txt").open("a") as terms, (tmp_path / "paper_term.txt").open("a") as has:
        terms.write("20\tof\n")
        has.write("10\t20\n11\t20\n")
    areas = {"databases": ["VLDB"], "learning": ["ICML"], "search": ["SIGIR"]}
    found = four_area.parse(tmp_path, {"areas": areas, "without_stop_words": True})
    assert found.terms[0] == ["query", "learning", "t9"]
    assert found.views[0].toarray()[:2].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert found.dropped == ["1 terms are stop words"]
    assert four_area.parse(tmp_path, {"areas": areas}).terms[0][-1] == "of"


def test_the_dblp_dump_has_a_parser():
    from recoco.datasets.parsers import aminer

    assert get_parser("aminer") is aminer.parse
    card = {key: value for key, value in load_card("dblp1").items() if key != "name"}
    source = {
        "kind": "mirror",
        "files": [{"at": "dblp1/dump.txt"}],
        "parser": {"name": "aminer", "file": "dump.txt", "venues": {"SIGIR": ["SIGIR"]}},
        "expected": {"rows": 2, "columns": [1, 1, 1], "classes": 1},
    }
    check(card | {"sources": [source]}, "dataset", "a card")
    source["parser"]["venue"] = "SIGIR"
    with pytest.raises(RecocoError, match="venue"):
        check(card | {"sources": [source]}, "dataset", "a card")


def test_blogs_and_venues_have_cards():
    assert load_card("polblogs-linked")["sources"][0]["parser"]["linked"]
    for name, classes in (("dblp-2venues", 2), ("dblp-3venues", 3)):
        card = load_card(name)
        assert len(card["sources"][0]["parser"]["areas"]) == classes
        assert card["expected"]["classes"] == classes


def test_a_derived_card_reads_every_source_of_its_parent():
    """The package has another format, so it has a parser and a shape of its own."""
    parent, derived = load_card("polblogs"), load_card("polblogs-linked")
    assert [s["kind"] for s in derived["sources"]] == [s["kind"] for s in parent["sources"]]
    for theirs, ours in zip(parent["sources"], derived["sources"], strict=True):
        assert ours["parser"] == theirs["parser"] | {"linked": True}
        assert ours["expected"] == derived["expected"] != theirs["expected"]
    assert {"gml", "gt"} <= {s["parser"]["name"] for s in derived["sources"]}
