"""Parts of archive and verify that need no workflow: tables compared, trials drawn, logs."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from recoco.archive.contents import Contents, may_be_archived, steady_log, without_host
from recoco.archive.crate import _Graph, _papers
from recoco.archive.differences import of_csv
from recoco.archive.rerun import Trial, sample
from recoco.core.errors import RecocoError
from recoco.plan import Setting

TRIALS = [Trial(Setting("d", "w", "m"), run, Path("b.npz")) for run in range(250)]


def test_each_changed_cell_is_named():
    before = "cell,measured,verdict\na:b,0.1,worse\nc:d,0.2,better\n"
    now = before.replace("0.1", "0.3").replace("higher", "")
    assert of_csv(before, now) == [
        "a:b, measured: 0.1 archived, 0.3 now",
        "c:d, verdict: better archived, nothing now",
    ]


def test_rows_without_a_name_are_counted():
    assert of_csv("x,y\n1,2\n1,3\n", "x,y\n1,2\n1,4\n") == ["row 2 (1), y: 3 archived, 4 now"]
    assert of_csv("x\n1\n", "x\n1\n2\n") == ["1 rows in the archive, 2 now"]
    assert of_csv("x\n1\n", "y\n1\n") == ["other columns"]


def test_sample_by_seed():
    drawn = sample(TRIALS, "1%", 0)
    assert len(drawn) == 3  # a share is rounded up: never nothing
    assert drawn == sample(TRIALS, "1%", 0) != sample(TRIALS, "1%", 1)
    assert len(set(drawn)) == 3 and drawn == sorted(drawn, key=lambda trial: trial.run)
    assert sample(TRIALS, "100%", 0) == TRIALS
    assert len(sample(TRIALS, "7", 0)) == 7
    assert len(sample(TRIALS[:5], "0.1%", 0)) == 1


@pytest.mark.parametrize("share", ["0%", "101%", "-1", "0", "some", "1.5", "%", ""])
def test_a_share_that_is_none(share):
    with pytest.raises(RecocoError, match="--rerun"):
        sample(TRIALS, share, 0)


def test_log_without_clock_and_host(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "node-17")
    monkeypatch.setenv("HOME", "/home/someone")
    root = Path("/data/work/project")
    text = (
        "/opt/venv/lib/python3.11/site-packages/scipy/x.py:1: Warning\n"
        "/data/work/project/results/a\n/home/someone/notes on node-17\nfinished in 12.345 s\n"
    )
    assert steady_log(text, root).decode() == (
        "site-packages/scipy/x.py:1: Warning\n./results/a\n~/notes on host\nfinished\n"
    )
    assert without_host("node-170", root) == "node-170"


def test_only_drawn_or_free_data_is_given():
    assert may_be_archived("planted-small") and may_be_archived("mfeat")
    assert not may_be_archived("cstr") and not may_be_archived("bbc4")


def test_a_benchmark_of_our_own_is_not_cited():
    cited = {"title": "T", "authors": "A", "venue": "V", "year": 2020}
    config = SimpleNamespace(papers={"own": {"title": "All methods"}, "p": cited})
    graph = _Graph(Contents())
    assert _papers(graph, config) == ["#paper-p"]
    assert graph.entities["#paper-p"]["creditText"] == "A. V"


def test_drawings_differ_by_what_is_drawn(tmp_path):
    """Matplotlib's names of parts are hashes of coordinates, down to the last bit."""
    from recoco.archive.differences import differences

    drawing = '<path id="p0123456789" d="M 1 2"/><use clip-path="url(#p0123456789)"/>'
    (tmp_path / "a.svg").write_text(drawing)
    (tmp_path / "b.svg").write_text(drawing.replace("p0123456789", "pabcdef0123"))
    (tmp_path / "c.svg").write_text(drawing.replace("M 1 2", "M 1 3"))
    assert differences(tmp_path / "a.svg", tmp_path / "b.svg", "a") == []
    assert differences(tmp_path / "a.svg", tmp_path / "c.svg", "a") == ["a: other bytes"]
