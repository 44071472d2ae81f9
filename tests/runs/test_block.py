"""Blocks of runs, their joining, consensus and scores: every cell says what became of it."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from recoco.consensus import medoid
from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays
from recoco.datasets import fetch, prepare
from recoco.methods import import_path
from recoco.methods.base import sum_of_squares
from recoco.runs.block import Block, canonical_pair, run_block
from recoco.runs.scoring import consensus_of_dataset, read_setting, score_dataset


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    for name in ("planted-small", "corel-i1"):
        fetch(name, folder / name)
        prepare(name, folder / name, folder / f"{name}.npz", folder / f"{name}.json")
    return folder


def run(prepared, out, method="coclus", dataset="planted-small", start=0, stop=3, **options):
    settings = {
        "identity": f"{dataset}/binary/{method.split(':')[-1]}",
        "method": method,
        "import_path": import_path(method),
        "params": {},
        "weighting": "binary",
        "start": start,
        "stop": stop,
        "master_seed": 1,
        "time_limit": 60.0,
        **options,
    }
    path = out / f"{start}-{stop}.npz"
    data = prepared / f"{dataset}.npz"
    run_block(Block(**settings), data, path, path.with_suffix(".seconds.json"))
    return path


def scores(prepared, blocks, total, out) -> pd.DataFrame:
    name = "planted-small/binary/some"
    consensus_of_dataset({name: (blocks, total)}, out / "consensus.npz")
    score_dataset(
        prepared / "planted-small.npz",
        out / "consensus.npz",
        {name: (blocks, total)},
        out / "scores.parquet",
    )
    return pd.read_parquet(out / "scores.parquet")


def test_blocks_join_to_what_one_block_gives(prepared, tmp_path):
    whole = read_setting([run(prepared, tmp_path, stop=6)], 6)
    parts = [run(prepared, tmp_path, start=0, stop=2), run(prepared, tmp_path, start=2, stop=6)]
    joined = read_setting(parts, 6)
    assert joined.seeds == whole.seeds and (joined.run == np.arange(6)).all()
    for name in whole.arrays:
        assert (joined.arrays[name] == whole.arrays[name]).all()
    assert len(read_setting(parts, 3).run) == 3


def test_bytes_do_not_depend_on_the_moment(prepared, tmp_path):
    first = hashlib.sha256(run(prepared, tmp_path).read_bytes()).hexdigest()
    assert hashlib.sha256(run(prepared, tmp_path).read_bytes()).hexdigest() == first


def test_scores_and_consensus(prepared, tmp_path):
    table = scores(prepared, [run(prepared, tmp_path, stop=5)], 5, tmp_path)
    runs = table[table["kind"] == "run"]
    assert len(runs) == 5 and set(runs["status"]) <= {"ok", "degenerate"}
    assert runs[["acc", "nmi", "ari", "purity"]].max().max() <= 1.0
    consensus = table[table["kind"] == "medoid"].iloc[0]
    assert consensus["run"] == 5 and 0 <= consensus["mean_agreement"] <= 1
    assert runs["acc"].min() <= consensus["acc"] <= runs["acc"].max()


@pytest.mark.parametrize(
    ("method", "status", "said"),
    [
        ("support.fake_methods:Slow", "timeout", "no result within"),
        ("support.fake_methods:Failing", "failed", "no convergence"),
        ("support.fake_methods:OneCluster", "degenerate", ""),
    ],
)
def test_a_cell_says_what_became_of_it(prepared, tmp_path, method, status, said):
    limit = 0.2 if status == "timeout" else 60.0
    block = run(prepared, tmp_path, method=method, time_limit=limit)
    table = scores(prepared, [block], 3, tmp_path)
    runs = table[table["kind"] == "run"]
    assert set(runs["status"]) == {status}
    assert all(said in error for error in runs["error"])


def test_unreachable_data_is_a_result(prepared, tmp_path):
    block = run(prepared, tmp_path, dataset="corel-i1")
    runs = read_setting([block], 3)
    assert set(runs.status) == {"unreachable"} and not runs.arrays


def test_wrong_parameter_is_a_mistake(prepared, tmp_path):
    with pytest.raises(RecocoError, match="does not take these parameters"):
        run(prepared, tmp_path, params={"no_such": 1})
    assert not list(tmp_path.glob("*.npz"))


def test_canonical_labels_keep_the_link_of_rows_and_columns():
    rows, columns = canonical_pair([[2, 2, 0, 1]], [[0, 2, 1]])
    assert rows.tolist() == [[0, 0, 1, 2]] and columns.tolist() == [[1, 0, 2]]


def test_medoid():
    good = [0, 0, 1, 1, 2, 2]
    partitions = np.array([[0, 1, 0, 1, 0, 1], good, [1, 1, 0, 0, 2, 2], [0, 0, 0, 1, 2, 2]])
    index, agreement = medoid(partitions)
    assert index == 1 and 0 < agreement < 1
    assert medoid(np.array([good])) == (0, 1.0)
    assert medoid(np.array([good, good])) == (0, pytest.approx(1.0))


def test_written_arrays_come_back(prepared, tmp_path):
    arrays = read_arrays(run(prepared, tmp_path))
    assert arrays["row_labels"].shape == (3, 300)
    assert arrays["row_labels"].dtype == np.uint8


def test_squares_are_added_up_alike_for_any_number_of_threads():
    values = np.random.default_rng(0).random(300_001)
    found = set()
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            found.add(sum_of_squares(values))
    assert len(found) == 1 and abs(found.pop() - (values**2).sum()) < 1e-6
