"""Trying a method: what is printed, and what is said when it fails."""

import shlex
import sys

import numba
import pytest

from recoco import cli
from recoco.apps.warm_up import sentence
from recoco.core.processes import below


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A folder with modules of one's own; only it is asked, and one small dataset.

    Other tests may have started threads of OpenMP in this process, which a fork of it must not use.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("recoco.apps.attempt.RIVALS", ("skmeans", "null"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    yield tmp_path
    numba.set_num_threads(threads)


def attempt(*arguments: str) -> int:
    return cli.main(["try", *arguments, "--dataset", "planted-small", "--runs", "2"])


def module(folder, name: str, body: str) -> None:
    (folder / f"{name}.py").write_text(body)


GOOD = """
import numpy as np
from recoco.methods.base import Runs

class Good:
    views = "one"
    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters
    def fit_runs(self, X, seeds):
        from recoco.methods.spherical import SphericalKMeans
        return SphericalKMeans(self.n_clusters, n_init=5).fit_runs(X, seeds)

class Failing(Good):
    def fit_runs(self, X, seeds):
        raise ZeroDivisionError("oops")

class Short(Good):
    def fit_runs(self, X, seeds):
        return Runs(np.zeros((1, 3), int), None, np.zeros(1), np.ones(1))

class Slow(Good):
    def fit_runs(self, X, seeds):
        import time
        time.sleep(60)

class Killed(Good):
    def fit_runs(self, X, seeds):
        import os, signal, subprocess
        subprocess.Popen(["sleep", "60"], start_new_session=True)
        os.kill(os.getpid(), signal.SIGKILL)

class Exiting(Good):
    def fit_runs(self, X, seeds):
        import os
        os._exit(70)

class Strange(Good):
    def fit_runs(self, X, seeds):
        raise ValueError("\\x1b[31mno \\udc80 text")

class Nothing:
    pass

class Compiled(Good):
    # Compiles for four seconds, and only for data that is large enough.
    done = False
    def fit_runs(self, X, seeds):
        import time
        from numba.core.compiler_lock import global_compiler_lock
        if X.shape[0] > 100 and not Compiled.done:
            with global_compiler_lock:
                time.sleep(4)
            Compiled.done = True
        return super().fit_runs(X, seeds)

class Loaded(Good):
    # Takes four seconds for its first call.
    done = False
    def fit_runs(self, X, seeds):
        import time
        if not Loaded.done:
            time.sleep(4)
            Loaded.done = True
        return super().fit_runs(X, seeds)
"""


def test_good_methods_are_ranked(workshop, capsys):
    module(workshop, "own_good", GOOD)
    assert attempt("--method", "own_good:Good") == 0
    said = capsys.readouterr().out
    assert "Good ranks 1 of 3" in said
    assert said.count("\n> ") == 2


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("Failing", ("ZeroDivisionError: oops", "ranks 3 of 3")),
        ("Short", ("shape (1, 3)", "ranks 3 of 3")),
        ("Killed", ("its process was killed (SIGKILL)", "ranks 3 of 3")),
        ("Exiting", ("its process ended with exit status 70", "ranks 3 of 3")),
        ("Strange", ("ValueError: no text", "ranks 3 of 3")),
    ],
)
def test_failures_are_told_and_stand_last(workshop, capsys, kind, words):
    before = below()
    module(workshop, "own_bad", GOOD)
    assert attempt("--method", f"own_bad:{kind}") == 1
    said = capsys.readouterr().out
    for word in words:
        assert word in said
    assert below() == before, "what it has started goes on"


@pytest.mark.parametrize(("kind", "limit"), [("Compiled", "3"), ("Loaded", "20")])
def test_compiling_is_no_part_of_a_run(workshop, capsys, kind, limit):
    module(workshop, "own_compiled", GOOD)
    assert attempt("--method", f"own_compiled:{kind}", "--limit", limit) == 0
    lines = capsys.readouterr().out.splitlines()
    said = [line for line in lines if line.startswith("compiled and warmed up, not part of s")]
    assert len(said) == 1 and f"{kind} " in said[0]
    seconds = [float(line.split()[-1]) for line in lines if line.startswith("> ")]
    assert len(seconds) == 2 and max(seconds) < 4 / 2  # what was slept, over two runs


def test_short_compiling_is_not_mentioned():
    assert sentence({"a": 2.9, "b": 0.0}) == ""
    assert sentence({"a": 2.9, "b": 12.4}).endswith(": b 12 s")


def test_time_is_limited(workshop, capsys):
    module(workshop, "own_slow", GOOD)
    assert attempt("--method", "own_slow:Slow", "--limit", "1") == 1
    assert "no result within 1 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("method", "word"),
    [
        ("own_odd:Nothing", "neither fit_runs nor fit"),
        ("own_odd:Gone", "cannot be loaded"),
        ("own_gone:Good", "cannot be loaded"),
        ("own_broken:Good", "SyntaxError"),
        ("coclsu", "coclus"),
    ],
)
def test_methods_that_cannot_be_tried(workshop, capsys, method, word):
    module(workshop, "own_odd", GOOD)
    module(workshop, "own_broken", "def (:")
    assert attempt("--method", method) == 2
    said = capsys.readouterr().err.strip()
    assert word in said and said.startswith("recoco: ") and "\n" not in said


def test_commands_are_tried(workshop, capsys):
    (workshop / "p.py").write_text("import sys; sys.exit('not today')")
    line = f"{shlex.quote(sys.executable)} p.py {{matrix}} {{labels}}"
    assert attempt("--command", line) == 1
    assert "p.py: The program" in (said := capsys.readouterr().out) and "not today" in said
    assert attempt("--command", "p {matrix}") == 2


def test_bad_arguments(workshop, capsys):
    assert attempt("--method", "coclus", "--weighting", "tfdif") == 2
    assert "tfidf" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["try"])
