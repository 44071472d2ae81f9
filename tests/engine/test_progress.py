"""What is said while Snakemake works: what is being computed, how much of it, how long still."""

from types import SimpleNamespace

import pytest

from recoco.config import load_config
from recoco.engine.progress import Progress

PLANNED = """Job stats:
job        count
-------  -------
all            1
run           83
score          3
total         87
"""
BEGUN = """[Wed Nov 18 19:51:57 2026]
localrule run:
    input: resources/prepared/classic4.npz
    output: results/runs/classic4/tfidf-l2/coclus@n_init=20/0-5.npz
    jobid: 14
    wildcards: dataset=classic4, weighting=tfidf-l2, slug=coclus@n_init=20, start=0, stop=5
    resources: tmpdir=/tmp
"""
FINISHED = """Finished jobid: 14 (Rule: run)
1 of 87 steps (1%) done
"""


@pytest.fixture
def progress():
    return Progress("first pass", None, load_config({"papers": ["coclus"]}))


def read(progress, text: str) -> list[str]:
    return [progress.read(line) for line in text.splitlines(keepends=True)]


def test_the_line_names_method_dataset_and_groups_of_runs(progress):
    read(progress, PLANNED + BEGUN)
    assert progress.line().startswith("CoClus on Classic4, 0 of 83 groups of runs, ")
    assert read(progress, FINISHED) == ["run", ""]
    assert progress.line().startswith("1 of 83 groups of runs, about ")
    assert progress.line().endswith(" left") and "steps" not in progress.line()


@pytest.mark.parametrize(
    ("rule", "wildcards", "said"),
    [
        ("fetch", "dataset=cstr", "fetching CSTR"),
        ("prepare", "dataset=cstr", "preparing CSTR"),
        ("score", "dataset=cstr", "scoring CSTR"),
        ("consensus", "dataset=cstr", "consensus of CSTR"),
        ("compare", "paper=coclus", "comparing with coclus"),
        ("analyse", "paper=wcnmtf, step=words, part=ng20.json", "words of wcnmtf"),
        ("run", "dataset=mine, weighting=count, slug=yours, start=0, stop=2", "yours on mine"),
    ],
)
def test_every_kind_of_job_has_words(progress, rule, wildcards, said):
    read(progress, f"rule {rule}:\n    jobid: 1\n    wildcards: {wildcards}\n")
    assert progress.line().startswith(f"{said}, ")


def test_jobs_without_names_have_words_too(progress):
    assert progress.line().startswith("planning, ")
    for rule, said in (("kernels", "compiling kernels"), ("report", "writing the report")):
        read(progress, f"localrule {rule}:\n    output: x\n    jobid: 7\n")
        assert progress.line().startswith(said)


def test_data_are_counted_by_datasets_and_runs_that_are_done_not_at_all(progress):
    read(progress, "fetch   2\nprepare   2\nFinished jobid: 1 (Rule: prepare)\n")
    assert ", 1 of 2 datasets, " in progress.line()
    read(progress, "Finished jobid: 2 (Rule: prepare)\n")
    assert "datasets" not in progress.line()


def test_of_several_jobs_the_last_that_began_is_named(progress):
    read(progress, BEGUN + "rule kernels:\n    jobid: 2\n")
    assert progress.line().startswith("compiling kernels, ")
    read(progress, "Finished jobid: 2 (Rule: kernels)\n")
    assert progress.line().startswith("CoClus on Classic4, ")


def test_the_end_says_what_was_done(progress, capsys):
    with progress:
        read(progress, PLANNED + BEGUN + FINISHED)
    assert "  1 group of runs, " in capsys.readouterr().out
    with progress:
        pass
    with pytest.raises(KeyboardInterrupt), progress:
        raise KeyboardInterrupt
    assert "stopped after 1 of 87 steps" in capsys.readouterr().out


def test_a_terminal_is_not_updated_with_every_line(progress, monkeypatch):
    """Each update asks the file system about all files that are missing."""
    clock, updates = [100.0], []
    monkeypatch.setattr("recoco.engine.progress.time.monotonic", lambda: clock[0])
    progress._live, progress._bar, progress._task = True, SimpleNamespace(), 0
    progress._bar.update = lambda *_, **about: updates.append(about["description"])
    progress._shown = clock[0]
    for _ in range(1000):
        clock[0] += 0.001
        progress.tick()
    assert 3 <= len(updates) <= 5
