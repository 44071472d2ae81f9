"""The benchmark runs, without the data too, and writes what it says."""

import json

import numpy as np

from recoco import bench, datasets
from recoco.errors import RecocoError


def test_bench_on_a_small_planted_matrix(tmp_path, monkeypatch, capsys):
    def absent(name):
        raise RecocoError(f"dataset {name} is unreachable: this is a test.")

    monkeypatch.setattr(datasets, "load_dataset", absent, raising=False)
    monkeypatch.setattr(bench, "SHAPE", (300, 201))
    monkeypatch.setattr(bench, "NONZEROS", 6000)
    assert bench.main(["--quick", "--out", str(tmp_path)]) == 0
    results = json.loads((tmp_path / "bench.json").read_text())
    assert results["data"].startswith("planted")
    assert results["labels_equal"] and results["rows_labelled_as_by_dense"] == 1
    if results["threads"]["measured"]:
        assert results["threads"]["labels_equal"]
    for name in ("dense_over_batched", "one_by_one_over_batched", "iteration_over_reading"):
        assert np.isfinite(results[name]) and results[name] > 0
    assert (tmp_path / "bench.md").read_text() in capsys.readouterr().out
    assert "<svg" in (tmp_path / "bench.svg").read_text()
