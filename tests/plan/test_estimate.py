"""How long a pass takes: one cost model, and the pace of the run that is going on."""

import pytest

from recoco.config import load_config
from recoco.core.files import write_json
from recoco.plan import block_path, seconds_path
from recoco.plan.estimate import Estimate
from recoco.plan.needs import load_needs


@pytest.fixture
def config():
    return load_config({"papers": ["coclus"], "runs": {"first_only": True}})


def finish(root, setting, runs, seconds):
    """Write what a finished block leaves: labels (empty here) and seconds."""
    path = block_path(setting, 0, runs, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    write_json(seconds_path(path), {"identity": setting.name, "runs": runs, "seconds": seconds})


def finish_all(estimate, root, slower: float):
    """Finish half of the blocks, each after a multiple of the seconds that the model says."""
    for path in list(estimate._blocks)[::2]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
        seconds = slower * estimate._blocks[path]
        write_json(seconds_path(path), {"identity": "", "runs": 5, "seconds": seconds})


@pytest.mark.parametrize("slower", [0.5, 1.0, 4.0])
def test_the_pace_of_the_present_run_counts(config, tmp_path, slower):
    estimate = Estimate(config, tmp_path, 2)
    finish_all(estimate, tmp_path, slower)
    left = estimate.seconds_left()
    assert estimate.pace == pytest.approx(slower, rel=0.3)
    again = Estimate(config, tmp_path, 2)  # knows nothing about this run
    assert left / again.seconds_left() == pytest.approx(estimate.pace, rel=0.05)


@pytest.mark.parametrize(
    "content", ["{", "[1]", '{"runs": 5, "seconds": "x"}', '{"runs": 5, "seconds": NaN}']
)
def test_times_that_a_method_has_spoilt_do_not_count(config, tmp_path, monkeypatch, content):
    estimate = Estimate(config, tmp_path, 2)
    finish_all(estimate, tmp_path, 1.0)
    for path in (tmp_path / "results").rglob("*.seconds.json"):
        path.write_text(content)
    assert estimate.seconds_left() > 0 and estimate.pace == 1.0
    monkeypatch.setattr("recoco.plan.needs.Needs.measured", lambda *_: False)
    assert Estimate(load_config({"papers": ["coclus"]}), tmp_path, 2).seconds_left() > 0


def test_the_next_pass_begins_with_the_pace_of_the_one_before(config, tmp_path):
    plain, slow = Estimate(config, tmp_path, 2), Estimate(config, tmp_path, 2, pace=3.0)
    assert slow.seconds_left() == pytest.approx(3 * plain.seconds_left())


def test_slow_jobs_of_the_past_do_not_count_where_the_model_was_measured(tmp_path):
    """They may have run beside other work."""
    quick = load_config({"papers": ["coclus"], "runs": {"first_only": True}})
    known = load_needs().measured
    settings = [
        (setting, runs)
        for setting, runs in Estimate(quick, tmp_path, 2).runs.items()
        if known("run", setting.slug, setting.dataset)
    ]
    assert len(settings) > 10
    every = load_config({"papers": ["coclus"]})
    before = Estimate(every, tmp_path, 2).seconds_left()
    for setting, runs in settings:
        finish(tmp_path, setting, runs, 1000.0)
    assert Estimate(every, tmp_path, 2).seconds_left() < before


def test_what_was_never_measured_goes_by_the_past_of_the_folder(config, tmp_path, monkeypatch):
    every = load_config({"papers": ["coclus"]})
    setting, runs = next(iter(Estimate(config, tmp_path, 2).runs.items()))
    finish(tmp_path, setting, runs, 30.0 * runs)
    monkeypatch.setattr("recoco.plan.needs.Needs.measured", lambda *_: False)
    estimate = Estimate(every, tmp_path, 2)
    computing = [s for p, s in estimate._blocks.items() if p.parent == setting.folder(tmp_path)]
    assert sum(computing) == pytest.approx(30.0 * estimate.runs[setting])
