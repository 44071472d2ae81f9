"""Twins in a comparison: found by the names of files, and turned into unreachable data."""

import re
from pathlib import Path

from recoco.compare.comparison import Findings
from recoco.compare.twins import dataset_of, judged_record, numbers_on_twins, twins_of, without
from recoco.config import load_config
from recoco.config.papers import all_papers
from recoco.plan import Plan

FOLDERS = r"(?:resources/prepared|results/(?:scores|consensus|runs))"
DATASET = re.compile(FOLDERS + r"/([^/]+?)(?=/|\.\w+$)")
TWIN = {
    **{"dataset": "gone", "title": "Gone", "by_hand": "ask", "tried": ["here"], "printed": {}},
    **{"status": "twin", "rows": 90, "classes": 3, "document_sizes": {}},
}


def test_the_dataset_of_every_planned_analysis_is_known_from_its_path():
    plan = Plan(load_config({"papers": list(all_papers())}), Path("/nonexistent"))
    about_data = 0
    for path, analysis in plan.analyses.items():
        inputs = [str(file) for files in analysis.inputs.values() for file in files]
        datasets = {found[1] for file in inputs if (found := DATASET.search(file))}
        about_data += bool(datasets)
        assert datasets <= {dataset_of(Path(path))}, path
    assert about_data > 50


def test_the_record_of_a_twin_tells_no_more_than_that_of_unreachable_data():
    records = {"gone": TWIN, "here": {"status": "ok", "rows": 5}, "far": {"status": "unreachable"}}
    assert twins_of(records) == {"gone"}
    assert judged_record(TWIN) == {
        **{"dataset": "gone", "title": "Gone", "by_hand": "ask", "tried": ["here"]},
        **{"printed": {}, "status": "unreachable"},
    }
    assert all(judged_record(records[name]) is records[name] for name in ("here", "far"))


def test_files_that_depend_on_a_twin_are_left_out():
    kept = without(
        Findings(
            [Path("results/scores/gone.parquet"), Path("results/scores/here.parquet")],
            [Path("resources/prepared/gone.json")],
            [
                Path("results/analyse/p/words/gone/tfidf-l2/nmtf.npz"),
                Path("results/analyse/p/coherence/gone.npz"),
                Path("results/analyse/p/words/gone-too/tfidf-l2/nmtf.npz"),
                Path("results/analyse/p/scaling/figure18a.json"),
            ],
        ),
        {"gone"},
    )
    assert kept.scores == [Path("results/scores/here.parquet")]
    assert [dataset_of(path) for path in kept.analyses] == ["gone-too", "figure18a"]
    assert kept.records == [Path("resources/prepared/gone.json")]


def test_numbers_are_kept_only_for_unreachable_cells_of_a_twin():
    same = {"measured_sd": 0.1, "n_runs": 5}
    drawn = [
        {"cell": "a", "card": "gone", "verdict": "reproduced", "measured": 0.5, **same},
        {"cell": "b", "card": "here", "verdict": "lower", "measured": 0.4, **same},
        {"cell": "c", "card": "gone", "verdict": "failed", "measured": None, **same},
        {"cell": "d", "card": "gone", "verdict": "explained", "measured": 0.3, **same},
    ]
    verdicts = {"a": "unreachable", "b": "unreachable", "c": "unreachable", "d": "variant"}
    cells = [{"cell": cell, "verdict": verdict} for cell, verdict in verdicts.items()]
    assert numbers_on_twins(cells, drawn, {"gone"}) == [
        {"cell": "a", "twin": 0.5, "twin_sd": 0.1, "n_runs": 5}
    ]
