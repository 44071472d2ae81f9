"""What jobs ask of a cluster: measured where it was measured, by size where not."""

import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter

import pandas as pd
import pytest

from recoco.cli.show_needs import jobs_of
from recoco.config import load_config
from recoco.engine.measure import aggregate, measure, measure_snakemake, write_needs
from recoco.items import kind_of
from recoco.plan import needs as module
from recoco.plan import planned_blocks, settings_of, starts_of
from recoco.plan.estimate import Estimate
from recoco.plan.needs import Needs, Row, load_needs, read_rows
from support.projects import CHECKOUT, environment_of, make_project, recoco, write_yaml

SMALL, LARGE = "small", "large"
ROWS = [
    Row("run", "coclus", SMALL, 2, 10, 14.0, 200, 100, 50),
    Row("run", "wcnmtf", SMALL, 1, 10, 102.0, 600, 50, 80),
    Row("run", "null", SMALL, 1, 10, 2.0, 150, 50, 50),
    Row("run", "null", LARGE, 1, 10, 2.0, 350, 50, 50),
    Row("snakemake", "", "", 1, 1, 5.0, 160, 0, 0),
]


@pytest.fixture
def sized(monkeypatch):
    sizes = {SMALL: 1e6, LARGE: 3e6, "huge": 10e6}
    monkeypatch.setattr(module, "size_of", lambda dataset: sizes.get(dataset, 1e6))
    return Needs(ROWS)


def test_a_measured_job_needs_what_was_measured(sized):
    need = sized.of("run", SMALL, "coclus", 10)
    assert need.seconds == pytest.approx(2 + 10.0)  # a job's own two seconds, one per start
    assert (need.mib, need.kb_in, need.kb_out) == (200, 50, 50)
    assert sized.of("run", SMALL, "coclus", 20).seconds == pytest.approx(22)


def test_others_are_scaled_by_size(sized):
    need = sized.of("run", LARGE, "coclus", 10)
    assert need.seconds == pytest.approx(3 * (2 + 10.0))
    # 200 MiB at a million non-zeros; 100 more a million, as the one method that tells.
    assert need.mib == pytest.approx(200 + 2 * 100) and need.kb_in == 150
    # A method that nobody measured is taken for the dearest that was.
    assert sized.of("run", LARGE, "mine", 10).mib == pytest.approx(600 + 2 * 100)
    # A larger one of two is nearer to what is larger still.
    assert sized.of("run", "huge", "null", 10).mib == pytest.approx(350 + 7 * 100)
    assert sized.of("unheard-of").mib > 1000


def test_the_nearest_size_counts(monkeypatch):
    sizes = {"tiny": 1e3, SMALL: 1e6, LARGE: 3e6}
    monkeypatch.setattr(module, "size_of", lambda dataset: sizes.get(dataset, 1e6))
    tiny = Row("run", "coclus", "tiny", 1, 10, 3.0, 180, 1, 1)
    with_tiny = Needs([*ROWS, tiny]).of("run", LARGE, "coclus", 10)
    assert with_tiny.seconds == Needs(ROWS).of("run", LARGE, "coclus", 10).seconds
    # Its own growth from tiny to small, not a thousandfold of a trifle.
    assert with_tiny.mib == pytest.approx(200 + 2 * 20, rel=0.01)


def test_a_setting_far_from_its_method_has_a_row_of_its_own():
    fast = [Row("run", f"coclus,tol={i}", SMALL, 1, 100, 50.0, 200, 1, 1) for i in range(4)]
    slow = Row("run", "coclus,k=300", SMALL, 1, 2, 80.0, 900, 1, 1)
    rows = {row.key: row for row in aggregate([*fast, slow])}
    assert set(rows) == {("run", "coclus", SMALL), ("run", "coclus,k=300", SMALL)}
    needs = Needs(list(rows.values()))
    assert needs.of("run", SMALL, "coclus,k=300", 4).seconds > 80
    assert needs.of("run", SMALL, "coclus,k=300").mib == 900
    assert needs.of("run", SMALL, "coclus,tol=9", 100).seconds < 100


PAPERS = ("coclus", "wcnmtf", "ebco", "costar", "tsplbm")


def unpack_reference(paper, folder):
    """Unpack the seconds of the reference run and which datasets were unreachable."""
    with zipfile.ZipFile(CHECKOUT / "reports" / "reference" / paper / "findings.zip") as findings:
        findings.extractall(folder)


@pytest.mark.parametrize("paper", [*PAPERS, "benchmark"])
def test_the_computing_of_a_pass_is_close_to_what_the_reference_took(paper, tmp_path):
    """The table sums up many settings and blocks, so each pass shows what that loses."""
    unpack_reference(paper, tmp_path)
    timings = pd.read_csv(tmp_path / "results" / "timings.csv")
    blocks = timings[timings["stage"] == "runs"]
    settings = blocks["name"].str.rpartition("/")[0]
    for first_only in (True, False):
        runs = {"first_only": first_only, "first": 20 if paper == "benchmark" else 5}
        config = load_config({"papers": [paper], "runs": runs})
        estimate = Estimate(config, tmp_path, 1)
        planned = settings.isin([setting.name for setting in estimate.runs])
        took = blocks[planned & (blocks["name"].str.contains("/0-") | (not first_only))]
        assert len(took) and 1 / 1.5 < estimate.computing / took["computing"].sum() < 1.5


@pytest.mark.parametrize(("first_only", "minutes"), [(True, 21), (False, 92)])
def test_the_time_of_a_pass_is_close_to_what_the_reference_took(first_only, minutes, tmp_path):
    """Minutes by the clock on two cores, from docs/speed.md, without data and kernels."""
    for paper in PAPERS:
        unpack_reference(paper, tmp_path)
    config = load_config({"papers": list(PAPERS), "runs": {"first_only": first_only}})
    estimated = Estimate(config, tmp_path, 2).seconds_left() / 60
    assert 1 / 1.5 < estimated / minutes < 1.5


def test_more_is_asked_than_was_measured(sized):
    need = sized.of("run", SMALL, "wcnmtf", 10)
    assert sized.megabytes(need) >= (need.mib + 2 * 160) * 1.048
    assert sized.minutes(need) * 60 >= 2 * need.seconds
    assert sized.minutes(need, limit=60) < sized.minutes(need)


def test_blocks_of_an_empty_folder_cover_all_runs():
    config = load_config({"papers": ["coclus"]})
    settings = {s: n for s, n in settings_of(config).items() if s.dataset == "cstr"}
    counted = sum(
        starts for rule, name, _, starts in jobs_of(config) if (rule, name) == ("run", "cstr")
    )
    if counted:  # the dataset may be unreachable here
        assert counted == sum(n * starts_of(s) for s, n in settings.items())
    for setting, total in settings.items():
        assert planned_blocks(config, setting, total)[-1][1] == total


@pytest.mark.workflow
def test_the_jobs_are_those_of_snakemake(tmp_path, monkeypatch):
    """All rules of all papers, in a folder in which nothing was computed yet."""
    project = make_project(tmp_path / "project")
    shutil.rmtree(project / "config")
    shutil.copytree(CHECKOUT / "config", project / "config")
    monkeypatch.setenv("RECOCO_ROOT", str(project))
    asked = {
        "papers": sorted(path.name for path in (project / "config" / "papers").iterdir()),
        "runs": {"most": 2},  # every rule is there, and the fewest jobs
    }
    write_yaml(project / "config" / "config.yaml", asked)
    config = load_config()
    items = [item for paper in config.papers.values() for item in paper["items"].values()]
    steps = {step for item in items for step in kind_of(item).steps}
    jobs = [rule for rule, *_ in jobs_of(config)]
    assert steps <= set(jobs)  # one rule serves all steps of the stage analyse
    counted = Counter("analyse" if rule in steps else rule for rule in jobs)
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "rules", "--nocolor"]
    planned = subprocess.run(
        [*command, "--cores", "1", "--", "all"],
        cwd=project,
        env=environment_of(project),
        capture_output=True,
        text=True,
    )
    assert planned.returncode == 0, planned.stderr
    told = dict(re.findall(r"^(\w+) +(\d+)$", planned.stdout, re.MULTILINE))
    assert int(told.pop("total")) == sum(map(int, told.values()))
    # `all` computes nothing, and the kernels are compiled before.
    assert int(told.pop("all")) == counted.pop("kernels") == 1
    assert counted == {rule: int(count) for rule, count in told.items()}


def test_the_table_of_the_project():
    rows = read_rows(CHECKOUT / "config" / "needs.csv")
    keys = [row.key for row in rows]
    assert keys == sorted(set(keys))
    assert {"snakemake", "run", "prepare", "score"} <= {row.rule for row in rows}
    methods = {row.method for row in rows if row.rule == "run"}
    asked = {s.method for s in settings_of(load_config({"papers": ["coclus", "wcnmtf"]}))}
    assert asked <= methods, "some method of the papers was never measured"
    snakemake = load_needs().snakemake()
    assert 50 < snakemake.mib < 1000 and 0 < snakemake.seconds < 600


@pytest.mark.workflow
def test_measured_from_the_logs_of_a_project(finished, tmp_path):
    rows = {row.key: row for row in measure(finished)}
    run = rows["run", "coclus", "planted-small"]
    # 6 single starts and 6 best of 3, in blocks of 2 and 4.
    assert (run.jobs, run.starts) == (4, 6 + 18)
    assert run.mib > 50 and run.seconds > 0 and run.kb_in > 0
    own = measure_snakemake(finished)
    assert own.mib > 50
    write_needs([*rows.values(), own], tmp_path / "needs.csv")
    write_needs([ROWS[0]], tmp_path / "needs.csv")
    assert set(read_rows(tmp_path / "needs.csv")) == {*rows.values(), own, ROWS[0]}


@pytest.mark.workflow
def test_other_needs_are_no_reason_to_compute_again(finished, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(finished, copy, symlinks=True)
    write_needs(
        [Row("run", "coclus", "planted-small", 1, 1, 5000.0, 9000, 1, 1)],
        copy / "config" / "needs.csv",
    )
    said = recoco(copy, "reproduce", "--cores", "2").stdout
    assert said.count("nothing to do") == 2
    assert "5000" not in said
