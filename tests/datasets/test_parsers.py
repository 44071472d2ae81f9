"""Each parser on a tiny file: what it finds, and the sentence it gives for a broken file."""

import gzip
import struct

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

from support.datasets_fixture import parse, refuses

COUNTS = np.array([[2.0, 0, 1], [0, 3, 0], [1, 1, 0], [0, 0, 4]])


# ---- MATLAB --------------------------------------------------------------------------------


def test_matlab_sparse_bytes_labels_and_padded_terms(tmp_path):
    big = csc_matrix(COUNTS * 100)  # sums would overflow the one byte that MATLAB stores
    savemat(
        tmp_path / "a.mat",
        {"dtm": big.astype(np.uint8), "y": [[1, 1, 2, 2]], "w": ["ab ", "c  ", "d  "]},
    )
    options = {"files": ["a.mat"], "matrix": "dtm", "labels": "y", "terms": "w"}
    found = parse(tmp_path, "matlab", **options)
    assert found.views[0].dtype == np.float64
    assert found.views[0].sum() == big.astype(np.uint8).astype(float).sum()
    assert found.terms == [["ab", "c", "d"]]
    assert found.labels.tolist() == [1, 1, 2, 2]


def test_matlab_cells_are_views_stored_features_by_objects(tmp_path):
    data, truth = np.empty((1, 2), object), np.empty((1, 2), object)
    data[0, 0], data[0, 1] = COUNTS.T, csc_matrix(COUNTS[:, :2].T)
    truth[0, 0] = truth[0, 1] = np.array([[1, 2, 1, 2]])
    savemat(tmp_path / "v.mat", {"data": data, "truelabel": truth})
    options = {"files": ["v.mat"], "matrix": "data", "labels": "truelabel"}
    found = parse(tmp_path, "matlab", transpose=True, **options)
    assert [view.shape for view in found.views] == [(4, 3), (4, 2)]
    np.testing.assert_array_equal(found.views[0].toarray(), COUNTS)
    refuses(tmp_path, "matlab", "v.mat", "transpose", **options)
    truth[0, 1] = np.array([[1, 2, 2, 1]])
    savemat(tmp_path / "v.mat", {"data": data, "truelabel": truth})
    refuses(tmp_path, "matlab", "v.mat", "disagree", transpose=True, **options)


def test_matlab_files_are_stacked_with_terms_of_a_text_file(tmp_path):
    savemat(tmp_path / "a.mat", {"x": csc_matrix(COUNTS[:2]), "y": [[1, 2]]})
    savemat(tmp_path / "b.mat", {"x": csc_matrix(COUNTS[2:]), "y": [[2, 1]]})
    (tmp_path / "t.clabel").write_text("a\nb\nc\n")
    options = {"files": ["a.mat", "b.mat"], "matrix": "x", "labels": "y", "terms_file": "t.clabel"}
    found = parse(tmp_path, "matlab", **options)
    np.testing.assert_array_equal(found.views[0].toarray(), COUNTS)
    assert found.labels.tolist() == [1, 2, 2, 1]
    (tmp_path / "t.clabel").write_text("a\nb\n")
    refuses(tmp_path, "matlab", "2 terms", "3 columns", **options)


def test_matlab_counts_come_back_from_idf_and_only_from_idf(tmp_path):
    idf = np.log(4 / (COUNTS > 0).sum(axis=0))
    options = {"files": ["a.mat"], "matrix": "x", "labels": "y", "values": "counts-from-idf"}
    savemat(tmp_path / "a.mat", {"x": COUNTS * idf, "y": [[1, 1, 2, 2]]})
    found = parse(tmp_path, "matlab", **options)
    np.testing.assert_array_equal(found.views[0].toarray(), COUNTS)
    binary = parse(tmp_path, "matlab", **(options | {"values": "binary"}))
    np.testing.assert_array_equal(binary.views[0].toarray(), COUNTS > 0)
    savemat(tmp_path / "a.mat", {"x": COUNTS * idf * 1.1, "y": [[1, 1, 2, 2]]})
    refuses(tmp_path, "matlab", "a.mat", "recovered", **options)


def test_matlab_broken(tmp_path):
    options = {"files": ["a.mat"], "matrix": "x", "labels": "y"}
    refuses(tmp_path, "matlab", "a.mat", "missing", **options)
    (tmp_path / "a.mat").write_bytes(b"this is no MATLAB file" * 20)
    refuses(tmp_path, "matlab", "a.mat", "MATLAB", **options)
    savemat(tmp_path / "a.mat", {"x": COUNTS})
    refuses(tmp_path, "matlab", "a.mat", "'y'", **options)


# ---- text matrices -------------------------------------------------------------------------


def test_matrix_market_is_transposed(tmp_path):
    (tmp_path / "b.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 2.0\n3 1 1.0\n2 2 3.0\n"
    )
    (tmp_path / "b.terms").write_text("ad\nsale\nboost\n")
    head = "%%Clustering hard\n%Clusters 2 business,sport\n%Objects\n"
    (tmp_path / "b.classes").write_text(head + "0 1\n1 0\n")
    options = {"matrix": "b.mtx", "classes": "b.classes", "terms": "b.terms"}
    found = parse(tmp_path, "matrix-market", **options)
    np.testing.assert_array_equal(found.views[0].toarray(), [[2, 0, 1], [0, 3, 0]])
    assert found.labels.tolist() == ["sport", "business"]
    (tmp_path / "b.classes").write_text(head + "0 1\n")
    refuses(tmp_path, "matrix-market", "b.classes", "1 of 2", **options)
    (tmp_path / "b.classes").write_text(head + "0 7\n")
    refuses(tmp_path, "matrix-market", "b.classes", "line 4", **options)
    (tmp_path / "b.mtx").write_text("%%MatrixMarket nonsense\n")
    refuses(tmp_path, "matrix-market", "b.mtx", **options)


def test_cluto_with_an_empty_document(tmp_path):
    options = {"matrix": "t.mat", "classes": "t.rclass", "terms": "t.clabel"}
    (tmp_path / "t.mat").write_text("3 4 3\n 1 2.00 4 1.00\n\n 2 5.00\n")
    (tmp_path / "t.rclass").write_text("x\ny\nx\n")
    (tmp_path / "t.clabel").write_text("a\nb\nc\nd\n")
    found = parse(tmp_path, "cluto", **options)
    np.testing.assert_array_equal(
        found.views[0].toarray(), [[2, 0, 0, 1], [0, 0, 0, 0], [0, 5, 0, 0]]
    )
    assert found.terms == [["a", "b", "c", "d"]]
    for broken, word in (
        ("3 4\n", "line 1"),
        ("3 4 3\n1 2 4 1\n\n", "3 documents"),
        ("3 4 3\n1 2 4\n\n2 5\n", "line 2"),
        ("3 4 3\n1 x 4 1\n\n2 5\n", "line 2"),
        ("3 4 9\n1 2 4 1\n\n2 5\n", "9 values"),
        ("3 4 3\n1 2 5 1\n\n2 5\n", "column 5"),
    ):
        (tmp_path / "t.mat").write_text(broken)
        refuses(tmp_path, "cluto", "t.mat", word, **options)
    (tmp_path / "t.mat").write_text("3 4 3\n1 2 4 1\n\n2 5\n")
    (tmp_path / "t.rclass").write_text("x\ny\n")
    refuses(tmp_path, "cluto", "t.rclass", "2 lines for 3 documents", **options)


ARFF = """% comment
@RELATION tiny
@ATTRIBUTE depart\tnumeric
@ATTRIBUTE 'two words'\tnumeric
@ATTRIBUTE class\t{Zeta,Alpha}

@DATA

{0 3,2 Alpha}
{1 1}
{2 Zeta}
"""


def test_arff_row_without_class_has_the_first_class(tmp_path):
    (tmp_path / "a.arff").write_text(ARFF)
    found = parse(tmp_path, "arff", file="a.arff")
    np.testing.assert_array_equal(found.views[0].toarray(), [[3, 0], [0, 1], [0, 0]])
    assert found.labels.tolist() == ["Alpha", "Zeta", "Zeta"]
    assert found.class_order == ["Zeta", "Alpha"]
    assert found.terms == [["depart", "two words"]]
    for old, new, word in (
        ("{1 1}", "{1 one}", "line 10"),
        ("{1 1}", "{9 1}", "attribute 9"),
        ("{1 1}", "1,1", "line 10"),
        ("2 Alpha", "2 Beta", "'Beta'"),
        ("@DATA", "@DOTA", "@data"),
        ("{Zeta,Alpha}", "numeric", "classes"),
    ):
        (tmp_path / "a.arff").write_text(ARFF.replace(old, new))
        refuses(tmp_path, "arff", "a.arff", word, file="a.arff")


# ---- graphs --------------------------------------------------------------------------------

GML = """Creator "someone"
graph [
  directed 1
  node [
    id 7
    label "a.com"
    value 0
  ]
  node [
    id 9
    label "b.com/x y"
    value 1
  ]
  edge [
    source 7
    target 9
  ]
  edge [
    source 7
    target 9
  ]
  edge [
    source 9
    target 9
  ]
]
"""


def test_gml_directed_edges_with_multiplicity(tmp_path):
    (tmp_path / "g.gml").write_text(GML)
    found = parse(tmp_path, "gml", file="g.gml")
    np.testing.assert_array_equal(found.views[0].toarray(), [[0, 2], [0, 1]])
    assert found.meta == {"edges": 3, "repeated_edges": 1, "loops": 1}
    assert found.terms == [["a.com", "b.com/x y"]]
    for old, new, word in (
        ("target 9", "target 8", "8"),
        ("value 1", "value one", "class"),
        ("    value 0\n  ]", "    value 0", "line"),
        ("id 7", "id", "line 5"),
    ):
        (tmp_path / "g.gml").write_text(GML.replace(old, new))
        refuses(tmp_path, "gml", "g.gml", word, file="g.gml")


def _gt(neighbours, properties) -> bytes:
    """Write graph-tool's binary format by its specification."""
    text = lambda s: struct.pack("<Q", len(s)) + s  # noqa: E731
    out = b"\xe2\x9b\xbe gt\x01\x00" + text(b"a comment") + b"\x01"
    out += struct.pack("<Q", len(neighbours))
    for out_edges in neighbours:
        out += struct.pack(f"<Q{len(out_edges)}B", len(out_edges), *out_edges)
    out += struct.pack("<Q", len(properties))
    for of, name, kind, values in properties:
        out += bytes([of]) + text(name) + bytes([kind]) + b"".join(values)
    return out


def test_gt_agrees_with_gml(tmp_path):
    text = lambda s: struct.pack("<Q", len(s)) + s  # noqa: E731
    properties = [
        (0, b"about", 6, [text(b"graph property")]),
        (1, b"value", 2, [struct.pack("<i", 0), struct.pack("<i", 1)]),
        (1, b"label", 6, [text(b"a.com"), text(b"b.com/x y")]),
        (1, b"place", 11, [struct.pack("<Q2d", 2, 0.0, 1.0)] * 2),
        (2, b"weight", 4, [struct.pack("<d", 1.0)] * 3),
    ]
    content = _gt([(1, 1), (1,)], properties)
    (tmp_path / "g.gml").write_text(GML)
    (tmp_path / "g.gt.gz").write_bytes(gzip.compress(content))
    expected = parse(tmp_path, "gml", file="g.gml")
    found = parse(tmp_path, "gt", file="g.gt.gz")
    assert (found.views[0] != expected.views[0]).nnz == 0
    assert found.terms == expected.terms and found.meta == expected.meta
    assert found.labels.tolist() == expected.labels.tolist()
    for broken in (content[:60], b"x" + content, _gt([(1, 9), (1,)], properties)):
        (tmp_path / "g.gt").write_bytes(broken)
        refuses(tmp_path, "gt", "g.gt", file="g.gt")
    pickled = [*properties, (1, b"object", 14, [text(b"x")] * 2)]
    (tmp_path / "g.gt").write_bytes(_gt([(1, 1), (1,)], pickled))
    refuses(tmp_path, "gt", "g.gt", "type 14", file="g.gt")


def test_parquet_graph(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    nodes = {"nodeId": [31, 12], "subject": [1, 0], "features": [[0, 1, 1], [1, 0, 0]]}
    options = {"nodes": "n.parquet", "edges": "e.parquet"}
    pq.write_table(pa.table(nodes), tmp_path / "n.parquet")
    pq.write_table(pa.table({"sourceNodeId": [12], "targetNodeId": [31]}), tmp_path / "e.parquet")
    found = parse(tmp_path, "parquet-graph", **options)
    np.testing.assert_array_equal(found.views[0].toarray(), [[0, 1, 1], [1, 0, 0]])
    np.testing.assert_array_equal(found.views[1].toarray(), [[0, 0], [1, 0]])
    assert found.labels.tolist() == [1, 0]
    pq.write_table(pa.table({"sourceNodeId": [99], "targetNodeId": [31]}), tmp_path / "e.parquet")
    refuses(tmp_path, "parquet-graph", "e.parquet", "99", **options)
    (tmp_path / "n.parquet").write_bytes(b"no parquet")
    refuses(tmp_path, "parquet-graph", "n.parquet", **options)
