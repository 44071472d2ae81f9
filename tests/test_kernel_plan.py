"""What is compiled before the runs, and the stamp that says so."""

import os

import pytest

from conftest import recoco
from recoco.config import load_config
from recoco.kernel_plan import STAMP, compiled, digest_of, variants_of
from recoco.warm import compile_kernels

SPECTRAL = "recoco.methods.spectral:SpecCo"


def test_words_among_the_parameters_make_variants_and_numbers_do_not():
    config = load_config({"papers": ["wcnmtf"]})
    variants = variants_of(config)
    ours = [v["params"] for v in variants if v["place"].endswith(":WCNMTF")]
    assert {words["count"] for words in ours} == {"binary", "tfidf"}
    assert all(words["precision"] == "single" and "lam" not in words for words in ours)


def test_every_variant_of_every_paper_compiles(capsys):
    config = load_config({})
    variants = variants_of(config)
    compile_kernels(variants, words=True)
    said = capsys.readouterr().out.splitlines()
    assert len(said) == len(variants) + 1
    assert [line for line in said if not line.endswith(": compiled")] == []


def test_a_variant_that_needs_larger_data_is_said_and_passed_over(capsys):
    compile_kernels([{"place": SPECTRAL, "params": {"unit": "nonsense"}}])
    assert "not compiled" in capsys.readouterr().out


def test_the_stamp_speaks_of_these_kernels_only(tmp_path):
    config = load_config({"papers": ["coclus"]})
    assert not compiled(config, tmp_path)
    (tmp_path / STAMP).parent.mkdir()
    (tmp_path / STAMP).write_text(digest_of(variants_of(config)) + "\n")
    assert compiled(config, tmp_path)
    assert not compiled(load_config({"papers": ["ebco"]}), tmp_path)


@pytest.mark.workflow
def test_a_stamp_of_yesterday_hides_no_runs_and_makes_none_old(project):
    recoco(project, "fetch")
    stamp = project / STAMP
    stamp.write_text("other kernels\n")
    os.utime(stamp, (0, 0))
    said = recoco(project, "reproduce", "--quick", "--cores", "2").stdout
    assert "compiling" in said and (project / "reports" / "index.html").is_file()
    blocks = {
        path: path.stat().st_mtime_ns for path in (project / "results" / "runs").rglob("*.npz")
    }
    assert blocks
    stamp.write_text("other kernels\n")
    assert "compiling" in recoco(project, "reproduce", "--quick", "--cores", "2").stdout
    assert {path: path.stat().st_mtime_ns for path in blocks} == blocks
    assert "compiling" not in recoco(project, "reproduce", "--quick", "--cores", "2").stdout
