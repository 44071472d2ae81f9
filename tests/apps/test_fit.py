"""`recoco fit`: what is printed of each view, several matrix files, and what is refused."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite

from recoco import cli
from recoco.apps.fit_account import account, views_of
from recoco.methods import METHODS, get_method

SEVERAL = [name for name in METHODS if get_method(name).views == "many"]
NAMES = ["ant", "bee", "cat", "dog", "elk", "fox"]
ROWS = np.array([0, 0, 1, 1])
A = sparse.csr_matrix(
    np.array([[9, 7, 1, 0, 0, 1], [9, 7, 0, 1, 1, 0], [0, 0, 8, 4, 0, 0], [0, 0, 8, 4, 0, 0]])
)


def lines_of(columns, X=A, names=(NAMES,), words=10, graphs=False, **attributes) -> list[str]:
    columns = None if columns is None else np.array(columns)
    model = SimpleNamespace(row_labels_=ROWS, column_labels_=columns, **attributes)
    return list(account(model, views_of(model, X, list(names), graphs), words, graphs))


def test_row_clusters_are_shown_with_the_column_clusters_that_carry_them():
    lines = lines_of([1, 1, 0, 0, 2, 2], n_column_clusters=None, two_sided=True)
    assert lines == [
        "",
        "row cluster 0: 2 objects",
        "  89 % of its mass in column cluster 1 (2 features)",
        "    ant, bee",
        "  11 % of its mass in 2 others",
        "row cluster 1: 2 objects",
        "  100 % of its mass in column cluster 0 (2 features)",
        "    cat, dog",
        "listed for no row cluster: column cluster 2 (2 features)",
        "    elk, fox",
    ]


def test_diagonal_methods_are_shown_by_pairs():
    lines = lines_of([0, 0, 1, 1, 1, 0], two_sided=True, words=2)
    assert lines == [
        "",
        "co-cluster 0: 2 objects, 3 features that carry 92 % of its mass",
        "    ant, bee",
        "co-cluster 1: 2 objects, 3 features that carry 100 % of its mass",
        "    cat, dog",
    ]
    turned = lines_of([1, 1, 0, 0, 0, 0], two_sided=True)
    assert turned[1].endswith("4 features that carry 11 % of its mass")
    assert turned[2] == "  89 % of its mass in the features of co-cluster 1"


def test_clusters_of_rows_only_have_their_top_features():
    lines = lines_of(None, words=1, expected_clusters=3)
    assert lines[1:] == [
        *("cluster 0: 2 objects", "    ant"),
        *("cluster 1: 2 objects", "    cat"),
        "cluster 2: 0 objects",
    ]


def test_missing_names_are_mentioned_once():
    both = lines_of([0, 0, 1, 1, 1, 1] * 2, [A, A], (None, None))
    assert [line for line in both if "names" in line] == [
        "The features have no names, so none are listed."
    ]
    one = lines_of([0, 0, 1, 1, 1, 1] * 2, [A, A], (NAMES, None))
    assert one[0] == "The features of view 2 have no names, so none are listed."
    assert one.count("    ant, bee") == 1 and not any("term" in line for line in both + one)


def test_every_view_has_its_own_column_clusters():
    narrow = A[:, :3]
    lines = lines_of([0, 0, 1, 1, 1, 1, 0, 1, 2], [A, narrow], (NAMES, NAMES[:3]))
    second = lines[lines.index("\nview 2: 4 x 3") :]
    assert "\nview 1: 4 x 6" in lines
    assert second[2:4] == ["  55 % of its mass in column cluster 0 (1 feature)", "    ant"]
    assert "  100 % of its mass in column cluster 2 (1 feature)" in second


def test_clusters_of_nodes_are_shown_with_their_edges():
    graph = sparse.csr_matrix(np.array([[0, 6, 1, 1], [6, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]))
    first, second = lines_of(None, graph, graphs=True)[1:]
    assert first == "cluster 0: 2 nodes; weight of edges: 86 % to itself, 14 % to 1 other"
    assert second == "cluster 1: 2 nodes; weight of edges: 100 % to cluster 0"


@pytest.fixture
def fit(tmp_path, monkeypatch, capsys):
    """Return a function that runs the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, status: int = 0) -> str:
        assert cli.main(["fit", *words]) == status
        out = capsys.readouterr()
        return out.err.removeprefix("recoco: ").strip() if status else out.out

    return run


@pytest.mark.parametrize("method", SEVERAL)
def test_methods_for_several_views(fit, method):
    said = fit("--method", method, "--dataset", "planted-two-views")
    assert "\nview 1: " in said or "\ngraph 1: " in said
    assert "\nview 2: " in said or "\ngraph 2: " in said
    assert "term " not in said


@pytest.mark.parametrize("method", ["psbm", "plbm", "coclus", "skmeans", "tau-coclust", "onmtf"])
def test_methods_for_one_view_take_the_first(fit, method):
    said = fit("--method", method, "--dataset", "planted-two-views")
    assert "view 1 of 2" in said or "-view1)" in said.splitlines()[0]
    blocks = "% of its mass in column cluster" in said
    assert blocks == (method in ("plbm", "tau-coclust", "onmtf"))


@pytest.fixture
def files(tmp_path):
    """Two views of 60 objects in three clusters, a transposed one, one of 50, and two graphs."""
    rng = np.random.default_rng(0)

    def planted(n, d):
        inside = np.equal.outer(np.arange(n) % 3, np.arange(d) % 3)
        return sparse.csr_matrix(rng.poisson(np.where(inside, 3.0, 0.1)))

    a, b = planted(60, 30), planted(60, 40)
    mmwrite(tmp_path / "a.mtx", a)
    sparse.save_npz(tmp_path / "b.npz", b)
    mmwrite(tmp_path / "turned.mtx", b.T)
    mmwrite(tmp_path / "short.mtx", planted(50, 20))
    for name, view in (("g", a), ("h", b)):
        mmwrite(tmp_path / f"{name}.mtx", view @ view.T)
    return tmp_path


def labels(path) -> np.ndarray:
    return np.loadtxt(path, dtype=int)


def test_several_files_are_views(fit, files):
    said = fit("--method", "src", "--matrix", "a.mtx", "b.npz", "--clusters", "3")
    assert said.startswith("SRC on a.mtx, b.npz (60 x 30 + 40, tfidf-l2)\n")
    out = files / "a-fit"
    rows = labels(out / "rows.txt")
    assert len(set(zip(rows, np.arange(60) % 3, strict=True))) == 3
    assert labels(out / "columns-1.txt").size == 30 and labels(out / "columns-2.txt").size == 40
    summary = json.loads((out / "summary.json").read_text())
    assert [view["shape"] for view in summary["matrices"]] == [[60, 30], [60, 40]]
    assert summary["sizes"]["rows"] == [20, 20, 20]
    again = ("--matrix", "a.mtx", "--matrix", "b.npz", "--clusters", "3", "--out", "again")
    fit("--method", "src", *again)
    assert np.array_equal(labels(files / "again" / "rows.txt"), rows)


def test_files_with_features_as_rows(fit, files):
    said = fit(
        *("--method", "nmf-views", "--matrix", "turned.mtx", "turned.mtx", "--transpose"),
        *("--clusters", "3"),
    )
    assert "(60 x 40 + 40, tfidf-l2)" in said


def test_methods_that_choose_the_number_need_no_clusters(fit, files):
    assert "row cluster 2" in fit("--method", "costar", "--matrix", "a.mtx", "b.npz")


def test_one_file_for_a_method_in_memory(fit, files):
    assert "co-cluster 2" in fit("--method", "dcc", "--matrix", "a.mtx", "--clusters", "3")
    assert labels(files / "a-fit" / "columns.txt").size == 30


def test_files_with_graphs(fit, files):
    said = fit("--method", "tsplbm", "--matrix", "g.mtx", "h.mtx", "--clusters", "3")
    assert "2 graphs of 60 nodes, count" in said
    made = fit("--method", "tsplbm", "--matrix", "a.mtx", "b.npz", "--clusters", "3")
    assert "2 graphs of 60 nodes, cosine-q97" in made


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("--method src --matrix a.mtx short.mtx --clusters 3", "a.mtx has 60, short.mtx has 50"),
        ("--method coclus --matrix a.mtx b.npz --clusters 3", "takes one matrix, but --matrix na"),
        ("--method tau-coclust --matrix a.mtx b.npz", "(costar, comraf, src, nmf-views, multinmf)"),
        ("--method psbm --matrix g.mtx h.mtx --clusters 3", "PSBM takes one graph"),
        ("--method src --matrix a.mtx b.npz", "give --clusters"),
        ("--method src --matrix a.mtx gone.mtx --clusters 3", "no file gone.mtx"),
        ("--method tsplbm --matrix a.mtx b.npz --clusters 3 --weighting count", "clusters graphs"),
        ("--method coclus --dataset planted-small --weighting cosine", "takes a matrix"),
        ("--method coclus --dataset planted-small --weighting tfdif", "tfidf"),
        ("--method psbm --dataset planted-two-views --weighting cosine", "cosine-view1"),
    ],
)
def test_refusals_are_one_sentence(fit, files, words, part):
    said = fit(*words.split(), status=2)
    assert part in said and "\n" not in said and said.endswith((".", "?"))
