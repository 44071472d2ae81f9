"""The drawing of critical differences: everything is there, inside, and readable."""

import itertools
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from recoco.compare.ranks import groups_within, nemenyi, rank_methods
from recoco.items.ranks.figures import Diagram, cd_diagrams
from recoco.report.figures import svg
from recoco.report.figures.drawing import COLOURS

TITLE = "Mean NMI on 12 datasets"


def _draw(ranks, cd, groups, title=TITLE):
    with matplotlib.rc_context(svg.style("cd")):
        figure = cd_diagrams([Diagram(ranks, cd, groups, title)])
        FigureCanvasAgg(figure).draw()
    return figure


def _table(methods: int, datasets: int = 12) -> pd.DataFrame:
    generator = np.random.default_rng(methods)
    names = [f"{'CoClustering' * (i % 3)}{i}" for i in range(methods)]
    scores = generator.normal(np.linspace(0, 1, methods), 0.2, size=(datasets, methods))
    table = pd.DataFrame(scores.round(1), columns=names)
    # Two methods that are the same everywhere share a mean rank.
    return table.assign(**{names[1]: table[names[2]]}) if methods > 2 else table


def _texts(figure) -> list:
    return [text for text in figure.axes[0].texts if text.get_text()]


def _bars(figure) -> list[tuple[float, float, float]]:
    lines = [line for line in figure.axes[0].lines if line.get_color() == COLOURS[2]]
    bars = [line for line in lines if line.get_linestyle() != "None"]
    return [(min(b.get_xdata()), max(b.get_xdata()), b.get_ydata()[0]) for b in bars]


@pytest.mark.parametrize("methods", [2, 4, 9, 20, 50])
def test_labels_do_not_overlap_and_stay_inside(methods):
    ranking = rank_methods(_table(methods))
    found = nemenyi(ranking, 0.05)
    figure = _draw(ranking.mean, found.cd, found.groups)
    boxes = {text: text.get_window_extent() for text in _texts(figure)}
    for (first, a), (second, b) in itertools.combinations(boxes.items(), 2):
        assert not a.overlaps(b), (first.get_text(), second.get_text())
    page = figure.bbox
    for text, box in boxes.items():
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= page.x1 and box.y1 <= page.y1
        assert inside, text.get_text()
    shown = [text.get_text() for text in boxes]
    assert sorted(set(shown) & set(ranking.methods)) == sorted(ranking.methods)
    assert f"CD = {found.cd:.3f}" in shown and TITLE in shown


@pytest.mark.parametrize("methods", [4, 9, 20])
def test_every_group_is_a_bar_and_bars_do_not_touch(methods):
    ranking = rank_methods(_table(methods))
    found = nemenyi(ranking, 0.05)
    bars = _bars(_draw(ranking.mean, found.cd, found.groups))
    assert len(bars) == len(found.groups) > 0
    for (a0, a1, ay), (b0, b1, by) in itertools.combinations(bars, 2):
        assert ay != by or a1 < b0 or b1 < a0


def test_lengths_are_to_scale():
    ranks = {"a": 1.25, "b": 2.0, "c": 2.75, "d": 4.0}
    figure = _draw(ranks, 1.6, [("a", "b", "c"), ("c", "d")])
    lines = figure.axes[0].lines
    ruler = np.ptp(lines[0].get_xdata())
    (first, second) = (high - low for low, high, _ in _bars(figure))
    # Bars stand out by the same small length beyond their first and last method.
    assert (first - second) / ruler == pytest.approx((1.5 - 1.25) / 1.6)
    beyond = first - 1.5 / 1.6 * ruler
    assert 0 < beyond < 0.1


def test_ruler_longer_than_the_axis_is_inside():
    ranks = {"a": 1.0, "b": 2.0}
    figure = _draw(ranks, 1.386, groups_within(pd.Series(ranks), 1.386))
    assert max(figure.axes[0].lines[0].get_xdata()) < figure.get_size_inches()[0]


def test_no_group_means_no_bar_and_no_remark_about_bars():
    figure = _draw({"a": 1.0, "b": 2.0, "c": 3.0}, 0.5, ())
    assert _bars(figure) == []
    assert not any("Bars" in text.get_text() for text in _texts(figure))


def test_tied_methods_have_a_bar_that_can_be_seen():
    ranks = {"a": 1.0, "b": 2.5, "c": 2.5}
    ((low, high, _),) = _bars(_draw(ranks, 0.9, groups_within(pd.Series(ranks), 0.9)))
    assert high - low > 0.04


def test_title_longer_than_the_axis_is_inside():
    title = "A title of a figure that goes on and on, longer than the names and the axis " * 2
    figure = _draw({"a": 1.0, "b": 2.0}, 0.5, (), title.strip())
    box = next(t for t in _texts(figure) if t.get_text() == title.strip()).get_window_extent()
    assert box.x1 <= figure.bbox.x1


def test_same_bytes_and_themed_colours():
    def page():
        with matplotlib.rc_context(svg.style("cd")):
            ranks, groups = {"a<b": 1.2, "c & d": 1.8}, [("a<b", "c & d")]
            figure = cd_diagrams([Diagram(ranks, 0.9, groups, TITLE)])
            return svg.for_page(svg.draw_svg(figure), "cd", TITLE)

    text = page()
    assert text == page()
    ET.fromstring(text.replace("xlink:href", "href"))
    assert "a&lt;b" in text and "currentColor" in text and "var(--faint)" in text
    assert "#000000" not in text and svg.INK not in text
