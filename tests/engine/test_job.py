"""What the log of a job says about it."""

from pathlib import Path

from recoco.engine.job import FinishedJob, finished_jobs

OWN = "peak memory 5 MiB, read 6 kB, wrote 7 kB\nfinished in 8.000 s\n"


def test_what_a_method_prints_says_nothing_about_its_job(tmp_path):
    logs = {
        "a": f"hello\n{OWN}",
        "b": f"{OWN}peak memory 1 MiB, read 2 kB, wrote 3 kB\nfinished in 4.000 s\n",
        "c": f"finished in ... s\n{OWN}failed: why\nfinished in 9.000 s\n",
        "d": f"{OWN}and then it was killed\n",
    }
    (tmp_path / "logs").mkdir()
    for name, text in logs.items():
        (tmp_path / "logs" / f"{name}.log").write_text(text)
    assert list(finished_jobs(tmp_path)) == [
        FinishedJob(Path("a"), 8.0, (5, 6, 7)),
        FinishedJob(Path("b"), 4.0, (1, 2, 3)),
        FinishedJob(Path("c"), 9.0, None),
    ]
