"""Parsers of citation graphs and of movies with their people, on small files of the same layout."""

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import get_parser
from support.planetoid_files import old_pickle, planetoid_files


@pytest.fixture
def folder(tmp_path):
    for name, content in planetoid_files().items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_nodes_for_training_and_testing_make_one_graph(folder):
    found = get_parser("planetoid")(folder, {"prefix": "g"})
    words, cites = found.views
    # papers 0, 1, 4, 2; paper 3 has no class and goes with its link
    assert words.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]]
    assert found.labels.tolist() == [0, 1, 1, 0]
    assert cites.toarray().tolist() == [[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0]]
    assert found.graph and found.dropped == ["1 of 5 nodes have no class"]


def test_nodes_without_a_link_may_be_left_out(folder):
    (folder / "g.graph").write_bytes(old_pickle({0: [1], 1: [0, 1], 2: [2], 3: [], 4: []}))
    found = get_parser("planetoid")(folder, {"prefix": "g", "linked": True})
    assert [view.toarray().tolist() for view in found.views] == [
        [[1, 0, 0], [0, 1, 0]],
        [[0, 1], [1, 0]],
    ]
    assert found.labels.tolist() == [0, 1]
    assert found.dropped[-1] == "2 of 4 nodes with a class have no link to another one"


class Harm:
    """Runs a program when an ordinary unpickler reads it."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        import os

        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("part", ["allx", "ally", "graph"])
def test_a_pickle_that_asks_for_anything_else_is_refused(folder, tmp_path, part):
    mark = tmp_path / "harm"
    (folder / f"g.{part}").write_bytes(pickle.dumps(Harm(mark), protocol=2))
    with pytest.raises(RecocoError, match=r"asks for posix\.mkdir"):
        get_parser("planetoid")(folder, {"prefix": "g"})
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.allx", b"no pickle"),
        ("g.ty", old_pickle({0: [1]})),
        ("g.ally", old_pickle([1, 2])),
        ("g.test.index", b"4\n"),
        ("g.test.index", b"4\nx\n"),
        ("g.test.index", b"-44\n2\n"),
        ("g.tx", old_pickle(csr_matrix(np.ones((2, 4), dtype=np.float32)))),
        ("g.graph", old_pickle({0: []})),
        ("g.graph", old_pickle({0: [1, 99]})),
        ("g.graph", old_pickle({0: [-3], 77: [0]})),
        ("g.graph", old_pickle(np.ones(2, dtype=np.int32))),
    ],
)
def test_broken_files_of_planetoid_give_one_sentence(folder, name, content):
    (folder / name).write_bytes(content)
    with pytest.raises(RecocoError, match=r"g\."):
        get_parser("planetoid")(folder, {"prefix": "g"})


def test_movies_and_people(tmp_path):
    words = [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    movies = {"nodeId": [5, 6, 8], "genre": [2, 0, 1], "words": words}
    pq.write_table(pa.table(movies), tmp_path / "movies.parquet")
    acted = {"sourceNodeId": [10, 10, 10, 11], "targetNodeId": [5, 5, 6, 7]}
    pq.write_table(pa.table(acted), tmp_path / "acted.parquet")
    directed = {"sourceNodeId": [20], "targetNodeId": [6]}
    pq.write_table(pa.table(directed), tmp_path / "directed.parquet")
    options = {"objects": "movies.parquet", "labels": "genre", "features": "words"}
    links = ["acted.parquet", "directed.parquet"]
    found = get_parser("parquet-star")(tmp_path, options | {"links": links})
    assert [view.toarray().tolist() for view in found.views] == [[[0, 1], [1, 0]], [[1, 0], [1, 1]]]
    assert found.labels.tolist() == [2, 0] and found.terms[1] == ["10", "20"]
    assert found.dropped == [
        "1 of 5 links are of objects without a class",
        "1 of 3 objects have no feature or no link",
    ]
    pq.write_table(pa.table({"sourceNodeId": [1], "targetNodeId": [9]}), tmp_path / "acted.parquet")
    with pytest.raises(RecocoError, match="no link to an object"):
        get_parser("parquet-star")(tmp_path, options | {"links": ["acted.parquet"]})


MOVIES = {"nodeId": [5, 6], "genre": [2, 0], "words": [[0.0, 1.0], [1.0, 0.0]]}
LINKS = {"sourceNodeId": [6, 5], "targetNodeId": [5, 6]}


@pytest.mark.parametrize("parser", ["parquet-star", "parquet-graph"])
@pytest.mark.parametrize(
    "change",
    [
        {"words": [1.0, 2.0]},
        {"words": [None, None]},
        {"words": [[1.0], [1.0, 2.0]]},
        {"genre": [None, 1]},
        {"genre": [[1], [2]]},
        {"nodeId": [[5], [6]]},
        {"sourceNodeId": [[5], [6]]},
        {"targetNodeId": [[5], [6]]},
    ],
)
def test_columns_of_another_kind_give_one_sentence(tmp_path, parser, change):
    options = {
        "parquet-star": {"labels": "genre", "features": "words", "links": ["l.parquet"]},
        "parquet-graph": {"nodes": "o.parquet", "edges": "l.parquet"},
    }[parser] | {"objects": "o.parquet"}
    objects, links = ({k: change.get(k, v) for k, v in each.items()} for each in (MOVIES, LINKS))
    if parser == "parquet-graph":
        objects = dict(zip(("nodeId", "subject", "features"), objects.values(), strict=True))
    pq.write_table(pa.table(objects), tmp_path / "o.parquet")
    pq.write_table(pa.table(links), tmp_path / "l.parquet")
    with pytest.raises(RecocoError, match=r"^[ol]\.parquet "):
        get_parser(parser)(tmp_path, options)
