"""What is compiled before the runs, and the stamp that says so."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import recoco as package
from recoco.config import load_config
from recoco.core.processes import below
from recoco.engine.warm import compile_kernels
from recoco.plan.kernels import STAMP, compiled, digest_of, units_of, variants_of, words_of
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


def test_a_stamp_is_good_for_every_plan_that_needs_no_more(tmp_path):
    config = load_config({"papers": ["coclus", "costar", "wcnmtf"]})
    (tmp_path / STAMP).parent.mkdir()
    (tmp_path / STAMP).write_text(digest_of(variants_of(config), words_of(config)) + "\n")
    assert all(compiled(load_config({"papers": [key]}), tmp_path) for key in config.papers)
    (tmp_path / STAMP).write_text(digest_of(variants_of(config)) + "\n")
    assert compiled(load_config({"papers": ["costar"]}), tmp_path)
    assert not compiled(load_config({"papers": ["wcnmtf"]}), tmp_path)  # it counts words


def test_two_units_that_may_be_compiled_at_once_share_no_kernel():
    variants = variants_of(load_config({}))
    units = units_of(variants, words=True)
    spread = [variant for unit in units for variant in unit.variants]
    assert sorted(spread, key=json.dumps) == sorted(variants, key=json.dumps)
    assert sum(unit.words for unit in units) == 1
    of = {
        variant["import_path"].partition(":")[2]: unit.kernels
        for unit in units
        for variant in unit.variants
    }
    assert of["CoStar"] and of["SRC"] and not of["CoStar"] & of["SRC"]
    assert of["NMF"] < of["GNMF"] and not of["Null"]
    sizes = [len(unit.kernels) for unit in units]
    assert sizes == sorted(sizes, reverse=True)  # the longest first


def _compiled_files(folder: Path) -> dict[str, int]:
    """Return how many versions of each function a cache of numba holds."""
    data = Counter(
        path.name.rpartition(".")[0].rpartition(".")[0] for path in folder.rglob("*.nbc")
    )
    assert {path.name.removesuffix(".nbi") for path in folder.rglob("*.nbi")} == set(data)
    return data


def test_processes_side_by_side_leave_what_one_alone_leaves(tmp_path):
    """The same functions for the same types: nothing is lost, and nothing is compiled twice."""
    code = """
import os, sys
from recoco.engine.warm import compile_in_parallel
from numba.core import event

class Noted(event.Listener):
    def on_start(self, happened):
        function = happened.data["dispatcher"].py_func
        if function.__module__.startswith("recoco."):  # each process compiles numba's own
            # In one piece, or the lines of two processes may run into one another.
            os.write(1, f"compiles {function.__qualname__}\\n".encode())

    def on_end(self, happened):
        pass

event.register("numba:compile", Noted())
names = ["coclus:CoClus", "comraf:Comraf", "relational:SRC"]
variants = [{"import_path": f"recoco.methods.{name}", "params": {}} for name in names]
compile_in_parallel(variants, False, int(sys.argv[1]))
"""
    found, compiles = [], []
    for processes in ("1", "2"):
        cache = tmp_path / processes
        done = subprocess.run(
            [sys.executable, "-c", code, processes],
            env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert sum(line.endswith(": compiled") for line in done.stdout.splitlines()) == 3
        compiles.append(Counter(re.findall(r"^compiles (\S+)$", done.stdout, re.MULTILINE)))
        found.append(_compiled_files(cache))
    assert found[0] == found[1] and compiles[0] == compiles[1] and len(found[0]) > 20


def test_ctrl_c_ends_the_compilers(tmp_path):
    code = """
from recoco.engine.warm import compile_in_parallel
paths = ["recoco.methods.costar:CoStar", "recoco.methods.nmtf:WCNMTF"]
compile_in_parallel([{"import_path": path, "params": {}} for path in paths], False, 2)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_NUM_THREADS": "1"},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    # the scores, which the process itself compiles, are stored: now its children are at work
    while not list(tmp_path.rglob("*table_scores*.nbc")) and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(2.0)
    assert len(below(top=process.pid)) == 2
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=30) != 0


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
