"""What the report shows of the CoStar paper: ranks, numbers of clusters, words, times."""

import re

import matplotlib
import pytest

import report_costar
from recoco.report import render
from recoco.report.drawing import DRAWINGS, Subject
from recoco.report.figures import draw
from recoco.report.histograms import counts_of
from recoco.report.inputs import gather
from recoco.report.items import item_table
from recoco.report.rankings import Diagram, cd_diagrams

FRAMES = ("ranks", "tests", "clusters", "representatives", "scaling", "convergence", "stability")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return report_costar.make(tmp_path_factory.mktemp("costar"))


def gathered(inputs):
    return gather(**{key: value for key, value in inputs.items() if key != "out_dir"})


@pytest.fixture(scope="module")
def material(inputs):
    return gathered(inputs)


def figure(material, item):
    paper = material.papers["costar"]
    block = paper.config["items"][item]
    names = {"clusters": "cluster_histograms", "scaling": "scaling_curves"}
    name = block.get("draw") or names.get(block["kind"], "convergence_curves")
    return DRAWINGS[name](Subject(material, paper, item))


def texts(material, item) -> list[str]:
    _, file, _ = draw(material, material.papers["costar"], item)
    return re.findall(r"<text[^>]*>([^<]*)</text>", file)


def table(material, item):
    return item_table(material, material.papers["costar"], item)


def headings(made) -> list[str]:
    return [" ".join(column.path) for column in made.columns]


def test_ranks_stand_beside_the_printed_ones(material):
    made = table(material, "figure12")
    assert headings(made)[:4] == ["What", "Methods", "printed", "from the printed means"]
    assert headings(made)[-1] == "from our means, all+sum+keep"
    row = next(r for r in made.rows if r[0].text == "mean rank, ARI" and r[1].text == "CoStar")
    assert [entry.text for entry in row[2:5]] == ["1.2", "1.28", "1.222"]
    assert row[3].verdict == "explained"
    assert len(made.rows) == 20 and len(table(material, "section532").rows) == 5


def test_tests_of_all_pairs(material):
    made = table(material, "tests")
    kinds = [row[2].text for row in made.rows]
    # Two metrics: three sources with Friedman and six pairs, and Wilcoxon for two of them.
    assert kinds.count("Friedman") == 6 and kinds.count("Nemenyi") == 36
    assert kinds.count("Wilcoxon signed rank, Holm") == 24
    assert any("rounded to 1.4" in row[-1].text for row in made.rows)


def test_a_diagram_for_each_source(material):
    for item, metric in (("cd-nmi", "NMI"), ("cd-ari", "ARI")):
        said = texts(material, item)
        assert f"{metric}, means as printed, 9 datasets" in said
        assert f"{metric}, means measured here, 6 datasets (all+sum+keep)" in said
        assert said.count("CD = 1.394") == 1
        assert len(figure(material, item).axes) == 2


def test_diagrams_do_not_overlap():
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
    drawn = cd_diagrams([Diagram(ranks, 1.5, [("a", "b")], "one"), Diagram(ranks, 1, [], "two")])
    first, second = (axes.get_position() for axes in drawn.axes)
    assert first.y0 == pytest.approx(second.y1) and second.y0 == pytest.approx(0)


def test_histograms(material):
    drawn = figure(material, "figures13to15")
    assert [axes.get_title(loc="left") for axes in drawn.axes[:3]] == ["bbc2", "bbcsport2", "bbc4"]
    bars = [bar.get_height() for bar in drawn.axes[0].patches]
    assert bars == [60, 40, 10, 90]
    assert "no data here" in texts(material, "figures13to15")
    assert counts_of("4:61 5:39") == {4: 61, 5: 39}


def test_numbers_of_clusters(material):
    made = table(material, "figures13to15")
    row = next(r for r in made.rows if r[0].text == "bbc2" and r[1].text == "as printed")
    shown = dict(zip(headings(made), (entry.text for entry in row), strict=True))
    assert shown["Row clusters most often"] == "4"
    assert shown["Column clusters by view"] == "5.2 | 5.2"
    assert shown["NMI best criterion"] == "0.610" and shown["Runs at rest"] == "7"
    assert any("No data: bbcsport2, bbc4, T2" in note for note in made.notes)
    assert any("I1" in note and "unreachable" in note for note in made.notes)


def test_times(material):
    said = texts(material, "figure18a")
    assert "N of all views, 500 objects: slope 2.00" in said
    assert "N of the largest view, 2000 objects: slope 1.00" in said
    made = table(material, "figure18a")
    assert len(made.rows) == 12 and headings(made)[0] == "Reading"


def test_convergence(material):
    drawn = figure(material, "figure20")
    assert [axes.get_title(loc="left") for axes in drawn.axes] == [
        f"p = {p} %" for p in (5, 10, 15, 20)
    ]
    (curve, rest) = drawn.axes[0].lines
    assert curve.get_ydata()[0] == 1.0 and set(rest.get_xdata()) == {1980.0}
    assert texts(material, "figure20").count("not computed in this pass") == 2
    row = table(material, "figure20").rows[0]
    assert [entry.text for entry in row[:5]] == ["5 %", "30", "1980", "2500", "10000"]


def test_words(material):
    made = table(material, "figure16")
    assert [row[-1].text for row in made.rows][:1] == ["film award view1 place1"]
    assert any("run 3" in note for note in made.notes) and "T2" in made.notes[-1]


def test_the_page(inputs):
    render(**inputs)
    page = (inputs["out_dir"] / "index.html").read_text(encoding="utf-8")
    for text in ("Figure 12, mean ranks", "Critical differences, NMI", "film award view1"):
        assert text in page
    for name in ("costar_tests.csv", "costar_figure18a.tex", "costar_figures13to15.md"):
        assert (inputs["out_dir"] / "tables" / name).is_file()


def test_before_anything_is_measured(inputs):
    for name in FRAMES:
        (inputs["compare_dirs"]["costar"] / f"{name}.csv").unlink()
    bare = gathered(inputs)
    for item in ("figures13to15", "figure18a", "figure20", "cd-nmi", "cd-ari"):
        with matplotlib.rc_context():
            assert figure(bare, item).axes
    assert table(bare, "figure16") is table(bare, "figure18a") is table(bare, "tests") is None
    assert "not measured in this pass" in texts(bare, "figure18a")
