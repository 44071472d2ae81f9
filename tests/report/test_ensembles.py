"""What the report shows of ensembles and co-clusters."""

import re

import pandas as pd
import pytest

from recoco.report import render
from support.report_inputs import own_inputs


@pytest.fixture
def figure(site):
    return lambda name: (site / "figures" / f"ensembles_{name}.svg").read_text(encoding="utf-8")


@pytest.fixture
def table(site):
    def read(name):
        path = site / "tables" / f"ensembles_{name}.csv"
        return pd.read_csv(path, dtype=str, keep_default_na=False)

    return read


def test_bars_of_a_method_that_is_printed_nowhere(figure):
    drawn = figure("figure2")
    assert "CoCE" in drawn and "NMI" in drawn and "ARI" in drawn
    assert drawn.count("no data") >= 2  # nothing of GONE, in either panel


def test_modularity_says_where_it_is_largest(figure):
    drawn = figure("figure3a")
    assert drawn.count("largest at 3") == 2 and "95 %" in drawn


def test_partial_collections_from_strict_to_all(figure, material):
    drawn = figure("figure3")
    names = re.findall(r">(95 %|80 %|all)<", drawn)
    assert names[:3] == ["95 %", "80 %", "all"]
    rows = material.papers["ensembles"].frames["sweeps"]
    ends = {
        end: rows[rows["metric"] == f"threshold_{end}"].set_index("value")["measured"].astype(float)
        for end in ("smallest", "largest")
    }
    ranges = [
        (int(ends["smallest"][value]), int(ends["largest"][value])) for value in ("0.95", "0.8")
    ]
    assert ranges == [(3, 3), (3, 5)]
    # the complete collection has no range of its own
    assert re.findall(r">(\d(?:–\d)?)<", drawn) == ["3", "3–5"]


def test_pictures_are_seen_on_either_ground(figure, page):
    drawn = figure("figure4")
    assert "data:image/png" in drawn and "3 co-clusters" in drawn and "no data" in drawn
    assert "img-src data:" in page and "data:image/png" in page


def test_topics_of_every_number_of_co_clusters(figure):
    drawn = figure("figure5")
    for text in ("g′ = 3", "g′ = 2", "No data: GONE."):
        assert text in drawn


def test_words_beside_what_is_printed(table):
    rows = table("matrices")
    words = rows.filter(like="Words by").iloc[:, 0]
    assert (rows["Dataset"] == "PLANTED").sum() == 3 + 2
    printed = words[rows["Dataset"] == "GONE, printed"]
    assert len(printed) == 1 and printed.iloc[0] == "uric 0.52, kidney 0.46"


def test_words_with_their_npmi(table, material):
    rows = table("matrices")
    words = rows[rows["Dataset"] == "TEXTS"].filter(like="Words by").iloc[:, 0]
    measured = material.papers["ensembles"].frames["neighbours"]
    first = measured[(measured["asked"] == "3") & (measured["cluster"] == "1")]
    shown = [
        f"{row['word']} {float(row['npmi']):.2f}" if row["npmi"] else f"{row['word']} –"
        for row in first.to_dict("records")
    ]
    assert len(shown) > 2 and words.iloc[0].startswith(", ".join(shown[:3]))


def test_a_word_is_no_markup(tmp_path):
    inputs = own_inputs(tmp_path, ("ensembles",))
    path = inputs["compare_dirs"]["ensembles"] / "neighbours.csv"
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    rows.assign(word="flow <b>", npmi="").to_csv(path, index=False)
    render(**inputs)
    shown = (inputs["out_dir"] / "tables" / "ensembles_matrices.csv").read_text(encoding="utf-8")
    assert "flow <b> –" in shown
    assert "flow <b>" not in (inputs["out_dir"] / "index.html").read_text(encoding="utf-8")


def test_mean_gains_of_text_and_table(table, material):
    rows = table("gains")
    assert rows["EBCO minus"].tolist()[:2] == ["mean, as the text says", "mean of the cells"]
    assert rows["NMI printed"].tolist()[:2] == ["0.50", "+0.1967"]
    gains = material.papers["ensembles"].frames["gains"]
    ours = gains[(gains["dataset"] == "PLANTED") & (gains["metric"] == "nmi")]["measured"]
    assert f"{float(ours.iloc[0]):+.4f}".replace("-", "−") in [
        text.replace("-", "−") for text in rows["NMI measured"]
    ]
    assert "–" in rows["NMI measured"].tolist()  # GONE is not available
