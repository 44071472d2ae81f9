"""The workflow end to end: what is computed again, what is not, and what survives."""

import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from support.projects import content, environment_of, recoco, write_yaml

pytestmark = pytest.mark.workflow


def blocks(project: Path) -> dict[str, tuple[int, str]]:
    """Return every block of runs with its modification time and content hash."""
    found = {}
    for path in sorted((project / "results" / "runs").rglob("*.npz")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        found[str(path.relative_to(project / "results" / "runs"))] = (
            path.stat().st_mtime_ns,
            digest,
        )
    return found


def changed(before: dict, after: dict) -> set[str]:
    """Return the blocks of ``after`` that were written since ``before``."""
    return {name for name, (stamp, _) in after.items() if before.get(name, (0, ""))[0] != stamp}


@pytest.fixture
def copy_of(finished, tmp_path):
    """A finished project that a test may change, with time stamps kept."""
    target = tmp_path / "copy"
    shutil.copytree(finished, target, symlinks=True)
    return target


def test_snakemake_alone_gives_the_same_bytes(finished, project):
    """Without `recoco reproduce` around it, and without naming a profile."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2"],
        cwd=project,
        env=environment_of(project),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "workflow specific profile profiles/default" in done.stderr
    made, expected = content(project), content(finished)
    # In one go it plans runs on a dataset before that turns out to be unreachable.
    more = {name for name in made.keys() - expected.keys() if "sports" in name}
    marks = {name for name in expected if name.endswith(".snakemake_timestamp")}
    assert {name: made[name] for name in made.keys() - more - marks} == {
        name: expected[name] for name in expected.keys() - marks
    }


def test_second_time_computes_nothing_and_ends_with_report_and_summary(copy_of):
    before = blocks(copy_of)
    report = (copy_of / "reports" / "index.html").stat()
    assert report.st_size > 10_000
    said = recoco(copy_of, "reproduce", "--cores", "2").stdout
    assert said.count("nothing to do") == 2
    assert "reports/index.html" in said
    assert "1 unreachable" in said
    assert blocks(copy_of) == before
    assert (copy_of / "reports" / "index.html").stat().st_mtime_ns == report.st_mtime_ns


def test_verdicts_of_the_mini_paper(finished):
    said = recoco(finished, "verdict", "--cells").stdout
    assert "reproduced   mini:table2:PLANTED:binary:Coclus:acc" in said
    assert "better       mini:table2:PLANTED:binary:SpecCo:acc" in said
    assert "unreachable  mini:table2:GONE:binary:Coclus:acc" in said


def test_raising_runs_computes_new_runs_only(copy_of):
    before = blocks(copy_of)
    paper = copy_of / "config" / "papers" / "mini" / "paper.yaml"
    content = yaml.safe_load(paper.read_text())
    content["runs"] = 9
    write_yaml(paper, content)
    recoco(copy_of, "reproduce", "--cores", "2")
    after = blocks(copy_of)
    assert changed(before, after) == {name for name in after if name.endswith("6-9.npz")}
    assert len(changed(before, after)) > 0


def test_fewer_runs_computes_nothing_and_says_so(copy_of):
    before = blocks(copy_of)
    recoco(copy_of, "reproduce", "--cores", "2", "--runs", "3")
    assert changed(before, blocks(copy_of)) == set()
    cells = (copy_of / "results" / "compare" / "mini" / "measures.csv").read_text()
    assert ",3," in cells and ",6," not in cells


def test_changed_parameter_reruns_that_method_only(copy_of):
    before = blocks(copy_of)
    methods = copy_of / "config" / "methods.yaml"
    content = yaml.safe_load(methods.read_text())
    content["coclus"]["params"]["max_iter"] = 77
    write_yaml(methods, content)
    recoco(copy_of, "reproduce", "--cores", "2")
    again = changed(before, blocks(copy_of))
    assert again and all("/coclus" in name for name in again)
    assert {name for name in blocks(copy_of) if "/coclus" in name} == again


def test_edited_kernel_reruns_the_methods_that_use_it(copy_of):
    before = blocks(copy_of)
    kernel = copy_of / "src" / "recoco" / "kernels" / "kmeans.py"
    kernel.write_text(kernel.read_text() + "\n\n# a comment changes no result\n")
    recoco(copy_of, "reproduce", "--cores", "2")
    assert changed(before, blocks(copy_of)) == set()
    kernel.write_text(kernel.read_text() + "\nUSED_BY_NOTHING = 1\n")
    edited = kernel.read_text().replace(
        "def _move_centres(means, sums, counts, shift):",
        "def _move_centres(means, sums, counts, shift):\n    shift[0] = 0.0",
    )
    assert edited != kernel.read_text()
    recoco(copy_of, "reproduce", "--cores", "2")
    assert changed(before, blocks(copy_of)) == set()
    kernel.write_text(edited)
    recoco(copy_of, "reproduce", "--cores", "2")
    again = changed(before, blocks(copy_of))
    assert again == {name for name in blocks(copy_of) if "/specco" in name}


def test_a_kind_added_to_finished_results_gets_its_table(copy_of):
    (copy_of / "src" / "recoco" / "items" / "added.py").write_text(
        "from recoco.items.kind import Kind\n\n\n"
        "class Added(Kind):\n"
        '    name = "added"\n'
        '    about = "Added by a test."\n'
        '    tables = {"added": ["item"]}\n\n\n'
        "KIND = Added()\n"
    )
    recoco(copy_of, "reproduce", "--cores", "2")
    assert (copy_of / "results" / "compare" / "mini" / "added.csv").read_text() == "item\n"


def test_one_and_two_cores_give_the_same_bytes(finished, project):
    recoco(project, "reproduce", "--cores", "1")
    assert content(project) == content(finished)


def test_block_borders_do_not_matter(finished, project):
    settings = yaml.safe_load((project / "config" / "config.yaml").read_text())
    settings["runs"]["first"] = 5
    write_yaml(project / "config" / "config.yaml", settings)
    recoco(project, "reproduce", "--cores", "2")
    names = ["cells", "measures", "nulls"]
    for name in names:
        path = Path("results") / "compare" / "mini" / f"{name}.csv"
        assert (project / path).read_text() == (finished / path).read_text()


def test_kill_and_go_on(finished, project):
    environment = {
        **os.environ,
        "RECOCO_ROOT": str(project),
        "PYTHONPATH": str(project / "src"),
        "RECOCO_MIRROR": "",
    }
    command = [sys.executable, "-m", "recoco", "reproduce", "--cores", "2"]
    process = subprocess.Popen(
        command, cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    while not blocks(project) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert blocks(project), "nothing was computed before the kill"
    said = recoco(project, "reproduce", "--cores", "2").stdout
    assert "reports/index.html" in said
    assert content(project) == content(finished)


def test_stale_lock_is_cleared(copy_of):
    locks = copy_of / ".snakemake" / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    (locks / "0.input.lock").write_text("left behind")
    (locks / "0.output.lock").write_text(str(copy_of / "reports" / "index.html"))
    said = recoco(copy_of, "reproduce", "--quick").stdout
    assert "cleared the lock" in said


def test_two_at_once_are_refused(copy_of):
    import fcntl

    with (copy_of / ".snakemake" / "recoco.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        print(os.getpid(), "on", platform.node(), end="", file=handle, flush=True)
        done = recoco(copy_of, "reproduce", "--quick", check=False)
    assert done.returncode == 2
    assert f"Another reproduction (process {os.getpid()} on" in done.stderr


def test_snakemake_report_with_captions(copy_of):
    environment = {**os.environ, "RECOCO_ROOT": str(copy_of), "PYTHONPATH": str(copy_of / "src")}
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", "--report", "workflow-report.html"],
        cwd=copy_of,
        env=environment,
        check=True,
        capture_output=True,
    )
    assert "with a verdict for each cell" in (copy_of / "workflow-report.html").read_text()
