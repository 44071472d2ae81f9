"""What the reference run knows of cells that could not be computed here."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from recoco.archive import reference
from recoco.compare.verdicts import VERDICTS
from recoco.core.errors import RecocoError
from recoco.report import exports, render
from recoco.report.cells import dialog_data, verdict_map
from recoco.report.overlay import LABEL, files_of, known_cells, sentence, tally
from recoco.report.verdict_picture import verdict_picture
from support.reference_run import COMMIT, SHA256, lose, missing, read_cells, row, write_reference
from support.report_inputs import gathered, own_inputs, table_of

# What was lost of the mini project; TRIO failed here, which the reference must not hide.
LOST = {"PAIR": "unreachable", "TRIO": "failed", "FOUR": "not-run"}


def known(root, *rows) -> dict:
    return known_cells(root, {"mini": rows})


# ---- which cells are known ------------------------------------------------------------------


def test_a_cell_without_a_number_is_that_of_the_reference(tmp_path):
    write_reference(tmp_path, [row("a", verdict="lower"), row("b"), row("c")])
    here = [missing("a"), missing("b", "not-run"), missing("only here")]
    cells = known(tmp_path, *here)
    assert sorted(cells) == ["a", "b"]
    assert (cells["a"].verdict, cells["a"].row["measured"]) == ("lower", "0.905")
    assert cells["a"].sha256 == (SHA256,) and cells["a"].commit == COMMIT


@pytest.mark.parametrize("verdict", sorted(VERDICTS.keys() - {"unreachable", "not-run"}))
def test_any_other_verdict_stays_in_sight(tmp_path, verdict):
    write_reference(tmp_path, [row("a")])
    assert known(tmp_path, row("a", verdict=verdict)) == {}


@pytest.mark.parametrize("verdict", ["unreachable", "failed", "not-run"])
def test_a_reference_without_a_number_knows_nothing(tmp_path, verdict):
    write_reference(tmp_path, [missing("a", verdict)])
    assert known(tmp_path, missing("a")) == {}


@pytest.mark.parametrize(
    "changed",
    [
        {"printed": "0.91"},
        {"printed": "0.90"},
        {"printed_sd": "0.02"},
        {"printed_note": "<"},
        {"item": "table3"},
        {"dataset": "B"},
        {"weighting": "count"},
        {"method": "N"},
        {"metric": "nmi"},
    ],
)
def test_a_verdict_counts_for_the_number_it_was_given_on_only(tmp_path, changed):
    write_reference(tmp_path, [row("a")])
    assert known(tmp_path, missing("a")) and not known(tmp_path, missing("a", **changed))


def test_without_a_reference_nothing_is_known(tmp_path):
    assert known(tmp_path, missing("a")) == {} and files_of(tmp_path, ["mini"]) == []
    write_reference(tmp_path, [row("a")], "other")
    assert known(tmp_path, missing("a")) == {} and files_of(tmp_path, ["mini"]) == []


def test_an_unreadable_reference_is_named(tmp_path):
    path = write_reference(tmp_path, [row("a")])
    pd.read_csv(path).drop(columns="reason").to_csv(path, index=False)
    with pytest.raises(RecocoError, match=r"mini_cells\.csv lacks the column 'reason'"):
        known(tmp_path, missing("a"))


def test_columns_that_are_new_here_do_not_matter(tmp_path):
    write_reference(tmp_path, [row("a")])
    assert known(tmp_path, missing("a") | {"another": "1"})


def test_the_report_reads_no_other_files(tmp_path):
    write_reference(tmp_path, [row("a")])
    files = files_of(tmp_path, ["mini", "other"])
    assert [path.name for path in files] == ["mini_cells.csv", reference.PROVENANCE]
    kept = {path.read_bytes() for path in files}
    before = known(tmp_path, missing("a"))
    for path in reference.folder_of(tmp_path).rglob("*.*"):
        if path not in files:
            path.unlink()
    assert len(kept) == 2 and known(tmp_path, missing("a")) == before


# ---- how many -------------------------------------------------------------------------------


def test_both_counts_are_said(tmp_path):
    write_reference(tmp_path, [row("a"), row("b"), missing("c"), row("d")])
    here = [missing("a"), missing("b", "not-run"), missing("c"), missing("d", "failed")]
    here += [row(f"e{i}", verdict="variant") for i in range(3)]

    def said(*rows):
        return sentence({"mini": rows}, known(tmp_path, *rows))

    assert said(*here) == (
        "3 of 7 cells were computed here, 2 more are known from the reference run, 2 from neither"
    )
    assert said(here[0], here[4]) == (
        "1 of 2 cells were computed here, 1 more is known from the reference run"
    )
    assert said(here[2], here[4]).endswith("here; the reference run knows none of the others")
    assert said(*here[4:]) == "all 3 cells were computed here"


def test_a_tally_counts_every_cell_once():
    there = SimpleNamespace(verdict="lower")
    cells = [
        *(SimpleNamespace(verdict="unreachable", known=known) for known in (there, there, None)),
        SimpleNamespace(verdict="lower", known=None),
    ]
    counts = tally(cells)
    assert (counts.own["unreachable"], counts.own["lower"]) == (3, 1)
    assert (counts.left["unreachable"], counts.left["lower"]) == (1, 1)
    assert counts.known["lower"] == 2 and sum(counts.known.values()) == 2
    assert sum(counts.left.values()) + sum(counts.known.values()) == len(cells)


# ---- what is shown --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Results of the mini project of which most are lost, and its reference."""
    folder = tmp_path_factory.mktemp("overlay")
    inputs = own_inputs(folder, ("tables", "words"))
    lose(folder, "tables", LOST)
    lose(folder, "words", LOST)
    return inputs | {"with_reference": folder}


@pytest.fixture(scope="module")
def overlaid(inputs):
    return gathered(inputs)


@pytest.fixture(scope="module")
def as_computed(inputs):
    return gathered(inputs | {"with_reference": None})


def cell_of(material, name):
    return next(cell for cell in material.cells if cell.id == name)


def squares_of(material) -> dict[str, dict]:
    return {
        square["id"]: square
        for paper in verdict_map(material)
        for item in paper["entries"]
        for line in item["rows"]
        for group in line["groups"]
        for square in group["squares"]
    }


PAIR = "tables:table2:PAIR:binary:Coclus:acc"
TRIO = "tables:table2:TRIO:binary:Coclus:acc"
FOUR = "tables:table2:FOUR:binary:Coclus:acc"
GONE = "tables:table2:GONE:binary:Coclus:acc"


def test_the_map_has_the_letter_of_the_reference(overlaid, as_computed, material):
    shown, own, there = map(squares_of, (overlaid, as_computed, material))
    for name in (PAIR, FOUR):
        assert shown[name]["letter"] == there[name]["letter"] in "REBWV"
        assert shown[name]["says"] == f"{there[name]['says']}, {LABEL}"
        assert shown[name]["own"] == own[name]
    for name in (TRIO, GONE):
        assert shown[name] == own[name]
    assert own[TRIO]["letter"] == "F" and own[GONE]["letter"] == "U"


def test_the_dialog_has_the_numbers_and_the_data_of_the_reference(overlaid, inputs):
    rows = {
        cell["cell"]: cell for cell in read_cells(inputs["compare_dirs"]["tables"] / "cells.csv")
    }
    data = dialog_data(overlaid)
    dialog = data["cells"][PAIR]
    assert data["label"] == LABEL
    assert dialog["verdict"] == rows[PAIR]["verdict"] == "unreachable"
    assert dialog["reason"] == rows[PAIR]["reason"] and dialog["facts"][0][1] == "no number"
    known = dialog["known"]
    there = cell_of(overlaid, PAIR).known.row
    assert known["verdict"] == there["verdict"] and known["reason"] == there["reason"]
    facts = dict(known["facts"])
    assert re.fullmatch(r"0\.\d{3} ± .+", facts["measured"])
    assert facts["runs"] == there["n_runs"] and " to " in facts["95 % interval"]
    assert facts["SHA-256 of the data"] == SHA256 and facts["commit"] == COMMIT
    assert "known" not in data["cells"][TRIO] and "known" not in data["cells"][GONE]


def test_tables_have_the_values_of_the_reference(overlaid, as_computed, material):
    shown, own, there = (table_of(m, "tables", "table2") for m in (overlaid, as_computed, material))
    entries = {entry.cell: entry for line in shown.rows for entry in line if entry.cell}
    before = {entry.cell: entry for line in own.rows for entry in line if entry.cell}
    full = {entry.cell: entry for line in there.rows for entry in line if entry.cell}
    assert entries[PAIR].text == full[PAIR].text and entries[PAIR].mark == f"{full[PAIR].mark}*"
    assert entries[PAIR].note.startswith(LABEL)
    assert entries[PAIR].own == before[PAIR] and before[PAIR].text == "unreachable"
    assert entries[TRIO] == before[TRIO] and entries[GONE] == before[GONE]
    assert shown.overlaid and not own.overlaid


def test_exported_tables_say_what_is_not_from_here(overlaid, as_computed):
    table = table_of(overlaid, "tables", "table2")
    lines = exports.to_markdown(table).splitlines()
    pair = next(line for line in lines if line.startswith("| PAIR | binary"))
    assert re.search(r"0\.\d{3} ± \S+ [REBWV]\\\*", pair)
    assert any(line.endswith(rf"; \* {LABEL}") for line in lines)
    assert f"* {LABEL}" in exports.to_latex(table)
    assert f"({LABEL})" in exports.to_csv(table)
    own = table_of(as_computed, "tables", "table2")
    for export in (exports.to_markdown, exports.to_latex, exports.to_csv):
        assert LABEL not in export(own)


def test_word_clusters_have_the_pmi_of_the_reference(overlaid):
    marks = [c.known for c in overlaid.cells if c.paper == "words" and c.known]
    assert marks  # there are such cells
    table = table_of(overlaid, "words", "words")
    for entry in (e for line in table.rows for e in line if e.own):
        assert entry.mark.endswith("*") and entry.own.verdict in ("unreachable", "not-run")


def test_the_picture_explains_its_hatch(overlaid, as_computed):
    text, own = verdict_picture(overlaid), verdict_picture(as_computed)
    counts = tally(overlaid.cells)
    verdict = cell_of(overlaid, PAIR).known.verdict
    assert f'fill="url(#known-{verdict})"' in text and f'id="known-{verdict}"' in text
    assert f">hatched, after the +: {LABEL}<" in text
    label = VERDICTS[verdict].label
    assert f">{label} {counts.left[verdict]} + {counts.known[verdict]}<" in text
    assert "known" not in own and LABEL not in own


def test_results_claims_and_figures_do_not_change(inputs, tmp_path):
    folders = {}
    for name, with_reference in (("with", inputs["with_reference"]), ("without", None)):
        folders[name] = tmp_path / name
        more = {"out_dir": folders[name], "with_reference": with_reference}
        folders[f"{name} counts"] = render(**inputs | more)
    one, two = folders["with"], folders["without"]
    assert folders["with counts"] == folders["without counts"]
    files = [p.relative_to(one) for p in one.rglob("*") if p.is_file()]
    assert sorted(files) == sorted(p.relative_to(two) for p in two.rglob("*") if p.is_file())
    differ = {f.as_posix() for f in files if (one / f).read_bytes() != (two / f).read_bytes()}
    assert {"index.html", "verdicts.svg", "tables/tables_table2.csv"} <= differ
    assert all(name.startswith("tables/") for name in differ - {"index.html", "verdicts.svg"})
    for paper, folder in inputs["compare_dirs"].items():
        shown = one / "data" / f"{paper}_cells.csv"
        assert shown.read_bytes() == (folder / "cells.csv").read_bytes()

    text, own = ((folder / "index.html").read_text(encoding="utf-8") for folder in (one, two))
    rows = {key: read_cells(path / "cells.csv") for key, path in inputs["compare_dirs"].items()}
    said = sentence(rows, known_cells(inputs["with_reference"], rows))
    assert "more are known from the reference run" in said
    assert f'<span id="two-counts">{said}</span>' in text and 'id="only-here"' in text
    assert 'id="two-counts"' not in own and 'id="only-here"' not in own
    hatched = r'class="[^"]*\bknown\b'
    assert re.search(hatched, text) and not re.search(hatched, own)
