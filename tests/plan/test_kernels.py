"""What is compiled before the runs, and the stamp that says so."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import recoco as package
from recoco.config import load_config
from recoco.engine.warm import compile_kernels
from recoco.plan.kernels import STAMP, compiled, digest_of, variants_of
from support.projects import recoco

SPECTRAL = "recoco.methods.spectral:SpecCo"


def test_words_among_the_parameters_make_variants_and_numbers_do_not():
    config = load_config({"papers": ["wcnmtf"]})
    variants = variants_of(config)
    ours = [v["params"] for v in variants if v["import_path"].endswith(":WCNMTF")]
    assert {words["count"] for words in ours} == {"binary", "tfidf"}
    assert all(words["precision"] == "single" and "lam" not in words for words in ours)


def test_every_variant_of_every_paper_compiles(capsys):
    config = load_config({})
    variants = variants_of(config)
    compile_kernels(variants, words=True)
    said = capsys.readouterr().out.splitlines()
    assert len(said) == len(variants) + 1
    assert [line for line in said if not line.endswith(": compiled")] == []


def _kernels_called(path: Path) -> set[tuple[str, str]]:
    """Return module and name of the kernels that a module of methods calls."""
    tree, found, modules = ast.parse(path.read_text("utf-8")), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("recoco.kernels"):
            for name in node.names:
                if node.module == "recoco.kernels":
                    modules.add((name.asname or name.name, f"recoco.kernels.{name.name}"))
                else:
                    found.add((node.module, name.name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            # one name may stand for several modules, in several functions
            found |= {(module, node.attr) for name, module in modules if name == node.value.id}
    return found


def test_no_kernel_is_left_for_the_runs_to_compile():
    """What is compiled in a run is compiled by many at once, and counted as computing."""
    folder = Path(package.__file__).parent / "methods"
    # matrices on disk are no part of the workflow, and its jobs have one thread each
    files = [path for path in folder.glob("*.py") if path.name != "streamed.py"]
    called = sorted(set().union(*map(_kernels_called, files)))
    called = [pair for pair in called if not pair[1].endswith("_parallel")]
    code = """
import importlib, json, sys
import numba
from recoco.config import load_config
from recoco.plan.kernels import variants_of
from recoco.engine.warm import compile_kernels
numba.set_num_threads(1)
compile_kernels(variants_of(load_config({"papers": [*load_config({}).papers, "benchmark"]})))
named = [(m, n, getattr(importlib.import_module(m), n, None)) for m, n in json.loads(sys.argv[1])]
kernels = [(m, n, k) for m, n, k in named if hasattr(k, "signatures")]
print(json.dumps([len(kernels), [(m, n) for m, n, k in kernels if not k.signatures]]))
"""
    command = [sys.executable, "-c", code, json.dumps(called)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    number, idle = json.loads(done.stdout.splitlines()[-1])
    # a seeding of spherical k-means that no paper uses
    assert number > 30 and idle == [["recoco.kernels.spherical", "spread_rows"]]


def test_a_variant_that_needs_larger_data_is_said_and_passed_over(capsys):
    compile_kernels([{"import_path": SPECTRAL, "params": {"unit": "nonsense"}}])
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
