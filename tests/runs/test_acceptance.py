"""A block counts only if the next stages can use it, and its texts can be shown anywhere."""

import json

import numpy as np
import pandas as pd
import pytest

from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays, write_arrays, write_json
from recoco.datasets import fetch, prepare
from recoco.runs.acceptance import KnownBlock, check_block
from recoco.runs.block import run_block
from recoco.runs.scoring import consensus_of_dataset, read_setting, score_dataset

BLOCK = KnownBlock(
    identity="planted-small/binary/some",
    method="some",
    import_path="recoco.methods.coclus:CoClus",
    params={},
    weighting="binary",
    start=2,
    stop=4,
    master_seed=1,
    time_limit=60.0,
)


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """The prepared data and a sound block on them."""
    folder = tmp_path_factory.mktemp("computed")
    fetch("planted-small", folder / "raw")
    prepare("planted-small", folder / "raw", folder / "data.npz", folder / "data.json")
    run_block(BLOCK, folder / "data.npz", folder / "block.npz", folder / "seconds.json")
    return folder


def check(folder, tmp_path, facts=None, **arrays) -> None:
    """Check the sound block with other arrays, or other facts in its record."""
    content = {**read_arrays(folder / "block.npz"), **arrays}
    if facts:
        text = json.dumps(json.loads(str(content["record"])) | facts)
        content["record"] = np.array(text)
    kept = {name: values for name, values in content.items() if values is not None}
    write_arrays(tmp_path / "block.npz", kept)
    check_block(BLOCK, tmp_path / "block.npz", folder / "seconds.json")


def test_a_sound_block_is_accepted(computed, tmp_path):
    check(computed, tmp_path)
    parts = {"detail_part_a": np.ones((2, 300), int), "detail_part_b": np.ones((2, 5, 300), int)}
    check(computed, tmp_path, {"n_clusters": None}, **parts, detail_x=np.array(["a", "b"]))


def test_a_block_without_results_is_accepted(tmp_path):
    paths = tmp_path / "block.npz", tmp_path / "seconds.json"
    BLOCK.write(*paths, 1.0, {}, status="failed", error="why", n_clusters=None)
    check_block(BLOCK, *paths)


@pytest.mark.parametrize(
    ("facts", "arrays", "said"),
    [
        ({"identity": "another"}, {}, "other runs"),
        ({"seeds": ["1", "2"]}, {}, "other runs"),
        ({}, {"run": np.arange(2)}, "other runs"),
        ({"status": "fine"}, {}, "nothing about how it ended"),
        ({"error": None}, {}, "nothing about how it ended"),
        ({"n_clusters": "two"}, {}, "its number of clusters is 'two', not a number"),
        ({}, {"row_labels": None}, "no row_labels"),
        ({}, {"criterion": None}, "no criterion"),
        ({}, {"criterion": np.zeros(3)}, "criterion has not one entry for each of 2 runs"),
        ({}, {"row_labels": np.zeros((2, 299), int)}, "a cluster for each of 300 rows"),
        ({}, {"row_labels": np.zeros((2, 300))}, "a cluster for each of 300 rows"),
        ({}, {"detail_part_x": np.full((2, 300), -1)}, "part_x does not have a cluster"),
        ({}, {"detail_x": np.array([b"a", b"b"])}, "x is |S1, neither numbers nor texts"),
        ({}, {"record": np.array("{")}, "cannot be read"),
        ({}, {"record": None}, "cannot be read"),
    ],
)
def test_a_block_that_would_stop_the_next_stage_is_refused(computed, tmp_path, facts, arrays, said):
    with pytest.raises(RecocoError) as caught:
        check(computed, tmp_path, facts, **arrays)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_files_that_are_no_block_are_refused(computed, tmp_path):
    (tmp_path / "block.npz").write_bytes(b"no zip")
    with pytest.raises(RecocoError, match="cannot be read"):
        check_block(BLOCK, tmp_path / "block.npz", computed / "seconds.json")


@pytest.mark.parametrize(
    "facts", [("many", 2), (float("nan"), 2), (float("inf"), 2), (-1, 2), (1, 9)]
)
def test_times_that_are_none_are_refused(computed, tmp_path, facts):
    write_json(tmp_path / "seconds.json", dict(zip(("seconds", "runs"), facts, strict=True)))
    with pytest.raises(RecocoError, match="nothing about how it ended"):
        check_block(BLOCK, computed / "block.npz", tmp_path / "seconds.json")


def test_any_error_reaches_the_table_of_scores(computed, tmp_path):
    paths = tmp_path / "block.npz", tmp_path / "seconds.json"
    BLOCK.write(*paths, 1.0, {}, status="failed", error="lone \udc80, zero \0", n_clusters=None)
    assert read_setting([paths[0]], 4).errors == ["lone \\udc80, zero \\x00"] * 2
    settings = {"planted-small/binary/some": ([paths[0]], 4)}
    consensus_of_dataset(settings, tmp_path / "consensus.npz")
    data, out = computed / "data.npz", tmp_path / "scores.parquet"
    score_dataset(data, tmp_path / "consensus.npz", settings, out)
    assert pd.read_parquet(out)["error"].tolist() == ["lone \\udc80, zero \\x00"] * 2
