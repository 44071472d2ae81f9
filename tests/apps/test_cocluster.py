"""A folder of text files to co-clusters: the result, and the errors for bad folders."""

import json
import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from recoco import cli
from recoco.apps.cocluster import cocluster_folder
from recoco.apps.cocluster.ensemble import _numbers, _stability, find_coclusters
from recoco.apps.cocluster.reading import read_folder
from recoco.apps.cocluster.topics import npmi, topics
from recoco.core.errors import RecocoError
from recoco.report.figures import raster as pictures

TOPICS = (
    "bread flour dough yeast oven crust butter sugar",
    "wheel brake chain tyre gear road rider climb",
    "star moon planet galaxy telescope light night orbit",
)


def write_texts(folder, documents=8, rng=None):
    rng = rng or np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    for k, topic in enumerate(TOPICS):
        for i in range(documents):
            words = rng.choice(topic.split(), 12)
            (folder / f"{k}-{i}.txt").write_text(" ".join(words))
    return folder


@pytest.fixture
def texts(tmp_path):
    return write_texts(tmp_path / "texts")


def refuses(words, folder, **options):
    with pytest.raises(RecocoError) as caught:
        cocluster_folder(folder, out=folder.parent / "out", **options)
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text, text
    assert not (folder.parent / "out").exists()


# ---- the result ----------------------------------------------------------------------------


def test_planted_topics_come_out(texts, tmp_path):
    result, out = cocluster_folder(texts, tmp_path / "out")
    assert result.coclustering.n_clusters == 3
    by_file = dict(zip(result.texts.files, result.coclustering.row_labels.tolist(), strict=True))
    for k, topic in enumerate(TOPICS):
        own = {label for name, label in by_file.items() if name.startswith(f"{k}-")}
        assert len(own) == 1
        top = {result.texts.terms[j] for j in result.topics[own.pop()].top}
        assert top == set(topic.split())
    assert np.median(result.coclustering.agreement) == 1  # a half of so few bases may go astray
    assert result.coclustering.stability.min() > 0.7
    assert all(topic.npmi > 0.3 and topic.inside == 1 for topic in result.topics)
    facts = json.loads((out / "summary.json").read_text())
    assert facts["coclusters"] == 3 and facts["chosen"] and facts["documents"] == 24
    assert max(result.coclustering.tried, key=result.coclustering.tried.get) == 3


def test_the_same_seed_gives_the_same_files(texts, tmp_path):
    cocluster_folder(texts, tmp_path / "a", seed=4)
    cocluster_folder(texts, tmp_path / "b", seed=4)
    for name in ("documents.csv", "words.csv", "coclusters.csv", "choice.csv", "matrix.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_number_may_be_given(texts, tmp_path):
    result, out = cocluster_folder(texts, tmp_path / "out", clusters=2)
    assert result.coclustering.n_clusters == 2 and not result.coclustering.tried
    assert not (out / "choice.csv").exists()
    assert "the number\nrequested" in (out / "index.html").read_text()


def test_numbers_of_the_bases():
    assert _numbers((1000, 500), None) == list(range(2, 26))
    assert _numbers((20, 500), None) == list(range(2, 11))
    assert _numbers((4, 5), None) == [2]
    assert _numbers((1000, 500), 7) == list(range(2, 26))
    assert _numbers((1000, 500), 60) == list(range(48, 73))
    with pytest.raises(RecocoError, match="at most 10"):
        _numbers((10, 50), 11)


def test_stability_counts_halves_that_agree():
    z = np.array([0, 0, 0, 1, 1, 1])
    halves = [np.array([1, 1, 1, 0, 0, 0]), np.array([0, 0, 1, 1, 1, 1])]
    kept, jaccard = _stability(z, halves)
    assert kept.tolist() == [1, 1, 0.5, 1, 1, 1]
    assert jaccard.tolist() == pytest.approx([(1 + 2 / 3) / 2, (1 + 3 / 4) / 2])


def test_documents_without_words_belong_nowhere(texts, tmp_path):
    (texts / "z.txt").write_text("unique words nobody shares")
    result, out = cocluster_folder(texts, tmp_path / "out")
    assert result.coclustering.row_labels[-1] == -1
    assert (out / "documents.csv").read_text().splitlines()[-1] == "z.txt,,"
    assert "1 of the documents contain none of the words used" in (out / "index.html").read_text()


def test_large_folders_choose_on_a_sample():
    from recoco.apps.cocluster.ensemble import Effort

    rng = np.random.default_rng(1)
    A = csr_matrix(np.kron(np.eye(3), np.ones((30, 20))) * (rng.random((90, 60)) < 0.5))
    coclustering = find_coclusters(A, effort=Effort(sample=30))
    assert coclustering.sampled and coclustering.n_clusters == 3
    assert not find_coclusters(A).sampled


# ---- words ---------------------------------------------------------------------------------


def test_npmi_by_hand():
    A = csr_matrix([[1, 2, 0, 1], [3, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    # p(0) = 1/2, p(1) = 3/4, p(0, 1) = 1/2
    expected = math.log(0.5 / (0.5 * 0.75)) / -math.log(0.5)
    assert npmi(A, [0, 1]) == pytest.approx(expected)
    assert npmi(A, [0, 2]) == -1, "never in one document"
    assert npmi(A, [0, 3]) == pytest.approx(0), "independent of a word of all documents"
    assert math.isnan(npmi(A, [0]))


def test_topics_by_weight():
    A = csr_matrix([[5.0, 1, 0, 0], [4, 2, 1, 0], [0, 0, 1, 3]])
    described = topics(A, np.array([0, 0, 1]), np.array([0, 0, 1, 1]), 2, top=1)
    assert [topic.top.tolist() for topic in described] == [[0], [3]]
    assert described[0].inside == pytest.approx(12 / 13)
    assert described[0].typical.tolist() == [0, 1]


# ---- reading -------------------------------------------------------------------------------


def test_mixed_encodings_are_read(texts):
    accents = "café façade brûlée bread"
    for name, encoding in (("u8", "utf-8"), ("u16", "utf-16"), ("win", "cp1252")):
        (texts / f"{name}.txt").write_bytes(accents.encode(encoding))
    (texts / "mark.txt").write_bytes(accents.encode("utf-8-sig"))
    read = read_folder(texts)
    assert {"café", "façade", "brûlée"} <= set(read.terms)
    j = read.terms.index("café")
    assert read.X[:, [j]].sum() == 4
    assert set(read.encodings) == {"utf-8", "utf-16", "cp1252", "utf-8-sig"}


def test_what_is_no_text_is_passed_over(texts):
    (texts / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)))
    (texts / "raw.bin").write_bytes(bytes(1000))
    (texts / "paper.pdf").write_bytes(b"%PDF-1.4 text in it, but not to be read")
    (texts / "empty.txt").write_text(" \n")
    (texts / ".hidden").write_text("bread " * 10)
    read = read_folder(texts)
    assert len(read.files) == 24
    said = " ".join(read.notes)
    assert "3 of 28 files are not text" in said and "1 of 28 files are empty" in said


def test_headers_and_encoded_lines_can_be_left_out(texts):
    line = "M" + "A" * 60
    for i in range(3):
        (texts / f"post{i}.txt").write_text(f"Subject: secret\n\nbread and stars\n{line}\n")
    assert "secret" in read_folder(texts).terms
    skipped = read_folder(texts, skip_headers=True)
    assert "secret" not in skipped.terms and not [t for t in skipped.terms if len(t) > 20]


def test_words_can_be_left_out_or_capped(texts):
    read = read_folder(texts, stop_words=frozenset(["bread"]))
    assert "bread" not in read.terms
    capped = read_folder(texts, most_words=5)
    assert len(capped.terms) == 5 and any(
        "5 in the most documents" in note for note in capped.notes
    )


def test_bad_folders_get_a_sentence(tmp_path):
    refuses(("does not exist", "missing"), tmp_path / "missing")
    (tmp_path / "file").write_text("x")
    refuses(("not a folder",), tmp_path / "file")
    folder = tmp_path / "folder"
    folder.mkdir()
    refuses(("no files",), folder)
    (folder / "a").write_bytes(bytes(100))
    refuses(("1 files are not text", "plain text"), folder)
    (folder / "a").write_text("12 34 . !")
    refuses(("no words",), folder)
    (folder / "a").write_text("one single document with some words")
    refuses(("1 document with text", "at least 4"), folder)
    for name in "bcde":
        (folder / name).write_text(f"{name * 4} {name * 5}")
    refuses(("share only 0 words",), folder)


def test_reports_do_not_overwrite_other_things(texts, tmp_path):
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "thesis.doc").write_text("years of work")
    for out, word in (
        (taken, "did not write"),
        (texts / "out", "inside the folder"),
        (texts, "inside"),
    ):
        with pytest.raises(RecocoError, match=word):
            cocluster_folder(texts, out)
    assert [path.name for path in taken.iterdir()] == ["thesis.doc"]
    cocluster_folder(texts, tmp_path / "out")
    cocluster_folder(texts, tmp_path / "out", clusters=2)  # its own report it may replace
    assert not (tmp_path / "out" / "choice.csv").exists(), "a table of the report before"


def test_hostile_names_and_words_stay_text(texts, tmp_path):
    for i in range(4):
        (texts / f"<script>alert({i})<").write_text("=cmd bread flour dough yeast " * 3)
    _, out = cocluster_folder(texts, tmp_path / "out")
    assert "<script>" not in (out / "index.html").read_text()


def test_command_line(texts, tmp_path, capsys):
    assert cli.main(["cocluster", str(texts), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "24 documents" in said and "3 co-clusters" in said and "index.html" in said
    assert cli.main(["cocluster", str(tmp_path / "gone")]) == 2
    assert "does not exist" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["cocluster", str(texts), "--clusters", "many"])


# ---- the picture ---------------------------------------------------------------------------


def test_raster_counts_every_nonzero_once():
    rng = np.random.default_rng(0)
    X = csr_matrix((rng.random((37, 23)) < 0.2).astype(float))
    raster = pictures.rasterise(X, np.arange(37), np.arange(23), 5, 4)
    tall = np.bincount(np.arange(37) * 5 // 37)
    wide = np.bincount(np.arange(23) * 4 // 23)
    assert (raster.shares * np.outer(tall, wide)).sum() == pytest.approx(X.nnz)
    whole = pictures.rasterise(X, np.arange(37), np.arange(23), 100, 100)
    assert np.array_equal(whole.shares, X.toarray()), "a tile for each cell if there is room"


def test_reorganised_blocks_are_on_the_diagonal():
    X = np.array([[1, 0, 2, 0], [0, 1, 0, 1], [3, 0, 1, 0], [0, 0, 0, 0]])
    raster = pictures.reorganise(X, [0, 1, 0, -1], [0, 1, 0, 1])
    assert raster.shares.tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]]
    assert raster.row_ends.tolist() == [2 / 3] and raster.column_ends.tolist() == [0.5]
