"""Documents without words are left out; nodes without links and features of zero are not."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets import load_prepared
from recoco.datasets.parsers import Parsed
from recoco.datasets.preparation import keep
from recoco.datasets.writing import write_card
from recoco.methods import get_method
from support.datasets_fixture import card, files, make_home, sha

# [2 0 1] [] [1 0 0] [0 4 0] []
WITH_EMPTY = b"5 3 4\n1 2 3 1\n\n1 1\n2 4\n\n"
CLASSES = b"b\na\nb\na\nc\n"
GRAPH = """graph [
  node [
    id 0
    value 0
  ]
  node [
    id 1
    value 1
  ]
  node [
    id 2
    value 1
  ]
  edge [
    source 0
    target 1
  ]
]
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = make_home(tmp_path, monkeypatch)
    home.put("tiny/tiny.mat", WITH_EMPTY)
    home.put("tiny/tiny.rclass", CLASSES)
    return home


def empty_card(**changes) -> dict:
    entries = [{"at": file["at"]} for file in files("tiny/")]
    expected = {"rows": 3, "columns": [3], "nonzeros": [4], "classes": 2}
    content = {"sources": [{"kind": "mirror", "files": entries}], "expected": expected}
    return card(**content | changes)


def test_documents_without_words_are_left_out_counted_and_said(home):
    home.write_card(empty_card())
    home.fetch()
    npz, record = home.prepare()
    dataset = load_prepared(npz)
    back = np.argsort(dataset.permutation)
    np.testing.assert_array_equal(dataset.X.toarray()[back], [[2, 0, 1], [1, 0, 0], [0, 4, 0]])
    assert [dataset.class_names[k] for k in dataset.labels[back]] == ["b", "b", "a"]
    assert record["rows"] == 3 and record["empty_rows"] == 0
    assert record["dropped"] == ["2 of 5 rows are empty"]
    assert list(record["class_sizes"]) == ["a", "b"]  # class c had only an empty document


def test_a_card_may_keep_them(home):
    expected = {"rows": 5, "columns": [3], "nonzeros": [4], "classes": 3}
    home.write_card(empty_card(keep={"empty_rows": True}, expected=expected))
    home.fetch()
    _, record = home.prepare()
    assert record["empty_rows"] == 2 and record["dropped"] == []


def test_the_expected_shape_is_the_one_without_them(home):
    expected = {"rows": 5, "columns": [3], "nonzeros": [4], "classes": 2}
    home.write_card(empty_card(expected=expected))
    home.fetch()
    with pytest.raises(RecocoError, match="rows are 3, but the card expects 5"):
        home.prepare()


@pytest.mark.parametrize("method", ["skmeans", "wcnmtf"])
def test_methods_that_need_a_direction_take_what_is_left(home, method):
    """Both refuse a row of zeros."""
    home.write_card(empty_card())
    home.fetch()
    dataset = load_prepared(home.prepare()[0])
    runs = get_method(method)(n_clusters=2).fit_runs(dataset.X, [1])
    assert runs.row_labels.shape == (1, 3)


def test_nodes_without_links_stay(home):
    home.put("tiny/tiny.gml", GRAPH.encode())
    source = {"kind": "mirror", "files": [{"at": "tiny/tiny.gml", "sha256": sha(GRAPH.encode())}]}
    expected = {"rows": 3, "columns": [3], "nonzeros": [1], "classes": 2}
    parser = {"name": "gml", "file": "tiny.gml"}
    home.write_card(empty_card(sources=[source], parser=parser, expected=expected))
    home.fetch()
    _, record = home.prepare()
    assert record["rows"] == 3 and record["empty_rows"] == 2 and record["dropped"] == []


def parsed(*views, **others) -> Parsed:
    labels = np.arange(len(views[0]))
    return Parsed([csr_matrix(np.array(v, float)) for v in views], labels, [None] * 2, **others)


def test_an_object_stays_if_any_view_has_something_of_it():
    both = parsed([[1, 0], [0, 0], [0, 0]], [[0], [0], [2]])
    keep(both, "counts")
    assert [view.toarray().tolist() for view in both.views] == [[[1, 0], [0, 0]], [[0], [2]]]
    assert both.labels.tolist() == [0, 2] and both.dropped == ["1 of 3 rows are empty"]


@pytest.mark.parametrize(("content", "graph"), [("real", False), ("counts", True)])
def test_features_of_zero_and_nodes_stay(content, graph):
    one = parsed([[1, 0], [0, 0]], graph=graph)
    keep(one, content)
    assert one.views[0].shape == (2, 2) and one.dropped == []


def test_nothing_left_is_an_error():
    with pytest.raises(RecocoError, match="no row is left"):
        keep(parsed([[0, 0], [0, 0]]), "counts")


def test_the_card_of_ones_own_data_says_what_is_left_out(home, tmp_path):
    table = tmp_path / "reviews.csv"
    table.write_text("topic,cat,dog\na,1,0\nb,0,0\na,0,2\n")
    _, written = write_card(str(table), "mine", {"labels": "topic"})
    assert written["expected"] == {"rows": 2, "columns": [2], "nonzeros": [2], "classes": 1}
    assert written["notes"] == "Left out: 1 of 3 rows are empty."
    home.fetch("mine", mirrors=[])
    assert home.prepare("mine")[1]["dropped"] == ["1 of 3 rows are empty"]
