"""What the report shows of the WC-NMTF paper: brackets, curves, words and cosines."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest

import report_fixture
import report_words
from recoco.report import render
from recoco.report.cells import dialog_data, verdict_map
from recoco.report.drawing import DRAWINGS, Subject
from recoco.report.figures import draw
from recoco.report.inputs import gather
from recoco.report.items import item_table
from recoco.report.wordlists import first_words, word_groups


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return report_fixture.make(tmp_path_factory.mktemp("wcnmtf"), papers=("wcnmtf",))


def gathered(inputs):
    return gather(**{key: value for key, value in inputs.items() if key != "out_dir"})


@pytest.fixture(scope="module")
def material(inputs):
    return gathered(inputs)


@pytest.fixture(scope="module")
def bare(inputs, tmp_path_factory):
    """The same paper before any of the optional frames is written."""
    folder = tmp_path_factory.mktemp("bare") / "wcnmtf"
    shutil.copytree(inputs["compare_dirs"]["wcnmtf"], folder)
    for name in report_words.FRAMES:
        (folder / f"{name}.csv").unlink()
    out = {"compare_dirs": {"wcnmtf": folder}, "out_dir": folder.parent / "reports"}
    return inputs | out


def texts(material, item) -> list[str]:
    """Return the words of a figure, as its SVG file holds them."""
    _, file, _ = draw(material, material.papers["wcnmtf"], item)
    return [text.replace("&gt;", ">") for text in re.findall(r"<text[^>]*>([^<]*)</text>", file)]


def drawn(material, item):
    """Return the axes of a figure."""
    block = material.papers["wcnmtf"].config["items"][item]
    name = block.get("draw", "parameter_curves")
    return DRAWINGS[name](Subject(material, material.papers["wcnmtf"], item)).axes


def frame(material, name) -> pd.DataFrame:
    rows = material.papers["wcnmtf"].frames[name]
    return rows.assign(**{c: pd.to_numeric(rows[c]) for c in rows if c.startswith("measured")})


# ---- Table 2 -----------------------------------------------------------------------------


def test_a_bracket_stands_beside_its_mean(material):
    table = item_table(material, material.papers["wcnmtf"], "table2")
    heads = [[part[:2] for part in row] for row in table.header()]
    kinds = [("mean", 2), ("lowest criterion", 2)] * 2
    assert heads[0] == [("", 1), ("", 1), ("NMI", 4), ("ARI", 4)]
    assert heads[1] == [("", 1), ("", 1), *kinds]
    assert heads[2][:2] == [("Dataset", 1), ("Method", 1)]
    assert len(table.rows) == 5 * 9
    row = next(r for r in table.rows if (r[0].text, r[1].text) == ("CSTR", "GNMF"))
    assert [entry.text for entry in row[2::2]] == ["0.57 ± 0.08", "0.42", "0.53 ± 0.11", "0.39"]
    assert row[5].cell.endswith(":GNMF:nmi_best")
    assert "±" not in row[5].text  # one run has no deviation
    assert table.starts() == {9, 18, 27, 36}
    assert any("lowest criterion" in note for note in table.notes)


def test_all_180_cells_are_in_the_table_once(material):
    table = item_table(material, material.papers["wcnmtf"], "table2")
    ids = [entry.cell for row in table.rows for entry in row if entry.cell]
    assert len(ids) == len(set(ids)) == 180


def test_only_brackets_are_explained_in_the_dialog(material):
    cells = dialog_data(material)["cells"]
    explained = {key for key, cell in cells.items() if "about" in cell}
    assert explained == {key for key in cells if key.endswith("_best")}
    bracket = cells["wcnmtf:table2:TREC:tfidf-l2:NMF:ari_best"]
    assert "lowest criterion of all runs" in bracket["about"]


def test_squares_are_grouped_by_metric_where_there_is_one_weighting(material):
    papers = {paper["key"]: paper["entries"] for paper in verdict_map(material)}
    table2 = papers["wcnmtf"][0]
    names = ["NMI", "NMI, lowest criterion", "ARI", "ARI, lowest criterion"]
    assert table2["heads"] == tuple((name, 9) for name in names)
    assert [group["head"] for group in table2["rows"][0]["groups"]] == names
    by_weighting = next(e for e in papers["coclus"] if e["title"] == "Table 2")
    assert [head for head, _ in by_weighting["heads"]] == ["binary", "count", "tfidf-l2"]
    # A heading wider than its squares would run into the next.
    for entries in papers.values():
        for entry in entries:
            assert all(len(head) <= max(3, 3.2 * n) for head, n in entry["heads"])
    long = next(e for e in papers["costar"] if e["title"] == "Text, Section 5.3.2")
    assert long["heads"] == ()


# ---- figures -----------------------------------------------------------------------------


def test_gains_stand_beside_vocabulary_sizes(material):
    words = texts(material, "figure2")
    assert {"CSTR", "CLASSIC4", "NG20", "TREC", "LA Times", "data unreachable here"} <= set(words)
    # Table 2: CSTR 0.76 - 0.67 and 0.81 - 0.64, and so on.
    assert {"+9 / +17", "+17 / +27", "+23 / +24", "+8 / +10", "+11 / +15"} <= set(words)
    assert words.count("no data") == 2  # LA Times, under two combinations
    rows = frame(material, "measures").query("combination == 'single+card'")
    means = rows.set_index("cell")["measured"]
    gains = [
        means[f"wcnmtf:table2:TREC:tfidf-l2:WC-NMTF:{m}"]
        - means[f"wcnmtf:table2:TREC:tfidf-l2:NMTF:{m}"]
        for m in ("nmi", "ari")
    ]
    text = " / ".join(f"{100 * gain:+.1f}".replace("-", "−") for gain in gains)
    assert text in words


def test_coherence_names_methods_datasets_and_corpora(material):
    words = texts(material, "figure3")
    assert {"NMTF", "WC-NMTF", "CLASSIC4", "NG20", "TREC", "LA Times"} <= set(words)
    assert {"m = g", "m = 50", "m = 300"} <= set(words)
    said = " ".join(words)
    assert "20 newsgroups, BBC and Reuters, 31 million words" in said
    assert "NG20: BBC and Reuters, 9 million" in said
    assert words.count("no data") == 3  # LA Times, at every m
    assert "CSTR" not in words  # the item leaves it out


def test_bars_are_as_high_as_the_mean_pmi(material):
    rows = material.papers["wcnmtf"].frames["coherence"]
    wanted = rows[rows["column_clusters"] == "50"]["pmi"].astype(float)
    axes = next(a for a in drawn(material, "figure3") if a.get_title(loc="left") == "m = 50")
    assert sorted(bar.get_height() for bar in axes.patches) == pytest.approx(sorted(wanted))


def test_cosines_are_shares_and_fit_their_panels(material):
    panels = drawn(material, "figure4")
    assert len(panels) == 4 * 3
    filled = [axes for axes in panels if axes.patches]
    assert len(filled) == 3 * 3
    for axes in filled:
        outlines = [patch.get_data()[0] for patch in axes.patches]
        assert len(outlines) == 4  # a ground and a line for each method
        assert all(np.sum(values) == pytest.approx(1) for values in outlines)
        assert max(values.max() for values in outlines) <= axes.get_ylim()[1]
        medians = [line.get_xdata()[0] for line in axes.lines]
        assert medians[0] < medians[1]  # NMTF, then WC-NMTF, as made up
    words = texts(material, "figure4")
    assert {"m = g", "m = 50", "m = 300", "median", "NMTF", "WC-NMTF"} <= set(words)
    assert words.count("no data") == 3


@pytest.mark.parametrize("histogram", ["", "0 0 0", "1 nan 2"])
def test_a_histogram_that_says_nothing_is_no_data(inputs, tmp_path, histogram):
    folder = tmp_path / "wcnmtf"
    shutil.copytree(inputs["compare_dirs"]["wcnmtf"], folder)
    rows = pd.read_csv(folder / "cosines.csv", dtype=str, keep_default_na=False)
    rows.loc[rows["dataset"] == "TREC", "histogram"] = histogram
    rows.to_csv(folder / "cosines.csv", index=False)
    words = texts(gathered(inputs | {"compare_dirs": {"wcnmtf": folder}}), "figure4")
    assert words.count("no data") == 6


def test_curves_over_lambda_have_the_level_of_nmtf(material):
    words = texts(material, "figure5")
    assert {"NMI", "ARI", "λ (logarithmic)", "0.0001", "1", "1000"} <= set(words)
    assert {"CSTR", "TREC", "LA Times: no data", "λ = 0 (NMTF)"} <= set(words)
    rows = frame(material, "sweeps").query("item == 'figure5' and metric == 'nmi'")
    axes = drawn(material, "figure5")[0]
    assert axes.get_xscale() == "log"
    levels = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == ":"]
    assert levels == pytest.approx(list(rows[rows["value"] == "0"]["measured"]))
    curves = [line for line in axes.lines if line.get_linestyle() == "-"]
    first = rows[(rows["dataset"] == "CSTR") & (rows["value"] != "0")]
    assert list(curves[0].get_xdata()) == pytest.approx(report_words.LAMBDAS[1:])
    assert list(curves[0].get_ydata()) == pytest.approx(list(first["measured"]))
    low, high = axes.get_ylim()
    every = frame(material, "sweeps").query("item == 'figure5'")["measured"]
    assert low <= every.min() - 0.02 and every.max() + 0.02 <= high


def test_curves_over_m_begin_at_the_number_of_classes(material):
    words = texts(material, "figure6")
    assert {"number of column clusters m", "5", "100", "300"} <= set(words)
    assert "λ = 0 (NMTF)" not in words
    axes = drawn(material, "figure6")[0]
    assert [int(line.get_xdata()[0]) for line in axes.lines] == [4, 4, 20, 10]
    assert {int(line.get_xdata()[-1]) for line in axes.lines} == {300}


def test_a_sweep_has_its_numbers_as_a_table(material):
    table = item_table(material, material.papers["wcnmtf"], "figure5")
    assert [column.path for column in table.columns] == [
        *(("Dataset",), ("λ",), ("NMI",), ("ARI",), ("Runs",))
    ]
    assert len(table.rows) == 4 * len(report_words.LAMBDAS)
    assert [row[1].text for row in table.rows[:9]] == [
        *("0", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000")
    ]
    assert re.fullmatch(r"0\.\d{3} ± 0\.020", table.rows[0][2].text)
    assert table.rows[0][4].text == "10"
    assert table.notes == ["No data: LA Times."]


# ---- words -------------------------------------------------------------------------------


def test_first_words_of_a_note():
    assert first_words("cluster=1; first words: armenia/turk") == ["armenia", "turk"]
    assert first_words("cluster=2") == []


def test_printed_clusters_stand_beside_measured_ones(material):
    group, *others = word_groups(material, material.papers["wcnmtf"], "words")
    assert group["title"] == "NG20, WC-NMTF, m = g = 20"
    assert (group["of"], group["run"], group["printed"]) == (20, "17", True)
    cards = group["cards"]
    assert [card["place"] for card in cards] == [str(n) for n in range(1, 11)]
    assert [card["printed"] for card in cards[:3]] == ["4.43", "3.83", "3.78"]
    assert cards[0]["first"] == ["armenia", "turk"]
    rows = material.papers["wcnmtf"].frames["words"]
    rows = rows[(rows["dataset"] == "NG20") & (rows["method"] == "WC-NMTF")]
    top = rows[rows["place"] == "1"].iloc[0]
    assert cards[0]["pmi"].text == f"{float(top['pmi']):.3f}"
    assert cards[0]["pmi"].cell.startswith("wcnmtf:table3:NG20:tfidf-l2:WC-NMTF:pmi:cluster=1")
    assert [word for word, _ in cards[0]["words"]] == top["words"].split()[:20]
    known = {word: why for card in cards for word, why in card["words"] if why}
    assert "printed cluster 1, PMI 4.43" in known["turk"]
    assert "orbit" not in known
    assert [(group["title"], len(group["cards"])) for group in others] == [
        *(("CLASSIC4, NMTF, m = g = 4", 4), ("CLASSIC4, WC-NMTF, m = g = 4", 4)),
        ("NG20, NMTF, m = g = 20", 10),
        *(("TREC, NMTF, m = g = 10", 10), ("TREC, WC-NMTF, m = g = 10", 10)),
    ]


def test_the_table_of_clusters_has_both_sides(material):
    table = item_table(material, material.papers["wcnmtf"], "words")
    assert [" ".join(column.path) for column in table.columns] == [
        *("Clusters of", "Place", "PMI printed", "PMI measured"),
        *("First words, printed", "Words, the most typical first"),
    ]
    assert len(table.rows) == 48
    row = [entry.text for entry in table.rows[3]]
    assert row[1:3] == ["4", "3.71"] and row[4] == "key secur"
    assert table.rows[3][3].verdict == "variant"
    assert len(row[5].split()) == 20
    assert table.rows[10][2].text == ""  # nothing is printed about the other groups


def test_an_item_about_cosines_has_their_quantiles(material):
    paper = material.papers["wcnmtf"]
    assert word_groups(material, paper, "closeness") == []
    table = item_table(material, paper, "closeness")
    assert len(table.rows) == 3 * 2 * 3
    row = dict(zip((c.path[0] for c in table.columns), table.rows[0], strict=True))
    assert (row["Dataset"].text, row["Method"].text, row["m"].text) == ("CLASSIC4", "NMTF", "4")
    shares = [float(row[name].text) for name in ("5 %", "25 %", "Median", "75 %", "95 %")]
    assert shares == sorted(shares)


def test_densities_mark_only_what_agrees(material):
    table = item_table(material, material.papers["wcnmtf"], "densities")
    assert [column.path[-1] for column in table.columns[3:]] == ["printed", "N = 1", "N = 2"]
    assert len(table.rows) == 4 * 4
    marked = [row for row in table.rows if any(entry.mark for entry in row)]
    (row,) = marked
    words = ["TREC", "product of the TF-IDF entries", "left out", "15.84", "15.84", "11.00"]
    assert [entry.text for entry in row] == words
    assert [entry.mark for entry in row] == ["", "", "", "", "=", ""]
    assert table.notes == ["No data: LA Times."]


# ---- what is missing ---------------------------------------------------------------------


def test_the_report_stands_without_the_optional_frames(bare):
    counts = render(**bare)
    assert counts["variant"] > 0
    folder = bare["out_dir"]
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert "nothing measured" in text and "armenia, turk" in text  # the printed cards stay
    assert text.count("Nothing of this item is in the report.") == 2  # closeness and densities
    assert (folder / "figures" / "wcnmtf_figure5.svg").is_file()
    assert not (folder / "tables" / "wcnmtf_figure5.csv").exists()


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ("figure3", "no coherence was measured"),
        ("figure4", "no data"),
        ("figure5", "nothing was measured"),
        ("figure6", "nothing was measured"),
    ],
)
def test_an_empty_figure_says_so(bare, item, says):
    assert says in texts(gathered(bare), item)


def test_gains_need_no_combination(inputs, tmp_path):
    folder = tmp_path / "wcnmtf"
    shutil.copytree(inputs["compare_dirs"]["wcnmtf"], folder)
    rows = pd.read_csv(folder / "combinations.csv", dtype=str)
    rows.iloc[:0].to_csv(folder / "combinations.csv", index=False)
    words = texts(gathered(inputs | {"compare_dirs": {"wcnmtf": folder}}), "figure2")
    assert "+9 / +17" in words and "printed" in words
    assert not [word for word in words if "measured" in word]
