"""What the report shows of factors of words: brackets, curves, words and cosines."""

import re

import numpy as np
import pandas as pd
import pytest

from recoco.items.words.table import first_words, word_groups
from recoco.report import render
from recoco.report.cells import dialog_data, verdict_map
from support.report_inputs import drawn, gathered, headings, own_inputs, table_of, texts

FRAMES = ("sweeps", "words", "coherence", "cosines", "densities")


@pytest.fixture
def frame(material):
    """Read a frame of the paper with numbers as numbers."""

    def read(name):
        rows = material.papers["words"].frames[name]
        return rows.assign(**{c: pd.to_numeric(rows[c]) for c in rows if c.startswith("measured")})

    return read


@pytest.fixture
def inputs(tmp_path):
    return own_inputs(tmp_path, ("words",))


def edit(inputs, name, change) -> None:
    """Write a frame of the paper again as ``change`` returns it."""
    path = inputs["compare_dirs"]["words"] / f"{name}.csv"
    change(pd.read_csv(path, dtype=str, keep_default_na=False)).to_csv(path, index=False)


# ---- Table 2 -----------------------------------------------------------------------------


def test_a_bracket_stands_beside_its_mean(material):
    table = table_of(material, "words", "table2")
    heads = [[part[:2] for part in row] for row in table.header()]
    kinds = [("mean", 2), ("lowest criterion", 2)] * 2
    assert heads[0] == [("", 1), ("", 1), ("NMI", 4), ("ARI", 4)]
    assert heads[1] == [("", 1), ("", 1), *kinds]
    assert heads[2][:2] == [("Dataset", 1), ("Method", 1)]
    assert len(table.rows) == 3 + 3 + 2
    row = next(r for r in table.rows if (r[0].text, r[1].text) == ("PLANTED", "WC-NMTF"))
    assert [entry.text for entry in row[2::2]] == ["0.67 ± 0.08", "0.42"] * 2
    assert row[5].cell.endswith(":WC-NMTF:nmi_best")
    assert "±" not in row[5].text  # one run has no deviation
    assert table.starts() == {3, 6}
    assert any("lowest criterion" in note for note in table.notes)


def test_all_cells_are_in_the_table_once(material):
    table = table_of(material, "words", "table2")
    ids = [entry.cell for row in table.rows for entry in row if entry.cell]
    assert len(ids) == len(set(ids)) == 8 * 2 * 2


def test_only_brackets_are_explained_in_the_dialog(material):
    cells = dialog_data(material)["cells"]
    explained = {key for key, cell in cells.items() if "about" in cell}
    assert explained == {key for key in cells if key.endswith("_best")}
    bracket = cells["words:table2:PAIR:count:NMTF:ari_best"]
    assert "lowest criterion of all runs" in bracket["about"]


def test_squares_are_grouped_by_metric_where_there_is_one_weighting(material):
    papers = {paper["key"]: paper["entries"] for paper in verdict_map(material)}
    table2 = papers["words"][0]
    names = ["NMI", "NMI, lowest criterion", "ARI", "ARI, lowest criterion"]
    assert table2["heads"] == ()  # too long to stand over three squares
    assert [group["head"] for group in table2["rows"][0]["groups"]] == names
    by_weighting = next(e for e in papers["tables"] if e["title"].startswith("Table 2"))
    assert [group["head"] for group in by_weighting["rows"][0]["groups"]] == ["binary", "tfidf-l2"]
    scores = next(e for e in papers["studies"] if e["title"] == "Scores")
    assert scores["heads"] == (("NMI", 2), ("ARI", 2))
    # A heading wider than its squares would run into the next.
    for entries in papers.values():
        for entry in entries:
            assert all(len(head) <= max(3, 3.2 * n) for head, n in entry["heads"])


# ---- figures -----------------------------------------------------------------------------


def test_gains_stand_beside_vocabulary_sizes(material, frame):
    words = texts(material, "words", "figure2")
    assert {"PLANTED", "PAIR", "GONE", "data unreachable here"} <= set(words)
    # Table 2: PLANTED 0.67 - 0.50 in both metrics, and so on.
    assert {"+17 / +17", "+20 / +20", "+8 / +8"} <= set(words)
    assert "no data" in words  # GONE
    rows = frame("measures").query("combination == 'small+single'")
    means = rows.set_index("cell")["measured"]
    gains = [
        means[f"words:table2:PLANTED:count:WC-NMTF:{m}"]
        - means[f"words:table2:PLANTED:count:NMTF:{m}"]
        for m in ("nmi", "ari")
    ]
    assert " / ".join(f"{100 * gain:+.1f}".replace("-", "−") for gain in gains) in words


def test_gains_need_no_combination(inputs):
    edit(inputs, "combinations", lambda rows: rows.iloc[:0])
    words = texts(gathered(inputs), "words", "figure2")
    assert "+17 / +17" in words and "printed" in words
    assert not [word for word in words if "measured" in word]


def test_coherence_names_methods_datasets_and_corpora(material):
    words = texts(material, "words", "figure3")
    assert {"NMTF", "WC-NMTF", "m = g", "m = 5"} <= set(words)
    said = " ".join(words)
    corpus = material.papers["words"].frames["coherence"]["corpus"].iloc[0]
    assert "TEXTS" in said and corpus in said
    assert words.count("no data") == 2 * 2  # GONE and PAIR, which has no words, at every m
    assert "PLANTED" not in said  # the item leaves it out


def test_bars_are_as_high_as_the_mean_pmi(material):
    rows = material.papers["words"].frames["coherence"]
    wanted = rows[(rows["column_clusters"] == "5") & (rows["item"] == "words")]["pmi"].astype(float)
    axes = drawn(material, "words", "figure3").axes
    panel = next(a for a in axes if a.get_title(loc="left") == "m = 5")
    assert sorted(bar.get_height() for bar in panel.patches) == pytest.approx(sorted(wanted))


def test_a_corpus_of_one_dataset_is_named_with_it(inputs):
    """Texts that a dataset was made from do not count for it, so it may have other ones."""

    def add(rows):
        other = rows.assign(dataset="PAIR", card="pair", corpus="BBC and Reuters, 9 million words")
        return pd.concat([rows, rows, other])

    edit(inputs, "coherence", add)
    assert "PAIR: BBC and Reuters, 9 million" in " ".join(
        texts(gathered(inputs), "words", "figure3")
    )


def test_cosines_are_shares_and_fit_their_panels(material, frame):
    panels = drawn(material, "words", "figure4").axes
    assert len(panels) == 3 * 3
    filled = [axes for axes in panels if axes.patches]
    assert len(filled) == 2 * 3
    for axes in filled:
        outlines = [patch.get_data()[0] for patch in axes.patches]
        assert len(outlines) == 4  # a ground and a line for each method
        assert all(np.sum(values) == pytest.approx(1) for values in outlines)
        assert max(values.max() for values in outlines) <= axes.get_ylim()[1]
    rows = frame("cosines").query("item == 'closeness' and dataset == 'TEXTS'")
    first = rows[rows["column_clusters"] == rows["column_clusters"].iloc[0]]
    medians = [line.get_xdata()[0] for line in filled[0].lines]
    assert medians == pytest.approx(list(first["median"].astype(float)))  # NMTF, then WC-NMTF
    words = texts(material, "words", "figure4")
    assert {"m = g", "m = 5", "m = 8", "median", "NMTF", "WC-NMTF"} <= set(words)
    assert words.count("no data") == 3


@pytest.mark.parametrize("histogram", ["", "0 0 0", "1 nan 2"])
def test_a_histogram_that_says_nothing_is_no_data(inputs, histogram):
    edit(
        inputs,
        "cosines",
        lambda rows: rows.assign(
            histogram=rows["histogram"].mask(rows["dataset"] == "PAIR", histogram)
        ),
    )
    words = texts(gathered(inputs), "words", "figure4")
    assert words.count("no data") == 6


def test_curves_over_lambda_have_the_level_of_nmtf(material, frame):
    words = texts(material, "words", "figure5")
    assert {"NMI", "ARI", "λ (logarithmic)", "0.1", "1", "10"} <= set(words)
    assert {"PLANTED", "PAIR", "GONE: no data", "λ = 0 (NMTF)"} <= set(words)
    rows = frame("sweeps").query("item == 'figure5' and metric == 'nmi'")
    axes = drawn(material, "words", "figure5").axes[0]
    assert axes.get_xscale() == "log"
    levels = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == ":"]
    assert levels == pytest.approx(list(rows[rows["value"] == "0"]["measured"]))
    curves = [line for line in axes.lines if line.get_linestyle() == "-"]
    first = rows[(rows["dataset"] == "PLANTED") & (rows["value"] != "0")]
    assert list(curves[0].get_xdata()) == pytest.approx([0.1, 1, 10])
    assert list(curves[0].get_ydata()) == pytest.approx(list(first["measured"]))
    low, high = axes.get_ylim()
    every = frame("sweeps").query("item == 'figure5'")
    assert low <= (every["measured"] - every["measured_sd"]).min()
    assert (every["measured"] + every["measured_sd"]).max() <= high


def test_curves_over_m_begin_at_the_number_of_classes(material):
    words = texts(material, "words", "figure6")
    assert {"number of column clusters m", "5"} <= set(words)
    assert "λ = 0 (NMTF)" not in words
    axes = drawn(material, "words", "figure6").axes[0]
    assert [int(line.get_xdata()[0]) for line in axes.lines] == [3, 2]
    assert {int(line.get_xdata()[-1]) for line in axes.lines} == {8}


def test_a_sweep_has_its_numbers_as_a_table(material):
    table = table_of(material, "words", "figure5")
    assert headings(table) == ["Dataset", "λ", "NMI", "ARI", "Runs"]
    assert [row[1].text for row in table.rows] == ["0", "0.1", "1", "10"] * 2
    assert re.fullmatch(r"[01]\.\d{3} ± \d(\.\d{3}|e-\d+)", table.rows[0][2].text)
    assert table.rows[0][4].text == "2"
    assert table.notes == ["No data: GONE."]


# ---- words -------------------------------------------------------------------------------


def test_first_words_of_a_note():
    assert first_words("cluster=1; first words: armenia/turk") == ["armenia", "turk"]
    assert first_words("cluster=2") == []


def test_printed_clusters_stand_beside_measured_ones(material):
    group, *others = word_groups(material, material.papers["words"], "words")
    assert group["title"] == "TEXTS, WC-NMTF, m = g = 3"
    assert (group["of"], group["printed"]) == (3, True)
    rows = material.papers["words"].frames["words"]
    rows = rows[(rows["item"] == "words") & (rows["method"] == "WC-NMTF")]
    rows = rows[rows["column_clusters"] == "3"]
    assert group["run"] == rows["run"].iloc[0]
    cards = group["cards"]
    assert [card["place"] for card in cards] == ["1", "2", "3"]
    assert [card["printed"] for card in cards] == ["4.43", "3.83", ""]
    assert cards[0]["first"] == ["tyre", "cake"]
    top = rows[rows["place"] == "1"].iloc[0]
    assert cards[0]["pmi"].text == f"{float(top['pmi']):.3f}"
    assert cards[0]["pmi"].cell.startswith("words:table3:TEXTS:count:WC-NMTF:pmi:cluster=1")
    assert [word for word, _ in cards[0]["words"]] == top["words"].split()[:20]
    known = {word: why for card in cards for word, why in card["words"] if why}
    assert "printed cluster 1, PMI 4.43" in known["tyre"]
    assert "wheel" not in known
    assert [(other["title"], len(other["cards"])) for other in others] == [
        ("TEXTS, NMTF, m = g = 3", 3),
        *(("TEXTS, NMTF, m = 5", 5), ("TEXTS, WC-NMTF, m = 5", 5)),
    ]


def test_the_table_of_clusters_has_both_sides(material):
    table = table_of(material, "words", "words")
    assert headings(table) == [
        *("Clusters of", "Place", "PMI printed", "PMI measured"),
        *("First words, printed", "Words, the most typical first"),
    ]
    assert len(table.rows) == 3 + 3 + 5 + 5
    row = [entry.text for entry in table.rows[1]]
    assert row[1:3] == ["2", "3.83"] and row[4] == "radio output"
    assert table.rows[1][3].verdict == "variant"
    assert len(row[5].split()) == 20
    assert table.rows[5][2].text == ""  # nothing is printed about the other groups


def test_an_item_about_cosines_has_their_quantiles(material):
    assert word_groups(material, material.papers["words"], "closeness") == []
    table = table_of(material, "words", "closeness")
    assert len(table.rows) == 2 * 2 * 3
    row = dict(zip(headings(table), table.rows[0], strict=True))
    assert (row["Dataset"].text, row["Method"].text, row["m"].text) == ("TEXTS", "NMTF", "3")
    shares = [float(row[name].text) for name in ("5 %", "25 %", "Median", "75 %", "95 %")]
    assert shares == sorted(shares)


def test_densities_mark_only_what_agrees(material):
    table = table_of(material, "words", "densities")
    assert [column.path[-1] for column in table.columns[3:]] == ["printed", "N = 1", "N = 2"]
    assert len(table.rows) == 2 * 4 * 2  # datasets, counts, diagonals
    (row,) = [row for row in table.rows if any(entry.mark for entry in row)]
    words = ["PAIR", "product of the TF-IDF entries", "left out", "48.1"]
    assert [entry.text for entry in row[:4]] == words
    assert [entry.mark for entry in row] == ["", "", "", "", "=", ""]
    assert table.notes == ["No data: GONE."]


# ---- what is missing ---------------------------------------------------------------------


@pytest.fixture
def bare(inputs):
    """The paper before any of the optional frames is written."""
    for name in FRAMES:
        (inputs["compare_dirs"]["words"] / f"{name}.csv").unlink()
    return inputs


def test_the_report_stands_without_the_optional_frames(bare):
    render(**bare)
    folder = bare["out_dir"]
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert "nothing measured" in text and "tyre, cake" in text  # the printed cards stay
    assert text.count("There are no results for this item.") == 2  # closeness and densities
    assert (folder / "figures" / "words_figure5.svg").is_file()
    assert not (folder / "tables" / "words_figure5.csv").exists()


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
    assert says in texts(gathered(bare), "words", item)
