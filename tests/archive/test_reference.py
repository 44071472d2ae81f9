"""The reference run: saved, made again from its scores, and compared with what is here."""

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from recoco.archive import reference
from recoco.archive.reference import again, saving
from recoco.archive.reference.agreement import TIERS, agreement, agreement_line, show_agreement
from recoco.archive.reference.scores import marks_of_blocks, read_marks, split_scores, write_scores
from recoco.core.errors import RecocoError
from recoco.core.files import write_arrays
from support.projects import CHECKOUT, MINI_PAPER, recoco, write_paper
from support.reference_run import NUMBERS, read_cells, write_cells

# ---- scores ---------------------------------------------------------------------------------


def write_block(path: Path, labels, start: int = 0) -> Path:
    labels = np.asarray(labels, np.uint8)
    runs = range(start, start + len(labels))
    record = {"status": "ok", "error": "", "seeds": [f"{run:032x}" for run in runs]}
    write_arrays(
        path,
        {
            "run": np.array(runs, np.int32),
            "row_labels": labels,
            "record": np.array(json.dumps(record)),
        },
    )
    return path


def score_table(dataset: str, n_runs: int) -> pd.DataFrame:
    seeds = [hashlib.sha256(f"{dataset}{run}".encode()).hexdigest()[:32] for run in range(n_runs)]
    runs = pd.DataFrame({"run": range(n_runs), "seed": seeds, "kind": "run", "nmi": 1 / 3})
    runs["details"] = '{"start": 0}'
    medoid = pd.DataFrame({"run": [n_runs], "kind": ["medoid"], "nmi": [0.5]})
    frame = pd.concat([runs, medoid], ignore_index=True)
    return frame.assign(dataset=dataset, weighting="count", slug="coclus", params="{}")


def test_scores_go_into_one_file_and_out_again(tmp_path):
    files = []
    for dataset in ("b", "a"):
        files.append(tmp_path / f"{dataset}.parquet")
        score_table(dataset, 4).to_parquet(files[-1], index=False)
    marks = {("a", "count", "coclus", run): 10 + run for run in range(4)}
    asked = {"a/count/coclus": 4, "b/count/coclus": 4}
    write_scores(files, marks, tmp_path / "one" / "scores.parquet", asked)
    write_scores(files[::-1], marks, tmp_path / "two" / "scores.parquet", asked)
    one, two = (tmp_path / name / "scores.parquet" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert read_marks(one) == {"a/count/coclus": {run: 10 + run for run in range(4)}}
    for path in split_scores(one, tmp_path / "again"):
        before = pd.read_parquet(tmp_path / path.name).drop(columns="params")
        after = pd.read_parquet(path)
        assert list(after.columns) == list(before.columns)
        # A seed is shortened, which keeps apart what was apart.
        assert [str(seed) for seed in after["seed"][:4]] == [s[:16] for s in before["seed"][:4]]
        assert after["seed"].isna().sum() == 1
        pd.testing.assert_frame_equal(
            after.drop(columns="seed"), before.drop(columns="seed"), check_dtype=False
        )


def test_what_another_paper_asked_for_is_left_out(tmp_path):
    frames = [score_table("a", 2), score_table("a", 3).assign(slug="dcc")]
    pd.concat(frames).to_parquet(tmp_path / "a.parquet", index=False)
    for runs in (3, 2):  # it may ask for more runs of the same setting, too
        write_scores([tmp_path / "a.parquet"], {}, tmp_path / "one.parquet", {"a/count/dcc": runs})
        kept = pd.read_parquet(tmp_path / "one.parquet")
        assert set(kept["slug"]) == {"dcc"}
        assert (kept["kind"] == "run").sum() == runs and len(kept) == runs + 1


def test_no_scores_are_no_reference(tmp_path):
    with pytest.raises(RecocoError, match="No scores yet"):
        write_scores([], {}, tmp_path / "scores.parquet", {})


def test_equal_partitions_have_equal_marks(tmp_path):
    first = write_block(tmp_path / "0-2.npz", [[0, 0, 1], [0, 1, 0]])
    second = write_block(tmp_path / "2-4.npz", [[0, 0, 1], [0, 1, 2]], start=2)
    marks = marks_of_blocks([first, second])
    assert sorted(marks) == [0, 1, 2, 3]
    assert marks[0] == marks[2] and len(set(marks.values())) == 3
    assert sorted(marks_of_blocks([first, second], 3)) == [0, 1, 2]


# ---- agreement ------------------------------------------------------------------------------

COLUMNS = ("cell", "measured", "measured_sd", "ci_low", "ci_high", "n_runs", "combination")


def cells(path: Path, rows) -> None:
    """Write cells as (name, measured, low, high, runs, verdict)."""
    made = [
        dict(zip(COLUMNS, (name, value, "0.1", low, high, runs, "single"), strict=True))
        | {"verdict": verdict}
        for name, value, low, high, runs, verdict in rows
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(made).to_csv(path, index=False)


@pytest.fixture
def both(tmp_path) -> Path:
    """A project with cells of every tier, here and in the reference."""
    there, here = reference.folder_of(tmp_path), tmp_path / "results"
    same = ("same", 0.5, 0.4, 0.6, 100, "lower")
    cells(
        there / "data" / "mini_cells.csv",
        [
            same,
            ("fewer runs", 0.50, 0.49, 0.51, 100, "lower"),
            ("near", 0.50, 0.45, 0.55, 100, "lower"),
            ("near by ours", 0.50, 0.50, 0.50, 1, "lower"),
            ("far", 0.50, 0.49, 0.51, 100, "lower"),
            ("far and other", 0.50, 0.49, 0.51, 100, "higher"),
            ("two settings", 0.001, "", "", 100, "lower"),
            ("only there", 0.5, 0.4, 0.6, 100, "lower"),
            ("nothing there", "", "", "", "", "unreachable"),
        ],
    )
    cells(
        here / "compare" / "mini" / "cells.csv",
        [
            same,
            ("fewer runs", 0.90, 0.89, 0.91, 2, "lower"),
            ("near", 0.54, 0.53, 0.55, 100, "lower"),
            ("near by ours", 0.52, 0.48, 0.56, 9, "lower"),
            ("far", 0.90, 0.89, 0.91, 100, "lower"),
            ("far and other", 0.10, 0.09, 0.11, 100, "lower"),
            ("two settings", 0.2, "", "", 2, "lower"),
            ("nothing there", 0.5, 0.4, 0.6, 100, "lower"),
            ("only here", 0.5, 0.4, 0.6, 100, "lower"),
        ],
    )
    cells(here / "compare" / "other" / "cells.csv", [same])
    trials = {
        "fewer runs": "d/count/a",
        "near": "d/count/b",
        "far": "d/count/b",
        "two settings": "d/count/a | d/count/b",
    }
    measures = [{"cell": c, "combination": "single", "trial": t} for c, t in trials.items()]
    pd.DataFrame(measures).to_csv(here / "compare" / "mini" / "measures.csv", index=False)
    marks = {}
    for slug, labels in {"a": [[0, 0, 1], [0, 1, 0]], "b": [[0, 1, 1], [0, 1, 2]]}.items():
        block = write_block(here / "runs" / "d" / "count" / slug / "0-2.npz", labels)
        known = marks_of_blocks([block])
        marks |= {("d", "count", slug, run): mark for run, mark in known.items()}
    marks["d", "count", "b", 1] = 5  # run 1 of b was another partition in the reference
    tables = []
    for slug in ("a", "b"):
        table = score_table("d", 3).assign(slug=slug)
        tables.append(table)
    pd.concat(tables).to_parquet(tmp_path / "d.parquet", index=False)
    asked = {"d/count/a": 3, "d/count/b": 3}
    write_scores([tmp_path / "d.parquet"], marks, there / "mini" / reference.SCORES, asked)
    (there / "mini" / reference.RECEIPT).write_text("receipt")
    return tmp_path


def test_every_cell_is_in_the_first_tier_that_holds(both):
    tiers = {entry.cell: entry.tier for entry in agreement(both)}
    assert tiers == {
        "same": "identical",
        "fewer runs": "partitions",
        "near": "interval",
        "near by ours": "interval",
        "far": "differs",
        "far and other": "differs",
        "two settings": "differs",
    }
    assert set(tiers.values()) == set(TIERS)
    assert len(agreement(both, ["mini"])) == len(tiers) and agreement(both, ["other"]) == []


def test_the_line_names_every_tier(both, capsys):
    line = agreement_line(agreement(both))
    assert line.startswith("reference: of 7 cells in both, 1 identical / 1 the same partitions")
    assert "2 inside the 95 % interval / 3 differ (2 with the same verdict" in line
    show_agreement(both)
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == line and len(said) == 4
    assert "far and other: 0.1 here, 0.5 there, another verdict" in said
    assert "no cell" in agreement_line([])


def test_without_a_reference_nothing_is_compared(tmp_path):
    assert not reference.is_there(tmp_path)
    for ask in (show_agreement, again.check, again.render):
        with pytest.raises(RecocoError, match="make reference"):
            ask(tmp_path)


# ---- a whole one ----------------------------------------------------------------------------


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.workflow
def test_a_reference_is_saved_made_again_and_compared(finished, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    said = recoco(project, "reference", "--save").stdout
    folder = reference.folder_of(project)
    assert str(folder) in said
    before = digests(folder)
    wanted = {"README.md", "verdicts.svg", "tables/mini_table2.md", "data/mini_cells.csv"}
    part = {"mini/receipt.txt", "mini/scores.parquet", "mini/findings.zip", "mini/provenance.json"}
    assert wanted | part <= set(before)
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert "](tables/mini_table2.md)" in page and "](ranks.svg)" not in page
    assert "](mini/receipt.txt)" in page
    text = b"".join(path.read_bytes() for path in folder.rglob("*.*") if path.is_file())
    assert str(project).encode() not in text

    recoco(project, "reference", "--save")
    assert digests(folder) == before
    assert recoco(project, "reference", "--check").stdout.splitlines()[-1] == "identical"
    line = recoco(project, "reference").stdout.splitlines()[-1]
    assert "3 cells in both, 3 identical" in line

    # Without runs and results the tables still come from the scores.
    for name in ("results", "resources", "logs"):
        shutil.rmtree(project / name)
    table = folder / "tables" / "mini_table2.csv"
    table.write_text(table.read_text().replace("PLANTED", "PLENTY", 1))
    changed = recoco(project, "reference", "--check", check=False)
    assert changed.returncode == 1 and "PLENTY archived, PLANTED now" in changed.stdout
    recoco(project, "reference", "--render")
    assert digests(folder) == before


@pytest.mark.workflow
def test_a_paper_joins_those_that_are_there(finished, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    recoco(project, "reference", "--save")
    before = digests(reference.folder_of(project))
    write_paper(project, MINI_PAPER | {"key": "other"})
    said = recoco(project, "reproduce", "--paper", "other", "--cores", "2").stdout.splitlines()
    assert said[-1].startswith("report: ")  # it has no printed cells, and those of mini are not its
    recoco(project, "reference", "--save")
    after = digests(reference.folder_of(project))
    assert reference.parts_of(reference.folder_of(project)) == ["mini", "other"]
    kept = {name for name in before if name.startswith(("mini/", "tables/mini", "data/mini"))}
    assert kept and all(after[name] == before[name] for name in kept)
    assert "data/other_cells.csv" in after
    page = (reference.folder_of(project) / "README.md").read_text(encoding="utf-8")
    assert "](mini/receipt.txt)" in page and "](other/receipt.txt)" in page
    assert recoco(project, "reference", "--check").stdout.splitlines()[-1] == "identical"
    # The whole report of both, from the reference alone.
    shutil.rmtree(project / "results")
    recoco(project, "reference", "--site", str(tmp_path / "site"))
    text = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="#paper=mini"' in text and 'href="#paper=other"' in text
    assert len(list((tmp_path / "site" / "data").glob("*.html"))) > 0  # every run, by dataset


def test_parts_of_different_days_are_told_apart():
    def part(commit, dataset, code):
        record = {"commit": commit, "dirty": False, "lock_sha256": "l", "python": "3.11"}
        data = [{"dataset": dataset, "status": "ok"}]
        runs = f"all of them ({commit} to 9)."
        more = {"runs": runs, "data_mode": "mirror", "fingerprints": {"coclus": code}}
        return record | more | {"data": data, "master_seed": 1}

    joined = again.join_provenance({"b": part("2", "y", "f"), "a": part("1", "x", "g")})
    assert joined["commit"] == "b: 2 a: 1" and joined["runs"] == "all of them."
    assert joined["data_mode"] == "Data: of 2 datasets 0 were unreachable."
    assert [entry["dataset"] for entry in joined["data"]] == ["x", "y"]
    assert joined["fingerprints"] == {"coclus": "f or g"} and joined["master_seed"] == 1


@pytest.mark.workflow
def test_the_reproduction_ends_with_the_agreement(finished, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    recoco(project, "reference", "--save")
    *_, counts, last = recoco(project, "reproduce", "--cores", "2").stdout.splitlines()
    assert last.startswith("reference: of 3 cells in both, 3 identical")
    assert counts.endswith("the reference run knows none of the others")
    assert reference.is_there(project)  # the report beside it has left it alone


@pytest.mark.workflow
def test_what_the_reference_knows_is_shown_and_used_for_nothing_else(finished, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    recoco(project, "reference", "--save")
    recoco(project, "reproduce", "--cores", "2")
    saved = digests(reference.folder_of(project))
    results = digests(project / "results" / "compare")

    # Another machine had the data: the report alone is rendered again.
    path = reference.folder_of(project) / reference.DATA / "mini_cells.csv"
    rows = read_cells(path)
    gone = next(cell for cell in rows if cell["dataset"] == "GONE")
    gone.update(NUMBERS, measured="0.5123", measured_sd="0.004")
    write_cells(path, rows)
    *_, counts, _ = recoco(project, "reproduce", "--cores", "2").stdout.splitlines()
    assert counts == "3 of 4 cells were computed here, 1 more is known from the reference run"
    table = project / "reports" / "tables" / "mini_table2.md"
    assert r"0.512 ± 0.004 R\*" in table.read_text(encoding="utf-8")
    assert digests(project / "results" / "compare") == results

    # Neither an archive nor a new reference has it.
    for name in ("CITATION.cff", "LICENSE", "README.md", "Makefile"):
        shutil.copy(CHECKOUT / name, project / name)
    recoco(project, "archive", "--cores", "2")
    with zipfile.ZipFile(project / "dist" / "recoco-archive.zip") as archive:
        archived = archive.read("reports/tables/mini_table2.md").decode()
        assert "unreachable" in archived and "0.512" not in archived
        assert "0.512" not in archive.read("results/compare/mini/cells.csv").decode()
    recoco(project, "reference", "--save")
    again_saved = digests(reference.folder_of(project))
    timed = f"mini/{reference.FINDINGS}"  # with the seconds of the report, which differ each time
    assert again_saved.pop(timed) and saved.pop(timed)
    assert again_saved == saved


def test_too_large_a_reference_is_refused(both, monkeypatch):
    monkeypatch.setattr(reference, "MOST_BYTES", 10)
    monkeypatch.setattr(saving, "last_config", lambda root: (SimpleNamespace(papers=[]), {}))
    monkeypatch.setattr(
        saving, "write_pages", lambda r, f, out: (out / "large.bin").write_bytes(b"0" * 99_999)
    )
    before = digests(reference.folder_of(both))
    with pytest.raises(RecocoError, match=r"large\.bin"):
        saving.save(both)
    assert digests(reference.folder_of(both)) == before


# ---- the one of the repository --------------------------------------------------------------

committed = pytest.mark.skipif(
    not reference.is_there(CHECKOUT), reason="reports/reference is not part of this checkout yet"
)


@committed
def test_the_committed_reference_is_small_and_whole():
    folder = reference.folder_of(CHECKOUT)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 20_000_000
    assert (folder / reference.MAP).is_file()
    for key in reference.parts_of(folder):
        for name in (reference.SCORES, reference.FINDINGS, reference.PROVENANCE):
            assert (folder / key / name).is_file(), (key, name)


@committed
@pytest.mark.workflow
def test_the_committed_tables_come_from_the_committed_scores(reference_again):
    assert reference_again[0] == []
