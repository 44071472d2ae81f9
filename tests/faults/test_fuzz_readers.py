"""Broken files for all that is read besides datasets: archives, large matrices, dumps, labels.

`test_fuzz.py` has the parsers of datasets; what counts as broken, and the cage that the cases run
in, are the same.
"""

import bz2
import gzip
import io
import random
import zlib

import numpy as np
import pytest
import yaml
from scipy.io import mmwrite
from scipy.sparse import csr_matrix, save_npz

from faults import test_fuzz as test_fuzz
from faults.test_fuzz import ALL_CASES, CASES, contained, quiet_crashes  # noqa: F401
from recoco.archive.crate import METADATA
from recoco.archive.opening import open_archive
from recoco.config.schema import read_yaml
from recoco.datasets.dataset import Dataset, write_prepared
from recoco.datasets.disk_convert import convert
from recoco.datasets.disk_matrix import BigCsr
from recoco.datasets.library import _load
from recoco.datasets.texts import TextFiles
from recoco.methods.external import _read_labels, _read_number
from recoco.metrics.coherence import count_windows
from support.archive_fixture import members_of, small_archive
from support.fuzz_corpus import CORPUS, COUNTS, broken, zipped
from support.projects import CHECKOUT

DUMP = b"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">
<page><title>A</title><ns>0</ns><revision><text>wheat and [[corn|maize]] {{t|x}}</text>
</revision></page>
<page><title>B</title><ns>1</ns><revision><text>talk</text></revision></page>
<page><title>C</title><ns>0</ns><redirect title="A" /><revision><text>x</text></revision></page>
<page><title>D</title><ns>0</ns><revision><text>crude oil &amp; gas &lt;ref&gt;n&lt;/ref&gt;</text>
</revision></page></mediawiki>"""


def saved(write, *content, **options) -> bytes:
    buffer = io.BytesIO()
    write(buffer, *content, **options)
    return buffer.getvalue()


# ---- what each reader makes of a file ----------------------------------------------------------


def big(path):
    X = convert(path, path.with_name("out.csr"))
    A = X.mapped()
    A.check_format(full_check=True)
    assert A.shape == X.shape and np.isfinite(A.data).all()
    assert sum(block.last - block.first for block in X.blocks()) == X.shape[0]


def big_part(path):
    """Read a matrix on disk one of whose files is broken."""
    X = BigCsr(path.parent)
    for block in X.blocks():
        assert block.indices.size == block.data.size == block.indptr[-1]
        assert block.indptr[0] == 0 and np.all(np.diff(block.indptr) >= 0)
        assert block.indices.min(initial=0) >= 0 and block.indices.max(initial=0) < X.shape[1]


def windows(path):
    count_windows(TextFiles(path), ["wheat", "corn", "maize", "oil"], window=5)


def opened(path):
    with open_archive(path) as archive:
        assert isinstance(archive.problems_of_files() + archive.problems_of_crate(), list)
        archive.extract(path.with_name("out"))


def prepared(path):
    data = _load(path)
    assert len(data.labels) == data.X.shape[0]
    data.X.check_format(full_check=True)


def labels(path):
    found = _read_labels(path, 4, "rows")
    assert found.shape == (4,) and found.min() >= 0


def number(path):
    assert np.isfinite(_read_number(path))


def settings(path):
    assert isinstance(read_yaml(path), dict)


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> dict:
    """Return for each reader the name and bytes of a sound file, and the files around it."""
    folder = tmp_path_factory.mktemp("sound")
    text = saved(mmwrite, csr_matrix(COUNTS))
    archive = small_archive(folder / "a.zip")
    members = members_of(archive)
    data = Dataset(
        *("tiny", [csr_matrix(COUNTS)], np.array([0, 1, 0, 1], np.int32), ["x", "y"]),
        *([["a", "b", "c"]], np.arange(4), {"status": "ok"}),
    )
    write_prepared(folder / "p.npz", data)
    (folder / "m.mtx").write_bytes(text)
    convert(folder / "m.mtx", folder / "m.csr")
    parts = {path.name: path.read_bytes() for path in (folder / "m.csr").iterdir()}
    config = yaml.safe_dump({"papers": ["coclus"], "runs": {"first": 5}}).encode()
    return {
        "big mtx": (big, "m.mtx", text, {}),
        "big mtx.gz": (big, "m.mtx.gz", gzip.compress(text, mtime=0), {}),
        "big csr": (big, "m.npz", saved(save_npz, csr_matrix(COUNTS)), {}),
        "big coo": (big, "m.npz", saved(save_npz, csr_matrix(COUNTS).tocoo()), {}),
        "big prepared": (big, "p.npz", (folder / "p.npz").read_bytes(), {}),
        **{f"part {name}": (big_part, name, parts[name], parts) for name in parts},
        "dump": (windows, "d.xml", DUMP, {}),
        "dump bz2": (windows, "d.xml.bz2", bz2.compress(DUMP), {}),
        "dump gz": (windows, "d.xml.gz", gzip.compress(DUMP, mtime=0), {}),
        "text": (windows, "d.txt", b"wheat corn oil wheat\n" * 5, {}),
        "archive": (opened, "a.zip", archive.read_bytes(), {}),
        "crate": (opened, "a.zip", members[METADATA], members),
        "prepared": (prepared, "p.npz", (folder / "p.npz").read_bytes(), {}),
        "labels": (labels, "labels.txt", b"0\n1\n0\n2\n", {}),
        "number": (number, "criterion.txt", b"-12.5\n", {}),
        "yaml": (settings, "config.yaml", config, {}),
    }


READERS = [
    *("big mtx", "big mtx.gz", "big csr", "big coo", "big prepared", "part matrix.json"),
    *("part indptr.npy", "part indices.npy", "part data.npy", "dump", "dump bz2", "dump gz"),
    *("text", "archive", "crate", "prepared", "labels", "number", "yaml"),
]


def put(folder, kind: str, name: str, content: bytes, around: dict) -> None:
    if kind == "crate":  # a broken description in an archive that is whole
        content, around = zipped(around | {METADATA: content}), {}
    for file, whole in around.items():
        (folder / file).write_bytes(whole)
    (folder / name).write_bytes(content)


def test_every_reader_is_here(sound):
    assert list(sound) and set(sound) == set(READERS)


@pytest.mark.parametrize("kind", READERS)
def test_sound_files_are_read(sound, tmp_path, kind):
    reader, name, content, around = sound[kind]
    put(tmp_path, kind, name, content, around)
    reader(tmp_path / name)


@pytest.mark.parametrize("kind", READERS)
def test_broken_files_end_in_a_sentence_or_a_sound_result(sound, tmp_path, kind):
    reader, name, content, around = sound[kind]

    def work(note):
        found = []
        for case in range(CASES):
            rng = random.Random(zlib.crc32(f"{kind} {case}".encode()))
            note.write_text(str(case))
            folder = tmp_path / "inside" / str(case)
            folder.mkdir(parents=True)
            put(folder, kind, name, broken(content, rng), around)
            wrong = test_fuzz.told(lambda: reader(folder / name))  # noqa: B023
            if wrong:
                found.append(f"case {case}: {wrong}")
            made = {path.name for path in folder.iterdir()} - {name, *around}
            if made - {"out", "out.csr"} or (made and wrong):
                found.append(f"case {case}: left {sorted(made)}")
        return found

    found = contained(tmp_path, work)
    assert not found, "\n".join(found)
    assert {path.name for path in tmp_path.iterdir()} == {"inside", "case"}


# ---- how many ---------------------------------------------------------------------------------


def test_every_parser_of_datasets_is_in_the_corpus():
    schema = read_yaml(CHECKOUT / "workflow" / "schemas" / "dataset.schema.yaml")
    parsers = schema["$defs"]["parser"]["properties"]["name"]["enum"]
    assert {name.split()[0] for name in CORPUS} == {*parsers, "planted"}


def test_there_are_twenty_thousand_cases_and_more():
    """Without those of hypothesis, which are on top."""
    of_archives = 5
    assert ALL_CASES * (len(CORPUS) + of_archives) >= 20_000
