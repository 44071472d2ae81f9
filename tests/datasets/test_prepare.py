"""Prepare: checks, the recorded shuffle, the same bytes every time."""

import numpy as np
import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import load_dataset, load_prepared
from recoco.datasets.preparation import permutation_of
from support.datasets_fixture import MATRIX, Home, card, files, make_home


@pytest.fixture
def home(tmp_path, monkeypatch) -> Home:
    return make_home(tmp_path, monkeypatch)


def test_permutation_is_recorded_and_can_be_undone(home):
    home.fetch()
    npz, characteristics = home.prepare()
    dataset = load_prepared(npz)
    original = np.array([[2, 0, 1], [0, 3, 0], [1, 0, 0], [0, 0, 4]])
    np.testing.assert_array_equal(dataset.X.toarray(), original[dataset.permutation])
    back = np.argsort(dataset.permutation)
    np.testing.assert_array_equal(dataset.X.toarray()[back], original)
    assert [dataset.class_names[k] for k in dataset.labels[back]] == ["b", "a", "b", "a"]
    assert sorted(dataset.permutation) == [0, 1, 2, 3]
    assert dataset.labels.dtype == np.int32 and dataset.permutation.dtype == np.int64
    assert characteristics["class_sizes"] == {"a": 2, "b": 2}
    assert characteristics["document_sizes"]["sums"]["max"] == 4
    assert characteristics["sparsity_percent"] == pytest.approx(100 * 7 / 12)
    assert characteristics["printed"]["coclus"]["dataset"] == "CSTR"


def test_prepare_is_byte_stable_and_shuffles_by_name(home):
    home.fetch()
    npz, _ = home.prepare()
    first = npz.read_bytes(), npz.with_suffix(".json").read_bytes()
    home.prepare()
    assert (npz.read_bytes(), npz.with_suffix(".json").read_bytes()) == first
    assert not np.array_equal(permutation_of("a", 100)[0], permutation_of("b", 100)[0])
    assert not np.array_equal(permutation_of("a", 100)[0], np.arange(100))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 5}, ["rows are 4", "5"]),
        ({"columns": [4]}, ["columns are [3]", "[4]"]),
        ({"nonzeros": [6]}, ["nonzeros are [5]", "[6]"]),
        ({"classes": 3}, ["classes are 2", "3"]),
    ],
)
def test_shape_must_be_that_of_the_card(home, changes, words):
    home.write_card(card(expected=card()["expected"] | changes))
    home.fetch()
    with pytest.raises(RecocoError, match="Dataset tiny:") as caught:
        home.prepare()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "content", "word"),
    [
        (b"4.00", b"nan", "counts", "NaN"),
        (b"4.00", b"-4.00", "counts", "negative"),
        (b"4.00", b"4.50", "counts", "whole numbers"),
        (b"4.00", b"4.50", "binary", "binary"),
        (b"4.00", b"inf", "real", "infinite"),
    ],
)
def test_values_must_be_what_the_card_says(home, old, new, content, word):
    home.put("tiny/tiny.mat", MATRIX.replace(old, new))
    sources = [{"kind": "mirror", "files": [{"at": f["at"]} for f in files("tiny/")]}]
    home.write_card(card(content=content, sources=sources))
    home.fetch()
    with pytest.raises(RecocoError, match=word):
        home.prepare()


def test_negative_values_are_fine_in_real_features(home):
    home.put("tiny/tiny.mat", MATRIX.replace(b"4.00", b"-4.50"))
    sources = [{"kind": "mirror", "files": [{"at": f["at"]} for f in files("tiny/")]}]
    home.write_card(card(content="real", sources=sources))
    home.fetch()
    npz, _ = home.prepare()
    assert load_prepared(npz).X.min() == -4.5


def test_class_names_must_be_those_of_the_classes(home):
    home.write_card(card(class_names={"a": "alpha", "b": "beta"}))
    home.fetch()
    npz, _ = home.prepare()
    assert load_prepared(npz).class_names == ["alpha", "beta"]
    home.write_card(card(class_names={"a": "alpha", "c": "gamma"}))
    with pytest.raises(RecocoError, match="class_names"):
        home.prepare()


def test_raw_files_changed_after_fetch_are_refused(home):
    home.fetch()
    (home.raw / "tiny.mat").write_bytes(MATRIX + b"\n")
    with pytest.raises(RecocoError, match=r"tiny\.mat is not the file that was fetched"):
        home.prepare()
    (home.raw / "receipt.json").write_text("{")
    with pytest.raises(RecocoError, match="no readable receipt"):
        home.prepare()


def test_card_changed_after_fetch(home):
    home.fetch()
    home.write_card(card(sources=[]))
    with pytest.raises(RecocoError, match="changed after"):
        home.prepare()


def test_printed_name_must_exist(home):
    home.write_card(card(printed_as={"coclus": "CSTRR"}))
    home.fetch()
    with pytest.raises(RecocoError, match="CSTRR"):
        home.prepare()
    home.write_card(card(printed_as={"my-paper": "Tiny"}))
    assert home.prepare()[1]["printed"] == {}


def test_load_prepared_of_nothing_and_of_junk(tmp_path):
    with pytest.raises(RecocoError, match=r"There is no .*x\.npz"):
        load_prepared(tmp_path / "x.npz")
    (tmp_path / "x.npz").write_bytes(b"junk")
    with pytest.raises(RecocoError, match=r"x\.npz is not a prepared dataset"):
        load_prepared(tmp_path / "x.npz")


def test_load_dataset_looks_again_for_what_was_unreachable(home, monkeypatch):
    (home.mirror / "tiny" / "tiny.mat").unlink()
    monkeypatch.setenv("RECOCO_MIRROR", str(home.mirror))
    with pytest.raises(RecocoError, match="unreachable"):
        load_dataset("tiny")
    home.put("tiny/tiny.mat", MATRIX)
    dataset = load_dataset("tiny")
    assert dataset.X.shape == (4, 3) and dataset.n_classes == 2
    home.put("tiny/tiny.mat", b"gone again")
    assert load_dataset("tiny").X.nnz == 5  # prepared once, read ever after


def test_keep_leaves_out_columns_then_rows(home):
    """Columns are in 2, 1 and 2 of the rows [2 0 1] [0 3 0] [1 0 0] [0 0 4]."""
    matrix = b"4 3 5\n1 2.00 3 1.00\n2 3.00\n1 1.00\n3 4.00\n"
    assert matrix == MATRIX
    shape = {"rows": 4, "columns": [2], "nonzeros": [4], "classes": 2}
    home.write_card(card(keep={"min_df": 2, "empty_rows": True}, expected=shape))
    home.fetch()
    npz, record = home.prepare()
    back = np.argsort(load_prepared(npz).permutation)
    np.testing.assert_array_equal(
        load_prepared(npz).X.toarray()[back], [[2, 1], [0, 0], [1, 0], [0, 4]]
    )
    assert "1 of 3 columns are in fewer than 2 rows" in record["dropped"]
    assert record["empty_rows"] == 1

    home.write_card(card(keep={"min_df": 2}, expected=shape | {"rows": 3}))
    npz, record = home.prepare()
    dataset = load_prepared(npz)
    back = np.argsort(dataset.permutation)
    np.testing.assert_array_equal(dataset.X.toarray()[back], [[2, 1], [1, 0], [0, 4]])
    assert [dataset.class_names[k] for k in dataset.labels[back]] == ["b", "b", "a"]
    assert "1 of 4 rows are empty" in record["dropped"]

    shape = {"rows": 1, "columns": [1], "nonzeros": [1], "classes": 1}
    home.write_card(card(keep={"max_df_share": 0.4}, expected=shape))
    npz, record = home.prepare()
    assert load_prepared(npz).X.sum() == 3
    home.write_card(card(keep={"min_df": 5}))
    with pytest.raises(RecocoError, match="no column is left"):
        home.prepare()


def test_card_based_on_another_shares_its_files(home):
    own = {
        "title": "Tinier",
        "description": "tiny without its rare word",
        "based_on": "tiny",
        "keep": {"min_df": 2},
        "expected": {"rows": 3, "columns": [2], "classes": 2},
    }
    home.write_card(own, "tinier")
    home.fetch("tinier")
    npz, record = home.prepare("tinier")
    assert load_prepared(npz).X.shape == (3, 2)
    assert record["printed"] == {}  # not the parent's
    home.write_card(own | {"based_on": "tinny"}, "tinier")
    with pytest.raises(RecocoError, match="did you mean 'tiny'"):
        home.fetch("tinier")
    home.write_card(own | {"based_on": "tinier"}, "tiniest")
    home.write_card(own, "tinier")
    with pytest.raises(RecocoError, match="itself based on"):
        home.fetch("tiniest")


def test_a_source_has_its_own_rule_of_what_to_keep(home):
    """The rule of a source replaces the card's."""
    matrix = b"4 3 4\n1 2.00 3 1.00\n\n1 1.00\n2 4.00\n"
    other = {
        "kind": "local",
        "files": [
            {"at": "mirror/tiny/other.mat", "name": "tiny.mat"},
            {"at": "mirror/tiny/tiny.rclass"},
        ],
        "keep": {"empty_rows": True},
        "expected": {"rows": 4, "columns": [3], "nonzeros": [4], "classes": 2},
    }
    home.put("tiny/other.mat", matrix)
    home.write_card(card(keep={"min_df": 2}, sources=[*card()["sources"], other]))
    home.fetch(mirrors=[])
    _, record = home.prepare()
    assert record["rows"] == 4 and record["empty_rows"] == 1 and record["dropped"] == []

    home.write_card(card(sources=[*card()["sources"], other]))
    home.fetch()
    assert home.prepare()[1]["dropped"] == []


def test_a_derived_card_adds_its_rules_to_those_of_an_inherited_source(home):
    other = {
        "kind": "local",
        "files": [{"at": "mirror/tiny/tiny.mat"}, {"at": "mirror/tiny/tiny.rclass"}],
        "keep": {"empty_rows": True},
        "expected": {"rows": 4, "columns": [3], "classes": 2},
    }
    home.write_card(card(sources=[other]))
    own = {
        "title": "Tinier",
        "description": "tiny without its rare word",
        "based_on": "tiny",
        "keep": {"min_df": 2},
        "expected": {"rows": 4, "columns": [2], "classes": 2},
    }
    home.write_card(own, "tinier")
    home.fetch("tinier")
    assert home.prepare("tinier")[1]["columns"] == [2]

    # another preparation has a shape that only the parent's card knows
    home.write_card(card(sources=[other | {"other_preparation": "counted in another way"}]))
    home.write_card(own | {"expected": {"rows": 9, "columns": [9], "classes": 9}}, "tinier")
    home.fetch("tinier")
    assert home.prepare("tinier")[1]["columns"] == [2]
    home.write_card(own | {"parser": card()["parser"] | {"transpose": True}}, "tinier")
    home.write_card(card(sources=[other | {"parser": card()["parser"]}]))
    with pytest.raises(RecocoError, match=r"unknown key 'transpose' at .*parser"):
        home.fetch("tinier")
