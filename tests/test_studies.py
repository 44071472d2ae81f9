"""Studies beside the tables: hypervolumes, random views, words of clusters, times, convergence."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from recoco import study_stage
from recoco.compare.studies import compare_convergence, compare_representatives, compare_scaling
from recoco.datasets.boolean import nested_blocks, uniform_views
from recoco.errors import RecocoError
from recoco.metrics.hypervolume import hypervolume, hypervolume_difference, non_dominated
from recoco.metrics.tau import taus
from recoco.store import read_json, write_arrays
from recoco.study_plan import sizes_of

COSTAR = "recoco.methods.costar:CoStar"

# ---- hypervolume -------------------------------------------------------------------------


def test_hypervolume_by_hand():
    assert hypervolume([[0.5, 0.5]]) == pytest.approx(0.25)
    assert hypervolume([[1, 0.25], [0.5, 0.5], [0.25, 1]]) == pytest.approx(0.25 + 0.125 + 0.125)
    assert hypervolume([[1, 1, 0.5], [0.5, 0.5, 1]]) == pytest.approx(0.5 + 0.125)
    assert hypervolume([[0, 1, 1]]) == 0


unit = st.floats(0, 1).map(lambda x: round(x, 1))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(unit, unit, unit), min_size=1, max_size=6))
def test_hypervolume_is_the_share_of_a_grid(points):
    points = np.array(points)
    cells = (np.stack(np.meshgrid(*[np.arange(10)] * 3), axis=-1).reshape(-1, 3) + 0.5) / 10
    below = (cells[:, None, :] < points[None, :, :]).all(axis=2).any(axis=1)
    assert hypervolume(points) == pytest.approx(below.mean(), abs=1e-9)
    front = non_dominated(points)
    assert hypervolume(front) == pytest.approx(hypervolume(points))
    assert not any(
        (other >= point).all() and (other > point).any() for point in front for other in points
    )
    assert (hypervolume_difference(points, front) >= -1e-12).all()


def test_hypervolume_refuses_what_is_no_set_of_points():
    with pytest.raises(RecocoError, match="finite objectives"):
        hypervolume([[np.nan, 1]])


# ---- random views ------------------------------------------------------------------------


def test_uniform_views():
    views = uniform_views(200, 100, 3, 0.05, seed=1)
    assert [view.shape for view in views] == [(200, 100)] * 3
    for view in views:
        assert set(view.data) == {1.0} and (np.diff(view.indptr) > 0).all()
        assert view.nnz / 20000 == pytest.approx(0.05, abs=0.01)


def test_nested_blocks():
    views, labels = nested_blocks(40, 20, [2, 4], 0.0, seed=1)
    assert [view.nnz for view in views] == [40 * 20 // 2, 40 * 20 // 4]
    coarse, fine = labels[0][0], labels[1][0]
    assert (coarse == fine // 2).all()  # every fine block is part of one coarse block
    flipped, _ = nested_blocks(400, 200, [2], 0.1, seed=1)
    plain, _ = nested_blocks(400, 200, [2], 0.0, seed=1)
    assert abs(flipped[0] - plain[0]).sum() / 80000 == pytest.approx(0.1, abs=0.01)
    with pytest.raises(RecocoError, match="no blocks"):
        nested_blocks(4, 4, [2], 0.5, seed=1)


# ---- stages ------------------------------------------------------------------------------


def test_sizes():
    block = {"sizes": {"objects": [10, 20], "features": 5, "views": [2, 3]}}
    found = sizes_of(block)
    assert len(found) == 4 and found[0] == {"objects": 10, "features": 5, "views": 2}


def config_of(block: dict, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return SimpleNamespace(
        papers={"p": {"items": {"i": {"method": "costar", **block}}}},
        methods={"costar": {}},
        settings={},
    )


def test_times_and_their_slopes(tmp_path, monkeypatch):
    block = {"sizes": {"objects": [20, 40], "features": 12, "views": [2, 4]}, "along": "views"}
    config = config_of(block, tmp_path, monkeypatch)
    out = tmp_path / "results" / "scaling" / "p" / "i.seconds.json"
    variants = {"all": {}, "largest": {"features": "largest"}}
    study_stage.write_scaling("p/i", COSTAR, variants, sizes_of(block), 0.2, 1, 7, out)
    found = read_json(out)
    assert len(found) == 2 * 4
    steps = {(r["variant"], r["objects"], r["views"]): r["n_iter"] for r in found}
    assert steps["all", 20, 4] == 10 * 48 and steps["largest", 20, 4] == 10 * 20
    assert compare_scaling(config, "p", "i", [])["scaling"] == []
    for row in found:
        row["seconds"] = 1e-3 * row["views"] ** 2
    out.write_text(json.dumps(found))
    rows = compare_scaling(config, "p", "i", [out.relative_to(tmp_path)])["scaling"]
    assert {row["curve"] for row in rows} == {"20 objects, 12 features", "40 objects, 12 features"}
    assert all(row["slope"] == pytest.approx(2) for row in rows)
    first = next(row for row in rows if row["variant"] == "all" and row["objects"] == 20)
    assert first["slope_n_iter"] == pytest.approx(1)
    assert first["slope_iteration"] == pytest.approx(1)


def test_convergence_ends_at_the_planted_blocks(tmp_path, monkeypatch):
    config = config_of({}, tmp_path, monkeypatch)
    out = tmp_path / "results" / "convergence" / "p" / "i.json"
    sizes = {"objects": 60, "features": 40, "blocks": [2, 4], "flips": [0.02]}
    study_stage.write_convergence(
        *("p/i", COSTAR), **sizes, iterations=1200, points=24, runs=4, master_seed=7, out=out
    )
    made = compare_convergence(config, "p", "i", [out.relative_to(tmp_path)])
    curve = [row["indicator"] for row in made["convergence"]]
    assert len(curve) == 25 and curve[0] == pytest.approx(1, abs=0.05)
    assert curve[-1] < 0.2 and min(curve) >= -1e-12
    (end,) = made["stability"]
    assert end["rest_mean"] < 1200 and end["n_runs"] == 4
    assert len(end["taus"].split()) == 3
    again = tmp_path / "again.json"
    study_stage.write_convergence(
        *("p/i", COSTAR), **sizes, iterations=1200, points=24, runs=4, master_seed=7, out=again
    )
    assert again.read_bytes() == out.read_bytes()


def test_convergence_needs_a_method_that_tells_its_objectives(tmp_path):
    with pytest.raises(RecocoError, match="by iteration"):
        study_stage.write_convergence(
            *("p/i", "recoco.methods.comraf:Comraf"),
            **{"objects": 8, "features": 8, "blocks": [2], "flips": [0.1]},
            **{"iterations": 5, "points": 5, "runs": 1, "master_seed": 1, "out": tmp_path / "x"},
        )


def test_words_of_the_run_with_the_highest_tau(tmp_path, monkeypatch):
    X = sparse.csr_matrix(np.kron(np.eye(2), np.ones((3, 3))) * [5, 2, 1, 4, 3, 1])
    X = sparse.hstack([X, sparse.csr_matrix((6, 1))], format="csr")  # a term of no document
    terms = ["five", "two", "one", "four", "three", "uno", "nowhere"]
    dataset = SimpleNamespace(views=[X], terms=[terms])
    monkeypatch.setattr(study_stage, "load_prepared", lambda path: dataset)
    good, poor = np.repeat([0, 1], 3), np.array([0, 1, 0, 1, 0, 1])
    columns = np.array([[0, 0, 0, 1, 1, 1, 2]] * 3)
    rows = np.array([poor, good, good])
    tau = [float(taus([X], r, [c])[0]) for r, c in zip(rows, columns, strict=True)]
    block = tmp_path / "0-3.npz"
    arrays = {"run": np.arange(3), "row_labels": rows, "column_labels": columns}
    record = np.array(json.dumps({"error": ""}))
    write_arrays(block, {**arrays, "criterion": np.array(tau), "record": record})
    config = config_of(
        {"datasets": {"D": "d"}, "weightings": {"na": "count"}, "top": 2}, tmp_path, monkeypatch
    )
    out = tmp_path / "results/representatives/d/count/costar.json"
    study_stage.write_representatives(tmp_path, [block], 3, COSTAR, "count", 5, out)
    found = compare_representatives(config, "p", "i", [out.relative_to(tmp_path)])
    first, second = found["representatives"]
    assert (first["run"], first["row_clusters"], first["empty_clusters"]) == (1, 2, 1)
    # Counts per cluster: 24 and 24, so the order is that of the clusters; two words are shown.
    assert {first["words"], second["words"]} == {"five two", "four three"}
    study_stage.write_representatives(tmp_path, [block], 1, COSTAR, "count", 5, out)
    assert read_json(out)["run"] == 0  # runs beyond the total are not looked at
