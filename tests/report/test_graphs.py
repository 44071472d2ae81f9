"""What the report shows of items about graphs."""

import pandas as pd
import pytest

from recoco.compare.outputs import OUTPUTS
from recoco.report.figures.method_bars import looks
from recoco.report.items import is_drawn
from support.report_inputs import (
    drawn,
    gathered,
    own_inputs,
    rows_as_text,
    table_of,
    texts,
)


@pytest.fixture
def frame(material):
    return lambda name: material.papers["graphs"].frames[name]


def scores(row) -> str:
    return f"{float(row['measured']):.3f} ± {float(row['measured_sd']):.3f}"


def test_views_as_a_table_and_bars(material, frame):
    table = table_of(material, "graphs", "views")
    rows = rows_as_text(table)
    measured = frame("views").set_index(["graph", "method", "metric"])
    acc, nmi = (measured.loc[("1", "PLBM", metric)] for metric in ("acc", "nmi"))
    shown = [text for row in (acc, nmi) for text in (scores(row), f"{float(row['best']):.3f}")]
    assert rows[0] == ["PLANTED", "1", "PLBM", *shown, "3"]
    assert rows[2][1:3] == ["all graphs at once", "TSPLBM"]
    graphs = "A graph per view: 1 where the cosine is above its 90 % quantile."
    assert table.notes == [graphs, "No data: GONE."]
    said = texts(material, "graphs", "views")
    assert {"PLANTED", "TSPLBM", "graph"} <= set(said) and "GONE" not in said


def test_consensus_inside_and_across(material, frame):
    rows = rows_as_text(table_of(material, "graphs", "ensembles"))
    assert [row[2] for row in rows[:3]] == ["graph 1", "graph 2", "across the graphs"]
    whole = frame("ensembles").set_index("level").loc["all"]
    function, nmi = whole["function"].upper(), f"{float(whole['nmi']):.3f}"
    assert rows[3][1:6] == ["TSPLBM", "all graphs at once", function, "2", nmi]
    assert "consensus inside one graph" in texts(material, "graphs", "ensembles")


def test_ranks_stand_side_by_side(material, frame):
    table = table_of(material, "graphs", "ranks")
    assert [column.path for column in table.columns[2:4]] == [("ACC", "rank 10"), ("ACC", "rank 4")]
    rows = rows_as_text(table)
    extra = frame("extra").set_index(["item", "method", "metric", "combination"])
    first = extra.loc[("ranks", "Tucker + k-means", "acc", "rank10")]
    assert len(rows) == 2 and rows[0][:3] == ["PLANTED", "Tucker + k-means", scores(first)]


def test_the_same_model_is_noted(material):
    table = table_of(material, "graphs", "twins")
    assert "PLBM and SPLBM have the same scores in 3 of 3 runs" in table.notes[0]


def test_the_chosen_number_of_clusters(material, frame):
    rows = rows_as_text(table_of(material, "graphs", "orders"))
    orders = frame("orders")
    chosen = orders["chosen"].str.lower().eq("true").tolist().index(True)
    assert [row[-1].startswith("chosen") for row in rows] == [place == chosen for place in (0, 1)]
    assert rows[1][-1].endswith("number of classes")  # four of two and four
    assert rows[1][2] == f"{float(orders['icl'].iloc[1]):.1f}"


def test_topics(material, frame):
    table = table_of(material, "graphs", "topics")
    rows = rows_as_text(table)
    topics = frame("topics")
    terms = topics[topics["part"] == "term"]
    counts = topics[topics["part"] == "count"]
    shares = [100 * float(terms["value"].iloc[0])]
    shares += [100 * float(v) for v in counts[counts["name"] == terms["name"].iloc[0]]["value"]]
    assert rows[0] == [terms["name"].iloc[0], *(f"{share:.1f}" for share in shares)]
    first = topics[topics["part"] == "topic"].iloc[0]
    assert table.notes[0].startswith(f"Topic 1: {first['name']}, {first['value']} ")
    said = texts(material, "graphs", "topics")
    assert {f"1: {first['name']}", *terms["name"]} <= set(said)
    inertia = 100 * float(first["inertia"].split()[0])
    assert f"first axis, {inertia:.0f} % of the inertia" in said
    assert {rows[0][2], rows[0][0]} <= set(texts(material, "graphs", "frequencies"))


def test_runs_are_drawn_in_order_of_likelihood(material):
    axes = drawn(material, "graphs", "order").axes[0]
    likelihood, acc, _ = (line.get_ydata().tolist() for line in axes.lines)
    runs = material.scores
    ours = runs[
        (runs["dataset"] == "planted-two-views")
        & (runs["weighting"] == "cosine-q90")
        & (runs["slug"] == "tsplbm")
    ].sort_values("criterion")
    assert likelihood[0] == 0 and likelihood[-1] == 1 and likelihood == sorted(likelihood)
    assert acc == pytest.approx(ours["acc"].tolist())


def test_seconds_are_shared_by_the_runs_of_a_job(tmp_path):
    inputs = own_inputs(tmp_path, ("graphs",))
    jobs = [("tsplbm/0-2", 1.0), ("tsplbm/2-3", 2.0), ("tucker-kmeans/0-3", 30.0)]
    pd.DataFrame(
        [("runs", f"planted-two-views/shared/{name}", seconds, 1) for name, seconds in jobs],
        columns=["stage", "name", "seconds", "jobs"],
    ).to_csv(inputs["timings"], index=False)
    (axes,) = drawn(gathered(inputs), "graphs", "seconds").axes
    assert sorted(bar.get_height() for bar in axes.patches) == pytest.approx([1.0, 10.0])


def test_seven_methods_are_told_apart():
    names = [f"{a} + {b}" for a in ("PARAFAC", "Tucker") for b in ("k-means", "SC", "GMM")]
    look = looks([*names, "TSPLBM"])
    assert len({(v["facecolor"], v["hatch"]) for v in look.values()}) == 7
    assert look["Tucker + SC"]["facecolor"] == look["PARAFAC + SC"]["facecolor"]


def test_the_page_and_its_figures(page, site):
    assert "largest likelihood" in page and "graph 1" in page
    figures = {path.stem for path in (site / "figures").glob("*.svg")}
    assert {f"graphs_{i}" for i in ("plain", "views", "ensembles", "order", "topics")} <= figures


def test_nothing_measured_yet(tmp_path):
    inputs = own_inputs(tmp_path, ("graphs",))
    for name in OUTPUTS:
        path = inputs["compare_dirs"]["graphs"] / f"{name}.csv"
        if path.is_file():
            pd.read_csv(path, dtype=str).iloc[:0].to_csv(path, index=False)
    pd.DataFrame(columns=["stage", "name", "seconds", "jobs"]).to_csv(
        inputs["timings"], index=False
    )
    bare = gathered(inputs | {"scores": []})
    for item, block in bare.papers["graphs"].config["items"].items():
        if is_drawn(block):
            assert texts(bare, "graphs", item) is not None
        if item not in ("table2", "gain"):  # which have printed cells
            assert table_of(bare, "graphs", item) is None, item
