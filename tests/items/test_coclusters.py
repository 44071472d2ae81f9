"""What shows of co-clusters: pictures, classes, words and their neighbours."""

import json

import numpy as np
import pytest
from scipy import sparse

from recoco.consensus import __all__ as exported
from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays, write_arrays
from recoco.datasets.dataset import Dataset, write_prepared
from recoco.items.coclusters.stage import class_table, frequent_words, picture, write_coclusters
from recoco.metrics.coherence import count_windows
from recoco.metrics.npmi import neighbour_scores, npmi

ROWS, COLUMNS = np.array([1, 0, 1, 0]), np.array([0, 1, 1])
X = np.array([[0, 2, 1], [3, 0, 0], [0, 1, 1], [1, 0, 0]])


def test_picture_puts_co_clusters_on_the_diagonal():
    density, rows, columns = picture(X, ROWS, COLUMNS)
    assert density.tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert rows.tolist() == [0, 2, 4] and columns.tolist() == [0, 1, 3]


def test_picture_is_binned_and_loses_nothing():
    rng = np.random.default_rng(0)
    A = sparse.random(37, 23, 0.2, random_state=1, format="csr")
    z, w = rng.integers(3, size=37), rng.integers(3, size=23)
    density, _, _ = picture(A, z, w, bins=5)
    heights = np.bincount(np.arange(37) * 5 // 37)
    widths = np.bincount(np.arange(23) * 5 // 23)
    assert density.shape == (5, 5)
    assert (density * np.outer(heights, widths)).sum() == pytest.approx(A.nnz, rel=1e-5)


def test_picture_refuses_labels_of_another_matrix():
    with pytest.raises(RecocoError, match="3 labels for 4 lines"):
        picture(X, ROWS[:3], COLUMNS)


def test_classes_and_frequent_words():
    assert class_table(ROWS, np.array([0, 1, 1, 1]), 2).tolist() == [[0, 2], [1, 1]]
    words, sums = frequent_words(X, COLUMNS, 2, 2)
    assert words.tolist() == [[0, -1], [1, 2]] and sums.tolist() == [[4, 0], [3, 2]]


def block(path, criterion):
    labels = np.array([ROWS, [0, 1, 0, 1]], np.uint8)
    record = {"seeds": ["0", "1"], "status": "ok", "error": "", "method": "coclus"}
    arrays = {"run": np.arange(2), "row_labels": labels, "criterion": np.array(criterion)}
    arrays["column_labels"] = np.array([COLUMNS, [1, 0, 0]], np.uint8)
    write_arrays(path, {**arrays, "record": np.array(json.dumps(record))})
    return path


@pytest.mark.parametrize(("criterion", "run"), [([0.1, 0.2], 1), ([0.3, 0.2], 0)])
def test_stage_takes_the_run_of_the_best_criterion(tmp_path, criterion, run):
    terms = [["heart", "wing", "flow"]]
    data = Dataset(
        name="toy",
        views=[sparse.csr_matrix(X)],
        labels=np.array([0, 1, 0, 1]),
        class_names=["planes", "hearts"],
        terms=terms,
        permutation=np.arange(4),
    )
    write_prepared(tmp_path / "toy.npz", data)
    blocks = [block(tmp_path / "0-2.npz", criterion)]
    inputs = {"data": [tmp_path / "toy.npz"], "blocks": blocks}
    task = {"import_path": "recoco.methods.coclus:CoClus", "runs": 2, "top": 2}
    write_coclusters(inputs, task, tmp_path / "out.npz")
    found = read_arrays(tmp_path / "out.npz")
    assert found["run"] == run
    assert sorted(found["classes"].tolist()) == [[0, 2], [2, 0]]
    first = int(np.flatnonzero(found["classes"][:, 1])[0])  # the co-cluster about hearts
    words = [str(found["vocabulary"][j]) for j in found["top_words"][first] if j >= 0]
    assert words == ["heart"]


def test_npmi_has_the_sign_that_the_paper_lost():
    texts = ["sun moon", "sun moon", "sun star", "rock star", "rock hill", "hill moon"]
    words = ["sun", "moon", "star", "rock", "hill"]
    counts = count_windows(texts, words, window=2, stem=False)
    table = npmi(counts, words)
    # p(sun) = p(moon) = 1/2, together in a third of the windows
    expected = np.log((1 / 3) / (1 / 4)) / -np.log(1 / 3)
    assert table[0, 1] == table[1, 0] == pytest.approx(expected)
    assert table[0, 3] == -1 and np.isnan(table[0, 0])
    scores = neighbour_scores(counts, words, 2)
    assert scores[0] == pytest.approx((table[0, 1] + table[0, 2]) / 2)


def test_npmi_at_its_ends():
    counts = count_windows(["a b", "a b", "c d"], ["a", "b", "e"], window=2, stem=False)
    assert npmi(counts, ["a", "b"])[0, 1] == pytest.approx(1)
    assert np.isnan(neighbour_scores(counts, ["a", "b", "e"])[2])  # no text has it
    always = count_windows(["a b"], ["a", "b"], window=2, stem=False)
    assert npmi(always, ["a", "b"])[0, 1] == 1
    with pytest.raises(RecocoError, match="count the windows"):
        npmi(counts, ["a", "z"])
    with pytest.raises(RecocoError, match="neighbours is 0"):
        neighbour_scores(counts, ["a", "b"], 0)


def test_consensus_exports_what_it_names():
    import recoco.consensus

    for name in exported:
        assert callable(getattr(recoco.consensus, name)), name
    with pytest.raises(AttributeError, match="no attribute 'vote'"):
        recoco.consensus.vote  # noqa: B018
    with pytest.raises(RecocoError, match="number 1 has 1 labels, the first has 2"):
        recoco.consensus.medoid([np.array([0, 1]), np.array([0])])


def test_medoid_alone_is_light():
    import subprocess
    import sys

    code = (
        "import sys, recoco.consensus; print([m for m in ('numba', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
