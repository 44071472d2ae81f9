"""Tensors of graphs and triplets: the layouts of files that were never downloaded in a test."""

import numpy as np
import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import load_card, load_prepared
from recoco.datasets.graph_weightings import graphs_of
from recoco.datasets.parsers import tensor
from support.datasets_fixture import card, make_home, parse, refuses, sha

NAMES = np.array(["Co-terms Title", "Co-authors", "Citations"])
LABELS = np.array([2, 0, 1, 2, 0])


def some_tensor() -> np.ndarray:
    """Two symmetric graphs with weights and one that is directed; node 4 has no link at all."""
    full = np.zeros((5, 5, 3))
    full[0, 1, 0] = full[1, 0, 0] = 3
    full[2, 3, 0] = full[3, 2, 0] = 1
    full[1, 2, 1] = full[2, 1, 1] = 2
    full[0, 3, 2] = full[2, 0, 2] = 1
    return full


def write(folder, full=None, labels=LABELS, names=NAMES, save=np.savez):
    save(folder / "x.npz", some_tensor() if full is None else full, labels, names)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f4", "uint8"])
@pytest.mark.parametrize("piece", [1, 3 * 5 * 3 * 8, 1 << 20])
def test_a_tensor_is_read_piece_by_piece(tmp_path, monkeypatch, save, order, dtype, piece):
    write(tmp_path, some_tensor().astype(dtype, order=order), save=save)
    monkeypatch.setattr(tensor, "_PIECE", piece)
    found = parse(tmp_path, "tensor", file="x.npz")
    for graph in range(3):
        np.testing.assert_array_equal(found.views[graph].toarray(), some_tensor()[:, :, graph])
    assert found.labels.tolist() == LABELS.tolist() and found.graph
    assert found.meta["graph_names"] == NAMES.tolist()


def test_no_more_than_a_piece_is_in_memory(tmp_path, monkeypatch):
    """A tensor of 7.2 MB, of which a hundredth may be read at once."""
    asked = []
    values = tensor._values

    def watched(stream, count, dtype):
        asked.append(count * dtype.itemsize)
        return values(stream, count, dtype)

    monkeypatch.setattr(tensor, "_PIECE", 72_000)
    monkeypatch.setattr(tensor, "_values", watched)
    write(tmp_path, np.eye(300)[:, :, None] * np.ones(10), np.zeros(300, int), np.arange(10))
    views, _, _, _ = tensor._read(tmp_path / "x.npz", {})
    assert len(views) == 10 and all(view.nnz == 300 for view in views)
    assert max(asked) <= 72_000 and sum(asked) == 300 * 300 * 10 * 8


def test_graphs_are_left_out_by_name(tmp_path):
    write(tmp_path)
    found = parse(tmp_path, "tensor", file="x.npz", leave_out=["citation"])
    assert found.meta["graph_names"] == ["Co-terms Title", "Co-authors"]
    assert len(found.views) == 2 and found.dropped == ["the graph Citations"]
    refuses(tmp_path, "tensor", "'venue'", "Co-authors", file="x.npz", leave_out=["venue"])
    refuses(tmp_path, "tensor", "no graph", "left", file="x.npz", leave_out=["c"])


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"full": np.zeros((5, 4, 3))}, "objects x objects x graphs"),
        ({"full": np.zeros((5, 5))}, "objects x objects x graphs"),
        ({"full": np.full((5, 5, 3), "a")}, "not of numbers"),
        ({"full": np.full((5, 5, 3), None)}, "Python objects"),
        ({"labels": LABELS[:4]}, "5 objects"),
        ({"names": NAMES[:2]}, "2 names for 3 graphs"),
    ],
)
def test_broken_tensors_give_one_sentence(tmp_path, change, word):
    write(tmp_path, **change)
    refuses(tmp_path, "tensor", word, file="x.npz")


def test_a_truncated_tensor(tmp_path):
    write(tmp_path)
    (tmp_path / "x.npz").write_bytes((tmp_path / "x.npz").read_bytes()[:300])
    refuses(tmp_path, "tensor", "x.npz cannot be read", file="x.npz")


# ---- from the card to the graphs of a method -----------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    return make_home(tmp_path, monkeypatch)


def tensor_card(home, **changes) -> None:
    (home.mirror / "tiny").mkdir(exist_ok=True)
    write(home.mirror / "tiny")
    content = (home.mirror / "tiny" / "x.npz").read_bytes()
    file = {"at": "tiny/x.npz", "sha256": sha(content), "bytes": len(content)}
    source = {"kind": "mirror", "files": [file]}
    rows = changes.pop("rows", 5)
    views = changes.pop("views", 3)
    home.write_card(
        card(
            parser={"name": "tensor", "file": "x.npz"},
            expected={"rows": rows, "columns": [rows] * views, "classes": 3},
            sources=[source | changes],
        )
    )


def test_graphs_of_a_tensor_are_used_as_given(home):
    tensor_card(home)
    home.fetch()
    npz, record = home.prepare()
    assert record["rows"] == 5 and record["dropped"] == []  # node 4 stays
    dataset = load_prepared(npz)
    order = dataset.permutation
    given = [some_tensor()[:, :, g][np.ix_(order, order)] for g in range(3)]
    both = given[2] + given[2].T
    for rule in ("links", "cosine-q97", "gaussian-q90"):
        found = [graph.toarray() for graph in graphs_of(dataset, rule)]
        assert all(((A > 0) == B).all() for A, B in zip([*given[:2], both], found, strict=True))
    for rule in ("shared", "cosine", "nearest-5", "nonnegative"):
        found = [graph.toarray() for graph in graphs_of(dataset, rule)]
        assert all((A == B).all() for A, B in zip([*given[:2], both], found, strict=True))
    assert (graphs_of(dataset, "arcs-view3")[0].toarray() == given[2]).all()


def test_another_shape_makes_a_variant_where_the_card_says_so(home):
    tensor_card(home, rows=6, if_other_shape="the paper prints six")
    home.fetch()
    assert home.prepare()[1]["variant"] == {"coclus": {"*": "the paper prints six (found 5 x 5)"}}
    tensor_card(home, if_other_shape="the paper prints five")
    home.fetch()
    assert home.prepare()[1]["variant"] == {}
    for change in ({"rows": 6}, {"views": 2, "if_other_shape": "any"}):
        tensor_card(home, **change)
        home.fetch()
        with pytest.raises(RecocoError, match="but the card expects"):
            home.prepare()


def test_the_cards_of_tensors_and_their_names():
    for name, graphs in (("dblp1", 3), ("nuswide8", 6), ("amazon10", 7), ("pubmed-diabetes", 4)):
        sources = load_card(name)["sources"]
        assert {source["kind"] for source in sources} == {"mirror", "url"}
        for source in sources:
            assert source["parser"]["name"] == "tensor"
            assert len(source["expected"]["columns"]) == graphs
            assert len({file["sha256"] for file in source["files"]}) == 1
    for name in ("sports", "ng20-zhong"):
        blobs = [s["files"][0].get("git_blob") for s in load_card(name)["sources"]]
        assert blobs[0] == blobs[1] != ""


# ---- triplets ------------------------------------------------------------------------------


def test_triplets_with_and_without_a_column_of_line_numbers(tmp_path):
    (tmp_path / "c.txt").write_bytes(b"1\r\n0\r\n1\r\n")
    options = {"classes": "c.txt", "row": "doc", "column": "word", "value": "cluster"}
    for text in ("doc,word,cluster\n0,2,3\n2,0,1\n", ",doc,word,cluster\n0,0,2,3\n1,2,0,1\n"):
        (tmp_path / "m.txt").write_text(text)
        found = parse(tmp_path, "triplets", matrix="m.txt", **options)
        assert found.views[0].toarray().tolist() == [[0, 0, 3], [0, 0, 0], [1, 0, 0]]
        assert found.labels.tolist() == ["1", "0", "1"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("doc,word\n0,1\n", ["line 1", "'cluster'"]),
        ("", ["line 1"]),
        ("doc,word,cluster\n", ["no cell"]),
        ("doc,word,cluster\n0,1\n", ["line 2"]),
        ("doc,word,cluster\n0,1,x\n", ["line 2"]),
        ("doc,word,cluster\n3,1,1\n", ["line 2", "3 rows"]),
        ("doc,word,cluster\n0,-1,1\n", ["line 2"]),
        ("doc,word,cluster\n0,1e300,1\n", ["line 2"]),
        ("doc,word,cluster\n0,nan,1\n", ["line 2"]),
        ("doc,word,cluster\n0.5,1,1\n", ["line 2"]),
    ],
)
def test_broken_triplets_name_the_line(tmp_path, text, words):
    (tmp_path / "c.txt").write_text("1\n0\n1\n")
    (tmp_path / "m.txt").write_text(text)
    options = {"classes": "c.txt", "row": "doc", "column": "word", "value": "cluster"}
    refuses(tmp_path, "triplets", *words, matrix="m.txt", **options)
