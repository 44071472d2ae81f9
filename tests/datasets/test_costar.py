"""Segments of raw text and mixes of corpora: the datasets of the CoStar paper."""

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from recoco.config.papers import Paper
from recoco.datasets import load_card
from recoco.datasets.parsers.segments import split
from support.datasets_fixture import parse, refuses
from support.real_data import real

CHECKOUT = Path(__file__).resolve().parents[2]


def paragraphs(*lengths):
    return "\n\n".join(chr(ord("a") + i) * length for i, length in enumerate(lengths))


def test_split_is_as_even_as_paragraphs_allow():
    assert [len(part) for part in split(paragraphs(30, 50, 40, 60), 2, 20)] == [82, 102]
    assert [part[0] for part in split(paragraphs(30, 50, 40, 60), 4, 20)] == list("abcd")
    # the even cut would leave less than the least length, and there is no other
    assert [part[0] + part[-1] for part in split(paragraphs(10, 90, 95), 2, 96)] == ["ac"]
    assert [part[0] + part[-1] for part in split(paragraphs(10, 90, 95), 2, 95)] == ["ab", "cc"]


def test_split_keeps_every_paragraph_once():
    rng = np.random.default_rng(0)
    for _ in range(50):
        document = paragraphs(*rng.integers(1, 60, size=rng.integers(1, 12)))
        for views in (2, 3):
            parts = split(document, views, 40)
            assert "\n\n".join(parts) == document
            assert len(parts) in (1, views)
            if len(parts) == views:
                assert all(len(part.replace("\n", "")) >= 40 for part in parts)


def test_split_knows_blank_lines_and_carriage_returns():
    assert split("aaaa\r\n\r\nbbbb\r\n", 2, 4) == ["aaaa", "bbbb"]
    assert split("aaaa\n  \n\nbbbb\nbb\n\n", 2, 4) == ["aaaa", "bbbb\nbb"]
    assert split("", 2, 4) == [""]


def archive(folder, documents):
    with tarfile.open(folder / "raw.tar.gz", "w:gz") as tar:
        for name, text in documents.items():
            content = text.encode("latin-1")
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return {"archive": "raw.tar.gz", "folder": "raw", "encoding": "latin-1", "views": 2}


def test_segments_become_views(tmp_path):
    options = archive(
        tmp_path,
        {
            "raw/x/1.txt": "running runner\n\njumping jumped",
            "raw/x/2.txt": "jumping high\n\nrunning far away",
            "raw/y/3.txt": "short",
            "raw/README": "not a document",
        },
    )
    found = parse(tmp_path, "segments", min_characters=10, stem=True, **options)
    assert found.labels.tolist() == ["x", "x"]
    assert [view.shape[0] for view in found.views] == [2, 2]
    words = [set(np.array(terms)) for terms in found.terms]
    assert words[0] | words[1] >= {"run", "jump", "high"}
    # both segments of a document are there, each in one of the views
    for row in range(2):
        assert all(view[[row]].sum() > 0 for view in found.views)
    assert "1 of 3 documents have no 2 segments" in found.dropped[-1]
    again = parse(tmp_path, "segments", min_characters=10, stem=True, **options)
    assert (found.views[0] != again.views[0]).nnz == 0
    often = parse(tmp_path, "segments", min_characters=10, min_count=2, stem=True, **options)
    for view in often.views:
        assert view.shape[1] < found.views[0].shape[1]
    refuses(tmp_path, "segments", "segments", min_characters=1000, **options)


ARFF = """@relation small
@attribute cell numeric
@attribute bank numeric
@attribute rare numeric
@attribute class {m1,m2,m3}
@data
{0 2}
{0 1,1 3,3 m2}
{2 5,3 m3}
"""
PARTS = [
    {"parser": {"name": "arff", "file": "a.arff"}, "classes": ["m2", "m1"]},
    {
        "parser": {"name": "cluto", "matrix": "b.mat", "classes": "b.rclass", "terms": "b.clabel"},
        "classes": ["n1"],
    },
]


@pytest.fixture
def corpora(tmp_path):
    (tmp_path / "a.arff").write_text(ARFF)
    (tmp_path / "b.mat").write_text("3 3 4\n1 4 2 1\n2 7\n3 9\n")
    (tmp_path / "b.rclass").write_text("n1\nn2\nn1\n")
    (tmp_path / "b.clabel").write_text("bank\nloan\nzero\n")
    return tmp_path


def test_merge_matches_terms_by_name(corpora):
    found = parse(corpora, "merge", parts=PARTS)
    assert found.labels.tolist() == ["m1", "m2", "n1", "n1"]
    assert found.class_order == ["m2", "m1", "n1"]
    assert found.terms == [["bank", "cell", "loan", "zero"]]
    assert found.views[0].toarray().tolist() == [
        [0, 2, 0, 0],
        [3, 1, 0, 0],
        [4, 0, 1, 0],
        [0, 0, 0, 9],
    ]
    assert "1 of 5 terms" in found.dropped[0]


def test_categories_are_shares_of_vocabularies(corpora):
    """Vocabularies: m2 {bank, cell}, m1 {cell}, n1 {bank, loan, zero}."""
    found = parse(corpora, "merge", parts=PARTS, categories="all")
    assert found.terms[1] == ["m2", "m1", "n1"]
    third = 1 / 3
    shares = [[0.5, 1, 0], [1, 1, third], [0.5, 0, 2 * third], [0, 0, third]]
    assert np.allclose(found.views[1].toarray(), shares)
    own = parse(corpora, "merge", parts=PARTS, categories="own")
    kept = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])
    assert np.allclose(own.views[1].toarray(), shares * kept)


def test_merge_refuses_what_is_not_there(corpora):
    wrong = [PARTS[0] | {"classes": ["m9"]}]
    refuses(corpora, "merge", "m9", parts=wrong)
    without = {"name": "cluto", "matrix": "b.mat", "classes": "b.rclass"}
    refuses(
        corpora, "merge", "no terms to merge by", parts=[{"parser": without, "classes": ["n1"]}]
    )


def printed(name):
    return Paper(CHECKOUT / "config" / "papers" / "costar").datasets[name]


@pytest.mark.parametrize(
    ("name", "documents", "terms"),
    [("costar-t1", 883, 3987), ("costar-t2", 461, 3197), ("costar-t3", 2129, 8283)],
)
def test_mixes_have_the_printed_classes(name, documents, terms):
    data = real(name)
    row = printed(load_card(name)["printed_as"]["costar"])
    sizes = [int(pair.split(":")[1]) for pair in row["class_sizes"].split("|")]
    assert np.bincount(data.labels).tolist() == sizes
    assert data.labels.size == documents == sum(sizes)
    assert data.X.shape[1] == terms and abs(terms - int(row["words"].rstrip("|"))) <= 1
    erratum = name == "costar-t1"  # 833 objects are printed, 883 in the class sizes
    assert (int(row["documents"]) == documents) is not erratum
    shares = data.views[1].toarray()
    assert shares.shape[1] == len(sizes) and shares.min() >= 0 and shares.max() <= 1
    # a document has words of its own class's vocabulary
    assert (shares[np.arange(documents), data.labels] > 0).all()
    for view in data.views:
        assert np.diff(view.indptr).min() > 0 and np.asarray(view.sum(axis=0)).min() > 0


def test_bbc2_has_the_printed_documents():
    data = real("bbc2")
    assert data.labels.size == 2012
    assert int(printed("bbc2")["documents"]) == 2012
    assert len(data.views) == 2 and data.n_classes == 5
    assert all(np.diff(view.indptr).min() > 0 for view in data.views)
    assert "costar" in data.meta["variant"]
