"""Matrices on disk: the same entries, and the same clusters as in memory for any blocks."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite

from recoco.core.errors import RecocoError
from recoco.datasets import disk_convert as bigconvert
from recoco.datasets.dataset import Dataset, write_prepared
from recoco.datasets.disk_convert import convert
from recoco.datasets.disk_matrix import ALIGN, BigCsr, Writer, write_weighted
from recoco.datasets.weighting import WEIGHTINGS, weight
from recoco.methods.coclus import CoClus
from recoco.methods.spherical import SphericalKMeans, unit_rows
from recoco.methods.streamed import StreamedCoClus, StreamedSphericalKMeans
from recoco.methods.streamed.spherical import _UnitRows
from support.projects import CHECKOUT

BLOCKS = (1, 3000, 10**9)  # blocks of 256 rows, of some more, of all


@pytest.fixture(scope="module")
def counts() -> sparse.csr_matrix:
    """Counts with blocks, many ties, columns without entries and no empty row."""
    rng = np.random.default_rng(5)
    n, d, draws = 1500, 300, 12_000
    row = np.r_[np.arange(n), rng.integers(n, size=draws - n)]
    inside = rng.random(draws) < 0.6
    column = rng.integers(d - 20, size=draws)
    column = np.where(inside, column - column % 4 + row % 4, column)
    return sparse.csr_matrix((np.ones(draws), (row, column)), shape=(n, d))


def on_disk(A, folder, step=170, **options) -> BigCsr:
    with Writer(folder, A.shape[1]) as out:
        for first in range(0, A.shape[0], step):
            out.add(A[first : first + step])
    return BigCsr(folder, **options)


def same(X: BigCsr, A) -> bool:
    M = X.mapped()
    return all(
        np.array_equal(getattr(M, part), getattr(A, part)) for part in ("indptr", "indices", "data")
    )


def equal_runs(one, two) -> bool:
    return (
        np.array_equal(one.row_labels, two.row_labels)
        and np.array_equal(one.n_iter, two.n_iter)
        and np.array_equal(one.criterion, two.criterion)
        and np.array_equal(one.details["start"], two.details["start"])
        and all(map(np.array_equal, one.histories, two.histories))
    )


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks_are_the_matrix(counts, tmp_path, block):
    X = on_disk(counts, tmp_path / "big.csr", block=block)
    assert X.shape == counts.shape and X.nnz == counts.nnz and same(X, counts)
    bounds = X.bounds()
    assert bounds[0] == 0 and bounds[-1] == counts.shape[0]
    assert all(bound % ALIGN == 0 for bound in bounds[:-1])
    for read in X.blocks():
        few = read.last - read.first <= ALIGN
        assert few or read.data.size <= block
        part = counts[read.first : read.last]
        for mine, given in zip(read.parts, (part.indptr, part.indices, part.data), strict=True):
            assert np.array_equal(mine, given)
    indices, data = X.row(7)
    assert np.array_equal(indices, counts[7].indices) and np.array_equal(data, counts[7].data)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("weighting", ["count", "tfidf-l2"])
def test_coclus_to_the_bit(counts, tmp_path, block, weighting):
    A = weight(counts, weighting)
    X = on_disk(A, tmp_path / "big.csr", block=block)
    one = CoClus(4, n_init=3).fit_runs(A, range(5))
    two = StreamedCoClus(4, n_init=3).fit_runs(X, range(5))
    assert equal_runs(one, two) and np.array_equal(one.column_labels, two.column_labels)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("seeding", ["rows", "k-means++", "labels"])
def test_spherical_to_the_bit(counts, tmp_path, block, seeding):
    A = weight(counts, "tfidf-l2")
    X = on_disk(A, tmp_path / "big.csr", block=block)
    settings = {"n_clusters": 11, "n_init": 3, "seeding": seeding}
    one = SphericalKMeans(**settings).fit_runs(A, range(4))
    two = StreamedSphericalKMeans(**settings).fit_runs(X, range(4))
    assert equal_runs(one, two)


def test_clusters_that_become_empty_are_filled_alike(tmp_path):
    # rows of three kinds only: of eight clusters at least five lose all of theirs
    rng = np.random.default_rng(0)
    kinds = np.kron(np.eye(3), np.ones((1, 4)))
    A = sparse.csr_matrix(kinds[rng.integers(3, size=600)])
    X = on_disk(A, tmp_path / "big.csr", block=1)
    init = np.zeros(600, int)
    for start in (None, init):
        one, two = SphericalKMeans(8, random_state=3), StreamedSphericalKMeans(8, random_state=3)
        assert np.array_equal(one.fit(A, init=start).labels_, two.fit(X, init=start).labels_)
        assert np.array_equal(one.criterion_history_, two.criterion_history_)
        assert np.unique(two.labels_).size == 8


def test_unit_rows_are_those_of_the_method(counts, tmp_path):
    A = weight(counts, "tfidf-l2")
    rows = unit_rows(A)
    problem = _UnitRows(on_disk(A, tmp_path / "big.csr", block=1))
    found = np.concatenate([block.data.copy() for block, _ in problem.blocks()])
    assert np.array_equal(found, rows.data)


def test_batches_and_explicit_starts(counts, tmp_path):
    X = on_disk(counts, tmp_path / "big.csr", block=3000)
    for kind in (StreamedCoClus, StreamedSphericalKMeans):
        runs = [kind(3, n_init=2).fit_runs(X, [1, 2, 3], batch_size=size) for size in (1, 4, 6)]
        assert equal_runs(runs[0], runs[1]) and equal_runs(runs[0], runs[2])
    init = np.arange(counts.shape[1]) % 4
    one, two = CoClus(4).fit(counts, init=init), StreamedCoClus(4).fit(X, init=init)
    assert np.array_equal(one.row_labels_, two.row_labels_)
    assert two.n_features_in_ == counts.shape[1]


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_weighted_as_in_memory(counts, tmp_path, name):
    X = on_disk(counts, tmp_path / "big.csr", block=1)
    assert same(write_weighted(X, tmp_path / "weighted.csr", name), weight(counts, name))


def test_refusals(counts, tmp_path):
    X = on_disk(counts, tmp_path / "big.csr")
    with pytest.raises(RecocoError, match="matrix on disk"):
        CoClus(2).fit(X)
    with pytest.raises(RecocoError, match="BigCsr"):
        StreamedCoClus(2).fit(counts)
    with pytest.raises(RecocoError, match="request at most 300"):
        StreamedCoClus(301).fit(X)
    with pytest.raises(RecocoError, match="seeding is 'row'"):
        StreamedSphericalKMeans(2, seeding="row").fit(X)
    holes = counts.copy()
    holes.data[: holes.indptr[1]] = 0
    with pytest.raises(RecocoError, match="Row 0 of the matrix is zero"):
        StreamedSphericalKMeans(2).fit(on_disk(holes, tmp_path / "holes.csr"))
    for value, said in ((-1.0, "negative"), (np.nan, "NaN")):
        bad = counts.copy()
        bad.data[3] = value
        with pytest.raises(RecocoError, match=said):
            on_disk(bad, tmp_path / "bad.csr")
    with pytest.raises(RecocoError, match="All entries"):
        on_disk(counts * 0, tmp_path / "bad.csr")
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear").write_text("you")
    with pytest.raises(RecocoError, match="something else in it"):
        on_disk(counts, tmp_path / "letters")
    # nothing is left of what failed
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"big.csr", "holes.csr", "letters"}
    with (tmp_path / "big.csr" / "data.npy").open("r+b") as file:
        file.truncate(5000)
    with pytest.raises(RecocoError, match=r"data.npy is cut.*convert the matrix again"):
        BigCsr(tmp_path / "big.csr")


# ---- files ---------------------------------------------------------------------------------


@pytest.fixture
def short_pieces(monkeypatch):
    monkeypatch.setattr(bigconvert, "PIECE", 999)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kind", ["mtx", "mtx.gz", "csr", "csc", "coo", "packed"])
def test_files_are_converted(counts, tmp_path, short_pieces, kind, block):
    A = weight(counts, "tfidf-l2")
    shuffled = A.tocoo()
    order = np.random.default_rng(1).permutation(A.nnz)
    parts = shuffled.data[order], (shuffled.row[order], shuffled.col[order])
    shuffled = sparse.coo_matrix(parts, shape=A.shape)
    if kind.startswith("mtx"):
        path = tmp_path / "a.mtx"
        mmwrite(path, shuffled, precision=17)
        if kind.endswith("gz"):
            packed = tmp_path / "a.mtx.gz"
            packed.write_bytes(gzip.compress(path.read_bytes()))
            path = packed
    else:
        path = tmp_path / "a.npz"
        layout = kind if kind != "packed" else "csc"
        sparse.save_npz(path, shuffled.asformat(layout), compressed=kind == "packed")
    assert same(convert(path, tmp_path / "a.csr", block=block), A)
    turned = convert(path, tmp_path / "t.csr", transpose=True, block=block)
    assert same(turned, sparse.csr_matrix(A.T))
    assert not list(tmp_path.glob(".*"))


def test_a_prepared_dataset_is_mapped(counts, tmp_path):
    views, labels = [counts, counts[:, :3]], np.zeros(counts.shape[0], np.int32)
    data = Dataset("a", views, labels, ["x"], [None, None], np.arange(labels.size))
    write_prepared(tmp_path / "a.npz", data)
    X = convert(tmp_path / "a.npz", tmp_path / "a.csr")
    assert same(X, counts)
    mapped = X.mapped()
    assert isinstance(mapped.data.base, np.memmap) or isinstance(mapped.data, np.memmap)
    assert (mapped != counts).nnz == 0


def test_symmetric_pattern_and_repeated_entries(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate pattern symmetric\n% said\n\n3 3 3\n1 1\n3 1\n3 1\n"
    )
    found = convert(path, tmp_path / "a.csr").mapped().toarray()
    assert np.array_equal(found, [[1, 0, 2], [0, 0, 0], [2, 0, 0]])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 1 1\n1 1 1\n", "no Matrix Market header"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n", "give coordinates"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "give coordinates"),
        ("%%MatrixMarket matrix coordinate real general\n", "no sizes"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "has 1: fetch"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "outside of its 2 x 2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", "outside of its 2 x 2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 x\n", "cannot be read"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n", "NaN"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 -1\n", "negative"),
        ("%%MatrixMarket matrix coordinate real general\n0 2 0\n", "of shape 0 x 2"),
    ],
)
def test_broken_market_files(tmp_path, text, said):
    path = tmp_path / "a.mtx"
    path.write_text(text)
    with pytest.raises(RecocoError, match=said):
        convert(path, tmp_path / "a.csr")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.mtx"]


def test_broken_archives(counts, tmp_path):
    path = tmp_path / "a.npz"
    sparse.save_npz(path, counts)
    whole = path.read_bytes()
    rng = np.random.default_rng(2)
    for _ in range(60):
        cut = bytearray(whole)
        if rng.random() < 0.5:
            del cut[rng.integers(len(whole)) :]
        else:
            cut[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(cut))
        try:
            X = convert(path, tmp_path / "a.csr")
        except RecocoError:
            continue
        assert same(X, counts)  # a byte that says nothing, as of a date
    path.write_bytes(b"PK")
    with pytest.raises(RecocoError, match="cut or not what it says"):
        convert(path, tmp_path / "b.csr")
    with pytest.raises(RecocoError, match="no known kind"):
        convert(__file__, tmp_path / "b.csr")


def test_fit_of_a_matrix_file(counts, tmp_path):
    mmwrite(tmp_path / "counts.mtx", counts)

    def fit(*words):
        command = [sys.executable, "-m", "recoco", "fit", "--clusters", "4", *words]
        env = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)

    done = fit("--method", "coclus", "--matrix", "counts.mtx", "--seed", "3", "--starts", "2")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "counts-fit"
    expected = CoClus(4, n_init=2, random_state=3).fit(weight(counts, "tfidf-l2"))
    for name, labels in (
        ("rows.txt", expected.row_labels_),
        ("columns.txt", expected.column_labels_),
    ):
        assert np.array_equal(np.loadtxt(out / name, dtype=int), labels)
    again = fit("--method", "skmeans", "--matrix", "counts-fit/matrix.csr", "--out", "b")
    assert again.returncode == 0, again.stderr
    found = SphericalKMeans(4, random_state=0).fit(weight(counts, "tfidf-l2")).labels_
    assert np.array_equal(np.loadtxt(tmp_path / "b" / "rows.txt", dtype=int), found)
    assert not (tmp_path / "b" / "columns.txt").exists()
    mmwrite(tmp_path / "ones.mtx", sparse.csr_matrix(np.ones((6, 5))))
    flat = fit("--method", "coclus", "--matrix", "ones.mtx", "--weighting", "count")
    assert flat.returncode == 0
    assert flat.stderr.startswith("recoco: CoClus ended with members in only")
    assert flat.stderr.count("\n") == 1
    twice = fit("--method", "skmeans", "--matrix", "b/tfidf-l2.csr", "--out", "b")
    assert twice.returncode == 2 and "already weighted" in twice.stderr


def test_memory_is_that_of_a_block(tmp_path):
    """A matrix of 240 MB is clustered in a process that may not grow by a quarter of that."""
    rng = np.random.default_rng(0)
    n, d = 20_000, 2000
    folder = tmp_path / "big.csr"
    with Writer(folder, d) as out:
        for _ in range(0, n, 1000):
            out.add(sparse.csr_matrix(rng.integers(1, 5, size=(1000, 1000)), shape=(1000, d)))
    code = (
        "import resource, sys\n"
        "from recoco.datasets.disk_matrix import BigCsr\n"
        "from recoco.methods.streamed import StreamedCoClus, StreamedSphericalKMeans\n"
        "kinds = StreamedCoClus, StreamedSphericalKMeans\n"
        "small, X = (BigCsr(sys.argv[1], block) for block in (1, 500_000))\n"
        "for kind in kinds:\n"
        "    kind(3, max_iter=1).fit(small)\n"  # code and libraries are not counted
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for kind in kinds:\n"
        "    kind(3, max_iter=3).fit(X)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    command = [sys.executable, "-c", code, str(folder)]
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    grown = int(done.stdout) * (1 if sys.platform == "darwin" else 1024)
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert size > 240e6 and grown < size / 4
