"""Correspondence analysis, the consensus of the best runs, and topics."""

import json

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chi2_contingency

from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_arrays
from recoco.datasets.dataset import Dataset, write_prepared
from recoco.items.ensembles import write_ensembles
from recoco.items.topics import write_topics
from recoco.items.topics.correspondence import correspondence_analysis
from recoco.runs.scoring import best_runs


def test_axes_of_a_table():
    table = np.random.default_rng(0).integers(1, 30, (4, 9))
    found = correspondence_analysis(table, axes=3)
    mass, weight = table.sum(axis=1) / table.sum(), table.sum(axis=0) / table.sum()
    assert np.allclose(mass @ found.rows, 0) and np.allclose(weight @ found.columns, 0)
    assert found.inertia.sum() == pytest.approx(1)  # three axes hold all of four rows
    chi_square = chi2_contingency(table, correction=False).statistic / table.sum()
    assert mass @ (found.rows**2).sum(axis=1) == pytest.approx(chi_square)
    assert np.allclose(found.contributions.sum(axis=0), 1)
    # distances of profiles in the chi-square metric
    profiles = table / table.sum(axis=1, keepdims=True)
    apart = (((profiles[0] - profiles[1]) ** 2) / weight).sum()
    assert ((found.rows[0] - found.rows[1]) ** 2).sum() == pytest.approx(apart)


def test_signs_do_not_depend_on_the_order():
    table = np.random.default_rng(1).integers(1, 30, (3, 6))
    order = [4, 2, 0, 5, 1, 3]
    one, other = correspondence_analysis(table), correspondence_analysis(table[:, order])
    assert np.allclose(one.rows, other.rows) and np.allclose(one.columns[order], other.columns)


@pytest.mark.parametrize(
    ("table", "said"),
    [([[1, 2, 3]], "two rows"), ([[1, 0], [2, 0]], "empty"), ([[1, -1], [1, 1]], "not counts")],
)
def test_tables_that_have_no_axes(table, said):
    with pytest.raises(RecocoError, match=said):
        correspondence_analysis(table)


TRUTH = np.repeat([0, 1, 2], 20)


@pytest.fixture
def prepared(tmp_path):
    rng = np.random.default_rng(2)
    words = (rng.random((60, 9)) < 0.1) + np.kron(np.eye(3), np.ones((20, 3)))
    view = sparse.csr_matrix(np.minimum(words, 1.0))
    terms = [f"w{j}" for j in range(9)]
    path = tmp_path / "made-up.npz"
    data = Dataset("made-up", [view], TRUTH.astype(np.int32), list("abc"), [terms], np.arange(60))
    write_prepared(path, data)
    return path


def block(path, labels, criterion):
    runs = len(labels)
    record = {"status": "ok", "error": "", "seeds": ["0"] * runs}
    write_arrays(
        path,
        {
            "run": np.arange(runs, dtype=np.int32),
            "row_labels": np.asarray(labels, np.uint8),
            "criterion": np.asarray(criterion, float),
            "record": np.array(json.dumps(record)),
        },
    )
    return str(path)


def noisy(rng, share):
    labels = TRUTH.copy()
    wrong = rng.random(60) < share
    labels[wrong] = rng.integers(3, size=wrong.sum())
    return labels


def test_best_runs_come_first(tmp_path):
    path = block(tmp_path / "a.npz", [[0] * 60, [1] * 60, [2] * 60], [1.0, 3.0, 2.0])
    assert best_runs([path], 3, True, 2)[:, 0].tolist() == [1, 2]
    assert best_runs([path], 3, False, 2)[:, 0].tolist() == [0, 2]


def test_consensus_inside_and_across_graphs(prepared, tmp_path):
    rng = np.random.default_rng(5)
    settings = {}
    for name in ("one", "two", "both"):
        labels = [noisy(rng, 0.25) for _ in range(6)]
        labels[3] = rng.integers(3, size=60)  # the worst by the criterion is left out
        criterion = [6, 5, 4, 0, 3, 2]
        settings[name] = ([block(tmp_path / f"{name}.npz", labels, criterion)], 6, True)
    tasks = [
        {"item": "f", "method": "A", "top": 5, "groups": {"1": "one", "2": "two"}},
        {"item": "f", "method": "B", "top": 5, "groups": {"all": "both"}},
        {"item": "f", "method": "C", "top": 5, "groups": {"all": "not there"}},
    ]
    task = {"tasks": tasks, "settings": settings}
    write_ensembles({"data": [prepared]}, task, tmp_path / "out.json")
    rows = read_json(tmp_path / "out.json")
    assert [(r["method"], r["level"]) for r in rows] == [
        ("A", "1"),
        ("A", "2"),
        ("A", "across"),
        ("B", "all"),
    ]
    assert [r["partitions"] for r in rows] == [5, 5, 2, 5]
    for row in (rows[0], rows[1], rows[3]):
        assert row["nmi"] > row["mean_nmi"] and row["function"] in ("cspa", "mcla", "hgpa")


def test_runs_that_found_nothing(prepared, tmp_path):
    path = block(tmp_path / "a.npz", np.zeros((3, 60)), [1, 2, 3])
    task = {"item": "f", "method": "A", "top": 3, "groups": {"all": "one"}}
    settings = {"one": ([path], 3, True)}
    whole = {"tasks": [task], "settings": settings}
    write_ensembles({"data": [prepared]}, whole, tmp_path / "out.json")
    (row,) = read_json(tmp_path / "out.json")
    assert row["nmi"] == 0


def test_topics_have_their_own_words(prepared, tmp_path):
    path = block(tmp_path / "a.npz", [np.zeros(60), (TRUTH + 1) % 3], [0.0, 1.0])
    task = {"item": "t", "setting": "s", "view": 1, "top": 6}
    whole = {"tasks": [task], "settings": {"s": ([path], 2, True)}}
    write_topics({"data": [prepared]}, whole, tmp_path / "out.json")
    rows = read_json(tmp_path / "out.json")
    topics = [r for r in rows if r["part"] == "topic"]
    assert [t["name"] for t in topics] == ["c (100 %)", "a (100 %)", "b (100 %)"]
    assert [t["value"] for t in topics] == [20, 20, 20]
    terms = [r for r in rows if r["part"] == "term"]
    assert len(terms) == 6 and terms[0]["value"] >= terms[-1]["value"]
    shares = {(r["name"], r["topic"]): r["value"] for r in rows if r["part"] == "count"}
    for term in terms:
        own = int(term["name"][1]) // 3  # words 3 k to 3 k + 2 are those of class k
        assert shares[term["name"], (own + 1) % 3 + 1] == 1
