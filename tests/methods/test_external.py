"""Programs and estimators of somebody else, well behaved and otherwise."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from recoco import plan
from recoco.config import Config, load_methods
from recoco.core.errors import RecocoError
from recoco.core.files import read_arrays
from recoco.methods.external import CommandLine, Estimator, command_parts

X = csr_matrix(np.kron(np.eye(2), np.ones((3, 2))))

READ = """
import sys, time
from pathlib import Path
def lines(path):
    return [l for l in Path(path).read_text().splitlines() if not l.startswith("%")]
"""


def program(folder: Path, text: str, arguments: str) -> list[str]:
    """Write a program and return its command, as a list: paths may have blanks."""
    path = folder / "own program.py"
    path.write_text(READ + text)
    return [sys.executable, str(path), *arguments.split()]


def refuses(model, *words: str) -> None:
    with pytest.raises(RecocoError) as caught:
        model.fit_runs(X, [1])
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text, text


def test_the_program_gets_the_matrix_and_gives_labels(tmp_path):
    text = """
matrix, clusters, seed, labels, columns = sys.argv[1:]
head, *entries = lines(matrix)
assert head.split() == ["6", "4", "12"], head
cells = {tuple(map(int, e.split()[:2])): float(e.split()[2]) for e in entries}
assert all(value == 1.0 for value in cells.values())
first = [min(j for i, j in cells if i == row) for row in range(1, 7)]
Path(labels).write_text("".join(f"{5 * j}\\n" for j in first))
Path(columns).write_text("".join(f"{5 * (1 if j < 3 else 3)}\\n" for j in range(1, 5)))
Path(matrix).with_name(f"seed-{seed}-{clusters}").touch()
"""
    command = program(tmp_path, text, "{matrix} {clusters} {seed} {labels} {columns}")
    runs = CommandLine(n_clusters=2, command=command).fit_runs(X, [1, 2])
    assert runs.row_labels.tolist() == [[0, 0, 0, 1, 1, 1]] * 2
    assert runs.column_labels.tolist() == [[0, 0, 1, 1]] * 2, "one number, one co-cluster"


def test_symmetric_matrices_are_written_whole(tmp_path):
    text = """
assert len(lines(sys.argv[1])) == 1 + 4, lines(sys.argv[1])
Path(sys.argv[2]).write_text("0\\n1\\n")
"""
    model = CommandLine(2, command=program(tmp_path, text, "{matrix} {labels}"))
    model.fit_runs(csr_matrix(np.ones((2, 2))), [0])


def test_seeds_are_reproducible_and_fit_in_32_bits(tmp_path):
    text = """
seed = int(sys.argv[2])
assert 0 <= seed < 2**31
Path(sys.argv[3]).write_text("".join(f"{seed >> k & 1}\\n" for k in range(6)))
"""
    model = CommandLine(2, command=program(tmp_path, text, "{matrix} {seed} {labels}"))
    one = model.fit_runs(X, [7, 8, 2**127])
    assert np.array_equal(one.row_labels, model.fit_runs(X, [7, 8, 2**127]).row_labels)
    assert len({tuple(row) for row in one.row_labels}) > 1
    assert model.expected_clusters is None, "it was not told a number"


def test_best_start_by_the_criterion_of_the_program(tmp_path):
    text = """
matrix, seed, labels, criterion = sys.argv[1:]
Path(labels).write_text("0\\n" * 6)
Path(criterion).write_text(seed)
"""
    command = program(tmp_path, text, "{matrix} {seed} {labels} {criterion}")
    single = CommandLine(1, command=command).fit_runs(X, [3]).criterion
    best = CommandLine(1, command=command, n_init=4).fit_runs(X, [3])
    assert best.criterion > single or best.details["start"] == 0


def test_without_a_criterion_one_start_is_done(tmp_path):
    text = f"""
with open({str(tmp_path / "calls")!r}, "a") as stream:
    stream.write("x")
Path(sys.argv[2]).write_text("0\\n" * 6)
"""
    model = CommandLine(1, command=program(tmp_path, text, "{matrix} {labels}"), n_init=20)
    model.fit_runs(X, [1, 2])
    assert (tmp_path / "calls").read_text() == "xx"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print('reading'); sys.exit('no such solver')", ("code 1", "no such solver")),
        ("import os; os.kill(os.getpid(), 9)", ("signal 9",)),
        ("pass", ("wrote no file of labels", "{labels}")),
        ("Path(sys.argv[2]).write_text('0\\n1\\n')", ("2 labels for 6 rows",)),
        ("Path(sys.argv[2]).write_text('')", ("0 labels for 6 rows",)),
        ("Path(sys.argv[2]).write_text('0\\n1\\n-1\\n0\\n0\\n0\\n')", ("Line 3", "'-1'")),
        ("Path(sys.argv[2]).write_text('0\\n1.5\\n1\\n0\\n0\\n0\\n')", ("Line 2", "'1.5'")),
        ("Path(sys.argv[2]).write_bytes(b'\\xff\\xfe')", ("cannot be read", "plain text")),
    ],
)
def test_a_program_that_goes_wrong_is_told_in_a_sentence(tmp_path, text, words):
    refuses(CommandLine(2, command=program(tmp_path, text, "{matrix} {labels}")), *words)


def test_criterion_must_be_a_number(tmp_path):
    text = "[Path(f).write_text('0\\n' * 6) for f in sys.argv[2:]]"
    command = program(tmp_path, text, "{matrix} {labels} {criterion}")
    refuses(CommandLine(2, command=command), "criterion", "one number")


def test_program_that_does_not_exist():
    refuses(CommandLine(2, command="no-such-program {matrix} {labels}"), "no-such-program", "start")


def test_time_is_limited_and_children_end_too(tmp_path):
    text = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
Path({str(tmp_path / "child")!r}).write_text(str(child.pid))
time.sleep(60)
"""
    command = program(tmp_path, text, "{matrix} {labels}")
    refuses(CommandLine(2, command=command, seconds=2), "within 2 s")
    child = Path("/proc") / (tmp_path / "child").read_text()
    for _ in range(50):
        gone = not child.exists() or "\tZ" in (child / "status").read_text().split("State:")[1][:4]
        if gone:
            break
        time.sleep(0.1)
    assert gone, "what the program started goes on without it"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("prog {matrix}", ("{labels}", "where to write")),
        ("prog {labels}", ("{matrix}", "which file to read")),
        ("prog {matrix} {labels} {sead}", ("{sead}", "{seed}")),
        ("prog {matrix.__class__} {labels}", ("{matrix.__class__}",)),
        ("prog '{matrix} {labels}", ("quotation",)),
        ("", ("my-program",)),
        (None, ("my-program",)),
    ],
)
def test_commands_are_checked_before_they_run(command, words):
    with pytest.raises(RecocoError) as caught:
        command_parts(command)
    for word in words:
        assert word in str(caught.value)


def test_no_shell_reads_the_command(tmp_path):
    text = "Path(sys.argv[2]).write_text(''.join(f'{k}\\n' for k in range(6))); print(sys.argv)"
    command = program(tmp_path, text, "{matrix} {labels}")
    command += [f"; touch {tmp_path / 'bad'}", "$(touch bad)", "`touch bad`"]
    CommandLine(2, command=command).fit_runs(X, [1])
    assert not (tmp_path / "bad").exists()


def test_a_failing_program_is_a_cell_not_a_crash(tmp_path):
    from recoco.datasets.dataset import Dataset, write_prepared
    from recoco.runs.block import Block, run_block

    data = Dataset("d", [X], np.repeat([0, 1], 3), ["a", "b"], [None], np.arange(6), {})
    write_prepared(tmp_path / "d.npz", data)

    def block(text: str, limit: float) -> dict:
        command = program(tmp_path, text, "{matrix} {clusters} {labels}")
        asked = Block(
            identity="d/count/own",
            method="own",
            import_path="recoco.methods.external:CommandLine",
            params={"command": command, "digest": ""},
            weighting="count",
            start=0,
            stop=2,
            master_seed=1,
            time_limit=limit,
        )
        run_block(asked, tmp_path / "d.npz", tmp_path / "out.npz", tmp_path / "out.json")
        return json.loads(str(read_arrays(tmp_path / "out.npz")["record"]))

    failed = block("sys.exit('out of luck')", 60)
    assert failed["status"] == "failed" and "out of luck" in failed["error"]
    assert block("time.sleep(60)", 1)["status"] == "timeout"
    good = block("Path(sys.argv[3]).write_text('4\\n' * 3 + '9\\n' * 3)", 60)
    assert good["status"] == "ok" and good["n_clusters"] == 2
    assert read_arrays(tmp_path / "out.npz")["row_labels"].tolist() == [[0, 0, 0, 1, 1, 1]] * 2


def methods_file(folder: Path, text: str) -> Path:
    (folder / "methods.yaml").write_text(text)
    return folder


def test_methods_file_knows_commands_and_estimators(tmp_path):
    text = """
prog: {command: "prog {matrix} {labels}", params: {n_init: 3}}
means: {estimator: "sklearn.cluster:KMeans", params: {options: {n_init: 2}}}
"""
    methods = load_methods(methods_file(tmp_path, text))
    assert methods["prog"]["class"].endswith(":CommandLine")
    assert methods["prog"]["params"] == {
        "n_init": 3,
        "command": "prog {matrix} {labels}",
        "digest": methods["prog"]["params"]["digest"],
    }
    assert methods["means"]["params"]["estimator"] == "sklearn.cluster:KMeans"
    config = Config({}, methods, {})
    assert plan.import_path(config, "prog") == "recoco.methods.external:CommandLine"
    assert plan.parameters(config, plan.Setting("d", "w", "prog"))["n_init"] == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p: {command: 'prog {matrix}'}", ("methods.yaml, p", "{labels}")),
        ("p: {command: 'a {matrix} {labels}', class: 'm:C'}", ("class and command", "keep one")),
        ("p: {comand: 'a'}", ("'comand'", "did you mean 'command'")),
        ("p: {command: 3}", ("p.command", "wrong")),
        ("p: {estimator: 'no colon'}", ("p.estimator",)),
    ],
)
def test_methods_file_is_checked(tmp_path, text, words):
    with pytest.raises(RecocoError) as caught:
        load_methods(methods_file(tmp_path, text))
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_an_edited_program_is_noticed(tmp_path):
    from recoco.core.fingerprint import digest_of_command

    (tmp_path / "p.py").write_text("1")
    parts = ["python3", "p.py", "{matrix}", "{labels}"]
    before = digest_of_command(parts, tmp_path)
    (tmp_path / "p.py").write_text("2")
    assert digest_of_command(parts, tmp_path) != before


# ---- estimators ----------------------------------------------------------------------------


def test_estimators_of_scikit_learn():
    means = Estimator(2, estimator="sklearn.cluster:KMeans", options={"n_init": 3})
    runs = means.fit_runs(X, [1, 2])
    assert runs.column_labels is None and len(np.unique(runs.row_labels[0, :3])) == 1
    # Connected blocks: of separate ones the singular vectors depend on the processor.
    coupled = csr_matrix(X.toarray() + 0.2)
    both = Estimator(2, estimator="sklearn.cluster:SpectralCoclustering").fit_runs(coupled, [1])
    assert both.row_labels[0, 0] == both.column_labels[0, 0]
    assert both.row_labels[0, 5] == both.column_labels[0, 3] != both.row_labels[0, 0]
    assert Estimator(2, estimator="sklearn.cluster:DBSCAN").expected_clusters is None


class Broken:
    def fit(self, X):
        raise KeyError("lost")


class Short:
    def fit(self, X):
        self.labels_ = np.zeros(2)


class DenseOnly:
    def fit_predict(self, X):
        assert isinstance(X, np.ndarray)
        return (X[:, 0] > 0).astype(int)


def test_estimators_that_go_wrong(monkeypatch):
    name = __name__
    refuses(Estimator(2, estimator=f"{name}:Broken"), "KeyError", "lost")
    refuses(Estimator(2, estimator=f"{name}:Short"), "shape (2,)", "6 whole numbers")
    refuses(Estimator(2, estimator=f"{name}:Missing"), "cannot be loaded")
    refuses(Estimator(2, estimator=f"{name}:DenseOnly"), "dense: true")
    dense = Estimator(2, estimator=f"{name}:DenseOnly", dense=True).fit_runs(X, [1])
    assert dense.row_labels.tolist() == [[1, 1, 1, 0, 0, 0]]
