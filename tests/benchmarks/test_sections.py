"""The sections of the benchmark on tiny data: they run, and compare what is equally good."""

import json

import numpy as np
import pytest

import benchmarks as bench
from benchmarks import (
    blocks,
    coclus,
    consensus,
    firstuse,
    growth,
    limits,
    nmf,
    scores,
    spectral,
    spherical,
    workflow,
)
from benchmarks.timing import Target, in_turn, target_table
from recoco import datasets
from recoco.core.errors import RecocoError


@pytest.fixture(autouse=True)
def small(monkeypatch):
    def absent(name):
        raise RecocoError(f"dataset {name} is unreachable: this is a test.")

    monkeypatch.setattr(datasets, "load_dataset", absent, raising=False)
    for module, name, value in (
        (coclus, "SHAPE", (300, 201)),
        (coclus, "NONZEROS", 6000),
        (spherical, "SHAPE", (400, 300)),
        (spherical, "NONZEROS", 9000),
        (spectral, "SEEDS", 2),
        (spectral, "STARTS", 2),
        (nmf, "ITERATIONS", 3),
        (scores, "PARTITIONS", 20),
        (scores, "OBJECTS", 200),
        (consensus, "OBJECTS", 300),
        (consensus, "PARTITIONS", 5),
        (blocks, "NODES", 200),
        (blocks, "INSIDE", 0.2),
        (blocks, "STARTS", 3),
        (blocks, "STEPS", 6),
        (blocks, "find_spec", lambda name: None),
        (limits, "STARTS", 3),
    ):
        monkeypatch.setattr(module, name, value)


def told(section, results) -> str:
    """The table of a section, after its targets have been looked at."""
    for target in section.targets(results):
        assert target.what and target.against
        assert target.value is None or np.isfinite(target.value)
    return section.markdown(results)


def test_targets_are_held_against_their_bounds():
    targets = [
        Target("a", "b", 3.0, 2.0),
        Target("c", "d", 3.0, 2.0, most=True, unit=" s"),
        Target("e", "f", None, 2.0, note="it is not there"),
    ]
    assert [target.met for target in targets] == [True, False, None]
    table = target_table(targets)
    assert "| a | b | ≥ 2 | 3 | yes |" in table
    assert "| c | d | ≤ 2 s | 3 s | **no** |" in table
    assert "| e | f | ≥ 2 | - | not measured | it is not there |" in table


def test_repetitions_are_in_turn():
    order = []
    runs = {name: lambda n=name: order.append(n) or len(order) for name in "ab"}
    seconds, values = in_turn(2, runs)
    assert order == ["a", "b", "a", "b"] and values == {"a": 3, "b": 4}
    assert all(value >= 0 for value in seconds.values())


def test_spectral():
    results = spectral.measure(repetitions=1)
    assert results["dense"]["criterion_difference"] < 1e-9
    text = told(spectral, results)
    assert "| arpack |" in text and "SpecCo on planted" in text
    for target in spectral.targets(results)[1:]:
        ours, theirs = target.note.removeprefix("mean normalised cut ").split(" against ")
        assert target.value is None or float(ours) <= float(theirs) + 0.01


def test_nmf():
    results = nmf.measure(repetitions=1)
    assert results["criterion_difference"] < 1e-5
    assert "| 1 | single |" in told(nmf, results)


def test_scores():
    results = scores.measure(repetitions=1)
    assert results["largest_difference"] < 1e-12
    assert "scikit-learn / ours" in told(scores, results)


def test_consensus():
    results = consensus.measure(repetitions=1)
    assert all(results[name]["labels_equal"] for name in consensus.TITLES)
    assert "| CSPA |" in told(consensus, results)


def test_blocks():
    results = blocks.measure(repetitions=1)
    assert all(found["criterion_difference"] < 1e-9 for found in results["dense"].values())
    assert "sparsebm is not installed" in told(blocks, results)
    assert blocks.targets(results)[-1].met is None


def test_bernoulli_likelihood():
    graph, labels = blocks._graph()
    X, value = graph.toarray(), 0.0
    for i in range(len(X)):
        value += np.log(np.mean(labels == labels[i]))
        for j in range(i):
            block = np.outer(labels == labels[i], labels == labels[j])
            np.fill_diagonal(block, False)
            p = X[block].mean()
            value += np.log(p if X[i, j] else 1 - p)
    assert blocks.bernoulli(graph, labels) == pytest.approx(value)


def test_limits(tmp_path):
    results = limits.measure(repetitions=1)
    assert set(limits.ASKED) < set(results["kernels"])
    for found in results["kernels"].values():
        # one start reads no more than the batch does
        assert found["per_start"] * found["starts"] >= found["per_batch"] * 0.99
    assert "CoClus assignment" in told(limits, results)
    limits.chart(results, tmp_path / "limits.svg")
    assert "<svg" in (tmp_path / "limits.svg").read_text()


def test_growth(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "BASE", {**growth.BASE, "nonzeros": 20_000, "starts": 2})
    monkeypatch.setattr(growth, "GROWING", {"nonzeros": (20_000, 40_000)})
    monkeypatch.setattr(growth, "METHODS", {name: growth.METHODS[name] for name in ("nmf",)})
    monkeypatch.setattr(growth, "thread_counts", lambda: [1])
    results = growth.measure(repetitions=1)
    assert np.isfinite(results["slopes"]["nmf"]["nonzeros"]["time"])
    assert "threads" not in results["slopes"]["nmf"]
    assert "| NMF | nonzeros | 20000 | 40000 |" in told(growth, results)
    growth.chart(results, tmp_path / "growth.svg")
    assert "<svg" in (tmp_path / "growth.svg").read_text()


def test_planted_counts_have_their_blocks():
    A = growth.planted(50_000, 4).tocoo()
    assert A.shape == (1000, 500)
    assert np.mean(A.row % 4 == A.col % 4) > 0.6


def test_first_use(monkeypatch):
    monkeypatch.setattr(firstuse, "_setup", lambda: None)
    results = firstuse.measure(repetitions=1)
    assert results["kernels"]["compiled"] == 0 < results["kernels"]["loaded"]
    assert "recoco --help" in told(firstuse, results)


@pytest.mark.workflow
def test_workflow(tmp_path, monkeypatch):
    tiny = {**workflow.SIZE, "rows": 200, "columns": 150, "clusters": 3, "density": 0.1}
    monkeypatch.setattr(workflow, "SIZE", tiny)
    monkeypatch.setattr(workflow, "METHODS", {"Coclus": "coclus"})
    monkeypatch.setattr(workflow, "RUNS", 3)
    results = workflow.measure(repetitions=1)
    assert results["blocks"] == 1 < results["jobs"]
    assert sum(results["parts"].values()) == pytest.approx(results["seconds"])
    assert "Overhead" in told(workflow, results)
    workflow.chart(results, tmp_path / "workflow.svg")
    assert "<svg" in (tmp_path / "workflow.svg").read_text()


def test_the_summary_comes_first(tmp_path):
    assert bench.main(["--quick", "--only", "scores", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "bench.md").read_text()
    assert text.index("## Targets") < text.index("## Scores of partitions")
    [target] = json.loads((tmp_path / "bench.json").read_text())["targets"]
    assert target["bound"] == 20 and isinstance(target["met"], bool)
    assert "<svg" in (tmp_path / "bench.svg").read_text()
