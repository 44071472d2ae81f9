"""Small sound files for every parser, and ways to break them."""

import gzip
import io
import json
import random
import re
import struct
import tarfile
import zipfile

import numpy as np
from scipy.io import mmwrite, savemat
from scipy.sparse import csc_matrix, csr_matrix, save_npz

from support.planetoid_files import planetoid_files

COUNTS = np.array([[2.0, 0, 1], [0, 3, 0], [1, 1, 0], [0, 0, 4]])
STORIES = {"a/1.txt": b"wheat and corn", "a/2.txt": b"corn", "b/3.txt": b"crude oil", "top": b"x"}


def _saved(write, *content, **options) -> bytes:
    buffer = io.BytesIO()
    write(buffer, *content, **options)
    return buffer.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def tarred(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def debian(members: dict[str, bytes]) -> bytes:
    parts = {"debian-binary": b"2.0\n", "data.tar.xz": tarred(members, "w:xz")}
    content = b"!<arch>\n"
    for name, part in parts.items():
        content += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(part):<10}`\n".encode()
        content += part + b"\n" * (len(part) % 2)
    return content


def _gt() -> bytes:
    def text(word):
        return struct.pack("<Q", len(word)) + word

    lists = b"".join(struct.pack(f"<Q{len(n)}B", len(n), *n) for n in ([1, 2], [2], [], [0]))
    value = b"\x01" + text(b"value") + b"\x02" + struct.pack("<4i", 0, 1, 1, 0)
    names = b"\x01" + text(b"label") + b"\x06" + b"".join(map(text, (b"a", b"b", b"c", b"d")))
    head = b"\xe2\x9b\xbe gt\x01\x00" + text(b"a graph") + b"\x01" + struct.pack("<Q", 4)
    return head + lists + struct.pack("<Q", 2) + value + names


def _matlab() -> bytes:
    truth = np.empty((1, 2), object)
    truth[0, 0] = truth[0, 1] = np.array([[1, 2, 1, 2]])
    views = np.empty((1, 2), object)
    views[0, 0], views[0, 1] = COUNTS, csc_matrix(COUNTS[:, :2])
    return _saved(savemat, {"x": views, "y": truth, "w": ["ab ", "c  ", "d  "]})


def _parquet(columns: dict) -> bytes:
    import pyarrow
    import pyarrow.parquet

    return _saved(lambda to: pyarrow.parquet.write_table(pyarrow.table(columns), to))


def _aminer() -> bytes:
    papers = [
        {"id": i, "title": f"mining graph {w}", "venue": v, "year": 2000 + i, "authors": ["A", "B"]}
        | {"abstract": f"we mine {w} data"}
        for i, (w, v) in enumerate([("text", "KDD"), ("image", "CVPR"), ("web", "KDD")])
    ]
    return "\n".join(json.dumps(paper) for paper in papers).encode()


_AMINER_TEXT = b"""#*Mining text
#@A B;C D
#t2001
#cKDD
#index1
#!we mine text

#*Seeing images
#@E F
#t2002
#cCVPR
#index2
#!we see images
"""
_MARKET = b"%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 2.0\n3 1 1.0\n2 2 3.0\n"
_ARFF = b"""@relation r
@attribute 'a b' numeric
@attribute c numeric
@attribute class {x,'y'}
@data
{0 1, 1 2, 2 y}
% no row
{1 3}
"""
_CLUTO = {
    "t.mat": b"3 4 3\n 1 2.00 4 1.00\n\n 2 5.00\n",
    "t.rclass": b"x\ny\nx\n",
    "t.clabel": b"a\nb\nc\nd\n",
}
_CLUTO_OPTIONS = {"matrix": "t.mat", "classes": "t.rclass", "terms": "t.clabel"}
_GML = b"""graph [
  directed 1
  node [
    id 0
    label "a"
    value 0
  ]
  node [
    id 1
    value 1
  ]
  edge [
    source 0
    target 1
  ]
]
"""
_STORY = {"title": "t", "body": "wheat corn", "topics": ["grain"]}
_REUTERS = json.dumps([_STORY, {"body": "oil", "topics": ["crude"]}]).encode()
_PARAGRAPHS = b"wheat corn oil. wheat corn oil.\n\n"
_SEGMENTS = {f"{c}/{i}": _PARAGRAPHS * (3 + i) for c in "ab" for i in range(2)}

# parser -> (files, options); two of one parser have a number behind the name
CORPUS: dict[str, tuple[dict[str, bytes], dict]] = {
    "matlab": (
        {"a.mat": _matlab()},
        {"files": ["a.mat"], "matrix": "x", "labels": "y", "terms": "w"},
    ),
    "matlab 2": (
        {
            "a.mat": _saved(savemat, {"x": csc_matrix(COUNTS), "y": [[1, 1, 2, 2]]}, format="4"),
            "t": b"a\nb\nc\n",
        },
        {"files": ["a.mat"], "matrix": "x", "labels": "y", "terms_file": "t"},
    ),
    "matrix-market": (
        {
            "b.mtx": _MARKET,
            "b.terms": b"ad\nsale\nboost\n",
            "b.classes": b"%%Clustering hard\n%Clusters 2 business,sport\n%Objects\n0 1\n1 0\n",
        },
        {"matrix": "b.mtx", "classes": "b.classes", "terms": "b.terms"},
    ),
    "cluto": (_CLUTO, _CLUTO_OPTIONS),
    "arff": ({"a.arff": _ARFF}, {"file": "a.arff"}),
    "gml": ({"g.gml": _GML}, {"file": "g.gml", "linked": True}),
    "gt": ({"g.gt": _gt()}, {"file": "g.gt"}),
    "gt 2": ({"g.gt": gzip.compress(_gt(), mtime=0)}, {"file": "g.gt"}),
    "text": ({"t.zip": zipped(STORIES)}, {"archive": "t.zip"}),
    "text 2": (
        {"t.tgz": tarred({k: b"To: x\n\n" + v for k, v in STORIES.items()})},
        {"archive": "t.tgz", "skip_header": True},
    ),
    "text 3": ({"t.deb": debian(STORIES)}, {"archive": "t.deb", "encoding": "latin-1"}),
    "segments": (
        {"t.tar": tarred(_SEGMENTS, "w")},
        {"archive": "t.tar", "views": 2, "min_characters": 20},
    ),
    "reuters-json": (
        {"r.tgz": tarred({"r/1.json": _REUTERS})},
        {"archive": "r.tgz", "folder": "r"},
    ),
    "tab": (
        {"o.tab": b"Category\tText\nd\ts\nclass\tmeta\nx\twheat corn\ny\tcrude oil\n"},
        {"files": ["o.tab"]},
    ),
    "octis": (
        {"c.tsv": b"wheat corn\ttrain\tx\noil\ttest\ty\n", "v.txt": b"wheat\ncorn\noil\n"},
        {"corpus": "c.tsv", "vocabulary": "v.txt"},
    ),
    "tensor": (
        {"t.npz": _saved(np.savez_compressed, np.ones((3, 3, 2)), [1, 1, 2], ["terms", "links"])},
        {"file": "t.npz", "leave_out": ["links"]},
    ),
    "tensor 2": (
        {"t.npz": _saved(np.savez, np.ones((3, 3, 2), order="F"), [1, 1, 2], ["terms", "links"])},
        {"file": "t.npz"},
    ),
    "triplets": (
        {"m.txt": b"row,column,value\n0,0,2\n1,2,1\n2,1,3\n", "c.txt": b"x\ny\ny\n"},
        {"matrix": "m.txt", "classes": "c.txt"},
    ),
    "four-area": (
        {
            "paper.txt": b"1\tMining\n2\tSeeing\n",
            "term.txt": b"7\tmine\n8\tsee\n",
            "author.txt": b"4\tA\n5\tB\n",
            "conf.txt": b"1\tKDD\n2\tCVPR\n",
            "paper_term.txt": b"1\t7\n2\t8\n",
            "paper_author.txt": b"1\t4\n2\t5\n2\t4\n",
            "paper_conf.txt": b"1\t1\n2\t2\n",
        },
        {"areas": {"data": ["KDD"], "vision": ["CVPR"]}},
    ),
    "aminer": (
        {"d.json": _aminer()},
        {"file": "d.json", "venues": {"data": ["KDD"], "vision": ["cvpr"]}, "years": [2000, 2005]},
    ),
    "aminer 2": (
        {"d.txt": _AMINER_TEXT},
        {"file": "d.txt", "venues": {"data": ["KDD"], "vision": ["CVPR"]}},
    ),
    "aminer 3": (
        {"d.zip": zipped({"d.txt": _AMINER_TEXT})},
        {"file": "d.zip", "venues": {"data": ["KDD"], "vision": ["CVPR"]}},
    ),
    "csv-views": (
        {"a.csv": b"p,q,class\n1,2,0\n3,0.5,1\n", "b.csv": b"p,class\n1,0\n2,1\n"},
        {"files": ["a.csv", "b.csv"]},
    ),
    "parquet-graph": (
        {
            "n.parquet": _parquet(
                {"nodeId": [1, 2], "subject": ["x", "y"], "features": [[1.0, 0.0], [0.0, 2.0]]}
            ),
            "e.parquet": _parquet({"sourceNodeId": [1], "targetNodeId": [2]}),
        },
        {"nodes": "n.parquet", "edges": "e.parquet"},
    ),
    "parquet-star": (
        {
            "o.parquet": _parquet(
                {"nodeId": [1, 2], "kind": [0, 1], "words": [[1.0, 0], [0, 1.0]]}
            ),
            "l.parquet": _parquet({"sourceNodeId": [7, 8, 8], "targetNodeId": [1, 2, 9]}),
        },
        {"objects": "o.parquet", "labels": "kind", "features": "words", "links": ["l.parquet"]},
    ),
    "planetoid": (planetoid_files(), {"prefix": "g"}),
    "merge": (
        {"a.arff": _ARFF, **_CLUTO},
        {
            "parts": [
                {"parser": {"name": "arff", "file": "a.arff"}, "classes": ["y"]},
                {"parser": {"name": "cluto", **_CLUTO_OPTIONS}, "classes": ["x"]},
            ],
            "categories": "own",
        },
    ),
    "planted": (
        {"planted.json": b'{"rows": 8, "columns": 6, "clusters": 2, "density": 0.4, "seed": 1}'},
        {"file": "planted.json"},
    ),
    "csv": ({"t.csv": b"kind,p,q\nx,1,2\ny,3,0.5\n"}, {"file": "t.csv", "labels": "kind"}),
    "csv 2": (
        {"t.tsv": b'kind\tstory\nx\t"wheat corn"\ny\toil\n'},
        {"file": "t.tsv", "labels": "kind", "text": "story", "separator": "\t"},
    ),
    "matrix-file": (
        {"m.mtx": _saved(mmwrite, csr_matrix(COUNTS)), "y": b"x\ny\nx\ny\n", "t": b"a\nb\nc\n"},
        {"matrix": "m.mtx", "labels": "y", "terms": "t"},
    ),
    "matrix-file 2": (
        {"m.npz": _saved(save_npz, csr_matrix(COUNTS), compressed=False), "y": b"x\ny\nx\ny\n"},
        {"matrix": "m.npz", "labels": "y"},
    ),
    "matrix-file 3": (
        {"m.npz": _saved(np.savez, x=COUNTS, y=np.array([0, 1, 0, 1]), t=np.array(list("abc")))},
        {"matrix": "m.npz", "array": "x", "labels_array": "y", "terms_array": "t"},
    ),
    "matrix-file 4": (
        {"m.npy": _saved(np.save, COUNTS.T), "y": b"x\ny\nx\ny\n"},
        {"matrix": "m.npy", "labels": "y", "transpose": True},
    ),
    "bunch": (
        {
            "bunch.npz": _saved(
                np.savez,
                **{k: getattr(csr_matrix(COUNTS), k) for k in ("data", "indices", "indptr")},
                shape=np.array([4, 3]),
                target=np.array([0, 1, 0, 1]),
                target_names=np.array(["x", "y"]),
            )
        },
        {},
    ),
    "bunch 2": (
        {"bunch.npz": _saved(np.savez, texts=np.array(["a corn", "oil"]), target=np.array([0, 1]))},
        {},
    ),
}

_NUMBER = re.compile(rb"\d+")
_ODD = [b"-1", b"0", b"1e999", b"nan", b"99999999999999999999", b"2147483648", b"1e9", b"\xff\xfe"]


def broken(content: bytes, rng: random.Random) -> bytes:
    """Return a file with one to three things wrong with it."""
    for _ in range(rng.randint(1, 3)):
        content = rng.choice(_WAYS)(content, rng)
    return content


def _flip(content: bytes, rng: random.Random) -> bytes:
    if not content:
        return content
    place = rng.randrange(len(content))
    return (
        content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]
    )


def _overwrite(content: bytes, rng: random.Random) -> bytes:
    place, length = rng.randrange(len(content) + 1), rng.choice((1, 2, 4, 8))
    junk = rng.choice((b"\x00", b"\xff", b"\x7f", rng.randbytes(1))) * length
    return content[:place] + junk + content[place + length :]


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _drop(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + content[place + rng.randint(1, 16) :]


def _repeat(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    piece = content[place : place + rng.randint(1, 40)]
    return content[:place] + piece * rng.randint(2, 4) + content[place + len(piece) :]


def _lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    if rng.random() < 0.5:
        del lines[place]
    else:
        lines.insert(place, rng.choice(lines))
    return b"\n".join(lines)


def _number(content: bytes, rng: random.Random) -> bytes:
    found = list(_NUMBER.finditer(content))
    if not found:
        return _flip(content, rng)
    chosen = rng.choice(found)
    return content[: chosen.start()] + rng.choice(_ODD) + content[chosen.end() :]


_WAYS = (_flip, _overwrite, _cut, _drop, _repeat, _lines, _number)
