"""The report of ensembles and co-clusters, from made-up inputs."""

import re
from pathlib import Path

import pandas as pd
import pytest

import report_fixture
from recoco.report import render


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    inputs = report_fixture.make(tmp_path_factory.mktemp("ebco"), papers=("ebco",))
    render(**inputs)
    return Path(inputs["out_dir"])


def figure(report, name):
    return (report / "figures" / f"ebco_{name}.svg").read_text(encoding="utf-8")


def test_bars_of_a_method_that_is_printed_nowhere(report):
    drawn = figure(report, "figure2")
    assert "CoCE" in drawn and "NMI" in drawn and "ARI" in drawn
    assert drawn.count("no data") >= 2  # nothing of LA12, in either panel


def test_modularity_says_where_it_is_largest(report):
    drawn = figure(report, "figure3a")
    assert drawn.count("largest at 5") == 2 and "95 %" in drawn


def test_partial_collections_from_strict_to_all(report):
    drawn = figure(report, "figure3")
    names = re.findall(r">(95 %|80 %|50 %|all)<", drawn)
    assert names[:4] == ["95 %", "80 %", "50 %", "all"]
    assert drawn.count("3–9") == 3  # the complete collection has no range of its own


def test_pictures_are_seen_on_either_ground(report):
    drawn = figure(report, "figure4")
    assert "data:image/png" in drawn and "4 co-clusters" in drawn and "no data" in drawn
    page = (report / "index.html").read_text(encoding="utf-8")
    assert "img-src data:" in page


def test_topics_of_every_number_of_co_clusters(report):
    drawn = figure(report, "figure5")
    for text in ("g′ = 4", "g′ = 3", "g′ = 2", "cranfield", "No data: PUBMED10, CSTR."):
        assert text in drawn


def test_words_with_their_npmi_beside_what_is_printed(report):
    table = pd.read_csv(report / "tables" / "ebco_table4.csv", keep_default_na=False)
    words = table.filter(like="Words by").iloc[:, 0]
    ours = table["Dataset"] == "CLASSIC4"
    assert ours.sum() == 4 + 3 + 2
    assert words[ours].iloc[0] == "heart 0.30, wing 0.20, flow <b> –"
    printed = words[table["Dataset"] == "PUBMED10, printed"]
    assert len(printed) == 7 and printed.iloc[0].startswith("uric 0.52, kidney 0.46")
    assert "flow <b>" not in (report / "index.html").read_text(encoding="utf-8")


def test_mean_gains_of_text_and_table(report):
    table = pd.read_csv(report / "tables" / "ebco_gains.csv", dtype=str, keep_default_na=False)
    assert table["EBCO minus"].tolist()[:3] == [
        "mean, as the text says",
        *["mean of the cells"] * 2,
    ]
    assert table["NMI printed"].tolist()[:3] == ["0.098", "+0.1100", "+0.1100"]
    assert table["NMI measured"].tolist()[2] == "+0.2000"
    assert "–" in table["NMI measured"].tolist()  # LA12 is not at hand
