"""The benchmark runs, without the data too, and writes what it says."""

import json
from importlib import import_module

import numpy as np
import pytest

import benchmarks as bench
from benchmarks import coclus, factors, spherical, words
from recoco import datasets
from recoco.core.errors import RecocoError


@pytest.fixture(autouse=True)
def small(monkeypatch):
    def absent(name):
        raise RecocoError(f"dataset {name} is unreachable: this is a test.")

    monkeypatch.setattr(datasets, "load_dataset", absent, raising=False)
    monkeypatch.setattr(coclus, "SHAPE", (300, 201))
    monkeypatch.setattr(coclus, "NONZEROS", 6000)
    monkeypatch.setattr(spherical, "SHAPE", (400, 300))
    monkeypatch.setattr(spherical, "NONZEROS", 9000)
    monkeypatch.setattr(words, "TOKENS", 20_000)


def test_bench_on_small_planted_matrices(tmp_path, capsys):
    sections = ("coclus", "factors", "spherical", "words")  # the others have tests of their own
    only = [word for name in sections for word in ("--only", name)]
    assert bench.main(["--quick", *only, "--out", str(tmp_path)]) == 0
    results = json.loads((tmp_path / "bench.json").read_text())
    assert set(results) == {"machine", "targets", *sections}
    found = results["coclus"]
    assert found["data"].startswith("planted")
    assert found["labels_equal"] and found["rows_labelled_as_by_dense"] == 1
    if found["threads"]["measured"]:
        assert found["threads"]["labels_equal"]
    for name in ("dense_over_batched", "one_by_one_over_batched", "iteration_over_reading"):
        assert np.isfinite(found[name]) and found[name] > 0
    for name in ("nmtf CLASSIC4", "wcnmtf NG20"):
        assert results["factors"][name]["ratio"] > 0
        assert results["factors"][name]["criterion_difference"] < 1e-5
    assert results["spherical"]["labels_equal"]
    assert results["words"]["counts_equal"]
    assert (tmp_path / "bench.md").read_text() in capsys.readouterr().out
    assert "<svg" in (tmp_path / "bench.svg").read_text()


def test_every_section_measures_and_tells():
    for name in bench.SECTIONS:
        section = import_module(f"benchmarks.{name}")
        assert callable(section.measure) and callable(section.markdown)


def test_one_section_alone(tmp_path):
    assert bench.main(["--quick", "--only", "words", "--out", str(tmp_path)]) == 0
    assert "Counter" in (tmp_path / "bench.md").read_text()
    assert factors.markdown({}).startswith("## Factorisations")
