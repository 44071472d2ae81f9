"""The builder of the DBLP graphs, on small dumps in the formats of AMiner."""

import gzip
import json
import zipfile

import numpy as np
import pytest

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import aminer
from recoco.datasets.similarity_graphs import cooccurrence_graph

PAPERS = [
    ("10", "Colouring sparse graphs", ["A. Ames", "B. Boyd"], 2001, "Discrete Applied Mathematics",
     "We colour sparse graphs quickly"),
    ("11", "Testing large programs", ["C. Cole"], 2003, "IEEE Software",
     "Programs are tested in parts"),
    ("12", "Ranking documents", ["D. Dunn", "A. Ames"], 2005, "SIGIR",
     "Documents are ranked by sparse vectors"),
    ("13", "Something else", ["E. Eyre"], 2005, "VLDB", "Joins of tables"),
    ("14", "Retrieval of programs", ["C. Cole", "D. Dunn"], 2010, "sigir", ""),
    ("15", "Cuts of graphs", ["B. Boyd"], 2011, "Discrete  Applied Mathematics",
     "Cuts of sparse graphs"),
]  # fmt: skip
VENUES = {
    "DAM": ["Discrete Applied Mathematics"],
    "Software": ["IEEE Software"],
    "SIGIR": ["SIGIR"],
}


def short(papers=PAPERS):
    """The marks of the first dumps and of V8 and later."""
    parts = [str(len(papers))]
    for index, title, authors, year, venue, abstract in papers:
        lines = [f"#*{title}", f"#@{', '.join(authors)}", f"#t{year}", f"#c{venue}"]
        lines += [f"#index{index}", "#%77", "#%78"]
        parts.append("\n".join(lines + ([f"#!{abstract}"] if abstract else [])) + "\n")
    return "\n".join(parts)


def long(papers=PAPERS):
    """The marks of V2 to V7."""
    parts = [str(len(papers))]
    for index, title, authors, year, venue, abstract in papers:
        lines = [f"#*{title}", f"#@{','.join(authors)}", f"#year{year}", f"#conf{venue}"]
        lines += ["#citation-1", f"#index{index}", "#arnetid5", "#%77", f"#!{abstract}"]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def network(papers=PAPERS):
    """The marks of the academic social network: numbers first, semicolons, affiliations."""
    parts = []
    for index, title, authors, year, venue, abstract in papers:
        lines = [f"#index {index}", f"#* {title}", f"#@ {';'.join(authors)}", "#o Here;There"]
        lines += [f"#t {year}", f"#c {venue}", "#% 77", f"#! {abstract}"]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def lines_of_json(papers=PAPERS):
    """V10 and V11: an object per line."""
    keys = ("id", "title", "authors", "year", "venue", "abstract")
    return "\n".join(json.dumps(dict(zip(keys, paper, strict=True))) for paper in papers)


def list_of_json(papers=PAPERS):
    """V12: one list, authors and venues as objects, abstracts as an index of their words."""
    entries = []
    for index, title, authors, year, venue, abstract in papers:
        words = {}
        for place, word in enumerate(abstract.split()):
            words.setdefault(word, []).append(place)
        entry = {
            "id": int(index),
            "title": title,
            "authors": [{"name": name, "id": 1} for name in authors],
            "year": year,
            "venue": {"raw": venue},
        }
        if abstract:
            entry["indexed_abstract"] = {"IndexLength": 9, "InvertedIndex": words}
        entries.append(json.dumps(entry))
    return "[" + "\n,".join(entries) + "\n]"


FORMATS = [short, long, network, lines_of_json, list_of_json]


def build(tmp_path, text, **options):
    (tmp_path / "dump.txt").write_text(text, encoding="utf-8")
    return aminer.parse(tmp_path, {"file": "dump.txt", "venues": VENUES, **options})


@pytest.mark.parametrize("text", FORMATS)
def test_papers_of_every_format(tmp_path, text):
    (tmp_path / "dump.txt").write_text(text(), encoding="utf-8")
    found = list(aminer.papers_of(tmp_path / "dump.txt"))
    assert [paper.index for paper in found] == [row[0] for row in PAPERS]
    assert [paper.title for paper in found] == [row[1] for row in PAPERS]
    assert [paper.authors for paper in found] == [row[2] for row in PAPERS]
    assert [paper.year for paper in found] == [str(row[3]) for row in PAPERS]
    assert [paper.venue.split() for paper in found] == [row[4].split() for row in PAPERS]
    assert [paper.abstract for paper in found] == [row[5] for row in PAPERS]


@pytest.mark.parametrize("text", FORMATS)
def test_views_of_the_venues(tmp_path, text):
    found = build(tmp_path, text(), complete=False)
    assert found.labels.tolist() == ["DAM", "Software", "SIGIR", "SIGIR", "DAM"]
    assert found.class_order == ["DAM", "Software", "SIGIR"]
    titles, abstracts, authors = found.views
    assert titles.shape == (5, len(found.terms[0])) and set(titles.data) == {1.0}
    j = found.terms[0].index("graphs")
    assert titles[:, j].toarray().ravel().tolist() == [1, 0, 0, 0, 1]
    j = found.terms[1].index("sparse")
    assert abstracts[:, j].toarray().ravel().tolist() == [1, 0, 1, 0, 1]
    assert abstracts[3].nnz == 0
    assert found.terms[2] == ["A. Ames", "B. Boyd", "C. Cole", "D. Dunn"]
    expected = [[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 0]]
    assert authors.toarray().tolist() == expected


def test_graphs_of_shared_features(tmp_path):
    found = build(tmp_path, short())
    title, _, authors = (cooccurrence_graph(view) for view in found.views)
    for graph, view in zip((title, authors), (found.views[0], found.views[2]), strict=True):
        B = view.toarray()
        assert (graph.toarray() == B @ B.T).all()
        assert (graph.diagonal() > 0).all()
    # without paper 14: 10 and 12 share an author, 10 and 15 another
    assert authors.toarray().tolist() == [[2, 0, 1, 1], [0, 1, 0, 0], [1, 0, 2, 0], [1, 0, 0, 1]]


def test_incomplete_papers_are_left_out_and_named(tmp_path):
    found = build(tmp_path, short())
    assert found.labels.tolist() == ["DAM", "Software", "SIGIR", "DAM"]
    assert any("1 of 5 papers of the venues have no words" in text for text in found.dropped)
    assert any("1 of 6 papers are of other venues" in text for text in found.dropped)
    for view, terms in zip(found.views, found.terms, strict=True):
        assert view.shape == (4, len(terms))
        assert (np.bincount(view.indices, minlength=len(terms)) > 0).all()
    assert "retrieval" not in found.terms[0]


def test_years_and_repeated_papers(tmp_path):
    found = build(tmp_path, short([*PAPERS, PAPERS[0]]), years=[2001, 2005])
    assert found.labels.tolist() == ["DAM", "Software", "SIGIR"]
    assert any("not of the years 2001 to 2005" in text for text in found.dropped)
    assert any("1 papers of the venues are in the dump twice" in text for text in found.dropped)


def test_options_of_words(tmp_path):
    found = build(tmp_path, short(), stem=True, complete=False)
    assert "graph" in found.terms[0] and "graphs" not in found.terms[0]
    found = build(tmp_path, short(), min_df=2, complete=False)
    assert found.terms[0] == ["graphs", "programs"]


def test_packed_dumps(tmp_path):
    straight = build(tmp_path, short())
    with gzip.open(tmp_path / "dump.gz", "wt", encoding="utf-8") as stream:
        stream.write(short())
    with zipfile.ZipFile(tmp_path / "dump.zip", "w") as archive:
        archive.writestr("outputacm.txt", short())
    for name in ("dump.gz", "dump.zip"):
        found = aminer.parse(tmp_path, {"file": name, "venues": VENUES})
        for view, expected in zip(found.views, straight.views, strict=True):
            assert (view != expected).nnz == 0


def test_rough_text(tmp_path):
    text = short().replace("We colour sparse", "We colour\nsparse")  # a broken line
    text = text.replace("\n\n", "\n")  # no blank lines between papers
    text = "\ufeff" + text.replace("\n", "\r\n")
    found = build(tmp_path, text)
    straight = build(tmp_path, short())
    for view, expected in zip(found.views, straight.views, strict=True):
        assert (view != expected).nnz == 0
    raw = short().encode().replace(b"Testing", b"Test\xffng")
    (tmp_path / "dump.txt").write_bytes(raw)
    assert len(list(aminer.papers_of(tmp_path / "dump.txt"))) == 6


def test_reads_one_paper_at_a_time(tmp_path):
    (tmp_path / "dump.txt").write_text(lines_of_json() + "\n{broken", encoding="utf-8")
    papers = aminer.papers_of(tmp_path / "dump.txt")
    assert next(papers).index == "10"  # long before the broken end
    with pytest.raises(RecocoError, match="line 7"):
        list(papers)


def test_texts(tmp_path):
    (tmp_path / "dump.txt").write_text(short(), encoding="utf-8")
    found = list(aminer.texts(tmp_path, {"file": "dump.txt", "venues": VENUES}))
    assert len(found) == 5 and found[0] == f"{PAPERS[0][1]} {PAPERS[0][5]}"


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", {}, "is empty"),
        ("<html>", {}, "line 1: neither a mark"),
        ("[1, 2]", {}, "line 1"),
        (short(), {"venues": {"A": ["Nowhere"], "SIGIR": ["SIGIR"]}}, "no paper of A"),
        (short(), {"venues": {"A": ["SIGIR"], "B": ["sigir"]}}, "in two classes"),
        (short(), {"years": [1900, 1901]}, "no paper of DAM, Software, SIGIR"),
        (short(), {"min_df": 9}, "The titles of dump.txt: no word is in 9 documents"),
        (short([PAPERS[0], PAPERS[1], PAPERS[4]]), {}, "no paper of SIGIR"),
    ],
)
def test_refuses_bad_dumps(tmp_path, text, options, words):
    with pytest.raises(RecocoError, match=words):
        build(tmp_path, text, **options)


def test_refuses_missing_and_truncated_files(tmp_path):
    with pytest.raises(RecocoError, match=r"nothing\.txt is missing"):
        list(aminer.papers_of(tmp_path / "nothing.txt"))
    packed = gzip.compress(short().encode() * 50)
    (tmp_path / "half.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(RecocoError, match=r"half\.gz cannot be read"):
        list(aminer.papers_of(tmp_path / "half.gz"))
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.txt", "x")
        archive.writestr("b.txt", "y")
    with pytest.raises(RecocoError, match="2 files"):
        list(aminer.papers_of(tmp_path / "two.zip"))
