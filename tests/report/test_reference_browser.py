"""The report of the committed reference run, with all papers and the benchmark, in a browser."""

import pandas as pd
import pytest

pytest.importorskip("selenium")

from recoco.archive import reference
from report.test_browser import check_widths, visit  # noqa: F401  a fixture among them
from support.projects import CHECKOUT

pytestmark = [pytest.mark.browser, pytest.mark.workflow]


@pytest.fixture(scope="module")
def address(reference_again):
    return (reference_again[1] / "index.html").as_uri()


@pytest.mark.parametrize("width", [1300, 390])
def test_no_page_is_wider_than_the_screen(visit, width):  # noqa: F811
    papers = [f"paper={key}" for key in reference.parts_of(reference.folder_of(CHECKOUT))]
    pages = ["overview", *papers, "datasets", "methods", "errata", "provenance"]
    check_widths(visit(width=width), pages, width)


def test_the_map_has_a_square_for_every_printed_number(visit):  # noqa: F811
    data = reference.folder_of(CHECKOUT) / reference.DATA
    cells = pd.concat(map(pd.read_csv, sorted(data.glob("*_cells.csv"))))["cell"]
    squares = visit().execute_script(
        "return [...document.querySelectorAll('#map [data-cell]')]"
        ".filter((e) => e.dataset.verdict !== 'unprinted').map((e) => e.dataset.cell)"
    )
    assert sorted(squares) == sorted(cells)
