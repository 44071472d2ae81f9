"""The benchmark of large matrices, on small ones."""

import json

import numpy as np
import pytest

import benchmarks as bench
from benchmarks import scale
from recoco.core.errors import RecocoError
from recoco.datasets.disk_matrix import BigCsr


def test_planted_counts(tmp_path):
    scale.write_planted(tmp_path, 3000, 400, seed=4)
    X = BigCsr(tmp_path / "planted.csr")
    assert X.shape == (3000, 400)
    assert abs(X.nnz / 3000 - scale.PER_ROW) < 2
    A = X.mapped()
    with np.load(tmp_path / "labels.npz") as planted:
        inside = planted["rows"][:, None] == planted["columns"][None]
    share = A.multiply(inside).sum() / A.sum()
    expected = 1 - scale.NOISE + scale.NOISE / scale.CLUSTERS
    assert abs(share - expected) < 0.01
    with pytest.raises(RecocoError, match="too few"):
        scale.write_planted(tmp_path / "b", 10, 100)


def test_scale_is_measured_and_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(scale, "ROWS", (4000, 8000))
    assert bench.main(["--scale", "--quick", "--out", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"scale.json", "scale.md", "scale.svg"}
    found = json.loads((tmp_path / "scale.json").read_text())["scale"]
    assert [size["shape"] for size in found["sizes"]] == [[4000, 400], [8000, 800]]
    for method in ("coclus", "skmeans"):
        assert found["whole"][method]["rows_nmi"] > 0.9
        assert np.isfinite(found["slopes"][method])
        assert all(0 < size[method]["peak_gib"] < 3 for size in found["sizes"])
    assert "slope of log time" in capsys.readouterr().out


def test_a_process_that_needs_more_than_the_limit_is_refused():
    code = "scale._limit(); np.ones(scale.LIMIT // 8)"
    with pytest.raises(RecocoError, match="MemoryError"):
        scale._child(f"np; import numpy as np; {code}; print")
