"""`recoco check`: which results are as they were written, and what vouches for them."""

import json
import shutil
import subprocess
import sys
import time

import pytest

from support.projects import environment_of, recoco
from workflow.test_faults import BLOCK, damage
from workflow.test_workflow import blocks, content

pytestmark = pytest.mark.workflow

LEDGER = ".snakemake/recoco-ledger.jsonl"
TABLE, FIGURE = "reports/tables/mini_table2.csv", "reports/verdicts.svg"
DATA = "reports/data/mini_cells.csv"


@pytest.fixture
def copy_of(finished, tmp_path):
    target = tmp_path / "copy"
    shutil.copytree(finished, target, symlinks=True)
    return target


def test_a_damaged_report_is_found_and_written_again(finished, copy_of):
    assert "0 changed, 0 missing, 0 without a checksum" in recoco(copy_of, "check").stdout
    before = blocks(copy_of)
    damage(copy_of / TABLE)
    damage(copy_of / FIGURE)
    (copy_of / DATA).unlink()
    found = recoco(copy_of, "check", check=False)
    assert found.returncode == 1 and "rerun" not in found.stdout
    for line in (f"changed: {TABLE}", f"changed: {FIGURE}", f"missing: {DATA}"):
        assert line in found.stdout.splitlines()
    said = recoco(copy_of, "reproduce", "--cores", "2").stdout
    assert f"{TABLE} has changed since it was written" in said
    assert f"{DATA} is missing: restoring it" in said
    assert content(copy_of) == content(finished) and blocks(copy_of) == before
    for name in (FIGURE, DATA):
        assert (copy_of / name).read_bytes() == (finished / name).read_bytes()
    assert "0 changed, 0 missing, 0 without a checksum" in recoco(copy_of, "check").stdout


def test_without_a_ledger_a_sample_is_computed_again(copy_of):
    (copy_of / LEDGER).unlink()
    said = recoco(copy_of, "check").stdout
    assert "the ledger is missing" in said and "nothing vouches for them" in said
    assert "rerun: 10 of 10 runs identical" in said and not (copy_of / LEDGER).exists()
    assert "rerun" not in recoco(copy_of, "check", "--rerun", "0").stdout
    said = recoco(copy_of, "reproduce", "--cores", "2").stdout
    assert "the ledger is missing" in said and "`recoco check` recomputes a sample" in said
    said = recoco(copy_of, "check", "--rerun", "1").stdout
    assert "got their checksums late" in said and "rerun: 1 of 1 runs identical" in said
    (copy_of / LEDGER).unlink()
    damage(copy_of / BLOCK)
    found = recoco(copy_of, "check", "--rerun", "50%", check=False)
    assert found.returncode == 1 and f"({BLOCK})" in found.stdout
    assert "delete a block of runs that differs" in found.stdout


def test_a_ledger_cannot_delete_what_is_not_a_result(copy_of, tmp_path):
    precious = [tmp_path / "precious", copy_of / "reports" / "README.md"]
    for path in precious:
        path.write_text("keep me")
    line = {"sha256": "0" * 64, "bytes": 1, "mtime_ns": 1, "damaged": True}
    names = [str(precious[0]), "../precious", "results/../reports/README.md", "reports/README.md"]
    with (copy_of / LEDGER).open("ab") as stream:
        for name in names:
            stream.write(json.dumps({"path": name, **line}).encode() + b"\n")
        stream.write(b"\xff\xfe\n[[[[\n")
    found = recoco(copy_of, "check", check=False)
    assert found.returncode == 1 and found.stdout.count("is ignored") == len(names) + 2
    said = recoco(copy_of, "reproduce", "--cores", "2").stdout
    assert "'../precious' is not a file that a job writes" in said
    assert said.count("nothing to do") == 2
    assert all(path.read_text() == "keep me" for path in precious)
    assert "ignored" not in recoco(copy_of, "check").stdout


def test_beside_a_plain_snakemake_it_says_so(copy_of):
    shutil.rmtree(copy_of / "results")
    (copy_of / "reports" / "index.html").unlink()
    plain = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "1"],
        cwd=copy_of,
        env=environment_of(copy_of),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 120
        while not list((copy_of / ".snakemake" / "locks").glob("*.lock")):
            assert plain.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        beside = recoco(copy_of, "reproduce", "--cores", "1", check=False)
        assert beside.returncode == 2
        assert f"Snakemake (process {plain.pid}) is running in {copy_of}" in beside.stderr
        assert len(beside.stderr.splitlines()) == 1
    finally:
        plain.terminate()
        plain.wait(timeout=300)
