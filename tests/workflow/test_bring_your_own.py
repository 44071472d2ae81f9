"""What docs/bring-your-own.md says is run as it stands there."""

import copy
import csv
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.io import mmread

from support.projects import CHECKOUT, MINI_PAPER, make_project, write_paper

PAGE = CHECKOUT / "docs" / "bring-your-own.md"
_BLOCK = re.compile(
    r"(?:<!-- (?P<kind>file|add to): (?P<name>\S+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)```",
    re.DOTALL,
)


def blocks():
    return [match.groupdict() for match in _BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]


def recoco(project, *arguments: str) -> subprocess.CompletedProcess:
    """Run the command in a project, with the checkout's source, whose kernels are compiled."""
    environment = {
        **os.environ,
        "RECOCO_ROOT": str(project),
        "PYTHONPATH": str(CHECKOUT / "src"),
        "RECOCO_MIRROR": "",
    }
    return subprocess.run(
        [sys.executable, "-m", "recoco", *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Run the page from top to bottom; return the project and what each command printed."""
    project = make_project(tmp_path_factory.mktemp("own") / "project")
    shutil.copytree(CHECKOUT / "docs", project / "docs")
    printed = {}
    for block in blocks():
        if block["kind"]:
            mode = "a" if block["kind"] == "add to" else "w"
            with (project / block["name"]).open(mode, encoding="utf-8") as stream:
                stream.write(block["text"])
        elif block["language"] == "console":
            for line in block["text"].splitlines():
                program, *arguments = shlex.split(line.removeprefix("$ "))
                if program == "recoco":
                    done = recoco(project, *arguments)
                    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
                    printed[line] = done.stdout
                else:
                    assert program == "python"
                    subprocess.run([sys.executable, *arguments], cwd=project, check=True)
    return project, printed


def find(printed: dict[str, str], *words: str) -> str:
    return next(text for line, text in printed.items() if all(word in line for word in words))


def test_the_page_has_an_example_of_each():
    text = PAGE.read_text(encoding="utf-8")
    for word in (
        "cocluster",
        "try --method my_method",
        "try --command",
        "sklearn:",
        ".mtx",
        ".mat",
    ):
        assert f"$ recoco {word}" in text or word in text
    assert sum(block["language"] == "console" for block in blocks()) >= 9


def test_folder_becomes_a_report(said):
    project, printed = said
    out = project / "texts-coclusters"
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Co-clusters of texts" in page and "<svg" in page
    assert "http" not in re.sub(r"http://www.w3.org/\S+|http-equiv", "", page), "needs the network"
    with (out / "documents.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 15
    together: dict[str, set] = {}
    for row in rows:
        together.setdefault(row["cocluster"], set()).add(row["document"].split("/")[0])
    assert all(len(topics) == 1 for topics in together.values()), "a co-cluster mixes topics"
    for name in ("coclusters.csv", "words.csv", "choice.csv", "matrix.svg", "summary.json"):
        assert (out / name).is_file() and f'href="{name}"' in page
    assert "15 documents" in find(printed, "cocluster")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("my_method:NearestSeed",), "NearestSeed"),
        (("try", "SpectralCoclustering"), "SpectralCoclustering"),
        (("try", "--command"), "my_program.py"),
        (("try", "--method my-program"), "my-program"),
    ],
)
def test_trying_prints_where_a_method_stands(said, words, name):
    text = find(said[1], *words)
    place = re.search(rf"{re.escape(name)} ranks (\d) of (\d)", text)
    assert place and int(place[1]) < int(place[2]), "no better than random labels"
    own = [line.split() for line in text.splitlines() if line.startswith(">")]
    assert len(own) == 2 and all(line[1] == name for line in own)
    nmi = float(own[0][2])
    assert 0.1 < nmi <= 1


def test_cards_hold_what_the_files_hold(said):
    project, printed = said
    shapes = {
        "my-texts": ([15, 3], "counts"),
        "my-table": ([15, 3], "counts"),
        "my-mtx": ([4, 2], "counts"),
        "my-npz": ([4, 2], "counts"),
        "my-arrays": ([4, 2], "counts"),
        "my-mat": ([4, 2], "counts"),
        "my-wine": ([178, 3], "weights"),
    }
    for name, (shape, content) in shapes.items():
        card = yaml.safe_load((project / "config" / "datasets" / f"{name}.yaml").read_text())
        found = card["expected"]
        assert ([found["rows"], found["classes"]], card["content"]) == (shape, content), name
    assert "DCC on my-texts" in find(printed, "fit", "my-texts")
    assert "CoClus on my-own" in find(printed, "fit", "my-own")
    assert "my-wine" in find(printed, "--dataset my-wine")


def test_formats_of_one_matrix_give_one_dataset(said, monkeypatch):
    from recoco.datasets import load_dataset

    project, _ = said
    monkeypatch.setenv("RECOCO_ROOT", str(project))
    names = ("my-mtx", "my-npz", "my-arrays", "my-mat")
    loaded = [load_dataset(name) for name in names]
    for data in loaded:
        back = np.argsort(data.permutation)
        assert data.X[back].toarray().tolist() == [
            *([2, 1, 0, 0], [1, 3, 0, 0], [0, 0, 1, 2], [0, 1, 2, 2])
        ]
        assert data.labels[back].tolist() == [0, 0, 1, 1]


@pytest.mark.workflow
def test_own_methods_in_a_table(said):
    """The workflow runs a class, a command and an estimator of one's own beside the others."""
    project, _ = said
    paper = copy.deepcopy(MINI_PAPER)
    table = paper["items"]["table2"]
    table["datasets"] = paper["items"]["table1"]["datasets"] = {"PLANTED": "planted-small"}
    own = ("nearest-seed", "my-program", "spectral-coclustering")
    table["extra_methods"] = {name: name for name in (*own, "broken")}
    write_paper(project, paper)
    with (project / "config" / "methods.yaml").open("a") as stream:
        stream.write('broken: {command: "python3 no-such-file.py {matrix} {labels}"}\n')
    done = recoco(project, "reproduce", "--quick", "--cores", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    scores = pd.read_parquet(project / "results" / "scores" / "planted-small.parquet")
    means = scores[scores["kind"] == "run"].groupby("method")["nmi"].mean()
    assert means["null"] < means[list(own)].min()
    assert means.get("broken") is None or np.isnan(means["broken"])
    page = (project / "reports" / "index.html").read_text(encoding="utf-8")
    for name in own:
        assert name in page


def test_matrix_larger_than_memory(said):
    project, printed = said
    nnz = mmread(project / "counts.mtx").nnz
    assert f"4 x 4, {nnz} non-zeros" in find(printed, "--method coclus --matrix")
    for name in ("rows.txt", "columns.txt"):
        labels = np.loadtxt(project / "big" / name, dtype=int)
        assert labels.shape == (4,) and set(labels) <= {0, 1}
    assert (project / "big" / "tfidf-l2.csr" / "data.npy").is_file()
    assert (project / "large.csr" / "matrix.json").is_file()
