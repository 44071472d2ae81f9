"""The scores of a reference: one file, read again, whose rows reproduce their runs."""

import pandas as pd
import pytest

from recoco.archive.reference.scores import marks_of_blocks, read_marks, split_scores, write_scores
from recoco.core.errors import RecocoError
from recoco.core.imports import load_class
from recoco.datasets import fetch, prepare
from recoco.datasets.dataset import load_prepared
from recoco.datasets.weighting import weight
from recoco.methods import import_path
from recoco.metrics import nmi
from recoco.runs.block import Block, canonical_pair, run_block
from recoco.runs.scoring import consensus_of_dataset, score_dataset
from support.reference_run import score_table, write_block


def test_scores_go_into_one_file_and_out_again(tmp_path):
    files = []
    for dataset in ("b", "a"):
        files.append(tmp_path / f"{dataset}.parquet")
        score_table(dataset, 4).to_parquet(files[-1], index=False)
    marks = {("a", "count", "coclus", run): 10 + run for run in range(4)}
    asked = {"a/count/coclus": 4, "b/count/coclus": 4}
    write_scores(files, marks, tmp_path / "one" / "scores.parquet", asked)
    write_scores(files[::-1], marks, tmp_path / "two" / "scores.parquet", asked)
    one, two = (tmp_path / name / "scores.parquet" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert read_marks(one) == {"a/count/coclus": {run: 10 + run for run in range(4)}}
    for path in split_scores(one, tmp_path / "again"):
        before = pd.read_parquet(tmp_path / path.name).drop(columns="params")
        after = pd.read_parquet(path)
        assert list(after.columns) == list(before.columns)
        assert after["seed"].isna().sum() == 1
        pd.testing.assert_frame_equal(after, before, check_dtype=False)


def test_a_reference_with_half_of_the_seeds_is_read(tmp_path):
    """They were saved as signed numbers of eight bytes."""
    table = score_table("a", 4).drop(columns="params").assign(partition=1)
    halves = [seed if pd.isna(seed) else int(seed[:16], 16) for seed in table["seed"]]
    signed = [half - 2**64 if half >= 2**63 else half for half in halves]
    assert min(signed[:4]) < 0 < max(signed[:4])
    old = table.assign(seed=pd.array([*signed[:4], pd.NA], dtype="Int64"))
    old.to_parquet(tmp_path / "old.parquet", index=False)
    assert read_marks(tmp_path / "old.parquet") == {"a/count/coclus": dict.fromkeys(range(4), 1)}
    [path] = split_scores(tmp_path / "old.parquet", tmp_path / "again")
    after = pd.read_parquet(path)
    assert list(after["seed"][:4]) == [seed[:16] for seed in table["seed"][:4]]
    assert after["seed"].isna().sum() == 1


@pytest.mark.parametrize("method", ["coclus", "nmf"])  # with starts of its own, and shared ones
def test_a_row_of_a_reference_reproduces_its_run(method, tmp_path):
    fetch("planted-small", tmp_path / "raw")
    data = tmp_path / "planted-small.npz"
    prepare("planted-small", tmp_path / "raw", data, tmp_path / "planted-small.json")
    name = f"planted-small/count/{method}"
    block = Block(name, method, import_path(method), {}, "count", 0, 3, 1, 60.0)
    labels = tmp_path / "0-3.npz"
    run_block(block, data, labels, tmp_path / "seconds.json")
    consensus_of_dataset({name: ([labels], 3)}, tmp_path / "consensus.npz")
    scores, saved = tmp_path / "planted-small.parquet", tmp_path / "saved.parquet"
    score_dataset(data, tmp_path / "consensus.npz", {name: ([labels], 3)}, scores)
    marks = {(*name.split("/"), run): m for run, m in marks_of_blocks([labels]).items()}
    write_scores([scores], marks, saved, {name: 3})

    dataset = load_prepared(data)
    rows = pd.read_parquet(saved).query("kind == 'run'")
    for row in rows.itertuples():
        model = load_class(import_path(row.method))(n_clusters=len(set(dataset.labels)))
        runs = model.fit_runs(weight(dataset.X, row.weighting), [int(row.seed, 16)])
        assert runs.criterion[0] == row.criterion and runs.n_iter[0] == row.n_iter
        assert nmi(dataset.labels, runs.row_labels[0]) == row.nmi
        again = write_block(tmp_path / "again.npz", canonical_pair(runs.row_labels, None)[0])
        assert marks_of_blocks([again])[0] == row.partition
    assert rows["seed"].nunique() == 3


def test_what_another_paper_asked_for_is_left_out(tmp_path):
    frames = [score_table("a", 2), score_table("a", 3).assign(slug="dcc")]
    pd.concat(frames).to_parquet(tmp_path / "a.parquet", index=False)
    for runs in (3, 2):  # it may ask for more runs of the same setting, too
        write_scores([tmp_path / "a.parquet"], {}, tmp_path / "one.parquet", {"a/count/dcc": runs})
        kept = pd.read_parquet(tmp_path / "one.parquet")
        assert set(kept["slug"]) == {"dcc"}
        assert (kept["kind"] == "run").sum() == runs and len(kept) == runs + 1


def test_no_scores_are_no_reference(tmp_path):
    with pytest.raises(RecocoError, match="No scores yet"):
        write_scores([], {}, tmp_path / "scores.parquet", {})


def test_equal_partitions_have_equal_marks(tmp_path):
    first = write_block(tmp_path / "0-2.npz", [[0, 0, 1], [0, 1, 0]])
    second = write_block(tmp_path / "2-4.npz", [[0, 0, 1], [0, 1, 2]], start=2)
    marks = marks_of_blocks([first, second])
    assert sorted(marks) == [0, 1, 2, 3]
    assert marks[0] == marks[2] and len(set(marks.values())) == 3
    assert sorted(marks_of_blocks([first, second], 3)) == [0, 1, 2]
