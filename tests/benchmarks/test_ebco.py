"""The benchmark of the EBCO paper's methods runs without the data and says what it measured."""

import numpy as np

from benchmarks import ebco as bench_ebco
from recoco import datasets
from recoco.core.errors import RecocoError


def test_bench_on_small_planted_matrices(monkeypatch):
    def absent(name):
        raise RecocoError(f"dataset {name} is unreachable: this is a test.")

    monkeypatch.setattr(datasets, "load_dataset", absent, raising=False)
    monkeypatch.setattr(bench_ebco, "SHAPE", (300, 201))
    monkeypatch.setattr(bench_ebco, "NONZEROS", 6000)
    monkeypatch.setattr(bench_ebco, "ENSEMBLE_SHAPE", (120, 90))
    monkeypatch.setattr(bench_ebco, "ENSEMBLE_NONZEROS", 2500)
    results = bench_ebco.measure(repetitions=1)
    assert results["data"].startswith("planted")
    for name in ("dcc", "croinfo"):
        assert results[name]["rows_labelled_as_by_dense"] == 1
        assert np.isfinite(results[name]["dense_over_batched"])
    assert results["ensemble"]["bases"] == 24
    assert results["ensemble"]["dense_bytes"] == 8 * 120 * 90
    assert len(bench_ebco.table_rows(results)) == 3
    assert "EBCO" in bench_ebco.markdown(results)
