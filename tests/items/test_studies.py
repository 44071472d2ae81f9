"""Studies beside the tables: hypervolumes, random views, words of clusters, times, convergence."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from recoco.compare.claims.costar import grows_linearly
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_arrays
from recoco.datasets.boolean import nested_blocks, uniform_views
from recoco.datasets.dataset import Dataset, write_prepared
from recoco.items import check_items
from recoco.items.convergence import compare_convergence, write_convergence
from recoco.items.kind import analysis_path, readings_path, run_analysis
from recoco.items.representatives import compare_representatives, write_representatives
from recoco.items.scaling import compare_scaling, sizes_of
from recoco.metrics.hypervolume import hypervolume, hypervolume_difference, non_dominated
from recoco.metrics.tau import taus

COSTAR = "recoco.methods.costar:CoStar"
KILLED = "support.broken_methods:Killing"

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


# ---- analyses ----------------------------------------------------------------------------


def test_sizes():
    item = {"sizes": {"objects": [10, 20], "features": 5, "views": [2, 3]}}
    found = sizes_of(item)
    assert len(found) == 4 and found[0] == {"objects": 10, "features": 5, "views": 2}


@pytest.fixture
def comparison(tmp_path, monkeypatch):
    """A comparison of the paper p that reads analyses from an empty project folder."""
    monkeypatch.chdir(tmp_path)
    config = SimpleNamespace(papers={}, methods={"costar": {"params": {}}}, settings={})
    return SimpleNamespace(key="p", config=config, analyses=set())


def item_of(**keys) -> dict:
    items = {"i": {"title": "I", "method": "costar", **keys}}
    check_items(items, "p.yaml")
    return items["i"]


def test_times_and_their_slopes(comparison):
    sizes = {"objects": [20, 40], "features": 12, "views": [2, 4]}
    item = item_of(kind="scaling", sizes=sizes, along="views", density=0.2)
    path = analysis_path("p", "scaling", "i.json")
    task = {
        "identity": "p/i",
        "import_path": COSTAR,
        "variants": {"all": {}, "largest": {"features": "largest"}},
        "sizes": sizes_of(item),
        "density": 0.2,
        "runs": 1,
        "master_seed": 7,
        "time_limit": 60,
        "memory_limit": None,
    }
    function = "recoco.items.scaling:write_scaling"
    run_analysis(function, {}, task, path, readings_path(path))
    found = read_json(path)
    assert len(found) == len(read_json(readings_path(path))) == 2 * 4
    steps = {(r["variant"], r["objects"], r["views"]): r["n_iter"] for r in found}
    assert steps["all", 20, 4] == 10 * 48 and steps["largest", 20, 4] == 10 * 20
    assert compare_scaling(comparison, "i", item) == []
    readings_path(path).write_text(json.dumps([1e-3 * row["views"] ** 2 for row in found]))
    comparison.analyses = {path}
    rows = compare_scaling(comparison, "i", item)
    assert {row["curve"] for row in rows} == {"20 objects, 12 features", "40 objects, 12 features"}
    assert all(row["slope"] == pytest.approx(2) for row in rows)
    first = next(row for row in rows if row["variant"] == "all" and row["objects"] == 20)
    assert first["slope_n_iter"] == pytest.approx(1)
    assert first["slope_iteration"] == pytest.approx(1)
    # One that fails is told, and stops nothing.
    run_analysis(function, {}, {**task, "import_path": KILLED}, path, readings_path(path))
    (failed,) = compare_scaling(comparison, "i", item)
    assert failed["curve"] == "failed: its process was killed (SIGKILL)"
    claim = grows_linearly(SimpleNamespace(frames={"scaling": [failed]}), None, None)
    assert claim == ("open", "the times were not measured in this pass")


def convergence_task(import_path: str = COSTAR, **changed) -> dict:
    return {
        "identity": "p/i",
        "import_path": import_path,
        "sizes": {"objects": 60, "features": 40, "views": 2},
        "blocks": [2, 4],
        "flips": [0.02],
        "iterations": 1200,
        "points": 24,
        "runs": 4,
        "master_seed": 7,
        **changed,
    }


def test_convergence_ends_at_the_planted_blocks(comparison, tmp_path):
    path = analysis_path("p", "convergence", "i.json")
    write_convergence({}, convergence_task(), path)
    comparison.analyses = {path}
    made = compare_convergence(comparison, "i", {"method": "costar"})
    curve = [row["indicator"] for row in made["convergence"]]
    assert len(curve) == 25 and curve[0] == pytest.approx(1, abs=0.05)
    assert curve[-1] < 0.2 and min(curve) >= -1e-12
    (end,) = made["stability"]
    assert end["rest_mean"] < 1200 and end["n_runs"] == 4
    assert len(end["taus"].split()) == 3
    again = tmp_path / "again.json"
    write_convergence({}, convergence_task(), again)
    assert again.read_bytes() == path.read_bytes()


def test_convergence_needs_a_method_that_records_its_objectives(tmp_path):
    task = convergence_task("recoco.methods.comraf:Comraf", iterations=5, points=5, runs=1)
    with pytest.raises(RecocoError, match="by iteration"):
        write_convergence({}, task, tmp_path / "x")


def test_convergence_has_one_size_and_blocks_for_every_view():
    sizes = {"objects": 8, "features": 8, "views": 2}
    keys = {"kind": "convergence", "flips": [0.1], "iterations": 5}
    assert item_of(**keys, sizes=sizes, blocks=[2, 2])["points"] == 100
    with pytest.raises(RecocoError, match="blocks"):
        item_of(**keys, sizes=sizes, blocks=[2])


def test_words_of_the_run_with_the_highest_tau(comparison, tmp_path):
    X = sparse.csr_matrix(np.kron(np.eye(2), np.ones((3, 3))) * [5, 2, 1, 4, 3, 1])
    X = sparse.hstack([X, sparse.csr_matrix((6, 1))], format="csr")  # a term of no document
    terms = ["five", "two", "one", "four", "three", "uno", "nowhere"]
    labels = np.repeat([0, 1], 3).astype(np.int32)
    prepared = tmp_path / "d.npz"
    write_prepared(prepared, Dataset("d", [X], labels, list("ab"), [terms], np.arange(6)))
    good, poor = np.repeat([0, 1], 3), np.array([0, 1, 0, 1, 0, 1])
    columns = np.array([[0, 0, 0, 1, 1, 1, 2]] * 3)
    rows = np.array([poor, good, good])
    tau = [float(taus([X], r, [c])[0]) for r, c in zip(rows, columns, strict=True)]
    block = tmp_path / "0-3.npz"
    arrays = {"run": np.arange(3), "row_labels": rows, "column_labels": columns}
    record = np.array(json.dumps({"status": "ok", "error": "", "seeds": list("abc")}))
    write_arrays(block, {**arrays, "criterion": np.array(tau), "record": record})
    item = item_of(kind="representatives", datasets={"D": "d"}, weightings={"na": "count"}, top=2)
    path = analysis_path("p", "representatives", "d/count/costar.json")
    inputs = {"data": [prepared], "blocks": [block]}
    task = {"import_path": COSTAR, "runs": 3, "weighting": "count", "top": 5}
    write_representatives(inputs, task, path)
    comparison.analyses = {path}
    first, second = compare_representatives(comparison, "i", item)
    assert (first["run"], first["row_clusters"], first["empty_clusters"]) == (1, 2, 1)
    # Counts per cluster: 24 and 24, so the order is that of the clusters; two words are shown.
    assert {first["words"], second["words"]} == {"five two", "four three"}
    write_representatives(inputs, {**task, "runs": 1}, path)
    assert read_json(path)["run"] == 0  # runs beyond the total are not looked at
