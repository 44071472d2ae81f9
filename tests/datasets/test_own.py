"""Data of one's own: sources on this machine, bunches, and the parsers that go with them."""

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import csr_matrix, save_npz

from recoco.config.schema import read_yaml
from recoco.core.errors import RecocoError
from recoco.datasets import load_card, load_prepared
from recoco.datasets.raw_files import Unavailable
from recoco.datasets.sources import LOADERS, SOURCES, Tools, files_below
from recoco.datasets.writing import write_card
from support.datasets_fixture import card, make_home, refuses
from support.datasets_fixture import parse as read

X = np.array([[2.0, 1, 0], [1, 3, 0], [0, 0, 1], [0, 1, 2]])


@pytest.fixture
def home(tmp_path, monkeypatch):
    return make_home(tmp_path, monkeypatch)


def write_texts(folder) -> None:
    for name, text in {
        "a/1.txt": "bread and flour",
        "a/2.txt": "flour, flour",
        "b/1.txt": "stars",
        "b/.hidden": "no",
        ".git/x": "no",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


# ---- sources -------------------------------------------------------------------------------


def test_a_folder_is_packed_the_same_way_every_time(home):
    write_texts(home.root / "mine")
    home.write_card(
        card(
            printed_as={},
            parser={"name": "text", "archive": "mine.zip"},
            expected={"rows": 3, "columns": [3], "classes": 2},
            sources=[{"kind": "local", "files": [{"at": "mine"}]}],
        )
    )
    first = home.fetch()
    assert first["status"] == "ok" and first["files"][0]["file"] == "mine.zip"
    assert home.fetch() == first
    data = load_prepared(home.prepare()[0])
    assert data.terms == [["bread", "flour", "stars"]] and data.class_names == ["a", "b"]
    names = [path.name for path in files_below(home.root / "mine")]
    assert names == ["1.txt", "2.txt", "1.txt"]


def test_local_files_that_are_gone_or_changed(home):
    source = {"kind": "local", "files": [{"at": "gone.csv"}]}
    parser = {"name": "csv", "file": "gone.csv", "labels": "y"}
    home.write_card(card(printed_as={}, parser=parser, sources=[source]))
    receipt = home.fetch()
    assert receipt["status"] == "unreachable" and "no gone.csv" in receipt["tried"][0]["error"]
    (home.root / "gone.csv").write_text("y,a\n1,2\n")
    source["files"][0]["sha256"] = "0" * 64
    home.write_card(card(printed_as={}, parser=parser, sources=[source]))
    assert "wrong hash" in home.fetch()["tried"][0]["error"]


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ({"loader": "load_whine"}, "load_wine"),
        ({"loader": "load_wine", "options": {"colour": "red"}}, "colour"),
        ({"loader": "load_wine", "options": {"n_class": 2}}, "n_class"),
        ({"loader": "load_digits", "options": {"n_class": 1}}, "minimum"),
        ({"loader": "load_sample_images"}, "load_iris"),
        ({"loader": "get_data_home"}, "loader"),
    ],
)
def test_only_loaders_of_packaged_data_are_called(home, source, word):
    source = {"kind": "sklearn", **source}
    home.write_card(card(printed_as={}, parser={"name": "bunch"}, sources=[source]))
    with pytest.raises(RecocoError, match=word):
        load_card("tiny")


def test_the_schema_and_the_code_know_the_same_loaders(home):
    schema = read_yaml(home.root / "workflow" / "schemas" / "dataset.schema.yaml")
    rules = schema["$defs"]["sklearn"]
    assert rules["properties"]["loader"]["enum"] == list(LOADERS)
    plain = [loader for loader, options in LOADERS.items() if not options]
    assert rules["if"]["properties"]["loader"]["enum"] == plain
    others = rules["else"]["then"]["properties"]["options"]["properties"]
    assert set(others) == {option for options in LOADERS.values() for option in options}
    for loader in LOADERS:
        with pytest.raises(Unavailable, match="data_home"):
            source = {"loader": loader, "options": {"data_home": "/"}}
            SOURCES["sklearn"](source, home.root, Tools())
    with pytest.raises(Unavailable, match="fetch_file"):
        SOURCES["sklearn"]({"loader": "fetch_file"}, home.root, Tools())


def test_an_option_of_a_loader(home):
    source = {"kind": "sklearn", "loader": "load_digits", "options": {"n_class": 3}}
    expected = {"rows": 537, "columns": [64], "classes": 3}
    home.write_card(
        card(printed_as={}, parser={"name": "bunch"}, expected=expected, sources=[source])
    )
    home.fetch()
    assert load_prepared(home.prepare()[0]).n_classes == 3


def test_a_bunch_of_numbers_and_one_of_texts(home, monkeypatch):
    import sklearn.datasets
    from sklearn.utils import Bunch

    source = {"kind": "sklearn", "loader": "load_iris"}
    home.write_card(
        card(
            printed_as={},
            content="weights",
            parser={"name": "bunch"},
            expected={"rows": 150, "columns": [4], "classes": 3},
            sources=[source],
        )
    )
    home.fetch()
    data = load_prepared(home.prepare()[0])
    assert data.class_names == ["setosa", "versicolor", "virginica"]
    assert data.terms[0][0] == "sepal length (cm)"

    texts = Bunch(data=["bread", "stars stars"], target=np.array([1, 0]), target_names=["s", "b"])
    monkeypatch.setattr(sklearn.datasets, "load_iris", lambda: texts)
    expected = {"rows": 2, "columns": [2], "classes": 2}
    home.write_card(
        card(printed_as={}, parser={"name": "bunch"}, expected=expected, sources=[source])
    )
    home.fetch()
    data = load_prepared(home.prepare()[0])
    assert data.class_names == ["s", "b"] and data.X.sum() == 3

    texts["target"] = np.array([0.5, 1.5])
    home.fetch()
    with pytest.raises(RecocoError, match="not whole numbers"):
        home.prepare()


# ---- parsers -------------------------------------------------------------------------------


def test_csv_of_numbers_and_of_texts(tmp_path):
    (tmp_path / "x.csv").write_text("id,y,a,b\n7,u,1,0\n8,v,0,2.5\n")
    parsed = read(tmp_path, "csv", file="x.csv", labels="y", leave_out=["id"])
    assert parsed.views[0].toarray().tolist() == [[1, 0], [0, 2.5]]
    assert parsed.terms == [["a", "b"]] and parsed.labels.tolist() == ["u", "v"]
    (tmp_path / "t.csv").write_text('y;text\nu;"bread; and flour"\nv;stars\n')
    parsed = read(tmp_path, "csv", file="t.csv", labels="y", text="text", separator=";")
    assert parsed.terms == [["bread", "flour", "stars"]]


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("y,a\nu,1\n", {"labels": "why"}, ("'why'",)),
        ("y,a\nu,1\n", {}, ("names no classes", "recoco cocluster")),
        ("y,a\nu,one\n", {"labels": "y"}, ("line 2", "'a'", "'one'", "leave_out")),
        ("y,a\n", {"labels": "y"}, ("no lines below its header",)),
        ("", {"labels": "y"}, ("cannot be read as CSV",)),
        ("y\nu\n", {"labels": "y"}, ("no columns other than y",)),
        ("y,t\nu,12\n", {"labels": "y", "text": "t"}, ("not a single word",)),
        ("y,a\nu,\xff\n".encode("latin-1"), {"labels": "y"}, ("cannot be read as CSV",)),
    ],
)
def test_csv_that_goes_wrong(tmp_path, content, options, words):
    content = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "x.csv").write_bytes(content)
    refuses(tmp_path, "csv", *words, file="x.csv", **options)


def save_all(folder) -> None:
    mmwrite(folder / "x.mtx", csr_matrix(X))
    mmwrite(folder / "turned.mtx", csr_matrix(X.T))
    save_npz(folder / "x.npz", csr_matrix(X))
    np.savez(folder / "all.npz", X=X, y=[0, 0, 1, 1], words=["a", "b", "c"], f=[0.5, 1, 1, 1])
    np.savez(folder / "pickled.npz", X=np.array([{}, 1], dtype=object))
    np.save(folder / "x.npy", X)
    (folder / "y.txt").write_text("0\n0\n1\n1\n")
    (folder / "words.txt").write_text("a\nb\nc\n")


@pytest.mark.parametrize(
    "options",
    [
        {"matrix": "x.mtx", "labels": "y.txt", "terms": "words.txt"},
        {"matrix": "turned.mtx", "transpose": True, "labels": "y.txt", "terms": "words.txt"},
        {"matrix": "x.npz", "labels": "y.txt", "terms": "words.txt"},
        {"matrix": "x.npy", "labels": "y.txt", "terms": "words.txt"},
        {"matrix": "all.npz", "array": "X", "labels_array": "y", "terms_array": "words"},
    ],
)
def test_one_matrix_in_all_its_files(tmp_path, options):
    save_all(tmp_path)
    parsed = read(tmp_path, "matrix-file", **options)
    assert parsed.views[0].toarray().tolist() == X.tolist()
    assert [str(label) for label in parsed.labels] == ["0", "0", "1", "1"]
    assert parsed.terms == [["a", "b", "c"]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"matrix": "x.mtx"}, ("names no classes", "recoco cocluster")),
        ({"matrix": "gone.mtx", "labels": "y.txt"}, ("gone.mtx is missing",)),
        ({"matrix": "y.txt", "labels": "y.txt"}, (".mtx", "parser of its format")),
        ({"matrix": "x.mtx", "labels": "words.txt"}, ("3 lines for 4 rows",)),
        ({"matrix": "x.mtx", "labels": "y.txt", "terms": "y.txt"}, ("4 lines for 3 columns",)),
        ({"matrix": "all.npz", "labels": "y.txt"}, ("X", "save_npz", "`array`")),
        ({"matrix": "all.npz", "array": "Y", "labels": "y.txt"}, ("no array 'Y'",)),
        ({"matrix": "all.npz", "array": "y", "labels": "y.txt"}, ("1 dimensions",)),
        ({"matrix": "all.npz", "array": "X", "labels_array": "f"}, ("not whole numbers",)),
        ({"matrix": "all.npz", "array": "X", "labels_array": "words"}, ("for 4 objects",)),
        ({"matrix": "pickled.npz", "array": "X", "labels": "y.txt"}, ("cannot be read",)),
    ],
)
def test_matrix_files_that_go_wrong(tmp_path, options, words):
    save_all(tmp_path)
    refuses(tmp_path, "matrix-file", *words, **options)


# ---- cards written by recoco ---------------------------------------------------------------


def test_card_is_written_from_what_is_found(home):
    write_texts(home.root / "mine")
    _, written = write_card(str(home.root / "mine"), "mine", {})
    assert written["expected"] == {"rows": 3, "columns": [3], "nonzeros": [4], "classes": 2}
    assert load_card("mine")["sources"][0]["files"][0]["at"] == "mine", "below the project"
    assert home.fetch("mine")["status"] == "ok"
    home.prepare("mine")
    with pytest.raises(RecocoError, match="already"):
        write_card(str(home.root / "mine"), "mine", {})


@pytest.mark.parametrize(
    ("where", "name", "options", "word"),
    [
        ("nowhere", "x", {}, "There is no nowhere"),
        ("x.npz", "No Name", {}, "lower-case letters"),
        ("x.npz", "x", {"labels": "gone.txt"}, "no array 'gone.txt'"),
        ("x.mtx", "x", {"labels": "gone.txt"}, "no file gone.txt"),
        ("x.mtx", "x", {}, "names no classes"),
        ("sklearn:make_blobs", "x", {}, "load_wine"),
        ("empty", "x", {}, "no files in class folders"),
        ("y.txt", "x", {"labels": "y.txt"}, ".mtx"),
    ],
)
def test_cards_that_cannot_be_written(home, monkeypatch, where, name, options, word):
    monkeypatch.chdir(home.root)
    save_all(home.root)
    (home.root / "empty").mkdir()
    with pytest.raises(RecocoError, match=word):
        write_card(where, name, options)
    assert not (home.root / "config" / "datasets" / "x.yaml").exists()


def test_matlab_variables_are_named(home, monkeypatch):
    from scipy.io import savemat

    monkeypatch.chdir(home.root)
    savemat("m.mat", {"fea": X, "gnd": [0, 0, 1, 1]})
    with pytest.raises(RecocoError, match=r"fea \(4 x 3\).*--matrix and --labels"):
        write_card("m.mat", "m", {})
    assert write_card("m.mat", "m", {"matrix": "fea", "labels": "gnd"})[1]["content"] == "counts"
