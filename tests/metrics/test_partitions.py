"""Identities of the metrics, and their agreement with brute force and scikit-learn."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from recoco import metrics
from recoco.core.errors import RecocoError
from recoco.metrics.coclusters import modularity
from recoco.metrics.partitions import METRICS
from support import twins

SINGLE = {
    "acc": metrics.accuracy,
    "nmi": metrics.nmi,
    "nmi_arithmetic": lambda t, p: metrics.nmi(t, p, average="arithmetic"),
    "ari": metrics.ari,
    "purity": metrics.purity,
}

label_lists = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 5), min_size=n, max_size=n),
    )
)


def brute_accuracy(truth, labels):
    """The best of all one-to-one maps from clusters to classes (some may go unmatched)."""
    classes, clusters = sorted(set(truth)), sorted(set(labels))
    targets = classes + [None] * len(clusters)
    return max(
        np.mean([chosen[clusters.index(b)] == a for a, b in zip(truth, labels, strict=True)])
        for chosen in set(permutations(targets, len(clusters)))
    )


@settings(max_examples=150, deadline=None)
@given(label_lists)
def test_agree_with_scikit_learn(pair):
    truth, labels = pair
    scores = {name: score(truth, labels) for name, score in SINGLE.items()}
    mi = reference.normalized_mutual_info_score
    both_single = len(set(truth)) == len(set(labels)) == 1
    if not both_single:
        assert scores["nmi"] == pytest.approx(mi(truth, labels, average_method="geometric"))
        assert scores["nmi_arithmetic"] == pytest.approx(mi(truth, labels))
    assert scores["ari"] == pytest.approx(reference.adjusted_rand_score(truth, labels))
    table = metrics.contingency(truth, labels)
    assert (table == reference.cluster.contingency_matrix(truth, labels)).all()
    assert scores["purity"] == table.max(axis=0).sum() / len(truth)
    assert 0 <= scores["acc"] <= scores["purity"] <= 1


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 12).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(0, 2), min_size=n, max_size=n),
            st.lists(st.integers(0, 3), min_size=n, max_size=n),
        )
    )
)
def test_accuracy_is_the_best_of_all_matchings(pair):
    assert metrics.accuracy(*pair) == pytest.approx(brute_accuracy(*pair))


@settings(max_examples=60, deadline=None)
@given(label_lists, st.permutations(range(6)), st.permutations(range(5)))
def test_names_do_not_matter(pair, new_labels, new_classes):
    truth, labels = pair
    renamed = [7 * new_labels[label] for label in labels]
    reclassed = [new_classes[label] for label in truth]
    for score in SINGLE.values():
        assert score(truth, labels) == score(reclassed, renamed)  # to the last bit


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_perfect_is_one(truth):
    for score in SINGLE.values():
        assert score(truth, truth) == 1.0
        assert score(truth, [5 - label for label in truth]) == 1.0


@settings(max_examples=40, deadline=None)
@given(label_lists)
def test_symmetric(pair):
    truth, labels = pair
    for name in ("acc", "nmi", "nmi_arithmetic", "ari"):
        assert SINGLE[name](truth, labels) == pytest.approx(SINGLE[name](labels, truth))


def test_degenerate_partitions():
    one, two = [0, 0, 0, 0], [0, 0, 1, 1]
    assert metrics.nmi(one, one) == 1 and metrics.ari(one, one) == 1
    assert metrics.nmi(two, one) == 0 and metrics.nmi(one, two) == 0
    assert metrics.ari(two, one) == 0
    assert metrics.accuracy(two, one) == metrics.purity(two, one) == 0.5
    assert metrics.purity(one, two) == 1 and metrics.accuracy(one, two) == 0.5


def test_many_partitions_at_once():
    rng = np.random.default_rng(0)
    truth = rng.integers(5, size=200)
    partitions = np.stack([rng.integers(1 + r, size=200) * (1 + r % 3) for r in range(12)])
    for dtype in (np.int16, np.int32, np.int64, np.uint8, float):
        scores = metrics.score_partitions(truth, partitions.astype(dtype))
        assert sorted(scores) == sorted([*METRICS, "n_clusters"])
        for name, values in scores.items():
            assert values.dtype == np.float64 and values.shape == (12,)
            if name == "n_clusters":
                assert values.tolist() == [len(set(row)) for row in partitions]
                continue
            alone = [metrics.score_partitions(truth, row[None])[name][0] for row in partitions]
            assert values.tolist() == alone
            if name in SINGLE:
                assert alone == [SINGLE[name](truth, row) for row in partitions]


def test_a_registered_metric_is_a_score_with_a_label(monkeypatch):
    from recoco.metrics.partitions import metric
    from recoco.report.formats import metric_name

    monkeypatch.setitem(METRICS, "objects", None)  # taken out again after the test
    metric("objects", "Objects")(lambda tables: tables.counts.sum(axis=(1, 2)) * 1.0)
    scores = metrics.score_partitions([0, 0, 1], [[0, 1, 1], [0, 0, 0]])
    assert scores["objects"].tolist() == [3, 3] and metric_name("objects") == "Objects"


def test_labels_far_apart():
    rng = np.random.default_rng(1)
    truth, labels = rng.integers(3, size=50), rng.integers(4, size=50)
    far = labels.astype(np.int64) * 10**12
    assert metrics.score_partitions(truth, [far])["nmi"] == metrics.nmi(truth, labels)


def test_canonical():
    assert metrics.canonical([7, 7, 2, 9, 2, 0]).tolist() == [0, 0, 1, 2, 1, 3]


SAME = {
    "text": ["b", "b", "a", "c", "a"],
    "array of text": np.array(["b", "b", "a", "c", "a"]),
    "bytes": np.array([b"b", b"b", b"a", b"c", b"a"]),
    "objects": np.array(["b", "b", "a", "c", "a"], object),
    "series": pd.Series(["b", "b", "a", "c", "a"], index=[9, 7, 5, 3, 1]),
    "strings of pandas": pd.Series(["b", "b", "a", "c", "a"], dtype="string"),
    "integers of pandas": pd.Series([4, 4, 0, 7, 0], dtype="Int64"),
    "categorical": pd.Categorical(["b", "b", "a", "c", "a"], categories=["c", "b", "a"]),
    "index": pd.Index(["b", "b", "a", "c", "a"]),
    "negative": [1, 1, -1, 5, -1],
    "floats": [1.0, 1.0, 0.0, 5.0, 0.0],
    "large": [2**70, 2**70, 3, 5, 3],
    "tuples": [(1, 2), (1, 2), (0,), (3, 4), (0,)],
    "pairs": [(1, 2), (1, 2), (0, 1), (3, 4), (0, 1)],
    "of several types": [1, 1, "1", ("x",), "1"],
    "dates": np.array(["2020-01-02", "2020-01-02", "2020-01-01", "2021-01-01", "2020-01-01"], "M8"),
}


@pytest.mark.parametrize("kind", SAME)
def test_labels_of_any_kind(kind):
    plain, other, labels = [1, 1, 0, 2, 0], [0, 0, 0, 1, 1], SAME[kind]
    for score in SINGLE.values():
        assert score(labels, other) == score(plain, other)
        assert score(other, labels) == score(other, plain)
        assert score(labels, labels) == 1
    assert metrics.canonical(labels).tolist() == [0, 0, 1, 2, 1]
    assert sorted(metrics.contingency(labels, other).tolist()) == [[0, 1], [1, 1], [2, 0]]
    many = metrics.score_partitions(other, [labels, plain, labels])
    assert all(len(set(values)) == 1 for values in many.values())


def test_partitions_are_the_rows_of_any_table():
    truth, rows = ["x", "y", "y"], [["a", "b", "b"], ["a", "a", "b"]]
    expected = metrics.score_partitions([0, 1, 1], [[0, 1, 1], [0, 0, 1]])["nmi"].tolist()
    for table in (rows, np.array(rows), pd.DataFrame(rows), tuple(map(pd.Series, rows))):
        assert metrics.score_partitions(truth, table)["nmi"].tolist() == expected


def test_contingency_is_in_the_order_of_the_labels():
    assert metrics.contingency(["b", "a", "b"], ["y", "x", "x"]).tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize(
    ("truth", "labels", "words"),
    [
        ([0, 1], [0, 1, 1], "2 labels and the partition 3: give one label per object"),
        (["a", "b"], ["a"], "2 labels and the partition 1: give one label per object"),
        ([0, 1], [0, np.nan], "no label for object 1"),
        ([0, 1], np.array([np.nan, 1.0]), "no label for object 0"),
        ([0, 1], ["a", None], "no label for object 1"),
        ([0, 1], ["a", np.nan], "no label for object 1"),
        ([0, 1], pd.Series([1, None], dtype="Int64"), "no label for object 1"),
        ([0, 1], pd.Categorical(["a", None]), "no label for object 1"),
        ([0, 1], np.array(["2020-01-01", "NaT"], "M8"), "no label for object 1"),
        ([0, 1], np.ma.array([0, 1], mask=[True, False]), "no label for object 0"),
        ([0, 1], [0, 0.5], "whole"),
        ([0, 1], [0, np.inf], "whole"),
        ([0, 1], [{"a"}, {"b"}], "hashable"),
        ([0, 1], np.zeros((2, 1)), "shape"),
        ([0, 1], "ab", "shape"),
        ([], [], "empty"),
    ],
)
def test_refuses_bad_labels(truth, labels, words):
    for score in (*SINGLE.values(), metrics.contingency):
        with pytest.raises(RecocoError, match=words) as error:
            score(truth, labels)
        assert "\n" not in str(error.value)
    with pytest.raises(RecocoError, match=words):
        metrics.score_partitions(truth, [labels])


def test_refuses_bad_partitions():
    with pytest.raises(RecocoError, match="one row per partition"):
        metrics.score_partitions([0, 1], np.array([0, 1]))
    with pytest.raises(RecocoError, match="2 and 3 labels"):
        metrics.score_partitions([0, 1], [[0, 1], [0, 1, 1]])
    with pytest.raises(RecocoError, match="empty"):
        metrics.score_partitions([0, 1], [])


def test_refuses_unknown_average():
    with pytest.raises(RecocoError, match="geometric"):
        metrics.nmi([0, 1], [0, 1], average="harmonic")


def test_modularity_agrees_with_twin():
    rng = np.random.default_rng(2)
    X = rng.poisson(0.7, (12, 9)).astype(float)
    z, w = rng.integers(3, size=12), rng.integers(3, size=9)
    assert modularity(X, z, w) == pytest.approx(twins.modularity(X, z, w, 3))
    assert modularity(X, z * 0, w * 0) == pytest.approx(0)


def test_modularity_takes_any_labels():
    X = np.kron(np.eye(2), np.full((2, 3), 2.0)) + 1
    rows, columns = [0, 0, 1, 1], [0, 0, 0, 1, 1, 1]
    expected = modularity(X, rows, columns)
    for names in (["b", "a"], [1, "a"], [-3, 4], [1.0, 2.0], [(1,), (1, 2)]):
        labels = [[names[label] for label in side] for side in (rows, columns)]
        assert modularity(X, *labels) == pytest.approx(expected, abs=1e-15)
    named = pd.Series(["u", "u", "v", "v"]), pd.Categorical(list("uuuvvv"))
    assert modularity(X, *named) == pytest.approx(expected, abs=1e-15)
    with pytest.raises(RecocoError, match="labels for 4 rows and 4 columns"):
        modularity(X, rows, rows)
    with pytest.raises(RecocoError, match="no label for object 3"):
        modularity(X, ["a", "a", "b", None], columns)
