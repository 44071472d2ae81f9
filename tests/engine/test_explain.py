"""Why a workflow stopped, in few words."""

import pytest

from recoco.engine import disk
from recoco.engine.explain import explain

ERROR = "Error in rule {}:\n    message: {}\n    jobid: 1\n    log: {} (check log)\n"


@pytest.fixture
def told(tmp_path, capsys):
    """Return the lines that are printed about an output of Snakemake."""

    def told(text: str) -> list[str]:
        (tmp_path / "all.log").write_text(text)
        explain(tmp_path, tmp_path / "all.log")
        return capsys.readouterr().err.splitlines()

    return told


def test_what_failed_is_told_and_what_went_well_is_not(tmp_path, told):
    (tmp_path / "a.log").write_text("finished in 1.000 s\n")
    (tmp_path / "b.log").write_text("The matrix is empty: mend it.\n")
    late = "SLURM-job '5' failed, SLURM status is: 'TIMEOUT'. Detailed reason unavailable."
    said = [("None", "a.log"), ("None", "b.log"), (late, "c.log,"), (late, "c.log,")]
    assert told("".join(ERROR.format("run", *pair) for pair in said))[:-1] == [
        "run failed: The matrix is empty: mend it. (b.log)",
        "run failed: SLURM-job '5' failed, SLURM status is: 'TIMEOUT'. (c.log)",
    ]


def test_a_full_disk_is_named_with_the_file(tmp_path, told, monkeypatch):
    monkeypatch.setattr(disk, "_room", lambda place: (4096, 10**9, None))
    error = "OSError: [Errno 28] No space left on device: '.snakemake/metadata/abc'\n"
    (line, last) = told(f"Traceback (most recent call last):\n{error}")
    assert line.startswith(".snakemake/metadata/abc could not be written: the file system at /")
    assert "is full (4.1 kB of 1.0 GB free); free some space" in line
    assert last.startswith("The workflow stopped")


def test_a_job_without_a_log_and_a_full_disk(tmp_path, told, monkeypatch):
    failed = ERROR.format("prepare", "None", "logs/prepare/a.log")
    monkeypatch.setattr(disk, "_room", lambda place: (10**9, 10**9, None))
    assert told(failed)[:-1] == ["prepare failed: it left no message (logs/prepare/a.log)"]
    monkeypatch.setattr(disk, "_room", lambda place: (0, 10**9, None))
    first, second, _ = told(failed)
    assert first == "prepare failed: it left no message (logs/prepare/a.log)"
    assert second.startswith("The file system at /") and "0 bytes of 1.0 GB" in second


@pytest.mark.parametrize(
    "text",
    [
        "LockException:\nError: Directory cannot be locked. Please make sure that no other\n",
        "Error: Directory cannot be locked. Please make sure\n",
    ],
)
def test_a_lock_of_somebody_else(told, text, tmp_path):
    (line,) = told(f"Building DAG of jobs...\n{text}the --unlock argument.\n")
    assert line.startswith(f"Another Snakemake has locked {tmp_path}")
    assert "delete .snakemake/locks" in line


def test_an_error_of_a_snakefile_is_shown_as_it_is(told):
    said = told("Using profile x\nNameError in file Snakefile, line 3:\nname 'x' is not defined\n")
    assert said[:2] == ["NameError in file Snakefile, line 3:", "name 'x' is not defined"]
